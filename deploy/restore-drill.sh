#!/bin/sh
# restore-drill.sh DIRECTORY: restores the newest backup of a directory into a temporary store, and examines every record
# of it. Ends with status 0 if the backup can be used, also if the check has warnings, such as weak tokens. Prints errors
# alone, so cron sends no mail of a drill that succeeds; on a terminal, the backup as well.
set -eu
umask 077
newest=$(find "$1" -maxdepth 1 -name '*Z.tar.gz' | sort | tail -n 1)
[ -n "$newest" ] || { echo "restore-drill.sh: $1 has no backup" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
report() { cat "$folder/log" >&2; exit 1; }
accession restore "$newest" "$folder/store" >"$folder/log" 2>&1 || report
accession check "$folder/store" --json >"$folder/findings" 2>"$folder/log" || [ $? -eq 2 ] || report
if grep '"severity":"error"' "$folder/findings" >&2; then exit 1; fi
if [ -t 1 ]; then echo "$newest can be restored"; fi
