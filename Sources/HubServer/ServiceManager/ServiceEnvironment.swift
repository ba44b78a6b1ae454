// What a service manager tells a daemon through its environment, parsed. It reads words and touches no descriptor.

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
  init(pid: Int32, variable: (String) -> String?) {
    func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }

    if let socket = value("NOTIFY_SOCKET"), socket.utf8.count > 1, socket.first == "/" || socket.first == "@"
    {
      notifySocket = socket
    }
    if let microseconds = value("WATCHDOG_USEC").flatMap({ UInt64($0) }), microseconds > 0,
      value("WATCHDOG_PID").map({ Int32($0) == pid }) ?? true
    {
      watchdog = microseconds.multipliedReportingOverflow(by: 1000).overflow ? .max : microseconds * 1000
    }
    storesDescriptors = notifySocket != nil && (value("FDSTORE").flatMap { Int($0) } ?? 0) > 0
    if let count = value("LISTEN_FDS").flatMap({ Int32($0) }), (1...Self.mostDescriptors).contains(count),
      value("LISTEN_PID").flatMap({ Int32($0) }) == pid
    {
      let names = (value("LISTEN_FDNAMES") ?? "")
        .split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      passed = (0..<count).map { index in
        let name = index < names.count && !names[Int(index)].isEmpty ? names[Int(index)] : "unknown"
        return PassedDescriptor(number: Self.firstDescriptor + index, name: name)
      }
    }
  }
}
