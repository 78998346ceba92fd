from __future__ import annotations

import dataclasses

from tfcore.strategy import StrategyPlan
from tfcore.strategy_code import as_code


def test_the_code_names_the_devices_and_the_reduction():
    code = as_code(dataclasses.replace(StrategyPlan(), reduction="one-device"), ("GPU:0", "GPU:1"))
    assert '["/GPU:0", "/GPU:1"]' in code
    assert "ReductionToOneDevice" in code
    compile(code, "shown", "exec")
