// Checked reads: a reader that runs past the end says so and returns nothing that is not there.

import HubCore
import Testing

@Suite struct ByteReaderTests {
  @Test("integers are little-endian and need no alignment")
  func integers() {
    [0xFF, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x80].withByteView { (view: ByteView) in
      var reader = ByteReader(view)
      #expect(reader.integer(UInt8.self) == 0xFF)
      #expect(reader.integer(UInt16.self) == 0x0201)
      #expect(reader.integer(UInt32.self) == 0x0605_0403)
      #expect(reader.integer(Int16.self) == Int16(bitPattern: 0x8007))
      #expect(!reader.failed)
      #expect(reader.remaining == 0)
    }
  }

  @Test("a read past the end gives zero, fails, and takes nothing")
  func pastTheEnd() {
    [1, 2, 3].withByteView { (view: ByteView) in
      var reader = ByteReader(view)
      #expect(reader.integer(UInt32.self) == 0)
      #expect(reader.failed)
      #expect(reader.remaining == 3)
      #expect(reader.integer(UInt16.self) == 0x0201)
      #expect(reader.failed, "a failure is remembered")
    }
  }

  @Test("a byte count beyond what is left gives no bytes and fails")
  func counts() {
    [5, 1, 2].withByteView { (view: ByteView) in
      var reader = ByteReader(view)
      #expect(reader.shortBytes().isEmpty)
      #expect(reader.failed)
    }
    [0xFF, 0xFF, 1].withByteView { (view: ByteView) in
      var reader = ByteReader(view)
      #expect(reader.mediumBytes().isEmpty)
      #expect(reader.failed)
    }
    [2, 8, 9, 7].withByteView { (view: ByteView) in
      var reader = ByteReader(view)
      #expect(reader.shortBytes().array == [8, 9])
      #expect(reader.rest().array == [7])
      #expect(!reader.failed)
    }
    [UInt8]().withByteView { (view: ByteView) in
      var reader = ByteReader(view)
      #expect(reader.rest().isEmpty)
      #expect(!reader.failed)
      #expect(reader.bytes(-1).isEmpty)
      #expect(reader.failed)
    }
  }

  @Test("views are equal when all of their bytes are, whatever their lengths")
  func equality() {
    for length in 0...40 {
      let bytes = (0..<length).map { UInt8($0) }
      for changed in 0..<length {
        var other = bytes
        other[changed] ^= 0x80
        #expect(bytes.withByteView { mine in other.withByteView { !mine.equals($0) } })
      }
      #expect(bytes.withByteView { mine in Array(bytes).withByteView { mine.equals($0) } })
      #expect(bytes.withByteView { mine in (bytes + [0]).withByteView { !mine.equals($0) } })
    }
  }
}
