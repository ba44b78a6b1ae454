"""Every scenario: a function that plays a hub, named by what the client must do."""

import importlib

MODULES = ["hello", "values", "requests", "unsure", "watches", "scripts", "connections", "frames", "ephemerals", "timeouts"]


class Scenario:
    def __init__(self, name, play):
        self.name, self.play = name, play


def all_scenarios():
    found = []
    for module in MODULES:
        found += importlib.import_module(f"scenarios.{module}").SCENARIOS
    return found


def collect():
    """A list of scenarios, and the decorator that adds a function to it under a name."""
    found = []

    def scenario(name):
        def add(function):
            found.append(Scenario(name, function))
            return function
        return add

    return found, scenario
