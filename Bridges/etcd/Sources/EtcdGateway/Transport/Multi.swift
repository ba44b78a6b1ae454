// One owner of a libcurl multi handle: the connections, and the transfers on them.

internal import CCurl

struct Multi: ~Copyable {
  /// Wakes `wait` from other threads.
  let bell: Bell

  private var raw: UnsafeMutableRawPointer { bell.raw }

  /// - Parameter kept: how many idle connections are kept for later.
  init?(kept: Int) {
    guard Multi.isLibraryReady, let raw = curl_multi_init() else { return nil }
    bell = Bell(raw)
    ccurl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, kept)
  }

  /// Initialises libcurl once in this process.
  private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  func add(_ easy: borrowing Easy) -> Bool { curl_multi_add_handle(raw, easy.raw) == CURLM_OK }

  func remove(_ easy: borrowing Easy) { curl_multi_remove_handle(raw, easy.raw) }

  /// Does what can be done without waiting.
  func perform() {
    var running: CInt = 0
    curl_multi_perform(raw, &running)
  }

  /// The handle of a transfer that has ended, and its result.
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

/// Owns the handle of a `Multi`, and wakes the thread that waits in it, from any other. The handle ends with the last of both
/// threads that holds the bell.
///
/// It is Sendable because others can only ring it, and libcurl allows `curl_multi_wakeup` from every thread, at any time of the
/// handle's life; all other functions are called by `Multi`, which one thread has, and the last one when nobody has it any more.
final class Bell: @unchecked Sendable {
  fileprivate let raw: UnsafeMutableRawPointer

  fileprivate init(_ raw: UnsafeMutableRawPointer) { self.raw = raw }

  deinit { curl_multi_cleanup(raw) }

  func ring() { curl_multi_wakeup(raw) }
}
