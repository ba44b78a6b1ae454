// A range of address space with one owner: a file's content, or zeroes that cost memory only where they are touched.

internal import CLinux
internal import Glibc

package struct Mapping: ~Copyable {
  package let base: UnsafeMutableRawPointer
  package let count: Int

  /// Zeroes.
  package init(reserving count: Int) throws(SystemError) {
    guard let base = clinux_reserve(count) else { throw .last }
    self.base = base
    self.count = count
  }

  /// The first bytes of a file, at least one, for reading: valid as long as no process truncates the file.
  package init(reading file: Int32, count: Int) throws(SystemError) {
    guard let base = mmap(nil, count, PROT_READ, MAP_PRIVATE, file, 0), base != MAP_FAILED else {
      throw .last
    }
    self.base = base
    self.count = count
  }

  /// The first bytes of a file that exist, to change the file by, while they are guarded.
  package init(sharing file: Int32, count: Int) throws(SystemError) {
    _ = Mapping.allowGuards
    guard let base = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), base != MAP_FAILED else {
      throw .last
    }
    self.base = base
    self.count = count
  }

  deinit { munmap(base, count) }

  private static let allowGuards: Void = clinux_allow_guards()

  /// Uses the memory. If another process has truncated the file, it becomes zeroes of this process's own, and the file learns
  /// nothing more: otherwise an access would end the process.
  package func guarded(_ body: () -> Void) {
    clinux_guard(base, count)
    body()
    clinux_guard(nil, 0)
  }

  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// The same to write to, if it is zeroes.
  package var room: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base, count: count) }

  /// Brings all of it into memory.
  ///
  /// - Returns: false if some of it cannot be read, or the kernel cannot tell: reading it may end the process.
  package func populate() -> Bool { clinux_populate(base, count) == 0 }
}
