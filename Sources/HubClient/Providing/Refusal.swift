// How a provider's closures refuse a write or a read: what they throw, and how it is reported.

public import HubCore

/// Why a provider refuses a write or a read, as a message for the writer or the readers.
public struct Refusal: Error, Hashable, Sendable {
  /// The text that they get.
  public let reason: String
  /// As `ProvidedWrite.refuse` takes it.
  public let code: HubError.Code

  /// - Parameters:
  ///   - reason: the text for the writer or the readers.
  ///   - code: `refused`, `unavailable`, `conflict`, `denied`, `quota`, or one of those about values.
  public init(_ reason: String, code: HubError.Code = .refused) { (self.reason, self.code) = (reason, code) }
}

extension Decision {
  /// What an error thrown by a closure means for the waiting clients.
  init(refusing error: any Error) {
    switch error {
    case let refusal as Refusal: self = .refuse(refusal.code, refusal.reason)
    case let error as HubError: self = .refuse(error.leavesOpen ? .unanswered : error.code, error.message)
    case is CancellationError:
      self = .refuse(.unanswered, "the provider was interrupted: it may have acted")
    default: self = .refuse(.refused, "\(error)")
    }
  }
}

extension HubError {
  /// Whether the request may have been executed.
  fileprivate var leavesOpen: Bool {
    switch code {
    case .timeout, .connectionLost, .outcomeUnknown, .unanswered, .durabilityUnknown: true
    default: false
    }
  }
}
