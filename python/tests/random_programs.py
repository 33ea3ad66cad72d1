"""Random typed programs: CPython with eager tensors, and compiled.

    python random_programs.py --seed 1 --count 10000 [--executor native] [--folder mismatches]
    python random_programs.py --seed 7 --show          prints the program of a seed
    python random_programs.py --check FILE             checks a program of a file

A program calls `main` with some arguments, in CPython (`tfx.eager()`) and compiled. Equal must be:
the printed text and the calls of host functions with their arguments, in one order; the bits of the
result; the class and the line of an exception, and its message if the program raises it.

* CPython checks each integer for 64 bits (rule E1 of docs/python.md): the syntax tree is changed
  for this.
* If a tensor operation fails in CPython, its effects are a prefix of those of the compiled program
  (rule E2), whose outcome is any exception. On TensorFlow, which runs operations in any order, one
  of the two is a prefix of the other.
* CPython computes gradients on dual numbers, one direction after another.
* Tensors of floats hold small whole numbers where they are added, so that no sum is rounded, and
  the bits do not depend on the order of additions. The second part of each result holds functions
  for which docs/kernels.md has bounds (`exp`, `tanh`, means, quotients that are added): these agree
  to 1e-5. All NaN are equal.

A program that the compiler refuses must have a `tfx.CompileError` at one of its lines, with advice.
Programs run in another process, in which a crash or 30 seconds without an end are a mismatch.
"""

import argparse
import ast
import collections
import dataclasses
import json
import linecache
import math
import os
import pathlib
import random
import re
import select
import subprocess
import sys
import tempfile
import time
import traceback
import types
import warnings

EXECUTORS = ("native", "embedded", "tensorflow")
# Seconds for one program.
LIMIT = 30
# TensorFlow lowers some graphs for a minute.
LIMIT_TENSORFLOW = 240
# In the processes that run programs. TensorFlow runs operations in any order, and its optimizer
# changes the signs of zeros.
IS_TENSORFLOW = os.environ.get("TFX_EXECUTOR") == "tensorflow"
# Executed lines of a program in CPython, after which it is not checked.
FUEL = 8000
# Programs of a process, before the next process starts.
PROGRAMS = 400

# Functions of a vector `x` for which there are bounds.
INEXACT = [
    "()", "()", "(tfx.exp($x), $x.mean())", "(tfx.tanh($x * 0.3),)", "(tfx.sigmoid($x), ($x / 3.0).sum())",
    "(tfx.sqrt(abs($x)).sum(),)", "(tfx.softmax($x[None, :] + 0.5),)",
]
INT, FLOAT, BOOL, STR = ("int",), ("float",), ("bool",), ("str",)
SCALARS = (INT, FLOAT, BOOL)
F32, F64, I32, I64 = "f32", "f64", "i32", "i64"


def tensor(dtype, *shape):
    return ("tensor", dtype, shape)


V = tensor(F32, "n")
FLOATS = (F32, F64)


class Function:
    """A function while its body is generated: the variables, and the place."""

    def __init__(self, result, variables=(), outer=None, depth=0):
        self.result = result
        self.variables = dict(outer.variables if outer else ())
        self.variables.update(variables)
        self.own = set(dict(variables))
        self.loops = []
        self.depth = depth
        self.unbound = {}


