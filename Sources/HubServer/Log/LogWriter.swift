// Writes the lines of the log on its own thread, which exists while there are any: a log that is not read never stops the hub.

import HubSystem
import Synchronization

/// A line of the log, or several that belong together.
struct LogLine {
  let level: LogLevel
  var id: MessageID?
  let message: String

  /// What it takes in memory, about.
  var bytes: Int { message.utf8.count + 64 }
}

/// The lines that wait to be written: at most `limit` bytes, or a single longer one. What does not fit is dropped and counted until
/// everything before it is written; then a line reports how many were lost.
final class LogWriter: Sendable {
  static let limit = 256 << 10
  /// Writes to standard error, or to the journal if that leads there.
  static let standard = LogWriter(
    StandardStream.error.raw, isJournal: standardErrorIsJournal(), lost: takeInheritedCount())
  /// Passes the number of lost lines on to the program that is executed next in this process.
  static let variable = "STATEHUB_LOG_LOST"

  private struct State {
    var lines: [LogLine] = []
    /// Of the lines that are not written yet.
    var bytes = 0
    /// Lines that could not be written, or did not fit.
    var lost = 0
    var isDropping = false
    /// The last line could not be written.
    var isBroken = false
    /// Lines are kept until `begin`.
    var hasBegun = false
    var isWriting = false
    /// The last thread that was started, unless it was joined.
    var thread: SystemThread?
  }

  private let descriptor: Int32
  /// The descriptor leads to the journal, which reads a priority at the start of each line.
  private let isJournal: Bool
  private let state = Mutex(State())

  /// - Parameter lost: how many lines were lost before.
  init(_ descriptor: Int32, isJournal: Bool, lost: Int = 0) {
    self.descriptor = descriptor
    self.isJournal = isJournal
    state.withLock { $0.lost = lost }
  }

  /// `$JOURNAL_STREAM` names the device and inode of the stream that the service manager connected.
  private static func standardErrorIsJournal() -> Bool {
    guard let variable = Environment["JOURNAL_STREAM"],
      let file = try? FileStatus(of: StandardStream.error.raw).identity
    else { return false }
    return variable == "\(file.device):\(file.inode)"
  }

  private static func takeInheritedCount() -> Int {
    defer { Environment[variable] = nil }
    return Environment[variable].flatMap { Int($0) } ?? 0
  }

  func append(_ line: LogLine) {
    state.withLock { state in
      if state.isDropping || state.bytes > 0 && state.bytes + line.bytes > LogWriter.limit {
        state.isDropping = true
        state.lost += 1
      } else {
        state.lines.append(line)
        state.bytes += line.bytes
      }
      startIfNeeded(&state)
    }
  }

  /// Lines are written from now on: what the process gives up, it has given up, so its threads have given it up as well.
  func begin() {
    state.withLock { state in
      state.hasBegun = true
      startIfNeeded(&state)
    }
  }

  /// If no thread can be started, the next line tries again.
  private func startIfNeeded(_ state: inout State) {
    guard state.hasBegun, !state.isWriting, !state.lines.isEmpty else { return }
    state.isWriting = true
    // It has ended, or is about to return.
    state.thread?.join()
    do throws(SystemError) {
      state.thread = try SystemThread.startWithoutSignals { self.writeAll() }
    } catch {
      state.thread = nil
      state.isWriting = false
    }
  }

  /// Waits until all lines are written, but not for long if they are not read.
  ///
  /// - Returns: how many are not.
  @discardableResult
  func flush(milliseconds: Int) -> Int {
    begin()
    let thread = state.withLock { state in
      defer { state.thread = nil }
      return state.thread
    }
    if let thread, !thread.join(milliseconds: milliseconds) { state.withLock { $0.thread = thread } }
    return state.withLock { $0.lines.count + $0.lost }
  }

  // MARK: The thread

  private func writeAll() {
    while let line = next() {
      let isWritten = write(line)
      state.withLock { state in
        state.lines.removeFirst()
        state.bytes -= line.bytes
        state.isBroken = !isWritten
        if !isWritten { state.lost += 1 }
      }
    }
  }

  /// The next line stays in the queue until it is written. Nil: there is none, and the thread ends.
  private func next() -> LogLine? {
    state.withLock { state in
      if let line = state.lines.first { return line }
      state.isDropping = false
      guard state.lost > 0, !state.isBroken else {
        state.isWriting = false
        return nil
      }
      let line = LogLine(
        level: .warning,
        message:
          "\(state.lost) log lines were lost: they were not read in time, or could not be written")
      state.lost = 0
      state.lines = [line]
      state.bytes += line.bytes
      return line
    }
  }

  private func write(_ line: LogLine) -> Bool {
    if isJournal, let id = line.id,
      JournalEntry(level: line.level, id: id, message: line.message).send()
    {
      return true
    }
    var text = LogWriter.lines(line.message, after: isJournal ? "<\(line.level.rawValue)>" : "statehub: ")
    return text.withUTF8 { Descriptor.writeAll(UnsafeRawBufferPointer($0), to: descriptor) == nil }
  }

  /// Repeats `front` at the start of each line of a message.
  static func lines(_ message: String, after front: String) -> String {
    message.split(separator: "\n", omittingEmptySubsequences: false).map { "\(front)\($0)\n" }.joined()
  }
}
