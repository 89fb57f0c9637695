#!/usr/bin/env bash
# Prints `base=NAME@sha256:…`: the base image of the Dockerfile as it is now, so that all that is built
# of this release is built on the same. A Dockerfile that names a digest is taken at its word.
set -euo pipefail

base=$(sed -n 's/^ARG BASE=//p' Dockerfile)
if [[ $base != *@sha256:* ]]; then
  base=$base@$(docker buildx imagetools inspect "$base" --format '{{.Manifest.Digest}}')
fi
[[ $base =~ ^[^@[:space:]]+@sha256:[0-9a-f]{64}$ ]] ||
  { echo "::error::the base image has no digest: $base" >&2; exit 1; }
echo "base=$base"
