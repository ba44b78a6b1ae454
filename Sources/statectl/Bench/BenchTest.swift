// What `statectl bench` can measure: the tests by name, and their size.

internal import HubCore

enum BenchTest: String, CaseIterable, Sendable {
  case ping, get, set, add, txn, fanout

  init(named name: String) throws(Failure) {
    let names = BenchTest.allCases.map(\.rawValue)
    guard let test = BenchTest(rawValue: name) else {
      throw .usage(
        "there is no test '\(name)'", hint: Suggestion.hint(for: name, among: names, of: "tests"))
    }
    self = test
  }

  /// What is counted.
  var unit: String { self == .fanout ? "deliveries" : "requests" }
}

/// How much each test does.
struct BenchLoad {
  let connections: Int
  let requests: Int
  let pipeline: Int
  /// Of values, in bytes.
  let size: Int
  let within: Duration
}
