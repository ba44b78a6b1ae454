// An authority, and certificates that it has signed, made by openssl when they are needed.

package final class Certificates: Sendable {
  private let directory: TemporaryDirectory

  /// The authority's certificate.
  package var authority: String { "\(directory.path)/ca.pem" }

  package init() throws {
    directory = try TemporaryDirectory()
    try openssl(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj",
      "/CN=authority", "-keyout", "\(directory.path)/ca.key", "-out", authority)
  }

  /// A certificate for an address and its key, good for servers and clients.
  package func make(_ name: String, address: String) throws -> (certificate: String, key: String) {
    let path = "\(directory.path)/\(name)"
    try openssl(
      "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
      "/CN=\(name)",
      "-keyout", "\(path).key", "-out", "\(path).csr")
    try Files.write(
      "subjectAltName=IP:\(address)\nextendedKeyUsage=serverAuth,clientAuth\n", "\(path).ext")
    try openssl(
      "x509", "-req", "-in", "\(path).csr", "-CA", authority, "-CAkey", "\(directory.path)/ca.key",
      "-set_serial", String(Int.random(in: 1...1_000_000)), "-days", "2", "-extfile", "\(path).ext", "-out",
      "\(path).pem")
    return ("\(path).pem", "\(path).key")
  }

  private func openssl(_ arguments: String...) throws {
    try GuardedProcess.run(["openssl"] + arguments, in: directory.path)
  }
}
