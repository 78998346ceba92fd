from __future__ import annotations

import threading

from tfcore.runtime.queue import Lane, Queue


def never() -> bool:
    return False


def test_a_lane_lets_in_as_many_as_it_is_wide_and_the_rest_in_order():
    queue = Queue({Lane.MEASURE: 1})
    entered: list[str] = []
    ahead: list[int] = []
    waiting = threading.Event()

    def second() -> None:
        with queue.turn(Lane.MEASURE, never, lambda count: (ahead.append(count), waiting.set())):
            entered.append("second")

    with queue.turn(Lane.MEASURE, never, ahead.append):
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(10)
        entered.append("first")
    thread.join(10)
    assert entered == ["first", "second"]
    assert ahead == [1]


def test_lanes_do_not_wait_for_each_other():
    queue = Queue({Lane.MEASURE: 1, Lane.LOOK: 1})
    told: list[int] = []
    with queue.turn(Lane.MEASURE, never, told.append), queue.turn(Lane.LOOK, never, told.append):
        assert told == []


def test_large_logs_that_are_read_keep_nobody_from_looking_at_devices():
    queue, told = Queue(), []
    reading, looking = (lambda: queue.turn(Lane.READ, never, told.append)), queue.turn(Lane.LOOK, never, told.append)
    with reading(), reading(), looking:
        assert told == []


def test_one_who_gives_up_leaves_the_line():
    queue = Queue({Lane.MEASURE: 1})
    gave_up, waiting = threading.Event(), threading.Event()
    left: list[bool] = []

    def impatient() -> None:
        with queue.turn(Lane.MEASURE, gave_up.is_set, lambda _: waiting.set()):
            left.append(True)

    with queue.turn(Lane.MEASURE, never, lambda _: None):
        thread = threading.Thread(target=impatient)
        thread.start()
        assert waiting.wait(10)
        gave_up.set()
        queue.look_again()
        thread.join(10)
        assert left == [True]
