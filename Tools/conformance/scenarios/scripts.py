"""The scripts of docs/vectors/views.json, played to a whole client over its socket, connections and all."""

import wire
from played import Failure
from scenarios import Scenario
from scenarios.values import vectors


def play_script(script):
    def play_it(play):
        client = play.client()
        player = Player(play, client)
        for index, step in enumerate(script["steps"]):
            try:
                player.step(step)
            except Failure as failure:
                raise Failure(f"step {index + 1}, {step['step']} {step.get('kind', '')}: {failure}") from None
        player.finish()
    return Scenario(f"script: {script['name']}", play_it)


class Player:
    def __init__(self, play, client):
        self.play, self.client = play, client
        self.connection = None
        self.welcome = None
        self.patterns = {}
        # Watch requests that came before their turn, by patterns.
        self.asked = []
        self.expected = {}

    def step(self, step):
        kind = step["step"]
        if kind == "welcome":
            self.welcome = bytes.fromhex(step["hex"])
        elif kind == "watching":
            self.watching(step)
        elif kind == "lost":
            if self.connection is not None:
                self.connection.close()
            self.connection, self.asked = None, []
        elif kind == "unwatched":
            self.client.unwatch(step["watch"])
            self.connection.send(wire.unwatched(self.connection.next("unwatch").number))
            self.expected.pop(step["watch"], None)
        else:
            self.connection.send(bytes.fromhex(step["hex"]))
        for shown in step["shows"]:
            self.expected.setdefault(shown["watch"], []).append(
                {key: each for key, each in shown.items() if key not in ("watch",)})
        for label in {shown["watch"] for shown in step["shows"]}:
            self.client.shows(label, *self.expected[label])

    def watching(self, step):
        label, patterns = step["watch"], step["patterns"]
        if label not in self.patterns:
            self.patterns[label] = patterns
            self.client.watch(label, *patterns)
        if self.connection is None:
            self.connection = self.play.hub.accept()
            hello = self.connection.next("hello")
            self.connection.send(self.welcome[:8] + hello.bytes[8:12] + self.welcome[12:])
        while not any(request.patterns == patterns for request in self.asked):
            self.asked.append(self.connection.next("watch"))
        request = next(request for request in self.asked if request.patterns == patterns)
        self.asked.remove(request)
        bookmark = step["bookmark"]
        wanted = None if bookmark is None else (bookmark["epoch"], bookmark["revision"])
        if request.bookmark != wanted:
            raise Failure(f"the client asks with {request.bookmark}, expected {wanted}")
        answer = bytes.fromhex(step["hex"])
        self.connection.send(answer[:8] + request.bytes[8:12] + answer[12:])

    def finish(self):
        """Nothing more was shown: the end comes after everything else."""
        self.client.close_hub()
        for label, events in self.expected.items():
            self.client.shows(label, *events, {"ended": "closed"})


SCENARIOS = [play_script(script) for script in vectors("views")]
