"""python -m tfcore worker-node: be one of several machines that train together.

TensorFlow's cluster ports have no password: this belongs on a private network.
"""

from __future__ import annotations

import argparse
import re
import socket
import sys

from tfcore.commands.strategy import from_to
from tfcore.errors import SettingsError, Stalled
from tfcore.runtime.backend import Backend
from tfcore.settings import Settings, check_limit_fits
from tfcore.strategy import MODELS, TRAIN, Losses, StrategyPlan, TrainPlan, check
from tfcore.strategy import next_dividing as dividing

LIMIT_S = 24 * 3600.0
ANSWERS_WITHIN_S = 1.0
_ADDRESS = re.compile(r"[A-Za-z0-9.-]{1,253}:\d{1,5}", re.ASCII)


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser = commands.add_parser("worker-node", parents=[shared], help="be one of several machines that train together")
    parser.add_argument("--cluster", required=True, help="all workers, such as host1:2222,host2:2222; the same on each")
    parser.add_argument("--index", required=True, type=int, metavar="I", help="which of them this is, from 0 on")
    parser.add_argument("--model", default="article", help=", ".join(MODELS))
    parser.add_argument("--epochs", type=int, metavar="N", help="times through all examples")
    parser.add_argument(
        "--wait",
        type=float,
        default=60.0,
        metavar="S",
        help="seconds without news from the others after which to give up",
    )
    parser.set_defaults(command=run)


def run(backend: Backend, settings: Settings, options: argparse.Namespace) -> None:
    """Wait for the others, train with them, and print the result."""
    cluster = addresses(options.cluster)
    if not 0 <= options.index < len(cluster):
        raise SettingsError(
            "index", f"{options.index} is no place in the cluster.", todo=f"Use 0 to {len(cluster) - 1}."
        )
    if not options.wait > 0:
        raise SettingsError("wait", f"{options.wait:g} s cannot be waited.", todo="Use more than 0.")
    inventory = backend.runtime(settings).result()
    check_limit_fits(settings, inventory.gpu_memory_mb)
    plan = _plan(options, len(cluster))
    check(plan, inventory)
    check_port_is_free(cluster[options.index])
    others = [address for index, address in enumerate(cluster) if index != options.index]
    print(
        f"Worker {options.index} at {cluster[options.index]} waits for {', '.join(others)}", file=sys.stderr, flush=True
    )
    wanted = TrainPlan(plan.model, (), plan.batch, plan.epochs, "default", "custom", cluster, options.index)
    job = backend.start_job(
        lambda steps: steps.run(TRAIN, settings, wanted, _tell, quiet_s=options.wait), limit_s=LIMIT_S
    )
    try:
        trained = job.result()
    except Stalled as error:
        raise _incomplete(error, others, options.wait) from None
    print(f"Trained on {', '.join(trained.devices)}: loss {from_to(trained.losses)}")


def addresses(text: str) -> tuple[str, ...]:
    """Read the cluster's addresses. Raise SettingsError if they are none, too few, or not all different."""
    found = tuple(part.strip() for part in text.split(","))
    good = all(_ADDRESS.fullmatch(part) and 0 < int(part.rsplit(":", 1)[1]) < 65_536 for part in found)
    if not good or len(found) < 2 or len(set(found)) != len(found):
        raise SettingsError("cluster", "These are no addresses of a cluster.", todo="Use host1:2222,host2:2222.")
    return found


def check_port_is_free(address: str) -> None:
    """Raise SettingsError if somebody listens at this worker's own port already."""
    port = int(address.rsplit(":", 1)[1])
    with socket.socket() as own:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            own.bind(("", port))
        except OSError as error:
            raise SettingsError(
                "cluster", f"Port {port} cannot be used: {error.strerror}.", todo="Use another."
            ) from None


def _plan(options: argparse.Namespace, workers: int) -> StrategyPlan:
    model = MODELS.get(options.model) or MODELS["article"]
    epochs = model.epochs if options.epochs is None else options.epochs
    batch = dividing(model.batch, [workers], model.examples)
    return StrategyPlan(options.model, (1,), batch, epochs, workers=workers)


def _tell(part: Losses) -> None:
    known = [loss for loss in part.losses if loss is not None]
    print(f"epoch {part.epoch + 1}: loss {known[-1]:.6g}" if known else "the loss is not finite", file=sys.stderr)


def _incomplete(error: Stalled, others: list[str], waited_s: float) -> SettingsError | Stalled:
    """Name the workers that do not answer, if that is why nothing went on."""
    silent = [address for address in others if not _answers(address)]
    if not silent:
        return error
    return SettingsError(
        "cluster", f"The cluster was not complete within {waited_s:g} s: {', '.join(silent)} did not come.",
        todo="Start the same command there with its own --index, and check that the ports are open.",
    )  # fmt: skip


def _answers(address: str) -> bool:
    host, port = address.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), ANSWERS_WITHIN_S).close()
    except OSError:
        return False
    return True
