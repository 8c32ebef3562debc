#!/usr/bin/env bash
# Builds what an owner downloads and packs it into one archive below target/archives.
#   packaging/archive.sh           for this machine
#   packaging/archive.sh TARGET    for another target that this machine can start, as x86_64-unknown-linux-musl
# The page has to be built: `make web`, or a source archive, which holds it.
set -euo pipefail
cd "$(dirname "$0")/.."
test -f web/dist/index.html || { echo "web/dist/index.html is missing: run 'make web' first" >&2; exit 1; }

host=$(rustc -vV | sed -n 's/^host: //p')
target=${1:-$host}
if [ "$target" = "$host" ]; then chosen=() folder=dist; else chosen=(--target "$target") folder=$target/dist; fi
case $target in *-windows-*) ending=.exe ;; *) ending= ;; esac
version=$(cargo pkgid --package sparring)
name=sparring-${version##*[@#]}-$target
packed=target/archives/$name
rm -rf "$packed" "$packed".*
mkdir -p "$packed"

build() { cargo build --locked --profile dist ${chosen[@]+"${chosen[@]}"} "$@"; }
# The engine alone, without levels: a folder of its own keeps it apart from the one with them.
build --package sparring-uci --no-default-features --target-dir target/engine
mkdir -p "target/$folder"
cp "target/engine/$folder/sparring-uci$ending" "target/$folder/"
cp "target/$folder/sparring-uci$ending" README.md CHANGELOG.md LICENSE "$packed/"
mkdir "$packed/docs"
cp docs/*.md "$packed/docs/"

build --bin sparring
program=target/$folder/sparring$ending
mkdir "$packed/books" "$packed/personalities"
cp "$program" bot.toml "$packed/"
cp books/*.book "$packed/books/"
cp personalities/*.toml "$packed/personalities/"
# Windows has neither man nor these shells.
if [ -z "$ending" ]; then
    mkdir -p target/package "$packed/completions"
    rm -rf target/package/man
    "$program" man target/package/man
    "$program" completions bash > target/package/sparring.bash
    "$program" completions zsh > target/package/_sparring
    "$program" completions fish > target/package/sparring.fish
    cp -R target/package/man "$packed/"
    cp target/package/sparring.bash target/package/_sparring target/package/sparring.fish "$packed/completions/"
fi
case $target in *-linux-*) cp -R systemd "$packed/" ;; esac

cd target/archives
case $target in
    *-windows-*)
        if command -v zip > /dev/null; then zip -qr "$name.zip" "$name"; else 7z a -bso0 "$name.zip" "$name"; fi ;;
    *)
        # Whoever unpacks it as root gets files of root, not of the one who built it.
        if tar --version | grep -q GNU; then owner=(--owner=0 --group=0); else owner=(--uid 0 --gid 0); fi
        tar "${owner[@]}" -czf "$name.tar.gz" "$name" ;;
esac
rm -r "$name"
ls -l "$name".*
