"""What anyone would write to time an operation: a plain script with a loop. Prints seconds for one call of each size.

python benchmarks/bare_loop.py matmul 256 1024
"""

import statistics
import sys
import time

import numpy as np
import tensorflow as tf

wait = tf.test.experimental.sync_devices
FEWEST, LONG_ENOUGH_S, TOGETHER_S = 10, 0.005, 1.5


def matmul(n):
    generator = np.random.default_rng(0)
    a, b = (tf.constant(generator.standard_normal((n, n), dtype=np.float32)) for _ in range(2))
    product = tf.function(tf.matmul)
    return lambda: product(a, b)


def convolution(n):
    generator = np.random.default_rng(0)
    images = tf.constant(generator.standard_normal((8, n, n, 32), dtype=np.float32))
    filters = tf.constant(generator.standard_normal((3, 3, 32, 64), dtype=np.float32))
    layer = tf.function(lambda x, w: tf.nn.conv2d(x, w, strides=1, padding="SAME"))
    return lambda: layer(images, filters)


def article(n):
    def call():
        tf.random.set_seed(0)
        a = tf.random.uniform((n, n), minval=0.0, maxval=3.0)
        return tf.reduce_sum(tf.matmul(a, tf.transpose(a)))

    return call


def seconds(call):
    """Time calls in batches that last long enough, after a warm-up; the median of the batches."""
    for _ in range(3):
        call()
    began = time.perf_counter()
    call()
    wait()
    batch = max(1, int(LONG_ENOUGH_S / (time.perf_counter() - began)))
    taken = []
    while len(taken) < FEWEST or sum(taken) * batch < TOGETHER_S:
        began = time.perf_counter()
        for _ in range(batch):
            call()
        wait()
        taken.append((time.perf_counter() - began) / batch)
    return statistics.median(taken)


if __name__ == "__main__":
    make = {"matmul": matmul, "convolution": convolution, "article": article}[sys.argv[1]]
    calls = [make(int(size)) for size in sys.argv[2:]]
    for _line in sys.stdin:
        with tf.device("/CPU:0"):  # as anyone would who compares devices
            print(*map(seconds, calls), flush=True)
