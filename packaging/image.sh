#!/usr/bin/env bash
# Makes the container image from archives of static programs, by buildah, with neither a base image nor a compiler.
#   packaging/image.sh NAME ARCHIVE...    as localhost/sparring target/archives/sparring-1.0.0-x86_64-unknown-linux-musl.tar.gz
# NAME is a list of images, one for each archive. The Dockerfile's last stage says what it is like.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
name=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

buildah manifest exists "$name" && buildah manifest rm "$name" > /dev/null
buildah manifest create "$name" > /dev/null
for archive in "$@"; do
    case $archive in
        *-x86_64-*-musl.tar.gz) architecture=amd64 ;;
        *-aarch64-*-musl.tar.gz) architecture=arm64 ;;
        *) echo "$archive: not an archive of static programs" >&2; exit 1 ;;
    esac
    rm -rf "${work:?}"/*
    mkdir "$work/archive"
    tar -xzf "$archive" -C "$work/archive" --strip-components 1
    "$here/image-root.sh" "$work/archive/sparring" "$work/build/image"
    sed -n '/^FROM scratch/,$p' "$here/../Dockerfile" > "$work/Dockerfile"
    buildah build --quiet --layers=false --arch "$architecture" --manifest "$name" --build-context "build=$work/build" --file "$work/Dockerfile" "$work" > /dev/null
done
buildah manifest inspect "$name"
