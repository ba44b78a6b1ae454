// This process's own arguments.

internal import CLinux
internal import Glibc

extension CurrentProcess {
  /// How many words its command line has, the program's name included. On any thread. Swift's `CommandLine` needs a descriptor
  /// to find them, and reads a file at every start, used or not.
  package static var argumentCount: Int { Int(clinux_argument_count()) }

  /// A word's bytes, without the zero at its end; nil behind the last.
  package static func argument(_ index: Int) -> UnsafeRawBufferPointer? {
    guard index >= 0, index < argumentCount, let word = clinux_argument(Int32(index)) else { return nil }
    return UnsafeRawBufferPointer(start: word, count: strlen(word))
  }

  /// The words of its command line, the first of which names the program.
  package static var arguments: [[UInt8]] {
    (0..<argumentCount).compactMap { argument($0).map { [UInt8]($0) } }
  }

  /// The same as text, without the program's name.
  package static var words: [String] { arguments.dropFirst().map { String(decoding: $0, as: UTF8.self) } }
}
