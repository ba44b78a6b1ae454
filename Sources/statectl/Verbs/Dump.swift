// `statectl dump`: all stores at one revision. The hub streams them without keeping anything; the view grows here, up
// to a limit.

internal import HubCore

extension VerbSpec {
  static let dump = VerbSpec(
    "dump", "[STORE|GLOB...] > FILE", 0 ... .max,
    summary: "print all stores at one revision, with their schemas, for load",
    details: """
      Prints JSON lines: the first has the epoch, the revision and the number of stores; each of the others is
      a store, sorted by name. The dump is the hub's state at exactly that revision, and every value is exact:
      doubles to the bit, json (as a string) to the byte. For a temporary value (with a ttl, or ephemeral) the
      dump has the value that the store returns to. A dump does not record writers, times and numbers of
      changes.
      """,
    examples: ["dump > backup.jsonl", "dump 'audio.**' > audio.jsonl"],
    action: .ask(command))
}

private func command(_ words: CommandLineWords) throws(Failure) -> HubCommand {
  let patterns = words.operands.isEmpty ? [.everything] : try words.patterns()
  return { client, output throws(Failure) in
    let progress = Progress(of: .dump)
    defer { progress.end() }
    client.progress = progress
    let question = client.enqueue(.stats)
    let watch = client.enqueue(.watch(patterns, schemas: true))
    let figures = try statistics(&client, question)
    progress.begin("stores received", of: patterns == [.everything] ? figures["stores"] : nil)
    // The size of all values, as the hub counts them, with room for what is written in the meantime.
    let memory = min(Load.inputLimit, figures["memory_bytes"] ?? 0)
    let limit = min(Load.inputLimit, max(SnapshotRoom.least, 2 * memory))
    var room = SnapshotRoom(limit: limit, advice: "dump fewer stores at a time")
    guard case .watching(let start) = try client.receive(watch), let welcome = client.welcome else {
      throw .unexpectedReply
    }
    var view = DumpView()
    var revision: Revision?
    // A `synced` from before the watch began covers none of its stores.
    while revision.map({ $0 < start }) ?? true {
      let event = try client.nextEvent()
      try room.take(event)
      revision = try view.take(event) ?? revision
      progress.advance(to: view.count)
    }
    let stores = view.dumped()
    let header = DumpHeader(
      epoch: welcome.epoch.description, revision: revision ?? start, stores: UInt64(stores.count))
    // On the same terminal the stores themselves show the progress.
    if output.isTerminal { progress.end() } else { progress.begin("stores written", of: stores.count) }
    try output.json { $0.members(of: header) }
    for (index, store) in stores.enumerated() {
      progress.advance(to: index)
      try output.json { $0.members(of: store) }
    }
  }
}

/// The hub's own counters; empty if it does not report them.
private func statistics(_ client: inout Client, _ question: UInt32) throws(Failure) -> [String: Int] {
  do throws(Failure) {
    guard case .statistics(let figures) = try client.receive(question) else { throw .unexpectedReply }
    return [String: Int](figures.map { ($0.name, Int(clamping: $0.value)) }) { first, _ in first }
  } catch {
    guard error.isHub(.unknownKind) || error.isHub(.denied) || error.isHub(.notSupported) else {
      throw error
    }
    return [:]
  }
}
