// `ping`: asks for an answer, and nothing else.

struct PingCommand: RequestCommand {
  static let effect = RequestEffect.none

  init(_ frame: FrameView) {}

  func request() -> Request { .ping }
}
