"""Keras models: exported as GraphDefs with their inputs and results, and timed in TensorFlow and JAX.

    models.py names                         prints the names of the models
    models.py export MODEL FOLDER           writes FOLDER/graph.pb, the arguments and the results, as arg-N.npy and
                                            result-N.npy, and prints the names of inputs and outputs as JSON
    models.py tensorflow|xla|jax MODEL FOLDER CALLS THREADS
                                            prints the seconds of each call and the largest difference from the results
                                            in FOLDER, as JSON

A model is a pure function of its input and its weights, which come from a formula. `MODEL-train` is a training loop: a
`While` of a few steps of gradient descent, which returns the loss and the trained weights.
"""

import json
import os
import pathlib
import sys
import time

COMMAND = sys.argv[1]
IS_PEER = COMMAND in ["tensorflow", "xla", "jax"]
THREADS = int(sys.argv[5]) if IS_PEER else 1
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TF_NUM_INTRAOP_THREADS"]:
    os.environ[name] = str(THREADS)
os.environ["TF_NUM_INTEROP_THREADS"] = "1"
if THREADS == 1:
    os.environ["XLA_FLAGS"] = ONE_THREAD
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
IS_JAX = COMMAND == "jax"
os.environ["KERAS_BACKEND"] = "jax" if IS_JAX else "tensorflow"
if IS_PEER:
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-THREADS:])

import keras
import numpy as np
from keras import layers

TRAIN = "-train"
RATE = 0.05
# The steps of a training loop.
STEPS = 3


def cnn():
    x = keras.Input((28, 28, 1), batch_size=32)
    y = layers.Conv2D(16, 3, activation="relu")(x)
    y = layers.MaxPooling2D()(y)
    y = layers.Conv2D(32, 3, padding="same", activation="relu")(y)
    y = layers.MaxPooling2D()(y)
    y = layers.Dense(10, activation="softmax")(layers.Flatten()(y))
    return keras.Model(x, y)


def mlp():
    x = keras.Input((64,), batch_size=128)
    y = layers.Dense(128, activation="relu")(x)
    y = layers.Dense(128, activation="gelu")(y)
    y = layers.Dense(10, activation="softmax")(y)
    return keras.Model(x, y)


def recurrent(layer):
    x = keras.Input((50, 32), batch_size=16)
    y = layer(64, return_sequences=True)(x)
    y = layer(64)(y)
    return keras.Model(x, layers.Dense(10)(y))


def transformer():
    x = keras.Input((64, 128), batch_size=4)
    y = x
    for _ in range(2):
        a = layers.MultiHeadAttention(num_heads=4, key_dim=32)(y, y)
        y = layers.LayerNormalization()(y + a)
        f = layers.Dense(128)(layers.Dense(512, activation="gelu")(y))
        y = layers.LayerNormalization()(y + f)
    return keras.Model(x, layers.GlobalAveragePooling1D()(y))


def autoencoder():
    x = keras.Input((32, 32, 3), batch_size=8)
    y = layers.Conv2D(16, 3, strides=2, padding="same", activation="relu")(x)
    y = layers.Conv2D(32, 3, strides=2, padding="same", activation="relu")(y)
    y = layers.Conv2DTranspose(16, 3, strides=2, padding="same", activation="relu")(y)
    y = layers.UpSampling2D()(y)
    y = layers.Conv2D(3, 3, padding="same", activation="sigmoid")(y)
    return keras.Model(x, y)


def normalized():
    x = keras.Input((16, 16, 8), batch_size=8)
    y = x
    for _ in range(2):
        z = layers.Conv2D(16, 3, padding="same", use_bias=False)(y)
        z = layers.BatchNormalization()(z)
        z = layers.ReLU()(z)
        z = layers.DepthwiseConv2D(3, padding="same")(z)
        y = layers.BatchNormalization()(z)
    return keras.Model(x, layers.Dense(10)(layers.GlobalAveragePooling2D()(y)))


