// x
import Testing
@Test func x() {}
