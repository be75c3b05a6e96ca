#!/usr/bin/env bash
# Ends the Ceph RGW that start-ceph-rgw.sh started for a directory, and removes the directory.
#
#   stop-ceph-rgw.sh DIRECTORY
set -euo pipefail

[ $# = 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
[ -d "$1" ] || exit 0
dir=$(cd "$1" && pwd)

# Of a number that has been given to another process since, the command line is another.
is_ours() { tr '\0' ' ' <"/proc/$1/cmdline" 2>/dev/null | grep -qF -- "-c $dir/ceph.conf "; }

for daemon in client.rgw osd.0 mon.a; do
  pid=$(cat "$dir/$daemon.pid" 2>/dev/null) || continue
  is_ours "$pid" || continue
  kill "$pid" 2>/dev/null || true
  for _ in $(seq 50); do
    is_ours "$pid" || break
    sleep 0.1
  done
  if is_ours "$pid"; then kill -9 "$pid" 2>/dev/null || true; fi
done
# Nothing else is removed than what the start script made.
if [ -e "$dir/ceph.conf" ]; then rm -rf "$dir"; fi
