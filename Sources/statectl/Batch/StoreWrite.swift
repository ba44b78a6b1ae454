// A write of one store: its operation once the store's type is known, its execution alone, and what it prints.

internal import HubCore

struct StoreWrite {
  let store: StoreName
  /// Whether the operation depends on the type that the store has.
  var needsType = false
  /// The new value, unknown to the caller, is printed.
  var printsValue = false
  /// Makes the operation for a store of that type; nil: for the value's apparent type.
  let operation: (ValueType?) throws(Failure) -> WriteOperation

  /// Executes it, and prints the result.
  func command(_ words: CommandLineWords) -> HubCommand {
    { client, output throws(Failure) in try run(words, &client, &output) }
  }

  func run(
    _ words: CommandLineWords, _ client: inout Client, _ output: inout Output
  ) throws(Failure) {
    try show(try write(&client).result, words, to: &output)
  }

  /// The value is sent with its apparent type, together with a query for the store's type. A store of another type
  /// refuses it, and it is sent again with that type.
  ///
  /// - Returns: the executed write as well.
  func write(_ client: inout Client) throws(Failure) -> (operation: WriteOperation, result: WriteResult) {
    let question = needsType ? client.enqueue(Client.typeQuestion(store)) : nil
    var guess: WriteOperation?
    do throws(Failure) {
      let operation = try operation(nil)
      guess = operation
      return (operation, try client.write(operation))
    } catch {
      guard error.mayBeOfType, let question, let type = try client.type(question) else { throw error }
      let typed = try operation(type)
      if typed == guess { throw error }
      return (typed, try client.write(typed))
    }
  }

  /// Prints nothing, the new value, the revision, or all of it as JSON.
  func show(_ result: WriteResult, _ words: CommandLineWords, to output: inout Output) throws(Failure) {
    if output.isJSON { return try output.json { $0.members(of: result, named: store.text) } }
    var parts: [String] = []
    if words.has(.showRevision) { parts.append(String(result.revision)) }
    if printsValue, let value = result.value { parts.append(ValueText.line(value)) }
    if !parts.isEmpty { try output.line(parts.joined(separator: "\t")) }
  }
}

extension StoreWrite {
  /// A write that is complete on the command line.
  init(_ operation: WriteOperation, of store: StoreName, printsValue: Bool = false) {
    self.init(store: store, printsValue: printsValue) { _ in operation }
  }

  /// A write of the store that the command line names, which prints the new value.
  init(_ words: CommandLineWords, _ operation: (StoreReference) -> WriteOperation) throws(Failure) {
    let store = try words.storeName()
    self.init(operation(.name(store)), of: store, printsValue: true)
  }
}

extension Failure {
  /// Whether a value of the store's own type might make a difference.
  var mayBeOfType: Bool {
    guard case .hub(let error) = self else { return false }
    return [.typeMismatch, .invalidValue, .outOfRange, .conflict].contains(error.code)
  }
}

extension JSONWriter {
  mutating func members(of result: WriteResult, named name: String) {
    member("name", name)
    if let value = result.value { member("value", value) }
    member("revision", result.revision)
    member("version", result.version)
    member("changed", result.changed)
    member("durability", result.durability.description)
  }

  /// What the writes of a transaction have done.
  mutating func members(of results: [WriteResult], named names: [StoreName], at revision: Revision) {
    member("revision", revision)
    array("results", of: zip(names, results)) { writer, result in
      writer.anonymousObject { $0.members(of: result.1, named: result.0.text) }
    }
  }
}
