// Whether anybody still has the other end of a pipe or socket.

import HubSystem

/// Whether every copy of the other end is closed, now or soon: a process that another test starts has one for a moment, until
/// it executes its program. Only then does a read find the end.
func isClosedAtOtherEnd(_ descriptor: Int32) -> Bool {
  Poll.wait(for: .closing, on: descriptor, milliseconds: 20_000)
}
