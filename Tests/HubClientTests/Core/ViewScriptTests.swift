// The scripts of docs/vectors/views.json, played to the client library's own core: what its streams show has to be the same.

import HubCore
import HubTransport
import TestSupport
import Testing

@testable import HubClient

@Suite("The scripts of the protocol's page")
struct ViewScriptTests {
  @Test("the client shows what they say, with what was skipped, and resumes from their bookmarks")
  func scripts() throws {
    let text = Array(readFile("\(checkout)/docs/vectors/views.json").utf8)
    let scripts = try JSON.parse(text.span).elements
    #expect(scripts.count >= 25)
    for script in scripts {
      var player = ScriptPlayer()
      for (index, step) in script[at: "steps"].elements.enumerated() {
        let (shown, bookmarks) = player.play(step)
        let place = "\(script[at: "name"].text), step \(index + 1)"
        #expect(shown == step[at: "shows"].elements.map(ScriptPlayer.line), "\(place)")
        for (label, bookmark) in bookmarks {
          #expect(
            bookmark == step[at: "views"][at: label][at: "bookmark"][at: "revision"].number,
            "\(place): bookmark of \(label)")
        }
      }
    }
  }
}

/// The client's core on a connection whose every byte is the script's.
private struct ScriptPlayer {
  private var core = Box()
  private var streams: [String: EventStream] = [:]
  private var now = Deadline(nanoseconds: 1)
  private var wasLost = false

  private final class Box {
    var core = ClientCore(name: "program", seed: 1)
    var effects = Effects()
  }

  /// - Returns: what the streams show, and the bookmarks that the client has to have now.
  mutating func play(_ step: JSONValue) -> (shown: [String], bookmarks: [(String, UInt64?)]) {
    var bookmarks: [(String, UInt64?)] = []
    switch step[at: "step"].text {
    case "welcome":
      connect()
      receive(step, to: requests().first { $0.kind == .request(.hello) }?.request ?? 0)
    case "watching":
      let label = step[at: "watch"].text
      if streams[label] == nil { open(label, step[at: "patterns"].elements.map(\.text)) }
      let subscription = core.core.subscriptions[streams[label]!.key]!
      bookmarks = [(label, subscription.view.bookmark?.revision)]
      receive(step, to: subscription.watch!)
    case "unwatched":
      core.core.close(streams.removeValue(forKey: step[at: "watch"].text)!, &core.effects)
    case "lost":
      core.core.lost(HubError(.connectionLost, "lost"), now: now, &core.effects)
      wasLost = true
      for (label, stream) in streams {
        bookmarks.append((label, core.core.subscriptions[stream.key]!.view.bookmark?.revision))
      }
    default: receive(step, to: 0)
    }
    return (streams.keys.sorted().flatMap { label in taken(streams[label]!, label) }, bookmarks)
  }

  private mutating func connect() {
    // Whoever has no stream yet needs no connection: the first one is the script's first watch.
    guard wasLost || streams.isEmpty else { return }
    while true {
      if case .connect = core.core.step(now: now, &core.effects) { break }
      if streams.isEmpty {
        core.core.open(
          EventStream(key: ScriptPlayer.quiet, policy: .latest(), content: .events), &core.effects)
      }
      now = max(now, min(core.core.nextDeadline, now + .seconds(60)))
    }
    core.core.connected(now: now, &core.effects)
  }

  /// A watch of nothing that scripts are about, which wants the connection.
  private static let quiet = WatchKey([try! NamePattern("quiet")])

  private mutating func open(_ label: String, _ patterns: [String]) {
    let key = WatchKey(patterns.map { try! NamePattern($0) })
    let stream = EventStream(key: key, policy: .every(limit: 1000), content: .events)
    streams[label] = stream
    core.core.open(stream, &core.effects)
  }

  private func requests() -> [(kind: Frame.Kind?, request: UInt32)] {
    var found: [(Frame.Kind?, UInt32)] = []
    var cursor = FrameCursor(core.core.unsent)
    while let frame = cursor.next() {
      found.append((frame.kind, frame.request))
    }
    return found
  }

  private func receive(_ step: JSONValue, to request: UInt32) {
    var bytes = step[at: "hex"].hexadecimal
    if bytes[4] & 0x80 != 0 {
      withUnsafeBytes(of: request.littleEndian) { bytes.replaceSubrange(8..<12, with: $0) }
    }
    let message = bytes.withByteView { HubMessage(decoding: FrameView(bytes: $0)) }
    let error = core.core.receive(message, now: now, &core.effects)
    // `ended` is told as an error; the loss follows.
    #expect(error == nil || step[at: "kind"].text == "ended")
  }

  private func taken(_ stream: EventStream, _ label: String) -> [String] {
    var lines: [String] = []
    while case .event(let shared)? = try? stream.take() {
      let event = shared.event
      let parts: [String?] =
        event.kind.isAboutStore
        ? [
          event.name, "\(event.version)", event.value.map { "\($0)" },
          event.skipped.map { "skipped \($0)" } ?? "unknown",
        ]
        : []
      lines.append(
        ([label, "\(event.kind)", "\(event.revision)"] + parts.compactMap { $0 }).joined(separator: " "))
    }
    return lines
  }

  /// An event of the file in the same words.
  static func line(_ event: JSONValue) -> String {
    let parts: [String?] =
      event[at: "name"].text.isEmpty
      ? []
      : [
        event[at: "name"].text, event[at: "version"].spelled, event[at: "value"][at: "value"].spelled,
        event[at: "skipped"].spelled.map { "skipped \($0)" } ?? "unknown",
      ]
    return
      ([event[at: "watch"].text, event[at: "event"].text, event[at: "revision"].spelled!]
      + parts.compactMap { $0 })
      .joined(separator: " ")
  }
}

extension JSONValue {
  /// The member of that name; null if there is none.
  fileprivate subscript(at name: String) -> JSONValue { self[name] ?? JSONValue(.null) }
  fileprivate var elements: [JSONValue] { if case .array(let elements) = content { elements } else { [] } }
  fileprivate var text: String { if case .string(let text) = content { text } else { "" } }
  fileprivate var number: UInt64? { spelled.flatMap { UInt64($0) } }

  /// A number, or a string of digits, as it stands there.
  fileprivate var spelled: String? {
    switch content {
    case .number(let number): number.text
    case .string(let text): text
    default: nil
    }
  }

  fileprivate var hexadecimal: [UInt8] {
    let digits = Array(text.utf8)
    return stride(from: 0, to: digits.count, by: 2).map {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)!
    }
  }
}
