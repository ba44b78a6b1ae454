// Several writes as one transaction: gives each value the type that its store has, or will have by then. It does not
// print.

internal import HubCore

struct WriteBatch {
  /// A write, and its line in the script; nil: it is on the command line.
  private(set) var steps: [(line: Int?, write: any StoreWrite)] = []

  mutating func append(_ write: any StoreWrite, line: Int? = nil) { steps.append((line, write)) }

  /// - Throws: why the hub refuses it, at the line that is refused; its outcome is unknown if the connection
  ///   was lost.
  func commit(_ client: inout Client) throws(Failure) -> (revision: Revision, results: [WriteResult]) {
    let operations = try operations(&client)
    let reply: Reply
    do throws(Failure) {
      reply = try client.protect(operations) { client, operations throws(Failure) in
        try client.ask(.transaction(operations))
      }
    } catch {
      guard case .hub(let refusal) = error, refusal.store != nil, steps.indices.contains(refusal.operation)
      else { throw error.ofWrite.ofLongTransaction }
      throw error.inLine(steps[refusal.operation].line)
    }
    guard case .committed(let revision, let results) = reply, results.count == steps.count else {
      throw .unexpectedReply
    }
    return (revision, results)
  }

  /// Gives every value its type: that of the store now, or after the earlier writes.
  private func operations(_ client: inout Client) throws(Failure) -> [WriteOperation] {
    var types = try types(&client)
    var operations: [WriteOperation] = []
    for (line, write) in steps {
      do throws(Failure) {
        let operation = try write.operation(as: write.needsType ? types[write.store] : nil)
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

  /// Prints what was carried out: with `--json` all of it, with `--show-revision` the revision.
  func show(
    _ revision: Revision, _ results: [WriteResult], _ words: CommandLineWords, to output: inout Output
  ) throws(Failure) {
    guard words.has(.json) else {
      if words.has(.showRevision) { try output.line(String(revision)) }
      return
    }
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

  /// The hub limits the size of a transaction, which cannot be split.
  private var isTooLong: Bool { isHub(.frameTooLarge) || isHub(.tooLarge) }

  /// What to do about it.
  var ofLongTransaction: Failure {
    guard case .hub(var error) = self, isTooLong else { return self }
    error.message += "; use several transactions, or load"
    return .hub(error)
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
