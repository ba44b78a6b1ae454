// `ping`: checks that the hub answers.

struct PingCommand: RequestCommand {
  static let effect = RequestEffect.none

  init(_ frame: FrameView) {}

  func request() -> Request { .ping }
}
