"""The brokers that are compared: how each is started, in the foreground, on a private socket. It measures nothing."""

import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import time

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
<limit name="max_completed_connections">50000</limit><limit name="max_incomplete_connections">20000</limit>
<limit name="max_connections_per_user">50000</limit></busconfig>"""

REDIS = "port 0\nunixsocket {socket}\nsave \"\"\nmaxclients 15000\ndir {folder}\ndaemonize no\n"
NATS = (
    "host: 127.0.0.1\nport: {port}\njetstream {{ store_dir: \"{folder}/js\", max_mem: 64M, max_file: 0 }}\n"
    "ping_interval: \"10m\"\nmax_connections: 20000\n")
MOSQUITTO = (
    "listener 0 {socket}\nallow_anonymous true\npersistence false\nmax_queued_messages 0\n"
    "max_inflight_messages 0\nlog_type error\nuser {user}\n")


class Peer:
    """One kind of broker.

    `program` decides whether it is installed; `command` is run with {socket}, {folder}, {config}, {port} filled in;
    `shares` names a peer whose process this one uses, with another protocol."""

    def __init__(self, name, protocol, program=None, command=(), config="", over_tcp=False, shares=None):
        self.name, self.protocol, self.program = name, protocol, program
        self.command, self.config, self.over_tcp, self.shares = command, config, over_tcp, shares


def known(tools):
    """All peers, in the order of the tables. `tools` has the paths of statehub and of the floor's programs."""
    hub = [tools["statehub"], "--socket", "{socket}", "--config", "{config}"]
    return [
        Peer("statehub", "statehub-every", tools["statehub"], [*hub, "--volatile"], "{{}}"),
        Peer("statehub-latest", "statehub", shares="statehub"),
        Peer(
            "statehub-relaxed", "statehub", tools["statehub"], hub,
            '{{ "stateDirectory": "{folder}/state", "durability": "relaxed" }}'),
        Peer("redis", "redis", "redis-server", ["redis-server", "{config}"], REDIS),
        Peer(
            "redis-everysec", "redis", "redis-server", ["redis-server", "{config}"],
            REDIS + "appendonly yes\nappendfsync everysec\n"),
        Peer("mosquitto", "mqtt", "mosquitto", ["mosquitto", "-c", "{config}"], MOSQUITTO),
        Peer("nats", "nats", "nats-server", ["nats-server", "-c", "{config}"], NATS, over_tcp=True),
        Peer("nats-kv", "nats-kv", shares="nats"),
        Peer(
            "dbus-daemon", "dbus", "dbus-daemon",
            ["dbus-daemon", "--config-file={config}", "--nofork", "--nopidfile"], BUS),
        Peer(
            "dbus-broker", "dbus", "dbus-broker-launch",
            [tools["load"], "launch-dbus-broker", "{socket}", "dbus-broker-launch", "--scope", "user",
             "--config-file", "{config}"], BUS),
        Peer("uds-raw", "floor", tools["broker"], [tools["broker"], "{socket}", "raw"]),
        Peer("uds-batch", "floor", tools["broker"], [tools["broker"], "{socket}", "batch"]),
        Peer("uds-uring", "floor", tools["broker"], [tools["broker"], "{socket}", "uring"]),
        Peer("uds-lossy", "floor", tools["broker"], [tools["broker"], "{socket}", "lossy"]),
    ]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _prepare():
    """In the child: enough descriptors for ten thousand connections."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class Broker:
    """A running peer."""

    def __init__(self, peer, folder, load, program=None):
        self.peer, self.protocol, self.folder = peer, peer.protocol, pathlib.Path(folder)
        self.process = None
        self.folder.mkdir(parents=True)
        path = self.folder / "s"
        port = free_port() if peer.over_tcp else 0
        self.address = f"tcp:{port}" if peer.over_tcp else f"unix:{path}"
        words = {
            "socket": path, "folder": self.folder, "config": self.folder / "c", "port": port,
            "user": os.environ.get("USER", "root")}
        (self.folder / "c").write_text(peer.config.format(**words))
        self.command = [str(word).format(**words) for word in peer.command]
        self.load = load

    def start(self):
        log = open(self.folder / "log", "w")
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=_prepare)
        try:
            subprocess.run(
                [self.load, "wait", "--protocol", self.protocol, "--address", self.address], check=True, timeout=30,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except subprocess.SubprocessError:
            text = (self.folder / "log").read_text()
            self.stop()
            raise RuntimeError(f"{self.peer.name} did not start: {text[-500:]}") from None
        return self

    @property
    def pid(self):
        """The process that counts: of dbus-broker the broker, not its launcher."""
        if self.peer.name != "dbus-broker":
            return self.process.pid
        return int(pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()[0])

    def stop(self):
        if not self.process or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + 5
        while self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Shared:
    """A peer that is another peer's process, spoken to in another way."""

    def __init__(self, peer, broker):
        self.peer, self.protocol, self.broker = peer, peer.protocol, broker

    @property
    def address(self):
        return self.broker.address

    @property
    def pid(self):
        return self.broker.pid

    def stop(self):
        pass


def is_installed(peer):
    return peer.program is None or shutil.which(peer.program) is not None
