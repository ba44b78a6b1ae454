// A terminal of a test's own: what a program writes to it is read here.

import CLinux
import Glibc
import TestSupport

final class PseudoTerminal {
  /// What a program opens to write to it.
  let path: String
  private let main: Int32
  /// Keeps the terminal alive between two programs.
  private let other: Int32
  private var pending: [UInt8] = []

  init() throws {
    // TIOCSPTLCK and TIOCGPTN, which Swift cannot import: unlock the other side, and tell its number.
    var (locked, number): (Int32, Int32) = (0, 0)
    main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard main >= 0, ioctl(main, 0x4004_5431, &locked) == 0, ioctl(main, 0x8004_5430, &number) == 0 else {
      throw TestFailure("no terminal: \(String(cString: strerror(errno)))")
    }
    path = "/dev/pts/\(number)"
    other = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
  }

  deinit {
    close(main)
    close(other)
  }

  /// The next line, without its end.
  func line() throws -> String {
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let line = pending[..<end].filter { $0 != UInt8(ascii: "\r") }
        pending.removeFirst(end + 1)
        return String(decoding: line, as: UTF8.self)
      }
      try receive()
    }
  }

  /// Everything that is written, line or not, up to the first time that `text` has been.
  func text(through text: String) throws -> String {
    while true {
      if let range = pending.firstRange(of: Array(text.utf8)) {
        defer { pending.removeFirst(range.upperBound) }
        return String(decoding: pending[..<range.upperBound], as: UTF8.self)
      }
      try receive()
    }
  }

  /// What a person types, with the key that ends a line.
  func type(_ text: String) throws {
    var line = text + "\n"
    guard line.withUTF8({ write(main, $0.baseAddress, $0.count) }) == line.utf8.count else {
      throw TestFailure("cannot type: \(String(cString: strerror(errno)))")
    }
  }

  /// How wide programs believe it to be.
  func resize(columns: UInt16) {
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(main, UInt(TIOCSWINSZ), &size)
  }

  private func receive() throws {
    var entry = pollfd(fd: main, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, longestPoll) > 0 else {
      throw TestFailure(
        "nothing more was written to the terminal: \(String(decoding: pending, as: UTF8.self))")
    }
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = read(main, &chunk, chunk.count)
    guard count > 0 else { throw TestFailure("the terminal has closed") }
    pending += chunk.prefix(count)
  }
}
