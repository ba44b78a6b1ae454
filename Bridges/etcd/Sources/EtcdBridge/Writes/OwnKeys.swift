// A bridge's own keys, under PREFIX.bridge/: its changes contain them, so that it recognises these changes in the watch.

internal import EtcdGateway
internal import FoundationEssentials

struct OwnKeys {
  /// Set by every change: identifies the bridge and the change.
  let ticket: Data
  /// Compared by every change: once it is set again, no earlier change can take effect.
  let fence: Data
  /// Set to find out whether the watch lags.
  let mark: Data
  /// Identifies this process.
  let instance: String

  init(_ mapping: NameMapping, machine: String) {
    ticket = mapping.ownPrefix + Data(machine.utf8)
    fence = ticket + Data("/fence".utf8)
    mark = ticket + Data("/mark".utf8)
    instance = String(UInt64.random(in: .min ... .max), radix: 16)
  }

  /// The ticket's value for a change.
  func value(_ number: UInt64) -> Data { Data("\(instance) \(number)".utf8) }

  /// The number of this process's change in a revision; nil: there is none.
  func ticket(in revision: EtcdRevision) -> UInt64? {
    for event in revision.events where !event.isDeletion && event.keyValue.key == ticket {
      let words = String(decoding: event.keyValue.value, as: UTF8.self).split(separator: " ")
      if words.count == 2, words[0] == instance { return UInt64(words[1]) }
    }
    return nil
  }
}
