"""Prints random schedules without events: straight code, loops with rings, branches and calls.

    random_schedules.py SEED COUNT
"""

import random
import sys

STREAM = "!tfx_stream.stream<cuda>"
BUFFER = "!tfx_stream.buffer<64, cuda>"


class Schedule:
    def __init__(self, rng, parts):
        self.rng, self.parts, self.lines, self.names = rng, parts, [], 0

    def name(self):
        self.names += 1
        return f"%x{self.names}"

    def emit(self, text):
        self.lines.append("  " + text)

    def stream(self):
        return self.rng.choice(self.streams)

    def work(self, buffers):
        chosen = self.rng.sample(buffers, min(len(buffers), self.rng.randint(1, 2)))
        modes = [self.rng.choice(["read", "read", "write", "update"]) for _ in chosen]
        accesses = ", ".join(f"{b} {m}" for b, m in zip(chosen, modes))
        types = ", ".join([BUFFER] * len(chosen))
        results = sum(m != "read" for m in modes)
        bind = f"{self.name()}:{results} = " if results else ""
        self.emit(f"{bind}tfx_stream.launch {self.stream()} @k({accesses}) : {STREAM}, {types}")

    def body(self, buffers, depth, length):
        """Writes commands; what they allocate is released at the end."""
        own = []
        for _ in range(length):
            kind = self.rng.randrange(12)
            usable = buffers + own
            if kind < 2 or not usable:
                name = self.name()
                self.emit(f"{name} = tfx_stream.alloc on {self.stream()} : {BUFFER} on {STREAM}")
                own.append(name)
            elif kind < 7:
                self.work(usable)
            elif kind == 7 and own:
                dead = own.pop(self.rng.randrange(len(own)))
                self.emit(f"tfx_stream.free {dead} on {self.stream()} : {BUFFER} on {STREAM}")
            elif kind == 8 and depth:
                self.loop(usable, depth)
            elif kind == 9 and depth:
                self.emit("scf.if %c {")
                self.body(usable, depth - 1, self.rng.randint(1, 4))
                self.emit("} else {")
                self.body(usable, depth - 1, self.rng.randint(0, 3))
                self.emit("}")
            elif kind == 10 and depth:
                self.while_loop(usable, depth)
            elif kind == 11 and self.parts and len(usable) > 1:
                part, streams = self.rng.choice(self.parts)
                actual = [self.stream() for _ in range(streams)]
                passed = self.rng.sample(usable, 2)
                types = ", ".join([STREAM] * streams + [BUFFER] * 2 + ["index", "i1"])
                arguments = ", ".join(actual + passed + ["%n", "%c"])
                self.emit(f"tfx_stream.call @{part}({arguments}) : ({types}) -> ()")
        self.rng.shuffle(own)
        for dead in own:
            self.emit(f"tfx_stream.free {dead} on {self.stream()} : {BUFFER} on {STREAM}")

    def loop(self, buffers, depth):
        ring = self.rng.sample(buffers, min(len(buffers), self.rng.randint(1, 3)))
        inside = [self.name() for _ in ring]
        result = self.name()
        pairs = ", ".join(f"{a} = {b}" for a, b in zip(inside, ring))
        types = ", ".join([BUFFER] * len(ring))
        bound = self.rng.choice(["%n", "%c3"])
        self.emit(
            f"{result}:{len(ring)} = scf.for {self.name()} = %c0 to {bound} step %c1 "
            f"iter_args({pairs}) -> ({types}) {{"
        )
        others = [b for b in buffers if b not in ring]
        self.body(inside + others, depth - 1, self.rng.randint(1, 5))
        rotated = ", ".join(inside[1:] + inside[:1])
        self.emit(f"scf.yield {rotated} : {types}")
        self.emit("}")

    def while_loop(self, buffers, depth):
        result, before, after = self.name(), self.name(), self.name()
        self.emit(f"{result} = scf.while ({before} = %c0) : (index) -> index {{")
        self.body(buffers, 0, self.rng.randint(0, 3))
        go = self.name()
        self.emit(f"{go} = arith.cmpi ult, {before}, %n : index")
        self.emit(f"scf.condition({go}) {before} : index")
        self.emit("} do {")
        self.emit(f"^bb0({after}: index):")
        self.body(buffers, 0, self.rng.randint(0, 4))
        more = self.name()
        self.emit(f"{more} = arith.addi {after}, %c1 : index")
        self.emit(f"scf.yield {more} : index")
        self.emit("}")

    def text(self, head, streams, buffers):
        self.streams = [f"%s{i}" for i in range(streams)]
        own = [f"%b{i}" for i in range(buffers)]
        parameters = [f"{s}: {STREAM}" for s in self.streams] + [f"{b}: {BUFFER}" for b in own]
        for number, constant in enumerate(["%c0", "%c1", "", "%c3"]):
            if constant:
                self.emit(f"{constant} = arith.constant {number} : index")
        self.body(own, 2, self.rng.randint(3, 10))
        lines = "\n".join(self.lines)
        parameters = ", ".join(parameters + ["%n: index", "%c: i1"])
        return f"tfx_stream.schedule {head}({parameters}) {{\n{lines}\n  tfx_stream.return\n}}\n"


def main(seed, count):
    rng = random.Random(seed)
    for index in range(count):
        parts = []
        for part in range(rng.randint(0, 2)):
            name, streams = f"part{index}_{part}", rng.randint(1, 3)
            print(Schedule(rng, list(parts)).text(f"private @{name}", streams, 2))
            parts.append((name, streams))
        print(Schedule(rng, parts).text(f"@main{index}", rng.randint(1, 4), rng.randint(1, 4)))


main(int(sys.argv[1]), int(sys.argv[2]))
