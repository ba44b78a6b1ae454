// The frames of a test of `statectl bench`, encoded before the clock runs.

internal import HubCore

struct BenchWork {
  let test: BenchTest
  let load: BenchLoad
  /// One for each connection, or one for all: `load.pipeline` frames of the same length.
  private var frames: [[UInt8]] = []
  /// What a connection sends before the clock runs, to be answered once.
  let start: [UInt8]

  /// The number of every request. The first one, `hello`, has another.
  static let request: UInt32 = 2

  init(_ test: BenchTest, _ load: BenchLoad, _ stores: [StoreName]) throws(Failure) {
    self.test = test
    self.load = load
    let value = BenchWork.value(load.size)
    let start: Request = test == .fanout ? .watch([NamePattern(stores[0])], policy: .every) : .ping
    self.start = BenchWork.encoded(start, 1)
    func repeated(_ request: Request) { frames.append(BenchWork.encoded(request, load.pipeline)) }
    switch test {
    case .ping: repeated(.ping)
    case .get: repeated(.get(.name(stores[0])))
    // An equal value must count as a change.
    case .set, .fanout: for store in stores { repeated(.write(.set(.name(store), value, force: true))) }
    case .add: repeated(.write(.add(.name(stores[0]), .integer(1))))
    case .txn: repeated(.transaction(stores.map { .set(.name($0), value, force: true) }))
    }
  }

  private static func encoded(_ request: Request, _ count: Int) -> [UInt8] {
    var buffer = OutputBuffer()
    for _ in 0..<count { request.encode(into: &buffer, id: BenchWork.request) }
    return buffer.array
  }

  /// A text of that length.
  static func value(_ size: Int) -> Value { .string(String(repeating: "x", count: size)) }

  /// What a connection sends.
  ///
  /// - Parameter count: at most `load.pipeline`.
  func batch(_ count: Int, of connection: Int) -> ArraySlice<UInt8> {
    let all = frames[frames.count == 1 ? 0 : connection]
    return all.prefix(all.count / load.pipeline * count)
  }
}
