// Writes a session into an image, with its watches.

import HubCore

extension ImageWriter {
  /// Writes a session, its watches, and the members of their patterns.
  ///
  /// - Parameters:
  ///   - head: of the change log.
  ///   - isWritten: by pattern, whether its members are in the image.
  mutating func write(
    _ session: SessionID, of feed: borrowing Feed, _ stores: borrowing Stores, head: UInt64, socket: String?,
    patterns isWritten: inout [Bool]
  ) {
    var subscriber = feed.sessions[session]
    // Pending changes of access rules are not in images: their session is reset.
    let startsOver = feed.news[session] != nil
    if startsOver {
      subscriber.position = head
      (subscriber.isIntroducing, subscriber.mustForget) = (true, true)
    }
    let info = feed.sessions.info(of: session)
    frame(ImageKind.session.rawValue) { out in
      out.append(session.raw)
      out.append(info.peer.pid)
      out.append(info.peer.uid)
      out.append(info.peer.gid)
      out.append(info.since)
      out.append(info.unsent)
      out.append(subscriber.position)
      out.append(subscriber.delivery.rawValue)
      var flags: UInt8 = 0
      if subscriber.owesSync { flags |= ImageFlag.owesSync }
      if subscriber.isIntroducing { flags |= ImageFlag.isIntroducing }
      if subscriber.mustForget { flags |= ImageFlag.mustForget }
      if subscriber.isQueued { flags |= ImageFlag.isQueued }
      if info.origin != nil { flags |= ImageFlag.hasOrigin }
      out.append(flags)
      out.append(info.restriction?.rawValue ?? 0)
      out.append(short: feed.sessions.name(of: session))
      out.append(short: socket ?? "")
      if let origin = info.origin { out.append(origin) }
    }
    feed.sessions.forEachWatch(of: session) { _, watch in
      frame(ImageKind.watch.rawValue) { out in
        out.append(watch.request)
        out.append(startsOver ? 0 : watch.snapshot)
        var flags: UInt8 = 0
        if watch.policy == .every { flags |= ImageFlag.every }
        if watch.policy == .filtered { flags |= ImageFlag.filtered }
        if watch.schemas { flags |= ImageFlag.schemas }
        out.append(flags)
        out.append(short: feed.patterns[watch.pattern].pattern.text)
        out.append(startsOver ? .max : watch.removals)
        out.append(watch.interval)
      }
      if isWritten[Int(watch.pattern)] { return }
      isWritten[Int(watch.pattern)] = true
      write(members: watch.pattern, of: feed.patterns, stores)
    }
    if let filter = feed.filters[session] { write(filter, of: feed, startsOver: startsOver) }
    let owned = stores.owned(by: session).sorted { $0.raw < $1.raw }
    if owned.isEmpty { return }
    frame(ImageKind.owned.rawValue) { out in
      for id in owned { out.append(id.raw) }
    }
  }
}
