// `reload`: asks the hub to take over its configuration and its program anew. Doing that twice does no harm.

struct ReloadCommand: RequestCommand {
  static let effect = RequestEffect.none

  init(_ frame: FrameView) {}

  func request() -> Request { .reload }
}
