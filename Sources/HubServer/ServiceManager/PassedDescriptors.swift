// The passed descriptors themselves: takes out the stored ones, and passes the sockets on to the next program.

import HubSystem

extension ServiceEnvironment {
  /// Takes out what was stored under a name. The others are renumbered to close the gaps.
  ///
  /// - Returns: the stored descriptors, closed on exec, under other numbers.
  mutating func takeStored(_ name: String) -> [Int32] {
    guard passed.contains(where: { $0.name == name }) else { return [] }
    let end = ServiceEnvironment.firstDescriptor + Int32(passed.count)
    var stored: [Int32] = []
    for entry in passed where entry.name == name {
      if let copy = try? Descriptor.duplicate(entry.number, from: end) { stored.append(copy.release()) }
      Descriptor.close(entry.number)
    }
    var next = ServiceEnvironment.firstDescriptor
    var sockets: [PassedDescriptor] = []
    for entry in passed where entry.name != name {
      if entry.number != next { Descriptor.move(entry.number, to: next) }
      sockets.append(PassedDescriptor(number: next, name: entry.name))
      next += 1
    }
    passed = sockets
    return stored
  }

  /// Puts the sockets into the environment again, for the program executed next in this process.
  static func export(_ passed: [PassedDescriptor]) {
    for variable in listenVariables { Environment[variable] = nil }
    if passed.isEmpty { return }
    Environment["LISTEN_PID"] = "\(CurrentProcess.pid)"
    Environment["LISTEN_FDS"] = "\(passed.count)"
    Environment["LISTEN_FDNAMES"] = passed.map(\.name).joined(separator: ":")
  }
}
