// Tries from inside the service's sandbox what the hub has no business with, and writes to probe in the state directory
// what came of each attempt: a line with its name and an errno's name, or ok.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static FILE *out;

static void tell(const char *name, long result) {
  fprintf(out, "%s %s\n", name, result < 0 ? strerrorname_np(errno) : "ok");
}

static int create(const char *path) { return open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600); }

int main(void) {
  char path[512];
  const char *state = getenv("STATE_DIRECTORY");
  snprintf(path, sizeof path, "%s/probe", state ? state : "");
  out = fopen(path, "w");
  if (!out) return perror(path), 1;

  tell("internet", socket(AF_INET, SOCK_STREAM, 0));
  tell("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
  tell("unix", socket(AF_UNIX, SOCK_STREAM, 0));
  tell("write-usr", create("/usr/probe"));
  tell("write-etc", create("/etc/statehub/probe"));
  tell("write-var", create("/var/lib/probe"));
  tell("write-run", create("/run/lock/probe"));
  tell("write-shm", create("/dev/shm/probe"));
  tell("read-root", open("/root", O_RDONLY | O_DIRECTORY));
  tell("read-shadow", open("/etc/shadow", O_RDONLY));
  tell("memory", open("/dev/mem", O_RDONLY));
  tell("sysctl", open("/proc/sys/kernel/random/boot_id", O_RDONLY));
  tell("mount", mount("probe", "/tmp", "tmpfs", 0, NULL));
  tell("user-namespace", unshare(CLONE_NEWUSER));
  tell("become-root", setuid(0));
  tell("device", mknod("/tmp/probe", S_IFCHR | 0600, makedev(1, 1)));
  tell("executable-memory", (long)mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  tell("set-uid-file", fchmod(fileno(out), 04755));
  tell("signal-init", kill(1, 0));
  tell("trace", ptrace(PTRACE_ATTACH, 1, NULL, NULL));
  tell("foreign-groups", open("/proc/1/cgroup", O_RDONLY));
  tell("foreign-environment", open("/proc/1/environ", O_RDONLY));
  return fclose(out) != 0;
}
