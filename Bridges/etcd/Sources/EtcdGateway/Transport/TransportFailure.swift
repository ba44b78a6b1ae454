// Why a transfer has failed, and whether the other side may have received it.

internal import CCurl

/// The end of a transfer without a complete answer.
package struct TransportFailure: Error, Sendable, Equatable {
  /// What kind of failure it is.
  package enum Kind: Sendable {
    /// No connection could be made.
    case unreachable
    /// A certificate was refused, or a file with certificates cannot be used.
    case tls
    /// The request's time was over.
    case deadline
    /// The connection ended before the answer did.
    case cut
    /// The answer is not HTTP.
    case malformed
    /// The answer or a line of it is longer than the settings allow.
    case tooLong
    /// The task was cancelled, or the stream has no reader any more.
    case cancelled
    /// There are as many transfers as the settings allow.
    case busy
    /// The transport was closed.
    case closed
    /// libcurl refused the request: its URL, for instance.
    case invalid
  }

  /// What kind of failure it is.
  package let kind: Kind
  /// Whether the whole request may have reached the other side. If `false`, part of it was never handed to the kernel.
  package let mayHaveBeenReceived: Bool
  /// The text of libcurl or OpenSSL.
  package let text: String

  init(_ kind: Kind, mayHaveBeenReceived: Bool = false, _ text: String) {
    self.kind = kind
    self.mayHaveBeenReceived = mayHaveBeenReceived
    self.text = text
  }
}

extension TransportFailure.Kind {
  /// The meaning of libcurl's code.
  init(_ code: CURLcode, text: String) {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT: self = .unreachable
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CLIENTCERT:
      self = .tls
    case CURLE_OPERATION_TIMEDOUT: self = .unreachable  // Only connecting has a time of libcurl's.
    // With TLS 1.3 the other side refuses the client's certificate after the request: by an alert.
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR: self = text.contains("alert") ? .tls : .cut
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING: self = .malformed
    case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION, CURLE_OUT_OF_MEMORY,
      CURLE_FAILED_INIT:
      self = .invalid
    default: self = .cut
    }
  }
}
