// The harness's writes: what the engine answers is compared with the model.

import HubCore
import HubEngine

extension EngineHarness {
  mutating func write(_ operation: WriteOperation, _ raw: Int32) {
    // No two deadlines are equal: which value ends first would be undefined.
    advance(by: 1)
    let expected = model.single(operation, session: raw, boot: now.boot)
    past.states = model.history
    guard let reply = request(.write(operation), raw) else { return }
    let actual: ModelResult
    switch reply {
    case .written(let result):
      actual = .written(
        revision: result.revision, version: result.version, changed: result.changed, value: result.value)
    case .error(let error): actual = .failed(error.code)
    default: return problems.append("\(operation) was answered with \(reply)")
    }
    if actual != expected { problems.append("\(operation): \(actual), the model says \(expected)") }
  }

  mutating func transact(_ operations: [WriteOperation], _ raw: Int32) {
    let expected = model.transact(operations, session: raw, boot: now.boot)
    past.states = model.history
    guard let reply = request(.transaction(operations), raw) else { return }
    switch (reply, expected) {
    case (.committed(_, let results), .success(let count)) where results.count == count: break
    case (.error(let error), .failure(let failure))
    where error.code == failure.code && error.operation == failure.index: break
    default: problems.append("transaction \(operations): \(reply), the model says \(expected)")
    }
  }
}
