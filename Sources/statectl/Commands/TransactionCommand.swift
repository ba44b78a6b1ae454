// `statectl txn`: several writes as one. Two round trips: the types of the stores, then the transaction.

internal import HubCore

struct TransactionCommand: HubCommand {
  private enum Step {
    case set(SetCommand)
    case ready(WriteOperation)
  }

  private var steps: [(line: Int, step: Step)] = []
  private let words: CommandLineWords

  /// - Parameter script: one operation per line.
  /// - Throws: what is wrong with a line, with the line's number.
  init(_ words: CommandLineWords, script: [UInt8]) throws(Failure) {
    self.words = words
    let lines = script.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      do throws(Failure) {
        let arguments = try ScriptWords.split(line)
        if !arguments.isEmpty { steps.append((index + 1, try TransactionCommand.step(arguments))) }
      } catch {
        throw .inLine(index + 1, error)
      }
    }
  }

  private static func step(_ arguments: [Argument]) throws(Failure) -> Step {
    let words = try ArgumentParser.parse(arguments, inTransaction: true)
    for option in Option.global.union(Options([.rev])) where words.has(option) {
      throw .usage("--\(option.name) stands on the command line, not in a transaction")
    }
    switch words.verb {
    case .set: return .set(try SetCommand(words, readsInput: false))
    default: return .ready(try WriteCommand(words).operation)
    }
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
      try show(revision, zip(operations, results), to: &output)
    } else if words.has(.rev) {
      try output.line(String(revision))
    }
  }

  /// Gives every value its type: that of the store as it is, or as the lines before have made it.
  private func operations(_ client: inout Client) throws(Failure) -> [WriteOperation] {
    var types = try types(&client)
    var operations: [WriteOperation] = []
    for (line, step) in steps {
      do throws(Failure) {
        let operation: WriteOperation =
          switch step {
          case .ready(let operation): operation
          case .set(let set): try set.operation(as: set.type ?? types[set.store])
          }
        types.follow(operation)
        operations.append(operation)
      } catch {
        throw .inLine(line, error)
      }
    }
    return operations
  }

  private func types(_ client: inout Client) throws(Failure) -> [StoreName: ValueType] {
    var questions: [StoreName: UInt32] = [:]
    for case (_, .set(let set)) in steps where set.type == nil && questions[set.store] == nil {
      questions[set.store] = client.enqueue(Client.typeQuestion(set.store))
    }
    var types: [StoreName: ValueType] = [:]
    for (store, question) in questions { types[store] = try client.type(question) }
    return types
  }

  private func show(
    _ revision: Revision, _ results: some Sequence<(WriteOperation, WriteResult)>, to output: inout Output
  ) throws(Failure) {
    try output.json { writer in
      writer.member("revision", revision)
      writer.key("results")
      writer.beginArray()
      for (operation, result) in results {
        writer.beginObject()
        writer.members(of: result, named: operation.name.text)
        writer.endObject()
      }
      writer.endArray()
    }
  }
}

extension [StoreName: ValueType] {
  /// What a later line of the transaction finds.
  fileprivate mutating func follow(_ operation: WriteOperation) {
    switch operation {
    case .set(_, let value, _, _, _):
      if self[operation.name] == nil { self[operation.name] = value.type }
    case .create(let name, let schema, _): self[name] = schema.type
    case .remove: self[operation.name] = nil
    case .add, .toggle, .reset: break
    }
  }
}

extension WriteOperation {
  /// The store, which statectl always names.
  fileprivate var name: StoreName {
    switch self {
    case .set(.name(let name), _, _, _, _), .add(.name(let name), _, _), .toggle(.name(let name)),
      .reset(.name(let name)), .remove(.name(let name), _), .create(let name, _, _):
      name
    default: preconditionFailure("a store without a name")
    }
  }
}
