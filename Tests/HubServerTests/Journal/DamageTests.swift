// Every flipped bit and every truncation of a small state directory: it is taken up as a state that existed, or refused with
// words that say where.

import HubCore
import TestSupport
import Testing

@testable import HubServer

@Suite("Journal: damage")
struct DamageTests {
  private struct Small {
    var files: [String: [UInt8]]
    var states: [[String: Content]]
    let directory: TemporaryDirectory
  }

  /// A directory with a snapshot and two segments, the last not ended.
  private func small() throws -> Small {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    var states: [[String: Content]] = []
    var disk = Disk()
    disk.firstLength = 1024
    let hub = try JournalHub(path, disk: disk)
    _ = hub.set("a", 1)
    hub.snapshot()
    states.append(hub.content())
    _ = hub.set("b", 2)
    _ = hub.waitForDisk()
    states.append(hub.content())
    for value in 3...5 {
      _ = hub.set(value % 2 == 0 ? "a" : "c", Int64(value))
      states.append(hub.content())
    }
    let files = try stateFiles(in: path).mapValues { bytes in
      // Of what was prepared for later so much as every segment is made with.
      Array(bytes.prefix(max(disk.firstLength, (bytes.lastIndex { $0 != 0 } ?? 0) + 25)))
    }
    return Small(files: files, states: states, directory: directory)
  }

  private enum Result: Equatable {
    case refused(String)
    case taken(state: Int?, cut: Bool, empty: Bool)
  }

  private func recover(_ files: [String: [UInt8]], _ states: [[String: Content]]) -> Result {
    let names = files.keys.sorted()
    var options = HubEngine.Options()
    options.journals = true
    options.changeLogBytes = 1 << 16
    func recover(_ index: Int, _ views: [JournalFileBytes]) -> Result {
      if index < names.count {
        return files[names[index]]!.withByteView {
          recover(index + 1, views + [JournalFileBytes(name: names[index], bytes: $0)])
        }
      }
      do throws(JournalProblem) {
        let plan = try RecoveryPlan(views)
        let rule = EpochRule(plan, boot: plan.boot, origin: plan.origin)
        var engine = try plan.engine(
          views, options: options, rule: rule, boot: .unknown, now: Instant(wall: 1, boot: 1))
        let session = SessionID(raw: 1)
        engine.open(session, peer: Peer(pid: 1, uid: 1, gid: 1), now: Instant(wall: 1, boot: 1))
        var out = OutputBuffer()
        for request in [Request.hello(name: "t"), .list(.everything)] {
          out.clear()
          var frame = OutputBuffer()
          request.encode(into: &frame, id: 1)
          _ = engine.receive(
            FrameView(bytes: frame.view), from: session, now: Instant(wall: 1, boot: 1), into: &out)
        }
        guard case .frame(let reply) = FrameReader(maximumLength: .max).scan(out.view),
          case .listed(let page, _)? = try? Reply(decoding: reply)
        else { return .refused("no list") }
        let content = Dictionary(
          uniqueKeysWithValues: page.map { ($0.name, Content(value: $0.value, version: $0.version)) })
        return .taken(
          state: states.firstIndex(of: content), cut: !rule.keepsEpoch, empty: content.isEmpty)
      } catch {
        return .refused("\(error)")
      }
    }
    return recover(0, [])
  }

  private func check(_ result: Result, _ small: Small, _ what: String) {
    switch result {
    case .refused(let reason):
      #expect(reason.contains("is damaged") || reason.contains("format"), "\(what): \(reason)")
    case .taken(let state?, let isCut, _):
      // Less than all is there only with a new epoch.
      #expect(state == small.states.count - 1 || isCut, "\(what): state \(state)")
    case .taken(nil, _, _): Issue.record("\(what): a state that never was")
    }
  }

  @Test("no flipped bit gives a wrong value")
  func flips() throws {
    let small = try small()
    #expect(
      recover(small.files, small.states) == .taken(state: small.states.count - 1, cut: false, empty: false))
    var refused = 0
    for (name, bytes) in small.files.sorted(by: { $0.key < $1.key }) {
      // Of the zeroes that were prepared a few are enough.
      let used = min(bytes.count, (bytes.lastIndex { $0 != 0 } ?? 0) + 24)
      for bit in 0..<used * 8 {
        var damaged = small.files
        damaged[name]![bit / 8] ^= 1 << (bit % 8)
        let result = recover(damaged, small.states)
        check(result, small, "\(name), bit \(bit)")
        if case .refused = result { refused += 1 }
      }
    }
    #expect(refused > 1000)
  }

  @Test("no truncation gives a wrong value")
  func truncations() throws {
    let small = try small()
    for (name, bytes) in small.files {
      for length in bytes.indices {
        var damaged = small.files
        damaged[name] = Array(bytes[..<length])
        let result = recover(damaged, small.states)
        // The zeroes behind a snapshot's last frame are nobody's loss.
        if name.hasPrefix("snapshot"), bytes[length...].allSatisfy({ $0 == 0 }),
          case .taken(state: small.states.count - 1, cut: false, _) = result
        {
          continue
        }
        check(result, small, "\(name), length \(length)")
      }
    }
  }

  @Test("a missing file is told by its name")
  func missing() throws {
    let small = try small()
    for name in small.files.keys where name.hasPrefix("journal") {
      var damaged = small.files
      damaged[name] = nil
      guard case .refused(let reason) = recover(damaged, small.states) else {
        Issue.record("\(name) is not missed")
        continue
      }
      #expect(reason.contains(name), "\(reason)")
    }
  }
}
