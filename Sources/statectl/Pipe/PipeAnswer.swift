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
      $0.member("pipe", PipeSession.version)
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
      try answer(id) { $0.members(of: results, named: names, at: revision) }
    case .listed(let stores, let more):
      try answer(id) { writer in
        writer.array("stores", of: stores) { writer, store in
          writer.anonymousObject { $0.members(of: store) }
        }
        writer.member("more", more)
      }
    default: throw .unexpectedReply
    }
  }
}

extension JSONWriter {
  /// What went wrong, with the code that it has everywhere and statectl's exit status for it.
  fileprivate mutating func member(_ failure: Failure) {
    object("error") {
      if case .hub(let error) = failure {
        $0.member("code", "\(error.code)")
        $0.member("number", error.code.rawValue)
        $0.member("status", failure.status)
        $0.member("message", error.message)
        if let store = error.store { $0.member("name", store) }
        if error.code == .conflict { $0.member("revision", error.revision) }
        $0.member("operation", error.operation)
      } else {
        $0.member("code", "other")
        $0.member("status", failure.status)
        $0.member("message", failure.message ?? "")
      }
    }
  }
}
