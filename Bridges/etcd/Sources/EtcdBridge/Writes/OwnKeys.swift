// The keys of a bridge itself, under PREFIX.bridge/: what its changes carry, so that it knows them when etcd tells them.

internal import EtcdGateway
internal import FoundationEssentials

struct OwnKeys {
  /// Set in every change: by whom it was made, and which it is.
  let ticket: Data
  /// Compared in every change: once it is set anew, no change from before can come into force.
  let fence: Data
  /// Set for the watch to tell it, when it may lag.
  let mark: Data
  /// This process, and no other.
  let instance: String

  init(_ mapping: NameMapping, machine: String) {
    ticket = mapping.ownPrefix + Data(machine.utf8)
    fence = ticket + Data("/fence".utf8)
    mark = ticket + Data("/mark".utf8)
    instance = String(UInt64.random(in: .min ... .max), radix: 16)
  }

  /// What a change sets the ticket to.
  func value(_ number: UInt64) -> Data { Data("\(instance) \(number)".utf8) }

  /// The change that a revision is, if this process has made it.
  func ticket(in revision: EtcdRevision) -> UInt64? {
    for event in revision.events where !event.isDeletion && event.keyValue.key == ticket {
      let words = String(decoding: event.keyValue.value, as: UTF8.self).split(separator: " ")
      if words.count == 2, words[0] == instance { return UInt64(words[1]) }
    }
    return nil
  }
}
