#!/usr/bin/env bash
# Ends with 0 if no release has this version yet. A second push of its tag would replace the images
# that the first release has pushed under the names of the version.
set -euo pipefail
version=$1

if git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null; then
  echo "::error::v$version is released already, and stays as it is: release another version"
  exit 1
fi
