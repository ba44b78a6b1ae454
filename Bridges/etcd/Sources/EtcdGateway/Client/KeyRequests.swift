// Reading and changing keys.

package import FoundationEssentials

extension EtcdClient {
  /// Reads keys, by default as the majority has them.
  ///
  /// - Parameter within: how long it may take; `nil`: as the settings say.
  package func range(
    _ range: EtcdRange, within: Duration? = nil
  ) async throws(EtcdFailure) -> EtcdRangeResult {
    try await call(Call("/v3/kv/range", range, isReading: true), within: within)
  }

  /// Reads any number of keys in pages, all of them at one revision, which is that of the first page or the range's own.
  package func pages(_ range: EtcdRange) -> EtcdPages { EtcdPages(self, range) }

  /// Carries out a transaction: all of a branch, at one revision.
  ///
  /// - Parameter within: how long it may take; `nil`: as the settings say.
  package func transact(
    _ transaction: EtcdTransaction, within: Duration? = nil
  ) async throws(EtcdFailure) -> EtcdTransactionResult {
    let call = try Call("/v3/kv/txn", transaction, isReading: transaction.isReading)
    return try await self.call(call, within: within)
  }

  /// Sets a key, with a lease if that is not 0. Returns the revision.
  @discardableResult package func put(
    _ key: Data, _ value: Data, lease: Int64 = 0, within: Duration? = nil
  ) async throws(EtcdFailure) -> Int64 {
    let body = PutBody(key: key, value: value, lease: lease, wantsPrevious: false)
    let call = try Call("/v3/kv/put", body, isReading: false)
    return try await self.call(call, Acknowledgement.self, within: within).header.revision
  }

  /// Deletes keys. Returns the revision.
  @discardableResult package func delete(_ keys: EtcdKeys) async throws(EtcdFailure) -> Int64 {
    let body = DeleteBody(keys: keys, wantsPrevious: false)
    return try await call(Call("/v3/kv/deleterange", body, isReading: false), Acknowledgement.self).header
      .revision
  }

  /// Drops everything before a revision. Reading that, or watching from it, gets `compacted` from then on.
  package func compact(before revision: Int64) async throws(EtcdFailure) {
    let body = ["revision": String(revision)]
    _ = try await call(Call("/v3/kv/compaction", body, isReading: false), Acknowledgement.self)
  }
}

/// Pages of keys. Each is read when it is requested.
package struct EtcdPages: AsyncSequence, AsyncIteratorProtocol {
  private let client: EtcdClient
  private var range: EtcdRange
  /// How long a page may take; `nil`: as the settings say.
  private var time: Duration?
  private var isAtEnd = false

  init(_ client: EtcdClient, _ range: EtcdRange) {
    self.client = client
    self.range = range
    if self.range.limit == 0 { self.range.limit = 1000 }
  }

  /// The revision at which the pages are read; 0: no page has been read yet.
  package var revision: Int64 { range.revision }

  /// The next page; `nil` after the last one. It throws `compacted` if the revision is no longer kept: then start again.
  package mutating func next() async throws(EtcdFailure) -> EtcdRangeResult? {
    if isAtEnd { return nil }
    let page = try await client.range(range, within: time)
    if range.revision == 0 { range.revision = page.currentRevision }
    if page.hasMore, let last = page.keyValues.last {
      range.keys = .range(from: last.key + [0], to: range.keys.bounds.end)
    } else {
      isAtEnd = true
    }
    return page
  }

  /// The next page, with as many keys as have about so many bytes. A page that is too large or too slow is requested with fewer
  /// keys, and one key that is too slow with up to four times the time.
  package mutating func next(about bytes: Int) async throws(EtcdFailure) -> EtcdRangeResult? {
    let usual = client.gateway.settings.call
    while true {
      do throws(EtcdFailure) {
        let page = try await next()
        let found = page?.keyValues.reduce(1) { $0 + $1.key.count + $1.value.count } ?? 1
        range.limit = Swift.max(1, Swift.min(1000, range.limit * Int64(bytes) / Int64(found)))
        return page
      } catch {
        guard error.isAboutLength else { throw error }
        if range.limit > 1 {
          range.limit = Swift.max(1, range.limit / 4)
        } else if error.problem == .deadline, time ?? usual < usual * 4 {
          time = (time ?? usual) * 2
        } else {
          throw error
        }
      }
    }
  }

  /// Itself: pages are read once.
  package func makeAsyncIterator() -> EtcdPages { self }
}

extension EtcdFailure {
  /// A shorter answer may arrive.
  fileprivate var isAboutLength: Bool {
    switch problem {
    case .tooLarge, .deadline: true
    default: false
    }
  }
}
