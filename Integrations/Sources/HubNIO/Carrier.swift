// Carries the bytes of a Hub between its core and a channel, on the channel's loop.

import HubClient
import NIOCore
import NIOPosix
import Synchronization

/// Everything but its making happens on the loop.
final class Carrier: Sendable {
  private struct State {
    /// Nil once the work has ended.
    var carried: CarriedHub?
    /// The connection that counts.
    var channel: (any Channel)?
    /// Succeeds once the last attempt to connect, and the connection that it gave, have ended.
    var end: EventLoopFuture<Void>
    var alarm: (deadline: Hub.Instant, task: Scheduled<Void>)?
    /// A turn is under way. Requests for another turn extend it.
    var isTurning = false
    var isAskedAgain = false
  }

  private let eventLoop: any EventLoop
  private let state: NIOLoopBoundBox<State>
  private let isOver = Atomic<Bool>(false)

  /// The work has ended, and the loop may be gone.
  var isFinished: Bool { isOver.load(ordering: .acquiring) }

  init(_ carried: CarriedHub, on eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
    state = .makeBoxSendingValue(
      State(carried: carried, end: eventLoop.makeSucceededVoidFuture()), eventLoop: eventLoop)
  }

  /// Does the pending work.
  func turn() {
    if state.value.isTurning {
      state.value.isAskedAgain = true
      return
    }
    state.value.isTurning = true
    repeat {
      state.value.isAskedAgain = false
      turnOnce()
    } while state.value.isAskedAgain
    state.value.isTurning = false
  }

  private func turnOnce() {
    while let carried = state.value.carried {
      let turn = carried.process()
      switch turn.action {
      case .connect: connect(to: carried.path)
      case .disconnect: disconnect()
      case .none:
        send()
        return wake(at: turn.deadline)
      }
    }
  }

  /// Ends the work: remaining tasks run on Swift's pool from now on.
  ///
  /// - Returns: when the channel is closed.
  @discardableResult
  func finish() -> EventLoopFuture<Void> {
    state.value.alarm?.task.cancel()
    state.value.alarm = nil
    disconnect()
    state.value.carried = nil
    isOver.store(true, ordering: .releasing)
    return state.value.end
  }

  // MARK: The connection

  private func connect(to path: String) {
    let attempt = ClientBootstrap(group: eventLoop)
      .channelInitializer { [self] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(CarrierHandler(self))
        }
      }
      .connect(unixDomainSocketPath: path)
    state.value.end = attempt.flatMap(\.closeFuture).recover { _ in }
    attempt.whenComplete { [self] in connected($0) }
  }

  private func connected(_ result: Result<any Channel, any Error>) {
    guard let carried = state.value.carried else {
      if case .success(let channel) = result { channel.close(promise: nil) }
      return
    }
    switch result {
    case .success(let channel):
      state.value.channel = channel
      carried.connected()
      // Its end was ignored until now.
      if !channel.isActive { return ended(channel, nil) }
    case .failure(let error as IOError): carried.connectFailed(errno: error.errnoCode)
    case .failure(let error):
      carried.connectFailed(HubError(.noHub, "cannot connect to \(carried.path): \(error)"))
    }
    turn()
  }

  private func disconnect() {
    let channel = state.value.channel
    // So that its end is ignored.
    state.value.channel = nil
    channel?.close(promise: nil)
  }

  /// A channel has ended by itself.
  func ended(_ channel: any Channel, _ error: (any Error)?) {
    guard state.value.channel === channel else { return }
    state.value.channel = nil
    if let error {
      state.value.carried?.disconnected(
        HubError(.connectionLost, "the connection to the hub was lost: \(error)"))
    } else {
      state.value.carried?.disconnected()
    }
    turn()
  }

  // MARK: Bytes and time

  /// Bytes have arrived. `turn` follows.
  func received(_ buffer: ByteBuffer, on channel: any Channel) {
    guard state.value.channel === channel else { return }
    buffer.withUnsafeReadableBytes { state.value.carried?.received($0) }
  }

  /// Sends as much as the channel accepts.
  func send() {
    while let channel = state.value.channel, channel.isWritable, let bytes = state.value.carried?.takeOutput()
    {
      channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }
  }

  /// An earlier alarm suffices: its turn sets the next one.
  private func wake(at deadline: Hub.Instant) {
    if let alarm = state.value.alarm {
      if alarm.deadline <= deadline { return }
      alarm.task.cancel()
      state.value.alarm = nil
    }
    if deadline == .never { return }
    let left = Hub.Instant.now.duration(to: deadline)
    let task = eventLoop.scheduleTask(in: TimeAmount(left)) { [weak self] in
      self?.state.value.alarm = nil
      self?.turn()
    }
    state.value.alarm = (deadline, task)
  }
}
