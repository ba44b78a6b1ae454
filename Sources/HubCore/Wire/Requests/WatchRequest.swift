// `watch`: asks for the values of the stores whose names match, and for every change from then on.

/// Which changes a watch gets.
public enum WatchPolicy: UInt8, Hashable, Sendable {
  /// Each store's newest value, as soon as the connection accepts it.
  case latest = 0
  /// Every change that the hub's change log still holds.
  case every = 1
}

package struct WatchCommand: RequestCommand {
  package let policy: WatchPolicy
  package let bookmark: Bookmark?
  package let schemas: Bool
  package let patterns: [String]
  package let filter: WatchFilter?

  package static let effect = RequestEffect.immediate
  /// What precedes the patterns: the bookmark and their count.
  package static let longestHead = 26

  private enum Flag {
    static let every: UInt8 = 1 << 0
    static let bookmark: UInt8 = 1 << 1
    static let schemas: UInt8 = 1 << 2
    static let filter: UInt8 = 1 << 3
  }

  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    policy = frame.flags & Flag.every != 0 ? .every : .latest
    schemas = frame.flags & Flag.schemas != 0
    if frame.flags & Flag.bookmark != 0 {
      let epoch = reader.epoch()
      bookmark = Bookmark(epoch: epoch, revision: reader.integer())
    } else {
      bookmark = nil
    }
    guard let patterns = reader.patternTexts() else { return nil }
    self.patterns = patterns
    if frame.flags & Flag.filter != 0 {
      guard let filter = WatchFilter(reading: &reader) else { return nil }
      self.filter = filter
    } else {
      filter = nil
    }
  }

  package func request() throws(HubError) -> Request {
    .watch(
      try [NamePattern](checking: patterns), policy: policy, bookmark: bookmark, schemas: schemas,
      filter: filter)
  }

  static func encode(
    _ patterns: [NamePattern], _ policy: WatchPolicy, _ bookmark: Bookmark?, _ schemas: Bool,
    _ filter: WatchFilter?, _ id: UInt32, into out: inout OutputBuffer
  ) {
    let flags =
      (policy == .every ? Flag.every : 0) | (schemas ? Flag.schemas : 0)
      | (bookmark != nil ? Flag.bookmark : 0) | (filter != nil ? Flag.filter : 0)
    out.frame(RequestKind.watch.rawValue, flags: flags, request: id) { out in
      if let bookmark {
        out.append(bookmark.epoch)
        out.append(bookmark.revision)
      }
      out.append(patterns)
      filter?.encode(into: &out)
    }
  }
}
