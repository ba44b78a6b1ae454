# A machine to test on: the system's own systemd as PID 1 of new namespaces, on a throw-away overlay of the root
# directory. Boots in under a second and leaves nothing. Sourced by `run`; run by itself it is the inner half, which
# becomes PID 1.
#
# What is seen in there: the programs of this machine, an empty /run, /tmp, /root and /home, a journal in memory, no
# network but lo, no other unit than journald. The kernel and its settings are the machine's own: /proc/sys is read-only.

# ---- the inner half: prepares the root directory, and becomes systemd

sandbox_become_pid_1() {
  set -e
  local root=$1/root d unit
  [ $$ = 1 ] || { echo "the inner half is not PID 1" >&2; exit 1; }
  mount --make-rprivate /
  # The overlay's changes must be on a tmpfs: they go with it.
  mount -t tmpfs -o mode=755 sandbox "$1/layers"
  mkdir "$1"/layers/{upper,work}
  mount -t overlay -o "lowerdir=/,upperdir=$1/layers/upper,workdir=$1/layers/work" sandbox "$root"
  cd "$root"
  mkdir -p proc sys dev run tmp
  mount -t proc -o nosuid,nodev,noexec proc proc
  mount --bind proc/sys proc/sys
  mount -o remount,bind,ro proc/sys
  mount -t sysfs -o ro,nosuid,nodev,noexec sysfs sys
  mount -t cgroup2 cgroup2 sys/fs/cgroup
  mount -t tmpfs -o mode=755,nosuid sandbox dev
  cp -a /dev/{null,zero,full,random,urandom,tty} dev/
  mkdir dev/pts dev/shm
  ln -s /proc/self/fd dev/fd
  ln -s pts/ptmx dev/ptmx
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
  for d in dev/shm tmp; do mount -t tmpfs -o mode=1777 sandbox $d; done
  mount -t tmpfs -o mode=755 sandbox run
  for d in root home; do mkdir -p $d; mount -t tmpfs -o mode=755 sandbox $d; done

  # No unit of this machine but journald, whose journal stays in memory.
  rm -rf etc/systemd/{system,user} etc/systemd/{system,journald}.conf.d
  for d in {usr/,}lib/systemd/system; do
    for unit in sysinit basic multi-user timers local-fs sockets; do rm -rf $d/$unit.target.wants; done
  done
  mkdir -p etc/systemd/system/sysinit.target.wants etc/systemd/journald.conf.d
  ln -s /lib/systemd/system/systemd-journald.service etc/systemd/system/sysinit.target.wants/
  printf '[Journal]\nStorage=volatile\nAudit=no\nReadKMsg=no\nRateLimitBurst=0\nForwardToConsole=no\n' \
    > etc/systemd/journald.conf.d/sandbox.conf
  for unit in systemd-journal-flush.service systemd-journald-audit.socket systemd-udevd.service \
    systemd-update-utmp.service systemd-update-utmp-runlevel.service; do
    ln -s /dev/null etc/systemd/system/$unit
  done
  # Images of containers forbid packages to start services; here they may.
  rm -f usr/sbin/policy-rc.d
  # A hub that ran on this machine may have left these.
  rm -rf etc/statehub var/lib/statehub
  : > etc/fstab
  rm -f etc/machine-id
  tr -d - < /proc/sys/kernel/random/uuid > etc/machine-id
  echo sandbox > etc/hostname
  cp -r --no-preserve=ownership "$1"/payload/. .

  mkdir -p run/old
  pivot_root . run/old
  umount -l /run/old
  rmdir /run/old
  mount --make-rshared /
  # `container` keeps systemd from what only a machine's first process does.
  exec env -i container=sandbox PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    setpriv --bounding-set=-sys_time,-sys_module,-sys_rawio,-sys_boot,-syslog,-wake_alarm,-audit_control,-audit_read \
    /lib/systemd/systemd --system --unit=basic.target --log-level=info --log-target=journal --show-status=0 \
    </dev/null >/dev/null 2>&1
}

# ---- the outer half

# Boots; afterwards `inside COMMAND...` runs a command in there. What lies in $work/payload lies in its root directory.
sandbox_boot() {
  local i
  mkdir -p "$work"/{root,layers,payload,cgroup}
  # A mount of our own: how this machine has arranged its control groups does not matter then.
  mount -t cgroup2 cgroup2 "$work/cgroup"
  group=$work/cgroup/statehub-test.$$
  mkdir "$group"
  (
    echo "$BASHPID" > "$group/cgroup.procs"
    exec setpriv --pdeathsig KILL unshare --mount --pid --cgroup --net --ipc --uts --fork --kill-child \
      --propagation private bash "${BASH_SOURCE[0]}" "$work" 2> "$work/boot.log"
  ) &
  outer=$!
  for ((i = 0; i < 600; i++)); do
    [ -n "${pid1-}" ] || read -r pid1 < "/proc/$outer/task/$outer/children" || true
    # The first child of the subshell is unshare itself only after exec: PID 1 is the one with that number inside.
    if [ -n "${pid1-}" ] && ! grep -qE '^NSpid:.*\s1$' "/proc/$pid1/status" 2>/dev/null; then pid1=; fi
    if [ -n "${pid1-}" ] && inside systemctl is-active -q basic.target 2>/dev/null; then return; fi
    kill -0 $outer 2>/dev/null || break
    sleep 0.1
  done
  echo 'systemd did not come up in the sandbox:' >&2
  cat "$work/boot.log" >&2
  return 1
}

inside() {
  nsenter -t "$pid1" -a -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 SYSTEMD_PAGER= SYSTEMD_COLORS=0 \
    DEBIAN_FRONTEND=noninteractive "$@"
}

# Ends everything that was started in the sandbox, and removes it. May be called twice, and after half a boot.
sandbox_remove() {
  local i
  # The end of its PID 1 is the end of all processes of the namespace.
  if [ -n "${pid1-}" ]; then kill -KILL "$pid1" 2>/dev/null || true; fi
  if [ -n "${outer-}" ]; then
    for ((i = 0; i < 50; i++)); do kill -0 "$outer" 2>/dev/null || break; sleep 0.1; done
    kill -KILL "$outer" 2>/dev/null || true
    wait "$outer" 2>/dev/null || true
  fi
  for ((i = 0; i < 50; i++)); do
    [ -d "${group-/nowhere}" ] || break
    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
  done
  if mountpoint -q "$work/cgroup"; then umount "$work/cgroup"; fi
  rm -rf --one-file-system "$work"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then sandbox_become_pid_1 "$1"; fi
