"""Imports GraphDefs into TensorFlow as Python has it, and each of their functions with its shape inference.

Usage: import_graphdefs.py FILE.pb ...; prints `FILE: N functions` for each.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf
from tensorflow.python.framework import function_def_to_graph

for path in sys.argv[1:]:
    with open(path, "rb") as file:
        graph_def = tf.compat.v1.GraphDef.FromString(file.read())
    with tf.Graph().as_default():
        tf.import_graph_def(graph_def, name="")
        for function in graph_def.library.function:
            function_def_to_graph.function_def_to_graph(function)
    print(f"{os.path.basename(path)}: {len(graph_def.library.function)} functions")
