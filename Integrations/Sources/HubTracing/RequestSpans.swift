// A span for each request of a `Hub`.

public import HubClient
import Tracing

extension RequestObserver {
  /// Makes a span for each request, with the program's tracer: `statehub get`, with the store's name as the attribute
  /// `statehub.store`. It is a part of the task's span.
  ///
  ///     let hub = Hub(observer: .spans)
  ///
  /// Values are not recorded.
  public static var spans: RequestObserver {
    RequestObserver { request in
      let span = InstrumentationSystem.tracer.startAnySpan("statehub \(request.verb)", ofKind: .client)
      span.attributes["statehub.store"] = request.store
      return { error in
        if let error {
          span.recordError(error)
          span.setStatus(SpanStatus(code: .error, message: error.message))
        }
        span.end()
      }
    }
  }
}
