"""Where a program looks for its hub, and what its errors advise if none can be there."""

import os
import pathlib
import socket
import stat
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "src"))

from statehub import Hub, HubError, aio, path as paths  # noqa: E402


class PathTests(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.own = f"{self.directory}/statehub/hub.sock"
        os.mkdir(os.path.dirname(self.own))
        environment = mock.patch.dict(os.environ, XDG_RUNTIME_DIR=self.directory, STATEHUB_SOCKET="")
        environment.start()
        self.addCleanup(environment.stop)

    def listen(self, path):
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(path)
        listener.listen()

    def test_a_socket_decides_for_the_users_hub_and_no_directory_or_file(self):
        self.assertEqual(paths.automatic(), paths.SYSTEM)
        pathlib.Path(self.own + ".lock").touch()
        pathlib.Path(self.own).touch()
        self.assertEqual(paths.automatic(), paths.SYSTEM)
        os.unlink(self.own)
        self.listen(self.own)
        self.assertEqual(paths.automatic(), self.own)
        self.assertIn(self.own, repr(Hub()))

    def test_a_hub_keeps_the_path_that_it_has_found(self):
        hub = Hub()
        self.listen(self.own)
        self.assertIn(paths.SYSTEM, repr(hub))

    def test_a_variable_names_the_socket_and_an_empty_one_counts_as_unset(self):
        self.listen(self.own)
        for named, path in (("/x", "/x"), ("", self.own)):
            with mock.patch.dict(os.environ, STATEHUB_SOCKET=named):
                self.assertEqual(paths.automatic(), path)
        with mock.patch.dict(os.environ, XDG_RUNTIME_DIR=""):
            self.assertEqual(paths.user(), f"/run/user/{os.getuid()}/statehub/hub.sock")

    def test_the_runtime_directory_of_another_user_does_not_count(self):
        self.listen(self.own)
        with mock.patch("os.geteuid", return_value=os.geteuid() + 1):
            self.assertNotIn(self.directory, paths.automatic())
            self.assertEqual(paths.user(), f"/run/user/{os.getuid()}/statehub/hub.sock")
        with mock.patch.dict(os.environ, XDG_RUNTIME_DIR="/nowhere"):
            self.assertEqual(paths.user(), "/nowhere/statehub/hub.sock")

    def message(self, path, timeout=120):
        """What a request to a hub at that path fails with, `noHub`."""
        with self.assertRaises(HubError) as caught:
            Hub(path, timeout=timeout).ping()
        self.assertEqual(caught.exception.word, "noHub")
        self.assertTrue(str(caught.exception).encode())
        return caught.exception.message

    def test_a_path_that_no_socket_can_have_fails_at_once(self):
        for path, word in (
                ("", "empty"), ("@x", "give ./@x"), ("\0x", "NUL"), ("a\0b", "NUL"), ("x" * 108, "108 bytes"),
                ("ü" * 54, "108 bytes"), ("/\ud800", "surrogate")):
            self.assertIn(word, self.message(path))
            watch = Hub(path).watch("a")
            with self.assertRaises(HubError) as caught:
                next(watch)
            self.assertEqual(caught.exception.word, "noHub")
        self.assertFalse(os.path.exists("@x"))

    def test_what_is_not_a_socket_is_named_and_a_hub_is_not_to_be_started_there(self):
        file, link = f"{self.directory}/file", f"{self.directory}/link"
        pathlib.Path(file).touch()
        os.symlink("nowhere", link)
        for path, kind in ((file, "is a file, not"), (self.directory, "is a directory, not"), (link, "a dangling symbolic link, not")):
            message = self.message(path, timeout=0.01)
            self.assertIn(kind, message)
            self.assertNotIn("start", message)
        self.assertIn("is not a directory", self.message(f"{file}/hub.sock", timeout=0.01))

    def test_a_path_may_be_a_path_or_bytes(self):
        for path in (pathlib.Path("/nowhere/hub.sock"), b"/nowhere/hub.sock", "/nowhere/hub.sock"):
            self.assertIn("no hub listens at /nowhere/hub.sock", self.message(path, timeout=0.01))
        self.assertIn("/nowhere/", repr(aio.Hub(b"/nowhere/hub.sock")))
        self.assertIn("\\udcff", self.message(b"/nowhere/\xff", timeout=0.01))


class AdviceTests(unittest.TestCase):
    """What the errors advise on a machine with and without systemd."""

    def advice(self, path, say, user=0, runtime=None, systemd=False):
        kinds = {"/run/systemd/system": systemd, runtime: True, f"/run/user/{os.getuid()}": runtime is not None}
        with mock.patch("os.geteuid", return_value=user), \
                mock.patch.dict(os.environ, XDG_RUNTIME_DIR=runtime or ""), \
                mock.patch.object(paths, "_runtime_directory", return_value=runtime or "/none"), \
                mock.patch.object(paths, "_kind", lambda path: stat.S_IFDIR if kinds.get(path) else None):
            return say(path)

    def test_a_hub_that_systemd_starts_and_that_does_not_answer_names_the_command_that_shows_why(self):
        for path, systemd, command in (
                (paths.SYSTEM, True, "`systemctl status statehub`"),
                ("/run/user/7/statehub/hub.sock", True, "`systemctl --user status statehub`"),
                ("/srv/hub.sock", True, None), (paths.SYSTEM, False, None)):
            text = self.advice(path, paths.silence, user=7, runtime="/run/user/7", systemd=systemd)
            self.assertTrue(text.startswith(f"the hub at {path} did not answer in time"))
            self.assertEqual("systemctl" in text, command is not None)
            self.assertIn(command or "", text)

    def test_how_to_start_a_hub_depends_on_where_it_would_be(self):
        own = "/run/user/7/statehub/hub.sock"
        for path, user, runtime, systemd, advice in (
                (paths.SYSTEM, 0, None, True, "`systemctl start statehub`"), (paths.SYSTEM, 0, None, False, "`statehub`"),
                (paths.SYSTEM, 7, "/run/user/7", False, "`statehub` as root, or one of your own with `statehub`"),
                (paths.SYSTEM, 7, None, True, "`systemctl start statehub`, or one of your own with `statehub --socket PATH`, "
                 "and set STATEHUB_SOCKET to PATH"),
                (own, 7, "/run/user/7", True, "`systemctl --user start statehub` or `statehub`"),
                (own, 7, "/run/user/7", False, "`statehub`"),
                ("/srv/it's.sock", 7, "/run/user/7", True, "`statehub --socket '/srv/it'\"'\"'s.sock'`")):
            text = self.advice(path, paths.absence, user, runtime, systemd)
            self.assertEqual(text, f"no hub listens at {path}; start it with {advice}")


if __name__ == "__main__":
    unittest.main()
