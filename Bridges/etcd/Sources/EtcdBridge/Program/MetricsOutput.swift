// The output of metrics: to a file every ten seconds, or over HTTP on this machine.

internal import FoundationEssentials
internal import Glibc

/// One scraper is answered at a time, on a thread that waits.
struct MetricsOutput {
  private let report: Report

  init(_ report: Report) { self.report = report }

  /// Replaces a file atomically until the task is cancelled, and then removes it, because old metrics would mislead.
  func write(to path: String) async {
    repeat {
      try? Data(report.metrics.utf8).write(to: URL(filePath: path), options: .atomic)
    } while (try? await Task.sleep(for: .seconds(10))) != nil
    unlink(path)
  }

  /// Answers requests.
  ///
  /// - Returns: the listening socket, which a thread serves as long as the process lives.
  func serve(at address: String) throws(BridgeProblem) {
    let parts = address.split(separator: ":")
    guard parts.count == 2, let port = UInt16(parts[1]) else {
      throw BridgeProblem(
        .usage, "--metrics takes ADDRESS:PORT, as 127.0.0.1:9498, or a file's path with a slash")
    }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    guard inet_pton(AF_INET, String(parts[0]), &name.sin_addr) == 1 else {
      throw BridgeProblem(.usage, "--metrics: \(parts[0]) is not an IPv4 address")
    }
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var one: CInt = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
    let bound = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard listener >= 0, bound == 0, listen(listener, 16) == 0 else {
      throw BridgeProblem(.unavailable, "--metrics \(address): \(String(cString: strerror(errno)))")
    }
    let start = Unmanaged.passRetained(Service(listener: listener, report: report))
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, nil,
      { raw in
        guard let raw else { return nil }
        Unmanaged<Service>.fromOpaque(raw).takeRetainedValue().run()
        return nil
      }, start.toOpaque())
    if failure == 0 { pthread_detach(thread) }
  }

  private final class Service {
    let listener: CInt
    let report: Report

    init(listener: CInt, report: Report) { (self.listener, self.report) = (listener, report) }

    func run() {
      while true {
        let connection = accept(listener, nil, nil)
        if connection < 0 {
          // Wait for a free descriptor.
          if errno != EINTR && errno != ECONNABORTED { sleep(1) }
          continue
        }
        answer(connection)
        close(connection)
      }
    }

    private func answer(_ connection: CInt) {
      var timeout = timeval(tv_sec: 2, tv_usec: 0)
      for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
        setsockopt(connection, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
      }
      var head: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while head.count < 8192, !String(decoding: head, as: UTF8.self).contains("\r\n\r\n") {
        let count = recv(connection, &buffer, buffer.count, 0)
        if count <= 0 { return }
        head += buffer[..<count]
      }
      let words = String(decoding: head.prefix { $0 != 13 }, as: UTF8.self).split(separator: " ")
      let isMetrics = words.count == 3 && words[0] == "GET" && words[1] == "/metrics"
      let body = isMetrics ? report.metrics : "the metrics are at /metrics\n"
      let type = isMetrics ? OpenMetrics.contentType : "text/plain; charset=utf-8"
      let answer = Array(
        "HTTP/1.1 \(isMetrics ? "200 OK" : "404 Not Found")\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n\(body)"
          .utf8)
      var sent = 0
      while sent < answer.count {
        let count = answer.withUnsafeBytes {
          send(connection, $0.baseAddress?.advanced(by: sent), answer.count - sent, CInt(MSG_NOSIGNAL))
        }
        if count <= 0 { return }
        sent += count
      }
    }
  }
}
