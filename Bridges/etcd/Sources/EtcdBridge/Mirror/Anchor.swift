// A revision with a digest of its contents: a cluster that was restored from a backup gives the same number to other changes.

internal import EtcdGateway
internal import FoundationEssentials

struct Anchor: Codable, Equatable {
  let revision: Int64
  /// FNV-1a over the changes.
  let digest: String

  init(_ told: EtcdRevision) {
    var digest = Digest()
    for event in told.events {
      digest.add(event.keyValue.key)
      digest.add(event.isDeletion ? nil : event.keyValue.value)
    }
    (revision, self.digest) = (told.number, digest.text)
  }

  /// The revision at which this process has set its fence.
  init(fence revision: Int64, _ ownKeys: OwnKeys) {
    var digest = Digest()
    digest.add(ownKeys.fence)
    digest.add(Data(ownKeys.instance.utf8))
    (self.revision, self.digest) = (revision, digest.text)
  }

  private struct Digest {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    var text: String { String(state, radix: 16) }

    /// Adds bytes with their length; nil: the value of a deleted key.
    mutating func add(_ bytes: Data?) {
      add(UInt64(bitPattern: Int64(bytes?.count ?? -1)))
      bytes?.withUnsafeBytes { for byte in $0 { add(UInt64(byte)) } }
    }

    private mutating func add(_ word: UInt64) { state = (state ^ word) &* 0x100_0000_01b3 }
  }
}
