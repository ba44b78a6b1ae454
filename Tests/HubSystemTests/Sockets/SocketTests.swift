// Unix sockets: from a path to a connection, and what goes over it.

import Glibc
import HubSystem
import TestSupport
import Testing

@Suite("System: sockets", .blocking)
struct SocketTests {
  private func listener(_ path: String, backlog: Int32 = 8) throws -> Descriptor {
    let socket = try Socket.bound(to: path, mode: 0o640)
    if let problem = Socket.listen(socket, backlog: backlog) { throw problem }
    return socket
  }

  private func send(_ bytes: [UInt8], to socket: Int32) -> Transfer {
    bytes.withUnsafeBytes { Socket.send($0, to: socket) }
  }

  @Test("a socket is bound with its mode, and nobody gets in before it listens")
  func binding() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("s")
    let socket = try Socket.bound(to: path, mode: 0o640)
    let status = try FileStatus(at: path)
    #expect(status.kind == .socket && status.permissions == 0o640)
    #expect(Socket.path(of: socket.raw) == path)
    #expect(try Socket.isListening(socket.raw) == false)
    #expect(Socket.connect(try Socket.stream(), to: path, .none) == .connectionRefused)
    #expect(Socket.listen(socket, backlog: 1) == nil)
    #expect(try Socket.isListening(socket.raw))
    #expect(throws: SystemError.addressInUse) { _ = try Socket.bound(to: path, mode: 0o600).raw }
    #expect(throws: SystemError.nameTooLong) {
      _ = try Socket.bound(to: "/tmp/" + String(repeating: "x", count: 103), mode: 0o600).raw
    }
  }

  @Test("a connect says why it fails")
  func refusals() throws {
    let directory = try TemporaryDirectory()
    try directory.write("", to: "file")
    func problem(_ path: String) throws -> SystemError? {
      Socket.connect(try Socket.stream(), to: path, .none)
    }
    #expect(try problem(directory.file("none")) == .noSuchFile)
    #expect(try problem(directory.file("file")) == .connectionRefused)
    #expect(try problem(directory.file("file/s")) == .notADirectory)
    #expect(try problem(String(repeating: "x", count: 108)) == .nameTooLong)
    let pipe = try Pipe()
    #expect(try Socket.isListening(pipe.reading.raw) == false)
    #expect(throws: SystemError.badDescriptor) { try Socket.isListening(99_999) }
  }

  @Test("a connect to a listener that is full fails at once, or when its time is up")
  func busy() throws {
    let directory = try TemporaryDirectory()
    let socket = try listener(directory.file("s"), backlog: 0)
    var clients: [Int32] = []
    defer { clients.forEach { Descriptor.close($0) } }
    var problem: SystemError?
    while problem == nil, clients.count < 100 {
      let client = try Socket.stream()
      problem = Socket.connect(client, to: directory.file("s"), .none)
      clients.append(client.release())
    }
    #expect(problem == .wouldBlock)
    #expect(Socket.connect(try Socket.stream(), to: directory.file("s"), .limited(1_000_000)) == .wouldBlock)
    #expect(socket.raw > 2)
  }

  @Test("a listener knows who has connected, and when nobody waits")
  func accepting() throws {
    let directory = try TemporaryDirectory()
    let listener = try listener(directory.file("s"))
    guard case .nobody = Socket.accept(from: listener.raw) else {
      throw TestFailure("somebody has connected")
    }
    let client = try Socket.stream()
    #expect(Socket.connect(client, to: directory.file("s"), .endless) == nil)
    guard case .accepted(let raw) = Socket.accept(from: listener.raw) else { throw TestFailure("nobody") }
    let connection = Descriptor(adopting: raw)
    let peer = try Socket.peer(of: connection.raw)
    #expect(peer.pid == UInt32(CurrentProcess.pid) && peer.uid == CurrentProcess.effectiveUser)
    let pipe = try Pipe()
    #expect(throws: SystemError(ENOTSOCK)) { try Socket.peer(of: pipe.reading.raw) }
    var room = [UInt8](repeating: 0, count: 4)
    #expect(room.withUnsafeMutableBytes { Socket.receive(from: connection.raw, into: $0) } == .wouldBlock)
    #expect(send([1, 2], to: client.raw) == .bytes(2))
    #expect(room.withUnsafeMutableBytes { Socket.receive(from: connection.raw, into: $0) } == .bytes(2))
    Socket.endSending(client.raw)
    #expect(room.withUnsafeMutableBytes { Socket.receive(from: connection.raw, into: $0) } == .ended)
    #expect(send([3], to: connection.raw) == .bytes(1))
    Socket.end(connection.raw)
    #expect(send([3], to: connection.raw) == .failed(.brokenPipe))
  }

  @Test("the control groups of a peer are read while it lives, and of no other process afterwards")
  func controlGroups() throws {
    let directory = try TemporaryDirectory()
    let (near, far) = try Socket.pair()
    defer { [near, far].forEach { Descriptor.close($0) } }
    try #require(Socket.identifiesProcesses, "the tests need Linux 6.5")
    #expect(Socket.controlGroups(ofPeerAt: near) == readFile("/proc/self/cgroup"))
    // Another directory shows which process is meant.
    #expect(Socket.controlGroups(ofPeerAt: near, in: directory.path) == nil)
    let own = directory.file("\(CurrentProcess.pid)")
    #expect(mkdir(own, 0o755) == 0)
    try directory.write("0::/a.service\n", to: "\(CurrentProcess.pid)/cgroup")
    #expect(Socket.controlGroups(ofPeerAt: near, in: directory.path) == "0::/a.service\n")
    let pipe = try Pipe()
    #expect(Socket.controlGroups(ofPeerAt: pipe.reading.raw) == nil)
  }

  @Test("a peer that has ended has no control groups, although another process holds its connection")
  func endedPeer() throws {
    let directory = try TemporaryDirectory()
    let listener = try listener(directory.file("s"))
    // It leaves the connection to a process of its own, which ends with the connection.
    let child = try ChildProcess(
      "/usr/bin/env",
      [
        "python3", "-c",
        """
        import os, socket, sys
        s = socket.socket(socket.AF_UNIX)
        s.connect(sys.argv[1])
        if os.fork() == 0:
            s.recv(1)
        """, directory.file("s"),
      ], directory: directory)
    _ = try child.wait()
    guard case .accepted(let raw) = Socket.accept(from: listener.raw) else { throw TestFailure("nobody") }
    let connection = Descriptor(adopting: raw)
    let pid = try Socket.peer(of: connection.raw).pid
    #expect(mkdir(directory.file("\(pid)"), 0o755) == 0)
    try directory.write("0::/a.service\n", to: "\(pid)/cgroup")
    #expect(Socket.controlGroups(ofPeerAt: connection.raw, in: directory.path) == nil)
  }

  @Test("a socket takes what it has room for, and then would have to wait")
  func full() throws {
    let (near, far) = try Socket.pair()
    defer { [near, far].forEach { Descriptor.close($0) } }
    let bytes = [UInt8](repeating: 5, count: 100_000)
    var sent = 0
    while case .bytes(let count) = send(bytes, to: near) { sent += count }
    #expect(send(bytes, to: near) == .wouldBlock)
    #expect(sent > 0)
  }

  @Test("a read is cut at a descriptor, which is closed; a message brings it")
  func descriptors() throws {
    let (near, far) = try Socket.pair()
    defer { [near, far].forEach { Descriptor.close($0) } }
    var pipe = try Pipe()
    func pass(_ ends: [Int32]) -> SystemError? {
      [UInt8(1), 2].withUnsafeBytes { DescriptorPassing.send($0, ends, over: far) }
    }
    #expect(pass([pipe.writingEnd]) == nil)
    pipe.closeWriting()
    #expect(!Poll.wait(for: .reading, on: pipe.reading.raw, milliseconds: 0))
    var room = [UInt8](repeating: 0, count: 10)
    var isCut = false
    let result = room.withUnsafeMutableBytes { Socket.receive(from: near, into: $0, isCut: &isCut) }
    #expect(result == .bytes(2) && isCut)
    #expect(isClosedAtOtherEnd(pipe.reading.raw))

    let other = try Pipe()
    #expect(pass([other.writingEnd, other.reading.raw]) == nil)
    let message = try #require(DescriptorPassing.receive(from: near, limit: 100))
    #expect(message.bytes == [1, 2])
    try #require(message.descriptors.count == 2)
    let (copy, reading) = (message.descriptors[0], message.descriptors[1])
    [UInt8(9)].withUnsafeBytes { #expect(Descriptor.write($0, to: copy) == .bytes(1)) }
    #expect(Descriptor.readOnce(reading, limit: 5) == [9])
    message.descriptors.forEach { Descriptor.close($0) }
    #expect(DescriptorPassing.receive(from: near, limit: 100) == nil)
    let tooMany = [Int32](repeating: other.writingEnd, count: DescriptorPassing.mostPerMessage + 1)
    #expect(pass(tooMany) == .invalidArgument)
  }

  @Test("messages of a pair stay apart, and datagrams reach a path")
  func messages() throws {
    let (near, far) = try Socket.pair(keepsMessages: true)
    defer { [near, far].forEach { Descriptor.close($0) } }
    #expect(send([1], to: far) == .bytes(1) && send([2, 3], to: far) == .bytes(2))
    #expect(Descriptor.readOnce(near, limit: 10) == [1])
    #expect(Descriptor.readOnce(near, limit: 10) == [2, 3])
    let directory = try TemporaryDirectory()
    #expect(throws: SystemError.noSuchFile) { _ = try Socket.datagrams(to: directory.file("none")).raw }
    #expect(throws: SystemError.connectionRefused) { _ = try Socket.datagrams(to: "@statehub.nobody").raw }
  }
}
