"""`tfx.prefetch`: host functions that a thread calls in advance."""

import gc
import threading
import time
import weakref

import numpy as np
import pytest

import tfx
from tfx import Tensor, f32

# Seconds after which something that should happen has not.
PATIENCE = 20
state = {"next": 0, "fails_at": None}


@tfx.host
def number() -> int:
    state["next"] += 1
    if state["next"] == state["fails_at"]:
        raise KeyError(f"number {state['next']}")
    return state["next"]


@tfx.host
def batch() -> tuple[Tensor[f32, None], bool]:
    state["next"] += 1
    return np.full(state["next"], 0.5, np.float32), state["next"] < 4


@tfx.host
def with_parameter(x: int) -> int:
    return x


number_ahead = tfx.prefetch(number, 3)
batch_ahead = tfx.prefetch(batch)


@pytest.fixture(autouse=True)
def anew():
    number_ahead.close()
    batch_ahead.close()
    state.update(next=0, fails_at=None)


def until(condition):
    start = time.monotonic()
    while not condition() and time.monotonic() - start < PATIENCE:
        time.sleep(0.001)
    assert condition()


@tfx.program
def total(n: int) -> int:
    sum = 0
    for _ in range(n):
        sum = sum * 10 + number_ahead()
    return sum


@tfx.program
def until_the_end() -> float:
    sum = 0.0
    while True:
        x, has_more = batch_ahead()
        sum += x.sum().item()
        if not has_more:
            return sum


@tfx.program
def both(n: int) -> int:
    return number() + number_ahead() + n


@pytest.mark.parametrize("is_eager", [False, True])
def test_results_are_those_of_the_calls_in_their_order(is_eager):
    with tfx.eager(is_eager):
        assert total(5) == 12345
        # The thread goes on between calls of the program.
        assert total(2) == 67


@pytest.mark.parametrize("is_eager", [False, True])
def test_tensors_of_different_sizes(is_eager):
    with tfx.eager(is_eager):
        assert until_the_end() == 5.0


def test_no_more_results_wait_than_asked():
    assert total(1) == 1
    # Three wait.
    until(lambda: state["next"] == 4)
    time.sleep(0.05)
    assert state["next"] == 4


def test_an_exception_is_raised_by_its_call():
    state["fails_at"] = 4
    assert total(2) == 12
    with pytest.raises(KeyError, match="number 4") as raised:
        total(3)
    assert "test_prefetch.py" in raised.value.__notes__[0]
    # As without a thread, the next call calls the function again.
    assert total(1) == 5


def test_close_drops_what_waits_and_a_call_starts_anew():
    assert total(1) == 1
    until(lambda: state["next"] == 4)
    number_ahead.close()
    number_ahead.close()
    state["next"] = 0
    assert total(2) == 12


def test_close_ends_a_call_that_waits():
    has_come, may_return = threading.Event(), threading.Event()

    @tfx.host
    def slow() -> int:
        has_come.set()
        assert may_return.wait(PATIENCE)
        return 1

    ahead = tfx.prefetch(slow, 1)
    outcomes = []

    def wait():
        try:
            outcomes.append(ahead())
            outcomes.append(ahead())
        except RuntimeError as error:
            outcomes.append(str(error))

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert has_come.wait(PATIENCE)
    closing = threading.Thread(target=ahead.close)
    closing.start()
    until(lambda: ahead._calls is None)
    may_return.set()
    closing.join(PATIENCE)
    # The first result was on its way. The next call starts a thread again.
    waiting.join(PATIENCE)
    assert not waiting.is_alive() and outcomes == [1, 1]
    ahead.close()


def test_the_thread_ends_with_the_object():
    @tfx.host
    def one() -> int:
        return 1

    ahead = tfx.prefetch(one)
    assert ahead() == 1
    thread, of = ahead._calls.thread, weakref.ref(ahead)
    del ahead
    gc.collect()
    assert of() is None
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_what_cannot_be_called_in_advance_is_refused():
    with pytest.raises(TypeError, match="'with_parameter' has parameters, so a thread cannot call it in advance"):
        tfx.prefetch(with_parameter)
    with pytest.raises(TypeError, match="is for a function with @tfx.host"):
        tfx.prefetch(until)
    with pytest.raises(TypeError, match="is for a function with @tfx.host"):
        tfx.prefetch(number_ahead)
    with pytest.raises(ValueError, match="at least 1, not 0"):
        tfx.prefetch(number, 0)


def test_one_function_is_not_called_in_both_ways():
    with pytest.raises(tfx.CompileError, match="'number' is called with and without tfx.prefetch; call one of both"):
        both(1)
