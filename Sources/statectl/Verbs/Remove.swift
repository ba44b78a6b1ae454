// `statectl remove`: removes a store, or several as one, by their names or by globs.

internal import HubCore
internal import HubSystem

extension VerbSpec {
  static let remove = VerbSpec(
    "remove", "STORE|GLOB...", 1 ... .max,
    options: Options([.ifRevision, .yes]),
    summary: "remove stores",
    details: """
      Watches of a removed store stay open, and report it when it is created again. Several stores are removed
      in one transaction: all or none. Removing stores by a glob asks for confirmation on a terminal; elsewhere
      it requires --yes.
      """,
    examples: ["remove greeting", "remove 'tmp.**' --yes"],
    action: .write(one, alone: command))
}

private func one(_ words: CommandLineWords) throws(Failure) -> StoreWrite {
  guard words.operands.count == 1 else { throw .usage("a line of a transaction can remove only one store") }
  let store = try words.storeName()
  let condition = try words.revision(.ifRevision)?.condition() ?? .none
  return StoreWrite(.remove(.name(store), condition: condition), of: store)
}

private func command(_ words: CommandLineWords) throws(Failure) -> HubCommand {
  if words.operands.count == 1, !words.hasGlob { return try one(words).command(words) }
  if words.has(.ifRevision) { throw .usage("--if-revision takes one store") }
  let patterns = try words.patterns()
  return { client, output throws(Failure) in
    var names: [StoreName] = []
    var seen: Set<String> = []
    for pattern in patterns {
      // A glob does not include the hub's own stores.
      for name in try client.names(pattern) where pattern.isLiteral || !name.isReserved {
        if seen.insert(name.text).inserted { names.append(name) }
      }
    }
    if patterns.contains(where: { !$0.isLiteral }), !names.isEmpty, !words.has(.yes) { try ask(about: names) }
    let parts = parts(of: names, client.welcome)
    var revision: Revision = 0
    for (index, part) in parts.enumerated() {
      do throws(Failure) {
        revision = try client.remove(part, patterns) ?? revision
      } catch {
        let before = parts[..<index].reduce(0) { $0 + $1.count }
        throw index == 0 ? error : .partly(error, applied: "\(before) stores were removed before")
      }
    }
    if parts.count > 1 {
      complain("\(names.count) stores were removed in \(parts.count) transactions, not at one revision")
    }
    guard output.isJSON else { return }
    try output.json {
      $0.member("removed", UInt64(names.count))
      $0.member("revision", revision)
    }
  }
}

/// Groups that each fit into a transaction. Named stores are one group, whether they fit or not.
private func parts(of names: [StoreName], _ welcome: Welcome?) -> [[StoreName]] {
  guard let welcome else { return [names] }
  var parts: [[StoreName]] = []
  var room = 0
  for name in names {
    let length = WriteOperation.remove(.name(name)).length
    if length > room || parts[parts.count - 1].count == WriteOperation.mostInTransaction {
      parts.append([])
      room = Int(welcome.maximumFrameLength) - Frame.headerLength
    }
    parts[parts.count - 1].append(name)
    room -= length
  }
  return parts
}

/// - Throws: `usage` without a terminal; `status` if the user declines.
private func ask(about names: [StoreName]) throws(Failure) {
  let count = quantity(names.count, "store")
  guard StandardStream.input.isTerminal, StandardStream.error.isTerminal else {
    throw .usage("that would remove \(count)", hint: "use --yes, or check with statectl list")
  }
  let shown = names.prefix(5).map(\.text).joined(separator: ", ") + (names.count > 5 ? ", ..." : "")
  StandardStream.error.write("statectl: remove \(count) (\(shown))? [y/N] ")
  let answer = Descriptor.readOnce(StandardStream.input.raw, limit: 64)
  guard let first = answer.first, first | 0x20 == UInt8(ascii: "y") else {
    throw .status(ExitStatus.other)
  }
}

extension Client {
  /// The names that match. A name without a store is kept: its removal will fail.
  fileprivate mutating func names(_ pattern: NamePattern) throws(Failure) -> [StoreName] {
    if pattern.isLiteral { return [try attempt { () throws(HubError) in try StoreName(pattern.text) }] }
    var names: [StoreName] = []
    try list(pattern) { _, store throws(Failure) in
      names.append(try attempt { () throws(HubError) in try StoreName(store.name) })
    }
    return names
  }

  /// Stores matched by a glob may be gone by now. Named stores must exist.
  ///
  /// - Returns: the revision; nil if there was nothing to do.
  fileprivate mutating func remove(
    _ names: [StoreName], _ patterns: [NamePattern]
  ) throws(Failure) -> Revision? {
    var names = names
    while !names.isEmpty {
      do throws(Failure) {
        return try commit(names.map { .remove(.name($0)) }).revision
      } catch {
        guard case .hub(let refusal) = error, refusal.code == .noSuchStore,
          names.indices.contains(refusal.operation),
          !patterns.contains(where: { $0.text == names[refusal.operation].text })
        else { throw error.ofWrite.ofLongTransaction }
        names.remove(at: refusal.operation)
      }
    }
    return nil
  }
}
