// A process that has its number, and executes its program on request.

/// If it is dropped before that, the process ends.
package struct PreparedProgram: ~Copyable {
  package let process: Subprocess
  private let gate: Pipe
  private let trouble: Pipe

  init(process: Subprocess, gate: consuming Pipe, trouble: consuming Pipe) {
    self.process = process
    self.gate = gate
    self.trouble = trouble
  }

  /// It executes the program.
  ///
  /// - Throws: why it could not. The process has ended then.
  package func start() throws(SystemError) {
    withUnsafeBytes(of: UInt8(1)) { _ = Descriptor.writeAll($0, to: gate.writingEnd) }
    let problem = Descriptor.readOnce(trouble.reading.raw, limit: MemoryLayout<Int32>.size)
    guard problem.count == MemoryLayout<Int32>.size else { return }
    _ = try process.waitForEnd()
    throw SystemError(problem.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) })
  }
}
