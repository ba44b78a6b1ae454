// How far the hub is, as a store of the hub, written in the same transaction as the values. A claimed store that a write creates is
// volatile, so the record never outlives the values.

internal import FoundationEssentials
internal import HubClient

/// Valid only for the same cluster, prefix and kind of values.
struct ResumeRecord: Codable, Equatable {
  /// Everything up to this revision of etcd is published.
  var revision: Int64
  /// The last revision that etcd has reported, at most `revision`; nil: none.
  var anchor: Anchor?
  var cluster: String
  var prefix: String
  var values: String
  /// The lease of this machine's ephemeral values; 0: there is none.
  var lease: Int64

  /// The store that holds it.
  static func store(of mapping: NameMapping) -> String { "statehub-bridge.\(mapping.base).revision" }

  /// The claim's pattern for it, beside that for the stores.
  static func pattern(of mapping: NameMapping) -> String { "statehub-bridge.\(mapping.base).**" }

  var value: HubValue {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    return .json(text ?? "null")
  }

  init(
    revision: Int64, anchor: Anchor?, cluster: UInt64, prefix: Data, values: ValueMapping, lease: Int64
  ) {
    (self.revision, self.anchor) = (revision, anchor)
    self.cluster = String(cluster, radix: 16)
    self.prefix = String(decoding: prefix, as: UTF8.self)
    self.values = values.rawValue
    self.lease = lease
  }

  /// From the store's value; nil: it is not a record.
  init?(_ value: HubValue) {
    guard case .json(let text) = value,
      let record = try? JSONDecoder().decode(ResumeRecord.self, from: Data(text.utf8))
    else { return nil }
    self = record
  }

  /// Whether the publication can be continued from there.
  func continues(_ other: ResumeRecord) -> Bool {
    cluster == other.cluster && prefix == other.prefix && values == other.values
  }
}
