#!/usr/bin/env bash
# Joins the images `IMAGE-PLATFORM` to one `IMAGE`, and prints `digest=sha256:…` of that.
set -euo pipefail
image=$1
shift

docker buildx imagetools create --tag "$image" "${@/#/$image-}" >&2
digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}')
[[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || { echo "::error::$image has no digest" >&2; exit 1; }
echo "digest=$digest"
