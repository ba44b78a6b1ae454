"""Tells a regression from other work on the machine: that adds time once, a regression each time."""

ATTEMPTS = 3


def lasting(beyond, again):
    """What is beyond its budget in each of three attempts, with the best figure of each.

    BEYOND are the figures by name of the first attempt, AGAIN() those of another, made while something is left.
    """
    for _ in range(ATTEMPTS - 1):
        if not beyond:
            break
        found = again()
        beyond = {name: min(value, found[name]) for name, value in beyond.items() if name in found}
    return beyond
