// One owner of a libcurl handle for one transfer, its header lines and the text of its error.

internal import CCurl

struct Easy: ~Copyable {
  let raw: UnsafeMutableRawPointer
  private let headers: UnsafeMutablePointer<curl_slist>?
  private let errorText: UnsafeMutablePointer<CChar>

  /// A handle for a request; its callbacks get `user`, which must outlive it.
  init(
    _ request: borrowing HTTPRequest, _ settings: borrowing TransportSettings, user: UnsafeMutableRawPointer
  ) throws(TransportFailure) {
    guard let raw = curl_easy_init() else { throw TransportFailure(.invalid, "libcurl has no memory") }
    self.raw = raw
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    var list: UnsafeMutablePointer<curl_slist>?
    // Without an empty "Expect:" libcurl would ask for permission before it sends a long body.
    for line in request.headers + ["Content-Type: application/json", "Expect:", "User-Agent: statehub"] {
      list = curl_slist_append(list, line) ?? list
    }
    headers = list
    ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, errorText)
    ccurl_set_pointer(raw, CURLOPT_PRIVATE, user)
    ccurl_set_pointer(raw, CURLOPT_HTTPHEADER, headers)
    ccurl_set_text(raw, CURLOPT_URL, request.url)
    setBody(request.body)
    setConnection(settings)
    setCertificates(settings)
  }

  deinit {
    curl_easy_cleanup(raw)
    curl_slist_free_all(headers)
    errorText.deallocate()
  }

  private func setBody(_ body: [UInt8]) {
    ccurl_set_long(raw, CURLOPT_POST, 1)
    ccurl_set_size(raw, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
    _ = body.withUnsafeBytes { ccurl_set_pointer(raw, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
  }

  private func setConnection(_ settings: borrowing TransportSettings) {
    ccurl_set_long(raw, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    ccurl_set_text(raw, CURLOPT_PROTOCOLS_STR, "http,https")
    ccurl_set_long(raw, CURLOPT_FOLLOWLOCATION, 0)
    ccurl_set_text(raw, CURLOPT_PROXY, settings.proxy ?? "")
    ccurl_set_long(raw, CURLOPT_NOSIGNAL, 1)
    ccurl_set_long(raw, CURLOPT_QUICK_EXIT, 1)  // To remove a transfer must not wait for a name server.
    ccurl_set_long(raw, CURLOPT_CONNECTTIMEOUT_MS, settings.connecting.milliseconds)
    ccurl_set_long(raw, CURLOPT_TCP_KEEPALIVE, 1)
    ccurl_set_long(raw, CURLOPT_TCP_KEEPIDLE, settings.keepAlive.wholeSeconds)
    ccurl_set_long(raw, CURLOPT_TCP_KEEPINTVL, settings.keepAlive.wholeSeconds)
  }

  private func setCertificates(_ settings: borrowing TransportSettings) {
    ccurl_set_long(raw, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)  // and newer
    if let authorities = settings.authorities {
      ccurl_set_text(raw, CURLOPT_CAINFO, authorities)
      ccurl_set_text(raw, CURLOPT_CAPATH, nil)  // Else the system's authorities would be trusted too.
    }
    if let certificate = settings.certificate { ccurl_set_text(raw, CURLOPT_SSLCERT, certificate) }
    if let key = settings.key { ccurl_set_text(raw, CURLOPT_SSLKEY, key) }
  }
}

extension Easy {
  /// libcurl's text for its error, or else the code's own text.
  func explanation(of code: CURLcode) -> String {
    errorText.pointee != 0 ? String(cString: errorText) : String(cString: curl_easy_strerror(code))
  }

  /// The answer's status; 0: there is none.
  var status: Int {
    var status = 0
    ccurl_get_long(raw, CURLINFO_RESPONSE_CODE, &status)
    return status
  }

  /// How many bytes of the body were handed to the kernel.
  var bodySent: Int {
    var size: curl_off_t = 0
    ccurl_get_size(raw, CURLINFO_SIZE_UPLOAD_T, &size)
    return Int(size)
  }

  /// The pointer that was given as `user`.
  static func user(of raw: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    var user: UnsafeMutableRawPointer?
    ccurl_get_pointer(raw, CURLINFO_PRIVATE, &user)
    return user
  }
}
