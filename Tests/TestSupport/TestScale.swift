// How much the tests try, as the environment says.

import Glibc

/// The number in an environment variable; nil if there is none.
public func numberInEnvironment(_ variable: String) -> Int? {
  getenv(variable).flatMap { Int(String(cString: $0)) }
}

/// How many random histories of a kind a test tries: `STATEHUB_TEST_SEEDS`, for a long run.
public func testSeeds(usually count: Int) -> Int { numberInEnvironment("STATEHUB_TEST_SEEDS") ?? count }
