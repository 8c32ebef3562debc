#!/usr/bin/env bash
# Unpacks an archive and tries what is in it: the engine counts the pinned nodes, the program starts, its files are in order, and
# the page is in it.
#   packaging/try.sh target/archives/sparring-1.0.0-x86_64-unknown-linux-musl.tar.gz
#   RUNNER=wine packaging/try.sh target/archives/sparring-1.0.0-x86_64-pc-windows-gnu.zip    by what starts such programs here
set -euo pipefail
signature=$(cd "$(dirname "$0")/.." && pwd)/tests/signature.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $1 in
    *.zip) unzip -q "$1" -d "$work" ;;
    *) tar -xzf "$1" -C "$work" ;;
esac
cd "$work"/*/
ending=
case $1 in *-windows-*) ending=.exe ;; esac
start() {
    local program=$1
    shift
    ${RUNNER:-} "./$program$ending" "$@"
}

grep -v '^#' "$signature" | while read -r depth nodes; do
    found=$(start sparring-uci bench "$depth" < /dev/null)
    echo "bench $depth: $found"
    case $found in
        "$nodes nodes "*) ;;
        *) echo "tests/signature.txt says $nodes" >&2; exit 1 ;;
    esac
done

start sparring --version
start sparring check

${RUNNER:-} "./sparring$ending" play --port 0 > said.txt &
program=$!
trap 'kill "$program" 2> /dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do
    address=$(sed -n 's,.*\(http://[^/]*/\)#.*,\1,p' said.txt)
    test -z "$address" || break
    sleep 0.1
done
curl --silent --show-error --fail --max-time 10 "$address" | grep -q 'app.js' || { echo 'the page is not in it' >&2; exit 1; }
echo "the page is served"
