#!/usr/bin/env bash
# Pushes an image and prints `NAME=sha256:…`, its digest by which it can be had from there.
set -euo pipefail
image=$1 name=$2

docker push --quiet "$image" >&2
digest=$(docker image inspect --format '{{index .RepoDigests 0}}' "$image")
digest=${digest##*@}
[[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || { echo "::error::$image has no digest" >&2; exit 1; }
echo "$name=$digest"