class Generator:
    """Makes the text of a program from a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.indent = 0
        self.names = 0
        self.functions = []
        self.structs = []
        self.globals = {}
        # The weights of features differ from seed to seed.
        self.mix = collections.defaultdict(lambda: 1)
        for name in "host big unbound raise gradient tensor float struct closure loop print fails retype f64 static text".split():
            self.mix[name] = self.random.choice([0, 1, 1, 3])
        self.mix["big"] = self.random.random() < 0.1
        self.mix["fails"] = self.random.random() < 0.05
        self.mix["static"] = self.random.choice([0, 0, 1])
        self.mix["size"] = self.random.choice([1, 2, 4, 8])
        self.fraction = False

    # ---- Choices --------------------------------------------------------------------------------

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, *choices):
        """Calls one of some functions, by weight."""
        choices = [of for of in choices if of[0] > 0]
        total = self.random.random() * sum(weight for weight, _ in choices)
        for weight, make in choices:
            total -= weight
            if total <= 0:
                break
        return make()

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def line(self, text):
        self.lines.append("    " * self.indent + text)

    def of_type(self, function, wanted):
        return [name for name, of in function.variables.items() if of == wanted]

    # ---- Expressions ----------------------------------------------------------------------------

    def expression(self, f, wanted, depth=2):
        kind = wanted[0]
        if kind == "tuple":
            known = self.of_type(f, wanted)
            if known and self.chance(0.4):
                return self.random.choice(known)
            parts = [self.expression(f, of, depth - 1) for of in wanted[1]]
            return f"({', '.join(parts)},)"
        if kind == "struct":
            return self.struct(f, wanted, depth)
        if kind == "tensor":
            return self.tensor(f, wanted, depth)
        if kind == "str":
            return self.string(f, depth)
        if depth <= 0 or self.chance(0.15):
            return self.leaf(f, wanted)
        return {"int": self.int, "float": self.float, "bool": self.bool}[kind](f, depth)

    def leaf(self, f, wanted):
        known = self.of_type(f, wanted)
        if known and self.chance(0.75):
            return self.random.choice(known)
        parts = [
            (name, index) for name, of in f.variables.items() if of[0] == "tuple"
            for index, part in enumerate(of[1]) if part == wanted
        ]
        if parts and self.chance(0.3):
            name, index = self.random.choice(parts)
            return f"{name}[{index}]"
        fields = [
            (name, field) for name, of in f.variables.items() if of[0] == "struct"
            for field, part in self.struct_of(of)["fields"] if part == wanted
        ]
        if fields and self.chance(0.4):
            return ".".join(self.random.choice(fields))
        if wanted in self.globals.values() and self.chance(0.2):
            return self.random.choice([name for name, of in self.globals.items() if of == wanted])
        if wanted == INT:
            if self.mix["big"] and self.chance(0.2):
                return self.random.choice(["2**62", "9223372036854775807", "(-2**63)", "3037000500", "10**18"])
            return str(self.random.randint(-9, 20)) if self.chance(0.7) else str(self.random.randint(0, 3))
        if wanted == FLOAT:
            return repr(self.random.choice([0.0, 1.0, 0.5, -1.5, 2.0, 3.25, -0.0, 0.1, 1e3, 7.0]))
        return self.random.choice(["True", "False"])

    def call_of(self, f, wanted, depth):
        """A call of a function, a method or a closure of the program with this result; or a leaf."""
        candidates = [of for of in self.functions if of["result"] == wanted]
        for name, of in f.variables.items():
            if of[0] == "function" and of[2] == wanted:
                candidates.append({"name": name, "parameters": [(None, part, None) for part in of[1]], "result": wanted})
            if of[0] == "struct":
                for method in self.struct_of(of)["methods"]:
                    if method["result"] == wanted:
                        candidates.append({**method, "name": f"{name}{method['dot']}"})
        if not candidates or depth <= 0:
            return self.leaf(f, wanted) if wanted in SCALARS else None
        return self.call(f, self.random.choice(candidates), depth)

    def call(self, f, function, depth):
        arguments, keywords = [], []
        is_keyword = False
        for name, of, default in function["parameters"]:
            if default is not None and self.chance(0.5):
                is_keyword = True
                continue
            text = self.expression(f, of, depth - 1)
            if function.get("bounded") == name:
                text = f"({text}) % 4"
            is_keyword = is_keyword or name is not None and self.chance(0.2)
            if is_keyword:
                keywords.append(f"{name}={text}")
            else:
                arguments.append(text)
        self.random.shuffle(keywords)
        return f"{function['name']}({', '.join(arguments + keywords)})"

    def int(self, f, depth):
        e = lambda of=INT, d=depth - 1: self.expression(f, of, d)
        r = self.random
        modulus = lambda: str(r.randint(2, 30)) if self.chance(0.9) else e()

        def of_tensor():
            vectors = self.vectors(f)
            if not vectors:
                return e()
            x = r.choice(vectors)
            dtype, shape = f.variables[x][1:]
            if not shape:
                return r.choice([f"int({x})", f"{x}.ndim"])
            choices = [f"len({x})", f"{x}.shape[{len(shape) - 1}]", f"int({x}.sum())"]
            if shape == ("a",):
                return r.choice(choices)
            choices.append(f"int({x}.argmax())")
            if dtype in (I32, I64):
                choices += [f"{x}.max().item()", f"int(({x} * {r.randint(-3, 3)}).sum())"]
            if len(shape) == 1:
                choices.append(f"int({x}[{self.index(f, shape[0], depth)}])")
            return r.choice(choices)

        return self.pick(
            (4, lambda: f"({e()} {r.choice('+-*')} {e()})"),
            (1, lambda: f"({e()} {r.choice(['//', '%'])} {modulus()})"),
            (0.4, lambda: f"({e()} {r.choice('&|^')} {e()})"),
            (0.2, lambda: f"(({e()}) % 64 {r.choice(['<<', '>>'])} {r.randint(0, 5)})"),
            (0.4, lambda: f"(-{e()})"),
            (0.2, lambda: f"(~{e()})"),
            (0.4, lambda: f"abs({e()})"),
            (0.6, lambda: f"{r.choice(['min', 'max'])}({e()}, {e()})"),
            (0.8, lambda: f"({e()} if {self.condition(f, depth - 1)} else {e()})"),
            (2 * min(self.mix["tensor"], 1), of_tensor),
            (0.3, lambda: f"int({e(FLOAT)} % 50.0)"),
            (0.2, lambda: f"round({e(FLOAT)} % 50.0)"),
            (0.2, lambda: f"math.{r.choice(['floor', 'ceil'])}({e(FLOAT)} % 50.0)"),
            (0.2, lambda: f"int({e(BOOL)})"),
            (0.3, lambda: f"divmod({e()}, {modulus()})[{r.randint(0, 1)}]"),
            (0.2, lambda: f"({e(INT, 0)} ** {r.choice(['2', '3', '0', f'(abs({e()}) % 4)'])})"),
            (0.2 * self.mix["text"], lambda: f"len({e(STR)})"),
            (0.2, lambda: f"({e()} {r.choice(['and', 'or'])} {e()})"),
            (0.2, lambda: f"max({e()}, {e()}, {e()})"),
            (0.2, lambda: f"({e()}, {e()}, {e()})[{r.choice(['0', '-1', f'({e()}) % 3'])}]"),
            (0.3, lambda: self.walrus(f, INT, depth)),
            (0.3, lambda: self.in_lambda(f, INT, depth)),
            (0.3, lambda: f"sum(({e()}, {e()}, {e()}))"),
            (0.4, lambda: self.comprehension(f, INT, depth)),
            (self.mix["host"], lambda: f"ask({e()})"),
            (2, lambda: self.call_of(f, INT, depth)),
        )

    def string(self, f, depth):
        known = self.of_type(f, STR)
        e = lambda: self.expression(f, STR, depth - 1)
        return self.pick(
            (3 * bool(known), lambda: self.random.choice(known)),
            (1, lambda: self.random.choice(["'a'", "'b c'", "''"])),
            (1, lambda: self.text(f)),
            (0.7, lambda: f"str({self.leaf(f, self.random.choice(SCALARS))})"),
            (1 * (depth > 0), lambda: f"({e()} + {e()})"),
            (0.5 * (depth > 0), lambda: f"({e()} if {self.condition(f, depth - 1)} else {e()})"),
        )

    def comprehension(self, f, wanted, depth):
        i = self.name("i")
        inner = Function(None, {i: INT}, f)
        inner.variables = {**f.variables, i: INT}
        part = self.expression(inner, wanted, depth - 1)
        if ":=" in part:
            return self.leaf(f, wanted)
        source = self.random.choice(["range(3)", "(1, 2, 5)", "reversed((1, 4))", "range(4, 0, -2)", f"({self.leaf(f, INT)}, 3)"])
        parts = f"[{part} for {i} in {source}]"
        if wanted == INT and self.chance(0.5):
            return f"{self.random.choice(['sum', 'max', 'min'])}({parts})"
        if wanted == BOOL:
            return f"{self.random.choice(['any', 'all'])}({parts})"
        return f"{parts}[{self.random.choice(['0', '1', '-1'])}]"

    def walrus(self, f, wanted, depth):
        if not f.own or f.depth < 0:
            return self.leaf(f, wanted)
        known = [name for name in self.of_type(f, wanted) if name in f.own and name[0] == "v"]
        if not known:
            return self.leaf(f, wanted)
        return f"({self.random.choice(known)} := {self.normal(wanted, self.expression(f, wanted, depth - 1))})"

    def in_lambda(self, f, wanted, depth):
        q = self.name("q")
        inner = Function(None, {q: INT}, f)
        inner.depth = -1
        body = self.expression(inner, wanted, depth - 1)
        if ":=" in body:
            return self.leaf(f, wanted)
        argument = self.expression(f, INT, depth - 1)
        return f"(lambda {q}: {body})({argument})"

    def float(self, f, depth):
        e = lambda of=FLOAT, d=depth - 1: self.expression(f, of, d)
        r = self.random

        def of_tensor():
            vectors = [x for x in self.vectors(f) if f.variables[x][1] in FLOATS]
            if not vectors:
                return e()
            x = r.choice(vectors)
            shape = f.variables[x][2]
            if not shape:
                return r.choice([f"float({x})", f"{x}.item()"])
            choices = [f"float({x}.sum())", f"{x}.max().item()"]
            if len(shape) == 1 and shape != ("a",):
                choices.append(f"float({x}[{self.index(f, shape[0], depth)}])")
            return r.choice(choices)

        return self.pick(
            (4, lambda: f"({e()} {r.choice('+-*')} {e()})"),
            (1, lambda: f"({e()} {r.choice(['//', '%', '/'])} {r.choice(['2.0', '0.3', '-7.0', '3', e()])})"),
            (1, lambda: f"({e()} {r.choice('+-*')} {e(INT)})"),
            (0.5, lambda: f"(({e(INT)}) % 1000 / {r.choice(['4', '3', e(INT)])})"),
            (0.3, lambda: f"(-{e()})"),
            (0.3, lambda: f"abs({e()})"),
            (0.4, lambda: f"{r.choice(['min', 'max'])}({e()}, {e()})"),
            (0.8, lambda: f"({e()} if {self.condition(f, depth - 1)} else {e()})"),
            (0.4, lambda: f"float({e(INT)})"),
            (0.3, lambda: f"math.sqrt(abs({e()}))"),
            (0.3, lambda: f"math.{r.choice(['sin', 'cos', 'tanh', 'atan'])}({e()} % 9.0)"),
            (0.2, lambda: f"round({e()}, {r.randint(0, 3)})"),
            (0.2, lambda: f"({e()} ** 2)"),
            (2 * min(self.mix["tensor"], 1), of_tensor),
            (0.3, lambda: self.walrus(f, FLOAT, depth)),
            (0.3, lambda: self.in_lambda(f, FLOAT, depth)),
            (0.2, lambda: self.comprehension(f, FLOAT, depth)),
            (self.mix["host"] * 0.5, lambda: f"measure({e()}, {e(INT)})"),
            (2, lambda: self.call_of(f, FLOAT, depth)),
        )

    def bool(self, f, depth):
        e = lambda of=INT, d=depth - 1: self.expression(f, of, d)
        r = self.random
        op = lambda: r.choice(["<", "<=", ">", ">=", "==", "!="])
        number = lambda: r.choice([INT, INT, FLOAT])
        return self.pick(
            (3, lambda: f"({e(number())} {op()} {e(number())})"),
            (1, lambda: f"({e()} {op()} {e()} {op()} {e()})"),
            (1, lambda: f"({e(BOOL)} {r.choice(['and', 'or'])} {e(BOOL)})"),
            (0.7, lambda: f"(not {e(BOOL)})"),
            (0.5, lambda: f"bool({self.condition(f, depth - 1)})"),
            (0.3, lambda: f"({e()} % 2 == {r.randint(0, 1)})"),
            (0.2, lambda: self.comprehension(f, BOOL, depth)),
            (0.4 * self.mix["text"], lambda: f"({e(STR)} {op()} {e(STR)})"),
            (0.2, lambda: f"({e()} {r.choice(['in', 'not in'])} ({e()}, 3, {e()}))"),
            (0.2, lambda: f"(({e()}, {e(BOOL)}) == ({e()}, {e(BOOL)}))"),
            (0.3, lambda: self.in_lambda(f, BOOL, depth)),
            (self.mix["host"], lambda: f"decide({e()}, {e(FLOAT)})"),
            (1, lambda: self.call_of(f, BOOL, depth)),
        )

    def condition(self, f, depth):
        """Something whose truth is asked: also numbers, and tensors of rank 0."""
        r = self.random
        tensors = self.vectors(f)

        def of_tensor():
            x = r.choice(tensors)
            dtype, shape = f.variables[x][1:]
            limit = self.expression(f, INT, depth - 1) if self.chance(0.5) else str(r.randint(-9, 9))
            part = x if not shape else r.choice([f"{x}.sum()", f"{x}.max()", f"{x}.min()"])
            text = f"{part} {r.choice(['<', '>', '<=', '!='])} {limit}"
            if shape and self.chance(0.2):
                text = f"tfx.{r.choice(['any', 'all'])}({x} > {limit})"
            elif self.chance(0.15):
                text = f"{limit} {r.choice(['<', '<='])} {part} {r.choice(['<', '!='])} {r.randint(5, 50)}"
            if self.chance(0.15):
                return f"not ({text})"
            return text

        return self.pick(
            (4, lambda: self.expression(f, BOOL, max(depth, 1))),
            (3 * min(self.mix["tensor"], 1) * bool(tensors), of_tensor),
            (0.3, lambda: self.expression(f, INT, depth)),
            (0.2, lambda: self.expression(f, FLOAT, depth)),
            (self.mix["host"], lambda: f"decide({self.expression(f, INT, depth - 1)}, {self.expression(f, FLOAT, depth - 1)})"),
        )

    def truth(self, f, depth):
        """A condition as an operand of `and` or `or`, whose operands have one type."""
        text = self.condition(f, depth)
        return f"({text})" if self.chance(0.02) else f"bool({text})"

    # ---- Tensors --------------------------------------------------------------------------------

    def vectors(self, f):
        return [name for name, of in f.variables.items() if of[0] == "tensor" and of[1] != "bool"]

    def index(self, f, dimension, depth):
        """An index that a size has (2 or more); with the weight of failures, any."""
        if self.mix["fails"] and self.chance(0.2):
            return self.expression(f, INT, depth - 1)
        if self.chance(0.5):
            return self.random.choice(["0", "-1", "1"])
        vectors = self.of_type(f, V) if dimension == "n" else []
        if vectors and self.chance(0.1):
            return f"{self.random.choice(vectors)}.argmax()"
        return f"({self.expression(f, INT, depth - 1)}) % 2"

    def tensor(self, f, wanted, depth):
        _, dtype, shape = wanted
        r = self.random
        known = self.of_type(f, wanted)
        if known and (depth <= 0 or self.chance(0.2)):
            return r.choice(known)
        fields = [
            f"{name}.{field}" for name, of in f.variables.items() if of[0] == "struct"
            for field, part in self.struct_of(of)["fields"] if part == wanted
        ]
        fields += [
            f"{name}[{index}]" for name, of in f.variables.items() if of[0] == "tuple"
            for index, part in enumerate(of[1]) if part == wanted
        ]
        fields += [name for name, of in self.globals.items() if of == wanted]
        if fields and self.chance(0.3):
            return r.choice(fields)
        if depth <= 0:
            return self.made(f, wanted)
        e = lambda of=wanted, d=depth - 1: self.expression(f, of, d)
        if shape == ("a",):
            return self.any_size(f, wanted, depth, known)
        if dtype == "bool":
            number = tensor(r.choice([F32, I32]), *shape)
            return self.pick(
                (3, lambda: f"({e(number)} {r.choice(['<', '>', '==', '!=', '<='])} {e(number)})"),
                (1, lambda: f"({e()} {r.choice('&|^')} {e()})"),
                (1, lambda: f"(~{e()})"),
            )
        is_float = dtype in FLOATS
        scalar = lambda: self.scalar_for(f, dtype, depth)
        bools = tensor("bool", *shape)
        choices = [
            (4, lambda: f"({e()} {r.choice('+-*')} {e()})"),
            (2, lambda: f"({e()} {r.choice('+-*')} {scalar()})"),
            (0.7, lambda: f"({scalar()} {r.choice('+-*')} {e()})"),
            (0.5, lambda: f"(-{e()})"),
            (0.5, lambda: f"abs({e()})"),
            (0.7, lambda: f"tfx.{r.choice(['maximum', 'minimum'])}({e()}, {r.choice([e(), str(r.randint(-4, 4))])})"),
            (1, lambda: f"tfx.where({e(bools)}, {e()}, {r.choice([e(), str(r.randint(-4, 4))])})"),
            (0.5, lambda: f"({e()} {r.choice(['%', '//'])} {r.randint(2, 9)})"),
            (0.7, lambda: f"({e()} if {self.condition(f, depth - 1)} else {e()})"),
            (0.4, lambda: f"{e(tensor(r.choice([F32, I32]), *shape))}.astype(tfx.{dtype})"),
            (0.3 * (dtype in (F64, I64)), lambda: f"({e()} {r.choice('+-*')} {e(tensor(F32 if dtype == F64 else I32, *shape))})"),
            (0.3, lambda: f"tfx.sign({e()})"),
            (0.3, lambda: f"tfx.square({e()})"),
            (0.3, lambda: f"tfx.clip({e()}, {r.randint(-9, 0)}, {r.randint(1, 9)})"),
            (0.2, lambda: f"round({e()})"),
            (0.3, lambda: self.in_lambda(f, wanted, depth)),
            (1, lambda: self.call_of(f, wanted, depth) or e()),
            (0.3, lambda: self.made(f, wanted)),
        ]
        if is_float:
            def halves():
                text = f"({e()} {r.choice(['* 0.5', '/ 2.0', '/ 4', '* 0.25'])})"
                self.fraction = True
                return text

            choices += [(0.5, halves), (0.4, lambda: f"tfx.relu({e()})"), (0.3, lambda: f"tfx.floor({e()})")]
            choices.append((0.2, lambda: f"tfx.trunc({e()})"))
        else:
            choices.append((0.4, lambda: f"({e()} {r.choice('&|^')} {e()})"))
        if len(shape) == 0:
            whole = tensor(dtype, *r.choice([("n",), ("k",), ("k", "n")]))
            reduced = lambda: f"{self.summed(f, whole, depth)}.{r.choice(['sum', 'sum', 'max', 'min'])}().astype(tfx.{dtype})"
            choices += [(4, reduced), (1, lambda: f"{e(tensor(dtype, 'n'))}[{self.index(f, 'n', depth)}]")]
            choices.append((0.4, lambda: f"tfx.count_nonzero({e(tensor('bool', 'n'))}).astype(tfx.{dtype})"))
        if len(shape) == 1:
            n = shape[0]
            x = lambda: e(wanted, max(depth - 1, 0))
            named = r.choice(known) if known else None
            choices += [
                (1, lambda: f"{x()}.at[{self.index(f, n, depth)}].{r.choice(['set', 'add'])}({scalar()})"),
                (0.5, lambda: f"{x()}[::-1]"),
                (0.3, lambda: f"tfx.roll({x()}, {self.expression(f, INT, depth - 1)})"),
                (0.3, lambda: f"tfx.cumulative_sum({self.summed(f, wanted, depth)}).astype(tfx.{dtype})"),
                (0.5, lambda: f"({e()} + {e(tensor(dtype))})"),
                (0.3, lambda: f"tfx.stack(({x()}, {x()}))[{r.randint(0, 1)}]"),
                (0.3, lambda: f"tfx.stack(({x()}, {x()})).sum(axis=0).astype(tfx.{dtype})" if not self.fraction else x()),
            ]
            if named:
                cut = f"{self.leaf(f, INT)} % 3" if self.chance(0.5) else str(r.randint(0, 3))
                choices += [
                    (0.7, lambda: f"tfx.concat(({named}[{cut}:], {named}[:{cut}]))"),
                    (0.4, lambda: f"({named} + {named}[{self.leaf(f, INT)} % 4:{self.leaf(f, INT)} % 5].sum().astype(tfx.{dtype}))"),
                    (0.3, lambda: f"{named}[tfx.arange(len({named}))]"),
                    (0.5 * self.mix["fails"], lambda: f"{named}.reshape({self.leaf(f, INT)})"),
                    (0.4, lambda: f"({named}[:, None] * {named}).max(axis={r.randint(0, 1)})"),
                    (0.4, lambda: f"{named}.reshape({r.choice(['-1', f'{named}.shape[0]', 'len(' + named + ')'])})"),
                ]
            if n == "n":
                axis = lambda: f"{self.summed(f, tensor(dtype, 'k', 'n'), depth)}.{r.choice(['sum', 'max'])}(axis=0).astype(tfx.{dtype})"
                choices += [(0.7, axis), (0.5, lambda: f"{e(tensor(dtype, 'k', 'n'))}[{self.index(f, 'k', depth)}]")]
                if dtype == F32:
                    choices.append((self.mix["host"] * 0.4, lambda: f"scaled({e()}, {self.expression(f, INT, depth - 1)})"))
            else:
                choices.append((0.7, lambda: f"{self.summed(f, tensor(dtype, 'k', 'n'), depth)}.sum(axis=-1).astype(tfx.{dtype})"))
                if is_float:
                    choices.append((0.7, lambda: f"({self.summed(f, tensor(dtype, 'k', 'n'), depth)} @ {self.summed(f, tensor(dtype, 'n'), depth)})"))
        if len(shape) == 2:
            vector = tensor(dtype, "n")
            choices += [
                (1, lambda: f"({e()} + {e(vector)})"),
                (0.5, lambda: f"{e()}.T.T"),
                (0.4, lambda: f"{e()}[:, ::-1]"),
                (0.3, lambda: f"tfx.{r.choice(['tril', 'triu'])}({e()}, k={r.randint(-1, 1)})"),
                (0.3, lambda: f"tfx.roll({e()}, {r.randint(-2, 2)}, axis={r.randint(-2, 1)})"),
                (0.3, lambda: f"tfx.flip({e()}, axis={r.randint(0, 1)})"),
                (0.4, lambda: f"{e()}.at[{self.index(f, 'k', depth)}, {self.index(f, 'n', depth)}].set({scalar()})"),
                (0.4, lambda: f"tfx.stack(({', '.join([e(vector)] * 3)},))"),
            ]
            if is_float:
                a = lambda: self.summed(f, wanted, depth)
                choices.append((0.7, lambda: f"(({a()} @ {a()}.T) @ {a()})"))
        return self.pick(*choices)

    def any_size(self, f, wanted, depth, known):
        """A vector whose size differs from path to path and from iteration to iteration."""
        r = self.random
        e = lambda of=wanted: self.expression(f, of, depth - 1)
        x = lambda: r.choice(known) if known else f"({e()})"
        return self.pick(
            (2, lambda: f"{x()}[{r.choice(['1:', ':-1', '::2', '::-1', ':3', '-2:', '::-2'])}]"),
            (1, lambda: f"{x()}[{self.leaf(f, INT)} % 3:{self.leaf(f, INT)} % 6]"),
            (2, lambda: f"tfx.concat(({e()}, {e()}))[:20]"),
            (0.7 * bool(known), lambda: (lambda of: f"{of}[{of} > {r.randint(-2, 4)}]")(x())),
            (0.4, lambda: f"tfx.repeat({e()}, {r.randint(1, 3)})[:20]"),
            (0.3, lambda: f"tfx.roll({e()}, {r.randint(-3, 3)})"),
            (1, lambda: e(V)),
            (1, lambda: f"({e()} {r.choice('+-*')} {self.scalar_for(f, wanted[1], depth)})"),
            (1, lambda: f"({e()} if {self.condition(f, depth - 1)} else {e()})"),
            (0.5 * bool(known), lambda: (lambda of: f"tfx.where({of} > 1, {of} * 2, 0)")(x())),
            (0.5 * bool(known), lambda: (lambda of: f"({of} + {of}[::-1])")(x())),
            (0.5, lambda: f"tfx.stack(({e(V)}, {e(V)})).reshape(-1)"),
            (1, lambda: self.call_of(f, wanted, depth) or e()),
            (0.5, lambda: self.made(f, wanted)),
        )

    def summed(self, f, wanted, depth):
        """An operand that is added: its floats are small whole numbers."""
        before, self.fraction = self.fraction, False
        text = self.expression(f, wanted, depth - 1)
        if wanted[1] in FLOATS:
            text = f"(tfx.floor({text}) % 8.0)" if self.fraction else f"({text} % 8.0)"
        self.fraction = before
        return text

    def scalar_for(self, f, dtype, depth):
        if dtype in FLOATS and self.chance(0.3):
            self.fraction = True
            return self.expression(f, FLOAT, depth - 1)
        if self.mix["fails"] and self.chance(0.1):
            return f"(2**31 + {self.leaf(f, INT)})"
        if self.chance(0.5):
            return str(self.random.randint(-5, 9))
        return f"({self.expression(f, INT, depth - 1)}) % 20"

    def made(self, f, wanted):
        """A tensor that is made of nothing."""
        _, dtype, shape = wanted
        r = self.random
        if dtype == "bool":
            return f"({self.made(f, tensor(I32, *shape))} > {r.randint(-3, 3)})"
        if not shape:
            return f"tfx.{dtype}({r.randint(-5, 9)})" if self.chance(0.5) else f"tfx.asarray({self.leaf(f, INT)} % 9, dtype=tfx.{dtype})"
        like = [name for name, of in f.variables.items() if of[0] == "tensor" and of[2] == shape and of[1] == dtype]
        if like and self.chance(0.5):
            x = r.choice(like)
            return r.choice([f"tfx.zeros_like({x})", f"tfx.ones_like({x})", f"tfx.full_like({x}, {r.randint(-5, 5)})"])
        sizes = {"n": self.size_n(f), "k": "3", "a": str(r.randint(0, 3))}
        if len(shape) == 1 and self.chance(0.4):
            return f"tfx.arange({sizes[shape[0]]}, dtype=tfx.{dtype})"
        text = ", ".join(sizes[of] for of in shape)
        fill = r.choice([f"tfx.zeros(({text},)", f"tfx.ones(({text},)", f"tfx.full(({text},), {r.randint(-5, 9)}"])
        return f"{fill}, dtype=tfx.{dtype})"

    def size_n(self, f):
        for name, of in f.variables.items():
            if of[0] == "tensor" and "n" in of[2]:
                return f"{name}.shape[{len(of[2]) - 1}]"
        return "N"

    def normal(self, wanted, text):
        """A value that a variable may keep: numbers do not grow from iteration to iteration."""
        if wanted == INT and not (self.mix["big"] and self.chance(0.7)) and self.chance(0.85) and len(text) > 4:
            return f"({text}) % {self.random.choice([7, 50, 97])}" + self.random.choice(["", " - 3"])
        if wanted == FLOAT and self.chance(0.4) and len(text) > 6:
            return f"({text}) % 16.0"
        if wanted == STR:
            # Strings do not grow from iteration to iteration.
            return text if len(self.lines) and not re.search(r"v\d+", text) else f"({text} if len({text}) < 40 else 'long')"
        if wanted[0] == "tensor" and wanted[1] in FLOATS:
            return f"tfx.floor({text}) % 8.0" if self.fraction else f"({text}) % 8.0"
        if wanted[0] == "tensor" and wanted[1] in (I32, I64):
            return f"({text}) % 40"
        return text

    def value(self, f, wanted, depth=2):
        """An expression that a variable may keep."""
        if wanted[0] == "results":
            return f"({self.value(f, wanted[1])}, {self.inexact})"
        if wanted[0] == "tuple":
            return f"({', '.join(self.value(f, of, depth - 1) for of in wanted[1])},)"
        self.fraction = False
        text = self.expression(f, wanted, depth)
        return self.normal(wanted, text)

    # ---- Structs --------------------------------------------------------------------------------

    def struct_of(self, of):
        return next(s for s in self.structs if s["name"] == of[1])

    def struct(self, f, wanted, depth):
        known = self.of_type(f, wanted)
        of = self.struct_of(wanted)
        build = lambda: f"{of['name']}({', '.join(self.value(f, part, depth - 1) for _, part in of['fields'])})"
        if not known or depth < -2:
            return build()
        x = self.random.choice(known)
        field, part = self.random.choice(of["fields"])
        return self.pick(
            (1, lambda: x),
            (1, build),
            (1, lambda: f"{x}.replace({field}={self.value(f, part, depth - 1)})"),
            (1, lambda: self.call_of(f, wanted, depth) or x),
            (0.6, lambda: f"({x} if {self.condition(f, depth - 1)} else {self.random.choice(known)})"),
            (0.5 * of["is_linear"], lambda: f"({x} {self.random.choice('+-')} {self.random.choice(known)})"),
            (0.3 * of["is_linear"], lambda: f"({x} * {self.random.choice(['-1.0', '0.5', '2.0'])})"),
        )

    def define_struct(self):
        name = self.name("S")
        is_linear = self.chance(0.5)
        types_ = [FLOAT, V, tensor(F32)] if is_linear else [INT, FLOAT, BOOL, V, tensor(I32, "n"), ("tuple", (INT, FLOAT))]
        if self.structs and self.chance(0.4) and not is_linear:
            types_ += [("struct", self.structs[0]["name"])] * 2
        fields = [(self.name("a"), self.random.choice(types_)) for _ in range(self.random.randint(1, 3))]
        made = {"name": name, "fields": fields, "methods": [], "is_linear": is_linear}
        self.line("@tfx.struct")
        self.line(f"class {name}:")
        self.indent += 1
        for field, of in fields:
            self.line(f"{field}: {self.annotation(of)}")
        methods = []
        self.structs.append(made)
        for _ in range(self.random.randint(1, 3)):
            result = self.random.choice([INT, FLOAT, V, BOOL, ("struct", name)])
            is_call = self.chance(0.2) and not any(of["dot"] == "" for of in methods)
            method = "__call__" if is_call else self.name("m")
            self.line("")
            parameters = [(self.name("p"), self.random.choice([INT, FLOAT, V]), None) for _ in range(self.random.randint(0, 2))]
            self.body_of(method, parameters, result, first=("self", ("struct", name)), size=2)
            methods.append({"name": method, "dot": "" if is_call else f".{method}", "parameters": parameters, "result": result})
            made["methods"] = list(methods)
        self.indent -= 1
        self.line("")
        self.line("")

    def annotation(self, of):
        if of[0] == "tensor":
            sizes = "".join(f", {'None' if self.mix['static'] == 0 or s == 'a' or s == 'n' and self.chance(0.5) else self.sizes[s]}" for s in of[2])
            return f"Tensor[tfx.{'bool_' if of[1] == 'bool' else of[1]}{sizes}]" if sizes else f"Tensor[tfx.{of[1]}]"
        if of[0] == "tuple":
            return f"tuple[{', '.join(self.annotation(part) for part in of[1])}]"
        return of[1] if of[0] == "struct" else of[0]

    # ---- Statements -----------------------------------------------------------------------------

    def some_type(self, f=None):
        t = self.mix["tensor"]
        return self.pick(
            (0.5 * bool(f and self.mix["text"]), lambda: STR),
            (4, lambda: INT), (2 * min(self.mix["float"], 1), lambda: FLOAT), (1, lambda: BOOL),
            (2 * t, lambda: V), (0.7 * t, lambda: tensor(I32, "n")), (0.7 * t, lambda: tensor(F32)),
            (0.6 * t, lambda: tensor(F32, "a")), (0.7 * t, lambda: tensor(F32, "k", "n")), (0.4 * t, lambda: tensor(F32, "k")),
            (0.3 * t, lambda: tensor("bool", "n")), (0.3 * t, lambda: tensor(I32)), (0.3 * t, lambda: tensor(I64, "n")),
            (0.4 * t * min(self.mix["f64"], 1), lambda: tensor(F64, "n")),
            (0.8, lambda: ("tuple", tuple(self.random.choice([INT, FLOAT, V]) for _ in range(self.random.randint(1, 3))))),
            (3 * bool(self.structs) * min(self.mix["struct"], 2), lambda: ("struct", self.random.choice(self.structs)["name"])),
        )

    def body_of(self, name, parameters, result, first=None, size=3, outer=None, depth=1, fixed=None):
        """Writes a function."""
        texts = [first[0]] if first else []
        texts += [parameter if default is None else f"{parameter}={default}" for parameter, _, default in parameters]
        self.line(f"def {name}({', '.join(texts)}):")
        variables = {parameter: of for parameter, of, _ in parameters}
        if first:
            variables[first[0]] = first[1]
        f = Function(result, variables, outer, depth)
        f.own = {p for p, _, _ in parameters}
        self.indent += 1
        if fixed:
            fixed(f)
        self.block(f, self.random.randint(1, size))
        self.line(f"return {self.value(f, result)}")
        self.indent -= 1

    def block(self, f, size):
        """Writes statements; names that they add are not known after them."""
        before = dict(f.variables)
        count = len(self.lines)
        for _ in range(size):
            if self.statement(f) == "ends":
                break
        if len(self.lines) == count:
            self.line("pass")
        added = {name: of for name, of in f.variables.items() if name not in before}
        # A variable of another type is not read after the block.
        f.variables = {name: of for name, of in before.items() if f.variables.get(name) == of}
        return added

    def statement(self, f):
        deep = self.indent > 5
        loops = len(f.loops) < 2 and not deep
        weight = self.mix
        return self.pick(
            (5, lambda: self.assign(f)),
            (2, lambda: self.augmented(f)),
            (2.5 * (not deep), lambda: self.if_(f)),
            (1.2 * loops * weight["loop"], lambda: self.for_(f)),
            (0.6 * loops * weight["loop"], lambda: self.while_(f)),
            (1.5 * min(weight["print"], 2), lambda: self.print(f)),
            (1.5 * bool(f.loops), lambda: self.leave(f)),
            (0.4 * (self.indent > 1 and f.result is not None), lambda: self.early_return(f)),
            (0.3 * weight["raise"], lambda: self.failure(f)),
            (1.2 * weight["closure"] * (f.depth < 2) * (not deep), lambda: self.closure(f)),
            (0.3 * weight["retype"], lambda: self.retype(f)),
            (0.4 * weight["unbound"] * bool(f.unbound), lambda: self.read_unbound(f)),
            (0.6 * weight["gradient"] * (f.depth < 2) * (not deep), lambda: self.gradient(f)),
            (0.4, lambda: self.unpack(f)),
            (0.15, lambda: self.starred(f)),
            (0.02 * weight["closure"], lambda: self.mutual(f)),
            (0.4 * loops * weight["host"], lambda: self.asked(f)),
            (0.4 * weight["host"], lambda: self.line(f"ask({self.expression(f, INT, 1)})")),
            (0.3 * weight["host"] * bool(self.of_type(f, V)), lambda: self.line(f"observe({self.random.choice(self.of_type(f, V) or [''])})")),
        )

    def assign(self, f):
        own = [name for name in f.own if name in f.variables and name[0] in "vp" and f.variables[name][0] != "function"]
        if own and self.chance(0.6):
            name = self.random.choice(sorted(own))
            self.line(f"{name} = {self.value(f, f.variables[name])}")
            return
        wanted = self.some_type(f)
        name = self.name("v")
        self.line(f"{name} = {self.value(f, wanted)}")
        f.variables[name] = wanted
        f.own.add(name)

    def retype(self, f):
        own = [name for name in f.own if name in f.variables and name[0] == "v" and f.variables[name][0] != "function"]
        if not own or f.loops:
            return self.assign(f)
        name = self.random.choice(sorted(own))
        wanted = self.some_type(f)
        self.line(f"{name} = {self.value(f, wanted)}")
        f.variables[name] = wanted

    def augmented(self, f):
        own = [name for name in sorted(f.own) if name[0] in "vp" and f.variables.get(name, ("",))[0] in ("int", "float", "tensor") and f.variables[name][1:2] != ("bool",)
               and f.variables[name][2:] != (("a",),)]
        if not own:
            return self.assign(f)
        name = self.random.choice(own)
        of = f.variables[name]
        self.fraction = False
        text = self.expression(f, of, 1)
        op = self.random.choice(["+=", "-=", "+=", "*="])
        self.line(f"{name} {op} {text}")
        if of[0] == "tensor" or op == "*=":
            self.line(f"{name} = {self.normal(of, name + ' + 0')}" if of[0] != "int" else f"{name} %= 91")

    def if_(self, f):
        self.line(f"if {self.condition(f, 2)}:")
        arms = [self.nested(f)]
        while self.chance(0.25):
            self.line(f"elif {self.condition(f, 2)}:")
            arms.append(self.nested(f))
        if self.chance(0.5):
            self.line("else:")
            arms.append(self.nested(f))
        for added in arms:
            f.unbound.update({name: of for name, of in added.items() if of in SCALARS or of == V})

    def nested(self, f, size=None):
        self.indent += 1
        added = self.block(f, size or self.random.randint(1, 3))
        self.indent -= 1
        return added

    def for_(self, f):
        r = self.random
        name = self.name("i")
        small = lambda: str(r.randint(0, 6)) if self.chance(0.4) else f"({self.expression(f, INT, 1)}) % {r.randint(2, 7)}"
        matrices = self.of_type(f, tensor(F32, "k", "n"))
        vectors = self.of_type(f, V) + self.of_type(f, tensor(I32, "n"))
        other = self.name("e")
        adds = {name: INT}

        def rows():
            x = r.choice(matrices)
            adds[name] = V
            return f"for {name} in {x}:"

        def elements():
            x = r.choice(vectors)
            adds.update({name: INT, other: tensor(f.variables[x][1])})
            return f"for {name}, {other} in enumerate({x}{r.choice(['', ', 1', ', start=3'])}):"

        def zipped():
            x = r.choice(vectors)
            adds.update({name: INT, other: tensor(f.variables[x][1])})
            return f"for {name}, {other} in zip(range({small()}), {x}):"

        def pairs():
            adds.update({name: INT, other: FLOAT})
            a, b = (self.expression(f, INT, 1) for _ in range(2))
            return f"for {name}, {other} in (({a}, 0.5), ({b}, {self.expression(f, FLOAT, 1)})):"

        head = self.pick(
            (4, lambda: f"for {name} in range({small()}):"),
            (1, lambda: f"for {name} in range({r.randint(-2, 2)}, {small()}):"),
            (0.7, lambda: f"for {name} in range({small()}, {r.randint(-2, 3)}, -{r.randint(1, 2)}):"),
            (0.4, lambda: f"for {name} in range({small()}, {small()}, ({self.expression(f, INT, 1)}) % 3 + 1):"),
            (0.6, lambda: f"for {name} in reversed(range({small()})):"),
            (0.6, lambda: f"for {name} in ({self.expression(f, INT, 1)}, {self.expression(f, INT, 1)}, 4):"),
            (0.5, pairs),
            (0.8 * bool(matrices), rows),
            (0.8 * bool(vectors), elements),
            (0.5 * bool(vectors), zipped),
        )
        self.line(head)
        self.loop(f, adds)
        if self.chance(0.25):
            self.line("else:")
            self.nested(f)
        f.unbound.update({name: of for name, of in adds.items() if of in SCALARS})

    def loop(self, f, adds):
        f.variables.update(adds)
        f.loops.append("for")
        self.nested(f, self.random.randint(1, 4))
        f.loops.pop()
        for name in adds:
            f.variables.pop(name, None)

    def while_(self, f):
        count = self.name("w")
        limit = self.random.randint(1, 6)
        self.line(f"{count} = 0")
        if self.chance(0.3):
            self.line("while True:")
            self.indent += 1
            self.line(f"if {count} >= {limit} or {self.truth(f, 1)}:")
            self.line("    break" if f.result is None or self.chance(0.7) else f"    return {self.value(f, f.result)}")
            self.indent -= 1
        else:
            self.line(f"while {count} < {limit} and {self.truth(f, 2)}:")
        self.indent += 1
        self.line(f"{count} += 1")
        self.indent -= 1
        self.loop(f, {count: INT})
        if self.chance(0.2):
            self.line("else:")
            self.nested(f)
        f.variables[count] = INT

    def leave(self, f):
        word = self.random.choice(["break", "continue"])
        if self.chance(0.9):
            self.line(f"if {self.condition(f, 2)}:")
            if self.chance(0.3):
                self.indent += 1
                self.assign(f) if self.chance(0.5) else self.print(f)
                self.indent -= 1
                f.variables = {n: of for n, of in f.variables.items() if n in f.variables}
                # Names that this arm adds are not known after it.
                added = re.match(r"\s*(v\d+) = ", self.lines[-1])
                if added and sum(added[1] in line for line in self.lines) == 1:
                    f.variables.pop(added[1], None)
            self.line(f"    {word}")
            return None
        self.line(word)
        return "ends"

    def early_return(self, f):
        if self.chance(0.85):
            self.line(f"if {self.condition(f, 2)}:")
            self.line(f"    return {self.value(f, f.result)}")
            return None
        self.line(f"return {self.value(f, f.result)}")
        return "ends"

    def failure(self, f):
        text = self.text(f)
        self.pick(
            (1, lambda: self.line(f"assert {self.condition(f, 2)}" + (f", {text}" if self.chance(0.6) else ""))),
            (1, lambda: (self.line(f"if {self.truth(f, 2)} and {self.truth(f, 1)}:"),
                         self.line(f"    raise {self.random.choice(['ValueError', 'KeyError', 'RuntimeError', 'IndexError'])}({text})"))),
        )

    def text(self, f):
        parts = []
        for _ in range(self.random.randint(1, 3)):
            of = self.random.choice([INT, INT, FLOAT, BOOL])
            value = self.expression(f, of, 1)
            if any(c in value for c in "\"'{}:!\\=") or "lambda" in value:
                value = self.leaf(f, of)
            form = {"int": ["", ":d", ":5", ":x", ":+d"], "float": ["", ":.2f", ":.3e", ":g", "!r"], "bool": [""]}[of[0]]
            parts.append(f"{{{value}{self.random.choice(form)}}}")
        return f"f\"{' '.join(parts)}\""

    def print(self, f):
        things = [name for name, of in f.variables.items() if of[0] in ("int", "float", "bool", "str", "tensor", "tuple", "struct")]
        values = []
        for _ in range(self.random.randint(1, 3)):
            if things and self.chance(0.5):
                values.append(self.random.choice(things))
            elif self.chance(0.4):
                values.append(self.text(f))
            else:
                values.append(self.expression(f, self.random.choice([INT, FLOAT, BOOL]), 2))
        end = self.random.choice(["", "", "", ', end=""', ', sep="-"'])
        self.line(f"print({', '.join(values)}{end})")

    def unpack(self, f):
        tuples = [name for name, of in f.variables.items() if of[0] == "tuple" and of[1]]
        if tuples and self.chance(0.6):
            name = self.random.choice(tuples)
            parts = f.variables[name][1]
            source = name
        else:
            parts = tuple(self.random.choice([INT, FLOAT, V]) for _ in range(2))
            source = ", ".join(self.value(f, of) for of in parts)
        new = [self.name("v") for _ in parts]
        self.line(f"{', '.join(new)}{',' if len(new) == 1 else ''} = {source}")
        for name, of in zip(new, parts):
            f.variables[name] = of
            f.own.add(name)

    def starred(self, f):
        a, b, c = self.name("v"), self.name("v"), self.name("v")
        self.line(f"{a}, *{b} = ({self.value(f, INT, 1)}, {self.value(f, INT, 1)}, {self.value(f, INT, 1)})")
        self.line(f"{c} = sum({b}) + {b}[{self.random.choice(['0', '-1'])}]")
        for name in (a, c):
            f.variables[name] = INT
            f.own.add(name)

    def asked(self, f):
        """A loop that a result of the host ends."""
        name, count = self.name("v"), self.name("w")
        self.line(f"{name} = {count} = 0")
        self.line(f"while ({name} := ask({self.expression(f, INT, 1)} + {count})) > {self.random.randint(-1, 2)} and {count} < 6:")
        self.indent += 1
        self.line(f"{count} += 1")
        self.indent -= 1
        self.loop(f, {count: INT})
        f.variables.update({name: INT, count: INT})

    def read_unbound(self, f):
        names = [name for name in f.unbound if name not in f.variables]
        if not names:
            return self.assign(f)
        name = self.random.choice(names)
        of = f.unbound[name]
        self.line(f"print({name})" if of != V else f"print({name}.sum())")

    def closure(self, f):
        parameters = [(self.name("p"), self.random.choice([INT, INT, FLOAT, V]), None) for _ in range(self.random.randint(0, 2))]
        result = self.random.choice([INT, FLOAT, V, BOOL])
        kind = ("function", tuple(of for _, of, _ in parameters), result)
        name = self.name("c")
        if self.chance(0.5):
            inner = Function(None, {p: of for p, of, _ in parameters}, f)
            inner.own, inner.depth = set(), -1
            self.fraction = False
            body = self.normal(result, self.expression(inner, result, 2))
            kept = self.name("p")
            captured = self.leaf(f, INT)
            is_kept = self.chance(0.3)
            texts = [p for p, _, _ in parameters] + ([f"{kept}={captured}"] if is_kept else [])
            body = f"({body}) + {kept}" if is_kept and result in (INT, FLOAT) else body
            self.line(f"{name} = lambda {', '.join(texts)}: {body}")
        else:
            if parameters and self.chance(0.3):
                default = self.leaf(f, parameters[-1][1]) if parameters[-1][1] in SCALARS else None
                parameters[-1] = (*parameters[-1][:2], default)
            self.body_of(name, parameters, result, size=2, outer=f, depth=f.depth + 1)
        f.variables[name] = kind
        if self.chance(0.6):
            text = self.call(f, {"name": name, "parameters": [(None, of, None) for _, of, _ in parameters]}, 2)
            if self.chance(0.3):
                text = text.replace(f"{name}(", f"apply({name}, ", 1)
            used = self.name("v")
            self.fraction = True
            self.line(f"{used} = {self.normal(result, text)}")
            f.variables[used] = result
            f.own.add(used)

    def gradient_of_struct(self, f, wanted):
        """The gradient by all fields of an object."""
        r = self.random
        fields = self.struct_of(wanted)["fields"]
        name, m, y, new = self.name("g"), self.name("x"), self.name("y"), self.name("v")
        terms = [f"({m}.{field} * {m}.{field} * {r.randint(-2, 3)}.0)" + (".sum()" if of == V else "") for field, of in fields]
        self.line(f"def {name}({m}, steps=2):")
        self.line(f"    {y} = {' + '.join(terms)}")
        field, of = r.choice(fields)
        self.line(f"    for {self.name('i')} in range(steps):")
        self.line(f"        {y} = {y} + {m}.{field}{'.sum()' if of == V else ''} * {r.randint(-3, 3)}.0")
        if self.chance(0.5):
            self.line(f"        if {y} > {r.randint(0, 20)}.0:")
            self.line("            break")
        self.line(f"    return {y}")
        whole = {FLOAT: lambda: f"float(({self.expression(f, INT, 1)}) % 4)", tensor(F32): lambda: f"tfx.f32({r.randint(-3, 3)}.0)",
                 V: lambda: f"({r.choice(self.of_type(f, V))} % 4.0)" if self.of_type(f, V) else f"tfx.arange({self.size_n(f)}, dtype=tfx.f32)"}
        self.line(f"{new} = tfx.gradient({name})({wanted[1]}({', '.join(whole[of]() for _, of in fields)}))")
        self.line(f"{new} = {wanted[1]}({', '.join(f'{new}.{field} + 0.0' for field, _ in fields)})")
        f.variables[new] = wanted
        f.own.add(new)

    def mutual(self, f):
        """Two functions that call each other."""
        a, b, n, v = (self.name(of) for of in ("h", "h", "p", "v"))
        for name, other in ((a, b), (b, a)):
            self.line(f"def {name}({n}):")
            inner = Function(INT, {**f.variables, n: INT})
            inner.own = set()
            self.line(f"    return {self.value(inner, INT, 1)} if {n} <= 0 else {other}({n} - 1) + {self.random.randint(0, 3)}")
        self.line(f"{v} = {a}({self.random.randint(0, 4)})")
        f.variables[v] = INT
        f.own.add(v)

    def gradient(self, f):
        """A polynomial with whole coefficients, and its gradient."""
        r = self.random
        linear = [of["name"] for of in self.structs if of["is_linear"] and of["fields"]]
        if linear and self.chance(0.4):
            return self.gradient_of_struct(f, ("struct", r.choice(linear)))
        is_vector = self.chance(0.6) and self.of_type(f, V)
        name, m, y, i = self.name("g"), self.name("x"), self.name("y"), self.name("i")
        integers = [x for x in self.of_type(f, INT)]
        whole = lambda: f"float({r.choice(integers)} % 4)" if integers and self.chance(0.1) else f"{r.randint(-2, 3)}.0"
        pair = self.chance(0.2) and not is_vector
        self.line(f"def {name}({m}, steps=2):")
        self.indent += 1
        first, second = (f"{m}[0]", f"{m}[1]") if pair else (m, m)
        self.line(f"{y} = {first} * {whole()}")
        test = f"{y}.sum()" if is_vector else y
        if self.chance(0.7):
            self.line(f"for {i} in range(steps):")
            self.indent += 1
            if self.chance(0.4):
                self.line(f"if {test} > {whole()}:")
                self.line(f"    {r.choice(['break', 'continue', f'{y} = {y} + {first}'])}")
            self.line(f"{y} = {y} {r.choice('*+-')} {second} + {whole()}")
            self.indent -= 1
        if self.chance(0.4):
            self.line(f"if {test} < {whole()}:")
            self.line(f"    return ({y} * {y}).sum()" if is_vector else f"    return {y} * {second}")
        self.line(f"return ({y} * {first}).sum()" if is_vector else f"return {y} * {first} - {second}")
        self.indent -= 1
        argument = r.choice(self.of_type(f, V)) + " % 4.0" if is_vector else f"float(({self.expression(f, INT, 1)}) % 4)"
        if pair:
            argument = f"({argument}, {r.randint(-2, 3)}.0)"
        steps = r.choice(["", ", 1", ", steps=3"])
        steps = steps if "=" not in steps else ", 3"
        of = V if is_vector else FLOAT
        of = ("tuple", (FLOAT, FLOAT)) if pair else of
        new = self.name("v")
        if self.chance(0.5):
            value = self.name("v")
            self.line(f"{value}, {new} = tfx.value_and_grad({name})({argument}{steps})")
            f.variables[value] = tensor(F32) if is_vector else FLOAT
            self.line(f"{value} = ({value} + 0.0) % 8.0")
            f.own.add(value)
        else:
            self.line(f"{new} = tfx.gradient({name})({argument}{steps})")
        # The sign of a zero depends on the order in which derivatives are added.
        same = {V: f"({new} + 0.0) % 8.0", FLOAT: f"{new} + 0.0"}.get(of, f"({new}[0] + 0.0, {new}[1] + 0.0)")
        self.line(f"{new} = {same}")
        f.variables[new] = of
        f.own.add(new)

    # ---- The program ----------------------------------------------------------------------------

    def program(self):
        r = self.random
        self.sizes = {"n": r.choice([2, 3, 4]), "k": 3}
        self.lines = PRELUDE.format(
            a=r.randint(2, 5), b=r.randint(1, 2), c=r.choice([7, 11, 1000003]), d=r.randint(0, 6)
        ).splitlines()
        for name, of, text in (
            ("G1", INT, str(r.randint(-3, 9))), ("G2", FLOAT, repr(r.choice([0.5, -2.0, 1.25]))),
            ("G3", tensor(F32), f"tfx.f32({r.randint(-3, 3)}.0)"),
        ):
            self.line(f"{name} = {text}")
            self.globals[name] = of
        self.line(f"N = {self.sizes['n']}")
        self.line("")
        self.line("")
        if self.mix["struct"]:
            for _ in range(r.randint(1, 2)):
                self.define_struct()
        for _ in range(r.randint(0, 4)):
            self.helper()
        parameters = [(self.name("p"), self.some_type()) for _ in range(r.randint(1, 4))]
        parameters = [(p, of) for p, of in parameters if of[0] != "tuple"]
        if not parameters or self.mix["tensor"] and not any(of == V for _, of in parameters):
            parameters.append((self.name("p"), V))
        texts = [f"{p}: {self.annotation(of)}" if of[0] == "struct" or self.chance(0.9) else p for p, of in parameters]
        self.line("@tfx.program")
        self.line(f"def main({', '.join(texts)}):")
        result = ("tuple", tuple(self.some_type() for _ in range(r.randint(1, 3))))
        f = Function(("results", result), dict(parameters))
        vectors = self.of_type(f, V)
        self.inexact = r.choice(INEXACT).replace("$x", vectors[0]) if vectors else "()"
        self.indent = 1
        self.block(f, self.mix["size"] + r.randint(0, 3))
        self.line(f"return {self.value(f, f.result)}")
        self.indent = 0
        self.line("")
        self.line("")
        self.line("CALLS = [")
        for index in range(r.randint(2, 3)):
            n = self.sizes["n"] if self.mix["static"] else r.choice([2, 3, 5, 20])
            arguments = ", ".join(self.argument(of, n) for _, of in parameters)
            rebound = {"N": str(n)}
            if index and self.chance(0.4):
                rebound["G1"] = str(r.randint(-9, 9))
                rebound["G3"] = f"tfx.f32({r.randint(-9, 9)}.0)"
            self.line(f"    ({rebound!r}, {f'({arguments},)'!r}),")
        self.line("]")
        return "\n".join(self.lines) + "\n"

    def helper(self):
        r = self.random
        name = self.name("f")
        result = self.some_type()
        parameters = [(self.name("p"), self.some_type(), None) for _ in range(r.randint(0, 3))]
        if parameters and parameters[-1][1] in SCALARS and self.chance(0.3):
            parameters[-1] = (*parameters[-1][:2], {"int": "4", "float": "1.5", "bool": "True"}[parameters[-1][1][0]])
        made = {"name": name, "parameters": parameters, "result": result}
        fixed = None
        if self.chance(0.25):
            count = self.name("p")
            parameters.insert(0, (count, INT, None))
            made["bounded"] = count

            def fixed(f):
                f.own.discard(count)
                self.line(f"if {count} <= 0:")
                self.line(f"    return {self.value(f, result)}")
                if self.chance(0.5):
                    self.assign(f)
                inner = [f"{count} - 1"] + [self.value(f, of, 1) for _, of, _ in parameters[1:]]
                kept = self.name("v")
                self.line(f"{kept} = {name}({', '.join(inner)})")
                f.variables[kept] = result
                f.own.add(kept)

        self.body_of(name, parameters, result, size=r.randint(1, 4), fixed=fixed)
        self.line("")
        self.line("")
        self.functions.append(made)

    def argument(self, of, n):
        r = self.random
        if of == INT:
            return str(r.randint(-5, 12)) if not (self.mix["big"] and self.chance(0.3)) else str(r.choice([2**62, -(2**63), 3**30]))
        if of == FLOAT:
            return repr(r.choice([0.0, 1.5, -2.25, 0.1, 1e6, -0.0, 3.0]))
        if of == BOOL:
            return r.choice(["True", "False"])
        if of[0] == "struct":
            return f"{of[1]}({', '.join(self.argument(part, n) for _, part in self.struct_of(of)['fields'])})"
        if of[0] == "tuple":
            return f"({', '.join(self.argument(part, n) for part in of[1])},)"
        shape = tuple({"n": n, "k": 3, "a": r.randint(0, 4)}[s] for s in of[2])
        values = [r.randint(0, 7) if r.random() < 0.8 else r.randint(-8, 8) for _ in range(math.prod(shape))]
        numpy = {"f32": "float32", "f64": "float64", "i32": "int32", "i64": "int64", "bool": "bool"}[of[1]]
        return f"tfx.asarray(np.array({values}, '{numpy}').reshape({shape}))"


PRELUDE = '''\
import math

import numpy as np
import tfx
from tfx import Tensor

EVENTS = []


@tfx.host
def ask(a: int) -> int:
    EVENTS.append(("ask", repr(a)))
    if a % {c} == {d}:
        raise KeyError(a)
    return a % 7 - {b}


@tfx.host
def measure(x: float, a: int) -> float:
    EVENTS.append(("measure", repr(x), repr(a)))
    return x + a % 5


@tfx.host
def decide(a: int, x: float) -> bool:
    EVENTS.append(("decide", repr(a), repr(x)))
    return (a + len(EVENTS)) % {a} < {b}


@tfx.host
def observe(x: Tensor[tfx.f32, None]):
    EVENTS.append(("observe", x.dtype.name, repr(x.tolist())))


@tfx.host
def scaled(x: Tensor[tfx.f32, None], a: int) -> Tensor[tfx.f32, None]:
    EVENTS.append(("scaled", repr(x.tolist()), repr(a)))
    return x * np.float32(a % 4)


def apply(f, *arguments):
    return f(*arguments)


'''


# ---- Execution ------------------------------------------------------------------------------------


class Fuel(BaseException):
    """A program that is too long to be checked."""


def checked(value):
    """Rule E1: an int has 64 bits."""
    for part in value if type(value) is tuple else (value,):
        if type(part) is int and not -(2**63) <= part < 2**63:
            raise OverflowError("int is 64 bits in tfx")
    return value


def checked_sum(values, start=0):
    """The sum, which has 64 bits after each element."""
    values = list(values)
    if not all(isinstance(value, int) for value in (start, *values)):
        return sum(values, start)
    for value in values:
        start = checked(start + value)
    return start


def divided(a, b):
    """A limit: `int / int` needs operands up to 2^53."""
    if isinstance(a, int) and isinstance(b, int) and b and max(abs(a), abs(b)) > 2**53:
        raise OverflowError("'/' of int beyond 2**53 in tfx")
    return a / b


class Checks(ast.NodeTransformer):
    """Checks the integers of a program."""

    NAMES = {"abs", "divmod", "round", "int", "sum", "pow", "floor", "ceil"}

    def check(self, node):
        self.generic_visit(node)
        call = ast.Call(ast.Name("_checked", ast.Load()), [node], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))

    visit_UnaryOp = check

    def visit_BinOp(self, node):
        if not isinstance(node.op, ast.Div):
            return self.check(node)
        self.generic_visit(node)
        call = ast.Call(ast.Name("_divided", ast.Load()), [node.left, node.right], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def visit_FunctionDef(self, node):
        # A host function stays as it is.
        return node if any("host" in ast.unparse(of) for of in node.decorator_list) else self.generic_visit(node)

    def visit_Call(self, node):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in self.NAMES:
            return self.check(node)
        self.generic_visit(node)
        return node

    def visit_AugAssign(self, node):
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
        value = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
        return ast.fix_missing_locations(ast.copy_location(ast.Assign([node.target], self.visit(value)), node))


class Dual:
    """A number or a tensor with its derivative in one direction."""

    def __init__(self, value, tangent):
        self.value, self.tangent = value, tangent

    @staticmethod
    def of(x):
        return x if isinstance(x, Dual) else Dual(x, x * 0.0)

    def __add__(self, other):
        other = Dual.of(other)
        return Dual(self.value + other.value, self.tangent + other.tangent)

    def __sub__(self, other):
        other = Dual.of(other)
        return Dual(self.value - other.value, self.tangent - other.tangent)

    def __mul__(self, other):
        other = Dual.of(other)
        return Dual(self.value * other.value, self.tangent * other.value + self.value * other.tangent)

    def __lt__(self, other):
        return self.value < Dual.of(other).value

    def __gt__(self, other):
        return self.value > Dual.of(other).value

    def sum(self):
        return Dual(self.value.sum(), self.tangent.sum())


def like(x, gradient):
    if isinstance(x, float):
        return float(gradient)
    return gradient


def value_and_grad(function):
    """The value and the gradient by dual numbers, for CPython."""
    import tfx

    def part(x, others, *rest):
        def run(tangent):
            return function(others(Dual(x, tangent)), *rest)

        if isinstance(x, float):
            result = run(1.0)
            return result.value, result.tangent + 0.0
        if not x.shape:
            result = run(x * 0.0 + 1.0)
            return result.value, result.tangent
        zero = x * 0.0
        tangents = []
        for index in range(len(x)):
            result = run(zero.at[index].set(1.0))
            tangents.append(result.tangent)
        return result.value, tfx.stack(tuple(tangents))

    def both(x, *rest):
        if dataclasses.is_dataclass(x):
            fields = [(of.name, getattr(x, of.name)) for of in dataclasses.fields(x)]
            dual = lambda name, of: type(x)(*(of if name == other else Dual.of(y) for other, y in fields))
            parts = [part(of, lambda given, name=name: dual(name, given), *rest) for name, of in fields]
            # The gradient has the element type of its field.
            return parts[0][0], type(x)(*(like(of, y) for (_, of), (_, y) in zip(fields, parts)))
        if not isinstance(x, tuple):
            return part(x, lambda dual: dual, *rest)
        parts = [
            part(of, lambda dual: tuple(dual if i == index else Dual.of(y) for i, y in enumerate(x)), *rest)
            for index, of in enumerate(x)
        ]
        return parts[0][0], tuple(of for _, of in parts)

    return both


class Text:
    """Standard output as events, so that its order with the calls of host functions is known."""

    encoding = "utf-8"

    def __init__(self, events):
        self.events = events

    def write(self, text):
        if self.events and self.events[-1][0] == "print":
            self.events[-1] = ("print", self.events[-1][1] + text)
        else:
            self.events.append(("print", text))
        return len(text)

    def flush(self):
        pass


def load(path, name, is_checked):
    """Executes the file of a program as a module."""
    text = pathlib.Path(path).read_text()
    tree = ast.parse(text)
    if is_checked:
        tree = Checks().visit(tree)
    module = types.ModuleType(name)
    module.__file__ = path
    module._checked, module._divided = checked, divided
    if is_checked:
        module.sum = checked_sum
    sys.modules[name] = module
    exec(compile(tree, path, "exec"), module.__dict__)
    return module


def bits(value):
    """Makes a value comparable: tensors by element type, sizes and elements."""
    import tfx

    if isinstance(value, tfx.Tensor):
        elements = value.__array__()
        return ["tensor", value.dtype.__name__, list(value.shape), [number(x) for x in elements.ravel().tolist()]]
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *map(bits, value)]
    if hasattr(value, "__dataclass_fields__"):
        return [type(value).__name__, *(bits(getattr(value, name)) for name in value.__dataclass_fields__)]
    return [type(value).__name__, number(value)]


def number(value):
    return float.hex(value) if isinstance(value, float) else repr(value)


def is_close(a, b):
    """Compares results of functions with bounds."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(is_close, a, b))
    if a == b:
        return True
    try:
        return math.isclose(float.fromhex(a), float.fromhex(b), rel_tol=1e-5, abs_tol=1e-6)
    except (TypeError, ValueError):
        return False


