"""The graphs of a placement log, as its records come: which nodes there are, and which are the user's own."""

from __future__ import annotations

from collections import Counter

from tfcore.placement import ONE_DNN, WRAPPERS

MOST_LISTED = 100_000
MENTION, NODE, ARGUMENT, RETURN, CALL, CUT = range(6)  # what a text of the log is


class Graphs:
    """Tells the nodes of the user's graphs from those of the tiny graphs that wrap eager operations.

    Since TensorFlow 2.10 each new eager operation is placed as a graph of one node of its own name, between
    its arguments and its results, just before its eager record.
    """

    def __init__(self) -> None:
        self.nodes: dict[tuple[str, str, str], None] = {}
        self.not_listed: Counter[tuple[str, str]] = Counter()
        self._hashes: set[int] = set()
        self._users: set[tuple[str, str, str]] = set()
        self._perhaps: set[tuple[str, str, str]] = set()
        self.last: tuple[str, str, str] | None = None
        self._single: tuple[str, str, str] | None = None
        self._several = False
        self._returned = False

    def add(self, code: int, node: tuple[str, str, str]) -> None:
        """Take the next record of the placer."""
        if node not in self.nodes:
            self._list(node, code)
        if code == RETURN:
            self._returned = True
            return
        if self._returned and not (code == NODE and node == self._single):
            self.finish_group("")
        if code == ARGUMENT:
            return
        self.last = node
        if self._several:
            self._users.add(node)
        elif self._single is None:
            self._single = node
        elif node != self._single:
            self._several = True
            self._users.update((self._single, node))

    def finish_group(self, called: str) -> None:
        """End a graph; `called` is the eager operation that follows it."""
        single = self._single
        if single is None:
            self._returned = False
            return
        if not self._several:
            called, kind = called.removeprefix(ONE_DNN), single[1].removeprefix(ONE_DNN)
            wraps = (
                single[0].removeprefix(ONE_DNN) == kind and called in (kind, "") and (self._returned or bool(called))
            )
            (self._perhaps if wraps else self._users).add(single)
        self._single = self.last = None
        self._several = self._returned = False

    def users(self, called: set[str]) -> set[tuple[str, str, str]]:
        """Give the user's nodes. What looks like a wrapper is one if its operation was called, or nothing was."""
        kinds = {kind.removeprefix(ONE_DNN) for kind in called}
        unwrapped = {node for node in self._perhaps if kinds and node[1].removeprefix(ONE_DNN) not in kinds}
        return {node for node in self._users | unwrapped if node[1] not in WRAPPERS}

    def _list(self, node: tuple[str, str, str], code: int) -> None:
        if len(self.nodes) < MOST_LISTED:
            self.nodes[node] = None
        elif code == NODE and node[1] not in WRAPPERS and hash(node) not in self._hashes:
            self._hashes.add(hash(node))
            self.not_listed[node[1:]] += 1
