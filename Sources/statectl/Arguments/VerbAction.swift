// How a verb is executed: what it needs from a hub, and the function that makes its command.

internal import HubCore
internal import HubTransport

/// Making a command checks all its words, so that a mistake costs no connection.
enum VerbAction: Sendable {
  /// It needs no hub: it prints the text.
  case tell(@Sendable (CommandLineWords) throws(Failure) -> String)
  /// Requests on one connection. Without `--timeout` each reply has the default time.
  case ask(@Sendable (CommandLineWords) throws(Failure) -> any HubCommand)
  /// The same, and it can be a line of a transaction.
  case write(@Sendable (CommandLineWords) throws(Failure) -> any StoreWrite)
  /// A write of one store, which can be a line of a transaction, and the command for one or several stores.
  case writes(
    @Sendable (CommandLineWords) throws(Failure) -> any StoreWrite,
    @Sendable (CommandLineWords) throws(Failure) -> any HubCommand)
  /// A watch that outlives its connections. `--timeout` limits the whole run, and 0 looks once.
  case follow(@Sendable (CommandLineWords) throws(Failure) -> any FollowingCommand)
}

protocol HubCommand {
  func run(_ client: inout Client, _ output: inout Output) throws(Failure)
}

/// A write of one store.
protocol StoreWrite: HubCommand {
  var store: StoreName { get }
  /// Whether the operation depends on the type that the store has.
  var needsType: Bool { get }

  /// - Parameter type: the store's, if it is needed and there is such a store.
  func operation(as type: ValueType?) throws(Failure) -> WriteOperation
}

protocol FollowingCommand {
  func run(at place: SocketPath, within patience: Patience, _ output: inout Output) throws(Failure)
}
