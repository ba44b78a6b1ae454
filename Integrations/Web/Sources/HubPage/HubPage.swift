// A store as server-sent events, and the page that shows it.

public import HubClient
public import Hummingbird
import ServiceLifecycle

/// The routes of a page that shows a store while it changes: `/`, and `/events` as server-sent events.
///
/// An event without a name has a value as its data and the hub's revision as its id: first the current value, then the newest,
/// as fast as the browser reads. `removed` means that there is no value, `away` that the hub cannot be reached, with the reason
/// (again, if that changes), and `back` that the hub is there.
public func hubPage(_ hub: Hub, store: String) -> Router<BasicRequestContext> {
  let router = Router()
  router.get("/") { _, _ in
    Response(
      status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: page(showing: store))))
  }
  router.get("/events") { request, _ in
    Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        // It ends when the browser leaves or the server shuts down.
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          for await event in events(of: store, in: hub).cancelOnGracefulShutdown() {
            try await writer.write(ByteBuffer(string: event))
          }
        }
        try await writer.finish(nil)
      })
  }
  return router
}

/// The events of the store and the hub, as text for a browser. A slow browser misses older values.
private func events(of store: String, in hub: Hub) -> AsyncStream<String> {
  let (stream, continuation) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingNewest(16))
  let values = Task {
    var shown: String?
    // Views, not changes, because they also report that there is no such store.
    for try await view in hub.watch(store).views {
      let next = view.values[store].map { event(data: "\($0)", id: view.revision) } ?? event("removed")
      if next != shown { continuation.yield(next) }
      shown = next
    }
  }
  let statuses = Task {
    var reason: HubError?
    for await status in hub.statuses {
      // First that the connection was lost, then why there is none.
      if let error = status.error, error != reason { continuation.yield(event("away", data: "\(error)")) }
      if status.isConnected, reason != nil { continuation.yield(event("back")) }
      reason = status.error
    }
    continuation.finish()
  }
  continuation.onTermination = { _ in
    values.cancel()
    statuses.cancel()
  }
  return stream
}

/// One server-sent event.
private func event(_ name: String? = nil, data: String = "", id: Revision? = nil) -> String {
  let lines = data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)\n" }.joined()
  return (name.map { "event: \($0)\n" } ?? "") + (id.map { "id: \($0)\n" } ?? "") + lines + "\n"
}
