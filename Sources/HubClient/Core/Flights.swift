// A pending request, its outcome when the connection is lost, and all pending requests by number. It sends nothing.

internal import HubCore
internal import HubTransport

/// In the order of their numbers. Usually the first one is answered first: it is found without a search, and without
/// hashing, which a dictionary does three times for each request (400 instructions of a `get`).
///
/// An answered request in the middle leaves a gap; there are never more gaps than requests, except for a few.
struct Flights {
  private struct Entry {
    let id: UInt32
    var flight: Flight?
  }

  private var entries: [Entry] = []
  /// The first one that is still there.
  private var head = 0
  private(set) var count = 0
  /// The number of slots in use, including gaps.
  var places: Int { entries.count }

  var isEmpty: Bool { count == 0 }

  /// Their numbers, the oldest first.
  var ids: [UInt32] { entries[head...].compactMap { $0.flight == nil ? nil : $0.id } }

  subscript(id: UInt32) -> Flight? {
    get { index(of: id).flatMap { entries[$0].flight } }
    set {
      guard let newValue else {
        _ = remove(id)
        return
      }
      if let index = index(of: id) { entries[index].flight = newValue }
    }
  }

  /// - Parameter id: a number assigned after all others.
  mutating func append(_ flight: Flight, _ id: UInt32) {
    entries.append(Entry(id: id, flight: flight))
    count += 1
  }

  mutating func remove(_ id: UInt32) -> Flight? {
    guard let index = index(of: id), let flight = entries[index].flight.take() else { return nil }
    count -= 1
    tidy()
    return flight
  }

  mutating func removeAll() { self = Flights() }

  /// How many gaps are allowed beside the same number of requests.
  private static let few = 64

  private mutating func tidy() {
    if count == 0 {
      entries.removeAll(keepingCapacity: entries.capacity <= Flights.few)
      head = 0
      return
    }
    while entries[head].flight == nil { head += 1 }
    guard entries.count - count > count + Flights.few else { return }
    entries.removeAll { $0.flight == nil }
    head = 0
  }

  /// The slot of the request, even if it is now a gap. Numbers wrap around: the distance from the first one counts.
  private func index(of id: UInt32) -> Int? {
    guard head < entries.count else { return nil }
    let first = entries[head].id
    if id == first { return head }
    let distance = id &- first
    var (low, high) = (head, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].id &- first < distance { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].id == id ? low : nil
  }
}

struct Flight {
  let request: Request
  /// Nil: no caller waits for it.
  let call: Call?
  var deadline: Deadline
  /// Where its frame begins in this connection's output; nil if it was not written to this connection.
  var start: UInt64?
  /// It was sent, at least in part, on a connection that was lost.
  var mayHaveRun = false
}

extension StoreReference {
  var name: String? { if case .name(let name) = self { name.text } else { nil } }
}

extension WriteOperation {
  var name: String? { store.name }
}

extension HubError {
  /// The hub does not accept a request of that length.
  static func tooLong(_ length: Int, _ limit: Int, store: String?) -> HubError {
    HubError(
      .frameTooLarge, store: store, "the request takes \(length) bytes, but the hub accepts at most \(limit)")
  }

  /// The write was sent, and its reply is lost.
  static func outcomeUnknown(_ request: Request) -> HubError {
    HubError(
      .outcomeUnknown, store: request.operations.first?.name,
      "the connection was lost before the reply: the outcome of the write is unknown, read to find out"
    )
  }
}
