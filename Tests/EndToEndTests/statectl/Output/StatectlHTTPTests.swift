// `statectl stats --openmetrics --http`: one request on standard input, its answer on standard output.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("Figures over HTTP", .blocking)
struct StatectlHTTPTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  /// The answer's status line, header lines and body.
  private func ask(_ request: String, _ control: Control? = nil) throws -> (
    status: String, head: [String], body: String
  ) {
    let result = try (control ?? bench.control).run("stats", "--openmetrics", "--http", input: request)
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    guard let border = result.output.firstRange(of: "\r\n\r\n") else {
      throw TestFailure("no head: \(result.output)")
    }
    let head = result.output[..<border.lowerBound].split(separator: "\r\n").map(String.init)
    let body = String(result.output[border.upperBound...])
    if !request.hasPrefix("HEAD") { #expect(head.contains("Content-Length: \(body.utf8.count)")) }
    #expect(head.contains("Connection: close"))
    return (head[0], Array(head.dropFirst()), body)
  }

  @Test("GET /metrics is answered with what --openmetrics prints, HEAD with its head alone")
  func metrics() throws {
    let answer = try ask("GET /metrics HTTP/1.1\r\nHost: here\r\nAccept: */*\r\n\r\n")
    #expect(answer.status == "HTTP/1.1 200 OK")
    #expect(answer.head.contains("Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8"))
    let text = OpenMetricsText(answer.body)
    #expect(text.problems.isEmpty && text.samples["statehub_stores"] == "0", "\(text.problems)")
    #expect(try ask("GET /metrics?a=b HTTP/1.0\n\n").status == "HTTP/1.1 200 OK")
    let head = try ask("HEAD /metrics HTTP/1.1\r\n\r\n")
    #expect(head.status == "HTTP/1.1 200 OK" && head.body.isEmpty)
    #expect(head.head.contains { $0.hasPrefix("Content-Length: ") && $0.count > 19 })
  }

  @Test("other paths, methods and protocols are refused, and so is a hub that is not there")
  func refusals() throws {
    #expect(try ask("GET / HTTP/1.1\r\n\r\n").status == "HTTP/1.1 404 Not Found")
    #expect(try ask("GET /metrics/ HTTP/1.1\r\n\r\n").status == "HTTP/1.1 404 Not Found")
    let post = try ask("POST /metrics HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
    #expect(post.status == "HTTP/1.1 405 Method Not Allowed" && post.head.contains("Allow: GET, HEAD"))
    #expect(try ask("hello\r\n\r\n").status == "HTTP/1.1 400 Bad Request")
    #expect(try ask("\r\n\r\n").status == "HTTP/1.1 400 Bad Request")
    let nowhere = Control(directory: bench.directory, socket: bench.directory.file("none.sock"))
    let answer = try ask("GET /metrics HTTP/1.1\r\n\r\n", nowhere)
    #expect(
      answer.status == "HTTP/1.1 503 Service Unavailable" && answer.body.hasPrefix("no hub listens at "))
  }

  @Test("a head that is too long is refused, and one that ends early gets no answer")
  func heads() throws {
    let long = "GET /metrics HTTP/1.1\r\nA: " + String(repeating: "a", count: 9000)
    #expect(try ask(long).status == "HTTP/1.1 431 Request Header Fields Too Large")
    let fitting = "GET /metrics HTTP/1.1\r\nA: " + String(repeating: "a", count: 7000) + "\r\n\r\n"
    #expect(try ask(fitting).status == "HTTP/1.1 200 OK")
    let cut = try bench.control.run("stats", "--openmetrics", "--http", input: "GET /metrics HT")
    #expect(cut == .init(status: 0, output: "", errors: ""))
    #expect(try bench.control.run("stats", "--http").status == 2)
  }

  @Test("who sends nothing is sent away")
  func silence() throws {
    // The writer holds the pipe open for longer than the patience of statectl.
    let result = try bench.control.shell(
      "{ printf 'GET /'; sleep 30 & echo $! >&2; } | statectl stats --openmetrics --http")
    #expect(result.output.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"), "\(result)")
    if let pid = Int32(result.errors.split(separator: "\n").first ?? "") { Glibc.kill(pid, SIGTERM) }
  }
}
