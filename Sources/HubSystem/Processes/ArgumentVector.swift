// Where the process's own arguments lie: found by the system's layout of the stack, without a file and without a runtime.

internal import Glibc

/// The words of a command line as the kernel has laid them out.
///
/// Below the environment are the end of the arguments, the arguments, and their count, as the ABI says. Swift's
/// `CommandLine` finds that address by the bounds of the stack, which glibc reads from a file of /proc: if no descriptor
/// is left for that, it has no arguments.
package struct ArgumentVector {
  package typealias Words = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  package let count: Int
  package let words: Words

  /// - Parameter environment: the first word of an environment that is where the kernel has put it. Nil if this cannot be.
  package init?(below environment: Words) {
    guard environment[-1] == nil else { return nil }
    var count = 0
    while Int(bitPattern: environment[-2 - count]) != count {
      if count == ArgumentVector.limit { return nil }
      count += 1
    }
    self.count = count
    words = environment - 1 - count
  }

  /// No process has more: each takes a word of the stack, and the kernel has a limit for these.
  private static let limit = 1 << 22

  private init() {
    count = Int(CommandLine.argc)
    words = CommandLine.unsafeArgv
  }

  /// This process's own. If something has moved the environment before `main`, Swift finds them.
  package static var own: ArgumentVector {
    var local = 0
    let isOnStack = withUnsafePointer(to: &local) { UnsafeRawPointer($0) < UnsafeRawPointer(environ) }
    return isOnStack ? ArgumentVector(below: environ) ?? ArgumentVector() : ArgumentVector()
  }

  /// A word's bytes, without the zero at its end.
  package subscript(index: Int) -> UnsafeRawBufferPointer? {
    words[index].map { UnsafeRawBufferPointer(start: $0, count: strlen($0)) }
  }
}
