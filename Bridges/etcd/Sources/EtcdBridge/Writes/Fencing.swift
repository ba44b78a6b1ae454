// The fence: a key of the bridge's own that each of its changes compares. Once it is set again, none from before can be made.

internal import EtcdGateway
internal import FoundationEssentials

extension PrefixBridge {
  /// Sets the fence again. Callers that want that at the same time share one request.
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
      if failure.problem == .noSpace {
        // Nothing can be set. Removals compare the fence that there is.
        let found = try await etcd.range(EtcdRange(.key(ownKeys.fence))).keyValues.first
        fence = max(fence, found?.modRevision ?? 0)
        return nil
      }
      guard case .permissionDenied = failure.problem else { throw failure }
      isReadOnly = true
      report.readOnly(mapping.base, ownKeys.ticketText)
      return nil
    }
  }

  /// The fence was set: by an attempt of this process that seemed to have failed, or by another bridge of the same name.
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
  /// For messages.
  var ticketText: String { String(decoding: ticket, as: UTF8.self) }
}
