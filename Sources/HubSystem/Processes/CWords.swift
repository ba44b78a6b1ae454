// A list of C strings for the system, which ends with a null pointer. It owns them.

internal import Glibc

struct CWords: ~Copyable {
  private var words: [UnsafeMutablePointer<CChar>?] = [nil]

  /// - Parameter bytes: without a zero.
  mutating func append(_ bytes: [UInt8]) {
    let word = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() { word[index] = CChar(bitPattern: byte) }
    word[bytes.count] = 0
    words.insert(word, at: words.count - 1)
  }

  deinit { for word in words { word?.deallocate() } }

  /// - Parameter body: must not keep the pointer.
  mutating func withPointers<R>(_ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R) -> R {
    words.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
  }
}
