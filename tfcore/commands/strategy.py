"""python -m tfcore strategy: train one model on several replicas."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tfcore.commands.progress import tell_until_ended
from tfcore.errors import SettingsError
from tfcore.runtime.backend import Backend
from tfcore.settings import Settings, check_limit_fits
from tfcore.strategy import MODELS, REDUCTIONS, Loop, StrategyPlan, Training, line_found, next_dividing
from tfcore.training import training

LIMIT_S = 24 * 3600.0


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser = commands.add_parser("strategy", parents=[shared], help="train one model on several replicas")
    parser.add_argument("--model", default="article", help=", ".join(MODELS))
    parser.add_argument("--replicas", help="numbers of replicas, such as 1,2,4; 1,2 if none are given")
    parser.add_argument("--batch", type=int, metavar="N", help="examples in a batch, over all replicas")
    parser.add_argument("--batch-per-replica", type=int, metavar="N", help="examples that each replica gets of a batch")
    parser.add_argument("--epochs", type=int, metavar="N", help="times through all examples")
    parser.add_argument("--on", choices=["auto", "gpu", "cpu"], default="auto", help="GPUs where there are, or the CPU")
    parser.add_argument("--reduction", choices=list(REDUCTIONS), default="default", help="how gradients are summed")
    parser.add_argument("--fit", action="store_true", help="train with Keras’ fit instead of a custom loop")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="train over so many processes instead")
    parser.add_argument("--json", action="store_true", help="print JSON, one entry a number of replicas")
    parser.set_defaults(command=run)


def run(backend: Backend, settings: Settings, options: argparse.Namespace) -> None:
    """Train, with progress on stderr and the result on stdout."""
    inventory = backend.runtime(settings).result()
    check_limit_fits(settings, inventory.gpu_memory_mb)
    job = backend.start_job(training(settings, inventory, _plan(options)), limit_s=LIMIT_S)
    tell_until_ended(job)
    result = job.result()
    print(json.dumps(as_entries(result), indent=2) if options.json else in_words(result))


def as_entries(result: Training) -> list[dict[str, Any]]:
    """Give one entry for each number of replicas. On simulated devices no loss and no speed is given."""
    return [
        {
            "replicas": run.replicas,
            "devices": list(run.devices),
            "losses": None if result.simulated else list(run.losses),
            "examples_per_s": None if result.simulated else run.examples_per_s,
            "efficiency": result.efficiency(run),
            "largest_weight_difference": None if result.simulated else run.largest_difference,
            "warnings": list(result.warnings(run)),
        }
        for run in result.runs
    ]


def in_words(result: Training) -> str:
    """Describe a training for a terminal."""
    rows = []
    for run in result.runs:
        line = f"{run.replicas} on {', '.join(run.devices)}"
        if not result.simulated:
            line += f": {run.examples_per_s:,.0f} examples/s, loss {from_to(run.losses)}"
            if run.weights:
                line += ", line {:.4f} x + {:.4f}".format(*line_found(run))
        rows.append(line)
        rows += [f"  ! {warning}" for warning in result.warnings(run)]
    return "\n".join(rows)


def from_to(losses: Sequence[float | None]) -> str:
    """Write the first and the last loss."""
    return " → ".join("not finite" if loss is None else f"{loss:.6g}" for loss in (losses[0], losses[-1]))


def _plan(options: argparse.Namespace) -> StrategyPlan:
    if options.replicas and options.workers != 1:
        raise SettingsError("workers", "Replicas and workers cannot both be chosen.", todo="Leave one out.")
    try:
        replicas = tuple(sorted({int(text) for text in (options.replicas or "1,2").split(",")}))
    except ValueError:
        raise SettingsError("replicas", f"“{options.replicas[:40]}” are not numbers.", todo="Use 1,2,4.") from None
    model = MODELS.get(options.model)
    loop: Loop = "fit" if options.fit else "custom"
    plan = StrategyPlan(
        options.model, replicas, options.batch or 0, options.epochs or 0, options.reduction, loop, options.on
    )
    if options.workers != 1:
        plan = replace(plan, replicas=(1,), workers=options.workers)
    if options.batch_per_replica is not None:
        if options.batch is not None:
            raise SettingsError("batch", "--batch and --batch-per-replica cannot both be given.", todo="Leave one out.")
        plan = replace(plan, batch=options.batch_per_replica, batch_of="each")
    elif model and options.batch is None and all(count > 0 for count in replicas):
        plan = replace(plan, batch=next_dividing(model.batch, (*plan.replicas, max(1, plan.workers)), model.examples))
    return replace(plan, epochs=model.epochs) if model and options.epochs is None else plan
