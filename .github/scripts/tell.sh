#!/usr/bin/env bash
# Makes the release on GitHub, with what the changelog says and the files given; once.
set -euo pipefail
version=$1
shift
scripts=$(dirname "$0")

if gh release view "v$version" >/dev/null 2>&1; then
  echo "the release is there already"
  exit
fi
kind=()
[[ $version =~ ^[0-9.]+$ ]] || kind=(--prerelease)
"$scripts/release.py" notes "$version" |
  gh release create "v$version" --verify-tag --title "mergebar $version" --notes-file - "${kind[@]}" "$@"
