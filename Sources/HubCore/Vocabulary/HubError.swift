// The one error type of the hub, its clients and the command line, with codes that never change their meaning.

/// What went wrong, about which store, and what to do.
public struct HubError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error, for programs.
  public var code: Code
  /// The name of the store (or the pattern) that the error is about.
  public var store: String?
  /// One human-readable sentence: the reason, and what to do about it.
  public var message: String
  /// With `conflict`: the store's current revision; 0 if there is no such store.
  public var revision: Revision
  /// In a failed transaction: the index of the operation that failed, counted from 0.
  public var operation: Int

  /// Makes an error, for example for a provider's refusal.
  public init(
    _ code: Code, store: String? = nil, _ message: String, revision: Revision = 0, operation: Int = 0
  ) {
    self.code = code
    self.store = store
    self.message = message
    self.revision = revision
    self.operation = operation
  }

  public var description: String { store.map { "\($0): \(message)" } ?? message }

  /// The same error about another store.
  public func about(_ store: String) -> HubError {
    var copy = self
    copy.store = store
    return copy
  }

  /// The codes are stable across versions. Those below 100 come from the hub; the others arise in the client.
  public enum Code: UInt16, Sendable, CaseIterable {
    // The protocol.
    case malformed = 1
    case unknownKind = 2
    case unsupportedVersion = 3
    case notSupported = 4
    case frameTooLarge = 5
    case helloExpected = 6
    // Stores and values.
    case noSuchStore = 10
    case conflict = 11
    case invalidName = 12
    case invalidPattern = 13
    case typeMismatch = 14
    case outOfRange = 15
    case notAChoice = 16
    case tooLarge = 17
    case invalidValue = 18
    case overflow = 19
    case invalidSchema = 20
    case schemaConflict = 21
    case declared = 22
    case undeclared = 23
    case reserved = 24
    case noInitialValue = 25
    // Rights and limits.
    case denied = 30
    case quota = 31
    // Providers.
    case claimed = 32
    case unavailable = 33
    case unanswered = 34
    case refused = 35
    // Durability.
    case durabilityUnknown = 40
    case storageFailed = 41
    // Reloading.
    case invalidConfiguration = 45
    case reloadFailed = 46
    // How a session ends.
    case shuttingDown = 50
    case notReading = 51
    // In the client.
    case noHub = 100
    case timeout = 101
    case outcomeUnknown = 102
    case connectionLost = 103
    case protocolViolation = 104
    case undecodable = 105
    case closed = 106
  }
}
