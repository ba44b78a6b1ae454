// Owns the number store that stands on the hub: one number for all programs.

extension NumberStore {
  /// A number that lives in the hub, under a name, for every program of the machine or of the user.
  ///
  /// A stream begins with the present number, or with `initial` while there is none, once the hub is in reach. It
  /// outlives the hub's restarts, and a slow reader skips to the newest number. The endpoints throw nothing, so a number
  /// that cannot be followed or set is a reported issue.
  ///
  /// The hub is the dependency `hub` where the store is made.
  /// - Parameter initial: The number while nobody has set one.
  public static func hub(_ name: String = "number", initial: Int = 0) -> Self {
    let number = Dependency(\.hub).wrappedValue.value(name, of: Int.self)
    return Self(
      value: {
        let reading = NumberReading(number, absent: initial)
        return AsyncStream { await reading.next() }
      },
      updateValue: { value in
        do {
          try await withOutsideWork("setting \"\(name)\" in the hub") { () async throws(HubError) in
            _ = try await number.set(value)
          }
        } catch {
          // Whoever was cancelled does not care any more.
          if !Task.isCancelled { reportIssue("The number \(value) was not set in the hub: \(error)") }
        }
      })
  }
}

/// One stream of a number, pulled by its reader.
private actor NumberReading {
  private let name: String
  private let absent: Int
  private var events: HubEvents<Int>

  init(_ number: SharedValue<Int>, absent: Int) {
    name = number.name
    self.absent = absent
    events = HubEvents(number)
  }

  func next() async -> Int? {
    var events = events
    defer { self.events = events }
    while true {
      do throws(HubError) {
        switch try await events.nextPresence() {
        case .value(let number, _): return number
        case .absent: return absent
        case .unknown: continue
        case nil: return nil
        }
      } catch {
        reportIssue("The number \"\(name)\" cannot be followed: \(error)")
        guard error.code == .undecodable else { return nil }
      }
    }
  }
}
