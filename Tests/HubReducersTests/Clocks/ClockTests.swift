// Tests the clocks' timer, the clock on which nobody waits, and the one that nobody may use; dates and identifiers.

import Foundation
import HubReducers
import HubReducersTesting
import Testing

@Suite("Clocks")
struct ClockTests {
  @Test("a timer ticks once in every interval, and ends with the task that reads it")
  func timer() async {
    let clock = TestClock()
    let log = Log<Duration>()
    let erased: any Clock<Duration> = clock
    let start = AnyClock(clock).now
    let task = Task {
      for await instant in erased.timer(interval: .seconds(2)) { log.append(start.duration(to: instant)) }
      log.append(.zero)
    }
    await clock.advance(by: .seconds(5))
    #expect(log.entries == [.seconds(2), .seconds(4)])
    task.cancel()
    await task.value
    #expect(log.entries.last == .zero)
  }

  @Test("a timer whose reader is slow skips ticks and stays in step")
  func slowReader() async {
    let clock = TestClock()
    let log = Log<Duration>()
    let task = Task {
      for await instant in clock.timer(interval: .seconds(2)) {
        log.append(AnyClock.Instant.zero.duration(to: instant))
        try? await clock.sleep(for: .seconds(5))
      }
    }
    await clock.advance(by: .seconds(10))
    task.cancel()
    await task.value
    #expect(log.entries.prefix(2) == [.seconds(2), .seconds(8)])
  }

  @Test("sleepers of an immediate clock wake at once, at the time they asked for")
  func immediate() async throws {
    let clock = ImmediateClock()
    try await clock.sleep(for: .seconds(60))
    #expect(clock.now == ImmediateClock.Instant(offset: .seconds(60)))
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(clock.now == ImmediateClock.Instant(offset: .seconds(60)))
  }

  @Test("using an unimplemented clock is reported")
  func unimplemented() async {
    let messages = await issues { try? await UnimplementedClock("the tea clock").sleep(for: .seconds(1)) }
    #expect(messages.count == 2 && messages.allSatisfy { $0.contains("the tea clock") }, "\(messages)")
  }

  @Test("a test says which date it is; one that does not and asks fails")
  func date() {
    let epoch = Date(timeIntervalSince1970: 0)
    @Dependency(\.date) var date
    @Dependency(\.date.now) var now
    withTestDependencies {
      $0.date.now = epoch
    } operation: {
      #expect(date() == epoch && now == epoch)
    }
    withTestDependencies {
      $0.date = .constant(epoch)
    } operation: {
      #expect(date.now == epoch)
    }
    let messages = withTestDependencies { issues { _ = now } }
    #expect(messages.count == 1 && messages[0].contains("DependencyValues.date"))
  }

  @Test("a test says which calendar, locale and time zone there are; one that does not and asks fails")
  func whereTheUserIs() {
    @Dependency(\.calendar) var calendar
    @Dependency(\.locale) var locale
    @Dependency(\.timeZone) var timeZone
    withTestDependencies {
      $0.calendar = Calendar(identifier: .iso8601)
      $0.locale = Locale(identifier: "de_AT")
      $0.timeZone = .gmt
    } operation: {
      #expect(calendar.identifier == .iso8601 && locale.identifier == "de_AT" && timeZone == .gmt)
    }
    let messages = withTestDependencies { issues { _ = (calendar, locale, timeZone) } }
    #expect(messages.count == 3, "\(messages)")
  }

  @Test("a test says which identifiers are made; one that does not and asks fails")
  func uuid() {
    @Dependency(\.uuid) var uuid
    withTestDependencies {
      $0.uuid = .incrementing
    } operation: {
      #expect([uuid(), uuid()] == [UUID(0), UUID(1)])
    }
    #expect(UUID(258).uuidString == "00000000-0000-0000-0000-000000000102")
    withTestDependencies {
      $0.uuid = .constant(UUID(7))
    } operation: {
      #expect([uuid(), uuid()] == [UUID(7), UUID(7)])
    }
    let messages = withTestDependencies { issues { _ = uuid() } }
    #expect(messages.count == 1 && messages[0].contains("DependencyValues.uuid"))
  }
}

extension AnyClock.Instant {
  /// Where the time of a clock begins that was just made.
  fileprivate static var zero: Self { AnyClock(ImmediateClock()).now }
}
