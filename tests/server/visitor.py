"""A visitor without a browser: speaks to a running dashboard over its WebSocket, as the page's script does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

Path = tuple[int, ...]


class Visitor:
    """One browser session. What it is shown is in `texts`; fragments that ask for a timer get one."""

    def __init__(self, url: str, query: str = "", session: str = "") -> None:
        self.session = session
        self.query = query
        self._deltas: dict[Path, Delta] = {}
        self._cached: dict[str, ForwardMsg] = {}
        self._timers: dict[str, tuple[float, float]] = {}
        self._page = ""
        self._states: dict[str, WidgetState] = {}
        protocols: list[Any] = ["streamlit", "none"] + ([session] if session else [])
        self._socket = connect(
            url.replace("http", "ws", 1) + "/_stcore/stream",
            subprotocols=protocols,
            origin=url,
            max_size=None,
            max_queue=None,
            legacy=True,
        )
        self.rerun()

    def close(self) -> None:
        """Go away, as a closed tab does."""
        self._socket.close()

    @property
    def texts(self) -> list[str]:
        """All words on the page, in its order."""
        return [text for _, delta in sorted(self._deltas.items()) for text in _words(delta)]

    def sees(self, words: str) -> bool:
        """Whether these words stand somewhere on the page."""
        return any(words in text for text in self.texts)

    def wait_for(self, words: str, timeout_s: float = 120) -> None:
        """Follow the page until it shows these words."""
        self.follow(lambda: self.sees(words), timeout_s, words)

    def follow(self, until: Callable[[], bool], timeout_s: float = 120, what: str = "") -> None:
        """Take what the server sends, and keep the timers, until the condition holds."""
        deadline = time.monotonic() + timeout_s
        while not until():
            assert time.monotonic() < deadline, f"{what!r} did not come; the page shows {self.texts}"
            self._tick()
            try:
                self._take(ForwardMsg.FromString(self._socket.recv(timeout=0.02)))
            except TimeoutError:
                continue

    def click(self, key: str) -> None:
        """Press the button of this key."""
        self.rerun(pressed=WidgetState(id=self._id(key), trigger_value=True))

    def choose(self, key: str, *labels: str) -> None:
        """Choose in a segmented control or in pills."""
        state = WidgetState(id=self._id(key))
        state.string_array_value.data.extend(labels)
        self._set(state)

    def enter(self, key: str, number: int) -> None:
        """Enter a whole number."""
        self._set(WidgetState(id=self._id(key), int_value=number))

    def switch(self, key: str, on: bool) -> None:
        """Set a toggle."""
        self._set(WidgetState(id=self._id(key), bool_value=on))

    def number(self, key: str) -> float:
        """What a number field shows."""
        identity = self._id(key)
        return next(element.value for element in self._widgets() if element.id == identity and element.set_value)

    def rerun(self, fragment: str = "", pressed: WidgetState | None = None) -> None:
        """Ask for a run of the page, or of one fragment. As in a browser, all widgets' values go along."""
        client = ClientState(query_string=self.query, page_script_hash=self._page)
        client.fragment_id, client.is_auto_rerun = fragment, bool(fragment)
        client.widget_states.widgets.extend(self._states.values())
        client.widget_states.widgets.extend([pressed] if pressed else [])
        self._socket.send(BackMsg(rerun_script=client).SerializeToString())

    def _set(self, state: WidgetState) -> None:
        self._states[state.id] = state
        self.rerun()

    def _id(self, key: str) -> str:
        """Wait until the widget of this key is on the page and can be used. Give its id."""
        found: list[str] = []

        def there() -> bool:
            found[:] = [element.id for element in self._widgets() if element.id.endswith(f"-{key}")]
            return bool(found)

        self.follow(there, what=f"a widget with the key {key}")
        return found[0]

    def _widgets(self) -> list[Any]:
        kinds = [(d.new_element, d.new_element.WhichOneof("type")) for d in self._deltas.values()]
        elements = [getattr(element, kind) for element, kind in kinds if kind]
        return [each for each in elements if getattr(each, "id", "") and not getattr(each, "disabled", False)]

    def _tick(self) -> None:
        now = time.monotonic()
        for fragment, (due, interval) in list(self._timers.items()):
            if now >= due:
                self._timers[fragment] = now + interval, interval
                self.rerun(fragment=fragment)

    def _take(self, message: ForwardMsg) -> None:
        if message.WhichOneof("type") == "ref_hash":
            stored = ForwardMsg.FromString(self._cached[message.ref_hash].SerializeToString())
            stored.metadata.CopyFrom(message.metadata)
            message = stored
        elif message.hash:
            self._cached[message.hash] = message
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._begin(message)
        elif kind == "auto_rerun":
            interval = message.auto_rerun.interval
            self._timers[message.auto_rerun.fragment_id] = time.monotonic() + interval, interval
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta":
            self._show(tuple(message.metadata.delta_path), message.delta)

    def _begin(self, message: ForwardMsg) -> None:
        new = message.new_session
        self.session = new.initialize.session_id or self.session
        self._page = new.page_script_hash
        if not message.metadata.run.fragment_ids:
            self._deltas.clear()
            self._timers.clear()

    def _show(self, path: Path, delta: Delta) -> None:
        if delta.WhichOneof("type") == "add_block":
            for below in [known for known in self._deltas if known[: len(path)] == path]:
                del self._deltas[below]
        self._deltas[path] = delta


def _words(message: Any) -> list[str]:
    """All text fields of a message, however deep."""
    found: list[str] = []
    for field, value in message.ListFields():
        values = value if field.is_repeated else [value]
        if field.message_type:
            found += [text for each in values if hasattr(each, "ListFields") for text in _words(each)]
        elif field.type == field.TYPE_STRING:
            found += values
    return found
