#!/usr/bin/env bash
# Prints what CHANGELOG.md says of a version, as the text of its release.
#   packaging/notes.sh v1.0.0    fails unless Cargo.toml has that version and CHANGELOG.md a section `## 1.0.0`
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=${1#v}
version=$(cargo pkgid --package sparring)
version=${version##*[@#]}
test "$wanted" = "$version" || { echo "the tag says $wanted, Cargo.toml $version" >&2; exit 1; }
awk -v version="$version" '
    /^## / { inside = $2 == version; found += inside; next }
    inside
    END { if (!found) { print "CHANGELOG.md has no section \"## " version "\"" > "/dev/stderr"; exit 1 } }
' CHANGELOG.md
