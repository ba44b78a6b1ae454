// `statectl apply`: makes stores match files, and records which source made them. Each file is one transaction.

internal import HubCore

extension VerbSpec {
  static let apply = VerbSpec(
    "apply", "[PATH...]", 0 ... .max,
    options: Options([.dryRun, .replace, .prune, .source]),
    summary: "make stores match their definitions in files",
    details: """
      PATH is a file, or a directory whose files are read in the order of their names. FILE.jsonl is a dump;
      FILE.json5 or FILE.json declares stores as a configuration does, with their rules, and leaves the values
      of existing stores alone. Everything is checked before anything is applied. Each file is one
      transaction; stores that already match are not written. --source NAME is required: the hub records in
      applied.NAME which stores were made for it. A store has only one source. --prune without PATH removes
      all stores of the source. --dry-run prints the changes as lines of a dump: old lines with -, new lines
      with +.

      The status is 0 if nothing had to change, 14 if something changed (or would), and anything else after a
      failure.
      """,
    examples: ["apply --source web /etc/web/stores.json5", "apply --source site --prune --dry-run stores.d"],
    action: .ask { words throws(Failure) in try ApplyCommand(words).run })
}

private struct ApplyCommand {
  private let source: AppliedSource
  private let files: [StoreFile]
  private let prunes: Bool
  private let replaces: Bool
  private let isDry: Bool
  private let progress: Progress

  init(_ words: CommandLineWords) throws(Failure) {
    guard let label = words.text(.source) else {
      throw .usage("apply needs --source NAME", hint: "the owner of the files, such as a package")
    }
    if words.operands.isEmpty, !words.has(.prune) { throw .usage("apply needs a PATH, or --prune") }
    source = try AppliedSource(label)
    progress = Progress(of: .apply)
    var files: [StoreFile] = []
    for path in words.operands { files += try StoreFile.all(at: path.text) }
    var seen: [StoreName: String] = [:]
    for file in files {
      for entry in file.stores.entries {
        guard let first = seen.updateValue(file.path, forKey: entry.store.name) else { continue }
        let failure = JSONFields.failure("the store is already in \(first)", entry.store.name.text)
        throw .inFile(file.path, .inLine(entry.line, failure))
      }
    }
    self.files = files
    prunes = words.has(.prune)
    replaces = words.has(.replace)
    isDry = words.has(.dryRun)
  }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    defer { progress.end() }
    client.progress = progress
    var source = try ownSource(&client)
    let named = files.flatMap { $0.stores.entries.map(\.store.name) }
    let known = Set(named.map(\.text))
    let strays = prunes ? source.files.keys.filter { !known.contains($0) }.sorted() : []
    let present = try describe(named + strays.compactMap { try? StoreName($0) }, &client)
    try checkSight(of: strays.filter { present[$0] == nil }, &client)
    var pruning = Pruning(strays, present, try client.longestFrame)

    // Everything is first checked with the current state of the source.
    var loadings: [Loading] = []
    for file in files {
      var plan = LoadPlan(
        file.stores,
        present: present.mapValues { LoadPlan.Present(isDeclared: $0.declared, description: $0) },
        longestFrame: try client.longestFrame)
      plan.isWhole = true
      var trial = source
      plan.last = note(file, present, in: &trial)
      var loading = Loading(plan: plan, replaces: replaces, progress: progress)
      do throws(Failure) {
        try loading.rehearse(&client)
      } catch {
        throw .partly(.inFile(file.path, failure(error)), applied: LoadTally().description)
      }
      loadings.append(loading)
    }
    var trial = source
    while let step = pruning.next(&trial) {
      do throws(Failure) {
        try client.rehearse(step)
      } catch {
        throw .partly(failure(error), applied: LoadTally().description)
      }
    }

