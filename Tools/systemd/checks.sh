# What the cases are made of: checks that say what they found, conditions that are waited for, and the hub's own words.
# Sourced by `run`, which has booted the sandbox.

checks=0 failures=0
elapsed() { echo $((($(date +%s%N) - begin) / 1000000)); }

# check TEXT COMMAND...: the command must succeed; if it fails its output is shown.
check() {
  local text=$1
  shift
  checks=$((checks + 1))
  if "$@" > "$work/output" 2>&1; then
    printf 'ok   %6d ms  %s\n' "$(elapsed)" "$text"
  else
    failures=$((failures + 1))
    printf 'FAIL %6d ms  %s\n' "$(elapsed)" "$text"
    sed 's/^/     | /' "$work/output"
  fi
}

# checked TEXT COMMAND...: as check, and the output is shown in any case: it holds figures.
checked() {
  local before=$failures
  check "$@"
  [ $failures -gt $before ] || sed 's/^/                | /' "$work/output"
}

is() { [ "$1" = "$2" ] || { printf 'expected: %s\nfound:    %s\n' "$2" "$1"; return 1; }; }
like() { [[ $1 =~ $2 ]] || { printf 'expected: %s\nfound:    %s\n' "$2" "$1"; return 1; }; }
not() { ! "$@"; }
silent() { local text; text=$("$@" 2>&1) && [ -z "$text" ] || { echo "$text"; return 1; }; }
fails_with() { local status=0; "${@:2}" || status=$?; is "$status" "$1"; }

# Waits for a condition, up to 30 seconds.
eventually() {
  local i
  for ((i = 0; i < 300; i++)); do "$@" > "$work/last" 2>&1 && return; sleep 0.1; done
  cat "$work/last"
  return 1
}

property() { inside systemctl show -P "$2" "$1"; }
state() { echo "$(property "$1" ActiveState)/$(property "$1" SubState)"; }
main_pid() { property statehub.service MainPID; }
status_text() { property statehub.service StatusText; }
journal() { inside journalctl --sync; inside journalctl --no-pager -u statehub.service -o cat "$@"; }
journal_has() { local text; text=$(journal); [[ $text =~ $1 ]] || { echo "$text" | tail -n 20; return 1; }; }
statectl() { inside statectl --system "$@"; }
as() { local user=$1; shift; inside setpriv --reuid "$user" --regid "$user" --init-groups "$@"; }

# A drop-in for the service, from standard input.
drop_in() {
  inside mkdir -p /run/systemd/system/statehub.service.d
  inside sh -c "cat > /run/systemd/system/statehub.service.d/$1.conf"
  inside systemctl daemon-reload
}
remove_drop_in() {
  inside rm -f "/run/systemd/system/statehub.service.d/$1.conf"
  inside systemctl daemon-reload
}

# The service as at the first connection: stopped, no drop-in, no configuration, no values, the socket listening.
fresh() {
  inside rm -rf /run/systemd/system/statehub.service.d
  inside systemctl daemon-reload
  inside systemctl stop statehub.socket statehub.service
  inside systemctl reset-failed
  inside rm -rf /var/lib/statehub /etc/statehub/statehub.json5
  inside systemctl start statehub.socket
}
