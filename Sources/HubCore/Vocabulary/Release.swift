// The version of this release: the one place that says it.

public enum Release {
  /// As `--version` prints it and the hub introduces itself.
  public static let version = "0.1.0"
}
