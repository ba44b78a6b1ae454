"""A hub that a scenario plays by hand: it accepts, reads requests, and sends any bytes."""

import os
import socket
import struct

import wire

# Of what hangs. A busy machine may take many seconds to start an adapter.
LONGEST_WAIT = 120


class Failure(Exception):
    """The client did something else than it must."""


class PlayedHub:
    def __init__(self, directory, listens=True):
        self.path = os.path.join(directory, "hub.sock")
        self.listener = None
        self.connections = []
        if listens:
            self.listen()

    def listen(self):
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        self.listener.listen(16)
        self.listener.settimeout(LONGEST_WAIT)

    def stop_listening(self):
        """A client that connects finds nobody."""
        self.listener.close()
        os.unlink(self.path)

    def accept(self):
        try:
            connection, _ = self.listener.accept()
        except socket.timeout:
            raise Failure("the client does not connect") from None
        self.connections.append(Connection(connection))
        return self.connections[-1]

    def begin(self, **fields):
        """Accepts a client and welcomes it."""
        connection = self.accept()
        connection.welcome(**fields)
        return connection

    def close(self):
        for connection in self.connections:
            connection.close()
        if self.listener is not None:
            self.listener.close()


class Connection:
    def __init__(self, descriptor):
        self.socket = descriptor
        self.socket.settimeout(LONGEST_WAIT)
        self.hello = None

    def read(self, count):
        content = b""
        while len(content) < count:
            try:
                part = self.socket.recv(count - len(content))
            except socket.timeout:
                raise Failure("the client does not send what is expected") from None
            except ConnectionError:
                part = b""
            if not part:
                raise Failure("the client has closed the connection")
            content += part
        return content

    def next(self, *kinds):
        """The client's next request, which has to be of one of these kinds."""
        header = self.read(12)
        request = wire.Request(header, self.read(struct.unpack_from("<I", header)[0]))
        if kinds and request.kind not in kinds:
            raise Failure(f"the client sends {request}, expected {' or '.join(kinds)}")
        return request

    def says_nothing(self, seconds=0.15):
        """Fails if the client sends something meanwhile."""
        self.socket.settimeout(seconds)
        try:
            part = self.socket.recv(64)
        except socket.timeout:
            return
        except ConnectionError:
            part = b""
        finally:
            self.socket.settimeout(LONGEST_WAIT)
        raise Failure(f"the client sends {part.hex()}" if part else "the client has closed the connection")

    def is_closed_by_client(self):
        """Waits until the client closes; what it sends before is passed over."""
        try:
            while self.socket.recv(1 << 16):
                pass
        except socket.timeout:
            raise Failure("the client does not close the connection") from None
        except ConnectionError:
            pass

    def welcome(self, **fields):
        self.hello = self.next("hello")
        self.send(wire.welcome(self.hello.number, **fields))

    def watch(self, *content, revision=10):
        """Answers the client's next request, a watch, and sends what follows."""
        request = self.next("watch")
        self.send(wire.watching(request.number, revision), *content)
        return request

    def send(self, *frames):
        try:
            self.socket.sendall(b"".join(frames))
        except (ConnectionError, socket.timeout) as error:
            raise Failure(f"the client does not take what is sent: {error}") from None

    def close(self):
        self.socket.close()
