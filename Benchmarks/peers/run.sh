#!/bin/bash
# run.sh [--quick] [--out DIR] [--only "label label .."] : start every peer on a private socket, run all metrics interleaved, print tables, end everything.
set -u
HERE=$(cd "$(dirname "$0")" && pwd); BIN=${BIN:-/tmp/peerbench/bin}; QUICK=0; OUT=""; ONLY=""
while [ $# -gt 0 ]; do case $1 in --quick) QUICK=1;; --out) OUT=$2; shift;; --only) ONLY=" $2 "; shift;; *) echo "usage: run.sh [--quick] [--out DIR] [--only 'labels']"; exit 2;; esac; shift; done
mkdir -p /tmp/peerbench; W=$(mktemp -d /tmp/peerbench/run.XXXXXX); OUT=${OUT:-$W}; mkdir -p "$OUT"; CSV=$OUT/results.csv; ERR=$OUT/errors.log; : >"$ERR"
make -s -C "$HERE" B="$BIN" || exit 1
H=$BIN/hubbench; T0=$(date +%s)
declare -A PID ADDR DRV CPID            # PID = process to end; CPID = process whose CPU/RSS counts
ALLPIDS=()
cleanup(){ for p in "${ALLPIDS[@]}"; do kill "$p" 2>/dev/null; done; for p in "${ALLPIDS[@]}"; do for i in $(seq 40); do kill -0 "$p" 2>/dev/null || break; sleep 0.05; done; kill -9 "$p" 2>/dev/null; done; wait 2>/dev/null; }
trap cleanup EXIT; trap 'exit 130' INT TERM
read -r P1 P2 P3 P4 P5 P6 P7 P8 < <(python3 -c 'import socket
s=[socket.socket() for _ in range(8)]
for x in s: x.bind(("127.0.0.1",0))
print(*[x.getsockname()[1] for x in s])')
want(){ [ -z "$ONLY" ] || [[ $ONLY == *" $1 "* ]]; }

# cmdline LABEL DIR PORT PORT2 : writes the config into DIR, sets CMD, ADDR, DRV
cmdline(){ local l=$1 d=$2 p=$3 p2=$4; mkdir -p "$d"; case $l in
  redis|redis-pub) printf 'port 0\nunixsocket %s/s\nsave ""\nappendonly no\nmaxclients 15000\ndir %s\ndaemonize no\n' "$d" "$d" >"$d/c"; CMD=(redis-server "$d/c"); A=unix:$d/s; D=$l;;
  mosquitto) printf 'listener 0 %s/s\nallow_anonymous true\npersistence false\nmax_queued_messages 0\nmax_inflight_messages 0\nlog_type error\nuser root\n' "$d" >"$d/c"; CMD=(mosquitto -c "$d/c"); A=unix:$d/s; D=mqtt;;
  nats|nats-kv) printf 'host: 127.0.0.1\nport: %s\njetstream { store_dir: "%s/js", max_mem: 64M, max_file: 0 }\nping_interval: "10m"\nmax_connections: 20000\n' "$p" "$d" >"$d/c"; CMD=(nats-server -c "$d/c"); A=tcp:127.0.0.1:$p; D=$l;;
  dbus-daemon|dbus-broker) cat >"$d/c" <<X
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=$d/s</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
<limit name="max_completed_connections">50000</limit><limit name="max_incomplete_connections">20000</limit><limit name="max_connections_per_user">50000</limit></busconfig>
X
    if [ "$l" = dbus-daemon ]; then CMD=(dbus-daemon --config-file="$d/c" --nofork --nopidfile); else CMD=("$H" launch-dbus-broker "$d/s" -- dbus-broker-launch --scope user --config-file "$d/c"); fi; A=unix:$d/s; D=dbus;;
  etcd) CMD=(etcd --data-dir "$d/d" --listen-client-urls http://127.0.0.1:$p --advertise-client-urls http://127.0.0.1:$p --listen-peer-urls http://127.0.0.1:$p2 --initial-advertise-peer-urls http://127.0.0.1:$p2 --initial-cluster default=http://127.0.0.1:$p2); A=tcp:127.0.0.1:$p; D=etcd;;
  uds-raw|uds-batch|uds-uring) CMD=("$BIN/udsbroker" "$d/s" "${l#uds-}"); A=unix:$d/s; D=uds;;
  statehub|statehub-every) CMD=("${STATEHUB:-$HERE/../../out/bin/statehub}" --socket "$d/s" --volatile --config /dev/null); A=unix:$d/s; D=statehub-every;;
  # ADD A PEER HERE: set CMD (argv in the foreground), A (unix:PATH or tcp:127.0.0.1:PORT) and D (driver name in drivers.c)
  shm-futex) CMD=(); A=none; D=shm-futex;; esac; }
