// What a hub inherits from the previous one: the image, and its descriptors under their current numbers.

import HubCore
import HubEngine
import HubSystem

/// Its consumer becomes the owner of the connections and of the listener in `server`; if there is none, all are closed.
struct Inheritance: ~Copyable {
  /// How it was received.
  enum Way: Equatable {
    /// The program was executed again, in the same process.
    case execution
    /// The service manager kept it.
    case store
  }

  let way: Way
  let server: ServerImage
  private let image: Descriptor
  /// Maps a session's former number to its current one.
  private let numbers: [Int32: Int32]
  /// Sessions whose connections were lost, under numbers that no descriptor has.
  let lost: [Int32]

  /// `PID:DESCRIPTOR` of the image, for the program executed next in this process.
  static let variable = "STATEHUB_HANDOFF"
  /// Looks for an inheritance, and removes it from the environment.
  ///
  /// - Parameter environment: loses the descriptors that are the hub's own store; what remains are sockets.
  /// - Returns: nil if there is none, or none that can be used: then everything in it was closed, so that the clients
  ///   reconnect, and `problem` says why.
  static func find(_ environment: inout ServiceEnvironment, problem: inout String?) -> Inheritance? {
    let stored = environment.takeStored(DescriptorQueue.name)
    let text = Environment[variable]
    Environment[variable] = nil
    if let text, let file = image(named: text) {
      stored.forEach { Descriptor.close($0) }
      do throws(ImageError) {
        return try Inheritance(executedWith: file)
      } catch {
        problem = "\(error): clients must reconnect"
        // Nothing records which of them were connections. Descriptors passed from outside have the lowest numbers.
        Descriptor.closeAll(from: ServiceEnvironment.firstDescriptor + Int32(environment.passed.count))
        return nil
      }
    }
    if stored.isEmpty { return nil }
    var taken: [(was: Int32, descriptor: Int32)] = []
    for end in stored {
      taken += DescriptorQueue.drain(end)
      Descriptor.close(end)
    }
    do throws(ImageError) {
      return try Inheritance(stored: taken)
    } catch {
      problem = "\(error): clients must reconnect"
      for entry in taken { Descriptor.close(entry.descriptor) }
      return nil
    }
  }

  private static func image(named text: String) -> Int32? {
    let parts = text.split(separator: ":").map { Int32($0) }
    guard parts.count == 2, parts[0] == CurrentProcess.pid, let file = parts[1], Descriptor.isOpen(file)
    else {
      return nil
    }
    return file
  }

  private init(executedWith file: Int32) throws(ImageError) {
    let server = try ImageFile.read(file) { (image) throws(ImageError) in
      try ServerImage(reading: ImageHeader.body(of: image))
    }
    for connection in server.connections where !Descriptor.isOpen(connection.descriptor) {
      throw ImageError("descriptor \(connection.descriptor) of the image is not open")
    }
    way = .execution
    self.server = server
    numbers = [:]
    lost = []
    image = Descriptor(adopting: file)
  }

  /// - Parameter taken: the image comes first.
  private init(stored taken: [(was: Int32, descriptor: Int32)]) throws(ImageError) {
    guard let file = taken.first?.descriptor else {
      throw ImageError("the service manager kept an empty hand-off")
    }
    var image = try ImageFile.read(file) { (image) throws(ImageError) in
      try ServerImage(reading: ImageHeader.body(of: image))
    }
    var numbers: [Int32: Int32] = [:]
    var lost: [Int32] = []
    for entry in taken.dropFirst() { numbers[entry.was] = entry.descriptor }
    var unused = Set(numbers.values)
    let highest = numbers.values.max() ?? 0
    for connection in image.connections {
      if let number = numbers[connection.descriptor] {
        unused.remove(number)
      } else {
        let number = highest + 1 + Int32(lost.count)
        lost.append(number)
        numbers[connection.descriptor] = number
      }
    }
    image.sockets.removeAll { numbers[$0.listener] == nil }
    for socket in image.sockets { unused.remove(numbers[socket.listener]!) }
    if let journal = image.journal {
      guard journal.descriptors.allSatisfy({ numbers[$0] != nil }) else {
        throw ImageError("the state directory was not handed over")
      }
      for descriptor in journal.descriptors { unused.remove(numbers[descriptor]!) }
    }
    for descriptor in unused { Descriptor.close(descriptor) }
    image.renumber { numbers[$0] ?? -1 }
    let gone = Set(lost)
    image.connections.removeAll { gone.contains($0.descriptor) }
    image.callers.removeAll { gone.contains($0.connection) }
    image.poller = -1
    way = .store
    server = image
    self.numbers = numbers
    self.lost = lost
    self.image = Descriptor(adopting: file)
  }

  /// The engine as it was. Sessions in `lost` are still open in it.
  func engine(_ options: HubEngine.Options, now: Instant) throws(ImageError) -> HubEngine {
    try ImageFile.read(image.raw) { (image) throws(ImageError) in
      let numbers = numbers
      var builder = EngineBuilder(
        options: options, now: now, renumber: { numbers[$0] ?? $0 }, groups: Inheritance.groups)
      var frames = ImageReader(try ImageHeader.body(of: image, isNew: false))
      while let frame = try frames.next() {
        if frame.rawKind < ImageFormat.firstForeignKind { try builder.take(frame) }
      }
      return try builder.finish()
    }
  }

  /// The groups of a connection's peer, from the kernel: an image does not hold them. A connection that was lost has none.
  static func groups(of descriptor: Int32) -> [UInt32] { (try? Socket.peerGroups(of: descriptor)) ?? [] }

  /// Drops it: every connection in it is closed.
  consuming func abandon() {
    for connection in server.connections { Descriptor.close(connection.descriptor) }
    for descriptor in server.journal?.descriptors ?? [] { Descriptor.close(descriptor) }
    for descriptor in server.sockets.flatMap({ [$0.listener, $0.lock] }) + [server.poller]
    where descriptor >= 0 {
      Descriptor.close(descriptor)
    }
  }
}
