// Where this checkout is: tests find its pages, sources, scripts and fixtures there.

/// The path of the checkout's folder.
public let checkout: String = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" }
