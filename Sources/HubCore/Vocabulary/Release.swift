// The version of this release: the only place that names it.

public enum Release {
  /// What `--version` prints and the hub tells its clients.
  public static let version = "0.1.0"
}
