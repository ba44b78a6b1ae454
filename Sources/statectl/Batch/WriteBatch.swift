// Several writes as one transaction: gives each value the type that its store has, or will have by then.

internal import HubCore

struct WriteBatch {
  private let words: CommandLineWords
  /// A write, and its line in the script; nil: it is on the command line.
  private var steps: [(line: Int?, write: StoreWrite)] = []

  init(_ words: CommandLineWords) { self.words = words }

  mutating func append(_ write: StoreWrite, line: Int? = nil) { steps.append((line, write)) }

  /// Prints with `--json` what was executed, with `--show-revision` the revision.
  ///
  /// - Throws: why the hub refuses it, at the line that is refused; its outcome is unknown if the connection
  ///   was lost.
  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    if steps.isEmpty { return }
    let operations = try operations(&client)
    let (revision, results): (Revision, [WriteResult])
    do throws(Failure) {
      (revision, results) = try client.protect(operations) { client, operations throws(Failure) in
        try client.commit(operations)
      }
    } catch {
      guard case .hub(let refusal) = error, refusal.store != nil, steps.indices.contains(refusal.operation)
      else { throw error.ofWrite.ofLongTransaction }
      throw error.inLine(steps[refusal.operation].line)
    }
    if output.isJSON {
      try output.json { $0.members(of: results, named: steps.map(\.write.store), at: revision) }
    } else if words.has(.showRevision) {
      try output.line(String(revision))
    }
  }

  /// Gives every value its type: that of the store now, or after the earlier writes.
  private func operations(_ client: inout Client) throws(Failure) -> [WriteOperation] {
    var types = try types(&client)
    var operations: [WriteOperation] = []
    for (line, write) in steps {
      do throws(Failure) {
        let operation = try write.operation(write.needsType ? types[write.store] : nil)
        types.follow(operation, of: write.store)
        operations.append(operation)
      } catch {
        throw error.inLine(line)
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
}

extension WriteOperation {
  /// How many bytes of a frame it takes.
  var length: Int {
    var encoded = OutputBuffer()
    encode(into: &encoded, id: 0)
    return encoded.count
  }
}

extension Failure {
  fileprivate func inLine(_ line: Int?) -> Failure { line.map { .inLine($0, self) } ?? self }

  /// What to do about a transaction that is too long, and cannot be split.
  var ofLongTransaction: Failure {
    guard isHub(.frameTooLarge) || isHub(.tooLarge) else { return self }
    return with { $0.message += "; use several transactions, or load" }
  }
}

extension [StoreName: ValueType] {
  /// What a later write of the transaction finds.
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
