#!/usr/bin/env bash
# Packs the last commit and the built page into target/archives: what builds by cargo alone, without Node and git.
set -euo pipefail
cd "$(dirname "$0")/.."
test -f web/dist/index.html || { echo "web/dist/index.html is missing: run 'make web' first" >&2; exit 1; }
version=$(cargo pkgid --package sparring)
name=sparring-${version##*[@#]}-source
mkdir -p target/archives
page=()
for file in web/dist/*.*; do page+=("--add-file=$file"); done
git archive --format=tar.gz --output="target/archives/$name.tar.gz" --prefix="$name/web/dist/" "${page[@]}" --prefix="$name/" HEAD
ls -l "target/archives/$name.tar.gz"
