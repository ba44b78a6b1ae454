// A service manager's environment for a daemon, parsed. It does not use descriptors.

/// The protocol of sd_notify(3), sd_listen_fds(3) and sd_watchdog_enabled(3), as far as the environment carries it.
struct ServiceEnvironment: Equatable {
  /// A descriptor that the service manager has opened for this process.
  struct PassedDescriptor: Equatable {
    let number: Int32
    /// `FileDescriptorName=` of a socket, or the name that it was stored under.
    let name: String

    /// It is the hub's own socket, and none of those that the configuration names: it has the name of the hub's units, that of
    /// a unit as systemd gives it by default, or none.
    var isHubsOwn: Bool { ["statehub", "unknown"].contains(name) || name.hasSuffix(".socket") }
  }

  /// Where notifications go: a path, or an abstract name after `@`.
  var notifySocket: String?
  /// The service manager ends this process after this long without a message, in nanoseconds.
  var watchdog: UInt64?
  /// The service manager keeps descriptors for the next process.
  var storesDescriptors = false
  /// The passed descriptors in the order of their numbers, which start at 3 without gaps.
  var passed: [PassedDescriptor] = []

  /// The variables that are for this process alone, until it has taken the descriptors.
  static let listenVariables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"]
  /// The number of the first passed descriptor.
  static let firstDescriptor: Int32 = 3
  /// No service manager means to pass more descriptors than this.
  private static let mostDescriptors: Int32 = 4096

  init() {}

  /// - Parameters:
  ///   - pid: this process: variables that name another are not for it.
  ///   - variable: a variable's value; an empty one counts as unset.
  /// - Throws: `ServerError.environment` for a variable that cannot be understood: what it asks for is not left undone silently.
  init(pid: Int32, variable: (String) -> String?) throws(ServerError) {
    func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    func number<Number: FixedWidthInteger>(
      _ name: String, in range: ClosedRange<Number>, _ what: String
    ) throws(ServerError) -> Number? {
      guard let text = value(name) else { return nil }
      guard let number = Number(text), range.contains(number) else {
        throw .environment(variable: name, value: text, reason: "expected \(what)")
      }
      return number
    }

    notifySocket = value("NOTIFY_SOCKET")
    if let socket = notifySocket, socket.utf8.count < 2 || socket.first != "/" && socket.first != "@" {
      throw .environment(
        variable: "NOTIFY_SOCKET", value: socket,
        reason: "expected an absolute path, or an abstract name after @")
    }
    let watched = try number("WATCHDOG_PID", in: 1...Int32.max, "a process")
    let microseconds = try number("WATCHDOG_USEC", in: 0...UInt64.max, "microseconds") ?? 0
    if microseconds > 0, watched ?? pid == pid {
      watchdog = microseconds.multipliedReportingOverflow(by: 1000).overflow ? .max : microseconds * 1000
    }
    let stored = try number("FDSTORE", in: 0...Int.max, "a number of descriptors") ?? 0
    storesDescriptors = notifySocket != nil && stored > 0
    let receiver = try number("LISTEN_PID", in: 1...Int32.max, "a process")
    if receiver == pid { passed = try ServiceEnvironment.passed(value("LISTEN_FDNAMES"), number) }
  }

  private static func passed(
    _ names: String?,
    _ number: (String, ClosedRange<Int32>, String) throws(ServerError) -> Int32?
  ) throws(ServerError) -> [PassedDescriptor] {
    let what = "a number of descriptors, at most \(mostDescriptors)"
    let count = try number("LISTEN_FDS", 0...mostDescriptors, what) ?? 0
    let list = names?.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    // A socket without its name would be served without its limits.
    if let list, list.count != count {
      throw .environment(
        variable: "LISTEN_FDNAMES", value: names ?? "",
        reason: "expected a name for each of the \(count) descriptors of LISTEN_FDS, separated by colons")
    }
    return (0..<count).map { index in
      let name = list?[Int(index)] ?? ""
      return PassedDescriptor(number: firstDescriptor + index, name: name.isEmpty ? "unknown" : name)
    }
  }
}
