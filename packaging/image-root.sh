#!/bin/sh
# Lays out all that is in the container image: the static program, the roots that lichess' certificate is checked against, and
# the folder of the state.
#   packaging/image-root.sh PROGRAM FOLDER
set -eu
install -D -m 0555 "$1" "$2/usr/bin/sparring"
install -D -m 0444 /etc/ssl/certs/ca-certificates.crt "$2/etc/ssl/certs/ca-certificates.crt"
install -d -m 0755 "$2/etc/sparring"
install -d -m 0700 "$2/state"
