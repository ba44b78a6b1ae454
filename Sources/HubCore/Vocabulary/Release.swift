// The version of this release: the only place that names it.

package enum Release {
  /// What `--version` prints and the hub tells its clients.
  package static let version = "0.1.0"
}
