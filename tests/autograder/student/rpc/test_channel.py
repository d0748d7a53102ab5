import contextlib
import random
import signal
import socket
import struct
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from autograder.errors import ReplyNotUnderstood, StudentGone, StudentTooSlow, ValueTooLarge
from autograder.student.limits import Limits
from autograder.student.rpc.channel import Channel
from autograder.student.rpc.codec.grammar import Reference
from autograder.student.rpc.codec.writer import encode
from autograder.student.rpc.deadline import Deadline

LIMITS = Limits()
LARGE = np.zeros(2_000_000)  # far more than a socket holds

Pair = tuple[Channel, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    """The grader's channel, and the student's end as a bare socket."""
    ours, theirs = socket.socketpair()
    with Channel(ours, LIMITS) as channel, theirs:
        yield channel, theirs


@contextlib.contextmanager
def meanwhile(action: Callable[[], object]) -> Iterator[None]:
    thread = threading.Thread(target=action)
    thread.start()
    try:
        yield
    finally:
        thread.join()


@contextlib.contextmanager
def promptly() -> Iterator[None]:
    """Far sooner than if the deadline moved, and late enough for a busy machine."""
    started = time.monotonic()
    yield
    assert time.monotonic() - started < 20


def framed(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def drip(sock: socket.socket, content: bytes, pause: float, stop: threading.Event) -> None:
    for position in range(len(content)):
        if stop.wait(pause):
            return
        sock.send(content[position : position + 1])


def test_both_ways():
    ours, theirs = socket.socketpair()
    with Channel(ours, LIMITS) as grader, Channel(theirs, LIMITS) as student:
        for value in (None, [1, 2.5, "text"], {"a": (True,)}, b"", 2**70):
            grader.send(value)
            assert student.receive(Deadline(60)) == value
            student.send(value, Deadline(60))
            assert grader.receive(Deadline(60)) == value


def test_values_wait_in_order(pair):
    channel, student = pair
    student.sendall(framed(encode(1, LIMITS)) + framed(encode(2, LIMITS)))
    assert [channel.receive(Deadline(60)), channel.receive(Deadline(60))] == [1, 2]


def test_large_values_both_ways():
    ours, theirs = socket.socketpair()
    with Channel(ours, LIMITS) as grader, Channel(theirs, LIMITS) as student:

        def echo() -> None:
            student.send(student.receive(Deadline(None)), Deadline(60))

        with meanwhile(echo):
            grader.send(LARGE, Deadline(60))
            arrived: Any = grader.receive(Deadline(60))
    assert np.array_equal(arrived, LARGE)


def test_references_through_hooks():
    ours, theirs = socket.socketpair()
    known = {Reference("function", 1): print}
    grader = Channel(ours, LIMITS, resolve=known.__getitem__)
    student = Channel(theirs, LIMITS, refer=lambda _: Reference("function", 1))
    with grader, student:
        student.send([len])
        assert grader.receive(Deadline(60)) == [print]
        student.send(Reference("function", 2))
        with pytest.raises(ReplyNotUnderstood, match="there is no function 2"):
            grader.receive(Deadline(60))


def test_silence_is_too_slow(pair):
    channel, _ = pair
    with promptly(), pytest.raises(StudentTooSlow, match=r"within 0\.1 s"):
        channel.receive(Deadline(0.1))


def test_no_time_is_too_slow(pair):
    channel, _ = pair
    with pytest.raises(StudentTooSlow):
        channel.receive(Deadline(0))


@pytest.mark.parametrize("content", [framed(bytes(1000)), b"\0"])
def test_half_a_message_is_too_slow(pair, content):
    channel, student = pair
    student.sendall(content[:500])
    with promptly(), pytest.raises(StudentTooSlow):
        channel.receive(Deadline(0.1))


@pytest.mark.parametrize("head", [0, 1000])
def test_dripping_buys_no_time(pair, head):
    """Whether the length drips too, or only what follows it."""
    channel, student = pair
    content, stop = framed(encode("a" * 2000, LIMITS)), threading.Event()
    student.sendall(content[:head])
    with meanwhile(lambda: drip(student, content[head:], 0.02, stop)):
        try:
            with promptly(), pytest.raises(StudentTooSlow):
                channel.receive(Deadline(0.3))
        finally:
            stop.set()


def test_slow_but_in_time(pair):
    channel, student = pair
    content = framed(encode("abc", LIMITS))
    with meanwhile(lambda: drip(student, content, 0.01, threading.Event())):
        assert channel.receive(Deadline(60)) == "abc"


def test_late_replies_are_not_read(pair):
    channel, student = pair
    with pytest.raises(StudentTooSlow):
        channel.receive(Deadline(0.05))
    with pytest.raises(BrokenPipeError):
        student.sendall(framed(encode("late", LIMITS)))
    with pytest.raises(StudentGone, match="is closed"):
        channel.receive(Deadline(60))


def test_signals_buy_no_time(pair):
    channel, _ = pair
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        with promptly(), pytest.raises(StudentTooSlow):
            channel.receive(Deadline(0.3))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_interruptions_close_the_channel(pair):
    channel, _ = pair

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            channel.receive(Deadline(60))
    finally:
        signal.signal(signal.SIGALRM, before)
    with pytest.raises(StudentGone):
        channel.receive(Deadline(60))


@pytest.mark.parametrize("size", [0, 2, 4, 20])
def test_hanging_up(pair, size):
    """Before a message, in its length, after it, and in the message itself."""
    channel, student = pair
    student.sendall(framed(encode("a" * 100, LIMITS))[:size])
    student.close()
    with promptly(), pytest.raises(StudentGone):
        channel.receive(Deadline(60))


def test_last_words_are_heard(pair):
    channel, student = pair
    student.sendall(framed(encode("bye", LIMITS)))
    student.close()
    assert channel.receive(Deadline(60)) == "bye"


def test_hanging_up_with_unread_bytes(pair):
    channel, student = pair
    channel.send("not read")
    student.close()
    with pytest.raises(StudentGone):
        channel.receive(Deadline(60))


def test_nobody_to_send_to(pair):
    channel, student = pair
    student.close()
    with pytest.raises(StudentGone):
        channel.send(LARGE)


def test_peer_that_does_not_read(pair):
    channel, _ = pair
    with promptly(), pytest.raises(StudentTooSlow, match=r"did not take .* within 0\.2 s"):
        channel.send(LARGE, Deadline(0.2))


def test_peer_that_reads_slowly(pair):
    channel, student = pair
    stop = threading.Event()

    def sip() -> None:
        while not stop.wait(0.02):
            student.recv(1000)

    with meanwhile(sip):
        try:
            with promptly(), pytest.raises(StudentTooSlow):
                channel.send(LARGE, Deadline(0.3))
        finally:
            stop.set()


def test_send_has_a_deadline_by_default():
    ours, theirs = socket.socketpair()
    channel = Channel(ours, replace(LIMITS, call_seconds=0.2))
    with channel, theirs, promptly(), pytest.raises(StudentTooSlow):
        channel.send(LARGE)


def test_too_long_is_not_read(pair):
    channel, student = pair
    student.sendall(struct.pack(">I", LIMITS.message_bytes + 1) + bytes(100))
    with pytest.raises(ReplyNotUnderstood, match="67,108,865 bytes is announced"):
        channel.receive(Deadline(60))
    with pytest.raises(StudentGone):
        channel.receive(Deadline(60))


def test_announcements_take_no_memory(pair):
    channel, student = pair
    student.sendall(struct.pack(">I", LIMITS.message_bytes) + bytes(100))
    student.close()
    tracemalloc.start()
    try:
        with pytest.raises(StudentGone):
            channel.receive(Deadline(60))
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_nonsense_leaves_the_channel_open(pair):
    channel, student = pair
    student.sendall(framed(b"nonsense") + framed(b"") + framed(encode(1, LIMITS)))
    for _ in range(2):
        with pytest.raises(ReplyNotUnderstood):
            channel.receive(Deadline(60))
    assert channel.receive(Deadline(60)) == 1


def test_too_large_leaves_the_channel_open():
    ours, theirs = socket.socketpair()
    small = replace(LIMITS, message_bytes=100)
    with Channel(ours, small) as grader, Channel(theirs, LIMITS) as student:
        with pytest.raises(ValueTooLarge):
            grader.send("a" * 1000)
        grader.send("b")
        assert student.receive(Deadline(60)) == "b"


def test_closing_twice(pair):
    channel, _ = pair
    channel.close()
    channel.close()
    with pytest.raises(StudentGone, match="is closed"):
        channel.send(1)


def test_noise_on_the_wire():
    rng, outcomes = random.Random(0), set()
    message = framed(encode([1, "text", torch.ones(2), {"a": (None, b"b")}], LIMITS))
    for _ in range(2000):
        noise = bytearray(message)
        for _ in range(rng.randrange(4)):
            noise[rng.randrange(len(noise))] = rng.randrange(256)
        outcomes.add(outcome(bytes(noise[: rng.randrange(3 * len(noise))])))
    assert outcomes == {list, ReplyNotUnderstood, StudentGone}


def outcome(noise: bytes) -> type:
    ours, theirs = socket.socketpair()
    with Channel(ours, LIMITS) as channel, theirs, promptly():
        theirs.sendall(noise)
        theirs.close()
        try:
            return type(channel.receive(Deadline(60)))
        except (ReplyNotUnderstood, StudentGone) as error:
            return type(error)
