#!/usr/bin/env bash
# Logs in at the registry of an image, with $TOKEN; the name of the image is its only argument.
set -euo pipefail

registry=${1%%/*}
[[ -n $registry ]] ||
  { echo "::error::no registry: set the variable IMAGE_REGISTRY of the repository"; exit 1; }
docker login "$registry" --username "$GITHUB_ACTOR" --password-stdin <<<"$TOKEN"
