// How a verb is executed: its needs from a hub, and the function that makes its command.

internal import HubTransport

/// Making a command checks all its words, so that a mistake costs no connection.
enum VerbAction: Sendable {
  /// It needs no hub: it prints the text.
  case tell(@Sendable (CommandLineWords) throws(Failure) -> String)
  /// Requests on one connection. Without `--timeout` each reply has the default time.
  case ask(@Sendable (CommandLineWords) throws(Failure) -> HubCommand)
  /// The same: a write of one store, which can be a line of a transaction, and what the verb does alone; nil: that write.
  case write(
    @Sendable (CommandLineWords) throws(Failure) -> StoreWrite,
    alone: (@Sendable (CommandLineWords) throws(Failure) -> HubCommand)? = nil)
  /// A watch that outlives its connections. `--timeout` limits the whole run, and 0 looks once.
  case follow(@Sendable (CommandLineWords) throws(Failure) -> FollowingCommand)
}

typealias HubCommand = (inout Client, inout Output) throws(Failure) -> Void

typealias FollowingCommand = (SocketPath, Patience, inout Output) throws(Failure) -> Void
