// What a command prints, read while it runs and kept up to a limit.

internal import HubCore
internal import HubSystem

final class CapturedOutput {
  enum Excess {
    /// It is read and lost.
    case drop
    /// Nothing more is read: for the command, the reader has gone.
    case refuse
  }

  private var pipe: Pipe?
  private var buffer = OutputBuffer(capacity: 256)
  private let limit: Int
  private let excess: Excess
  /// It has printed more than the limit.
  private(set) var isTooLong = false

  init(limit: Int, _ excess: Excess) throws(Failure) {
    self.limit = limit
    self.excess = excess
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

  private static let piece = 1 << 16
  /// At most this many pieces are read at once, so that endless output does not keep the session from the hub.
  private static let mostPieces = 16

  /// Reads what has come.
  func read() {
    for _ in 0..<CapturedOutput.mostPieces {
      guard descriptor >= 0 else { return }
      var result = Transfer.ended
      let descriptor = self.descriptor
      buffer.fill(room: CapturedOutput.piece) { room in
        result = Descriptor.read(descriptor, into: room)
        return result.count ?? 0
      }
      if buffer.count > limit {
        isTooLong = true
        switch excess {
        case .drop: buffer.truncate(to: limit)
        case .refuse: pipe = nil
        }
      }
      switch result {
      case .bytes: continue
      case .wouldBlock: return
      case .ended, .failed: pipe = nil
      }
    }
  }
}
