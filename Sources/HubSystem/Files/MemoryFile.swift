// Anonymous files in memory, closed on exec. A sealed one never changes again.

internal import CLinux

package enum MemoryFile {
  /// - Parameter name: what the system shows for it.
  package static func create(_ name: String, canBeSealed: Bool = false) throws(SystemError) -> Descriptor {
    try Descriptor(returned: clinux_memory_file(name, canBeSealed))
  }

  /// From now on its content and length cannot change, not even by its owner.
  package static func seal(_ file: borrowing Descriptor) -> SystemError? {
    clinux_seal(file.raw) == 0 ? nil : .last
  }

  package static func isSealed(_ file: Int32) -> Bool { clinux_is_sealed(file) != 0 }
}
