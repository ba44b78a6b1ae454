// Counts the sessions, and decides whether there is room for another.

/// Counts sessions, without holding them.
struct Admission: Equatable {
  var maxClients: Int
  /// Session descriptors are below this.
  private let descriptors: Int
  private(set) var count = 0
  /// How many sessions were let in beyond the limit: at most `mostExtras`.
  private(set) var extras = 0

  /// How many connections of root and of the hub's own user are admitted beyond `maxClients`.
  private static let mostExtras = 8

  init(maxClients: Int, descriptors: Int) {
    self.maxClients = maxClients
    self.descriptors = descriptors
  }

  /// How many sessions are within the limit.
  var clients: Int { count - extras }

  /// Whether another client, with this descriptor, can be served.
  func hasRoom(for descriptor: Int32) -> Bool {
    clients < maxClients && Int(descriptor) < descriptors - DescriptorLimit.keptBack(of: descriptors)
  }

  /// Whether a client that administers the hub can be admitted although the hub is full.
  func hasExtraRoom(for descriptor: Int32) -> Bool {
    extras < Admission.mostExtras
      && Int(descriptor) < descriptors - DescriptorLimit.keptBack(of: descriptors) / 2
  }

  /// Why there is no room.
  var fullness: String {
    clients < maxClients
      ? "the hub has descriptors only for its \(clients) clients: raise LimitNOFILE= or ulimit -n"
      : "the hub serves \(clients) clients, as many as maxClients in its configuration allows"
  }

  mutating func add(isExtra: Bool) {
    count += 1
    if isExtra { extras += 1 }
  }

  mutating func admitExtra() { extras -= 1 }

  mutating func remove(_ isExtra: Bool, wasSession: Bool) {
    if wasSession { count -= 1 }
    if isExtra { extras -= 1 }
  }
}