# start KEY LABEL PORT PORT2 : runs it, waits for the first reply
start(){ local k=$1 l=$2; cmdline "$l" "$W/$k" "$3" "$4"; ADDR[$k]=$A; DRV[$k]=$D; PID[$k]=0; CPID[$k]=0; [ ${#CMD[@]} = 0 ] && return 0
  "${CMD[@]}" >"$W/$k/log" 2>&1 & PID[$k]=$!; ALLPIDS+=($!); CPID[$k]=$!
  "$H" wait --driver "$D" --label "$l" --addr "$A" 2>>"$ERR" || { echo "!! $l did not start, see $W/$k/log" >&2; return 1; }
  if [ "$l" = dbus-broker ]; then read -r c _ </proc/${PID[$k]}/task/${PID[$k]}/children; CPID[$k]=$c; fi; }
stop(){ local p=${PID[$1]}; [ "$p" = 0 ] && return; kill "$p" 2>/dev/null; for i in $(seq 60); do kill -0 "$p" 2>/dev/null || break; sleep 0.05; done; kill -9 "$p" 2>/dev/null; wait "$p" 2>/dev/null; PID[$1]=0; }
b(){ local r=$1 k=$2; shift 2; timeout 40 "$H" "$1" --driver "${DRV[$k]}" --label "$k" --addr "${ADDR[$k]}" --pid "${CPID[$k]}" "${@:2}" 2>>"$ERR" | sed "s/^/$r,/" >>"$CSV"; }

FAN=(redis redis-pub mosquitto nats nats-kv dbus-daemon dbus-broker uds-raw uds-batch statehub uds-uring shm-futex); REQ=(statehub redis mosquitto nats-kv dbus-daemon dbus-broker etcd uds-raw); MEM=(statehub redis mosquitto nats dbus-daemon dbus-broker uds-raw); COLD=(statehub redis mosquitto nats dbus-daemon dbus-broker etcd uds-raw)
if [ $QUICK = 1 ]; then ROUNDS=1; REP=1; SN1=0.15; S1=0.15; SK=0.25; S3=0.1; M4N=1000; CLIR=6; CLIP=1; COLDR=2; else ROUNDS=3; REP=3; SN1=0.25; S1=0.6; SK=0.9; S3=0.35; M4N=10000; CLIR=12; CLIP=3; COLDR=5; fi
echo "round,metric,config,label,measure,value" >"$CSV"
for l in redis mosquitto nats dbus-daemon dbus-broker etcd uds-raw uds-batch statehub uds-uring shm-futex; do want $l && { start $l $l $P1 $P2; [ $l = etcd ] || true; P1=$P3; P2=$P4; P3=$P5; P4=$P6; P5=$P7; P6=$P8; }; done
# variants on the same broker process
for v in redis-pub:redis nats-kv:nats; do k=${v%%:*}; s=${v##*:}; [ -n "${ADDR[$s]:-}" ] && { ADDR[$k]=${ADDR[$s]}; DRV[$k]=$k; PID[$k]=0; CPID[$k]=${CPID[$s]}; }; done
live(){ [ -n "${ADDR[$1]:-}" ]; }
live nats-kv && b 0 nats-kv m3 --metric setup --secs 0.01
echo "# started after $(( $(date +%s)-T0 )) s; out $OUT" >&2
for r in $(seq $ROUNDS); do
  for n in 1 64 1000; do s=$S1; reps=1; [ $n = 1000 ] && s=$SK; [ $n = 1 ] && { reps=$REP; s=$SN1; }
    for i in $(seq $reps); do for k in "${FAN[@]}"; do live $k || continue; p=1; [ $k = shm-futex ] && [ $n = 1000 ] && p=4; b $r $k m1 --n $n --secs $s --procs $p; done
    [ $n = 1 ] && for k in "${FAN[@]}"; do live $k && b $r $k m1 --n 1 --secs $s --pinned; done; done; s=$S1; [ $n = 1000 ] && s=$SK
    [ $n = 64 ] && live etcd && b $r etcd m1 --n 64 --secs $S1
    [ $n = 1 ] && live etcd && b $r etcd m1 --n 1 --secs $S1
    [ $n = 64 ] && for k in redis mosquitto dbus-broker uds-raw uds-uring shm-futex; do live $k && b $r $k m1 --n 64 --threads --secs $S1; done
    for k in "${FAN[@]}"; do live $k || continue; p=1; [ $k = shm-futex ] && [ $n = 1000 ] && p=4; b $r $k m2 --n $n --secs $s --procs $p; done
  done
  for o in get set; do for c in "1 1" "50 1" "1 64" "1 1 --pinned"; do set -- $c; [ $QUICK = 1 ] && [ $# = 3 ] && continue
    for k in "${REQ[@]}"; do live $k || continue; [ $k = etcd ] && [ $2 = 64 ] && continue; b $r $k m3 --op $o --conns $1 --depth $2 --secs $S3 ${3:-}; done; done; done
  echo "# round $r done after $(( $(date +%s)-T0 )) s" >&2
done
# ---- M5 command line tools (need the brokers that run already)
cli(){ local name=$1; shift; timeout 60 "$H" cli --metric m5 --cfg cli --label "$name" --runs $CLIR -- "$@" 2>>"$ERR" | sed 's/^/1,/' >>"$CSV"; }
declare -A SVC; for k in dbus-daemon dbus-broker; do live $k || continue; "$H" svc --driver dbus --addr "${ADDR[$k]}" >"$W/$k/svc" & SVC[$k]=$!; ALLPIDS+=($!); done   # the owner of the D-Bus property
DC=0; if live dbus-daemon; then DCE=(env XDG_CONFIG_HOME=$W/xdg XDG_RUNTIME_DIR=$W/xdgr DBUS_SESSION_BUS_ADDRESS=unix:path=$W/dbus-daemon/s); mkdir -p "$W/xdg" "$W/xdgr"; "${DCE[@]}" /usr/libexec/dconf-service >"$W/dconf.log" 2>&1 & DC=$!; ALLPIDS+=($DC); fi; sleep 0.4
if [ $DC != 0 ]; then timeout 5 "${DCE[@]}" dconf write /k1 42 2>>"$ERR"; [ "$(timeout 5 "${DCE[@]}" dconf read /k1)" = 42 ] || DC=0; fi
dcli(){ local n=$1; shift; (export "${DCE[@]:1:3}"; cli "$n" "$@"); }
for pass in $(seq $CLIP); do
  cli "/bin/true (floor)" /bin/true
  if live uds-raw; then cli "udsget static C (floor)" "$BIN/udsget-static" "$W/uds-raw/s"; cli "udsget dynamic C" "$BIN/udsget" "$W/uds-raw/s"; fi
  for x in swift-hello-dyn swift-hello-static-stdlib swift-hello-static-exe swift-foundation-dyn swift-foundation-static; do [ -x "$BIN/$x" ] && cli "$x (no I/O)" "$BIN/$x"; done
  if live statehub; then cli "statectl set" "${STATECTL:-$HERE/../../out/bin/statectl}" --socket "$W/statehub/s" set k1 42; cli "statectl get" "${STATECTL:-$HERE/../../out/bin/statectl}" --socket "$W/statehub/s" get k1; fi
  if live redis; then cli "redis-cli set" redis-cli -s "$W/redis/s" set k1 42; cli "redis-cli get" redis-cli -s "$W/redis/s" get k1; fi
  if live mosquitto; then cli "mosquitto_pub -r (set)" mosquitto_pub --unix "$W/mosquitto/s" -t k1 -r -m 42; cli "mosquitto_sub -C1 (get)" mosquitto_sub --unix "$W/mosquitto/s" -t k1 -C 1; fi
  for k in dbus-daemon dbus-broker; do live $k || continue; a=unix:path=$W/$k/s
    cli "busctl get-property @$k" busctl --address="$a" get-property hub.Svc /k1 hub.Store Value; cli "gdbus call Get @$k" gdbus call --address "$a" --dest hub.Svc --object-path /k1 --method org.freedesktop.DBus.Properties.Get hub.Store Value; cli "dbus-send Get @$k" dbus-send --bus="$a" --print-reply --dest=hub.Svc /k1 org.freedesktop.DBus.Properties.Get string:hub.Store string:Value; done
  [ $DC != 0 ] && { dcli "dconf read" dconf read /k1; dcli "dconf write" dconf write /k1 42; }
  if live etcd; then e=${ADDR[etcd]#tcp:}; (export ETCDCTL_API=3; cli "etcdctl put" etcdctl --endpoints=$e put k1 42; cli "etcdctl get" etcdctl --endpoints=$e get k1); fi
done
for k in "${!SVC[@]}"; do kill "${SVC[$k]}" 2>/dev/null; done; [ $DC != 0 ] && kill $DC 2>/dev/null
echo "# M5 done after $(( $(date +%s)-T0 )) s" >&2
for k in "${!PID[@]}"; do stop $k; done
# ---- M4 memory: fresh brokers; M6 cold start
for l in "${MEM[@]}"; do want $l || continue; start mem-$l $l $P1 $P2 || continue; DRV[mem-$l]=$D; timeout 60 "$H" m4 --driver "$D" --label $l --addr "${ADDR[mem-$l]}" --pid "${CPID[mem-$l]}" --n $M4N 2>>"$ERR" | sed 's/^/1,/' >>"$CSV"; stop mem-$l; done
echo "# M4 done after $(( $(date +%s)-T0 )) s" >&2
for l in "${COLD[@]}"; do want $l || continue; cmdline $l "$W/cold-$l" $P3 $P4; timeout 60 "$H" m6 --driver "$D" --label $l --addr "$A" --cfg cold --runs $COLDR -- "${CMD[@]}" 2>>"$ERR" | sed 's/^/1,/' >>"$CSV"; done
python3 "$HERE/report.py" "$CSV" | tee "$OUT/tables.md"
echo "# total $(( $(date +%s)-T0 )) s, load $(cut -d' ' -f1-3 /proc/loadavg), csv $CSV" >&2
[ -s "$ERR" ] && { echo "# stderr of the runs:" >&2; sort "$ERR" | uniq -c | head -20 >&2; }
exit 0
