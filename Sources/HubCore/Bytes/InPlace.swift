// Owns the mark of a large part that is only ever handled where it lies.

internal import Synchronization

/// What holds one is never a value that the compiler moves or takes apart. Without it, for each method that only reads a
/// noncopyable value, Swift 6.3 counts all parts of that value over and over: with it in `Feed`, and so in the engine, HubCore
/// compiles for debugging in 17 s instead of 52.
struct InPlace: ~Copyable {
  /// An atomic has an address. Nobody reads it.
  private let address = Atomic<UInt8>(0)
}
