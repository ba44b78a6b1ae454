// An error that ends the demonstration early: a sentence that explains what did not happen.

import HubSystem

struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// Makes a system call that must succeed.
  static func attempt<Result: ~Copyable>(
    _ what: String, _ body: @autoclosure () throws(SystemError) -> Result
  ) throws(Failure) -> Result {
    try SystemError.attempt(try body()) { Failure("\(what): \($0)") }
  }
}
