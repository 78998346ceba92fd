from __future__ import annotations

import dataclasses

import msgspec
import pytest

from tfcore.devices import (
    Computer,
    CreatedDevice,
    Inventory,
    LogicalDevice,
    PhysicalDevice,
    Software,
    Unavailable,
    created_devices,
    in_one_sentence,
    short_name,
)

LINE = (
    "I0000 00:00:1796139490.013214   16927 gpu_device.cc:2043] Created device "
    "/job:localhost/replica:0/task:0/device:GPU:1 with 1024 MB memory:  -> device: 3, name: Some GPU, 80GB, "
    "pci bus id: 0000:04:00.0, compute capability: 8.0"
)
WHY = Unavailable("a test")


def gpu(index: int, model: str = "Some GPU") -> PhysicalDevice:
    name = f"/physical_device:GPU:{index}"
    return PhysicalDevice(name, "GPU", index, True, model, "8.0", 8 * 2**30, "0000:01:00.0")


def inventory(there: int, in_force: int, model: str = "Some GPU") -> Inventory:
    logical = [LogicalDevice("/device:CPU:0", "CPU", WHY, WHY)]
    logical += [LogicalDevice(f"/device:GPU:{index}", "GPU", WHY, 1024) for index in range(in_force)]
    return Inventory(
        tuple(gpu(index, model) for index in range(there)),
        tuple(logical),
        Computer("Linux", WHY, 2, 2, 2**34, 2**33),
        Software("3.11", "2.21", WHY, WHY, WHY),
    )


def test_a_creation_line_tells_the_logical_device_its_memory_and_what_it_was_made_of():
    noise = "loss: 0.1\r" + LINE + "\nGpuDevice::ComputeHelper scheduled\n"
    assert created_devices(noise) == (CreatedDevice("GPU:1", 1024, 3, "0000:04:00.0"),)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("/job:localhost/replica:0/task:0/device:GPU:0", "GPU:0"),
        ("/device:CPU:1", "CPU:1"),
        ("/physical_device:GPU:3", "GPU:3"),
        ("/job:worker/replica:0/task:1/cpu:0", "CPU:0"),
        ("GPU:0", "GPU:0"),
    ],
)
def test_device_strings_are_shortened_to_type_and_index(name, short):
    assert short_name(name) == short


@pytest.mark.parametrize(
    ("there", "in_force", "said"),
    [
        (0, 0, "TensorFlow sees no GPU on this machine."),
        (1, 1, "TensorFlow sees 1 GPU."),
        (4, 4, "TensorFlow sees 4 GPUs."),
        (4, 1, "TensorFlow sees 4 GPUs. Your settings leave 1 GPU in force."),
        (2, 0, "TensorFlow sees 2 GPUs. Your settings leave none of them in force."),
    ],
)
def test_one_sentence_says_how_many_gpus_there_are(there, in_force, said):
    assert in_one_sentence(inventory(there, in_force)) == said


def test_a_simulated_gpu_is_called_one():
    assert "simulated" in in_one_sentence(inventory(1, 1, "Simulated GPU"))


def test_an_inventory_survives_the_way_between_processes():
    found = inventory(2, 1)
    assert msgspec.json.decode(msgspec.json.encode(found), type=Inventory) == found


def test_values_that_cross_a_boundary_cannot_be_changed():
    for kind in (Inventory, PhysicalDevice, LogicalDevice, Computer, Software, Unavailable):
        assert kind.__dataclass_params__.frozen, kind
        assert dataclasses.is_dataclass(kind)
