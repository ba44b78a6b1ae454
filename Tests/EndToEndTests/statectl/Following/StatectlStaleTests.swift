// What statectl says of values whose provider, or whose hub, is away.

import HubCore
import TestSupport
import Testing

@Suite("statectl --if-stale", .blocking)
final class StatectlStaleTests: BenchSuite {
  /// A provider of `dev.*` that is live.
  private func provide() throws -> ChildProcess {
    let provider = try control.start("provide", "dev.*", "--name", "dev", "--", "true")
    while try !control.run("claims").output.contains("live") {}
    return provider
  }

  /// The same with a value, and beside it one that is nobody's.
  private func provideValue() throws -> ChildProcess {
    let provider = try provide()
    try control.perform("set", "dev.x", "1")
    try control.perform("set", "other", "2")
    return provider
  }

  /// Ends it, and waits until the hub has noticed.
  private func end(_ provider: ChildProcess) throws {
    provider.kill()
    while try !control.run("claims").output.contains("vacant") {}
  }

  @Test("get and describe print values of a provider that is there as always")
  func live() throws {
    let provider = try provideValue()
    #expect(try control.run("get", "dev.x", "--if-stale", "fail").output == "1\n")
    #expect(try control.run("get", "dev.x", "other", "--if-stale=show").output == "dev.x\t1\nother\t2\n")
    #expect(try control.run("get", "dev.x", "--if-stale", "show", "--json").output.contains("\"stale\":null"))
    #expect(try control.run("describe", "dev.x").output.contains("provider:     dev, live\n"))
    #expect(try !control.run("describe", "other").output.contains("provider"))
    provider.kill()
  }

  @Test("get and describe say that a value may be wrong, or fail")
  func away() throws {
    let provider = try provideValue()
    try end(provider)
    #expect(try control.run("get", "dev.x").output == "1\n")
    let shown = try control.run("get", "dev.x", "--if-stale", "show")
    #expect(shown.status == 0 && shown.output == "1\n")
    #expect(
      shown.errors.matches(
        of: /^statectl: dev.x: stale since .* UTC: its provider is not connected \(dev\)\n$/
      )
      .count == 1)
    let failed = try control.run("get", "dev.x", "other", "--if-stale", "fail")
    #expect(failed.status == 12 && failed.output == "other\t2\n")
    #expect(failed.errors == shown.errors)
    let globbed = try control.run("get", "**", "--if-stale", "fail")
    #expect(
      globbed.status == 12 && globbed.output.contains("other\t2\n") && !globbed.output.contains("dev.x"))
    let json = try control.run("get", "dev.x", "--if-stale", "show", "--json").output
    #expect(json.contains("\"stale\":{\"provider\":\"dev\",\"state\":\"vacant\",\"staleSince\":\"20"))
    let described = try control.run("describe", "dev.x")
    #expect(described.status == 0)
    #expect(
      described.output.matches(of: /provider:     dev, vacant since .*: its provider is not connected\n/)
        .count
        == 1)
    #expect(try control.run("describe", "dev.x", "--json").output.contains("\"provider\":{\"name\":\"dev\","))
    #expect(try control.run("describe", "dev.x", "--if-stale=fail").status == 12)
    #expect(try control.run("get", "dev.x", "--if-stale", "perhaps").status == 2)
  }

  @Test("watch says when values stop being live and are so again; its own lines stay as they are")
  func watching() throws {
    var provider = try provide()
    try control.perform("set", "dev.x", "1")
    let watch = try control.start("watch", "dev.x", "--if-stale", "show", "--json", "--timeout", "60s")
    #expect(try watch.lines(1)[0].contains("\"value\":1") && watch.lines(1)[0].contains("\"stale\":null"))
    try end(provider)
    let stale = try watch.lines(2)[1]
    #expect(
      stale.hasPrefix("{\"kind\":\"stale\",\"provider\":\"dev\",\"state\":\"vacant\",\"staleSince\":\"20"))
    #expect(stale.hasSuffix("\"reason\":\"its provider is not connected\",\"stores\":[\"dev.*\"]}"))
    provider = try provide()
    let lines = try watch.lines(4)
    #expect(
      lines[2].contains("\"state\":\"syncing\"")
        && lines[3].hasPrefix("{\"kind\":\"live\",\"provider\":\"dev\""))
    try control.perform("set", "dev.x", "2")
    #expect(try watch.lines(5)[4].contains("\"value\":2"))
    watch.kill()
    let text = try control.start("watch", "dev.*", "--if-stale", "show", "-n", "2", "--timeout", "60s")
    #expect(try text.lines(1) == ["dev.x\t2"])
    try end(provider)
    provider = try provide()
    try control.perform("set", "dev.x", "3")
    #expect(try text.lines(2) == ["dev.x\t2", "dev.x\t3"])
    #expect(try text.status() == 0)
    #expect(
      text.standardError.contains("statectl: dev.*: stale since ")
        && text.standardError.contains("statectl: dev.*: live again (dev)"))
    provider.kill()
  }

  @Test("watch ends when a value of its stores may be wrong; a provider of others does not matter")
  func ending() throws {
    let provider = try provideValue()
    let watch = try control.start("watch", "dev.x", "--if-stale=fail", "--timeout", "60s")
    let other = try control.start("watch", "other", "--if-stale=fail", "--timeout", "60s")
    #expect(try watch.lines(1) == ["1"])
    #expect(try other.lines(1) == ["2"])
    try end(provider)
    #expect(try watch.status() == 12)
    #expect(watch.standardError.contains("dev.*: stale since"))
    #expect(try control.run("watch", "dev.x", "--if-stale=fail").status == 12)
    try control.perform("set", "other", "3")
    #expect(try other.lines(2) == ["2", "3"])
    other.kill()
  }

  @Test("watch says when the hub has been away for a while, or ends with what is wrong")
  func hubAway() throws {
    try control.perform("set", "other", "2")
    let watch = try control.start("watch", "other", "--if-stale=show", "--json", "--timeout", "60s")
    let strict = try control.start("watch", "other", "--if-stale=fail", "--timeout", "60s")
    _ = try (watch.lines(1), strict.lines(1))
    bench.hub.kill()
    #expect(try watch.lines(2)[1].hasPrefix("{\"kind\":\"unreachable\",\"reason\":\""))
    #expect([3, 11].contains(try strict.status()))
    watch.kill()
  }
}