def unsigned(value):
    """Rule E4: which of two equal zeros `max` and `min` return depends on the order of elements."""
    if isinstance(value, list):
        return [unsigned(part) for part in value]
    return "0x0.0p+0" if value == "-0x0.0p+0" else value


def unsigned_texts(value):
    """The same for texts that a program makes of its values: a sign makes all elements wider."""
    if isinstance(value, (list, tuple)):
        return [unsigned_texts(part) for part in value]
    if not isinstance(value, str):
        return value
    return re.sub(" +", " ", re.sub(r"-(0\.(?:0*)(?![0-9]))", r"\1", unsigned(value))).replace("[ ", "[")


def call(module, rebound, arguments, is_eager, path):
    """Calls a program: its events, and its outcome."""
    import tfx

    events = module.EVENTS
    events.clear()
    for name, text in rebound.items():
        setattr(module, name, eval(text, module.__dict__))
    arguments = eval(arguments, module.__dict__)
    before = sys.stdout
    sys.stdout = Text(events)
    try:
        with tfx.eager(is_eager):
            outcome = ["returned", bits(module.main(*arguments))]
    except Exception as error:
        if isinstance(error, tfx.CompileError) and not is_eager:
            raise
        line = None
        if is_eager:
            for frame, number in traceback.walk_tb(error.__traceback__):
                if frame.f_code.co_filename == path and frame.f_code.co_name not in ("ask",):
                    line = number
        else:
            for note in getattr(error, "__notes__", ()):
                found = re.search(re.escape(path) + r":(\d+)", note)
                line = line or found and int(found[1])
        outcome = ["raised", type(error).__name__, line, str(error), is_eager and is_of_tensor(error, path, line)]
    finally:
        sys.stdout = before
    return [list(of) for of in events], outcome


