// The command whose lines are published: started, its output read line by line as it arrives, and stopped.

internal import HubCore
internal import HubSystem

/// The meaning of a line of the publishing command.
enum Publication {
  /// `STORE VALUE`.
  case value(StoreName, Argument)
  /// `live`: the values so far are complete and current.
  case live
  /// `suspended REASON`.
  case suspended(String)
}

final class Publisher {
  private let child: Child
  private let pipe: Pipe
  private var input = OutputBuffer(capacity: 1 << 12)

  /// No hub accepts a longer value.
  private static let longestLine = 2 << 20

  /// - Parameter interval: how often its values are wanted at most, in milliseconds; nil: each one is.
  init(_ script: Argument, interval: Int64? = nil) throws(Failure) {
    var pipe = try SystemError.attempt(try Pipe()) { Failure.system("cannot make a pipe", $0) }
    var spawn = Spawn(
      script.asShellCommand.map(\.bytes),
      environment: ExecEnvironment.lines([("STATEHUB_INTERVAL", interval.map { Array("\($0)".utf8) })]))
    spawn.giveNoInput()
    spawn.give(pipe.writingEnd, as: .output)
    child = try Child(spawn, title: script)
    pipe.closeWriting()
    self.pipe = pipe
  }

  /// Readable when it has printed something, or has ended.
  var descriptor: Int32 { pipe.reading.raw }

  /// It need not publish any more: asks it to end.
  func stop() { child.send(.terminate) }

  /// Readable when it has ended.
  var end: Int32 { child.descriptor }

  /// Takes its status, which says nothing after `stop`.
  func reap() throws(Failure) { _ = try child.status() }

  /// Reads available output, without the last line if it is incomplete.
  ///
  /// - Throws: `status` if the command has ended.
  func read() throws(Failure) -> [Publication] {
    if input.read(from: descriptor).count == nil {
      let status = try child.status()
      complain("the publishing command exited with status \(status)")
      throw .status(status == 0 ? ExitStatus.other : status)
    }
    var publications: [Publication] = []
    while let end = input.view.firstIndex(of: UInt8(ascii: "\n")) {
      let line = input.view.slice(0, end).array
      input.dropFirst(end + 1)
      if let publication = Publisher.publication(in: line) { publications.append(publication) }
    }
    if input.count > Publisher.longestLine {
      throw .hub(HubError(.tooLarge, "a line of the publishing command is too long"))
    }
    return publications
  }

  private static func publication(in line: [UInt8]) -> Publication? {
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
    let word = String(decoding: parts.first ?? [], as: UTF8.self)
    if parts.count == 1, word == "live" { return .live }
    if word == "suspended" {
      return .suspended(String(decoding: parts.dropFirst().first ?? [], as: UTF8.self))
    }
    guard parts.count == 2, let name = try? StoreName(word) else {
      complain(
        "the publishing command printed an invalid line: '\(ValueText.cut(ValueText.visible(String(decoding: line, as: UTF8.self)), 80))'; "
          + "lines are STORE VALUE, live, and suspended REASON")
      return nil
    }
    return .value(name, Argument(bytes: Array(parts[1])))
  }
}

extension Argument {
  /// The command that runs it as a script of the shell.
  var asShellCommand: [Argument] { ["/bin/sh", "-c", self] }
}
