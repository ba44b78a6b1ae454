"""Named, typed values that all processes of a Linux machine share: read them, write them, follow them.

`Hub` is the blocking client, `statehub.aio.Hub` the asynchronous one. Both keep the promises of docs/protocol.md.
"""

from . import aio, path
from .blocking import Hub
from .codecs import Codec, Stored, unchanged
from .errors import Code, HubError
from .events import Event
from .filters import Filter
from .iteration import Iteration
from .names import is_name, is_pattern
from .queue import Every, Latest, Policy
from .replies import ClientSummary, Committed, Description, State, Summary, Written
from .requests import Add, Condition, Create, Remove, Reset, Set, Toggle, Write
from .schemas import Schema
from .shared import SharedValue
from .values import Json, Value

__version__ = "0.1.0"
__all__ = [
    "Add", "ClientSummary", "Code", "Codec", "Committed", "Condition", "Create", "Description", "Event", "Every",
    "Filter", "Hub", "HubError", "Iteration", "Json", "Latest", "Policy", "Remove", "Reset", "Schema", "Set", "SharedValue", "State",
    "Stored", "Summary", "Toggle", "Value", "Write", "Written", "aio", "is_name", "is_pattern", "path", "unchanged",
]
