// `statectl load`: creates the stores of a dump. Everything is checked before anything is applied; errors name
// the line.

internal import HubCore

extension VerbSpec {
  static let load = VerbSpec(
    "load", "< FILE", 0...0,
    options: Options([.dryRun, .replace]),
    summary: "create the stores of a dump",
    details: """
      Each store of the dump gets its schema and its value; other stores stay as they are. The hub first checks
      the whole dump, then applies it in transactions, each with as many lines as fit in a frame; if one fails,
      the message names the line and what was applied. Stores declared in the hub's configuration keep their
      rules and get the value.
      """,
    examples: ["load < backup.jsonl", "load --dry-run < backup.jsonl"],
    action: .ask(Load.command))
}

enum Load {
  /// More than a hub holds, unless it is configured for that.
  static let inputLimit = 4 << 30

  /// - Throws: the error of the dump, with the line's number.
  fileprivate static func command(_ words: CommandLineWords) throws(Failure) -> HubCommand {
    let progress = Progress(of: .load)
    defer { progress.end() }
    let input = try StandardInput.read(limit: inputLimit, progress)
    let dump: Dump
    do throws(Failure) {
      dump = try Dump(input, progress)
    } catch {
      throw .partly(error, applied: LoadTally().description)
    }
    let isDry = words.has(.dryRun)
    return { client, output throws(Failure) in
      defer { progress.end() }
      client.progress = progress
      let present = try stores(of: &client, progress)
      let plan = LoadPlan(dump, present: present, longestFrame: try client.longestFrame)
      var loading = Loading(plan: plan, replaces: words.has(.replace), progress: progress)
      do throws(Failure) {
        try loading.rehearse(&client)
        if !isDry { try loading.apply(&client) }
      } catch {
        throw .partly(error, applied: loading.tally.description)
      }
      progress.end()
      try report(loading.tally, of: dump.entries.count, isDry: isDry, to: &output)
    }
  }

  private static func report(
    _ tally: LoadTally, of count: Int, isDry: Bool, to output: inout Output
  ) throws(Failure) {
    if tally.steps > 1 {
      complain(
        "the stores were loaded in \(tally.steps) steps, not at one revision: a transaction's size is limited"
      )
    }
    if output.isJSON {
      try output.json {
        $0.member("stores", UInt64(count))
        $0.member("applied", !isDry)
        if !isDry {
          $0.member("revision", tally.revision)
          $0.member("steps", UInt64(tally.steps))
        }
      }
    } else if isDry {
      try output.line("\(quantity(count, "store")) can be loaded")
    }
  }

  /// The hub's stores, and whether the configuration declares them: their rules cannot be changed here.
  private static func stores(
    of client: inout Client, _ progress: Progress
  ) throws(Failure) -> [String: LoadPlan.Present] {
    var present: [String: LoadPlan.Present] = [:]
    progress.begin("stores of the hub checked")
    try client.list(.everything) { _, store throws(Failure) in
      present[store.name] = LoadPlan.Present(isDeclared: store.declared)
      progress.advance(to: present.count)
    }
    return present
  }
}
