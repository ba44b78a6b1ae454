// Directories: made, removed and listed.

internal import Glibc

package enum Directory {
  /// Creates one directory for its owner alone, less what the process's mask forbids.
  ///
  /// - Parameter permissions: set afterwards, whatever that mask is.
  /// - Returns: why it was not created.
  package static func create(_ path: String, permissions: UInt32? = nil) -> SystemError? {
    if mkdir(path, 0o700) != 0 { return .last }
    if let permissions { chmod(path, permissions) }
    return nil
  }

  /// Creates a directory with a unique name.
  ///
  /// - Parameter prefix: its path, up to six characters that are added.
  /// - Returns: its path.
  package static func createTemporary(_ prefix: String) throws(SystemError) -> String {
    var template = Array("\(prefix)XXXXXX".utf8CString)
    if mkdtemp(&template) == nil { throw .last }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Removes an empty directory.
  package static func remove(_ path: String) { rmdir(path) }

  /// The names in it, in order.
  package static func names(at path: String) throws(SystemError) -> [String] {
    guard let stream = opendir(path) else { throw .last }
    return names(stream)
  }

  package static func names(in directory: borrowing Descriptor) throws(SystemError) -> [String] {
    // The stream closes its descriptor, and has its own position.
    let copy = try Descriptor(opening: ".", in: directory, .directory).release()
    guard let stream = fdopendir(copy) else {
      let problem = SystemError.last
      Descriptor.close(copy)
      throw problem
    }
    return names(stream)
  }

  private static func names(_ stream: OpaquePointer) -> [String] {
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
