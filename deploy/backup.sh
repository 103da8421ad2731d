#!/bin/sh
# Writes a backup at three every night (UTC) and keeps the newest; `backup.sh once` writes one now and ends.
set -eu
folder=${BACKUP_DIR:-/backups}
kept=${BACKUPS_KEPT:-14}
if ! [ "$kept" -ge 1 ]; then
    echo "BACKUPS_KEPT is $kept. Write how many backups are kept, 1 or more." >&2
    exit 2
fi

# An old backup goes only after the new one is whole; what a killed backup left is of no use.
backup() {
    rm -rf "$folder"/.????-??-??T??????Z.part &&
        python manage.py site backup "$folder/$(date -u +%Y-%m-%dT%H%M%SZ)" --quiet &&
        ls -d "$folder"/????-??-??T??????Z | sort -r | tail -n "+$((kept + 1))" | xargs -r rm -rf --
}

if [ "${1:-}" = once ]; then
    backup
    exit
fi
while true; do
    sleep $((86400 - ($(date -u +%s) - 10800) % 86400))
    backup || echo "The backup of this night failed; the next one is tried tomorrow." >&2
done
