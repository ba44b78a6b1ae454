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
    action: .ask(LoadCommand.init))
}

struct LoadCommand: HubCommand {
  private let dump: Dump
  private let isDry: Bool
  private let replaces: Bool
  private let json: Bool
  private let progress: Progress

  /// More than a hub holds, unless it is configured for that.
  static let inputLimit = 4 << 30

  /// - Throws: the error of the dump, with the line's number.
  init(_ words: CommandLineWords) throws(Failure) {
    let progress = Progress(of: .load)
    self.progress = progress
    defer { progress.end() }
    let input = try StandardInput.read(limit: LoadCommand.inputLimit, progress)
    do throws(Failure) {
      dump = try Dump(input, progress)
    } catch {
      throw .partly(error, applied: LoadTally().description)
    }
    isDry = words.has(.dryRun)
    replaces = words.has(.replace)
    json = words.has(.json)
  }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    defer { progress.end() }
    client.progress = progress
    let present = try stores(of: &client)
    guard let longest = client.welcome?.maximumFrameLength else { throw .unexpectedReply }
    var loading = Loading(
      dump, LoadPlan(dump, present: present, longestFrame: Int(longest)), replaces: replaces, progress)
    do throws(Failure) {
      try loading.rehearse(&client)
      if !isDry { try loading.apply(&client) }
    } catch {
      throw .partly(error, applied: loading.tally.description)
    }
    progress.end()
    try report(loading.tally, to: &output)
  }

  private func report(_ tally: LoadTally, to output: inout Output) throws(Failure) {
    let count = dump.entries.count
    if tally.steps > 1 {
      complain(
        "the stores were loaded in \(tally.steps) steps, not at one revision: a transaction's size is limited"
      )
    }
    if json {
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
  private func stores(of client: inout Client) throws(Failure) -> [String: LoadPlan.Present] {
    var present: [String: LoadPlan.Present] = [:]
    progress.begin("stores of the hub checked")
    try client.list(.everything) { _, store throws(Failure) in
      present[store.name] = LoadPlan.Present(isDeclared: store.declared)
      progress.advance(to: present.count)
    }
    return present
  }
}