def is_of_tensor(error, path, line):
    """Whether a tensor operation failed: neither a statement nor Python's own numbers and tuples."""
    name = type(error).__name__
    if name == "ZeroDivisionError":
        return str(error) == "Integer division by zero"
    if name not in ("TypeError", "ValueError", "IndexError"):
        return False
    text = linecache.getline(path, line or 0)
    own = ("tuple index", "list index", "math domain", "cannot convert float", "expected a nonnegative", "range() arg 3")
    return f"raise {name}" not in text and not any(of in str(error) for of in own)


class Trace:
    """The lines of a program that CPython executes."""

    def __init__(self, path):
        self.path, self.lines, self.count = path, collections.Counter(), 0

    def __call__(self, frame, event, argument):
        if frame.f_code.co_filename != self.path:
            return None
        if event == "line":
            self.lines[frame.f_lineno] += 1
            self.count += 1
            if self.count > FUEL:
                raise Fuel
        return self


def features(path, lines, outcomes):
    """Names of what a program did in CPython."""
    found = set()
    tree = ast.parse(pathlib.Path(path).read_text())
    hosts = {"ask", "measure", "decide", "observe", "scaled"}
    name = lambda node: getattr(node.func, "id", getattr(node.func, "attr", ""))
    for node in ast.walk(tree):
        if lines[getattr(node, "lineno", 0)] == 0:
            continue
        match node:
            case ast.For() | ast.While():
                if lines[node.body[0].lineno] > 1:
                    found.add(f"{type(node).__name__.lower()} loops")
                if node.orelse and lines[node.orelse[0].lineno]:
                    found.add("else of loops")
            case ast.Break():
                found.add("breaks")
            case ast.Continue():
                found.add("continues")
            case ast.Lambda():
                found.add("lambdas")
            case ast.ListComp():
                found.add("comprehensions")
            case ast.NamedExpr():
                found.add("assignment expressions")
            case ast.Call():
                if name(node) in hosts:
                    found.add("host calls")
                if name(node) in ("gradient", "value_and_grad"):
                    found.add("gradients")
                if re.fullmatch(r"f\d+", name(node)):
                    found.add("calls of functions")
                if re.fullmatch(r"m\d+", name(node)):
                    found.add("calls of methods")
            case ast.FunctionDef():
                if any(isinstance(of, ast.FunctionDef) for of in ast.walk(node) if of is not node):
                    found.add("nested functions")
        if isinstance(node, (ast.If, ast.While)):
            inner = list(ast.walk(node.test))
            if any(isinstance(of, ast.Call) and name(of) in hosts for of in inner):
                found.add("decisions of the host")
            if any(isinstance(of, ast.Call) and name(of) in ("sum", "max", "min", "any", "all") for of in inner):
                found.add("decisions about tensors")
    for _, outcome in outcomes:
        if outcome[0] == "raised":
            found.add(f"raises {outcome[1]}")
    return sorted(found)


