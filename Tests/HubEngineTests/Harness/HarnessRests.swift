// What the harness's connections have not taken of long frames, which the engine holds for them, and a reload, which leaves
// them there.

import HubCore
import HubEngine

extension EngineHarness {
  /// What was held of a long frame goes first.
  mutating func flushRest(_ raw: Int32) {
    guard let rest = clients[raw]!.rest else { return }
    let count = min(rest.count, clients[raw]!.room)
    let taken = engine.bytes(of: rest).slice(0, count).array
    clients[raw]!.rest!.dropFirst(count)
    if count == rest.count { clients[raw]!.rest = nil }
    if clients[raw]!.room != .max { clients[raw]!.room -= count }
    clients[raw]!.read(taken, ledger, engine.epoch, &problems)
  }

  /// A hand-off passes on what is left of a long frame as bytes.
  mutating func copyRest(_ raw: Int32) {
    guard let rest = clients[raw]!.rest else { return }
    clients[raw]!.unsent = engine.bytes(of: rest).array + clients[raw]!.unsent
    clients[raw]!.rest = nil
  }

  /// Options come into force, as in a reload.
  ///
  /// - Parameter logBytes: the new size of the change log.
  mutating func apply(logBytes: Int? = nil) {
    turn()
    var options = engine.options
    options.access = rules
    if let logBytes { options.changeLogBytes = logBytes }
    let groups = clients.mapValues(\.groups)
    engine.apply(options) { groups[$0.raw] ?? [] }
  }
}
