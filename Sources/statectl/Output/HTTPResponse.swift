// Owns the one HTTP answer of `--http`: reads a scraper's request, and writes the metrics. It is for a socket that a service manager
// has accepted, and does not serve a second request.

internal import HubCore
internal import HubSystem
internal import HubTransport

struct HTTPResponse: Error {
  let status: String
  let contentType: String
  let body: [UInt8]
  /// The request was `HEAD`: the body is only announced.
  var omitsBody = false

  /// The only path that there is.
  static let path = "/metrics"
  /// The longest request head that is read, in bytes.
  static let mostHeadBytes = 8192
  /// How long a client may take to send it.
  static let patience = Duration.seconds(5)

  init(status: String, contentType: String = "text/plain; charset=utf-8", body: [UInt8]) {
    (self.status, self.contentType, self.body) = (status, contentType, body)
  }

  init(_ status: String, _ text: String) { self.init(status: status, body: Array("\(text)\n".utf8)) }

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - head: the bytes up to the empty line.
  ///   - metrics: makes them; called only for a request of `path`.
  static func answer(_ head: [UInt8], metrics: () throws(Failure) -> [UInt8]) -> HTTPResponse {
    let line = String(decoding: head.prefix { $0 != 13 && $0 != 10 }, as: UTF8.self)
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else {
      return HTTPResponse("400 Bad Request", "this is not an HTTP/1 request")
    }
    guard words[0] == "GET" || words[0] == "HEAD" else {
      return HTTPResponse("405 Method Not Allowed", "only GET and HEAD are supported")
    }
    var response: HTTPResponse
    if words[1].split(separator: "?", maxSplits: 1).first.map(String.init) != path {
      response = HTTPResponse("404 Not Found", "the metrics are at \(path)")
    } else {
      do throws(Failure) {
        response = HTTPResponse(status: "200 OK", contentType: OpenMetrics.contentType, body: try metrics())
      } catch {
        response = HTTPResponse("503 Service Unavailable", error.message ?? "no answer")
      }
    }
    response.omitsBody = words[0] == "HEAD"
    return response
  }

  var bytes: [UInt8] {
    let allow = status.hasPrefix("405") ? "Allow: GET, HEAD\r\n" : ""
    let head =
      "HTTP/1.1 \(status)\r\nContent-Type: \(contentType)\r\nContent-Length: \(body.count)\r\n\(allow)"
      + "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    return Array(head.utf8) + (omitsBody ? [] : body)
  }

  /// Reads a request head from a descriptor.
  ///
  /// - Returns: nil if the client has gone.
  /// - Throws: the answer to a head that is too long, or late.
  static func readHead(from descriptor: Int32, until deadline: Deadline) throws(HTTPResponse) -> [UInt8]? {
    var head: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1024)
    while !isComplete(head) {
      if head.count >= mostHeadBytes {
        drain(descriptor)
        throw HTTPResponse(
          "431 Request Header Fields Too Large", "a request can have at most \(mostHeadBytes) bytes")
      }
      guard Poll.wait(for: .reading, on: descriptor, milliseconds: deadline.pollTimeout()) else {
        throw HTTPResponse("408 Request Timeout", "no complete request arrived in time")
      }
      switch room.withUnsafeMutableBytes({ Descriptor.read(descriptor, into: $0) }) {
      case .bytes(let count): head += room.prefix(count)
      case .wouldBlock: continue
      case .ended, .failed: return nil
      }
    }
    return head
  }

  /// Reads what is there and more than a head may have, up to 64 KiB: bytes that stay unread when the connection closes
  /// would make the kernel discard the reply.
  private static func drain(_ descriptor: Int32) {
    for _ in 0..<64 where Poll.wait(for: .reading, on: descriptor, milliseconds: 10) {
      if Descriptor.readOnce(descriptor, limit: 1024).isEmpty { return }
    }
  }

  /// An empty line ends the head. Both kinds of line ends count.
  private static func isComplete(_ head: [UInt8]) -> Bool {
    let text = head.filter { $0 != 13 }
    return zip(text, text.dropFirst()).contains { $0 == 10 && $1 == 10 }
  }
}
