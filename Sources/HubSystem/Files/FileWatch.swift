// Notices that files and directories are removed, replaced or moved: inotify. It does not look at what happens inside them.

internal import CLinux
internal import Glibc

package struct FileWatch: ~Copyable {
  private let events: Descriptor

  package init() throws(SystemError) { events = try Descriptor(returned: clinux_file_watch()) }

  /// Readable after a change of something that is watched.
  package var raw: Int32 { events.raw }

  /// Watches the file that has this path now, until it no longer exists. Changes of its mode and owner are reported as well. Of
  /// a directory only its own end or move is.
  package func watch(_ path: String, isDirectory: Bool = false) -> SystemError? {
    clinux_watch_file(events.raw, path, isDirectory) < 0 ? .last : nil
  }

  /// Takes what has been reported.
  package func clear() {
    while !Descriptor.readOnce(events.raw, limit: 4096).isEmpty {}
  }
}
