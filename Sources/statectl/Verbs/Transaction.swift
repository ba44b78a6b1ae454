// `statectl txn`: several writes as one. Two round trips: the types of the stores, then the transaction.

internal import HubCore

extension VerbSpec {
  static let txn = VerbSpec(
    "txn", "< OPERATIONS", 0...0,
    options: Options([.rev]),
    summary: "carry out several writes as one: all or none",
    details: """
      Each line of standard input is one operation, written as on the command line: set, add, toggle, reset,
      create or remove with their options. Words are split at spaces and may be quoted; # starts a comment.
      Either all are carried out, at one revision that watchers see at once, or none is.
      """,
    examples: ["txn <<< $'add stock.apples -1\\nadd stock.sold 1'"],
    action: .ask(TransactionCommand.init))
}

struct TransactionCommand: HubCommand {
  private var steps: [(line: Int, write: any StoreWrite)] = []
  private let words: CommandLineWords

  /// Standard input holds one operation per line.
  ///
  /// - Throws: what is wrong with a line, with the line's number.
  init(_ words: CommandLineWords) throws(Failure) {
    self.words = words
    let script = try StandardInput.read()
    let lines = script.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      do throws(Failure) {
        let arguments = try ScriptWords.split(line)
        if !arguments.isEmpty { steps.append((index + 1, try TransactionCommand.write(arguments))) }
      } catch {
        throw .inLine(index + 1, error)
      }
    }
  }

  private static func write(_ arguments: [Argument]) throws(Failure) -> any StoreWrite {
    let words = try ArgumentParser.parse(arguments, inTransaction: true)
    for option in Option.global.union(Options([.rev])) where words.has(option) {
      throw .usage("--\(option.name) stands on the command line, not in a transaction")
    }
    // The parser knows no other verbs in a transaction, and requires one unless there is --help.
    guard case .write(let write) = words.verb?.action else { throw .usage("a verb is missing") }
    return try write(words)
  }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    if steps.isEmpty { return }
    let operations = try operations(&client)
    let reply: Reply
    do throws(Failure) {
      reply = try client.ask(.transaction(operations))
    } catch {
      guard case .hub(let refusal) = error, refusal.store != nil, steps.indices.contains(refusal.operation)
      else { throw error.ofWrite }
      throw .inLine(steps[refusal.operation].line, error)
    }
    guard case .committed(let revision, let results) = reply, results.count == steps.count else {
      throw .strangeAnswer
    }
    if words.has(.json) {
      try show(revision, results, to: &output)
    } else if words.has(.rev) {
      try output.line(String(revision))
    }
  }

  /// Gives every value its type: that of the store as it is, or as the lines before have made it.
  private func operations(_ client: inout Client) throws(Failure) -> [WriteOperation] {
    var types = try types(&client)
    var operations: [WriteOperation] = []
    for (line, write) in steps {
      do throws(Failure) {
        let operation = try write.operation(as: write.needsType ? types[write.store] : nil)
        types.follow(operation, of: write.store)
        operations.append(operation)
      } catch {
        throw .inLine(line, error)
      }
    }
    return operations
  }

  private func types(_ client: inout Client) throws(Failure) -> [StoreName: ValueType] {
    var questions: [StoreName: UInt32] = [:]
    for (_, write) in steps where write.needsType && questions[write.store] == nil {
      questions[write.store] = client.enqueue(Client.typeQuestion(write.store))
    }
    var types: [StoreName: ValueType] = [:]
    for (store, question) in questions { types[store] = try client.type(question) }
    return types
  }

  private func show(
    _ revision: Revision, _ results: [WriteResult], to output: inout Output
  ) throws(Failure) {
    try output.json { writer in
      writer.member("revision", revision)
      writer.key("results")
      writer.beginArray()
      for (step, result) in zip(steps, results) {
        writer.beginObject()
        writer.members(of: result, named: step.write.store.text)
        writer.endObject()
      }
      writer.endArray()
    }
  }
}

extension [StoreName: ValueType] {
  /// What a later line of the transaction finds.
  fileprivate mutating func follow(_ operation: WriteOperation, of store: StoreName) {
    switch operation {
    case .set(_, let value, _, _, _):
      if self[store] == nil { self[store] = value.type }
    case .create(_, let schema, _): self[store] = schema.type
    case .remove: self[store] = nil
    case .add, .toggle, .reset: break
    }
  }
}
