// `--check`: tests everything that the bridge needs, and reports what is wrong and how to fix it.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

struct Check {
  private let options: Options

  init(_ options: Options) { self.options = options }

  /// - Returns: the status of the first problem; 0 without one.
  func run() async -> Int32 {
    var status: Int32 = 0
    func say(_ problem: BridgeProblem) {
      print("wrong: \(problem)")
      if status == 0 { status = problem.kind.rawValue }
    }
    for problem in files() { say(problem) }
    for problem in await cluster() { say(problem) }
    for prefix in options.prefixes {
      for problem in await rights(prefix) { say(problem) }
      for problem in await claim(prefix) { say(problem) }
    }
    return status
  }

  private func files() -> [BridgeProblem] {
    let transport = options.settings.transport
    let all = [transport.authorities, transport.certificate, transport.key, options.passwordFile]
    return all.compactMap { $0 }.compactMap { path in
      do {
        _ = try Data(contentsOf: URL(filePath: path))
        return nil
      } catch {
        return BridgeProblem(
          .noInput, "\(path) cannot be read: check that it exists, and that this user may read it")
      }
    }
  }

  /// Every endpoint must answer, for the same cluster.
  private func cluster() async -> [BridgeProblem] {
    var clusters: Set<UInt64> = []
    var problems: [BridgeProblem] = []
    for endpoint in options.settings.endpoints {
      var settings = options.settings
      settings.endpoints = [endpoint]
      do throws(EtcdFailure) {
        let client = try EtcdClient(settings)
        let found = try await client.status()
        try await client.probe()
        clusters.insert(found.header.cluster)
        print("ok: \(endpoint) is etcd \(found.version), and reaches the majority")
        for error in found.errors { print("note: \(endpoint) reports: \(error)") }
      } catch {
        problems.append(BridgeProblem(error.isDenied ? .denied : .unavailable, "\(error)"))
      }
    }
    if clusters.count > 1 {
      problems.append(BridgeProblem(.configuration, "the endpoints belong to different clusters"))
    }
    return problems
  }

  private func rights(_ prefix: Options.Prefix) async -> [BridgeProblem] {
    let shown = String(decoding: prefix.mapping.prefix, as: UTF8.self)
    let keys = OwnKeys(prefix.mapping, machine: options.machine)
    do throws(EtcdFailure) {
      let client = try EtcdClient(options.settings)
      let found = try await client.range(
        EtcdRange(.prefix(prefix.mapping.prefix), limit: 1, isWithoutValues: true))
      print("ok: \(shown) can be read: \(found.count) keys")
      do throws(EtcdFailure) {
        // The comparison never holds, so nothing changes, but etcd checks the permission.
        _ = try await client.transact(
          EtcdTransaction(
            compare: [EtcdCompare(keys.fence, .version(0), .less)],
            success: [.put(keys.fence, value: Data()), .put(keys.ticket, value: Data())]))
        print("ok: \(shown) can be written")
      } catch {
        guard error.isDenied else { throw error }
        print("note: \(shown) can only be read: \(error)")
      }
      return []
    } catch {
      if error.isDenied { return [BridgeProblem(.denied, "\(shown) may not be read: \(error)")] }
      return [BridgeProblem(.unavailable, "\(shown): \(error)")]
    }
  }

  /// Claims the stores and releases them at once, unless the claim exists already.
  private func claim(_ prefix: Options.Prefix) async -> [BridgeProblem] {
    let base = prefix.mapping.base
    let hub = Hub(options.socket, name: "statehub-bridge", timeout: .seconds(3))
    do {
      if try await !Declaration.exists(of: base, options.socket) {
        print("note: \(Declaration.warning(about: prefix.mapping))")
      }
      if let found = try await hub.claims().first(where: { $0.name == base }) {
        let state = found.state == .vacant ? "is waiting for its bridge" : "already has a bridge"
        print("ok: the hub answers, and the claim \(base) \(state)")
        return []
      }
      let claim = try hub.claim("\(base).**", ResumeRecord.pattern(of: prefix.mapping), name: base) { _ in
        throw Enough()
      }
      do {
        for try await _ in claim.writes {}
      } catch is Enough {
        try await claim.release()
      }
      print("ok: the hub answers, and \(base).** can be claimed")
      return []
    } catch let error as HubError {
      return [BridgeProblem(error.code == .denied ? .denied : .unavailable, "the hub: \(error)")]
    } catch {
      return [BridgeProblem(.unavailable, "the hub: \(error)")]
    }
  }

  private struct Enough: Error {}
}
