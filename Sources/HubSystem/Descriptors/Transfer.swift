// Bytes between memory and descriptors: the result of one read or write, and the calls for descriptors that are not sockets.

internal import Glibc

/// The result of a read or a write.
@usableFromInline package enum Transfer: Equatable, Sendable {
  /// That many bytes, at least one.
  case bytes(Int)
  /// It would have to wait.
  case wouldBlock
  /// Nothing more follows.
  case ended
  case failed(SystemError)

  /// How many bytes it has moved; nil: none, and none ever will be.
  @inlinable @inline(__always)
  package var count: Int? {
    switch self {
    case .bytes(let count): count
    case .wouldBlock: 0
    case .ended, .failed: nil
    }
  }

  /// After a call that has moved no byte: why.
  @usableFromInline @inline(never)
  static func none(_ result: Int) -> Transfer {
    if result == 0 { return .ended }
    let problem = SystemError.last
    // A send that does not wait is not interrupted; if it were, trying again would also be correct.
    return problem == .wouldBlock || problem == .interrupted ? .wouldBlock : .failed(problem)
  }

  /// The result of `call`, which is repeated whenever a signal interrupts it.
  static func uninterrupted(_ call: () -> Int) -> Transfer {
    while true {
      let count = call()
      if count > 0 { return .bytes(count) }
      if count < 0, errno == EINTR { continue }
      return .none(count)
    }
  }
}

extension Descriptor {
  package static func read(_ raw: Int32, into room: UnsafeMutableRawBufferPointer) -> Transfer {
    Transfer.uninterrupted { Glibc.read(raw, room.baseAddress, room.count) }
  }

  /// Writes from the front of `bytes`.
  package static func write(_ bytes: UnsafeRawBufferPointer, to raw: Int32) -> Transfer {
    Transfer.uninterrupted { Glibc.write(raw, bytes.baseAddress, bytes.count) }
  }

  /// Reads what is there now, once and at most `limit` bytes: an end and a failure are nothing.
  package static func readOnce(_ raw: Int32, limit: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: limit) { room, count in
      count =
        if case .bytes(let read) = read(raw, into: UnsafeMutableRawBufferPointer(room)) { read } else { 0 }
    }
  }

  /// Writes all of it, waiting where it must.
  ///
  /// - Returns: the error, if not all of it could be written.
  @discardableResult
  package static func writeAll(_ bytes: UnsafeRawBufferPointer, to raw: Int32) -> SystemError? {
    var rest = bytes
    while !rest.isEmpty {
      switch write(rest, to: raw) {
      case .bytes(let count): rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      case .wouldBlock: Poll.wait(for: .writing, on: raw)
      case .ended: return .noSpace
      case .failed(let problem): return problem
      }
    }
    return nil
  }
}
