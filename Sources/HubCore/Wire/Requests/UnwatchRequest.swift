// `unwatch`: ends a watch that an earlier request of this connection opened.

struct UnwatchCommand: RequestCommand {
  /// The number of that request.
  let watch: UInt32

  static let effect = RequestEffect.immediate

  init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    watch = reader.integer()
    if reader.failed { return nil }
  }

  func request() -> Request { .unwatch(watch) }
}
