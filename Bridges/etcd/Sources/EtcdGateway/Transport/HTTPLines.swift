// The lines of a stream, independent of its pieces.

internal import Glibc

/// Lines without their line feeds, which the last one may lack.
package struct HTTPLines: AsyncSequence, AsyncIteratorProtocol {
  private let stream: HTTPStream
  private var splitter: LineSplitter
  private var isAtEnd = false

  init(_ stream: HTTPStream, longest: Int) {
    self.stream = stream
    splitter = LineSplitter(longest: longest)
  }

  /// The next line; `nil`: there is none. A line longer than allowed ends it with `tooLong`.
  package mutating func next() async throws(TransportFailure) -> [UInt8]? {
    while true {
      if let line = splitter.next() { return line }
      if splitter.isTooLong {
        stream.cancel()
        throw TransportFailure(
          .tooLong, mayHaveBeenReceived: true, "a line is longer than \(splitter.longest) bytes")
      }
      if isAtEnd { return splitter.rest() }
      if let piece = try await stream.next() { splitter.append(piece) } else { isAtEnd = true }
    }
  }

  /// Itself: lines are read once.
  package func makeAsyncIterator() -> HTTPLines { self }
}

extension HTTPStream {
  /// Its lines, each at most so many bytes long.
  package func lines(longest: Int = 256 * 1024 * 1024) -> HTTPLines { HTTPLines(self, longest: longest) }
}

/// Splits bytes at line feeds. No byte is searched twice.
struct LineSplitter {
  let longest: Int
  private var bytes: [UInt8] = []
  private var start = 0
  private var searched = 0

  init(longest: Int) { self.longest = longest }

  /// Whether an unfinished line is already longer than allowed.
  var isTooLong: Bool { bytes.count - start > longest }

  mutating func append(_ piece: [UInt8]) {
    if start > 0 {
      bytes.removeSubrange(..<start)
      searched -= start
      start = 0
    }
    bytes.append(contentsOf: piece)
  }

  /// The next complete line.
  mutating func next() -> [UInt8]? {
    let end = bytes.withUnsafeBytes { all -> Int? in
      guard let base = all.baseAddress, searched < all.count else { return nil }
      guard let feed = memchr(base + searched, 10, all.count - searched) else { return nil }
      return UnsafeRawPointer(feed) - base
    }
    guard let end else {
      searched = bytes.count
      return nil
    }
    defer {
      start = end + 1
      searched = start
    }
    return Array(bytes[start..<end])
  }

  /// The bytes after the last line feed, once.
  mutating func rest() -> [UInt8]? {
    defer { start = bytes.count }
    return start < bytes.count ? Array(bytes[start...]) : nil
  }
}
