// Who closes descriptors, and what a program executed next finds of them.

import Glibc
import HubSystem
import TestSupport
import Testing

@Suite("System: descriptors", .blocking)
struct DescriptorTests {
  private func isOpen(_ reading: Int32) -> Bool { !Poll.wait(for: .closing, on: reading, milliseconds: 0) }

  /// Whether both are descriptors of one file.
  private func isSame(_ one: Int32, _ other: Int32) -> Bool {
    var (first, second) = (stat(), stat())
    return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_ino == second.st_ino
      && first.st_dev == second.st_dev
  }

  @Test("a descriptor is closed with its owner, and not before")
  func owned() throws {
    var pipe = try Pipe()
    do {
      let copy = try Descriptor.duplicate(pipe.writingEnd)
      pipe.closeWriting()
      #expect(pipe.writingEnd == -1)
      #expect(isOpen(pipe.reading.raw))
      #expect(copy.raw > 2)
    }
    #expect(isClosedAtOtherEnd(pipe.reading.raw))
  }

  @Test("who takes a descriptor from its owner closes it")
  func released() throws {
    var pipe = try Pipe()
    let copy = try Descriptor.duplicate(pipe.writingEnd).release()
    pipe.closeWriting()
    #expect(isOpen(pipe.reading.raw))
    Descriptor.close(copy)
    #expect(isClosedAtOtherEnd(pipe.reading.raw))
  }

  @Test("what is opened is closed on exec, until it is said otherwise")
  func survival() throws {
    let file = try Descriptor(opening: "/dev/null")
    #expect(fcntl(file.raw, F_GETFD) == FD_CLOEXEC)
    file.setSurvivesExecution(true)
    #expect(fcntl(file.raw, F_GETFD) == 0)
    file.setSurvivesExecution(false)
    #expect(fcntl(file.raw, F_GETFD) == FD_CLOEXEC)
    let pipe = try Pipe()
    #expect(fcntl(pipe.reading.raw, F_GETFD) == FD_CLOEXEC && fcntl(pipe.writingEnd, F_GETFD) == FD_CLOEXEC)
    let copy = try Descriptor.duplicate(file.raw)
    #expect(fcntl(copy.raw, F_GETFD) == FD_CLOEXEC)
  }

  @Test("a copy has the number asked for or a higher one, and a moved descriptor exactly the one given")
  func numbers() throws {
    let file = try Descriptor(opening: "/dev/null")
    let copy = try Descriptor.duplicate(file.raw, from: 900)
    #expect(copy.raw >= 900)
    // A number of the test's own: any other may be another test's.
    let pipe = try Pipe()
    let target = try Descriptor.duplicate(pipe.reading.raw)
    Descriptor.move(copy.release(), to: target.raw)
    #expect(isSame(target.raw, file.raw) && !isSame(pipe.reading.raw, file.raw))
  }

  @Test("opening says why it fails")
  func refusals() throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "file")
    #expect(throws: SystemError.noSuchFile) { _ = try Descriptor(opening: directory.file("none")).raw }
    #expect(throws: SystemError.notADirectory) {
      _ = try Descriptor(opening: directory.file("file"), .directory).raw
    }
    #expect(throws: SystemError.exists) {
      _ = try Descriptor(opening: directory.file("file"), [.readAndWrite, .create, .exclusive]).raw
    }
    let parent = try Descriptor(opening: directory.path, .directory)
    let (reader, writer) = (
      try Descriptor(opening: "file", in: parent, .careful).release(),
      try Descriptor(opening: "file", in: parent, .readAndWrite).release()
    )
    defer { [reader, writer].forEach { Descriptor.close($0) } }
    #expect(Descriptor.isReadOnly(reader) && !Descriptor.isReadOnly(writer))
  }
}
