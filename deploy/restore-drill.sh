#!/bin/sh
# restore-drill.sh DIRECTORY: restores the newest backup of a directory into a temporary store, and examines every record
# of it. Ends with status 0 if the backup can be used, also if the check has warnings, such as weak tokens.
set -eu
umask 077
newest=$(find "$1" -maxdepth 1 -name '*Z.tar.gz' | sort | tail -n 1)
[ -n "$newest" ] || { echo "restore-drill.sh: $1 has no backup" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
accession restore "$newest" "$folder/store" >/dev/null
accession check "$folder/store" --json >"$folder/findings" || [ $? -eq 2 ]
if grep '"severity":"error"' "$folder/findings" >&2; then exit 1; fi
echo "$newest can be restored"
