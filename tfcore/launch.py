"""Start the dashboard: `streamlit run app.py`, answering only to the names that this computer has."""

from __future__ import annotations

import argparse
import errno
import os
import socket
import sys
from pathlib import Path

import psutil

APP = Path(__file__).resolve().parents[1] / "app.py"
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def main() -> None:
    """Replace this process by Streamlit's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on; 0.0.0.0 for all")
    parser.add_argument("--port", type=int, default=8501)
    options = parser.parse_args()
    if not 1 <= options.port <= 65535:
        sys.exit(f"PORT={options.port} is not a port. Use 1 to 65535, for example PORT=8502.")
    _check_free(options.host, options.port)
    os.chdir(APP.parent)
    os.execv(sys.executable, [sys.executable, "-m", "streamlit", *arguments(options.host, options.port)])


def arguments(host: str, port: int) -> list[str]:
    """Give Streamlit's arguments. `allowedHosts` keeps other sites' pages from reaching the dashboard."""
    names = dict.fromkeys([*LOOPBACK, *(own_names() if host not in LOOPBACK else ()), host])
    allowed = [f"--server.allowedHosts={name}" for name in names]
    return ["run", str(APP), f"--server.address={host}", f"--server.port={port}", *allowed]


def own_names() -> tuple[str, ...]:
    """The names and addresses under which this computer can be reached."""
    names = {socket.gethostname(), socket.getfqdn()}
    for addresses in psutil.net_if_addrs().values():
        for address in addresses:
            if address.family == socket.AF_INET:
                names.add(address.address)
            elif address.family == socket.AF_INET6:
                names.add(f"[{address.address.partition('%')[0]}]")
    return tuple(sorted(names))


def _check_free(host: str, port: int) -> None:
    """Exit with a sentence if the port cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except socket.gaierror:
            sys.exit(f"{host} cannot be used: it is no address. Use an address of this computer: make run HOST=0.0.0.0")
        except OSError as error:
            other = f"PORT={port % 65535 + 1}" if error.errno == errno.EADDRINUSE else "HOST=0.0.0.0"
            sys.exit(f"{host}:{port} cannot be used: {error.strerror}. Choose another: make run {other}")


if __name__ == "__main__":
    main()