def segmentation():
    x = keras.Input((64, 64, 3), batch_size=4)
    y = layers.Conv2D(16, 3, strides=2, padding="same", activation="silu")(x)
    y = layers.SeparableConv2D(32, 3, padding="same", activation="silu")(y)
    for rate in [2, 4]:
        z = layers.Conv2D(32, 3, dilation_rate=rate, padding="same", use_bias=False)(y)
        y = layers.Activation("silu")(y + layers.BatchNormalization()(z))
    y = layers.Conv2D(32, 3, groups=4, padding="same", activation="relu")(y)
    y = layers.UpSampling2D(2, interpolation="bilinear")(y)
    return keras.Model(x, layers.Conv2D(5, 1, activation="softmax")(y))


MODELS = {
    "mlp": mlp,
    "cnn": cnn,
    "lstm": lambda: recurrent(layers.LSTM),
    "gru": lambda: recurrent(layers.GRU),
    "transformer": transformer,
    "autoencoder": autoencoder,
    "batch-norm": normalized,
    "segmentation": segmentation,
    "mobilenet": lambda: keras.applications.MobileNetV2(weights=None, input_tensor=keras.Input((224, 224, 3), batch_size=1)),
    "resnet50": lambda: keras.applications.ResNet50(weights=None, input_tensor=keras.Input((224, 224, 3), batch_size=1)),
}
# Those with a training loop.
TRAINED = ["mlp", "cnn", "lstm", "gru", "transformer", "autoencoder", "batch-norm"]


def filled(shape, seed):
    """Numbers between -0.5 and 0.5 without a pattern that a compiler could use."""
    index = np.arange(int(np.prod(shape)), dtype=np.int64) + seed * 7919
    return (((index * 37 + 11) % 101) / 101.0 - 0.5).astype(np.float32).reshape(shape)


def initial(variable, seed):
    """Returns a weight whose layer has outputs of about the size of its inputs."""
    shape, name = tuple(variable.shape), variable.name
    if "variance" in name or "gamma" in name:
        return 1 + 0.2 * filled(shape, seed)
    if len(shape) < 2:
        return 0.1 * filled(shape, seed)
    fan_in = np.prod(shape[:-1]) if "depthwise" not in variable.path else np.prod(shape[:2])
    return (filled(shape, seed) * np.sqrt(12.0 / fan_in)).astype(np.float32)


def is_integer(variable):
    return "int" in str(variable.dtype)


class Task:
    """A model, or a training loop, as a pure function of arrays."""

    def __init__(self, name):
        self.is_training = name.endswith(TRAIN)
        self.model = MODELS[name.removesuffix(TRAIN)]()
        self.weights = [v for v in self.model.trainable_variables]
        self.others = [v for v in self.model.non_trainable_variables if not is_integer(v)]
        self.seeds = [v for v in self.model.non_trainable_variables if is_integer(v)]
        arrays = [initial(v, seed) for seed, v in enumerate(self.weights + self.others)]
        self.arguments = [filled(self.model.input_shape, 1001)]
        if self.is_training:
            self.arguments.append(0.5 + filled(self.model.output_shape, 1002))
        self.arguments += [np.asarray(a, np.float32) for a in arrays]

    def outputs(self, weights, others, x, training):
        values = dict(zip([id(v) for v in self.others], others))
        non_trainable = [values.get(id(v), v.value if IS_JAX else v) for v in self.model.non_trainable_variables]
        y, updated = self.model.stateless_call(weights, non_trainable, x, training=training)
        kept = [new for v, new in zip(self.model.non_trainable_variables, updated) if id(v) in values]
        return y, kept

    def loss(self, weights, others, x, y):
        result, others = self.outputs(weights, others, x, True)
        difference = result - y
        return keras.ops.mean(difference * difference), others

    def split(self, arguments):
        first = 2 if self.is_training else 1
        weights, others = arguments[first : first + len(self.weights)], arguments[first + len(self.weights) :]
        return arguments[:first], list(weights), list(others)

    def in_tensorflow(self, *arguments):
        import tensorflow as tf

        data, weights, others = self.split(arguments)
        if not self.is_training:
            return [tf.identity(self.outputs(weights, others, data[0], False)[0])]

        def step(i, _, weights, others):
            with tf.GradientTape() as tape:
                tape.watch(weights)
                loss, others = self.loss(weights, others, *data)
            gradients = tape.gradient(loss, weights)
            return i + 1, loss, [w - RATE * g for w, g in zip(weights, gradients)], list(others)

        start = (tf.constant(0), tf.constant(0.0), weights, others)
        _, loss, weights, others = tf.while_loop(lambda i, *_: i < STEPS, step, start)
        return [tf.identity(result) for result in [loss, *weights, *others]]

    def in_jax(self, *arguments):
        import jax

        data, weights, others = self.split(arguments)
        if not self.is_training:
            return [self.outputs(weights, others, data[0], False)[0]]

        def step(_, state):
            _, weights, others = state
            gradient = jax.value_and_grad(self.loss, has_aux=True)
            (loss, others), gradients = gradient(weights, others, *data)
            return loss, [w - RATE * g for w, g in zip(weights, gradients)], list(others)

        loss, weights, others = jax.lax.fori_loop(0, STEPS, step, (np.float32(0), weights, others))
        return [loss, *weights, *others]