def compare(eager, compiled, ignores_zero_signs):
    """Returns the kind of a mismatch of two calls, if there is one."""
    if ignores_zero_signs:
        eager, compiled = unsigned_texts(eager), unsigned_texts(compiled)
    (events, outcome), (found_events, found) = eager, compiled
    if any(of[0] == "raised" and "internal error" in of[3] for of in (outcome, found)):
        return "internal error"
    if outcome[0] == "raised" and outcome[4]:
        # A tensor operation failed (E2): later effects may have happened.
        if not is_prefix(events, found_events) and not (IS_TENSORFLOW and is_prefix(found_events, events)):
            return "effects before a failed tensor operation"
        return "lost failure" if found[0] == "returned" else None
    if events != found_events:
        return "events"
    if outcome[0] != found[0]:
        return "outcome"
    if outcome[0] == "returned":
        (_, (_, exact, inexact)), (_, (_, found_exact, found_inexact)) = outcome, found
        if unsigned(exact) != unsigned(found_exact):
            return "result"
        return None if is_close(inexact, found_inexact) else "inexact result"
    if outcome[1] != found[1]:
        return "class of the exception"
    if found[2] is not None and outcome[2] != found[2]:
        return "line of the exception"
    if outcome[1] in ("ValueError", "KeyError", "RuntimeError", "IndexError", "AssertionError") and outcome[3] != found[3]:
        return "message of the exception"
    return None


