// A program with an event loop of its own, on epoll and one thread: it counts what is typed, and shows a setting of a hub.
//
//     swift run event-loop              type lines; end with Control-D
//     statectl set event-loop.title 'Hello'

import CEpoll
import Glibc
import HubClient

let polled = try PolledHub(name: "event-loop")
let executor = polled.hub.executor
let title = polled.hub.value("event-loop.title", of: String.self)
let lines = polled.hub.value("event-loop.lines", of: Int.self)

func show(_ text: String) {
  print(text)
  fflush(nil)
}

/// Watches the descriptors for reading.
func makeLoop(_ descriptors: Int32...) -> Int32 {
  let loop = epoll_create1(0)
  for descriptor in descriptors {
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: descriptor))
    epoll_ctl(loop, EPOLL_CTL_ADD, descriptor, &event)
  }
  return loop
}

/// How many lines were typed; nil at the end of the input.
func typedLines() -> Int? {
  var bytes = [UInt8](repeating: 0, count: 4096)
  let length = read(STDIN_FILENO, &bytes, bytes.count)
  return length > 0 ? bytes.prefix(length).count { $0 == UInt8(ascii: "\n") } : nil
}

// Tasks that prefer the executor run within `process`, on this thread.
Task(executorPreference: executor) { [title] in
  for try await text in title.values { show("title: \(text)") }
}

let loop = makeLoop(STDIN_FILENO, polled.descriptor)
var events = [epoll_event](repeating: epoll_event(), count: 2)
while true {
  let count = epoll_wait(loop, &events, Int32(events.count), polled.timeout)
  for event in events.prefix(Int(max(count, 0))) where event.data.fd == STDIN_FILENO {
    guard let typed = typedLines() else { exit(0) }
    Task(executorPreference: executor) { [lines] in
      do {
        show("lines: \(try await lines.update(default: 0) { lines in lines += typed; return lines })")
      } catch {
        show("event-loop: \(error)")
      }
    }
  }
  polled.process()
}
