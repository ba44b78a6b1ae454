// Where the process's own arguments lie: found by the system's layout of the stack, without a file and without a runtime.

internal import Glibc
internal import HubCore

/// The words of a command line as the kernel has laid them out.
///
/// Below the environment are the end of the arguments, the arguments, and their count, as the ABI says. Swift's
/// `CommandLine` finds that address by the bounds of the stack, which glibc reads from a file of /proc: if no descriptor
/// is left for that, it has no arguments.
struct ArgumentVector {
  typealias Words = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  let count: Int
  let words: Words

  /// - Parameter environment: the first word of an environment that is where the kernel has put it. Nil if this cannot be.
  init?(below environment: Words) {
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
  static var own: ArgumentVector {
    var local = 0
    let isOnStack = withUnsafePointer(to: &local) { UnsafeRawPointer($0) < UnsafeRawPointer(environ) }
    return isOnStack ? ArgumentVector(below: environ) ?? ArgumentVector() : ArgumentVector()
  }
}

extension Argument {
  /// The process's own arguments, without the program's name.
  static func process() -> [Argument] {
    let vector = ArgumentVector.own
    var arguments: [Argument] = []
    for index in 1..<max(1, vector.count) {
      guard let word = vector.words[index] else { break }
      arguments.append(Argument(ByteView(base: UnsafeRawPointer(word), count: strlen(word))))
    }
    return arguments
  }
}
