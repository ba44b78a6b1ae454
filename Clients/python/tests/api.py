"""Writes Clients/python/API.md from the docstrings, or with `--check` says whether it is what they say."""

import inspect
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "src"))

import statehub  # noqa: E402
import statehub.testing  # noqa: E402
from statehub import aio  # noqa: E402

PAGE = HERE.parent / "API.md"


def text(thing):
    # Only what is said of the thing itself: a class without a docstring must not show a generated one.
    return inspect.cleandoc(vars(thing).get("__doc__") or "") if inspect.isclass(thing) else inspect.getdoc(thing) or ""


def signature(thing, skips_self=False):
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    parameters = [each.replace(annotation=plain(each.annotation)) for each in found.parameters.values()]
    if skips_self:
        parameters = parameters[1:]
    shown = str(found.replace(parameters=parameters, return_annotation=plain(found.return_annotation)))
    return shown.replace("'", "").replace("ALWAYS", "Condition()")


def plain(annotation):
    return annotation.replace("'", "").replace('"', "") if isinstance(annotation, str) else annotation


def members(kind):
    """A class's own public functions and properties, as their lines of the page."""
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"- `{name}`", inspect.getdoc(member) or ""
        elif isinstance(member, (classmethod, staticmethod)):
            yield f"- `{name}{signature(getattr(kind, name))}`", inspect.getdoc(member) or ""
        elif inspect.isfunction(member) and (inspect.getdoc(member) or kind.__module__ == "statehub.aio"):
            word = "await " if inspect.iscoroutinefunction(member) else ""
            yield f"- `{word}{name}{signature(member, True)}`", inspect.getdoc(member) or ""


def indented(block):
    return "\n".join("  " + line if line else line for line in block.splitlines())


def section(name, thing):
    lines = [f"### {name}", ""]
    if inspect.isclass(thing) and thing.__name__ not in ("Code",):
        made = signature(thing.__init__, True) if "__init__" in vars(thing) or hasattr(thing, "_fields") else ""
        if made and not made.startswith("(*args"):
            lines += [f"`{thing.__name__}{made.replace(' -> None', '')}`", ""]
    elif inspect.isfunction(thing):
        lines += [f"`{thing.__name__}{signature(thing)}`", ""]
    about = text(thing) if callable(thing) else ""
    if about and not about.startswith(f"{name}("):
        lines += [about, ""]
    if name == "Code":
        lines += [", ".join(f"`{code.name}` {code.value}" for code in thing) + ".", ""]
    elif hasattr(thing, "_fields"):
        lines += ["Fields: " + ", ".join(f"`{field}`" for field in thing._fields) + ".", ""]
    elif inspect.isclass(thing):
        for line, about in members(thing):
            lines += [line + (":" if about else "")] + ([indented(about)] if about else [])
        if lines[-1] != "":
            lines.append("")
    return lines


def page():
    lines = [
        "# The Python client's interface", "",
        "Written by `tests/api.py` from the docstrings; [README.md](README.md) says how to begin.", "", "## statehub", ""]
    for name in statehub.__all__:
        thing = getattr(statehub, name)
        if not inspect.ismodule(thing) and callable(thing) and hasattr(thing, "__name__") and thing.__module__.startswith("statehub"):
            lines += section(name, thing)
    lines += ["## statehub.aio", ""]
    for thing in (aio.Hub, aio.SharedValue, aio.Iteration):
        lines += section(f"aio.{thing.__name__}", thing)
    lines += ["## statehub.testing", ""]
    lines += section("RunningHub", statehub.testing.RunningHub)
    return "\n".join(lines).rstrip() + "\n"


if sys.argv[1:] == ["--check"]:
    if PAGE.read_text() != page():
        sys.exit("Clients/python/API.md is not what the docstrings say: python3 Clients/python/tests/api.py")
else:
    PAGE.write_text(page())
