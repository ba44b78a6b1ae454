// Finds frames in a byte stream, however it is split. The caller keeps the bytes of incomplete frames.

/// What the available bytes begin with.
@usableFromInline package enum FrameScan {
  /// A complete frame; the next one starts after it.
  case frame(FrameView)
  /// Incomplete: it needs at least this many bytes in total.
  case incomplete(needed: Int)
  /// The frame is longer than allowed, so the rest of the stream cannot be read. Its header is complete, so the answer
  /// can carry its request number. `FrameReader.error` is the message.
  case tooLong(Int)
}

/// Cuts a stream of bytes into frames of at most `maximumLength` bytes, header included.
@usableFromInline package struct FrameReader: Sendable {
  @usableFromInline package var maximumLength: Int

  package init(maximumLength: Int = Frame.defaultMaximumLength) { self.maximumLength = maximumLength }

  @inlinable @inline(__always)
  package func scan(_ bytes: ByteView) -> FrameScan {
    guard bytes.count >= Frame.length.end else { return .incomplete(needed: Frame.headerLength) }
    let length = Frame.length(bytes)
    if length > maximumLength {
      return bytes.count < Frame.headerLength ? .incomplete(needed: Frame.headerLength) : .tooLong(length)
    }
    if bytes.count < length { return .incomplete(needed: length) }
    return .frame(FrameView(bytes: bytes.slice(0, length)))
  }

  package func error(tooLong length: Int) -> HubError {
    HubError(.frameTooLarge, "a frame of \(length) bytes is longer than the limit of \(maximumLength) bytes")
  }
}

/// Collects a stream that arrives in pieces and returns its whole frames: for a client's connection.
package struct FrameAssembler: ~Copyable {
  private var buffer = OutputBuffer(capacity: 4096)
  private var start = 0
  package var reader: FrameReader

  package init(maximumLength: Int = Frame.defaultMaximumLength) {
    reader = FrameReader(maximumLength: maximumLength)
  }

  /// Bytes that are kept and not yet part of a returned frame.
  package var pending: Int { buffer.count - start }

  package mutating func append(_ bytes: ByteView) {
    compact()
    buffer.append(bytes)
  }

  /// Lends at least `room` bytes to `body`, which fills some of them and returns how many.
  package mutating func fill(room: Int = 4096, _ body: (UnsafeMutableRawBufferPointer) -> Int) {
    compact()
    buffer.fill(room: room, body)
  }

  /// Calls `body` with each whole frame in turn, until it returns false or none is left.
  ///
  /// - Returns: the error after which the rest of the stream cannot be read, or nil.
  package mutating func drain(_ body: (FrameView) -> Bool) -> HubError? {
    do throws(HubError) {
      while let frame = try next() {
        if !body(frame) { return nil }
      }
      return nil
    } catch {
      return error
    }
  }

  /// The next complete frame, in place until bytes are added; nil if there is none.
  ///
  /// - Throws: the error after which the rest of the stream cannot be read.
  package mutating func next() throws(HubError) -> FrameView? {
    switch reader.scan(buffer.view.suffix(from: start)) {
    case .frame(let frame):
      start += frame.bytes.count
      return frame
    case .incomplete: return nil
    case .tooLong(let length): throw reader.error(tooLong: length)
    }
  }

  private mutating func compact() {
    guard start > 0 else { return }
    buffer.dropFirst(start)
    start = 0
    if buffer.isEmpty { buffer.clear(keeping: 1 << 16) }
  }
}
