// The fence: a key of the bridge's own that each of its changes compares. Once it is set anew, none from before can be made.

internal import EtcdGateway
internal import FoundationEssentials

extension PrefixBridge {
  /// Sets the fence anew. All who want that at the same time wait for the same request.
  ///
  /// - Parameter joining: `false`: the request begins now, so that everything that has happened by now is before it.
  /// - Returns: the revision at which it was set, after everything that had happened; nil: the user may not write, or etcd is
  ///   full.
  func raiseFence(joining: Bool = true) async throws -> Int64? {
    if isReadOnly { return nil }
    do {
      let raising =
        (joining ? raising : nil)
        ?? Task { [etcd, ownKeys] in
          try await etcd.put(ownKeys.fence, Data(ownKeys.instance.utf8), within: Pace.write)
        }
      self.raising = raising
      defer { self.raising = nil }
      let revision = try await raising.value
      fence = max(fence, revision)
      return revision
    } catch let failure as EtcdFailure {
      if failure.problem == .noSpace { return nil }
      guard case .permissionDenied = failure.problem else { throw failure }
      isReadOnly = true
      report.readOnly(mapping.base, ownKeys.ticketText)
      return nil
    }
  }

  /// Somebody has set the fence: an attempt of this process that seemed to have failed, or another bridge of the same name.
  func moveFence(_ found: EtcdKeyValue?) async throws(EtcdFailure) {
    if let found, found.value == Data(ownKeys.instance.utf8) {
      fence = max(fence, found.modRevision)
      return
    }
    if found != nil { report.sameName(mapping.base, ownKeys.ticketText) }
    do {
      _ = try await raiseFence()
    } catch let failure as EtcdFailure {
      throw failure
    } catch {
      return
    }
  }
}

extension OwnKeys {
  /// For people.
  var ticketText: String { String(decoding: ticket, as: UTF8.self) }
}
