// What a daemon tells its service manager, as the lines of sd_notify(3). It writes text and sends nothing.

/// One assignment of a notification. Several may share one datagram.
enum ServiceMessage: Equatable {
  /// Start or reload is complete.
  case ready
  /// One line for people, which `systemctl status` shows.
  case status(String)
  /// A reload has begun, at this time of CLOCK_MONOTONIC.
  case reloading(microseconds: UInt64)
  case stopping
  /// Why the daemon fails.
  case errno(Int32)
  /// Starting or stopping takes this much longer, counted from now.
  case extendTimeout(microseconds: UInt64)
  /// The daemon is alive.
  case watchdog
  /// The descriptors of this datagram are to be kept under this name, whatever their other ends do.
  case storeDescriptors(name: String)
  /// What is kept under this name is to be closed.
  case removeDescriptors(name: String)
  /// The descriptor of this datagram is closed when everything before it has been taken in.
  case barrier

  private var assignments: String {
    switch self {
    case .ready: "READY=1"
    case .status(let text): "STATUS=" + ServiceMessage.line(text)
    case .reloading(let microseconds): "RELOADING=1\nMONOTONIC_USEC=\(microseconds)"
    case .stopping: "STOPPING=1"
    case .errno(let code): "ERRNO=\(code)"
    case .extendTimeout(let microseconds): "EXTEND_TIMEOUT_USEC=\(microseconds)"
    case .watchdog: "WATCHDOG=1"
    case .storeDescriptors(let name): "FDSTORE=1\nFDNAME=\(name)\nFDPOLL=0"
    case .removeDescriptors(let name): "FDSTOREREMOVE=1\nFDNAME=\(name)"
    case .barrier: "BARRIER=1"
    }
  }

  /// The datagram that says all of them.
  static func datagram(_ messages: [ServiceMessage]) -> String {
    messages.map(\.assignments).joined(separator: "\n")
  }

  /// A status longer than this is cut: the datagram has to be taken in one piece.
  static let longestStatus = 1000

  /// A text of several lines in one, and not too long.
  private static func line(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: "; ")
    return line.count > longestStatus ? line.prefix(longestStatus - 3) + "..." : line
  }
}
