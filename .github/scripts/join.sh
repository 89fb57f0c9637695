#!/usr/bin/env bash
# Joins images, which are named by their digests alone since a tag may have moved, to one `IMAGE`, and
# prints `digest=sha256:…` of that.
set -euo pipefail
image=$1
shift

for digest in "$@"; do
  [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] ||
    { echo "::error::\`$digest\` is no digest of an image to join" >&2; exit 1; }
done
docker buildx imagetools create --tag "$image" "${@/#/${image%:*}@}" >&2
digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}')
[[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || { echo "::error::$image has no digest" >&2; exit 1; }
echo "digest=$digest"
