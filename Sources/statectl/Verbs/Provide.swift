// `statectl provide`: a command that provides stores.

internal import HubCore
internal import HubTransport

extension VerbSpec {
  static let provide = VerbSpec(
    "provide", "STORE|GLOB... -- CMD...", 2 ... .max,
    options: Options([.name, .publish, .onDemand, .description, .takeOver, .waitTurn]),
    summary: "provide stores: a command decides on each write to them",
    details: """
      The hub asks this process about each write by others. CMD runs once for each, one at a time, with the
      value on standard input, and with $STATEHUB_STORE, $STATEHUB_VALUE (missing if the store is being
      removed, and if an environment cannot hold the value), $STATEHUB_OPERATION, $STATEHUB_UID, $STATEHUB_PID,
      $STATEHUB_CLIENT and $STATEHUB_TIMEOUT, in milliseconds. With status 0 the value takes effect, or the one
      that CMD prints; with 75 the writer is asked to try later; any other status refuses the write, with the
      first line on standard error as the reason; if a signal ends it, the writer learns that the outcome is
      unknown. Until then nothing changes, and the writer waits.
      SCRIPT runs once, in a shell, and prints what to publish: lines STORE VALUE; live, once the values are
      true; and suspended REASON while their source is unavailable. Without it the stores are live at once.
      With --on-demand, SCRIPT runs while at least one client watches a store of the claim, and gets SIGTERM
      when none does; it may start many times, and prints the same lines each time. Meanwhile the stores are
      suspended. --timeout is the time for a decision. When statectl ends, writes are refused until the same user provides
      the stores again or releases them (claims --release).
      """,
    examples: [
      "provide display.brightness -- sh -c 'brightnessctl -q set \"${STATEHUB_VALUE?}\"'",
      "provide 'gpio.*' --publish ./read-gpio -- ./write-gpio",
      "provide sensor.lux --on-demand ./read-lux -- false",
    ],
    action: .follow(ProvideCommand.init))
}

struct ProvideCommand: FollowingCommand {
  private let offer: ClaimOffer
  private let command: [Argument]
  private let script: Argument?
  private let isOnDemand: Bool
  private let patience: Duration

  init(_ words: CommandLineWords) throws(Failure) {
    let count = words.firstLiteral
    guard count > 0, count < words.operands.count else {
      throw .usage("the command follows --", hint: "usage: " + Help.synopsis(of: .provide))
    }
    command = Array(words.operands[count...])
    var patterns: [NamePattern] = []
    for operand in words.operands[..<count] {
      patterns.append(try attempt { () throws(HubError) in try NamePattern(operand.text) })
    }
    let name = try words.text(.name).map { text throws(Failure) in
      try attempt { () throws(HubError) in try StoreName(text) }
    }
    let timeout = try words.duration(.timeout) ?? HubConnection.defaultPatience
    offer = ClaimOffer(
      name ?? ClaimOffer.name(for: patterns[0]), patterns,
      timeout: UInt32(clamping: TimeText.milliseconds(timeout)), description: words.text(.description) ?? "",
      waits: words.has(.waitTurn), replaces: words.has(.takeOver))
    let (always, onDemand) = (words.argument(.publish), words.argument(.onDemand))
    if always != nil, onDemand != nil {
      throw .usage("--publish and --on-demand exclude each other: choose one")
    }
    script = always ?? onDemand
    isOnDemand = onDemand != nil
    patience = HubConnection.defaultPatience
  }

  func run(at place: SocketPath, within _: Patience, _ output: inout Output) throws(Failure) {
    var session = try ProviderSession(
      offer, command, publishing: script, isOnDemand: isOnDemand, at: place, patience: patience)
    try session.serve()
  }
}
