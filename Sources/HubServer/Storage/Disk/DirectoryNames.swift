// The names of the files in a directory, in order. The caller opens and closes the directory.

import Glibc

enum DirectoryNames {
  static func read(_ stream: OpaquePointer) -> [String] {
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
