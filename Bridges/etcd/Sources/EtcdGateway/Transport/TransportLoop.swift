// The transport's thread: it alone touches libcurl's handles, and turns orders into transfers and ends.

internal import CCurl
internal import Glibc

struct TransportLoop: ~Copyable {
  private let mailbox: Mailbox
  private let settings: TransportSettings
  private let multi: Multi
  /// Bounded by the mailbox, which refuses more.
  private var transfers: [ObjectIdentifier: Transfer] = [:]
  private var deadlines: [ObjectIdentifier: ContinuousClock.Instant] = [:]

  /// Starts the thread. It ends when the mailbox is closed.
  static func start(_ mailbox: Mailbox, _ settings: TransportSettings) {
    let start = Unmanaged.passRetained(Start(mailbox: mailbox, settings: settings))
    var thread = pthread_t()
    let failure = pthread_create(&thread, nil, { TransportLoop.main($0) }, start.toOpaque())
    guard failure == 0 else {
      start.release()
      return TransportLoop.refuse(mailbox, "no thread can be started: \(String(cString: strerror(failure)))")
    }
    pthread_detach(thread)
  }

  private final class Start {
    let mailbox: Mailbox
    let settings: TransportSettings

    init(mailbox: Mailbox, settings: TransportSettings) {
      self.mailbox = mailbox
      self.settings = settings
    }
  }

  private static func main(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let raw else { return nil }
    let start = Unmanaged<Start>.fromOpaque(raw).takeRetainedValue()
    // OpenSSL writes to sockets whose other side has gone. Nobody wants the signal, and it comes to this thread only.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    guard let multi = Multi(kept: start.settings.transfers) else {
      refuse(start.mailbox, "libcurl cannot be used")
      return nil
    }
    var loop = TransportLoop(mailbox: start.mailbox, settings: start.settings, multi: multi)
    loop.run()
    return nil
  }

  private init(mailbox: Mailbox, settings: TransportSettings, multi: consuming Multi) {
    self.mailbox = mailbox
    self.settings = settings
    self.multi = multi
  }

  private static func refuse(_ mailbox: Mailbox, _ text: String) {
    for case .start(_, let exchange) in mailbox.silence() { exchange.end(TransportFailure(.invalid, text)) }
  }

  private mutating func run() {
    mailbox.open(multi.bell)
    while let orders = mailbox.take() {
      for order in orders { carryOut(order) }
      multi.perform()
      while let ended = multi.nextEnded() {
        if let transfer = Transfer.of(ended.easy) { finish(transfer) { $0.end(ended.code) } }
      }
      multi.wait(milliseconds: expire())
    }
    TransportLoop.refuse(mailbox, "the transport was closed")
    for transfer in transfers.values { finish(transfer) { $0.end(.closed, "the transport was closed") } }
  }
}

extension TransportLoop {
  private mutating func carryOut(_ order: Order) {
    switch order {
    case .start(let request, let exchange): start(request, exchange)
    case .resume(let exchange): transfers[ObjectIdentifier(exchange)]?.resume()
    case .end(let exchange, let kind, let text):
      if let transfer = transfers[ObjectIdentifier(exchange)] { finish(transfer) { $0.end(kind, text) } }
    }
  }

  private mutating func start(_ request: HTTPRequest, _ exchange: Exchange) {
    do throws(TransportFailure) {
      let transfer = try Transfer(request, settings, exchange)
      guard transfer.withEasy({ multi.add($0) }) else {
        throw TransportFailure(.invalid, "libcurl refused the transfer")
      }
      transfers[ObjectIdentifier(exchange)] = transfer
      deadlines[ObjectIdentifier(exchange)] = request.deadline
    } catch {
      exchange.end(error)
      mailbox.settle()
    }
  }

  /// Ends a transfer, and after that its handle.
  private mutating func finish(_ transfer: Transfer, _ end: (Transfer) -> Void) {
    transfer.withEasy { multi.remove($0) }
    transfers[ObjectIdentifier(transfer.exchange)] = nil
    deadlines[ObjectIdentifier(transfer.exchange)] = nil
    mailbox.settle()
    end(transfer)
  }

  /// Ends what is overdue. Returns how long it is until the next, or a minute.
  private mutating func expire() -> Int {
    let now = ContinuousClock.now
    var least = Duration.seconds(60)
    for (id, deadline) in deadlines {
      guard let transfer = transfers[id] else { continue }
      if transfer.exchange.isStream, transfer.exchange.hasBegun {
        deadlines[id] = nil
      } else if deadline <= now {
        finish(transfer) { $0.end(.deadline, "no answer in time") }
      } else {
        least = min(least, now.duration(to: deadline))
      }
    }
    return least.milliseconds
  }
}
