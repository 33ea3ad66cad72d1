"""Random programs of objects, closures, existentials, arrays and shared variables: tfxc against a few lines of Python.

    random_host_values.py FOLDER FIRST LAST [tfxc run option ...]

A program is a graph of blocks with any edges, irreducible ones too. Each block does a few random things with values of every type and hands some on. Both
say the same numbers, and nothing is left on the heap. Objects hold no closure or array that could hold them, so there are no circles.
"""

import os
import random
import subprocess
import sys

OBJECT = "!tfx_host.object<@Node>"
ARRAY = f"!tfx_host.array<{OBJECT}>"
VALUE = "!tfx_host.closure<escaping () -> i32>"
STEP = "!tfx_host.closure<escaping (i32) -> i32>"
ANY = "!tfx_host.any<@Countable>"
STRING = "!tfx_host.string"
TENSOR = "tensor<2xf32>"
PARTS = "!tfx_host.struct<@Parts>"
REF = "!tfx_host.ref<i32>"
TYPES = ["i32", OBJECT, ARRAY, VALUE, STEP, ANY, TENSOR, STRING, OBJECT]

LIBRARY = f"""
tfx_host.class @Node {{v: i32, s: {STRING}, f: {VALUE}, next: {ARRAY}, t: {TENSOR}}}
tfx_host.struct @Parts {{a: i32, s: {STRING}, o: {OBJECT}}}
tfx_host.protocol @Countable {{
  get: (!tfx_host.param<"Self">, i32) -> i32,
  bump: (!tfx_host.param<"Self">, i32) -> ()
}}
func.func private @node_get(%o: {OBJECT}, %x: i32) -> i32 {{
  %r = tfx_host.member_ref %o["v"] : {OBJECT} -> {REF}
  %v = tfx_host.load %r : {REF}
  %y = arith.addi %v, %x : i32
  return %y : i32
}}
func.func private @node_bump(%o: {OBJECT}, %x: i32) {{
  %y = func.call @node_get(%o, %x) : ({OBJECT}, i32) -> i32
  %r = tfx_host.member_ref %o["v"] : {OBJECT} -> {REF}
  tfx_host.store %y, %r : i32
  return
}}
func.func private @parts_get(%p: {PARTS}, %x: i32) -> i32 {{
  %a = tfx_host.extract %p["a"] : {PARTS} -> i32
  %y = arith.muli %a, %x : i32
  return %y : i32
}}
func.func private @parts_bump(%p: {PARTS}, %x: i32) {{
  %o = tfx_host.extract %p["o"] : {PARTS} -> {OBJECT}
  func.call @node_bump(%o, %x) : ({OBJECT}, i32) -> ()
  return
}}
tfx_host.witness_table @Node_Countable : {OBJECT} conforms @Countable {{get = @node_get, bump = @node_bump}}
tfx_host.witness_table @Parts_Countable : {PARTS} conforms @Countable {{get = @parts_get, bump = @parts_bump}}
func.func private @value(%x: i32, %s: {STRING}, %t: {TENSOR}) -> i32 {{
  return %x : i32
}}
func.func private @step(%o: {OBJECT}, %v: {REF}, %x: i32) -> i32 {{
  %b = tfx_host.load %v : {REF}
  %c = arith.addi %b, %x : i32
  tfx_host.store %c, %v : i32
  %y = func.call @node_get(%o, %c) : ({OBJECT}, i32) -> i32
  return %y : i32
}}
func.func private @set(%r: {REF}, %x: i32) -> i32 {{
  tfx_host.store %x, %r : i32
  return %x : i32
}}
func.func private @first_or(%a: {ARRAY}, %o: {OBJECT}) -> {OBJECT} {{
  %zero = arith.constant 0 : index
  %n = tfx_host.array_count %a : {ARRAY}
  %any = arith.cmpi ne, %n, %zero : index
  cf.cond_br %any, ^yes, ^done(%o : {OBJECT})
^yes:
  %x = tfx_host.array_get %a[%zero] : {ARRAY}
  cf.br ^done(%x : {OBJECT})
^done(%r: {OBJECT}):
  return %r : {OBJECT}
}}
"""


def wrap(number):
    """As 32 bits have it."""
    return (number + 2**31) % 2**32 - 2**31


class Node:
    """An object, in Python."""

    def __init__(self, v, f, following):
        self.v, self.f, self.following = v, f, following


class Parts:
    """A struct that is made an existential, in Python."""

    def __init__(self, a, node):
        self.a, self.node = a, node

    def get(self, x):
        return wrap(self.a * x)

    def bump(self, x):
        self.node.v = wrap(self.node.v + x)


