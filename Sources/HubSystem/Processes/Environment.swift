// The variables of this process's environment.

internal import Glibc

package enum Environment {
  package static subscript(name: String) -> String? {
    get { getenv(name).map { String(cString: $0) } }
    set { if let newValue { setenv(name, newValue, 1) } else { unsetenv(name) } }
  }

  /// Each variable, as `NAME=VALUE`.
  package static var lines: [[UInt8]] {
    var lines: [[UInt8]] = []
    var next = environ
    while let variable = next.pointee {
      lines.append([UInt8](UnsafeRawBufferPointer(start: variable, count: strlen(variable))))
      next += 1
    }
    return lines
  }
}
