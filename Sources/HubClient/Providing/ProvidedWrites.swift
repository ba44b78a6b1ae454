// The writes that a claim's provider decides on, as a sequence; and what it can decide.

public import HubCore
internal import Synchronization

/// Writes to decide on, in order.
public struct ProvidedWrites: AsyncSequence, Sendable {
  public typealias Element = ProvidedWrite
  public typealias Failure = any Error

  let claim: HubClaim

  /// Starts taking writes when `next` is first called. A claim has one iteration at a time.
  public func makeAsyncIterator() -> Iterator { Iterator(claim: claim) }

  /// Takes the writes of a claim, for one task at a time. When the last copy is released, the claim is suspended.
  public struct Iterator: AsyncIteratorProtocol {
    private let claim: HubClaim
    private var iteration: ClaimIteration?

    init(claim: HubClaim) { self.claim = claim }

    /// The next write. Publishes first if the claim was made since the last call, or by an earlier iteration.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws
      -> ProvidedWrite?
    {
      do {
        if let write = try await step(isolation: actor) { return write }
      } catch {
        iteration = nil
        // Its own requests fail when the task is cancelled.
        if Task.isCancelled { return nil }
        throw error
      }
      iteration = nil
      return nil
    }

    private mutating func step(isolation actor: isolated (any Actor)?) async throws -> ProvidedWrite? {
      let stream = claim.stream
      while !Task.isCancelled {
        if iteration == nil { iteration = ClaimIteration(claim) }
        switch stream.take() {
        case .claimed: try await begin()
        case .forwarded(.write(let write)): return ProvidedWrite(claim, write)
        case .forwarded(.read(let read)): await answer(read)
        // The writer was notified; if the connection is gone, so is the claim.
        case .missed(let ticket): _ = try? await claim.hub.perform(.decide(ticket, .again))
        case .failed(let error): throw error
        case .nothingYet:
          await withTaskCancellationHandler(
            operation: { await withUnsafeContinuation(isolation: actor) { stream.park($0) } },
            onCancel: { stream.wake()?.resume() }, isolation: actor)
        }
      }
      return nil
    }

    /// Has the program publish a value that others read, and lets the hub answer them.
    private func answer(_ read: ForwardedRead) async {
      var decision = Decision.accept()
      do {
        try await claim.onRead?(read.name.text, claim.hub)
      } catch {
        decision = Decision(refusing: error)
      }
      if Task.isCancelled {
        claim.hub.driver.withCore { core, effects in core.giveBack(.read(read), wasTaken: true, &effects) }
      } else {
        // The readers were notified; if the connection is gone, so is the claim.
        _ = try? await claim.hub.perform(.decide(read.ticket, decision))
      }
    }

    /// Like `next(isolation:)`, on the caller's actor.
    public mutating func next() async throws -> ProvidedWrite? { try await next(isolation: nil) }

    /// The claim was made. If the connection is lost in the meantime, it will be made again.
    private func begin() async throws {
      do {
        try await claim.publish(claim.hub)
        try await claim.stand(.live)
      } catch let error as HubError where error.code == .connectionLost || error.code == .outcomeUnknown {
        return
      }
    }
  }
}

/// Keeps a claim live as long as an iterator exists. Shared by the copies of one iterator.
private final class ClaimIteration: Sendable {
  private let claim: HubClaim
  private let number: UInt64

  init(_ claim: HubClaim) {
    self.claim = claim
    number = claim.hub.driver.withCore { [offer = claim.offer, stream = claim.stream] core, effects in
      core.provide(offer, stream, &effects)
    }
  }

  deinit {
    claim.hub.driver.withCore { [stream = claim.stream, number] core, effects in
      core.stopTaking(stream, number, &effects)
    }
  }
}

/// A write by another program that waits for a decision. If it is released without one, or kept until its time is
/// over, the writer gets `unanswered`, because the program may have acted.
public struct ProvidedWrite: Sendable {
  private let open: OpenWrite
  private var write: ForwardedWrite { open.write }

  init(_ claim: HubClaim, _ write: ForwardedWrite) { open = OpenWrite(claim, write) }

  /// The requested operations: one, or those of a transaction.
  public var operations: [Operation] { write.operations }
  /// The writer, according to the kernel.
  public var writer: Hub.Peer { write.writer }
  /// The name that the writer's process gave itself.
  public var client: String { write.client }
  /// The time for the decision, from the moment the hub asked; nil if no writer waits.
  public var timeLeft: Duration? { write.isEnd ? nil : .milliseconds(write.timeLeft) }
  /// Whether there is no writer, because a time to live has expired or the connection of an ephemeral value has ended.
  public var isExpiry: Bool { write.isEnd }

  /// Accepts the write: the proposed values take effect.
  ///
  /// - Returns: whether the writer was still waiting. The values are in effect in any case.
  /// - Throws: the store's own error if it does not accept a value, and what every request throws.
  @discardableResult
  public func accept() async throws(HubError) -> Bool { try await decide(.accept()) }

  /// Accepts the write with other values, which take effect instead.
  ///
  /// - Parameter values: one for each operation that `takesOtherValue`, in order.
  @discardableResult
  public func accept(_ values: [HubValue]) async throws(HubError) -> Bool {
    try await decide(.accept(values: values))
  }

  /// Refuses the write: nothing changes, and the writer gets this error.
  ///
  /// - Parameter code: `refused`, `unavailable`, `conflict`, `denied`, `quota`, or one of those about values; `unanswered` if
  ///   something may have changed.
  @discardableResult
  public func refuse(
    _ reason: String, code: HubError.Code = .refused
  ) async throws(HubError) -> Bool {
    try await decide(.refuse(code, reason))
  }

  /// Takes the write to publish its result later: nothing changes now. The writer gets `accepted`.
  @discardableResult
  public func acknowledge() async throws(HubError) -> Bool { try await decide(.taken) }

  /// Returns the write because something newer was published: the hub evaluates it again, and forwards it if its
  /// condition still holds.
  @discardableResult
  public func retry() async throws(HubError) -> Bool { try await decide(.again) }

  func decide(_ decision: Decision) async throws(HubError) -> Bool {
    open.isDecided.store(true, ordering: .relaxed)
    do throws(HubError) {
      let answer = try await open.claim.hub.perform(.decide(write.ticket, decision))
      guard case .decided(let counted, _) = answer.reply else { throw Hub.unexpected(answer) }
      return counted
    } catch {
      // The hub has notified the writer; the claim is renewed on the next connection.
      if error.code == .connectionLost { return false }
      // It may never have been sent. The earlier decision counts.
      open.isDecided.store(false, ordering: .relaxed)
      throw error
    }
  }
}

/// Gives back a write that can no longer be decided.
private final class OpenWrite: Sendable {
  /// Kept until then: otherwise the stores would be vacant.
  let claim: HubClaim
  let write: ForwardedWrite
  let isDecided = Atomic(false)

  init(_ claim: HubClaim, _ write: ForwardedWrite) { (self.claim, self.write) = (claim, write) }

  deinit {
    if isDecided.load(ordering: .relaxed) { return }
    claim.hub.driver.withCore { [write] core, effects in
      core.giveBack(.write(write), wasTaken: true, &effects)
    }
  }
}
