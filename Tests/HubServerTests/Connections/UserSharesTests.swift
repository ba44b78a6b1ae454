// How users share a turn, by themselves.

import Testing

@testable import HubEngine
@testable import HubServer

@Suite("How users share a turn")
struct UserSharesTests {
  @Test("a user alone has the whole turn; beside another it has a part, and the same in the next turn")
  func shares() {
    var shares = UserShares()
    let first = shares.open(1000)
    shares.beginTurn()
    shares.charge(500_000, to: first)
    #expect(!shares.isSpent(first) && !shares.isSpent)
    let second = shares.open(1001)
    shares.beginTurn()
    shares.charge(500_000, to: first)
    #expect(shares.isSpent(first) && !shares.isSpent(second) && !shares.isSpent)
    shares.charge(50_000, to: second)
    #expect(!shares.isSpent(second))
    #expect(shares.hasSpentUser, "the first comes after the second in the next turn")
    shares.beginTurn()
    #expect(!shares.isSpent(first) && !shares.isSpent(second) && !shares.hasSpentUser)
    shares.charge(2_000_000, to: first)
    #expect(shares.isSpent, "the turn is over for everybody")
  }

  @Test("a user's sessions have one account, which ends with the last of them and is used again")
  func accounts() {
    var shares = UserShares()
    let first = shares.open(1000)
    #expect(shares.open(1000) == first && shares.count == 1)
    let other = shares.open(1001)
    #expect(other != first && shares.count == 2)
    shares.close(first)
    #expect(shares.count == 2)
    shares.close(first)
    #expect(shares.count == 1)
    shares.beginTurn()
    #expect(shares.open(1002) == first && !shares.isSpent(first))
  }

  @Test("a user that is held back for ten seconds without a pause of one is told, and not again for minutes")
  func slowed() {
    let second: UInt64 = 1_000_000_000
    var shares = UserShares()
    let place = shares.open(1000)
    let other = shares.open(1001)
    func hold(from begin: UInt64, seconds: UInt64) {
      for step in 0...(seconds * 10) { shares.noteHeldBack(place, at: begin + step * second / 10) }
    }
    hold(from: 100 * second, seconds: 9)
    shares.noteHeldBack(other, at: 100 * second)
    #expect(!shares.hasSlowed)
    // After a pause it begins anew.
    hold(from: 111 * second, seconds: 9)
    #expect(!shares.hasSlowed)
    hold(from: 120 * second, seconds: 50)
    #expect(shares.hasSlowed)
    #expect(shares.takeSlowed().map(\.uid) == [1000])
    #expect(!shares.hasSlowed)
    hold(from: 170 * second, seconds: 300)
    #expect(shares.takeSlowed().map(\.place) == [place], "told once more")
  }

  @Test("who was passed over comes first in the next turn, then who was not reached, then who is ready again")
  func order() {
    var ready = ReadyList()
    for descriptor in [1, 2, 3, 4] as [Int32] { ready.append(descriptor) }
    ready.begin()
    #expect(ready.next() == 1)
    ready.append(1)
    #expect(ready.next() == 2)
    ready.pass(2)
    #expect(ready.next() == 3)
    ready.end()
    #expect(ready.all == [2, 4, 1])
    ready.begin()
    #expect([ready.next(), ready.next(), ready.next(), ready.next()] == [2, 4, 1, nil])
    ready.end()
    #expect(ready.isEmpty)
  }

  @Test("the sessions of users that had their part come after the others, each in their order")
  func others() {
    var ready = ReadyList()
    for descriptor in [1, 2, 3, 4, 5] as [Int32] { ready.append(descriptor) }
    ready.begin()
    ready.postpone([0, 2, 3])
    #expect(ready.next() == 2)
    ready.append(2)
    #expect(ready.next() == 5)
    #expect(ready.next() == 1)
    ready.end()
    #expect(ready.all == [3, 4, 2], "whom the turn did not reach comes first")
  }
}