def export(task, folder):
    import tensorflow as tf

    folder.mkdir(parents=True, exist_ok=True)
    specs = [tf.TensorSpec(a.shape, a.dtype, name=f"arg_{n}") for n, a in enumerate(task.arguments)]
    function = tf.function(task.in_tensorflow, autograph=False).get_concrete_function(*specs)
    names = {
        "inputs": [tensor.op.name for tensor in function.inputs],
        "outputs": [tensor.name.removesuffix(":0") for tensor in function.outputs],
    }
    # Without the values that Keras computes beside the results.
    definition = tf.compat.v1.graph_util.extract_sub_graph(function.graph.as_graph_def(), names["outputs"])
    (folder / "graph.pb").write_bytes(definition.SerializeToString())
    results = function(*[tf.constant(a) for a in task.arguments])
    nodes = {node.name for node in definition.node}
    used = [name in nodes for name in names["inputs"]]
    names["inputs"] = [name for name in names["inputs"] if name in nodes]
    for number, array in enumerate(array for array, is_used in zip(task.arguments, used) if is_used):
        np.save(folder / f"arg-{number}.npy", array)
    for number, result in enumerate(results):
        np.save(folder / f"result-{number}.npy", np.ascontiguousarray(result.numpy()))
    print(json.dumps(names))


def compiled(task, system):
    if system == "jax":
        import jax

        function = jax.jit(task.in_jax)
        arguments = [jax.numpy.asarray(a) for a in task.arguments]
        return lambda: [np.asarray(r) for r in function(*arguments)]
    import tensorflow as tf

    function = tf.function(task.in_tensorflow, autograph=False, jit_compile=system == "xla")
    arguments = [tf.constant(a) for a in task.arguments]
    return lambda: [r.numpy() for r in function(*arguments)]


def measure(task, system, folder, calls):
    call = compiled(task, system)
    results = call()
    expected = [np.load(folder / f"result-{n}.npy") for n in range(len(results))]
    difference = max(float(np.max(np.abs(a - b) / np.maximum(np.max(np.abs(b)), 1e-6))) for a, b in zip(results, expected))
    seconds = []
    for _ in range(calls):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds": seconds, "difference": difference}))


def main():
    if COMMAND == "names":
        print(json.dumps([*MODELS, *[name + TRAIN for name in TRAINED]]))
        return
    task, folder = Task(sys.argv[2]), pathlib.Path(sys.argv[3])
    if COMMAND == "export":
        export(task, folder)
    else:
        measure(task, COMMAND, folder, int(sys.argv[4]))


main()
