// A daemon's messages to its service manager, as lines of sd_notify(3). It writes text and does not send.

/// One assignment of a notification. Several may share one datagram.
enum ServiceMessage: Equatable {
  /// Start or reload is complete.
  case ready
  /// One human-readable line, which `systemctl status` shows.
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
  /// Keep the descriptors of this datagram under this name, whatever their other ends do.
  case storeDescriptors(name: String)
  /// Close what is kept under this name.
  case removeDescriptors(name: String)
  /// The descriptor of this datagram is closed once everything before it was processed.
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

  /// It makes an earlier message pointless that was not sent yet: both tell the hub's state, its status, or that it lives.
  func replaces(_ other: ServiceMessage) -> Bool {
    switch (self, other) {
    case (.ready, .ready), (.ready, .reloading), (.stopping, _), (.status, .status), (.watchdog, .watchdog):
      true
    default: false
    }
  }

  /// One datagram with all of these messages.
  static func datagram(_ messages: [ServiceMessage]) -> String {
    messages.map(\.assignments).joined(separator: "\n")
  }

  /// A longer status is cut: the datagram must fit whole.
  static let longestStatus = 1000

  /// Joins a text's lines into one, and limits its length.
  private static func line(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: "; ")
    return line.count > longestStatus ? line.prefix(longestStatus - 3) + "..." : line
  }
}