    let changed = loadings.reduce(0) { $0 + $1.plan.changes.count }
    let removed = pruning.removed.count
    if !isDry {
      pruning = Pruning(strays, present, try client.longestFrame)
      try apply(&loadings, &pruning, present, &source, &client)
    }
    progress.end()
    if output.isJSON {
      try output.json {
        $0.member("stores", UInt64(named.count))
        $0.member("changed", UInt64(changed))
        $0.member("removed", UInt64(removed))
        $0.member("applied", !isDry)
      }
    } else if isDry {
      for (file, loading) in zip(files, loadings) {
        for entry in loading.plan.changes {
          let store = file.stores.entries[entry].store
          try output.difference(present[store.name.text], loading.plan.outcome(of: entry))
        }
      }
      for name in pruning.removed { try output.difference(present[name], nil) }
    }
    if changed + removed > 0 { throw .status(ExitStatus.changed) }
  }

  private func apply(
    _ loadings: inout [Loading], _ pruning: inout Pruning, _ present: [String: StoreDescription],
    _ source: inout AppliedSource, _ client: inout Client
  ) throws(Failure) {
    for (index, file) in files.enumerated() {
      let last = note(file, present, replaced: loadings[index].plan.replacedNames, in: &source)
      loadings[index].plan.last = last
      do throws(Failure) {
        try loadings[index].apply(&client)
      } catch {
        let before = index == 0 ? "" : "\(quantity(index, "file")) applied before; "
        throw .partly(
          .inFile(file.path, failure(error)), applied: before + loadings[index].tally.description)
      }
      if last != nil { source.advance(to: loadings[index].tally.revision) }
    }
    while let step = pruning.next(&source) {
      do throws(Failure) {
        source.advance(to: try client.commit(step).revision)
      } catch {
        throw .partly(failure(error.ofWrite), applied: "\(quantity(files.count, "file")) applied before")
      }
    }
  }

  /// Notes the stores that a file makes: not those that others have made.
  private func note(
    _ file: StoreFile, _ present: [String: StoreDescription], replaced: Set<String> = [],
    in source: inout AppliedSource
  ) -> WriteOperation? {
    let known = source.files
    let names = file.stores.entries.map(\.store.name.text).filter {
      present[$0] == nil || replaced.contains($0) || (known[$0] != nil && present[$0]?.declared == false)
    }
    return source.note(names, of: file.name)
  }

  /// A store that the user may not read looks as if it were gone.
  ///
  /// - Throws: `denied` if one of these could exist.
  private func checkSight(of names: [String], _ client: inout Client) throws(Failure) {
    for name in names.compactMap({ try? StoreName($0) }) {
      guard case .explained(let access) = try client.ask(.access(name)) else { throw .unexpectedReply }
      if access.isTrusted || access.answers.contains(where: { $0.right == "read" && $0.verdict == .yes }) {
        continue
      }
      throw .hub(
        HubError(
          .denied, store: name.text,
          "this source made it, but you may not read it: ask a user who may read it to remove it"
        ))
    }
  }

  /// - Throws: `conflict` if a store is another source's.
  private func ownSource(_ client: inout Client) throws(Failure) -> AppliedSource {
    let all = try AppliedSource.all(&client)
    for other in all where other.name != source.name {
      for file in files {
        for entry in file.stores.entries where other.files[entry.store.name.text] != nil {
          let error = HubError(.conflict, store: entry.store.name.text, "its source is \(other.label)")
          throw .inFile(file.path, .inLine(entry.line, .hub(error)))
        }
      }
    }
    return all.first { $0.name == source.name } ?? source
  }

  private func describe(
    _ names: [StoreName], _ client: inout Client
  ) throws(Failure) -> [String: StoreDescription] {
    var present: [String: StoreDescription] = [:]
    progress.begin("stores of the hub checked", of: names.count)
    let questions = names.map { client.enqueue(.describe(.name($0))) }
    for question in questions {
      do throws(Failure) {
        guard case .described(let store) = try client.receive(question) else { throw .unexpectedReply }
        present[store.name] = store
        progress.advance(to: present.count)
      } catch {
        guard error.isHub(.noSuchStore) else { throw error }
      }
    }
    return present
  }

  /// What to do about it.
  private func failure(_ failure: Failure) -> Failure {
    failure.with { error in
      if error.code == .conflict, error.store == source.name.text {
        error.message = "this source was applied by another process at the same time: apply it again"
      } else if error.store == nil, error.code == .frameTooLarge || error.code == .tooLarge {
        error.message += "; a file is one transaction: split it"
      }
    }
  }
}

/// The transactions that remove what the files no longer name.
private struct Pruning {
  private var rest: [String]
  private let present: [String: StoreDescription]
  private let longestFrame: Int
  /// The stores that they remove: some are gone already, and others are the configuration's now.
  let removed: [String]

  init(_ strays: [String], _ present: [String: StoreDescription], _ longestFrame: Int) {
    rest = strays
    self.present = present
    self.longestFrame = longestFrame
    removed = strays.filter { present[$0]?.declared == false }
  }

  /// The next transaction; nil after the last.
  mutating func next(_ source: inout AppliedSource) -> [WriteOperation]? {
    var operations: [WriteOperation] = []
    var gone: [String] = []
    // The source's own list becomes shorter.
    let kept = source.files.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 8 }
    var room = longestFrame - kept - 1024
    while let stray = rest.first, operations.count < WriteOperation.mostInTransaction - 2 {
      if present[stray]?.declared == false, let name = try? StoreName(stray) {
        let operation = WriteOperation.remove(.name(name))
        room -= operation.length
        if room < 0, !gone.isEmpty { break }
        operations.append(operation)
      }
      gone.append(stray)
      rest.removeFirst()
    }
    // Its condition comes first: another process may have removed the same stores.
    return source.note([], of: "", without: gone).map { [$0] + operations }
  }
}

extension Output {
  /// Prints a store as it is and as it would be, as lines of a dump.
  fileprivate mutating func difference(
    _ before: StoreDescription?, _ after: DumpedStore?
  ) throws(Failure) {
    if let before, let name = try? StoreName(before.name) {
      try write("- ")
      try json { $0.members(of: DumpedStore(name: name, schema: before.schema, value: before.state.value)) }
    }
    if let after {
      try write("+ ")
      try json { $0.members(of: after) }
    }
  }
}
