// What a command prints, read while it runs and kept up to a limit.

internal import HubCore
internal import HubSystem

final class CapturedOutput {
  private var pipe: Pipe?
  private var buffer = OutputBuffer(capacity: 256)
  private let limit: Int
  /// Beyond the limit nothing more is read: for the command, the reader has gone. Otherwise it is read and lost.
  private let stops: Bool
  /// It has printed more than the limit.
  private(set) var isTooLong = false

  init(limit: Int, stops: Bool) throws(Failure) {
    self.limit = limit
    self.stops = stops
    let pipe = try SystemError.attempt(try Pipe()) { Failure.system("cannot make a pipe", $0) }
    Descriptor.setNonblocking(pipe.reading.raw)
    self.pipe = consume pipe
  }

  /// The end that the command gets; close it here once the command has it.
  var writingEnd: Int32 {
    switch pipe {
    case .some(let pipe): pipe.writingEnd
    case nil: -1
    }
  }

  func closeWriting() { pipe?.closeWriting() }

  /// Readable when there is output; -1 at its end.
  var descriptor: Int32 {
    switch pipe {
    case .some(let pipe): pipe.reading.raw
    case nil: -1
    }
  }

  /// What was printed, at most as much as the limit.
  var bytes: [UInt8] { Array(buffer.view.array.prefix(limit)) }

  /// It reads at most this often at once, so that endless output does not keep the session from the hub.
  private static let mostReads = 16

  /// Reads the output that has arrived.
  func read() {
    for _ in 0..<CapturedOutput.mostReads {
      guard descriptor >= 0 else { return }
      let result = buffer.read(from: descriptor)
      if buffer.count > limit {
        isTooLong = true
        if stops { pipe = nil } else { buffer.truncate(to: limit) }
      }
      switch result {
      case .bytes: continue
      case .wouldBlock: return
      case .ended, .failed: pipe = nil
      }
    }
  }
}
