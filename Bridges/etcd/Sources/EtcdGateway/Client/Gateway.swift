// One attempt at one endpoint: JSON in, JSON out, and a typed failure otherwise.

internal import FoundationEssentials

final class Gateway: Sendable {
  let settings: EtcdSettings
  let rotation: Rotation
  private let transport: HTTPTransport

  init(_ settings: EtcdSettings) throws(EtcdFailure) {
    self.settings = settings
    rotation = try Rotation(settings.endpoints)
    transport = HTTPTransport(settings.transport)
  }

  /// Sends a request and reads its answer.
  func attempt<Answer: Decodable>(
    _ call: Call, _: Answer.Type, at endpoint: String, token: String?, until deadline: ContinuousClock.Instant
  ) async throws(EtcdFailure) -> Answer {
    let answer: HTTPAnswer
    do {
      answer = try await transport.send(request(call, endpoint, token, until: deadline))
    } catch {
      throw EtcdFailure(error, at: endpoint)
    }
    guard answer.status == 200 else {
      throw EtcdFailure(status: answer.status, body: answer.body, at: endpoint)
    }
    return try Gateway.read(Answer.self, answer.body, at: endpoint)
  }

  /// Sends a request and waits until its answer, a stream, begins.
  func open(
    _ call: Call, at endpoint: String, token: String?, until deadline: ContinuousClock.Instant
  ) async throws(EtcdFailure) -> HTTPStream {
    let stream: HTTPStream
    var body: [UInt8] = []
    do {
      stream = try await transport.open(request(call, endpoint, token, until: deadline))
      if stream.status == 200 { return stream }
      while body.count < 65536, let piece = try await stream.next() { body += piece }
    } catch {
      throw EtcdFailure(error, at: endpoint)
    }
    throw EtcdFailure(status: stream.status, body: body, at: endpoint)
  }

  /// Reads JSON that etcd has answered. What it has answered may have had an effect.
  static func read<Answer: Decodable>(
    _: Answer.Type, _ bytes: [UInt8], at endpoint: String
  ) throws(EtcdFailure) -> Answer {
    do {
      return try JSONDecoder().decode(Answer.self, from: Data(bytes))
    } catch {
      let text = String(decoding: bytes.prefix(80), as: UTF8.self)
      throw EtcdFailure(.malformed(text.isEmpty ? "an empty answer" : text), .unknown, at: endpoint)
    }
  }

  private func request(
    _ call: Call, _ endpoint: String, _ token: String?, until deadline: ContinuousClock.Instant
  ) -> HTTPRequest {
    // A member without a leader refuses at once then, instead of waiting for one.
    var headers = ["Grpc-Metadata-hasleader: true"]
    if let token { headers.append("Authorization: \(token)") }
    return HTTPRequest(
      url: endpoint + call.path, headers: headers, body: call.body, isRepeatable: call.isReading,
      deadline: deadline)
  }
}

/// What is asked, of whatever endpoint.
struct Call: Sendable {
  let path: String
  let body: [UInt8]
  /// Whether it changes nothing, so that it can be asked again whatever has become of it.
  let isReading: Bool

  init(_ path: String, _ body: some Encodable, isReading: Bool) throws(EtcdFailure) {
    self.path = path
    self.isReading = isReading
    do {
      self.body = [UInt8](try JSONEncoder().encode(body))
    } catch {
      throw EtcdFailure(.rejected("it cannot be written as JSON: \(error)"), .none)
    }
  }
}
