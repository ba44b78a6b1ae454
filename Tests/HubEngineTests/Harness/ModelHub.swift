// The simplest hub that could be right: dictionaries that are copied. The engine is compared with it.

import HubCore
import HubEngine

/// One store of the model.
struct ModelStore: Equatable {
  var value: Value
  var schema: Schema?
  var revision: UInt64
  var version: UInt64
  var owner: Int32?
  var deadline: UInt64?

  var shown: ShownStore { ShownStore(value: value, schema: schema ?? Schema(type: value.type)) }
}

/// What a watch can show of a store.
struct ShownStore: Equatable {
  var value: Value
  var schema: Schema
}

/// The result of a model operation.
enum ModelResult: Equatable {
  case written(revision: UInt64, version: UInt64, changed: Bool, value: Value?)
  case failed(HubError.Code)
}

struct ModelHub {
  var stores: [String: ModelStore] = [:]
  var revision: UInt64 = 0
  /// Every store at every revision.
  var history: [UInt64: [String: ShownStore]] = [0: [:]]
  var maximumStores = Int.max
  private var inTransaction = false
  private var hasRevision = false

  /// What follows happens under one revision.
  mutating func beginGroup() {
    inTransaction = true
    hasRevision = false
  }

  mutating func endGroup() { inTransaction = false }

  mutating func nextRevision() -> UInt64 {
    if inTransaction, hasRevision { return revision }
    hasRevision = true
    revision += 1
    return revision
  }

  mutating func remember() { history[revision] = stores.mapValues(\.shown) }

  mutating func transact(_ operations: [WriteOperation], session: Int32, boot: UInt64) -> Result<
    Int, ModelFailure
  > {
    let before = self
    beginGroup()
    for (index, operation) in operations.enumerated() {
      if case .failed(let code) = apply(operation, session: session, boot: boot) {
        self = before
        return .failure(ModelFailure(code: code, index: index))
      }
    }
    endGroup()
    remember()
    return .success(operations.count)
  }

  mutating func single(_ operation: WriteOperation, session: Int32, boot: UInt64) -> ModelResult {
    let result = apply(operation, session: session, boot: boot)
    remember()
    return result
  }

  mutating func close(session: Int32) {
    beginGroup()
    for (name, store) in stores where store.owner == session { end(name) }
    endGroup()
    remember()
  }

  mutating func expire(boot: UInt64) {
    let due = stores.filter { $0.value.deadline.map { $0 <= boot } ?? false }.sorted {
      $0.value.deadline! < $1.value.deadline!
    }
    for (name, _) in due {
      end(name)
      remember()
    }
  }

  mutating func end(_ name: String) {
    guard let initial = stores[name]?.schema?.initial else {
      _ = nextRevision()
      stores[name] = nil
      return
    }
    stores[name]!.owner = nil
    stores[name]!.deadline = nil
    if stores[name]!.value != initial { change(name, initial) }
  }

  private mutating func change(_ name: String, _ value: Value) {
    stores[name]!.revision = nextRevision()
    stores[name]!.version += 1
    stores[name]!.value = value
  }

  private func name(_ reference: StoreReference) -> String {
    guard case .name(let name) = reference else { fatalError("the model knows names only") }
    return name.text
  }

  private func written(_ name: String, _ changed: Bool, _ value: Value? = nil) -> ModelResult {
    let store = stores[name]!
    return .written(revision: store.revision, version: store.version, changed: changed, value: value)
  }

  private mutating func apply(_ operation: WriteOperation, session: Int32, boot: UInt64) -> ModelResult {
    switch operation {
    case .set(let reference, let value, let condition, let lifetime, let force):
      let name = name(reference)
      let store = stores[name]
      if condition.absent, store != nil { return .failed(.conflict) }
      if let expected = condition.revision, expected != store?.revision ?? 0 { return .failed(.conflict) }
      if let expected = condition.value {
        guard expected == store?.value else { return .failed(.conflict) }
      }
      if let store {
        guard let fit = value.converted(to: store.value.type) else { return .failed(.typeMismatch) }
        if let problem = store.schema?.problem(with: fit) { return .failed(problem.code) }
        let changed = force || fit != store.value
        if changed { change(name, fit) }
        setLifetime(name, lifetime, session, boot)
        return written(name, changed)
      }
      if stores.count >= maximumStores { return .failed(.quota) }
      stores[name] = ModelStore(value: value, schema: nil, revision: nextRevision(), version: 1)
      setLifetime(name, lifetime, session, boot)
      return written(name, true)
    case .add(let reference, let delta, let clamp):
      let name = name(reference)
      guard let store = stores[name] else { return .failed(.noSuchStore) }
      guard case .integer(let value) = store.value, case .integer(let delta) = delta else {
        return .failed(.typeMismatch)
      }
      var (sum, overflow) = value.addingReportingOverflow(delta)
      if overflow {
        if !clamp { return .failed(.overflow) }
        sum = delta < 0 ? .min : .max
      }
      if case .integer(let low)? = store.schema?.minimum, sum < low {
        if !clamp { return .failed(.outOfRange) }
        sum = low
      }
      if case .integer(let high)? = store.schema?.maximum, sum > high {
        if !clamp { return .failed(.outOfRange) }
        sum = high
      }
      if sum != value { change(name, .integer(sum)) }
      return written(name, sum != value, .integer(sum))
    case .toggle(let reference):
      let name = name(reference)
      guard let store = stores[name] else { return .failed(.noSuchStore) }
      guard case .boolean(let value) = store.value else { return .failed(.typeMismatch) }
      change(name, .boolean(!value))
      return written(name, true, .boolean(!value))
    case .reset(let reference):
      let name = name(reference)
      guard let store = stores[name] else { return .failed(.noSuchStore) }
      guard let initial = store.schema?.initial else { return .failed(.noInitialValue) }
      stores[name]!.owner = nil
      stores[name]!.deadline = nil
      if store.value != initial { change(name, initial) }
      return written(name, store.value != initial, initial)
    case .remove(let reference, let condition):
      let name = name(reference)
      guard let store = stores[name] else { return .failed(.noSuchStore) }
      if let expected = condition.revision, expected != store.revision { return .failed(.conflict) }
      stores[name] = nil
      return .written(revision: nextRevision(), version: store.version + 1, changed: true, value: nil)
    case .create(let name, let schema, let ifAbsent):
      guard let valid = try? schema.validated() else { return .failed(.invalidSchema) }
      guard let store = stores[name.text] else {
        if stores.count >= maximumStores { return .failed(.quota) }
        stores[name.text] = ModelStore(
          value: valid.initial!, schema: valid, revision: nextRevision(), version: 1)
        return written(name.text, true)
      }
      if ifAbsent { return .failed(.conflict) }
      if store.schema == valid { return written(name.text, false) }
      guard let fit = store.value.converted(to: valid.type), valid.problem(with: fit) == nil else {
        return .failed(.schemaConflict)
      }
      stores[name.text]!.schema = valid
      change(name.text, fit)
      return written(name.text, true)
    }
  }

  private mutating func setLifetime(_ name: String, _ lifetime: Lifetime, _ session: Int32, _ boot: UInt64) {
    stores[name]!.owner = lifetime.ephemeral ? session : nil
    stores[name]!.deadline = lifetime.ttl.map { ttl in
      let (span, overflow) = ttl.multipliedReportingOverflow(by: 1_000_000)
      return overflow || span > .max - boot ? .max : boot + span
    }
  }
}

struct ModelFailure: Error, Equatable {
  var code: HubError.Code
  var index: Int
}
