// One run of the command that decides about a write: what it is told, and what its end means.

internal import HubCore
internal import HubSystem

final class DecisionRun {
  let write: ForwardedWrite
  private let child: Child
  private let output: Descriptor
  private let errors: Descriptor

  /// The setter gets what a command says, as far as an error holds it.
  private static let mostText = 1000
  /// By the convention of sysexits.h: try again later.
  private static let temporaryFailure: Int32 = 75

  /// - Throws: `system` if the command cannot be started.
  init(_ command: [Argument], for write: ForwardedWrite, _ operation: ForwardedOperation) throws(Failure) {
    self.write = write
    let inherited = Environment.lines.filter { !DecisionRun.isVariable($0) }
    var spawn = Spawn(
      command.map(\.bytes), environment: inherited + DecisionRun.variables(for: write, operation))
    output = try DecisionRun.file()
    errors = try DecisionRun.file()
    spawn.giveNoInput()
    spawn.give(output.raw, as: .output)
    spawn.give(errors.raw, as: .error)
    child = try Child(spawn, title: command[0])
  }

  /// Its own files, so that the command never waits for a reader.
  private static func file() throws(Failure) -> Descriptor {
    try SystemError.attempt(try MemoryFile.create("statectl")) {
      Failure.system("cannot hold a command's output", $0)
    }
  }

  /// Readable once it has ended.
  var descriptor: Int32 { child.descriptor }

  func send(_ signal: Signal) { child.send(signal) }

  /// What its end means: 0 accepts, with the first line of its output as the value if there is one; 75 is a pause of the
  /// source; everything else refuses, with the first line of its errors.
  func decision() -> Decision {
    let status = child.status()
    let text = DecisionRun.firstLine(of: errors)
    switch status {
    case 0:
      let line = DecisionRun.firstLine(of: output)
      guard !line.isEmpty, let proposed = write.operations.first?.value else { return .accept() }
      do throws(Failure) {
        let value = try ValueSyntax.value(
          Argument(bytes: Array(line.utf8)), as: proposed.type, store: write.operations[0].name.text)
        return .accept(values: [value])
      } catch {
        return .refuse(.refused, "the provider's command has printed what is no value: \(line)")
      }
    case DecisionRun.temporaryFailure:
      return .refuse(.unavailable, text.isEmpty ? "the provider's source is out of reach" : text)
    default:
      return .refuse(.refused, text.isEmpty ? "the provider's command has ended with status \(status)" : text)
    }
  }

  private static func firstLine(of file: borrowing Descriptor) -> String {
    var bytes: [UInt8] = []
    withUnsafeTemporaryAllocation(byteCount: mostText, alignment: 1) { room in
      if let count = File.read(file.raw, at: 0, into: room).count { bytes = Array(room.prefix(count)) }
    }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    return ValueText.visible(String(decoding: line, as: UTF8.self))
  }

  // MARK: What it is told

  private static let names = ["STORE", "VALUE", "OPERATION", "UID", "PID", "CLIENT", "TIMEOUT"].map {
    "STATEHUB_\($0)"
  }

  private static func isVariable(_ line: [UInt8]) -> Bool {
    names.contains { line.starts(with: $0.utf8) && line.dropFirst($0.utf8.count).first == UInt8(ascii: "=") }
  }

  private static func variables(for write: ForwardedWrite, _ operation: ForwardedOperation) -> [[UInt8]] {
    var variables = [
      "STATEHUB_STORE=\(operation.name)", "STATEHUB_OPERATION=\(operation.kind)",
      "STATEHUB_UID=\(write.setter.uid)", "STATEHUB_PID=\(write.setter.pid)",
      "STATEHUB_CLIENT=\(ValueText.visible(write.client))",
    ].map { Array($0.utf8) }
    if !write.isEnd { variables.append(Array("STATEHUB_TIMEOUT=\(write.timeLeft)".utf8)) }
    // What an environment cannot contain is missing; a command that needs it asks the hub.
    if let value = operation.value, let bytes = ExecEnvironment.text(of: value) {
      variables.append(Array("STATEHUB_VALUE=".utf8) + bytes)
    }
    return variables
  }
}
