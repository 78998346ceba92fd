from __future__ import annotations

import pytest

from tests.test_devices import inventory
from tfcore import strategy
from tfcore.errors import SettingsError
from tfcore.settings import Settings
from tfcore.strategy import Copies, StrategyPlan, Trained, Training


def trained(replicas: int, *epoch_s: float, losses=(2.0, 1.0), difference: float | None = 0.0) -> Trained:
    devices = tuple(f"CPU:{index}" for index in range(replicas))
    return Trained(
        devices, losses, epoch_s, 100, (Copies("kernel", devices, difference),), (64 // replicas,) * replicas
    )


def a_training(*runs: Trained, simulated: bool = False, shared: bool = False) -> Training:
    return Training(StrategyPlan(), Settings(), runs, simulated, shared)


@pytest.mark.parametrize(
    ("plan", "field", "said"),
    [
        (StrategyPlan("nothing"), "model", "is not a model"),
        (StrategyPlan(replicas=()), "replicas", "cannot be used"),
        (StrategyPlan(replicas=(0, 1)), "replicas", "cannot be used"),
        (StrategyPlan(epochs=0), "epochs", "0 epochs cannot be trained"),
        (
            StrategyPlan(replicas=(3,), batch=64),
            "batch",
            "not divide by 3 replicas, and one would starve. Use 66.",
        ),
        (StrategyPlan(batch=0), "batch", "cannot be used"),
        (StrategyPlan(batch=10**9), "batch", "cannot be used"),
        (StrategyPlan(on="gpu"), "on", "No GPU is in force"),
        (StrategyPlan(reduction="nccl"), "reduction", "NCCL moves data between GPUs"),
        (StrategyPlan(workers=99), "workers", "99 workers cannot be used"),
        (StrategyPlan(workers=0), "workers", "0 workers cannot be used"),
        (StrategyPlan(workers=2, on="gpu"), "workers", "train on its CPU"),
        (StrategyPlan(replicas=(3,), batch=256), "batch", "Use 255."),
        (StrategyPlan(replicas=(7, 11, 13), batch=64), "batch", "No batch divides by all of them"),
        (StrategyPlan(workers=3), "batch", "by 3 workers, and one would starve. Use 66."),
        (StrategyPlan(workers=2, loop="fit"), "loop", "Keras 3 does not"),
        (StrategyPlan(batch=200, batch_of="each"), "batch", "200 for each replica cannot be used. Use 1 to 128."),
        (StrategyPlan(batch=0, batch_of="each"), "batch", "Use 1 to 128."),
    ],
)
def test_what_cannot_be_trained_is_refused_by_its_field(plan, field, said):
    with pytest.raises(SettingsError) as caught:
        strategy.check(plan, inventory(0, 0))
    assert caught.value.field == field
    assert said in str(caught.value)


def test_a_batch_for_each_replica_grows_with_them_and_its_losses_are_not_compared():
    plan = StrategyPlan(replicas=(1, 3), batch=50, batch_of="each")
    strategy.check(plan, inventory(0, 0))
    assert [plan.total_batch(count) for count in plan.replicas] == [50, 150]
    one, three = trained(1, 1.0, 1.0), trained(3, 1.0, 1.0, losses=(3.0, 1.0))
    assert not any(
        "first loss" in text for text in Training(plan, Settings(), (one, three), False, False).warnings(three)
    )


def test_gpus_that_are_not_there_are_refused_though_tensorflow_would_not():
    with pytest.raises(SettingsError, match="4 replicas need as many GPUs, and 2 are in force"):
        strategy.check(StrategyPlan(replicas=(1, 4)), inventory(2, 2))


def test_without_a_gpu_logical_cpus_are_made_as_needed_and_the_reason_is_given():
    plan = StrategyPlan(replicas=(1, 4))
    assert strategy.devices_for(plan, inventory(0, 0)) == ("CPU", "because no GPU is in force")
    assert strategy.settings_for(plan, Settings(), inventory(0, 0)).cpu_devices == 4
    assert strategy.settings_for(plan, Settings(), inventory(2, 2)) == Settings()
    strategy.check(plan, inventory(0, 0))


@pytest.mark.parametrize(
    ("batch", "replicas", "better"),
    [(64, (3,), 66), (64, (1, 2, 4), 64), (10, (2, 3), 12), (256, (3,), 255), (1, (300,), 0)],
)
def test_the_next_batch_that_divides_is_found(batch, replicas, better):
    assert strategy.next_dividing(batch, replicas, 256) == better


def test_the_first_epoch_stands_apart_and_efficiency_is_against_the_first_run():
    one, two = trained(1, 9.0, 1.0, 1.0), trained(2, 9.0, 0.625, 0.625)
    found = a_training(one, two)
    assert one.examples_per_s == 100
    assert found.efficiency(one) is None
    assert found.efficiency(two) == pytest.approx(0.8)


def test_simulated_gpus_have_neither_speed_nor_efficiency():
    one, two = trained(1, 1.0, 1.0), trained(2, 1.0, 1.0)
    found = a_training(one, two, simulated=True)
    assert found.efficiency(two) is None
    assert found.warnings(two) == ("simulated devices: neither losses nor times mean anything",)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (trained(2, 1.0, 1.0, difference=0.1), "copies of a variable differ"),
        (trained(2, 1.0, 1.0, difference=None), "copies of a variable differ"),
        (trained(2, 1.0, 1.0, losses=(2.1, 1.0)), "first loss differs"),
        (trained(2, 1.0, 1.0, losses=(2.0, None)), "not finite"),
        (trained(2, 1.0), "one epoch alone"),
    ],
)
def test_each_warning_is_raised_by_its_cause(run, said):
    found = a_training(trained(1, 1.0, 1.0), run)
    assert any(said in warning for warning in found.warnings(run))
    calm = trained(2, 1.0, 1.0)
    assert a_training(trained(1, 1.0, 1.0), calm).warnings(calm) == ()


def test_replicas_on_one_processor_are_not_expected_to_be_faster():
    run = trained(2, 1.0, 1.0)
    assert "no speedup is to be expected" in a_training(trained(1, 1.0, 1.0), run, shared=True).warnings(run)[0]
