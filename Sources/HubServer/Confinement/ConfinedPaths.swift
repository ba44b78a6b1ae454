// What a hub needs from the file system once it serves: paths with the access that each needs. It looks up files and
// changes none.

import HubSystem

/// A directory with all that is beneath it, or a file.
struct ConfinedPath: Equatable {
  let path: String
  let access: Landlock.Access

  init(_ path: String, _ access: Landlock.Access) {
    self.path = path
    self.access = access
  }
}

struct ConfinedPaths {
  /// The home directory of the hub's user; nil: unknown.
  let home: String?

  /// What every hub needs, besides its own files.
  private static let common: [ConfinedPath] = [
    // Programs with their libraries and interpreters, for the program that a reload tries and executes; the modules of the
    // name service.
    ConfinedPath("/usr", [.read, .execute]), ConfinedPath("/bin", [.read, .execute]),
    ConfinedPath("/sbin", [.read, .execute]), ConfinedPath("/lib", [.read, .execute]),
    ConfinedPath("/lib32", [.read, .execute]), ConfinedPath("/lib64", [.read, .execute]),
    ConfinedPath("/nix/store", [.read, .execute]), ConfinedPath("/gnu/store", [.read, .execute]),
    // Configurations, including those of the name service and the loader.
    ConfinedPath("/etc", .read),
    // What name services keep: SSSD, nss_extrausers, nscd, nss_db, systemd's user records. Sockets need no rule.
    ConfinedPath("/var/lib/sss", .read), ConfinedPath("/var/lib/extrausers", .read),
    ConfinedPath("/var/cache/nscd", .read), ConfinedPath("/var/db", .read), ConfinedPath("/var/yp", .read),
    ConfinedPath("/run/systemd/userdb", .read), ConfinedPath("/run/userdb", .read),
    ConfinedPath("/run/host/userdb", .read),
    // The C library looks there for the amount of memory and processors. Landlock itself keeps other processes' memory and environment away.
    ConfinedPath("/proc", .read), ConfinedPath("/sys/devices/system/cpu", .read),
    // How much memory the hub may use.
    ConfinedPath("/sys/fs/cgroup", .read),
    ConfinedPath("/dev/null", [.readFiles, .writeFiles]),
  ]

  /// - Parameters:
  ///   - sockets: the paths of sockets that the hub has bound itself.
  ///   - note: the path of the note of the journal's end, which a hub after it in this process reads.
  ///   - configurations: the paths of its configuration, none of which need exist.
  ///   - program: the path of its program.
  ///   - libraries: the files that this process has mapped.
  func all(
    sockets: [String], stateDirectory: String?, note: String? = nil, configurations: [String],
    program: String?, libraries: [String]
  ) -> [ConfinedPath] {
    var paths = ConfinedPaths.common
    if let stateDirectory {
      paths.append(
        ConfinedPath(stateDirectory, [.read, .writeFiles, .makeFiles, .removeFiles, .truncate]))
    }
    if let note { paths.append(ConfinedPath(note, [.readFiles, .writeFiles])) }
    for socket in sockets { paths += places(ofSocket: socket) }
    for configuration in configurations {
      // It may be a link, and may be replaced by another file of the same name.
      for path in [configuration, File.resolved(configuration)] {
        if let path { paths.append(ConfinedPath(place(of: path), .readFiles)) }
      }
    }
    for file in Set([program, program.flatMap(File.resolved)].compactMap(\.self) + libraries).sorted() {
      paths.append(ConfinedPath(place(of: file), [.read, .execute]))
    }
    return paths
  }

  /// The nearest directory above a path that exists, or the path itself if that directory is not the hub's to open.
  private func place(of path: String) -> String {
    var directory = ConfinedPaths.parent(of: path)
    while (try? FileStatus(at: directory))?.kind != .directory, directory != "/", directory != "." {
      directory = ConfinedPaths.parent(of: directory)
    }
    return isShared(directory) ? path : directory
  }

  /// A socket's directory: sockets may be added there and removed. In a directory that is not the hub's own it may only
  /// remove its socket at the end. If the directory is removed, the hub can make it again with its socket, in a directory of
  /// its user's that is not a home.
  private func places(ofSocket path: String) -> [ConfinedPath] {
    let directory = ConfinedPaths.parent(of: path)
    guard !isShared(directory), isOwn(directory) else { return [ConfinedPath(directory, .removeFiles)] }
    let place = ConfinedPath(directory, [.read, .writeFiles, .makeFiles, .makeSockets, .removeFiles])
    let parent = ConfinedPaths.parent(of: directory)
    guard parent != "/", !isHome(parent), isOwn(parent) else { return [place] }
    return [place, ConfinedPath(parent, [.makeDirectories, .makeSockets])]
  }

  /// It belongs to the hub's user, and no one else may write to it.
  private func isOwn(_ directory: String) -> Bool {
    guard let status = try? FileStatus(at: directory) else { return false }
    return status.owner == CurrentProcess.effectiveUser && status.permissions & 0o022 == 0
  }

  private func isHome(_ directory: String) -> Bool {
    (File.resolved(directory) ?? directory) == home.flatMap(File.resolved)
  }

  /// Files in a home directory, or directly below the root, are open to all users.
  private func isShared(_ directory: String) -> Bool {
    let path = File.resolved(directory) ?? directory
    return isHome(directory) || path.utf8.count { $0 == UInt8(ascii: "/") } < 2
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
