// What the hub keeps about a source of `apply`: the stores that it has made, in one store of type json. It makes no store itself.

internal import HubCore

struct AppliedSource {
  /// Of the store `applied.SOURCE`.
  let name: StoreName
  /// The stores that the source has made, and the file of each.
  private(set) var files: [String: String] = [:]
  /// 0: nothing is kept yet.
  private(set) var revision: Revision = 0

  static let prefix = "applied."
  private static let pattern = try! NamePattern(prefix + "**")

  /// - Throws: `invalidName`.
  init(_ label: String) throws(Failure) {
    name = try attempt { () throws(HubError) in try StoreName(AppliedSource.prefix + label) }
  }

  /// The content of the source's store. Files that it does not list count as if they had created nothing.
  private init?(_ name: StoreName, _ state: StoreState) {
    guard name.text.hasPrefix(AppliedSource.prefix) else { return nil }
    (self.name, revision) = (name, state.revision)
    guard case .json(let text) = state.value, let json = try? JSON.parse(Array(text.utf8).span),
      case .object(let members) = json.content
    else { return }
    for member in members {
      if case .string(let file) = member.value.content { files[member.key] = file }
    }
  }

  /// All that the user may read.
  static func all(_ client: inout Client) throws(Failure) -> [AppliedSource] {
    try client.snapshot([pattern]).compactMap { AppliedSource($0.name, $0.state) }
  }

  /// The source's own name.
  var label: String { String(name.text.dropFirst(AppliedSource.prefix.utf8.count)) }

  /// Notes some stores of a file, and forgets others.
  ///
  /// - Returns: the operation that keeps it, which fails if the source was applied by another process in the meantime.
  ///   Nil: nothing is news.
  mutating func note(_ made: some Sequence<String>, of file: String, without gone: [String] = [])
    -> WriteOperation?
  {
    let before = files
    for store in made { files[store] = file }
    for store in gone { files[store] = nil }
    guard files != before else { return nil }
    let condition = WriteCondition(revision: revision)
    if files.isEmpty { return .remove(.name(name), condition: condition) }
    var writer = JSONWriter()
    writer.beginObject()
    for (store, file) in files.sorted(by: { $0.key < $1.key }) { writer.member(store, file) }
    writer.endObject()
    return .set(.name(name), .json(String(decoding: writer.bytes, as: UTF8.self)), condition: condition)
  }

  /// What it notes is kept, at that revision.
  mutating func advance(to revision: Revision) { self.revision = files.isEmpty ? 0 : revision }
}
