// What a confined process can no longer do, seen by trying it: a helper process confines itself and tries.

import CLinux
import Glibc
import HubSystem
import TestSupport
import Testing

@Suite("Confinement", .blocking)
struct ConfinementTests {
  /// Runs the helper.
  ///
  /// - Returns: the errno of each attempt; 0: it succeeded.
  private func attempts(_ words: String...) throws -> [String: Int32] {
    let directory = try TemporaryDirectory()
    let worker = try ChildProcess(ChildProcess.built("ConfinedWorker"), words, directory: directory)
    guard try worker.wait() == .status(0) else { throw TestFailure(worker.standardError) }
    var attempts: [String: Int32] = [:]
    for line in worker.standardOutput.split(separator: "\n") {
      let words = line.split(separator: " ")
      attempts[String(words[0])] = Int32(words[1])
    }
    return attempts
  }

  /// What fails for want of rights even without a filter, if the tests are not run by root.
  private static let needsRoot: Set<String> = [
    "chroot", "mount", "umount2", "pivot_root", "swapon", "swapoff", "reboot", "sethostname", "setdomainname",
    "iopl", "ioperm", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "acct",
    "settimeofday", "clock_settime", "syslog", "setgroups", "quotactl", "mknod", "mknodat", "setns",
    "unshare",
    "open_by_handle_at", "fanotify_init", "open_tree", "move_mount", "fsopen", "fsmount", "fspick",
    "mount_setattr", "bpf", "perf_event_open", "clock_adjtime", "adjtimex", "lookup_dcookie", "quotactl_fd",
    "open_tree_attr", "io_uring_setup", "userfaultfd", "setresuid",
  ]

  @Test(
    "every call that no hub needs is refused with EPERM, and without the filter none of them is, for root")
  func calls() throws {
    let open = try attempts("calls", "open")
    let confined = try attempts("calls", "confined")
    let promised = [
      "ptrace", "process_vm_readv", "mount", "unshare", "setns", "bpf", "io_uring_setup", "userfaultfd",
      "perf_event_open", "keyctl", "add_key", "init_module", "finit_module", "kexec_load", "clock_settime",
      "sethostname", "setuid", "setresuid", "mknodat", "open_by_handle_at",
    ]
    #expect(Set(promised).isSubset(of: SystemCallFilter.forbidden.map(\.name)), "docs/security.md names them")
    for (name, _) in SystemCallFilter.forbidden {
      #expect(confined[name] == EPERM, "\(name)")
      if geteuid() == 0 || !Self.needsRoot.contains(name) { #expect(open[name] != EPERM, "\(name)") }
    }
  }

  @Test("sockets are Unix sockets, processes share their namespaces, terminals are not typed into")
  func parameters() throws {
    let open = try attempts("calls", "open")
    let confined = try attempts("calls", "confined")
    let expected: [String: (open: Int32, confined: Int32)] = [
      "socket-unix": (0, 0), "socket-internet": (0, EAFNOSUPPORT), "socket-netlink": (0, EAFNOSUPPORT),
      "clone-user": (EINVAL, EPERM), "clone-net": (EINVAL, EPERM), "clone-mount": (EINVAL, EPERM),
      "clone3": (EINVAL, ENOSYS), "ioctl-sti": (EBADF, EPERM), "ioctl-linux": (EBADF, EPERM),
      "ioctl-size": (EBADF, EBADF), "personality-change": (0, EPERM), "personality-query": (0, 0),
    ]
    for (name, codes) in expected {
      #expect(open[name] == codes.open, "\(name), open")
      #expect(confined[name] == codes.confined, "\(name), confined")
    }
    #expect(confined["socket-vsock"] == EAFNOSUPPORT)
    #if arch(x86_64)
      #expect(confined["foreign"] == EPERM)
    #endif
  }

  @Test("threads that are started later, and programs that are executed later, are confined as well")
  func inheritance() throws {
    let attempts = try attempts("thread")
    #expect(attempts["thread"] == EAFNOSUPPORT)
    #expect(attempts["ptrace"] == EPERM)
    #expect(attempts["bpf"] == EPERM)
  }

  /// Takes datagrams at an abstract name.
  private func abstractSocket(_ name: String) throws -> Int32 {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let length = MemoryLayout<sa_family_t>.size + 1 + name.utf8.count
    withUnsafeMutableBytes(of: &address.sun_path) { room in
      UnsafeMutableRawBufferPointer(rebasing: room[1...]).copyBytes(from: Array(name.utf8))
    }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, socklen_t(length)) }
    }
    if result != 0 { throw TestFailure("bind: \(errno)") }
    return socket
  }

  @Test("files are read, written and made where a rule says so, and nowhere else, even by root")
  func files() throws {
    guard (try? Landlock(reachesAbstractSockets: true)) != nil else { return }
    let directory = try TemporaryDirectory()
    for place in ["own", "read", "other"] {
      mkdir(directory.file(place), 0o700)
      try directory.write("text", to: "\(place)/file")
    }
    let abstract = try abstractSocket(directory.path)
    defer { close(abstract) }
    let found = try attempts("files", directory.path)
    func codes(_ place: String) -> [Int32?] {
      ["read", "list", "write", "create", "rename", "truncate", "remove", "directory", "link"]
        .map { found["\(place)-\($0)"] }
    }
    #expect(codes("own") == [0, 0, 0, 0, 0, 0, 0, EACCES, EACCES])
    #expect(codes("read") == [0, 0, EACCES, EACCES, EACCES, ENOENT, ENOENT, EACCES, EACCES])
    #expect(codes("other") == [EACCES, EACCES, EACCES, EACCES, EACCES, ENOENT, ENOENT, EACCES, EACCES])
    let reaching = try attempts("files", directory.path, "reaching")
    #expect(reaching["abstract-socket"] == 0)
    if clinux_landlock_version() >= 6 {
      #expect(found["signal-parent"] == EPERM)
      #expect(found["abstract-socket"] == EPERM)
    }
  }
}
