// One transfer on the transport's thread: a libcurl handle and what its callbacks do. It never leaves that thread.

internal import CCurl
internal import Glibc

final class Transfer {
  let exchange: Exchange
  /// How often libcurl has begun to send it. The second time means that a connection that had been kept open was dead.
  private var sendings = 0
  private let bodySize: Int
  private let isRepeatable: Bool
  private let unacknowledged: CUnsignedInt
  private var easy: Slot = .empty

  /// A handle needs the address of its transfer, so it is made second.
  private enum Slot: ~Copyable {
    case empty
    case made(Easy)
  }

  init(_ request: HTTPRequest, _ settings: TransportSettings, _ exchange: Exchange) throws(TransportFailure) {
    self.exchange = exchange
    bodySize = request.body.count
    isRepeatable = request.isRepeatable
    unacknowledged = CUnsignedInt(clamping: settings.unacknowledged.milliseconds)
    let user = Unmanaged.passUnretained(self).toOpaque()
    let easy = try Easy(request, settings, user: user)
    Transfer.setCallbacks(of: easy.raw, user: user, isStream: exchange.isStream)
    self.easy = .made(easy)
  }

  /// Calls `body` with the handle.
  func withEasy<Result>(_ body: (borrowing Easy) -> Result) -> Result {
    switch easy {
    case .made(let easy): body(easy)
    case .empty: preconditionFailure("a transfer without its handle ends in its initialiser")
    }
  }

  /// The transfer of a handle that it has made.
  static func of(_ raw: UnsafeMutableRawPointer) -> Transfer? {
    Easy.user(of: raw).map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Ends with libcurl's result.
  func end(_ code: CURLcode) {
    if code == CURLE_OK {
      exchange.begin(status: withEasy { $0.status })
      return exchange.end(nil)
    }
    let text =
      sendings > 1 && !isRepeatable
      ? "the connection ended before an answer came" : withEasy { $0.explanation(of: code) }
    let kind =
      if code == CURLE_WRITE_ERROR { TransportFailure.Kind.tooLong } else {
        TransportFailure.Kind(code, text: text)
      }
    exchange.end(TransportFailure(kind, mayHaveBeenReceived: mayHaveBeenReceived, text))
  }

  /// Ends it for a reason of our own.
  func end(_ kind: TransportFailure.Kind, _ text: String) {
    exchange.end(TransportFailure(kind, mayHaveBeenReceived: mayHaveBeenReceived, text))
  }

  /// Continues a stream whose reader had been too slow.
  func resume() { withEasy { easy in _ = curl_easy_pause(easy.raw, CURLPAUSE_CONT) } }

  /// Whether all of it was handed to the kernel. A JSON text without its last byte is invalid, so less than all has no effect.
  private var mayHaveBeenReceived: Bool {
    sendings > 1 || (sendings == 1 && withEasy { $0.bodySent } >= bodySize)
  }
}

extension Transfer {
  private static func setCallbacks(
    of raw: UnsafeMutableRawPointer, user: UnsafeMutableRawPointer, isStream: Bool
  ) {
    ccurl_set_pointer(raw, CURLOPT_WRITEDATA, user)
    ccurl_set_receiver(raw, CURLOPT_WRITEFUNCTION) { bytes, _, count, user in
      guard let bytes, let user else { return 0 }
      let transfer = Unmanaged<Transfer>.fromOpaque(user).takeUnretainedValue()
      return transfer.receive(UnsafeRawBufferPointer(start: bytes, count: count))
    }
    if isStream {
      ccurl_set_pointer(raw, CURLOPT_HEADERDATA, user)
      ccurl_set_receiver(raw, CURLOPT_HEADERFUNCTION) { bytes, _, count, user in
        guard let bytes, let user else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(user).takeUnretainedValue()
        if bytes.pointee == 13 || bytes.pointee == 10 { transfer.endHead() }
        return count
      }
    }
    ccurl_set_pointer(raw, CURLOPT_PREREQDATA, user)
    ccurl_set_prerequest(raw) { user, _, _, _, _ in
      guard let user else { return CURL_PREREQFUNC_ABORT }
      return Unmanaged<Transfer>.fromOpaque(user).takeUnretainedValue().beginSending()
    }
    // libcurl's own sockets would be kept open by every child process.
    ccurl_set_socket_opener(raw) { _, _, address in
      guard let address = address?.pointee else { return -1 }
      return socket(address.family, address.socktype | O_CLOEXEC, address.protocol)
    }
    ccurl_set_pointer(raw, CURLOPT_SOCKOPTDATA, user)
    ccurl_set_socket_setup(raw) { user, socket, _ in
      guard let user else { return CInt(CURL_SOCKOPT_ERROR) }
      var limit = Unmanaged<Transfer>.fromOpaque(user).takeUnretainedValue().unacknowledged
      setsockopt(
        socket, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &limit, socklen_t(MemoryLayout.size(ofValue: limit)))
      return CInt(CURL_SOCKOPT_OK)
    }
  }

  /// libcurl sends a request again if a connection that it had kept ends without an answer. Writes must not be sent twice.
  private func beginSending() -> CInt {
    sendings += 1
    return sendings == 1 || isRepeatable ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
  }

  /// An empty line: the head is complete, unless it is an interim one or that of the trailers.
  private func endHead() {
    let status = withEasy { $0.status }
    if status >= 200 { exchange.begin(status: status) }
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
    exchange.begin(status: withEasy { $0.status })
    switch exchange.receive(bytes) {
    case .taken: return bytes.count
    case .paused: return Int(CURL_WRITEFUNC_PAUSE)
    case .tooLong: return 0
    }
  }
}
