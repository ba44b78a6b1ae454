// Giving up rights for good: Landlock, filters of system calls, and the calls that no hub needs. Numbers are written out where
// the headers of older systems lack the names.
#pragma once
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// No program that this process executes gains rights by it, ever. Returns 0, or -1 with errno.
static inline int clinux_gain_no_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

/// Drops every capability of this thread, from the ambient and, as far as it may, from the bounding set. A thread that has none
/// makes no call that a filter might refuse. Returns 0, or -1 with errno.
static inline int clinux_drop_capabilities(void) {
  struct { uint32_t version; int pid; } header = {0x20080522 /* _LINUX_CAPABILITY_VERSION_3 */, 0};
  struct { uint32_t effective, permitted, inheritable; } sets[2] = {{0, 0, 0}, {0, 0, 0}};
  if (syscall(SYS_capget, &header, sets) == 0 && !(sets[0].permitted | sets[1].permitted | sets[0].inheritable | sets[1].inheritable)) {
    return 0;
  }
  prctl(47 /* PR_CAP_AMBIENT */, 4 /* PR_CAP_AMBIENT_CLEAR_ALL */, 0, 0, 0);
  for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
  for (int half = 0; half < 2; half++) sets[half].effective = sets[half].permitted = sets[half].inheritable = 0;
  return (int)syscall(SYS_capset, &header, sets);
}

/// Which version of Landlock the kernel has; -1 with errno: none that can be used.
static inline int clinux_landlock_version(void) { return (int)syscall(444, NULL, (size_t)0, 1u); }

/// A set of rules, closed on exec. What it handles and no rule allows will be forbidden. -1 with errno.
static inline int clinux_landlock_ruleset(uint64_t files, uint64_t network, uint64_t scopes) {
  struct { uint64_t files, network, scopes; } handled = {files, network, scopes};
  return (int)syscall(444, &handled, sizeof handled, 0u);
}

/// Allows what is beneath an open file or directory. Returns 0, or -1 with errno.
static inline int clinux_landlock_allow(int ruleset, uint64_t access, int file) {
  struct __attribute__((packed)) { uint64_t access; int32_t file; } beneath = {access, file};
  return (int)syscall(445, ruleset, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &beneath, 0u);
}

/// From now on this thread, and what it starts or executes, has no more than the rules allow. Returns 0, or -1 with errno.
static inline int clinux_landlock_enforce(int ruleset) { return (int)syscall(446, ruleset, 0u); }

/// Filters the system calls of this thread, and of what it starts or executes. Returns 0, or -1 with errno. Without its flag
/// some kernels would also slow down the processor's speculation.
static inline int clinux_filter_calls(const struct sock_filter *program, unsigned short length) {
  struct sock_fprog filter = {length, (struct sock_filter *)program};
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 4ul /* SECCOMP_FILTER_FLAG_SPEC_ALLOW */, &filter) == 0) return 0;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}

/// Makes any call, for tests. Returns what it returns, or -1 with errno.
static inline long clinux_call(long number, long a, long b, long c, long d, long e) {
  return syscall(number, a, b, c, d, e);
}

