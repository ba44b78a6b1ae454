// One owner of a libcurl multi handle: the connections, and the transfers on them.

internal import CCurl

struct Multi: ~Copyable {
  private let raw: UnsafeMutableRawPointer

  /// - Parameter kept: how many idle connections are kept for later.
  init?(kept: Int) {
    guard Multi.isLibraryReady, let raw = curl_multi_init() else { return nil }
    self.raw = raw
    ccurl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, kept)
  }

  deinit { curl_multi_cleanup(raw) }

  /// Initialises libcurl once in this process.
  private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// What other threads can wake `wait` with.
  var bell: Bell { Bell(address: UInt(bitPattern: raw)) }

  func add(_ easy: borrowing Easy) -> Bool { curl_multi_add_handle(raw, easy.raw) == CURLM_OK }

  func remove(_ easy: borrowing Easy) { curl_multi_remove_handle(raw, easy.raw) }

  /// Does what can be done without waiting.
  func perform() {
    var running: CInt = 0
    curl_multi_perform(raw, &running)
  }

  /// A transfer that has ended, as its handle, and how.
  func nextEnded() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
    var left: CInt = 0
    while let message = curl_multi_info_read(raw, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      return (easy, message.pointee.data.result)
    }
    return nil
  }

  /// Waits for a connection, a timer of libcurl's, or a bell, at most so long.
  func wait(milliseconds: Int) { curl_multi_poll(raw, nil, 0, CInt(clamping: milliseconds), nil) }
}

/// Wakes the thread that waits in a multi handle, from any other.
struct Bell: Sendable {
  /// Of the multi handle: an address and not a pointer, because `curl_multi_wakeup` may be called from every thread.
  fileprivate let address: UInt

  /// The multi handle must still exist: `Mailbox` calls this under the lock under which its thread takes the bell away.
  func ring() {
    if let raw = UnsafeMutableRawPointer(bitPattern: address) { curl_multi_wakeup(raw) }
  }
}
