"""Train a model on the replicas of a strategy, in a worker of its own."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tfcore import strategy as rules
from tfcore.placement import in_canonical_form
from tfcore.strategy import MODELS, TRAIN, Copies, Losses, Trained, TrainPlan
from tfcore.wire import Reporter

TASK = TRAIN
TELL_S = 0.25
SIDE, CLASSES, WIDTH = 16, 10, 512
REDUCTIONS: dict[str, Callable[[], Any] | None] = {
    "default": None,
    "nccl": tf.distribute.NcclAllReduce,
    "hierarchical": tf.distribute.HierarchicalCopyAllReduce,
    "one-device": tf.distribute.ReductionToOneDevice,
}


def run(plan: TrainPlan, report: Reporter) -> Trained:
    """Train, and tell the losses as they come."""
    report.progress("Building the model")
    strategy = _strategy(plan)
    tf.keras.utils.set_random_seed(0)  # the same first weights, however many replicas there are
    x, y = _data(plan.model)
    with strategy.scope():
        model, loss = _model(plan.model)
        optimizer = tf.keras.optimizers.SGD(MODELS[plan.model].learning_rate)
    train = _fit if plan.loop == "fit" else _custom_loop
    losses, epoch_s, split = train(plan, strategy, model, loss, optimizer, _batches(plan, x, y), _Teller(plan, report))
    flat = np.concatenate([np.asarray(v).reshape(-1) for v in model.trainable_variables]).astype(float)
    weights = tuple(map(float, flat)) if plan.model == "article" and np.isfinite(flat).all() else ()
    examples = len(x) // plan.batch * plan.batch
    return Trained(_devices(plan, strategy), losses, epoch_s, examples, _copies(model), split, weights)


def _strategy(plan: TrainPlan) -> Any:
    if plan.cluster:
        os.environ["TF_CONFIG"] = json.dumps(
            {"cluster": {"worker": list(plan.cluster)}, "task": {"type": "worker", "index": plan.index}}
        )
        return tf.distribute.MultiWorkerMirroredStrategy()
    reduction = REDUCTIONS[plan.reduction]
    devices = [f"/{device}" for device in plan.devices]
    return tf.distribute.MirroredStrategy(devices, cross_device_ops=reduction() if reduction else None)


def _devices(plan: TrainPlan, strategy: Any) -> tuple[str, ...]:
    return plan.devices if not plan.cluster else tuple(plan.cluster[: strategy.num_replicas_in_sync])


def _data(model: str) -> tuple[Any, Any]:
    """Make seeded examples: points of a known line, or pictures and vectors whose classes a fixed map decides."""
    generator, examples = np.random.default_rng(0), MODELS[model].examples
    if model == "article":
        x = generator.uniform(-1, 1, (examples, 1)).astype(np.float32)
        return x, (rules.TRUE_SLOPE * x + rules.TRUE_INTERCEPT).astype(np.float32)
    shape = (examples, WIDTH) if model == "dense" else (examples, SIDE, SIDE, 3)
    x = generator.standard_normal(shape, dtype=np.float32)
    decide = generator.standard_normal((x[0].size, CLASSES), dtype=np.float32)
    return x, (x.reshape(examples, -1) @ decide).argmax(axis=1).astype(np.int32)


def _model(name: str) -> tuple[Any, Any]:
    """Build a model, and the loss of each example."""
    layers = tf.keras.layers
    reduction = "none"
    if name == "article":
        return tf.keras.Sequential([tf.keras.Input((1,)), layers.Dense(1)]), tf.keras.losses.MeanSquaredError(
            reduction=reduction
        )
    if name == "dense":
        inner: list[Any] = [layers.Dense(WIDTH, activation="relu") for _ in range(3)]
        inputs = tf.keras.Input((WIDTH,))
    else:
        inner = [layers.Conv2D(16, 3, activation="relu"), layers.Conv2D(32, 3, activation="relu"), layers.Flatten()]
        inputs = tf.keras.Input((SIDE, SIDE, 3))
    model = tf.keras.Sequential([inputs, *inner, layers.Dense(CLASSES)])
    return model, tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=reduction)


def _batches(plan: TrainPlan, x: Any, y: Any) -> Any:
    """Give the examples in whole batches, in the same order each time, each worker of a cluster its own part."""
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    return tf.data.Dataset.from_tensor_slices((x, y)).batch(plan.batch, drop_remainder=True).with_options(options)


class _Teller:
    """Sends losses ahead, a few times a second."""

    def __init__(self, plan: TrainPlan, report: Reporter) -> None:
        self._plan = plan
        self._report = report
        self._waiting: list[float | None] = []
        self._since = time.perf_counter()
        self.all: list[float | None] = []

    def step(self, epoch: int, loss: float) -> None:
        """Note the loss of a step."""
        known = loss if math.isfinite(loss) else None
        self.all.append(known)
        self._waiting.append(known)
        passed = time.perf_counter() - self._since
        if passed >= TELL_S or len(self.all) == 1:
            self.tell(epoch, passed)

    def tell(self, epoch: int, passed: float) -> None:
        """Send what has not been sent."""
        rate = len(self._waiting) * self._plan.batch / max(passed, 1e-9)
        self._report.part(Losses(epoch, tuple(self._waiting), rate))
        self._waiting, self._since = [], time.perf_counter()


def _custom_loop(
    plan: TrainPlan, strategy: Any, model: Any, loss: Any, optimizer: Any, batches: Any, teller: _Teller
) -> tuple[tuple[float | None, ...], tuple[float, ...], tuple[int, ...]]:
    """Train step by step, as TensorFlow's guide to custom training does."""

    def one_replica(x: Any, y: Any) -> tuple[Any, Any]:
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(loss(y, model(x, training=True))) / plan.batch
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return value, tf.shape(x)[0]

    @tf.function  # type: ignore[untyped-decorator]
    def step(batches: Any) -> tuple[Any, Any]:
        values, sizes = strategy.run(one_replica, args=next(batches))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, values, axis=None), sizes

    batches = iter(strategy.experimental_distribute_dataset(batches.repeat()))
    split: tuple[int, ...] = ()
    epoch_s = []
    for epoch in range(plan.epochs):
        began = time.perf_counter()
        for _ in range(MODELS[plan.model].examples // plan.batch):
            value, sizes = step(batches)
            teller.step(epoch, float(value))
            split = split or tuple(int(size) for size in strategy.experimental_local_results(sizes))
        epoch_s.append(time.perf_counter() - began)
        teller.tell(epoch, epoch_s[-1])
    return tuple(teller.all), tuple(epoch_s), split


def _fit(
    plan: TrainPlan, strategy: Any, model: Any, loss: Any, optimizer: Any, batches: Any, teller: _Teller
) -> tuple[tuple[float | None, ...], tuple[float, ...], tuple[int, ...]]:
    """Train with Keras. Its loss of a step is the mean over the epoch so far; the step's own is worked out of it."""
    loss.reduction = "sum_over_batch_size"
    epoch_s: list[float] = []

    class _Watch(tf.keras.callbacks.Callback):  # type: ignore[misc]
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            self.epoch, self.began, self.total = epoch, time.perf_counter(), 0.0

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            total = float(logs["loss"]) * (batch + 1)
            teller.step(self.epoch, total - self.total)
            self.total = total

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            epoch_s.append(time.perf_counter() - self.began)

    model.compile(optimizer=optimizer, loss=loss)
    model.fit(batches, epochs=plan.epochs, verbose=0, callbacks=[_Watch()])
    share = plan.batch // strategy.num_replicas_in_sync
    return tuple(teller.all), tuple(epoch_s), (share,) * strategy.num_replicas_in_sync


def _copies(model: Any) -> tuple[Copies, ...]:
    return tuple(_copies_of(variable) for variable in model.trainable_variables)


def _copies_of(variable: Any) -> Copies:
    """Compare a variable's copies, one on each replica."""
    held = getattr(variable, "value", variable)
    parts = list(getattr(held, "values", [held]))
    values = [np.asarray(part).astype(float) for part in parts]
    difference = max((float(np.abs(value - values[0]).max()) for value in values), default=0.0)
    devices = tuple(in_canonical_form(part.device) for part in parts)
    return Copies(variable.path, devices, difference if math.isfinite(difference) else None)
