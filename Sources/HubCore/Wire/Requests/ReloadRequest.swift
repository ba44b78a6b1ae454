// `reload`: asks the hub to reload its configuration and switch to the installed program. Repeating it is harmless.

struct ReloadCommand: RequestCommand {
  static let effect = RequestEffect.none

  init(_ frame: FrameView) {}

  func request() -> Request { .reload }
}
