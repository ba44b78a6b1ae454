// What the bridge asks the system for: its arguments, its machine's name, files, and the service manager's socket.

internal import FoundationEssentials
internal import Glibc

extension Options {
  static var hostname: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "unnamed" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The program's arguments, without its name. The kernel's copy is read, because Swift's is lost if a preloaded library
  /// calls setenv before `main`.
  package static var arguments: [String] {
    let bytes = (try? Data(contentsOf: URL(filePath: "/proc/self/cmdline"))) ?? Data()
    guard bytes.last == 0 else { return Array(CommandLine.arguments.dropFirst()) }
    return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).dropFirst().map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// The first line of a file.
  static func line(of path: String) throws -> String {
    let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
  }
}

/// sd_notify(3): reports the state to the service manager, if there is one.
package struct ServiceManager: Sendable {
  private let address: String?
  /// How often it expects a sign of life; nil: never.
  package let watchdog: Duration?

  package init() {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    address = variable("NOTIFY_SOCKET").flatMap { $0.utf8.count > 1 ? $0 : nil }
    let isOwn = variable("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    watchdog = isOwn ? variable("WATCHDOG_USEC").flatMap { Int($0) }.map { .microseconds($0 / 3) } : nil
  }

  package func tell(_ message: String) {
    guard let address else { return }
    var name = sockaddr_un()
    var bytes = Array(address.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: name.sun_path) else { return }
    name.sun_family = sa_family_t(AF_UNIX)
    // An abstract name begins with a zero byte.
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let text = Array(message.utf8)
    _ = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, text, text.count, CInt(MSG_NOSIGNAL), $0, length)
      }
    }
  }
}