/// Makes a call seem not to exist, for tests of older kernels. Returns 0, or -1 with errno.
static inline int clinux_hide_call(uint32_t number) {
  struct sock_filter program[] = {
    {BPF_LD | BPF_W | BPF_ABS, 0, 0, 0}, {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, number},
    {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | 38 /* ENOSYS */}, {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  return clinux_filter_calls(program, sizeof program / sizeof *program);
}

#if defined(__x86_64__)
enum { clinux_architecture = AUDIT_ARCH_X86_64 & 0x7FFFFFFF };
#elif defined(__aarch64__)
enum { clinux_architecture = AUDIT_ARCH_AARCH64 & 0x7FFFFFFF };
#else
enum { clinux_architecture = 0 };
#endif

/// What the kernel calls this architecture in a filter; 0: no filter is written for it.
static inline uint32_t clinux_filter_architecture(void) {
  return clinux_architecture == 0 ? 0 : (uint32_t)clinux_architecture | 0x80000000u;
}

/// The calls whose parameters decide.
static inline uint32_t clinux_call_socket(void) { return SYS_socket; }
static inline uint32_t clinux_call_socketpair(void) { return SYS_socketpair; }
static inline uint32_t clinux_call_ioctl(void) { return SYS_ioctl; }
static inline uint32_t clinux_call_clone(void) { return SYS_clone; }
static inline uint32_t clinux_call_clone3(void) { return 435; }
static inline uint32_t clinux_call_personality(void) { return SYS_personality; }

/// A call that no hub needs, whatever its parameters.
struct clinux_forbidden_call {
  const char *name;
  uint32_t number;
};

#define CLINUX_CALL(name) {#name, SYS_##name}

/// - Returns: the one of this index, without a name behind the last.
static inline struct clinux_forbidden_call clinux_forbidden_call(size_t index) {
  static const struct clinux_forbidden_call calls[] = {
    // Looking into and steering other processes.
    CLINUX_CALL(ptrace), CLINUX_CALL(process_vm_readv), CLINUX_CALL(process_vm_writev), CLINUX_CALL(kcmp),
    {"pidfd_getfd", 438},
    // Mounts and namespaces.
    CLINUX_CALL(mount), CLINUX_CALL(umount2), CLINUX_CALL(pivot_root), CLINUX_CALL(chroot), CLINUX_CALL(unshare),
    CLINUX_CALL(setns), {"open_tree", 428}, {"move_mount", 429}, {"fsopen", 430}, {"fsconfig", 431}, {"fsmount", 432},
    {"fspick", 433}, {"mount_setattr", 442}, {"open_tree_attr", 467},
    // Large and young parts of the kernel.
    CLINUX_CALL(bpf), CLINUX_CALL(perf_event_open), CLINUX_CALL(userfaultfd), {"io_uring_setup", 425},
    {"io_uring_enter", 426}, {"io_uring_register", 427}, CLINUX_CALL(fanotify_init), CLINUX_CALL(fanotify_mark),
    CLINUX_CALL(lookup_dcookie), CLINUX_CALL(nfsservctl), CLINUX_CALL(open_by_handle_at),
    // Keys.
    CLINUX_CALL(keyctl), CLINUX_CALL(add_key), CLINUX_CALL(request_key),
    // The machine: its kernel, clocks, name, swap, quotas and log.
    CLINUX_CALL(init_module), CLINUX_CALL(finit_module), CLINUX_CALL(delete_module), CLINUX_CALL(kexec_load),
    CLINUX_CALL(kexec_file_load), CLINUX_CALL(reboot), CLINUX_CALL(settimeofday), CLINUX_CALL(clock_settime),
    CLINUX_CALL(clock_adjtime), CLINUX_CALL(adjtimex), CLINUX_CALL(sethostname), CLINUX_CALL(setdomainname),
    CLINUX_CALL(swapon), CLINUX_CALL(swapoff), CLINUX_CALL(acct), CLINUX_CALL(quotactl), {"quotactl_fd", 443},
    CLINUX_CALL(syslog),
    // Being somebody else.
    CLINUX_CALL(setuid), CLINUX_CALL(setgid), CLINUX_CALL(setreuid), CLINUX_CALL(setregid), CLINUX_CALL(setresuid),
    CLINUX_CALL(setresgid), CLINUX_CALL(setgroups), CLINUX_CALL(setfsuid), CLINUX_CALL(setfsgid), CLINUX_CALL(capset),
    // Device files.
    CLINUX_CALL(mknodat),
#if defined(__x86_64__)
    CLINUX_CALL(mknod), CLINUX_CALL(iopl), CLINUX_CALL(ioperm), CLINUX_CALL(modify_ldt), CLINUX_CALL(uselib),
    CLINUX_CALL(create_module), CLINUX_CALL(ustat), CLINUX_CALL(sysfs), CLINUX_CALL(_sysctl),
#endif
  };
  if (index < sizeof calls / sizeof *calls) return calls[index];
  return (struct clinux_forbidden_call){NULL, 0};
}
