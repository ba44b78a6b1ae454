// `stats`: asks for the hub's metrics.

struct StatsCommand: RequestCommand {
  static let effect = RequestEffect.none

  init(_ frame: FrameView) {}

  func request() -> Request { .stats }
}
