"""The computations themselves: one function for each row of tfcore/workloads.py, of the same name.

Each takes a size, a dtype and a seeded generator, and gives host arrays and a function of their tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import tensorflow as tf

from tfcore.workloads import (
    CHANNELS,
    DENSE_LAYERS,
    FILTERS,
    HEAD_WIDTH,
    HEADS,
    IMAGES,
    KERNEL,
    STEP_CHANNELS,
    STEP_CLASSES,
    STEP_SIDE,
)

Tensor = Any
LEARNING_RATE = 0.01


@dataclass(frozen=True)
class Computation:
    """Host arrays, and the function to be timed. `eager` runs operation by operation, as the article does."""

    inputs: tuple[Any, ...]
    function: Callable[..., Tensor]
    eager: bool = False


def normal(generator: np.random.Generator, *shape: int, dtype: str) -> Any:
    """Draw normal numbers: zeros would flatter a GPU, which then draws less power."""
    return generator.standard_normal(shape, dtype=np.float32).astype(tf.as_dtype(dtype).as_numpy_dtype)


def article(size: int, dtype: str, generator: np.random.Generator) -> Computation:
    """Seed 0, uniform in 0..3, a times its transpose, sum of all entries."""

    def function() -> Tensor:
        tf.random.set_seed(0)
        a = tf.random.uniform((size, size), minval=0.0, maxval=3.0)
        return tf.reduce_sum(tf.matmul(a, tf.transpose(a)))

    return Computation((), function, eager=True)


def matmul(size: int, dtype: str, generator: np.random.Generator) -> Computation:
    """The product of two square matrices."""
    return Computation(
        (normal(generator, size, size, dtype=dtype), normal(generator, size, size, dtype=dtype)), tf.matmul
    )


def convolution(size: int, dtype: str, generator: np.random.Generator) -> Computation:
    """A batch of images through a layer of filters, padded to the same size."""
    images = normal(generator, IMAGES, size, size, CHANNELS, dtype=dtype)
    filters = normal(generator, KERNEL, KERNEL, CHANNELS, FILTERS, dtype=dtype)
    return Computation((images, filters), lambda a, b: tf.nn.conv2d(a, b, strides=1, padding="SAME"))


def elementwise(size: int, dtype: str, generator: np.random.Generator) -> Computation:
    """a * b + a."""
    a, b = (normal(generator, size, size, dtype=dtype) for _ in range(2))
    return Computation((a, b), lambda x, y: x * y + x)


def reduction(size: int, dtype: str, generator: np.random.Generator) -> Computation:
    """The sum of all entries; they are positive, so that it is well determined."""
    positive = np.abs(normal(generator, size, size, dtype=dtype))
    return Computation((positive / tf.as_dtype(dtype).as_numpy_dtype(size),), tf.reduce_sum)


def fft(size: int, dtype: str, generator: np.random.Generator) -> Computation:
    """The two-dimensional Fourier transform of complex numbers."""
    parts = [normal(generator, size, size, dtype=dtype) for _ in range(2)]
    return Computation((parts[0] + 1j * parts[1],), tf.signal.fft2d)


def host_to_device(size: int, dtype: str, generator: np.random.Generator) -> Computation:
    """A copy of a host array to the device."""
    array = normal(generator, size, size, dtype=dtype)
    return Computation((), lambda: tf.identity(tf.convert_to_tensor(array)), eager=True)


def device_to_host(size: int, dtype: str, generator: np.random.Generator) -> Computation:
    """A copy of a tensor on the device to the host."""
    array = normal(generator, size, size, dtype=dtype)
    return Computation((array,), lambda a: np.array(a.numpy()), eager=True)


def dense_step(size: int, dtype: str, generator: np.random.Generator) -> Computation:
    """Loss and gradients of a dense net, and its weights after one step of gradient descent."""
    weights = [
        normal(generator, a, b, dtype=dtype) * tf.as_dtype(dtype).as_numpy_dtype(a**-0.5)
        for a, b in pairwise(DENSE_LAYERS)
    ]
    data = normal(generator, size, DENSE_LAYERS[0], dtype=dtype)
    labels = generator.integers(0, DENSE_LAYERS[-1], size).astype(np.int32)

    def function(data: Tensor, labels: Tensor, *weights: Tensor) -> Tensor:
        with tf.GradientTape() as tape:
            tape.watch(weights)
            activation = data
            for weight in weights[:-1]:
                activation = tf.nn.relu(tf.matmul(activation, weight))
            loss = _loss(tf.matmul(activation, weights[-1]), labels)
        return _step(weights, tape.gradient(loss, weights))

    return Computation((data, labels, *weights), function)


def conv_step(size: int, dtype: str, generator: np.random.Generator) -> Computation:
    """Loss and gradients of a convolutional net, and its weights after one step of gradient descent."""
    a, b, c = STEP_CHANNELS
    flat = (STEP_SIDE // 4) ** 2 * c
    shapes = [(3, 3, a, b), (3, 3, b, c), (flat, STEP_CLASSES)]
    weights = [normal(generator, *shape, dtype=dtype) * tf.as_dtype(dtype).as_numpy_dtype(0.1) for shape in shapes]
    images = normal(generator, size, STEP_SIDE, STEP_SIDE, a, dtype=dtype)
    labels = generator.integers(0, STEP_CLASSES, size).astype(np.int32)

    def function(images: Tensor, labels: Tensor, *weights: Tensor) -> Tensor:
        with tf.GradientTape() as tape:
            tape.watch(weights)
            activation = images
            for weight in weights[:-1]:
                activation = tf.nn.relu(tf.nn.conv2d(activation, weight, strides=1, padding="SAME"))
                activation = tf.nn.max_pool2d(activation, 2, 2, "VALID")
            loss = _loss(tf.matmul(tf.reshape(activation, (size, flat)), weights[-1]), labels)
        return _step(weights, tape.gradient(loss, weights))

    return Computation((images, labels, *weights), function)


def attention(size: int, dtype: str, generator: np.random.Generator) -> Computation:
    """Multi-head self-attention of one text: projections, scores, softmax, and the weighted values."""
    width = HEADS * HEAD_WIDTH
    scale = tf.as_dtype(dtype).as_numpy_dtype(width**-0.5)
    words = normal(generator, size, width, dtype=dtype)
    weights = [normal(generator, width, width, dtype=dtype) * scale for _ in range(4)]

    def heads(x: Tensor) -> Tensor:
        return tf.transpose(tf.reshape(x, (size, HEADS, HEAD_WIDTH)), (1, 0, 2))

    def function(words: Tensor, query: Tensor, key: Tensor, value: Tensor, out: Tensor) -> Tensor:
        q, k, v = (heads(tf.matmul(words, weight)) for weight in (query, key, value))
        scores = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * scale)
        return tf.matmul(tf.reshape(tf.transpose(tf.matmul(scores, v), (1, 0, 2)), (size, width)), out)

    return Computation((words, *weights), function)


def _loss(logits: Tensor, labels: Tensor) -> Tensor:
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def _step(weights: Any, gradients: Any) -> Tensor:
    """Give all weights after the step, so that nothing of it can be left out."""
    moved = [w - tf.cast(LEARNING_RATE, w.dtype) * g for w, g in zip(weights, gradients, strict=True)]
    return tf.concat([tf.reshape(weight, (-1,)) for weight in moved], axis=0)
