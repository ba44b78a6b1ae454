// One word of the command line as the bytes that were typed; it knows nothing of options.

internal import HubCore

/// The bytes decide: an argument may be data that is not text.
struct Argument: Hashable, Sendable, ExpressibleByStringLiteral {
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }
  init(_ text: String) { bytes = Array(text.utf8) }
  init(stringLiteral text: String) { self.init(text) }

  /// For names, options and messages; bytes that are not UTF-8 are replaced.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The process's own arguments, without the program's name.
  static func process() -> [Argument] {
    var arguments: [Argument] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let pointer = CommandLine.unsafeArgv[index] else { break }
      var length = 0
      while pointer[length] != 0 { length += 1 }
      arguments.append(Argument(bytes: Array(UnsafeRawBufferPointer(start: pointer, count: length))))
    }
    return arguments
  }
}
