from __future__ import annotations

from tfcore.placement import Executed, executed

LOG = """\
I0000 00:00:1796139493.388488   16927 placer.cc:162] input: (_Arg): /job:localhost/replica:0/task:0/device:CPU:0
I0000 00:00:1796139493.391512   16927 execute.cc:1775] Executing op _EagerConst in device \
/job:localhost/replica:0/task:0/device:CPU:0
 1/10 loss: 0.5\rI0000 00:00:1.394014   1 execute.cc:1775] Executing op MatMul in device \
/job:localhost/replica:0/task:0/device:GPU:1
"""


def test_eager_records_are_read_wherever_they_stand_in_a_line():
    assert executed(LOG) == (Executed("MatMul", "GPU:1"),)


def test_a_log_without_records_gives_none():
    assert executed("Executor start aborting [/job:localhost/replica:0/task:0/device:CPU:0]") == ()
