// `statectl provide`: a command that provides stores.

internal import HubCore
internal import HubTransport

extension VerbSpec {
  static let provide = VerbSpec(
    "provide", "STORE|GLOB... -- CMD...", 2 ... .max,
    options: Options([.name, .publish, .onDemand, .onRead, .description, .takeOver, .waitTurn]),
    summary: "provide stores: a command decides on each write to them",
    details: """
      The hub asks this process about every write by other clients. CMD runs once for each write, one at a time,
      with the value on standard input, and with $STATEHUB_STORE, $STATEHUB_VALUE (unset if the store is being
      removed, or if an environment cannot hold the value), $STATEHUB_OPERATION, $STATEHUB_UID, $STATEHUB_PID,
      $STATEHUB_CLIENT and $STATEHUB_TIMEOUT (in milliseconds). Exit status 0 accepts the value, or the one that
      CMD prints; 75 asks the writer to try again later; any other status refuses the write, with the first line
      of standard error as the reason. If a signal kills CMD, the writer gets the error that the outcome is
      unknown. Until CMD exits, nothing changes and the writer waits.
      SCRIPT runs once, in a shell, and prints what to publish: lines of STORE VALUE; live, once the values are
      correct; suspended REASON, while their source is unavailable. Without SCRIPT the stores are live from the
      start.
      With --on-demand, SCRIPT runs while at least one client watches a store of the claim, and gets SIGTERM
      when none does. It may be started many times, and prints the same lines each time. While it does not run,
      the stores are suspended. $STATEHUB_INTERVAL is the shortest interval that a client asks for, in
      milliseconds, unset if a client asks for every change; when it changes, SCRIPT is started again.
      With --on-read, its SCRIPT runs before a get of a store is answered, with $STATEHUB_STORE,
      $STATEHUB_OPERATION (get) and $STATEHUB_TIMEOUT, and prints the value to publish, or nothing. Its exit
      status has the same meaning as CMD's, and a refusal is reported to the reader. Watches, globs and lists
      get the value that was published last.
      --timeout limits each decision. When statectl exits, writes are refused until the same user provides the
      stores again or releases them (claims --release).
      """,
    examples: [
      "provide display.brightness -- sh -c 'brightnessctl -q set \"${STATEHUB_VALUE?}\"'",
      "provide 'gpio.*' --publish ./read-gpio -- ./write-gpio",
      "provide sensor.lux --on-demand ./read-lux -- false",
      "provide host.load --on-read 'cut -d \" \" -f 1 /proc/loadavg' -- false",
    ],
    action: .follow(command))
}

private func command(_ words: CommandLineWords) throws(Failure) -> FollowingCommand {
  let count = words.firstLiteral
  guard count > 0, count < words.operands.count else {
    throw .usage("put the command after --", hint: "usage: " + Help.synopsis(of: .provide))
  }
  let command = Array(words.operands[count...])
  var patterns: [NamePattern] = []
  for index in 0..<count { patterns.append(try words.pattern(index)) }
  let name = try words.text(.name).map { text throws(Failure) in
    try attempt { () throws(HubError) in try StoreName(text) }
  }
  let timeout = try words.answerPatience()
  let offer = ClaimOffer(
    name ?? ClaimOffer.name(for: patterns[0]), patterns,
    timeout: UInt32(clamping: TimeText.milliseconds(timeout)), description: words.text(.description) ?? "",
    waits: words.has(.waitTurn), replaces: words.has(.takeOver),
    answersReads: words.has(.onRead))
  return { place, _, _ throws(Failure) in
    var session = try ProviderSession(
      offer, command, onRead: words.argument(.onRead),
      publishing: words.argument(.publish) ?? words.argument(.onDemand), isOnDemand: words.has(.onDemand),
      at: place, patience: HubConnection.defaultPatience)
    try session.serve()
  }
}