class Whole:
    """An object that is made an existential, in Python."""

    def __init__(self, node):
        self.node = node

    def get(self, x):
        return wrap(self.node.v + x)

    def bump(self, x):
        self.node.v = wrap(self.node.v + x)


def stepper(node, start):
    """A closure that shares a variable with itself."""
    cell = [start]

    def step(x):
        cell[0] = wrap(cell[0] + x)
        return wrap(node.v + cell[0])

    return step


class Program:
    """Operations as text for tfxc, and as functions of an environment for Python."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0
        self.text = []
        self.said = []
        start = {kind: [] for kind in TYPES}
        self.entry = []
        self.text += ["func.func @main(%fuel: i32) {", "  %zero = arith.constant 0 : i32", "  %one = arith.constant 1 : i32"]
        self.start(start)
        for _ in range(self.random.randint(3, 8)):
            self.operation(start, self.entry)
        size = self.random.randint(2, 6)
        self.first = (self.random.randrange(size), [self.random.choice(start[kind]) for kind in TYPES])
        self.text.append(self.branch(self.first, "%fuel"))
        self.blocks = [self.block(number, size, start) for number in range(size)]
        self.text += ["^exit:", "  return", "}"]

    def start(self, env):
        """One value of each type."""
        number, string, tensor = self.define(env, "i32"), self.define(env, STRING), self.define(env, TENSOR)
        self.emit(self.entry, f"  {number} = arith.constant 2 : i32", lambda e: e.update({number: 2}))
        self.text.append(f'  {string} = tfx_host.string "text"')
        self.text.append(f"  {tensor} = tfx_tensor.const dense<1.0> : {TENSOR}")
        empty = self.define(env, ARRAY)
        self.emit(self.entry, f"  {empty} = tfx_host.array() : {ARRAY}", lambda e: e.update({empty: []}))
        for make in [self.make_value, self.make_node, self.make_step, self.erase_node]:
            make(env, self.entry)

    def block(self, number, size, start):
        """Arguments of all types; what the entry has is there in some blocks."""
        arguments = [f"%b{number}_{index}" for index in range(len(TYPES))]
        env = {kind: list(names) if self.random.random() < 0.6 else [] for kind, names in start.items()}
        for name, kind in zip(arguments, TYPES):
            env[kind].append(name)
        header = ", ".join(f"{name}: {kind}" for name, kind in zip(arguments, TYPES))
        self.text.append(f"^b{number}(%fuel{number}: i32, {header}):")
        body = []
        for _ in range(self.random.randint(2, 9)):
            self.operation(env, body)
        targets = [
            (self.random.randrange(size), [self.random.choice(env[kind]) for kind in TYPES])
            for _ in range(self.random.randint(1, 2))
        ]
        condition = self.random.choice(env["i32"])
        left = f"%left{number}"
        self.text += [
            f"  {left} = arith.subi %fuel{number}, %one : i32",
            f"  %stop{number} = arith.cmpi sle, {left}, %zero : i32",
            f"  cf.cond_br %stop{number}, ^exit, ^go{number}",
            f"^go{number}:",
        ]
        if len(targets) == 1:
            self.text.append(self.branch(targets[0], left))
        else:
            self.text.append(f"  %negative{number} = arith.cmpi slt, {condition}, %zero : i32")
            ways = ", ".join(self.branch(target, left).removeprefix("  cf.br ") for target in targets)
            self.text.append(f"  cf.cond_br %negative{number}, {ways}")
        return arguments, body, targets, condition

    def branch(self, target, fuel):
        return f"  cf.br ^b{target[0]}({fuel}, {', '.join(target[1])} : i32, {', '.join(TYPES)})"

    def define(self, env, kind):
        self.count += 1
        env[kind].append(f"%v{self.count}")
        return f"%v{self.count}"

    def emit(self, body, text, run):
        self.text.append(text)
        body.append(run)

    def pick(self, env, *kinds):
        return [self.random.choice(env[kind]) for kind in kinds]

    def member(self, node, field, kind):
        self.count += 1
        self.text.append(f'  %v{self.count} = tfx_host.member_ref {node}["{field}"] : {OBJECT} -> !tfx_host.ref<{kind}>')
        return f"%v{self.count}"

    def operation(self, env, body):
        self.random.choice(self.OPERATIONS)(self, env, body)

    def constant(self, env, body):
        number, result = self.random.randint(-5, 5), self.define(env, "i32")
        self.emit(body, f"  {result} = arith.constant {number} : i32", lambda e: e.update({result: number}))

    def make_node(self, env, body):
        v, s, f, a, t = self.pick(env, "i32", STRING, VALUE, ARRAY, TENSOR)
        result = self.define(env, OBJECT)
        types = f"(i32, {STRING}, {VALUE}, {ARRAY}, {TENSOR}) -> {OBJECT}"
        self.emit(body, f"  {result} = tfx_host.new({v}, {s}, {f}, {a}, {t}) : {types}", lambda e: e.update({result: Node(e[v], e[f], e[a])}))

    def read(self, env, body):
        (node,) = self.pick(env, OBJECT)
        place, result = self.member(node, "v", "i32"), self.define(env, "i32")
        self.emit(body, f"  {result} = tfx_host.load {place} : {REF}", lambda e: e.update({result: e[node].v}))

    def write(self, env, body):
        node, x = self.pick(env, OBJECT, "i32")
        place = self.member(node, "v", "i32")
        self.emit(body, f"  tfx_host.store {x}, {place} : i32", lambda e: setattr(e[node], "v", e[x]))

    def write_by_reference(self, env, body):
        node, x = self.pick(env, OBJECT, "i32")
        place, closure, result = self.member(node, "v", "i32"), self.define(env, STEP), self.define(env, "i32")
        self.text.append(f"  {closure} = tfx_host.closure @set({place}) : ({REF}) -> {STEP}")

        def run(e):
            held = e[node]
            e[closure] = lambda value: (setattr(held, "v", value), value)[1]
            e[result] = e[closure](e[x])

        self.emit(body, f"  {result} = tfx_host.apply {closure}({x}) : {STEP}", run)

    def read_value(self, env, body):
        (node,) = self.pick(env, OBJECT)
        place, result = self.member(node, "f", VALUE), self.define(env, VALUE)
        self.emit(body, f"  {result} = tfx_host.load {place} : !tfx_host.ref<{VALUE}>", lambda e: e.update({result: e[node].f}))

    def write_value(self, env, body):
        node, f = self.pick(env, OBJECT, VALUE)
        place = self.member(node, "f", VALUE)
        self.emit(body, f"  tfx_host.store {f}, {place} : {VALUE}", lambda e: setattr(e[node], "f", e[f]))

    def array(self, env, body):
        elements = self.pick(env, *[OBJECT] * self.random.randint(0, 3))
        result = self.define(env, ARRAY)
        self.emit(body, f"  {result} = tfx_host.array({', '.join(elements)}) : {ARRAY}", lambda e: e.update({result: [e[x] for x in elements]}))

    def first_or(self, env, body):
        array, node = self.pick(env, ARRAY, OBJECT)
        result = self.define(env, OBJECT)
        call = f"func.call @first_or({array}, {node}) : ({ARRAY}, {OBJECT}) -> {OBJECT}"
        self.emit(body, f"  {result} = {call}", lambda e: e.update({result: e[array][0] if e[array] else e[node]}))

    def following(self, env, body):
        (node,) = self.pick(env, OBJECT)
        place, result = self.member(node, "next", ARRAY), self.define(env, ARRAY)
        self.emit(body, f"  {result} = tfx_host.load {place} : !tfx_host.ref<{ARRAY}>", lambda e: e.update({result: e[node].following}))

    def make_value(self, env, body):
        x, s, t = self.pick(env, "i32", STRING, TENSOR)
        result = self.define(env, VALUE)

        def run(e):
            number = e[x]
            e[result] = lambda: number

        self.emit(body, f"  {result} = tfx_host.closure @value({x}, {s}, {t}) : (i32, {STRING}, {TENSOR}) -> {VALUE}", run)

    def make_step(self, env, body):
        node, x = self.pick(env, OBJECT, "i32")
        result = self.define(env, STEP)
        self.text += [f"  {result}_v = tfx_host.var : {REF}", f"  tfx_host.store {x}, {result}_v : i32"]
        closure = f"tfx_host.closure @step({node}, {result}_v) : ({OBJECT}, {REF}) -> {STEP}"
        self.emit(body, f"  {result} = {closure}", lambda e: e.update({result: stepper(e[node], e[x])}))

    def call_value(self, env, body):
        (f,) = self.pick(env, VALUE)
        result = self.define(env, "i32")
        self.emit(body, f"  {result} = tfx_host.apply {f}() : {VALUE}", lambda e: e.update({result: e[f]()}))

    def call_step(self, env, body):
        f, x = self.pick(env, STEP, "i32")
        result = self.define(env, "i32")
        self.emit(body, f"  {result} = tfx_host.apply {f}({x}) : {STEP}", lambda e: e.update({result: e[f](e[x])}))

    def erase_node(self, env, body):
        (node,) = self.pick(env, OBJECT)
        result = self.define(env, ANY)
        self.emit(body, f"  {result} = tfx_host.erase {node} : {OBJECT} to {ANY}", lambda e: e.update({result: Whole(e[node])}))

    def erase_parts(self, env, body):
        x, s, node = self.pick(env, "i32", STRING, OBJECT)
        result = self.define(env, ANY)
        self.text.append(f"  {result}_s = tfx_host.make_struct({x}, {s}, {node}) : (i32, {STRING}, {OBJECT}) -> {PARTS}")
        self.emit(body, f"  {result} = tfx_host.erase {result}_s : {PARTS} to {ANY}", lambda e: e.update({result: Parts(e[x], e[node])}))

    def get(self, env, body):
        a, x = self.pick(env, ANY, "i32")
        result = self.define(env, "i32")
        self.emit(body, f'  {result} = tfx_host.dynamic_call {a}["get"]({x}) : ({ANY}, i32) -> i32', lambda e: e.update({result: e[a].get(e[x])}))

    def bump(self, env, body):
        a, x = self.pick(env, ANY, "i32")
        self.emit(body, f'  tfx_host.dynamic_call {a}["bump"]({x}) : ({ANY}, i32) -> ()', lambda e: e[a].bump(e[x]))

    def say(self, env, body):
        (x,) = self.pick(env, "i32")
        self.emit(body, f'  tfx_host.print "{{}}"({x}) : i32', lambda e: self.said.append(str(e[x])))

    def graph(self, env, body):
        t, node = self.pick(env, TENSOR, OBJECT)
        place, old, result = self.member(node, "t", TENSOR), self.define(env, TENSOR), self.define(env, TENSOR)
        self.text += [
            f"  {old} = tfx_host.load {place} : !tfx_host.ref<{TENSOR}>",
            f'  {result} = tfx_tensor.op "Mul"({t}, {old}) : ({TENSOR}, {TENSOR}) -> {TENSOR}',
            f"  tfx_host.store {result}, {place} : {TENSOR}",
        ]

    def select(self, env, body):
        kind = self.random.choice([OBJECT, ARRAY, VALUE, STEP, ANY])
        a, b, x = self.pick(env, kind, kind, "i32")
        result = self.define(env, kind)
        self.text.append(f"  {result}_c = arith.cmpi slt, {x}, %zero : i32")
        text = f"  {result} = arith.select {result}_c, {a}, {b} : {kind}"
        self.emit(body, text, lambda e: e.update({result: e[a] if e[x] < 0 else e[b]}))

    OPERATIONS = [
        constant, make_node, read, write, write_by_reference, read_value, write_value, array, first_or, following, make_value,
        make_step, call_value, call_step, erase_node, erase_parts, get, bump, say, graph, select,
    ]  # fmt: skip

    def run(self, fuel):
        """What the program says."""
        self.said.clear()
        env = {}
        for operation in self.entry:
            operation(env)
        at = self.first
        while True:
            arguments, body, targets, condition = self.blocks[at[0]]
            values = [env.get(name) for name in at[1]]
            env.update(zip(arguments, values))
            for operation in body:
                operation(env)
            fuel -= 1
            if fuel <= 0:
                return list(self.said)
            at = targets[0] if len(targets) == 1 or env[condition] < 0 else targets[1]


def check(seed, path, options):
    program = Program(seed)
    with open(path, "w") as file:
        file.write(LIBRARY + "\n".join(program.text) + "\n")
    for fuel in [1, 7, 30]:
        run = subprocess.run(["tfxc", "run", path, str(fuel), "--stats", *options], capture_output=True, text=True)
        wanted = program.run(fuel)
        clean = run.stderr.rstrip().endswith("0 not freed, with 0 tensors")
        if run.returncode != 0 or run.stdout.split() != wanted or not clean:
            sys.exit(f"seed {seed}, {fuel} trips: {path}\nwanted {wanted}\ngot    {run.stdout.split()}\n{run.stderr[-2000:]}")


def main():
    folder, first, last, *options = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for seed in range(int(first), int(last)):
        check(seed, os.path.join(folder, f"{seed}.mlir"), options)
    print(f"{int(last) - int(first)} programs agree")


main()
