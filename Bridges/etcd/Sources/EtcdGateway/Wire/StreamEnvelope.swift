// The envelope of each line of a stream, and etcd's errors.

/// A line of a stream: a result, or the error that ends it.
struct StreamEnvelope<Result: Decodable & Sendable>: Decodable, Sendable {
  let result: Result?
  let error: ErrorBody?
}

/// etcd's errors. In answers the text is also under `error`, in streams the codes have longer names.
struct ErrorBody: Decodable, Sendable {
  let code: Int?
  let message: String

  private enum Keys: String, CodingKey {
    case code, message, error
    case streamCode = "grpc_code"
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Keys.self)
    code =
      try fields.decodeIfPresent(Int.self, forKey: .code)
      ?? fields.decodeIfPresent(Int.self, forKey: .streamCode)
    message =
      try fields.decodeIfPresent(String.self, forKey: .message) ?? fields.decode(String.self, forKey: .error)
  }
}

/// An answer that consists of a revision.
struct Acknowledgement: Decodable, Sendable {
  let header: EtcdHeader
}

/// A request without fields.
struct Nothing: Encodable {}
