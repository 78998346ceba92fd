from __future__ import annotations

import socket
import threading

import msgspec
import pytest

from tfcore.settings import Settings
from tfcore.wire import Channel, Message, Progress, Request, raw


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    channels = Channel(ours), Channel(theirs)
    yield channels
    for channel in channels:
        channel.close()


def test_a_request_arrives_as_it_was_sent(ends):
    sent = Request("inventory", Settings((1,), "limit", 64), raw({"any": "plan"}), "/tmp/out", "/tmp/err")
    ends[0].send(sent)
    received = ends[1].receive(Request)
    assert received.settings == sent.settings
    assert msgspec.json.decode(received.plan) == {"any": "plan"}


def test_a_value_larger_than_any_buffer_arrives_whole(ends):
    text = "x" * 3_000_000
    sender = threading.Thread(target=ends[0].send, args=(Message("progress", raw(Progress(text))),))
    sender.start()
    message = ends[1].receive(Message)
    sender.join()
    assert msgspec.json.decode(message.body, type=Progress).text == text


def test_the_end_of_the_other_side_is_none_even_in_the_middle_of_a_line(ends):
    ends[0]._socket.sendall(b'{"kind": "prog')
    ends[0]._socket.shutdown(socket.SHUT_RDWR)
    assert ends[1].receive(Message) is None


def test_waiting_ends_at_its_limit(ends):
    with pytest.raises(TimeoutError):
        ends[1].receive(Message, timeout_s=0.01)
