// The identity of the machine's current boot: from the environment if it is given there, otherwise from the kernel.

import HubCore
import HubEngine
import HubSystem

extension BootID {
  /// The machine's current boot.
  static var current: BootID { current { Environment[$0] } }

  /// `$STATEHUB_BOOT_ID` (a sandbox may hide /proc), otherwise the kernel's; unknown if neither can be read.
  static func current(_ environment: (String) -> String?) -> BootID {
    if let named = environment("STATEHUB_BOOT_ID"), !named.isEmpty { return BootID(named) ?? .unknown }
    let bytes = try? File.contents(of: "/proc/sys/kernel/random/boot_id", limit: 64)
    return BootID(String(decoding: bytes ?? [], as: UTF8.self)) ?? .unknown
  }
}
