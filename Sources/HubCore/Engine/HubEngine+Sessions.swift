// What the owner of an engine may ask about one session. It changes nothing.

extension HubEngine {
  /// It is connected, and has not said a valid hello. Mutating, so that the call copies nothing.
  public mutating func isGreeting(_ session: SessionID) -> Bool {
    sessions.isOpen(session) && sessions[session].delivery == .greeting
  }

  /// What it called itself in its hello; empty before, and if there are too many names to keep.
  public func name(of session: SessionID) -> String {
    sessions.isOpen(session) ? sessions.name(of: session) : ""
  }

  /// How many requests it has sent.
  public func requestCount(of session: SessionID) -> UInt64 {
    sessions.isOpen(session) ? UInt64(sessions.info(of: session).requests) : 0
  }
}
