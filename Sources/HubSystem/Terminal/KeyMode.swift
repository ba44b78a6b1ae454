// A terminal that hands over each key at once and does not show it, until this value ends.

internal import Glibc

package struct KeyMode: ~Copyable {
  private let descriptor: Int32
  private let before: termios

  /// Keys for signals keep their effect.
  ///
  /// - Throws: if it is not a terminal.
  package init(_ descriptor: Int32) throws(SystemError) {
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { throw .last }
    let before = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    guard tcsetattr(descriptor, TCSADRAIN, &settings) == 0 else { throw .last }
    self.descriptor = descriptor
    self.before = before
  }

  deinit {
    var before = before
    tcsetattr(descriptor, TCSADRAIN, &before)
  }
}
