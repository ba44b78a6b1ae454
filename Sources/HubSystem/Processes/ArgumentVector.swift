// Where the process's own arguments lie: found by the system's layout of the stack, without a file and without a runtime.

internal import CLinux
internal import Glibc

/// The words of a command line as the kernel has laid them out.
///
/// At the bottom of the stack lie the bytes of all words, and above them, at lower addresses, the environment's list, an end,
/// the arguments' list, and their count, as the ABI says. The C library keeps the first argument's address. Swift's
/// `CommandLine` starts from the environment's list, which a library may have moved before `main`, and needs a descriptor to
/// learn the bounds of the stack: without either it has no arguments.
package struct ArgumentVector {
  package typealias Words = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  package let count: Int
  package let words: Words

  /// - Parameters:
  ///   - name: the first argument's bytes.
  ///   - top: something that the stack has held since the program's start, or later.
  package init?(of name: UnsafeMutablePointer<CChar>, above top: UnsafeRawPointer) {
    let size = MemoryLayout<Int>.size
    var place = UnsafeMutableRawPointer(name).alignedDown(toMultipleOf: size) - size
    while place - size >= top {
      let words = place.assumingMemoryBound(to: Optional<UnsafeMutablePointer<CChar>>.self)
      let count = (place - size).load(as: Int.self)
      // It fits between here and the bytes, and ends as the list does.
      if words.pointee == name, count > 0, count < (UnsafeMutableRawPointer(name) - place) / size,
        words[count] == nil
      {
        self.count = count
        self.words = words
        return
      }
      place -= size
    }
    return nil
  }

  private init() {
    count = Int(CommandLine.argc)
    words = CommandLine.unsafeArgv
  }

  /// This process's own, on the thread of `main`. If they are not where the system puts them, Swift finds them.
  package static var own: ArgumentVector {
    var local = 0
    return withUnsafePointer(to: &local) { top in
      clinux_first_argument().flatMap { ArgumentVector(of: $0, above: UnsafeRawPointer(top)) }
    } ?? ArgumentVector()
  }

  /// A word's bytes, without the zero at its end.
  package subscript(index: Int) -> UnsafeRawBufferPointer? {
    words[index].map { UnsafeRawBufferPointer(start: $0, count: strlen($0)) }
  }
}

extension CurrentProcess {
  /// The words of its command line, the first of which names the program. Only on the thread of `main`.
  package static var arguments: [[UInt8]] {
    let vector = ArgumentVector.own
    return (0..<vector.count).compactMap { vector[$0].map { [UInt8]($0) } }
  }

  /// The same as text, without the program's name.
  package static var words: [String] { arguments.dropFirst().map { String(decoding: $0, as: UTF8.self) } }

  /// The program's name, without its directory. On any thread, also in a program of another language that has loaded this library.
  package static var name: String? {
    clinux_first_argument().flatMap { String(cString: $0).split(separator: "/").last.map(String.init) }
  }

  /// The words of its command line as the system shows them; none if it shows none. Where `name` is known.
  package static var shownArguments: [String] {
    let text = (try? File.contents(of: "/proc/self/cmdline", limit: 1 << 22)) ?? []
    return text.split(separator: 0, omittingEmptySubsequences: false).dropLast()
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
