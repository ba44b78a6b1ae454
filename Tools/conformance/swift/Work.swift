// The requests and watches of an adapter: each reports what becomes of it.

import HubClient
import HubCore

/// Reports a watch's events, and its end.
func follow(
  _ label: String, _ instruction: Instruction, _ filter: FilterField?, on hub: Hub
) -> Task<Void, Never> {
  let policy: StreamPolicy = instruction.every == true ? .every() : .latest()
  let patterns = instruction.patterns ?? []
  return Task.detached {
    // The patterns come as a list, and `watch` takes them one by one.
    let all =
      patterns.count == 2
      ? hub.watch(patterns[0], patterns[1], policy: policy) : hub.watch(patterns.first ?? "", policy: policy)
    do throws(HubError) {
      for try await event in filter?.filtered(all) ?? all { Report.event(label, event) }
    } catch {
      Report.end(label, error)
    }
  }
}

/// Makes one request, and reports its answer.
func perform(_ instruction: Instruction, _ write: WriteField?, on hub: Hub) async {
  let id = instruction.id ?? 0
  do throws(HubError) {
    switch instruction.request {
    case "ping":
      let revision = try await hub.ping()
      Report.answer(id) {
        $0.key("revision"); $0.integer(Int64(clamping: revision))
      }
    case "stats":
      _ = try await hub.stats()
      Report.answer(id) { _ in }
    case "restrict":
      try await hub.restrict(to: instruction.to == "nothing" ? .nothing : .reading)
      Report.answer(id) { _ in }
    case "list":
      let stores = try await hub.list(instruction.pattern ?? "")
      Report.answer(id) { writer in
        writer.key("stores")
        writer.beginArray()
        for store in stores {
          writer.beginObject()
          writer.text("name", store.name)
          writer.endObject()
        }
        writer.endArray()
      }
    case "transaction":
      let (revision, results) = try await hub.transaction { transaction in
        for field in instruction.operations ?? [] { transaction.append(field, on: hub) }
      }
      Report.answer(id) { writer in
        writer.key("revision")
        writer.integer(Int64(clamping: revision))
        writer.key("results")
        writer.beginArray()
        for result in results {
          writer.beginObject()
          writer.result(result)
          writer.endObject()
        }
        writer.endArray()
      }
    default:
      if let write { try await perform(instruction, write, id, on: hub) }
    }
  } catch {
    Report.failure(id, error)
  }
}

/// A request about one store.
func perform(_ instruction: Instruction, _ field: WriteField, _ id: Int, on hub: Hub) async throws(HubError) {
  let store = hub.anyValue(field.store)
  switch field.request {
  case "get":
    let stored = try await store.read()
    Report.answer(id) { writer in
      writer.shown(stored.value)
      writer.key("revision")
      writer.integer(Int64(clamping: stored.revision))
      writer.whole("version", stored.version)
      writer.text("epoch", "\(stored.epoch)")
    }
  case "describe":
    let description = try await hub.describe(field.store)
    Report.answer(id) { $0.text("name", description.name) }
  case "update":
    let sum = try await hub.value(field.store, of: Int64.self).update(default: instruction.default) {
      number in
      number += instruction.add ?? 0
      return number
    }
    Report.answer(id) { $0.shown(.integer(sum)) }
  case "add":
    let sum: Value
    switch field.delta?.value {
    case .integer(let delta):
      sum = .integer(try await hub.value(field.store, of: Int64.self).add(delta, clamp: field.clamp == true))
    case .double(let delta):
      sum = .double(try await hub.value(field.store, of: Double.self).add(delta, clamp: field.clamp == true))
    default: throw HubError(.invalidValue, "no delta")
    }
    Report.answer(id) { $0.shown(sum) }
  case "toggle":
    let value = try await hub.value(field.store, of: Bool.self).toggle()
    Report.answer(id) { $0.shown(.boolean(value)) }
  case "reset":
    let value = try await store.reset()
    Report.answer(id) { $0.shown(value) }
  case "remove":
    let result = try await store.remove(if: field.condition)
    Report.answer(id) { $0.result(result) }
  case "create":
    guard let schema = field.schema?.schema else { throw HubError(.invalidSchema, "no schema") }
    let result = try await hub.create(field.store, schema, ifAbsent: field.ifAbsent == true)
    Report.answer(id) { $0.result(result) }
  default:
    guard let value = field.value?.value else { throw HubError(.invalidValue, "no value") }
    let result = try await store.set(
      value, if: field.condition, lifetime: field.lifetime, force: field.force == true)
    Report.answer(id) { $0.result(result) }
  }
}

extension Transaction {
  mutating func append(_ field: WriteField, on hub: Hub) {
    let store = hub.anyValue(field.store)
    switch (field.request, field.delta?.value) {
    case ("add", .integer(let delta)):
      add(delta, to: hub.value(field.store, of: Int64.self), clamp: field.clamp == true)
    case ("add", .double(let delta)):
      add(delta, to: hub.value(field.store, of: Double.self), clamp: field.clamp == true)
    case ("toggle", _): toggle(hub.value(field.store, of: Bool.self))
    case ("reset", _): reset(store)
    case ("remove", _):
      remove(store, if: field.condition)
    case ("create", _):
      if let schema = field.schema?.schema { create(field.store, schema, ifAbsent: field.ifAbsent == true) }
    default:
      if let value = field.value?.value {
        set(
          store, to: value, if: field.condition, lifetime: field.lifetime, force: field.force == true)
      }
    }
  }
}
