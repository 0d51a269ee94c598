#!/bin/sh
# back-up.sh STORE DIRECTORY [DAYS]: writes a backup of a store into a directory, checks it, and removes backups that are
# older than DAYS (30). For cron; prints nothing if all is well.
set -eu
umask 077
store=$1 directory=$2 days=${3:-30}
file="$directory/$(date -u +%Y-%m-%dT%H%M%SZ).tar.gz"
trap 'rm -f "$file.part"' EXIT
quietly() {
  output=$("$@" 2>&1) || { echo "$output" >&2; exit 1; }
}
quietly accession backup "$store" "$file.part"
quietly accession restore --verify "$file.part"
mv "$file.part" "$file"
find "$directory" -maxdepth 1 -name '*Z.tar.gz' -mtime "+$days" -delete
