// The bridge's version: that of the hub, with which it is released. A test compares the two.

package enum Release {
  package static let version = "0.1.0"
}
