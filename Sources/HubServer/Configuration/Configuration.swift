// Owns what a hub is configured to do, and the reading of that from a text; opens no file and looks at no environment.

public import HubCore

/// The content of a configuration file, complete and checked. `docs/configuration.md` describes every key.
///
/// `Configuration()` is what an empty file says: every setting at its default, no stores. Equal configurations ask
/// for the same hub, however their files are written.
public struct Configuration: Hashable, Sendable {
  /// Where clients connect, an absolute path; nil for the default place.
  public var socket: String?
  /// Refuse to create stores by setting them.
  public var strict = defaults.strict
  /// The least important lines that are logged.
  public var logLevel = LogLevel.info
  /// The size of the change log.
  public var changeLogBytes = defaults.changeLogBytes
  /// The longest frame that is taken from a client, header included.
  public var maxFrameBytes = defaults.maximumFrameLength
  /// Connections that may be open at once.
  public var maxClients = 16_384
  /// How long a connection may take to say hello, in milliseconds.
  public var helloMilliseconds = 10_000
  /// Stores that may exist at once, declared ones included.
  public var maxStores = defaults.maximumStores
  /// The durability of stores that name none; nil for `relaxed` with a state directory, `volatile` without.
  public var durability: Durability?
  /// Where values are kept, an absolute path; nil for what the service manager names, or nowhere.
  public var stateDirectory: String?
  /// A journal that is shorter than this, in bytes, is not replaced by a snapshot.
  public var journalBytes = 16 << 20
  /// The declared stores, in the order of the file, with rules that hold together.
  public var stores: [StoreDeclaration] = []

  private static let defaults = HubEngine.Options()

  public init() {}

  /// Reads the text of a configuration file.
  ///
  /// - Parameter file: the name that errors give the file.
  /// - Throws: everything that is wrong with the text, not only the first thing.
  public init(parsing text: Span<UInt8>, file: String) throws(ConfigurationError) {
    var duplicates: [JSONError] = []
    let root: JSONValue
    do {
      root = try JSON.parseConfiguration(text, duplicates: &duplicates)
    } catch {
      throw ConfigurationError(problems: [ConfigurationProblem(file: file, error)])
    }
    var reader = ConfigurationReader(file: file)
    for duplicate in duplicates { reader.reject(duplicate) }
    self = reader.configuration(root)
    try reader.finish()
  }

  /// The longest path of a Unix domain socket: `sun_path` less its final zero.
  static let longestSocketPath = 107

  /// The longest path that the system takes: `PATH_MAX` less its final zero.
  static let longestPath = 4095
}

/// A store that the configuration declares.
public struct StoreDeclaration: Hashable, Sendable {
  public let name: StoreName

  /// As ``HubCore/Schema/validated(store:)`` returns it.
  public let schema: Schema

  public init(name: StoreName, schema: Schema) {
    self.name = name
    self.schema = schema
  }
}
