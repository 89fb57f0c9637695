#!/usr/bin/env bash
# Builds the package into dist/, installs the wheel with what is locked into an environment of its own,
# and runs it on a copy of the example outside of the checkout. Prints `digests=…` for $GITHUB_OUTPUT:
# the files as sha256sum lists them, in base64, so that who gets them can tell whether they are these.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$python" -m venv "$folder/build"
"$folder/build/bin/python" -m pip install --quiet --require-hashes --only-binary=:all: -r "$root/requirements/build.txt"
rm -rf "$root/dist"
(cd "$root" && "$folder/build/bin/python" -m hatchling build >&2)
# Before anything of it runs: nothing that does can have a say in what is handed on.
digests=$(cd "$root/dist" && sha256sum -- * | base64 --wrap=0)

"$python" -m venv "$folder/installed"
"$folder/installed/bin/python" -m pip install --quiet --require-hashes --only-binary=:all: -r "$root/requirements/run.txt"
"$folder/installed/bin/python" -m pip install --quiet --no-deps --no-index "$root"/dist/*.whl
"$folder/installed/bin/python" -m pip check >&2
mkdir -p "$folder/repository"
cp -R "$root/examples" "$folder/repository"
git init --quiet "$folder/repository"
cd "$folder/repository/examples/support-agent"
rm -rf .mergebar
PATH=$folder/installed/bin:$PATH
{
  mergebar --version
  mergebar check
  mergebar run --all --quiet
} >&2
test -s .mergebar/report.json
echo "digests=$digests"
