"""The time of the import and of the first call of a training loop that calls a host function.

    python python/tests/first_call.py

Prints the median and the spread of 15 processes, in milliseconds: for tfx without files, with the
code in files, and with the whole program in files, and for `tf.function` and `jax.jit` where this
Python has them.
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import systems

PROCESSES = 15
ROWS = ["import", "first call", "second call"]
RATE = 0.1
STEPS = 1


def data():
    import numpy as np

    random = np.random.default_rng(0)
    rows = random.standard_normal((100, 64)).astype(np.float32)
    labels = np.eye(10, dtype=np.float32)[random.integers(0, 10, 100)]
    weights = 0.1 * random.standard_normal((64, 10)).astype(np.float32)
    return rows, labels, weights, np.zeros(10, np.float32)


def tfx_call():
    import tfx
    from tfx import Tensor, f32

    @tfx.struct
    class Dense:
        w: Tensor[f32, None, None]
        b: Tensor[f32, None]

        def __call__(self, x):
            return tfx.relu(x @ self.w + self.b)

    @tfx.host
    def log(step: int, loss: float) -> bool:
        return False

    @tfx.program
    def train(x: Tensor[f32, None, 64], y: Tensor[f32, None, 10], model: Dense, steps: int) -> Dense:
        for step in range(steps):
            loss, grad = tfx.value_and_grad(lambda m: tfx.cross_entropy(m(x), y))(model)
            model = model - RATE * grad
            if step % 100 == 0 and log(step, loss):
                break
        return model

    def prepare():
        x, y, w, b = map(tfx.asarray, data())
        model = Dense(w, b)
        return lambda: train(x, y, model, STEPS)

    return prepare


def tensorflow_call():
    import tensorflow as tf

    def log(step, loss):
        return False

    sizes = [(None, 64), (None, 10), (None, None), (None,)]
    signature = [tf.TensorSpec(size, tf.float32) for size in sizes]

    @tf.function(input_signature=[*signature, tf.TensorSpec((), tf.int32)])
    def train(x, y, w, b, steps):
        for step in tf.range(steps):
            with tf.GradientTape() as tape:
                tape.watch((w, b))
                logits = tf.nn.relu(x @ w + b)
                losses = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits)
                loss = tf.reduce_mean(losses)
            dw, db = tape.gradient(loss, (w, b))
            w, b = w - RATE * dw, b - RATE * db
            if step % 100 == 0:
                if tf.py_function(log, (step, loss), tf.bool):
                    break
        return w, b

    def prepare():
        arguments = [*map(tf.constant, data()), tf.constant(STEPS)]
        return lambda: train(*arguments)[0].numpy()

    return prepare


def jax_call():
    import jax
    import jax.numpy as jnp
    from jax.experimental import io_callback

    def log(step, loss):
        return False

    def logged(step, loss):
        return io_callback(log, jax.ShapeDtypeStruct((), jnp.bool_), step, loss, ordered=True)

    @jax.jit
    def train(x, y, w, b, steps):
        def loss_of(model):
            logits = jax.nn.relu(x @ model[0] + model[1])
            return -jnp.mean(jnp.sum(y * jax.nn.log_softmax(logits), axis=1))

        def body(state):
            step, model, _ = state
            loss, grad = jax.value_and_grad(loss_of)(model)
            model = tuple(value - RATE * change for value, change in zip(model, grad))
            stop = jax.lax.cond(step % 100 == 0, logged, lambda *_: False, step, loss)
            return step + 1, model, stop

        start = (0, (w, b), False)
        return jax.lax.while_loop(lambda state: (state[0] < steps) & ~state[2], body, start)[1]

    def prepare():
        arguments = [*map(jnp.asarray, data()), STEPS]
        return lambda: train(*arguments)[0].block_until_ready()

    return prepare


SYSTEMS = {"tfx": tfx_call, "tensorflow": tensorflow_call, "jax": jax_call}


def timed(function):
    start = time.perf_counter()
    result = function()
    return 1e3 * (time.perf_counter() - start), result


def measured(system, cache):
    """Returns the times of a row each, in a process of its own."""
    environment = {**os.environ, "TFX_CACHE": cache, "PYTHONWARNINGS": "ignore", "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [sys.executable, __file__, system]
    child = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    return json.loads(child.stdout.splitlines()[-1])


def forget_programs(folder):
    """Leaves the files of objects in a cache, whose content follows a digest of 32 bytes."""
    for path in pathlib.Path(folder).glob("*/*"):
        if path.read_bytes()[32:33] == b"{":
            path.unlink()


def main():
    if len(sys.argv) == 2:
        import numpy  # noqa: F401, which is not a part of the import of a system

        imported, prepare = timed(SYSTEMS[sys.argv[1]])
        call = prepare()
        print(json.dumps([imported, timed(call)[0], timed(call)[0]]))
        return
    with tempfile.TemporaryDirectory() as folder:
        columns = {}
        for title, system, cache, forget in [
            ("tfx, no files", "tfx", "", False),
            ("tfx, files of code", "tfx", folder, True),
            ("tfx, files of programs", "tfx", folder, False),
            ("tensorflow", "tensorflow", "", False),
            ("jax", "jax", "", False),
        ]:
            if importlib.util.find_spec(system) is None:
                print(f"skipped: this Python has no {system}", file=sys.stderr)
                continue
            # The first process fills the caches of files.
            measured(system, cache)
            times = []
            for _ in range(PROCESSES):
                if forget:
                    forget_programs(folder)
                times.append(measured(system, cache))
            columns[title] = list(zip(*times))
    systems.print_table("milliseconds", ROWS, columns)


if __name__ == "__main__":
    main()
