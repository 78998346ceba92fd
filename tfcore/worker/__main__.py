"""Start a host, or one worker. Standard input is its connection to whoever started it."""

from __future__ import annotations

import os
import socket
import sys

from tfcore.worker import lifeline


def main() -> int:
    """Read the role (`host-fork`, `host-spawn` or `once`) and the parent's process id from the command line."""
    role, parent = sys.argv[1:]
    lifeline.die_with_parent(int(parent))
    connection = _take_stdin()
    if role == "once":
        from tfcore.worker.run import work

        return work(connection)
    from tfcore.worker.serve import serve

    return serve(connection, start_method=role.removeprefix("host-"))


def _take_stdin() -> socket.socket:
    connection = socket.socket(fileno=os.dup(0))
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    return connection


if __name__ == "__main__":
    sys.exit(main())
