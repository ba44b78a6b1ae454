// `reload`: asks the hub to reload its configuration and switch to the installed program. Repeating it does no harm.

struct ReloadCommand: RequestCommand {
  static let effect = RequestEffect.none

  init(_ frame: FrameView) {}

  func request() -> Request { .reload }
}
