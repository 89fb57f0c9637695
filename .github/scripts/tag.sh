#!/usr/bin/env bash
# Makes and pushes the commit of a release: this one, with action.yml naming the released image. Its
# tag `v1.2.3` is new and never moves; `v1` moves, but for a version before the final one and for one
# that isn't the greatest of its major version: `v1` never goes back. Both are pushed or neither, and
# a release that has been tagged already with this image is left as it is, and one with another fails.
set -euo pipefail
version=${1-} image=${2-}
scripts=$(dirname "$0")
tag=v$version
"$scripts/release.py" valid "$version" "$image"

there=$(git ls-remote origin "refs/tags/$tag")
if [[ -n $there ]]; then
  git fetch --quiet --no-tags --depth 1 origin "refs/tags/$tag"
  git show FETCH_HEAD:action.yml | "$scripts/release.py" pinned "$image"
  echo "$tag is there already, with this image"
  exit
fi
released=$(git ls-remote --tags origin 'refs/tags/v*' | sed -n 's|.*refs/tags/v\([0-9.]*\)$|\1|p')
"$scripts/release.py" pin "$image"
export GIT_AUTHOR_NAME=github-actions[bot] GIT_COMMITTER_NAME=github-actions[bot]
export GIT_AUTHOR_EMAIL=41898282+github-actions[bot]@users.noreply.github.com
export GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
git commit --quiet --message "Release $version" -- action.yml
git tag --annotate "$tag" --message "mergebar $version"
refs=("refs/tags/$tag")
if [[ $version =~ ^[0-9.]+$ ]]; then
  major=${version%%.*}
  greatest=$(printf '%s\n' "$version" "$released" | grep -E "^$major\.[0-9]+\.[0-9]+$" | sort -V | tail -n 1)
  if [[ $greatest == "$version" ]]; then
    refs+=("+HEAD:refs/tags/v$major")
  else
    echo "v$major stays at $greatest"
  fi
fi
git push --atomic origin "${refs[@]}"
