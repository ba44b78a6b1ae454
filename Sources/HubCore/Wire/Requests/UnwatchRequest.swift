// `unwatch`: ends a watch that an earlier request of this connection opened.

package struct UnwatchCommand: RequestCommand {
  /// The number of that request.
  package let watch: UInt32

  package static let effect = RequestEffect.immediate

  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    watch = reader.integer()
    if reader.failed { return nil }
  }

  package func request() -> Request { .unwatch(watch) }
}