def is_prefix(events, of):
    if not events:
        return True
    if len(events) > len(of) or events[:-1] != of[: len(events) - 1]:
        return False
    last, other = events[-1], of[len(events) - 1]
    return last == other or last[0] == other[0] == "print" and other[1].startswith(last[1])


def refusal(path, error):
    """Returns what is wrong with an error of the compiler, if anything is."""
    text = str(error)
    if "internal error" in text or "panicked" in text:
        return "internal error"
    count = len(pathlib.Path(path).read_text().splitlines())
    found = re.match(re.escape(path) + r":(\d+):\d+: error: (.*)", text)
    if not found or not 1 <= int(found[1]) <= count:
        return "refused without a line"
    notes = re.findall(r": note: (.*)", text)
    if not any(re.search(r"; |\b(write|use|return|make|remove)\b", said) for said in (found[2], *notes)):
        return "refused without advice"
    return None


def check(path):
    """Runs a program in both ways, and returns what there is to say."""
    import tfx

    warnings.simplefilter("ignore")
    name = "random_program"
    eager_module = load(path, f"{name}_eager", True)
    trace = Trace(path)
    eager = []
    keep = tfx.value_and_grad, tfx.gradient
    tfx.value_and_grad = value_and_grad
    tfx.gradient = lambda function: lambda *arguments: value_and_grad(function)(*arguments)[1]
    try:
        for rebound, arguments in eager_module.CALLS:
            sys.settrace(trace)
            try:
                eager.append(call(eager_module, rebound, arguments, True, path))
            finally:
                sys.settrace(None)
    except Fuel:
        return {"status": "long"}
    finally:
        tfx.value_and_grad, tfx.gradient = keep
    answer = {"status": "equal", "features": features(path, trace.lines, eager), "expected": eager}
    module = load(path, name, False)
    found = []
    extremes = re.search(r"\b(max|min|maximum|minimum)\(", pathlib.Path(path).read_text())
    ignores_zero_signs = IS_TENSORFLOW or extremes is not None
    for index, (rebound, arguments) in enumerate(module.CALLS):
        try:
            found.append(call(module, rebound, arguments, False, path))
        except tfx.CompileError as error:
            kind = refusal(path, error)
            fails = any(outcome[0] == "raised" and outcome[4] for _, outcome in eager)
            if kind == "refused without advice" and fails:
                # The compiler reports the failure of a tensor operation with known sizes.
                kind = None
            answer["status"] = "mismatch" if kind else "refused"
            answer["kind"] = kind
            answer["detail"] = str(error)
            return answer
        kind = compare(eager[index], found[index], ignores_zero_signs)
        if kind:
            expected, actual = eager[index], found[index]
            answer.update(status="mismatch", kind=kind, call=index, detail=difference(expected, actual))
            answer["key"] = [expected[1][0], actual[1][0], expected[1][1] if expected[1][0] == "raised" else "",
                             actual[1][1] if actual[1][0] == "raised" else ""]
            return answer
    return answer


