"""What our training loop costs: its examples per second over those of the same model in a plain script.

    python benchmarks/strategy.py [--pairs 7]

Both train the dense net on one replica of a MirroredStrategy, the script as TensorFlow's guide to custom training
does; they take turns in one run, now the one first and now the other.
The ratio is the median over the pairs. It fails below 0.97.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tfcore.runtime.backend import Backend  # noqa: E402
from tfcore.settings import Settings  # noqa: E402
from tfcore.strategy import MODELS, TRAIN, TrainPlan  # noqa: E402

CLAIM = 0.97
EPOCHS = 5
PLAIN = """
import statistics, sys, time
import numpy as np, tensorflow as tf
examples, batch, epochs = map(int, sys.argv[1:4])
generator = np.random.default_rng(0)
x = generator.standard_normal((examples, 512), dtype=np.float32)
y = (x @ generator.standard_normal((512, 10), dtype=np.float32)).argmax(axis=1).astype(np.int32)
dense = tf.keras.layers.Dense
strategy = tf.distribute.MirroredStrategy(["/CPU:0"])
with strategy.scope():
  model = tf.keras.Sequential([tf.keras.Input((512,)), *[dense(512, activation="relu") for _ in range(3)], dense(10)])
  optimizer = tf.keras.optimizers.SGD(0.05)
loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
def replica(x, y):
    with tf.GradientTape() as tape:
        value = tf.reduce_sum(loss(y, model(x, training=True))) / batch
    optimizer.apply_gradients(zip(tape.gradient(value, model.trainable_variables), model.trainable_variables))
    return value
@tf.function
def step(x, y):
    return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(replica, args=(x, y)), axis=None)
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(batch, drop_remainder=True)
data = strategy.experimental_distribute_dataset(data)
taken = []
for _ in range(epochs):
    began = time.perf_counter()
    for a, b in data:
        float(step(a, b))
    taken.append(time.perf_counter() - began)
print(examples / statistics.median(taken[1:]))
"""


def main() -> int:
    """Train in turns and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=7)
    pairs = parser.parse_args().pairs
    backend = Backend()
    backend.runtime(Settings()).result()
    found = []
    try:
        for number in range(pairs):
            if number % 2:
                mine = ours(backend)
                found.append(mine / plain())
            else:
                theirs = plain()
                found.append(ours(backend) / theirs)
    finally:
        backend.close()
    ratio = statistics.median(found)
    print(f"ours / plain script, examples per second: {ratio:.3f} (claim: at least {CLAIM}); pairs "
          f"{min(found):.2f} to {max(found):.2f}")  # fmt: skip
    return int(ratio < CLAIM)


def ours(backend: Backend) -> float:
    """Train with one of our workers."""
    plan = TrainPlan("dense", ("CPU:0",), MODELS["dense"].batch, EPOCHS, "default", "custom")
    return backend.start_job(lambda steps: steps.run(TRAIN, Settings(), plan)).result().examples_per_s


def plain() -> float:
    """Train with the plain script."""
    numbers = [str(MODELS["dense"].examples), str(MODELS["dense"].batch), str(EPOCHS)]
    command = [sys.executable, "-c", PLAIN, *numbers]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    sys.exit(main())
