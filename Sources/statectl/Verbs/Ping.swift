// `statectl ping`: whether the hub answers, its identity, and its response time.

internal import HubCore
internal import HubTransport

extension VerbSpec {
  static let ping = VerbSpec(
    "ping", "", 0...0,
    summary: "check whether the hub responds",
    details: "Prints the hub's version, process and revision, and the response time.",
    examples: ["ping"],
    action: .ask { _ in command })
}

private func command(_ client: inout Client, _ output: inout Output) throws(Failure) {
  let start = Deadline.now
  guard case .pong(let revision) = try client.ask(.ping), let welcome = client.welcome else {
    throw .unexpectedReply
  }
  let microseconds = (Deadline.now.nanoseconds - start.nanoseconds) / 1000
  if output.isJSON {
    return try output.json {
      $0.member("release", welcome.release)
      $0.member("protocol", welcome.version)
      $0.member("pid", welcome.pid)
      $0.member("epoch", welcome.epoch.description)
      $0.member("revision", revision)
      $0.member("microseconds", microseconds)
    }
  }
  let release = ValueText.visible(welcome.release)
  let milliseconds = DecimalText.of(microseconds, digits: 3)
  try output.line(
    "statehub \(release), pid \(welcome.pid), revision \(revision): answered in \(milliseconds) ms")
}
