// The bridge's version, which is the hub's. A test compares the two.

package enum Release {
  package static let version = "0.1.0"
}
