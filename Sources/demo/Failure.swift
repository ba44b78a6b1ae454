// What ends the demonstration early: a sentence that says what did not happen.

import Glibc

struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// A system call has failed with `code`.
  init(_ what: String, code: Int32) {
    description = "\(what): \(String(cString: strerror(code)))"
  }
}
