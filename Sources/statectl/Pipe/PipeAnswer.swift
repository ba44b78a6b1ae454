// What `statectl pipe` writes: replies with the request's id, and events with a kind. See docs/pipe.md for details.

internal import HubCore

extension Output {
  /// The answer to a request.
  mutating func answer(_ id: JSONValue, _ fill: (inout JSONWriter) -> Void) throws(Failure) {
    try json {
      $0.key("id")
      $0.value(id)
      fill(&$0)
    }
  }

  mutating func answer(_ id: JSONValue, _ failure: Failure) throws(Failure) {
    try answer(id) { $0.member(failure) }
  }

  /// An event of a watch.
  mutating func event(_ event: StoreEvent, of watch: JSONValue) throws(Failure) {
    try json {
      $0.key("watch")
      $0.value(watch)
      $0.members(of: event)
    }
  }

  /// A watch has ended permanently.
  mutating func end(of watch: JSONValue, _ failure: Failure) throws(Failure) {
    try json {
      $0.key("watch")
      $0.value(watch)
      $0.member("kind", "ended")
      $0.member(failure)
    }
  }

  /// The connection for requests is there.
  mutating func opened(_ welcome: Welcome) throws(Failure) {
    try json {
      $0.member("kind", "open")
      $0.member("pipe", PipeCommand.version)
      $0.member("hub", welcome.release)
      $0.member("epoch", welcome.epoch.description)
      $0.member("revision", welcome.revision)
    }
  }

  /// It was lost: ephemeral values have ended.
  mutating func closed(_ error: HubError) throws(Failure) {
    try json {
      $0.member("kind", "closed")
      $0.member(.hub(error))
    }
  }

  mutating func answer(_ id: JSONValue, _ reply: Reply, _ names: [StoreName]) throws(Failure) {
    switch reply {
    case .pong(let revision): try answer(id) { $0.member("revision", revision) }
    case .value(let state): try answer(id) { $0.members(of: state, named: names[0].text) }
    case .written(let result): try answer(id) { $0.members(of: result, named: names[0].text) }
    case .committed(let revision, let results):
      try answer(id) { writer in
        writer.member("revision", revision)
        writer.key("results")
        writer.beginArray()
        for (name, result) in zip(names, results) {
          writer.beginObject()
          writer.members(of: result, named: name.text)
          writer.endObject()
        }
        writer.endArray()
      }
    case .listed(let stores, let more):
      try answer(id) { writer in
        writer.key("stores")
        writer.beginArray()
        for store in stores {
          writer.beginObject()
          writer.members(of: store)
          writer.endObject()
        }
        writer.endArray()
        writer.member("more", more)
      }
    default: throw .unexpectedReply
    }
  }
}

extension JSONWriter {
  /// What went wrong, with the code that it has everywhere and statectl's exit status for it.
  fileprivate mutating func member(_ failure: Failure) {
    key("error")
    beginObject()
    if case .hub(let error) = failure {
      member("code", "\(error.code)")
      member("number", error.code.rawValue)
      integerMember("status", Int64(failure.status))
      member("message", error.message)
      if let store = error.store { member("name", store) }
      if error.code == .conflict { member("revision", error.revision) }
      integerMember("operation", Int64(error.operation))
    } else {
      member("code", "other")
      integerMember("status", Int64(failure.status))
      member("message", failure.message ?? "")
    }
    endObject()
  }

  private mutating func integerMember(_ name: String, _ value: Int64) {
    key(name)
    integer(value)
  }
}