def difference(expected, found):
    lines = []
    for (events, outcome), title in ((expected, "CPython"), (found, "compiled")):
        lines.append(f"{title}: {outcome}")
    for a, b in zip(expected[0] + [["end"]], found[0] + [["end"]]):
        if a != b:
            lines += [f"CPython event: {a}", f"compiled event: {b}"]
            break
    return "\n".join(lines)


def work():
    """The process that runs programs: a path in a line, and an answer in a line."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        path = line.strip()
        try:
            answer = check(path)
        except BaseException as error:
            text = "".join(traceback.format_exception(error))
            answer = {"status": "mismatch", "kind": f"error {type(error).__name__}", "detail": text}
        linecache.clearcache()
        answer.pop("expected", None)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


class Worker:
    """A process that runs programs, and that may crash."""

    def __init__(self, executor):
        self.executor, self.process, self.count = executor, None, 0

    def run(self, path):
        if self.process is None or self.count >= PROGRAMS:
            self.stop()
            self.errors = tempfile.TemporaryFile("w+")
            environment = {**os.environ, "TFX_EXECUTOR": self.executor}
            command = [sys.executable, "-X", "faulthandler", __file__, "--work"]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True, env=environment
            )
            self.count = 0
        self.count += 1
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        limit = LIMIT_TENSORFLOW if self.executor == "tensorflow" else LIMIT
        ready, _, _ = select.select([self.process.stdout], [], [], limit)
        line = self.process.stdout.readline() if ready else ""
        if line:
            return json.loads(line)
        kind = "crash" if ready else "no end"
        self.stop()
        self.errors.seek(0)
        return {"status": "mismatch", "kind": kind, "detail": self.errors.read()[-3000:]}

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None


# ---- Reduction ------------------------------------------------------------------------------------


def smaller(text):
    """Makes programs with fewer statements, largest parts first."""
    tree = ast.parse(text)
    places = []
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                places += [(node, field, statement) for statement in block]
    places.sort(key=lambda of: -(of[2].end_lineno - of[2].lineno))
    for node, field, statement in places:
        block = getattr(node, field)
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(statement, ast.Pass) or getattr(statement, "name", "") == "main":
            continue
        if isinstance(target, ast.Name) and target.id in ("EVENTS", "CALLS"):
            calls = statement.value.elts
            for one in calls if target.id == "CALLS" and len(calls) > 1 else []:
                statement.value.elts = [of for of in calls if of is not one]
                yield ast.unparse(tree)
            statement.value.elts = calls
            continue
        index = block.index(statement)
        replacements = [[]]
        if isinstance(statement, (ast.If, ast.For, ast.While)):
            replacements += [statement.body, statement.orelse]
        for replacement in replacements:
            changed = block[:index] + replacement + block[index + 1:]
            setattr(node, field, changed or ([ast.Pass()] if field == "body" else []))
            yield ast.unparse(tree)
            setattr(node, field, block)
    # Expressions become parts of them.
    for node in ast.walk(tree):
        for field, of in ast.iter_fields(node):
            if not isinstance(of, (ast.BinOp, ast.Call, ast.IfExp, ast.BoolOp, ast.UnaryOp, ast.Compare)) or field == "func":
                continue
            for part in ast.iter_child_nodes(of):
                if isinstance(part, ast.expr) and not isinstance(of, ast.Call) or part in getattr(of, "args", ()):
                    setattr(node, field, part)
                    yield ast.unparse(tree)
            setattr(node, field, of)


def reduce(text, answer, worker, path, seconds):
    """Deletes statements while the same mismatch remains."""
    end = time.monotonic() + seconds
    same = lambda of: (of["status"], of.get("kind"), of.get("key")) == (answer["status"], answer.get("kind"), answer.get("key"))
    start, is_done = 0, False
    while not is_done and time.monotonic() < end:
        is_done = start == 0
        for index, candidate in enumerate(smaller(text)):
            # The places before the last success have been tried, until the next round.
            if index < start or candidate + "\n" == text:
                continue
            if time.monotonic() > end:
                break
            path.write_text(candidate + "\n")
            found = worker.run(path)
            if same(found):
                text, answer, start, is_done = candidate + "\n", found, index, False
                break
        else:
            start = 0
    return text, answer


# ---- Command line ---------------------------------------------------------------------------------


def run(seeds, executor, folder=None, seconds=20, report=print):
    """Checks programs, and returns a summary: counts, features, messages of refusals, mismatches."""
    worker = Worker(executor)
    counts, reached, refusals, mismatches = (collections.Counter() for _ in range(3)), None, None, []
    counts, reached, refusals = counts
    is_terminal = sys.stderr.isatty()
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "program.py"
        for done, seed in enumerate(seeds):
            text = Generator(seed).program()
            path.write_text(text)
            answer = worker.run(path)
            counts[answer["status"]] += 1
            reached.update(answer.get("features", ()))
            if is_terminal and done % 20 == 0:
                print(f"\r{done} programs, {len(mismatches)} mismatches", end="", file=sys.stderr, flush=True)
            if answer["status"] == "refused":
                message = re.sub(r".*?error: ", "", answer["detail"].splitlines()[0], count=1)
                refusals[re.sub(r"'[^']*'|\d+", "_", message)] += 1
            if answer["status"] == "mismatch":
                if seconds:
                    text, answer = reduce(text, answer, worker, path, seconds)
                mismatches.append((seed, answer["kind"]))
                place = ""
                if folder:
                    folder.mkdir(parents=True, exist_ok=True)
                    file = folder / f"seed-{seed}.py"
                    comment = "".join(f"# {line}\n" for line in answer["detail"].splitlines()[-12:])
                    file.write_text(f"{text}\n# seed {seed}, {executor}: {answer['kind']}\n{comment}")
                    place = f" ({file})"
                report(f"seed {seed}: {answer['kind']}{place}\n{answer['detail'][-1500:]}")
    worker.stop()
    if is_terminal:
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
    return counts, reached, refusals, mismatches


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--executor", choices=EXECUTORS, default="native")
    parser.add_argument("--folder", type=pathlib.Path, help="the folder of programs with mismatches")
    parser.add_argument("--reduce", type=float, default=20, help="seconds for the reduction of a program")
    parser.add_argument("--show", action="store_true", help="print the program of the seed")
    parser.add_argument("--check", metavar="FILE", help="check the program of a file")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work()
    if options.show:
        return print(Generator(options.seed).program(), end="")
    if options.check:
        answer = Worker(options.executor).run(pathlib.Path(options.check).resolve())
        print(answer["status"], answer.get("kind") or "", answer.get("detail", ""), sep="\n")
        return sys.exit(answer["status"] == "mismatch")
    seeds = range(options.seed, options.seed + options.count)
    counts, reached, refusals, mismatches = run(seeds, options.executor, options.folder, options.reduce)
    for title, counter in (("programs with", reached), ("refused", refusals)):
        for name, count in counter.most_common(40):
            print(f"{title}: {count} {name}")
    print(
        f"{options.count} programs, {counts['refused']} refused with advice, {counts['long']} too long, "
        f"{len(mismatches)} mismatches"
    )
    sys.exit(bool(mismatches))


if __name__ == "__main__":
    main()
