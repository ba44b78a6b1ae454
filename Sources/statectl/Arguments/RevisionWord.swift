// A revision as written on the command line: alone, or after its epoch. It does not contact a hub.

internal import HubCore

/// `4711`, which counts in the hub's epoch, or `EPOCH:4711`, which is unambiguous.
struct RevisionWord {
  let revision: Revision
  private let epoch: Epoch?

  init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let revision = parts.last.flatMap({ Revision($0) }), revision < .max else { return nil }
    self.revision = revision
    guard parts.count == 2 else {
      epoch = nil
      return
    }
    guard let epoch = Epoch(parts[0]) else { return nil }
    self.epoch = epoch
  }

  static func text(_ revision: Revision, of epoch: Epoch) -> String { "\(epoch):\(revision)" }

  /// - Throws: `outOfRange` if it belongs to another epoch than the hub's.
  func check(_ current: Epoch) throws(Failure) {
    guard let epoch, epoch != current else { return }
    throw .hub(
      HubError(
        .outOfRange,
        "revision \(revision) belongs to another epoch, \(epoch): the hub's epoch is now \(current)"
      ))
  }

  /// The condition that a store has not changed since.
  func condition(absent: Bool = false) -> WriteCondition {
    WriteCondition(revision: revision, epoch: epoch, absent: absent)
  }
}

extension Epoch {
  /// - Parameter text: 32 hexadecimal digits.
  fileprivate init?(_ text: Substring) {
    guard text.utf8.count == 32, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.dropFirst(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }
}

extension CommandLineWords {
  /// - Throws: `usage` if it is not a revision.
  func revision(_ option: Option) throws(Failure) -> RevisionWord? {
    guard let text = text(option) else { return nil }
    guard let word = RevisionWord(text) else {
      throw .usage(
        "--\(option.name) takes a revision, not '\(text)'",
        hint: "a whole number, or EPOCH:N as `watch --format '{bookmark}'` prints it")
    }
    return word
  }
}
