// `statectl wait`: a watch that ends when its goal is reached.

internal import HubCore
internal import HubTransport

extension VerbSpec {
  static let wait = VerbSpec(
    "wait", "STORE eq|ne|lt|le|gt|ge|exists|absent|changes [V]...", 2 ... .max,
    options: Options([.any, .all, .stableFor]),
    summary: "wait until a condition holds, and print the value",
    details: """
      Prints the value and exits as soon as the condition holds. The symbols == != < <= > >= can be used too;
      quote them for the shell. It waits for a store that does not exist yet, except with absent and ne: a
      missing store is not equal to anything. changes holds at the next change, including a removal or the
      expiry of a value. Several conditions need --any or --all; each condition that holds is then printed as
      name, tab, value. --timeout limits the whole wait; the status is then 124. With --timeout 0 it checks
      once.
      """,
    examples: [
      "wait network.up eq true --timeout 30", "wait jobs.left '<=' 0", "wait config changes",
      "wait leader absent", "wait --all database.up eq true cache.up eq true",
      "wait temperature lt 80 --stable-for 1m",
    ],
    action: .follow(command))
}

/// Checks every change, or lets the hub do so: values that meet the conditions for a moment are enough.
private func command(_ words: CommandLineWords) throws(Failure) -> FollowingCommand {
  let goal = try WaitGoal(words)
  if words.has(.stableFor), try Patience(words).looksOnce {
    throw .usage("--stable-for cannot be used with --timeout 0, which checks only once")
  }
  return { place, patience, output throws(Failure) in
    var goal = goal
    let filter = goal.filter
    var follower = try Follower(
      goal.patterns, policy: filter == nil ? .every : .latest, at: place, for: .wait,
      until: patience.deadline, filter: filter)
    while true {
      let mayHaveMore = try follower.advance(until: patience.deadline)
      for event in follower.takeEvents() where try goal.take(event) { return try show(goal, to: &output) }
      if follower.descriptor < 0 { goal.interrupt() }
      if goal.isKnown, patience.looksOnce { throw timeout(goal) }
      if mayHaveMore { continue }
      // Everything that has arrived has been handled, so nothing has interrupted the condition.
      if goal.isReached() { return try show(goal, to: &output) }
      if patience.deadline <= .now {
        // For the message: what the filter has left out.
        if filter != nil {
          if follower.descriptor < 0 { throw timeout(goal, "the hub is away") }
          follower.takeRest()
        }
        for event in follower.takeEvents() where try goal.take(event) { return try show(goal, to: &output) }
        throw timeout(goal)
      }
      try follower.wait(output.descriptor, until: min(patience.deadline, goal.due))
    }
  }
}

private func show(_ goal: WaitGoal, to output: inout Output) throws(Failure) {
  for event in try goal.results() {
    if output.isJSON {
      try output.json { $0.members(of: event, kind: event.kind.isAboutStore ? nil : "absent") }
    } else if goal.mode != .one {
      try output.line(event.name + (event.value.map { "\t" + ValueText.line($0) } ?? ""))
    } else if let value = event.value {
      try output.value(value)
    }
  }
}

private func timeout(_ goal: WaitGoal, _ state: String? = nil) -> Failure {
  .hub(
    HubError(
      .timeout, store: goal.mode == .one ? goal.clauses[0].store.text : nil,
      "timed out: \(state ?? goal.state)"))
}
