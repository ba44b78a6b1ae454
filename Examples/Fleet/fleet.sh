# What the fleet is made of: processes in directories of their own, which end with the script. Sourced by `run`.

work=$(mktemp -d /tmp/statehub-fleet.XXXXXX)
# Addresses of the loopback network that no other fleet has: .1 to .3 are the members, .11 to .13 the machines' gateways.
net=127.$((128 + $$ % 100)).$(($$ / 100 % 250))
export ETCDCTL_API=3
failed=

finish() {
  for file in $(compgen -G "$work/*.pid"); do kill -CONT "$(cat "$file")" 2>/dev/null; kill -KILL "$(cat "$file")" 2>/dev/null; done
  wait 2>/dev/null
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

# program NAME FOLDER...: where it is, the newest of what was built, or in $PATH.
program() {
  local name=$1 found
  shift
  found=$(cd "$here/../.." && ls -td "${@/%//$name}" 2>/dev/null | head -n 1 | xargs -r realpath) || true
  [ -n "$found" ] || found=$(command -v "$name") || { echo "Examples/Fleet/run: there is no $name" >&2; exit 1; }
  echo "$found"
}
for name in etcd etcdctl; do program $name > /dev/null; done
statehub=$(program statehub out/bin .build/release .build/debug)
statectl=$(program statectl out/bin .build/release .build/debug)
bridge=${STATEHUB_BRIDGE:-$(program statehub-bridge Bridges/etcd/out/bin Bridges/etcd/.build/release Bridges/etcd/.build/debug)}

# launch NAME COMMAND...: starts a process of the fleet.
launch() {
  local name=$1
  shift
  "$@" > "$work/$name.log" 2>&1 &
  echo $! > "$work/$name.pid"
  disown
}
send() { kill "-$1" "$(cat "$work/$2.pid")"; }

members() { printf 'http://%s.1:2379,http://%s.2:2379,http://%s.3:2379' $net $net $net; }
start_member() {
  local address=$net.$1
  launch "member$1" etcd --name "member$1" --data-dir "$work/member$1" \
    --listen-client-urls "http://$address:2379" --advertise-client-urls "http://$address:2379" \
    --listen-peer-urls "http://$address:2380" --initial-advertise-peer-urls "http://$address:2380" \
    --initial-cluster "member1=http://$net.1:2380,member2=http://$net.2:2380,member3=http://$net.3:2380" \
    --initial-cluster-token "$net"
}
etcd_at() { etcdctl --endpoints "http://$net.$1:2379" "${@:2}"; }
leader() {
  local member
  for member in 1 2 3; do
    if etcd_at $member endpoint status 2>/dev/null | grep -q ', true,'; then echo $member; return; fi
  done
  return 1
}

# A machine has its own hub, its own bridge, and its own way to the cluster.
start_machine() {
  mkdir "$work/$1"
  launch "$1-gateway" etcd gateway start --listen-addr "$net.1${1#m}:2379" --endpoints "$net.1:2379,$net.2:2379,$net.3:2379"
  launch "$1-hub" "$statehub" --socket "$work/$1/hub.sock" --state-dir "$work/$1/state"
  launch "$1-bridge" "$bridge" etcd --endpoints "http://$net.1${1#m}:2379" --prefix /fleet/ --as net --name "$1" \
    --socket "$work/$1/hub.sock"
}
# at MACHINE statectl ...: there; `on` shows it as it would be typed.
at() { local machine=$1; shift 2; STATEHUB_SOCKET=$work/$machine/hub.sock "$statectl" "$@"; }
is_live() { at "$1" statectl claims --json | grep -q '"state":"live"'; }
is_stale() { at "$1" statectl claims --json | grep -q '"state":"suspended"'; }

# ---- what is shown

say() { printf '\n# %s\n' "$*"; }
# on MACHINE STATUS statectl ...: the command, what it says, and its status if that is not 0. Another one is a failure.
on() {
  local machine=$1 expected=$2 status=0
  shift 2
  printf '%s$ %s\n' "$machine" "$*"
  at "$machine" "$@" 2>&1 || status=$?
  [ $status = 0 ] || echo "[status $status]"
  [ $status = "$expected" ] || fail "the status should be $expected"
}
# await TEXT COMMAND...: waits for the command's success, up to 30 seconds.
await() {
  local text=$1 begin=$SECONDS
  shift
  until "$@" > "$work/last" 2>&1; do
    [ $((SECONDS - begin)) -lt 30 ] || { cat "$work/last" "$work"/*.log; fail "it was waited in vain: $text"; exit 1; }
    sleep 0.05
  done
  echo "($text)"
}
fail() { printf '*** %s\n' "$*"; failed=1; }
