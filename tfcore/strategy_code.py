"""The TensorFlow code that trains as a plan does."""

from __future__ import annotations

from collections.abc import Sequence

from tfcore.strategy import MODELS, StrategyPlan

CLUSTER_CODE = """import json, os

# The same on each machine but for the index. Set it before TensorFlow's first operation.
os.environ["TF_CONFIG"] = json.dumps(
    {"cluster": {"worker": ["host1:2222", "host2:2222"]}, "task": {"type": "worker", "index": 0}})
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    ...  # your model and optimizer; train with strategy.run in a loop of your own
"""


def as_code(plan: StrategyPlan, devices: Sequence[str]) -> str:
    """Write the TensorFlow code that trains the same way."""
    if plan.workers > 1:
        return CLUSTER_CODE
    reductions = {
        "default": "",
        "nccl": ",\n    cross_device_ops=tf.distribute.NcclAllReduce()",
        "hierarchical": ",\n    cross_device_ops=tf.distribute.HierarchicalCopyAllReduce()",
        "one-device": ",\n    cross_device_ops=tf.distribute.ReductionToOneDevice()",
    }
    names = ", ".join(f'"/{device}"' for device in devices)
    return (
        "import tensorflow as tf\n\n"
        f"strategy = tf.distribute.MirroredStrategy(\n    [{names}]{reductions[plan.reduction]})\n"
        "with strategy.scope():\n"
        "    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])  # your model\n"
        f'    model.compile(optimizer=tf.keras.optimizers.SGD({MODELS[plan.model].learning_rate}), loss="mse")\n'
        f"model.fit(x, y, batch_size={plan.total_batch(len(devices))}, epochs={plan.epochs}, shuffle=False)\n"
    )
