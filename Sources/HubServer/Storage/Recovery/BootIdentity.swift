// The identity of the machine's present boot: from the environment if it is given there, otherwise from the kernel.

import Glibc
import HubCore

extension BootID {
  /// The machine's present boot.
  static var current: BootID { current { name in getenv(name).map { String(cString: $0) } } }

  /// `$STATEHUB_BOOT_ID` (a sandbox may hide /proc), otherwise the kernel's; unknown if neither can be read.
  static func current(_ environment: (String) -> String?) -> BootID {
    if let named = environment("STATEHUB_BOOT_ID"), !named.isEmpty { return BootID(named) ?? .unknown }
    let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return .unknown }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(file, &bytes, bytes.count)
    return BootID(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)) ?? .unknown
  }
}
