// One run of the command that decides on a write or answers a read: its input, and the meaning of its exit status.

internal import HubCore
internal import HubSystem

final class DecisionRun {
  let forwarded: Forwarded
  private let child: Child
  private let output: CapturedOutput
  private let errors: CapturedOutput
  private let longestValue: Int

  /// The writer gets the command's message, truncated to what fits in an error.
  private static let mostText = 1000
  /// By the convention of sysexits.h: try again later.
  private static let temporaryFailure: Int32 = 75
  /// A signal, of the command itself or of one that a shell has run.
  private static let signals: ClosedRange<Int32> = 129...192

  /// - Parameter longestValue: the limit of the hub. A command that prints more is refused, without reading all of it.
  /// - Throws: `system` if the command cannot be started.
  init(_ command: [Argument], for forwarded: Forwarded, longestValue: Int) throws(Failure) {
    self.forwarded = forwarded
    self.longestValue = longestValue
    var spawn = Spawn(
      command.map(\.bytes), environment: ExecEnvironment.lines(DecisionRun.variables(for: forwarded)))
    output = try CapturedOutput(limit: longestValue, stops: true)
    errors = try CapturedOutput(limit: DecisionRun.mostText, stops: false)
    let input = try Child.input { output throws(Failure) in
      if let value = forwarded.proposed { try output.value(value) }
    }
    spawn.give(input.raw, as: .input)
    spawn.give(output.writingEnd, as: .output)
    spawn.give(errors.writingEnd, as: .error)
    child = try Child(spawn, title: command[0])
    output.closeWriting()
    errors.closeWriting()
  }

  /// Readable once it has ended.
  var descriptor: Int32 { child.descriptor }

  /// Readable when it has printed something.
  var outputs: (Int32, Int32) { (output.descriptor, errors.descriptor) }

  /// Reads what it has printed.
  func read() {
    output.read()
    errors.read()
  }

  /// The meaning of its end: 0 accepts, with its output as the value if there is any; 75 is a pause of the source; a signal leaves
  /// the outcome open; everything else refuses, with the first line of its errors.
  ///
  /// - Throws: `system` if its status cannot be known.
  func decision() throws(Failure) -> Decision {
    let status = try child.status()
    read()
    let text = DecisionRun.firstLine(of: errors.bytes)
    if output.isTooLong {
      return .refuse(.refused, "the provider's command printed more than \(longestValue) bytes")
    }
    switch status {
    case 0:
      guard !printed.bytes.isEmpty, let proposed = forwarded.proposed else { return .accept() }
      do throws(Failure) {
        let text = proposed.type == .data ? printed : printed.withoutNewline
        let value = try ValueSyntax.value(text, as: proposed.type, store: forwarded.store)
        return value == proposed ? .accept() : .accept(values: [value])
      } catch {
        return .refuse(.refused, misprint(notBeing: proposed.type.withArticle))
      }
    case DecisionRun.temporaryFailure:
      return .refuse(.unavailable, text.isEmpty ? "the provider's source is unreachable" : text)
    case DecisionRun.signals:
      return .refuse(
        .unanswered, "the provider's command was killed by signal \(status - 128): it may have acted")
    default:
      return .refuse(.refused, text.isEmpty ? "the provider's command exited with status \(status)" : text)
    }
  }

  /// All that it has printed so far.
  var printed: Argument { Argument(bytes: output.bytes) }

  /// Why what it has printed is refused.
  func misprint(notBeing expected: String) -> String {
    let line = ValueText.cut(DecisionRun.firstLine(of: output.bytes), 80)
    return "the provider's command printed something other than \(expected): \(line)"
  }

  private static func firstLine(of bytes: [UInt8]) -> String {
    let line = bytes.prefix(mostText).prefix { $0 != UInt8(ascii: "\n") }
    return ValueText.visible(String(decoding: line, as: UTF8.self))
  }

  // MARK: Its input

  private static func variables(for forwarded: Forwarded) -> [ExecEnvironment.Variable] {
    switch forwarded {
    case .write(let write):
      [
        ("STATEHUB_STORE", Array(forwarded.store.utf8)),
        ("STATEHUB_OPERATION", Array((write.operations.first.map { "\($0.kind)" } ?? "").utf8)),
        ("STATEHUB_UID", Array("\(write.writer.uid)".utf8)),
        ("STATEHUB_PID", Array("\(write.writer.pid)".utf8)),
        ("STATEHUB_CLIENT", Array(ValueText.visible(write.client).utf8)),
        ("STATEHUB_TIMEOUT", write.isEnd ? nil : Array("\(write.timeLeft)".utf8)),
        // Values that an environment cannot contain are only on standard input.
        ("STATEHUB_VALUE", forwarded.proposed.flatMap(ExecEnvironment.text)),
      ]
    case .read(let read):
      [
        ("STATEHUB_STORE", Array(forwarded.store.utf8)), ("STATEHUB_OPERATION", Array("get".utf8)),
        ("STATEHUB_TIMEOUT", Array("\(read.timeLeft)".utf8)),
      ]
    }
  }
}

extension Forwarded {
  /// The store of a write that has one, or of a read.
  fileprivate var store: String {
    switch self {
    case .write(let write): write.operations.first?.name.text ?? ""
    case .read(let read): read.name.text
    }
  }

  /// The value that the store would have.
  fileprivate var proposed: Value? {
    switch self {
    case .write(let write): write.operations.first?.value
    case .read: nil
    }
  }
}
