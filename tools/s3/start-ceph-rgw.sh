#!/usr/bin/env bash
# Starts Ceph RADOS Gateway, a real S3 server, for the tests: one monitor, one OSD that keeps everything
# in memory, one gateway, all of them on the loopback interface only.
#
#   start-ceph-rgw.sh DIRECTORY [PORT]
#
# DIRECTORY gets configuration, logs and pids; PORT and the one after it must be free, and outside
# 6800-7300, which the OSD takes from (default: two free ones are looked for). Needs root on Debian:
# what is missing is installed with apt-get. Prints the settings that the tests read, one KEY=VALUE a
# line, and everything else to stderr. stop-ceph-rgw.sh ends it.
set -euo pipefail

[ $# -ge 1 ] || { echo "usage: $0 DIRECTORY [PORT]" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
dir=$(cd "$1" && pwd)
conf=$dir/ceph.conf
bucket=llm-worker-test
region=us-east-1

fail() { echo "s3: $*" >&2; exit 1; }

install_ceph() {
  local program missing=()
  for program in ceph ceph-mon ceph-osd monmaptool radosgw radosgw-admin; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || fail "no apt-get here, and missing: ${missing[*]}"
  [ "$(id -u)" = 0 ] || fail "not root, and missing: ${missing[*]}"
  echo "s3: installing Ceph" >&2
  local install=(apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=120
    -o Dpkg::Options::=--force-unsafe-io ceph-mon ceph-osd radosgw)
  export DEBIAN_FRONTEND=noninteractive
  "${install[@]}" >"$dir/install.log" 2>&1 ||
    { apt-get update >"$dir/update.log" 2>&1 && "${install[@]}" >"$dir/install.log" 2>&1; } ||
    { tail -n 5 "$dir/install.log" >&2; fail "Ceph could not be installed"; }
}

find_ports() {
  node -e '
    const { createServer } = require("node:net");
    const listen = (port) => new Promise((resolve, reject) => {
      const server = createServer();
      server.on("error", reject);
      server.listen(port, "127.0.0.1", () => resolve(server));
    });
    (async () => {
      for (let attempt = 0; attempt < 50; attempt += 1) {
        const first = await listen(0);
        const { port } = first.address();
        const second = await listen(port + 1).catch(() => undefined);
        first.close();
        second?.close();
        if (second && (port > 7300 || port < 6800)) return console.log(port);
      }
      process.exitCode = 1;
    })();'
}

write_conf() {
  cat >"$conf" <<CONF
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon host = [v2:127.0.0.1:$((port + 1))]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
# Nobody else can reach it: no keys between the daemons, hence no encryption either.
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
ms client mode = crc
client mount timeout = 20
mon allow pool size one = true
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
admin socket =
run dir = $dir
crash dir = $dir
pid file = $dir/\$name.pid
log file = $dir/\$name.log
log to stderr = false

[mon]
mon data = $dir/mon
mon data avail warn = 2
mon data avail crit = 1
mon max pg per osd = 1000
# Every change of the cluster's map waits for these: the defaults are for machines far apart.
mon tick interval = 1
paxos propose interval = 0.05
paxos min wait = 0.02

[osd]
osd data = $dir/osd
osd objectstore = memstore
memstore device bytes = 2147483648

[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:$port tcp_nodelay=1
rgw data = $dir/rgw
rgw dns name = localhost
rgw run sync thread = false
rgw enable usage log = false
rgw enable ops log = false
# What is deleted gives its memory back soon.
rgw gc obj min wait = 5
rgw gc processor period = 10
rgw gc processor max time = 10
CONF
}

start_daemons() {
  local osd
  osd=$(cat /proc/sys/kernel/random/uuid)
  mkdir -p "$dir/mon" "$dir/osd" "$dir/rgw"
  monmaptool --create --clobber --fsid "$(sed -n 's/^fsid = //p' "$conf")" \
    --addv a "[v2:127.0.0.1:$((port + 1))]" "$dir/monmap"
  ceph-mon -c "$conf" -i a --mkfs --monmap "$dir/monmap"
  ceph-mon -c "$conf" -i a
  timeout 30 ceph -c "$conf" osd new "$osd"
  ceph-osd -c "$conf" -i 0 --mkfs --osd-uuid "$osd"
  ceph-osd -c "$conf" -i 0
  radosgw -c "$conf" -n client.rgw
}

add_user() {
  timeout 60 radosgw-admin -c "$conf" user create --uid="$1" --display-name="$1" \
    --access-key="$1-key" --secret-key="$1-secret"
}

settings() {
  cat <<SETTINGS
LLM_WORKER_S3_ENDPOINT=http://127.0.0.1:$port
LLM_WORKER_S3_SERVER=ceph-rgw
LLM_WORKER_S3_BUCKET=$bucket
AWS_REGION=$region
AWS_ACCESS_KEY_ID=tester-key
AWS_SECRET_ACCESS_KEY=tester-secret
LLM_WORKER_S3_OTHER_ACCESS_KEY_ID=stranger-key
LLM_WORKER_S3_OTHER_SECRET_ACCESS_KEY=stranger-secret
SETTINGS
}

[ ! -e "$conf" ] || fail "$dir has been used before: stop that one with stop-ceph-rgw.sh, and take another"
install_ceph
port=${2:-$(find_ports)} || fail "no two free ports in a row"
write_conf
{
  start_daemons
  # Two users: one who owns the bucket, one who has no right to it.
  add_user tester
  add_user stranger
} >"$dir/start.log" 2>&1 || { tail -n 5 "$dir/start.log" >&2; fail "Ceph did not start"; }
AWS_REGION=$region AWS_ACCESS_KEY_ID=tester-key AWS_SECRET_ACCESS_KEY=tester-secret \
  node "$here/create-bucket.mjs" "http://127.0.0.1:$port" "$bucket" >&2 || fail "the gateway does not answer"
echo "s3: Ceph RGW is ready" >&2
settings
