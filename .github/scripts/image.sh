#!/usr/bin/env bash
# Starts an image with Docker as a person or another CI would: its version, and a check and a run of
# the example, by a user who isn't root.
set -euo pipefail
image=$1
root=$(cd "$(dirname "$0")/../.." && pwd)

start() {
  docker run --rm --user "$(id -u):$(id -g)" --volume "$root:/repo" --workdir /repo/examples/support-agent "$image" "$@"
}

start --version
start check
start run --all --quiet
