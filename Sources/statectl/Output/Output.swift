// Standard output: collects, writes whole lines, and detects when the reader has closed it. It does not format.

internal import HubCore
internal import HubSystem
internal import HubTransport

/// Bytes wait here until `flush`; beyond `limit` they are written at once.
struct Output: ~Copyable {
  private var buffer = OutputBuffer(capacity: 1024)
  let descriptor: Int32
  /// The user asked for JSON.
  var isJSON = false
  /// Nothing is written: `takeAll` has it.
  private let isCollecting: Bool
  /// Until when the reader is waited for.
  var deadline = Deadline.never
  private static let limit = 1 << 16
  /// What a reader has at least for the last lines, which are written at the deadline.
  private static let patience = Duration.milliseconds(100)
  /// A pipe that has room takes this much without blocking.
  private static let piece = 4096

  init(descriptor: Int32 = StandardStream.output.raw, collecting: Bool = false) {
    self.descriptor = descriptor
    isCollecting = collecting
  }

  var isTerminal: Bool { StandardStream.isTerminal(descriptor) }

  mutating func write(_ bytes: [UInt8]) throws(Failure) {
    buffer.append(bytes)
    if buffer.count > Output.limit, !isCollecting { try flush() }
  }

  mutating func write(_ text: String) throws(Failure) {
    buffer.append(utf8: text)
    if buffer.count > Output.limit, !isCollecting { try flush() }
  }

  /// A line that is safe to show, whatever is in it, such as a name or a release that a hub only claims.
  mutating func line(_ text: String) throws(Failure) {
    buffer.append(utf8: ValueText.visible(text, keepingTabs: true))
    try write("\n")
  }

  /// One value alone: unchanged, with a newline after it unless it is data; on a terminal, on one escaped line.
  mutating func value(_ value: Value) throws(Failure) {
    if isTerminal { return try line(ValueText.shown(value)) }
    // The description is the text itself, so no array is allocated.
    if case .data(let bytes) = value { return try write(bytes) }
    buffer.append(utf8: value.description)
    try write("\n")
  }

  /// One object on its own line.
  mutating func json(_ fill: (inout JSONWriter) -> Void) throws(Failure) {
    var writer = JSONWriter()
    writer.anonymousObject(fill)
    writer.newline()
    try write(ValueText.visible(json: writer.bytes))
  }

  /// The rows of a table since its last ones.
  mutating func write(_ table: inout Columns) throws(Failure) {
    if isJSON { return }
    for text in table.takeLines() { try line(text) }
  }

  /// Returns the collected output instead of writing it.
  consuming func takeAll() -> [UInt8] { buffer.view.array }

  /// Writes all that was collected.
  ///
  /// - Throws: `outputClosed` if the reader has closed it, `system` if it cannot be written, `timeout` if the reader has not
  ///   taken it by the deadline.
  mutating func flush() throws(Failure) {
    let limit = deadline == .never ? nil : max(deadline, .after(Output.patience))
    var written = 0
    // What cannot be written is not tried again.
    defer { buffer.clear() }
    while written < buffer.count {
      if let limit { try awaitReader(until: limit) }
      let rest = buffer.view.buffer[written...].prefix(limit == nil ? buffer.count : Output.piece)
      switch Descriptor.write(UnsafeRawBufferPointer(rebasing: rest), to: descriptor) {
      case .bytes(let count): written += count
      case .ended: break
      // The parent process may have made the descriptor non-blocking.
      case .wouldBlock: if limit == nil { Poll.wait(for: .writing, on: descriptor) }
      case .failed(let problem):
        throw problem == .brokenPipe ? .outputClosed : .system("cannot write the output", problem)
      }
    }
  }

  private func awaitReader(until limit: Deadline) throws(Failure) {
    while !Poll.wait(for: .writing, on: descriptor, milliseconds: limit.pollTimeout()) {
      if limit <= .now { throw .hub(HubError(.timeout, "timed out: nobody reads the output")) }
    }
  }
}
