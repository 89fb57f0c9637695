#!/usr/bin/env bash
# Starts an image with Docker as a person or another CI would: its version, and a check and a run of
# the example, by a user who isn't root. It gets a copy: what follows in a job is to be what was checked out.
set -euo pipefail
image=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -R "$root/examples" "$folder"
git init --quiet "$folder"

start() {
  docker run --rm --user "$(id -u):$(id -g)" --volume "$folder:/repo" --workdir /repo/examples/support-agent "$image" "$@"
}

start --version
start check
start run --all --quiet
