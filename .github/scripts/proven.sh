#!/usr/bin/env bash
# Ends with 0 if this commit is on main and the workflow `ci` has passed on it there: a run for a pull
# request may have tested other workflows than those of main. Needs a full checkout.
set -euo pipefail
commit=$1

git merge-base --is-ancestor "$commit" origin/main ||
  { echo "::error::$commit isn't on main: a release is made of what was merged"; exit 1; }

passed=$(gh run list --workflow ci.yml --commit "$commit" --event push --branch main --status success \
  --json databaseId --jq length)
[[ $passed =~ ^[1-9][0-9]*$ ]] ||
  { echo "::error::\`ci\` hasn't passed on $commit of main: wait for it, then push the tag again"; exit 1; }
