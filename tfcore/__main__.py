"""The dashboard's tasks without a browser: python -m tfcore COMMAND."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Callable, Sequence

from tfcore.commands import bench, devices, doctor, options, placement, strategy, worker_node
from tfcore.errors import LabError, SettingsError
from tfcore.runtime.backend import Backend
from tfcore.settings import Settings

Command = Callable[[Backend, Settings, argparse.Namespace], int | None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Give its own status, or 0; 1 if it failed, 2 if asked for what cannot be, 130 if interrupted."""
    chosen = parser().parse_args(arguments)
    command: Command = chosen.command
    backend = Backend()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ended by a scheduler, as if by Ctrl-C
    try:
        status = command(backend, options.settings(chosen), chosen)
        sys.stdout.flush()
    except LabError as error:
        print(f"tfcore: {error}", *filter(None, [error.log]), sep="\n", file=sys.stderr)
        return 2 if isinstance(error, SettingsError) else 1
    except OSError as error:
        print(f"tfcore: the output cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        backend.close()
    return status or 0


def parser() -> argparse.ArgumentParser:
    """Describe the commands and the options that all of them share."""
    top = argparse.ArgumentParser(prog="python -m tfcore", description=__doc__)
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for command in (devices, doctor, bench, placement, strategy, worker_node):
        command.add(commands, options.shared())
    return top


if __name__ == "__main__":
    sys.exit(main())
