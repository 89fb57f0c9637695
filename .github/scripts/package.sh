#!/usr/bin/env bash
# Builds the package into dist/, installs the wheel into an environment of its own, and runs it on a
# copy of the example outside of the checkout.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$python" -m venv "$folder/build"
"$folder/build/bin/python" -m pip install --quiet --require-hashes -r "$root/requirements/build.txt"
rm -rf "$root/dist"
(cd "$root" && "$folder/build/bin/python" -m hatchling build)

"$python" -m venv "$folder/installed"
"$folder/installed/bin/python" -m pip install --quiet "$root"/dist/*.whl
mkdir -p "$folder/repository"
cp -R "$root/examples" "$folder/repository"
git init --quiet "$folder/repository"
cd "$folder/repository/examples/support-agent"
rm -rf .mergebar
PATH=$folder/installed/bin:$PATH
mergebar --version
mergebar check
mergebar run --all --quiet
test -s .mergebar/report.json
