// One word of the command line as the bytes that were typed; it does not interpret options.

internal import HubCore
internal import HubSystem

/// The bytes decide: an argument may be data that is not text.
///
/// They have a reference of their own: for an array of them the Swift runtime would build its type at every start,
/// which takes longer than most verbs.
struct Argument: ExpressibleByStringLiteral, Sendable {
  /// Sendable, because only `init` writes to the buffer.
  private final class Storage: @unchecked Sendable {
    let buffer: OutputBuffer

    init(_ bytes: ByteView) {
      var buffer = OutputBuffer(capacity: max(1, bytes.count))
      buffer.append(bytes)
      self.buffer = buffer
    }
  }

  private let storage: Storage

  /// A copy of the bytes.
  init(_ bytes: ByteView) { storage = Storage(bytes) }
  init(bytes: [UInt8]) { storage = bytes.withByteView { Storage($0) } }
  init(stringLiteral text: String) { self.init(text) }

  init(_ text: String) {
    var text = text
    storage = text.withUTF8 { Storage(ByteView(UnsafeRawBufferPointer($0))) }
  }

  var count: Int { storage.buffer.count }
  var bytes: [UInt8] { storage.buffer.array }

  /// For names, options and messages; bytes that are not UTF-8 are replaced.
  var text: String { storage.buffer.view.text }

  /// Lends the bytes to `body` as a view that must not leave it.
  func withView<R>(_ body: (ByteView) throws(Failure) -> R) throws(Failure) -> R {
    // The view does not keep the argument alive.
    defer { withExtendedLifetime(storage) {} }
    return try body(storage.buffer.view)
  }
}

extension Argument: Hashable {
  static func == (a: Argument, b: Argument) -> Bool { a.storage.buffer.view.equals(b.storage.buffer.view) }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes: storage.buffer.view.buffer) }
}

extension Argument {
  /// The process's own arguments, without the program's name.
  static func process() -> [Argument] {
    var (arguments, index) = ([Argument](), 1)
    while let word = CurrentProcess.argument(index) {
      arguments.append(Argument(ByteView(word)))
      index += 1
    }
    return arguments
  }
}
