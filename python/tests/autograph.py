"""The reference tests of TensorFlow's AutoGraph, restated as programs of tfx.

Each group is one file of https://github.com/tensorflow/autograph/tree/master/reference_tests.
`RUNS` has programs with the arguments of their calls. `REFUSED` has programs with the reason why
they are not compiled, and the arguments of one call. In these, a comment `# error: ..` has words of
the error, on the line that the error names; `# TypeError: ..` is for arguments. A parameter that
takes both an int and a tensor has no annotation.
"""

import collections
import itertools
from typing import NamedTuple

import numpy as np

import tfx
from cases import LOG, array
from tfx import Tensor, f32, f64, i32

RUNS = {}
REFUSED = {}


def scalar(value, dtype="int32"):
    return tfx.asarray(np.array(value, dtype=dtype))


def vector(*values):
    return array(*values, dtype="int32")


YES, NO = scalar(True, "bool"), scalar(False, "bool")


@tfx.host
def note(value: int) -> int:
    LOG.append(value)
    return value


@tfx.host
def counted(value: int) -> bool:
    LOG.append(value)
    return value > 0


# assertion_test


@tfx.program
def assert_positive(x: int):
    assert x > 0
    return x


@tfx.program
def assert_tensor(x: Tensor[f32, None]):
    assert x.sum() > 0.0
    return x * 2.0


@tfx.program
def assert_message(x: int, limit: int):
    print("before", x)
    assert x < limit, f"{x} is not below {limit}"
    return limit - x


@tfx.program
def assert_in_loop(x: Tensor[f32, None], n: int):
    for i in range(n):
        x = x - 1.0
        assert x.min() > 0.0, "an element is used up"
        print(i)
    return x


@tfx.program
def assert_message_is_lazy(x: int):
    assert x > 0, note(x)
    return x


RUNS["assertion_test"] = [
    (assert_positive, (1,), (0,), (-1,)),
    (assert_tensor, (array(1, 2),), (array(1, -2),)),
    (assert_message, (1, 3), (3, 3)),
    (assert_in_loop, (array(3.5, 4.5), 3), (array(3.5, 2.5), 3)),
    (assert_message_is_lazy, (1,), (-1,)),
]
REFUSED["assertion_test"] = []


# basic_ifexp_test


@tfx.program
def two_conditionals(x):
    x = x + 10 if x < 0 else x - 1
    x = 2 * x if x > 5 else -x
    return x


@tfx.program
def conditional_chain(x):
    return 1 if x < 0 else 2 if x == 0 else 3 if x < 10 else 4


@tfx.program
def conditionals_in_branches(x):
    if x > 2:
        y = x * 3 if x > 4 else x
        z = y - 1 if y > x else y + 1
    else:
        y = x - 3 if x > 0 else -x
        z = x if y < 0 else y
    return x, y, z


@tfx.program
def conditional_is_lazy(x: int):
    return note(x) if x > 3 else note(-x)


@tfx.program
def conditional_of_tensors(x: Tensor[f32, None], y: Tensor[f32, None]):
    larger = x if x.sum() > y.sum() else y
    return larger - (x if x.sum() <= y.sum() else y)


@tfx.program
def conditional_callee(x: int, flag: bool):
    return (abs if flag else float)(x)  # error: a variable has one type where paths meet


@tfx.program
def conditional_types(x: int):
    return x if x > 0 else 0.5  # error: write a float in both places


@tfx.program
def conditional_on_vector(x: Tensor[f32, 3]):
    return x if x > 0 else -x  # error: write any(x) or all(x)


RUNS["basic_ifexp_test"] = [
    (two_conditionals, *[(x,) for x in (-9, -1, 0, 7)], *[(scalar(x),) for x in (-9, 0, 7)]),
    (conditional_chain, *[(x,) for x in (-1, 0, 1, 10)], *[(scalar(x),) for x in (-1, 0, 1, 10)]),
    (conditionals_in_branches, *[(x,) for x in (-1, 1, 3, 5)], *[(scalar(x),) for x in (-1, 1, 3, 5)]),
    (conditional_is_lazy, (3,), (4,)),
    (conditional_of_tensors, (array(1, 2), array(3, 4)), (array(3, 4), array(1, 2))),
]
REFUSED["basic_ifexp_test"] = [
    (conditional_callee, "functions that are arguments, or depend on data", (1, True)),
    (conditional_types, "two types where paths meet", (1,)),
    (conditional_on_vector, "the truth of several elements", (array(1, 2, 3),)),
]


# call_to_builtin_function_test


@tfx.program
def lengths(x: Tensor[f32, None, None], pair: tuple[int, int]):
    return len(x), len(x[0]), len(pair), len([1, *pair]), len("text")


@tfx.program
def shadowed_len(x: Tensor[f32, None]):
    def len(x):
        return x.sum()

    return len(x)


@tfx.program
def returned_len(x: Tensor[f32, None]):
    def factory():
        return len

    size = factory()
    return size(x)


@tfx.program
def list_of_range(pair: tuple[int, int, int]):
    return list(range(len(pair))), tuple(enumerate(pair)), list(zip(pair, pair[1:])), list(reversed(pair))


@tfx.program
def numbers(a: int, b: int, x: float):
    return abs(a), min(a, b), max(a, b, 3), sum((a, b, 1)), pow(a, 2), divmod(a, 7), round(x, 1), any((a > b, b > 5))


@tfx.program
def builtins_of_tensors(x: Tensor[f32, None]):
    return abs(x), x.min(), max(x[0], x[1]), sum(row * 2.0 for row in (x, x)), all((x[0] > 0, x[1] > 0))


@tfx.program
def map_and_filter(pair: tuple[int, int]):
    return list(map(lambda x: x * 2, pair)), tuple(filter(lambda x: x > 1, (1, 2, 3)))  # error: 'map'


@tfx.program
def sorts(a: int, b: int):
    return sorted((a, b))  # error: 'sorted'


@tfx.program
def dict_of_keyword(x: int):
    return dict(total=x)  # error: 'dict'


@tfx.program
def dict_from_factory(x: int):
    def factory():
        return dict  # error: 'dict'

    return factory()(total=x)


@tfx.program
def set_of_values(x: int):
    return len({x, 1})  # error: @tfx.host


@tfx.program
def slice_of_list(a: int, b: int):
    items = [a, b, 3]
    print(items[1:])
    return items[:-1]


@tfx.program
def shadowed_print(n: int):
    print = note
    for sum in range(n):
        print(sum)
    return n


RUNS["call_to_builtin_function_test"] = [
    (lengths, (tfx.zeros((2, 3)), (4, 5))),
    (shadowed_len, (array(1, 2),)),
    (returned_len, (array(1, 2, 3),)),
    (list_of_range, ((5, 6, 7),)),
    (numbers, (-3, 4, 2.25), (9, 4, -0.05)),
    (builtins_of_tensors, (array(-1, 2),), (array(3, 2),)),
    (slice_of_list, (1, 2)),
    (shadowed_print, (0,), (3,)),
]
REFUSED["call_to_builtin_function_test"] = [
    (map_and_filter, "other functions and operators", ((1, 2),)),
    (sorts, "other functions and operators", (2, 1)),
    (dict_of_keyword, "dicts, sets, and classes other than `@tfx.struct`", (1,)),
    (dict_from_factory, "dicts, sets, and classes other than `@tfx.struct`", (1,)),
    (set_of_values, "dicts, sets, and classes other than `@tfx.struct`", (1,)),
]


# call_to_cast_function_test


@tfx.program
def nested_cast(x: float):
    return float(int(x)), int(float(int(x))), bool(int(x))


@tfx.program
def casts_of_int(n: int):
    return float(n), bool(n), int(n > 2), int(float(n) / 2.0)


@tfx.program
def casts_of_tensor(x):
    return int(x), float(x), bool(x), float(int(x)) + 0.5, x.item()


@tfx.program
def element_types(x: Tensor[f32, None]):
    return x.astype(i32), x.astype(f64), (x > 0).astype(f32), x.astype(i32).astype(f32) - x


@tfx.program
def text_casts(n: int, x: float):
    return str(n) + "/" + str(x), f"{n:>4}|{x:.2f}"


@tfx.program
def int_of_text(text: str):
    return int(text)  # error: @tfx.host


@tfx.program
def float_of_vector(x: Tensor[f32, 2]):
    return float(x)  # error: write x[i], or a reduction


RUNS["call_to_cast_function_test"] = [
    (nested_cast, (3.0,), (-2.75,), (5,), (float("inf"),), (float("nan"),)),
    (casts_of_int, (0,), (5,), (-7,)),
    (casts_of_tensor, (scalar(5),), (scalar(-2.75, "float32"),), (YES,)),
    (element_types, (array(1.5, -2.5, 0.0),)),
    (text_casts, (12, 1.5)),
]
REFUSED["call_to_cast_function_test"] = [
    (int_of_text, "other functions and operators", ("12",)),
    (float_of_vector, "the truth of several elements", (array(1, 2),)),
]


# call_to_lambda_function_test


@tfx.program
def local_lambda(x):
    f = lambda y: y * 3 if y > 1 else y - 4
    return f(x)


@tfx.program
def lambda_argument(x: int, f):  # TypeError: 'f' is a tensor, a scalar, a tuple or an object
    return f(x) + f(x + 1)


@tfx.program
def passes_lambda(x: int):
    def calls(f, x):
        return f(x) + f(x + 1)

    return calls(lambda y: y * y, x), calls(lambda y: note(y), x)


@tfx.program
def lambda_with_keywords(x: int):
    f = lambda a, b=5, *rest, scale=1: (a - b) * scale + len(rest)
    return f(x), f(x, 2), f(b=x, a=1), f(x, 2, 7, 8, scale=3)


@tfx.program
def lambda_in_loop(x: int):
    total = 0
    for f in (lambda y: y + x, lambda y: y * x, lambda y: note(y)):
        total = total * 10 + f(total + 2)
    return total


@tfx.program
def late_binding(x: int):
    fs = [lambda: i * x for i in range(3)]
    now = [lambda i=i: i * x for i in range(3)]
    return [f() for f in fs], [f() for f in now]


@tfx.program
def curried(x: Tensor[f32, None], k: float):
    return (lambda a: lambda b: a * b + k)(x)(x + 1.0)


RUNS["call_to_lambda_function_test"] = [
    (local_lambda, (1,), (3,), (scalar(1),), (scalar(3),)),
    (passes_lambda, (3,)),
    (lambda_with_keywords, (4,)),
    (lambda_in_loop, (3,)),
    (late_binding, (5,)),
    (curried, (array(1, 2), 0.5)),
]
REFUSED["call_to_lambda_function_test"] = [
    (lambda_argument, "functions that are arguments, or depend on data", (1, lambda y: y)),
]


# call_to_named_tuple_test

Pair = collections.namedtuple("Pair", ("left", "right"))


class Sized(NamedTuple):
    size: int

    def next(self):
        return self.size + 1


@tfx.struct
class Entry:
    key: int
    value: Tensor[f32, None]

    def moved(self, by: int):
        return Entry(self.key + by, self.value * 2.0)


@tfx.program
def local_named_tuple(x: int):
    Point = collections.namedtuple("Point", ("x", "y"))  # error: 'collections' runs on the host
    return Point(x=1, y=x)


@tfx.program
def global_named_tuple(x: int):
    return Pair(left=1, right=x)  # error: 'Pair'


@tfx.program
def named_tuple_with_method(x: int):
    return Sized(x).next()  # error: 'Sized'


@tfx.program
def named_tuple_argument(pair):  # TypeError: or an object of a @tfx.struct, but got Pair
    return pair.left + pair.right


@tfx.program
def named_tuple_by_index(pair):  # TypeError: or an object of a @tfx.struct, but got Pair
    print(pair)
    return pair[0] - pair[1]


@tfx.program
def object_with_names(x: Tensor[f32, None], key: int):
    return Entry(key=key, value=x), Entry(value=x + 1.0, key=-key).moved(by=3)


@tfx.program
def object_in_loop(x: Tensor[f32, None], n: int):
    entry = Entry(0, x)
    while entry.key < n and entry.value.sum() < 100.0:
        entry = entry.moved(2)
    return entry, entry.value[0]


@tfx.program
def tuple_instead(x: int):
    left, right = pair = (1, x)
    return pair, left - right, pair[-1]


@tfx.program
def object_argument(entry: Entry):
    return entry.moved(1).value, entry.key


@tfx.program
def object_without_annotation(entry):
    return entry.key


RUNS["call_to_named_tuple_test"] = [
    (object_with_names, (array(1, 2), 4)),
    (object_in_loop, (array(1, 2), 5), (array(30, 2), 50), (array(1, 2), 0)),
    (tuple_instead, (5,)),
    (object_argument, (Entry(1, array(1, 2)),)),
    (object_without_annotation, (Entry(1, array(1, 2)),)),
]
REFUSED["call_to_named_tuple_test"] = [
    (local_named_tuple, "dicts, sets, and classes other than `@tfx.struct`", (1,)),
    (global_named_tuple, "dicts, sets, and classes other than `@tfx.struct`", (1,)),
    (named_tuple_with_method, "dicts, sets, and classes other than `@tfx.struct`", (1,)),
    (named_tuple_argument, "dicts, sets, and classes other than `@tfx.struct`", (Pair(1, 2),)),
    (named_tuple_by_index, "dicts, sets, and classes other than `@tfx.struct`", (Pair(1, 2),)),
]


# call_to_numpy_function_test

WEIGHTS = np.float32([0.5, 2.0])


@tfx.host
def draws(n: int) -> Tensor[f32, None]:
    LOG.append(n)
    return np.random.default_rng(n).normal(size=n).astype(np.float32)


@tfx.program
def numpy_on_the_host(n: int):
    total = tfx.zeros((n,))
    for _ in range(3):
        total = total + draws(n)
    return total


@tfx.program
def numpy_array_outside(x: Tensor[f32, None]):
    return x * WEIGHTS


@tfx.program
def numpy_argument(x: Tensor[f32, None]):
    return tfx.tanh(x).sum() + x.mean()


@tfx.program
def numpy_random(n: int):
    return 2 * np.random.binomial(1, 0.5, size=(10,)) - n  # error: 'numpy' runs on the host; use a @tfx.host function


@tfx.program
def numpy_function(x: Tensor[f32, None]):
    return np.tanh(x)  # error: use tfx.tanh or a @tfx.host function


@tfx.program
def numpy_constant(x: float):
    return x * np.pi  # error: 'numpy' runs on the host


RUNS["call_to_numpy_function_test"] = [
    (numpy_on_the_host, (4,)),
    (numpy_array_outside, (array(1, 2),)),
    (numpy_argument, (np.float32([1.0, 2.0]),)),
]
REFUSED["call_to_numpy_function_test"] = [
    (numpy_random, "NumPy outside of `@tfx.host`", (1,)),
    (numpy_function, "NumPy outside of `@tfx.host`", (array(1, 2),)),
    (numpy_constant, "NumPy outside of `@tfx.host`", (1.0,)),
]


# call_to_print_function_test


@tfx.program
def prints_value(x):
    print(x)
    return x + 1


@tfx.program
def prints_values(x, y):
    print("x:", x, "y:", y)
    print(y, x, sep="/")
    print()
    print("end", end="!\n")
    return x + y


@tfx.program
def prints_in_branch(x):
    if x == 0:
        print("zero", x)
    elif x > 5:
        print(f"large: {x}")
    return x


@tfx.program
def prints_structures(x: int, t: Tensor[f32, None]):
    print((x, t, None, True), [1.5, x], "it's", ("it's", x))
    print(t.shape, t[0], -0.0, 1e22, x / 3)


@tfx.program
def prints_in_order(x: Tensor[f32, None], n: int):
    for i in range(n):
        print("graph", x.sum())
        note(i)
        x = x * 2.0
    print(x)


@tfx.program
def print_as_value(x: int):
    show = print
    show("x", x)
    return show(x)


@tfx.program
def prints_dict(x: int):
    print("x", x, {"key": "value"})  # error: @tfx.host


@tfx.program
def prints_to_file(x: int, file):
    print(x, file=file)  # error: use a @tfx.host function


RUNS["call_to_print_function_test"] = [
    (prints_value, (1,), (vector(1, 2, 3),), (2.5,), (scalar(7),)),
    (prints_values, (1, 2), (array(1, 2), 4), (scalar(1), vector(1, 2))),
    (prints_in_branch, (0,), (1,), (9,), (scalar(0),), (scalar(9),)),
    (prints_structures, (3, array(1, -0.0))),
    (prints_in_order, (array(1, 2), 3), (array(1, 2), 0)),
    (print_as_value, (4,)),
]
REFUSED["call_to_print_function_test"] = [
    (prints_dict, "dicts, sets, and classes other than `@tfx.struct`", (1,)),
    (prints_to_file, "other functions and operators", (1, None)),
]


# call_to_tf_function_test


@tfx.program
def times_constant(x: Tensor[i32]):
    return x * tfx.i32(2), x + tfx.asarray(3, dtype=i32)


@tfx.program
def tensor_functions(x: Tensor[f32, None]):
    y = tfx.where(x > 0.0, tfx.sqrt(tfx.abs(x)), tfx.zeros_like(x))
    return y, tfx.maximum(x, 0.5), tfx.sum(tfx.exp(x), axis=0), tfx.argmax(x)


@tfx.program
def function_by_name(x: Tensor[f32, None]):
    for f in (tfx.relu, tfx.square, tfx.negative):
        x = f(x) + 1.0
    return x


@tfx.program
def index_out_of_range(x: Tensor[f32, None], i: int):
    return x[i]


@tfx.program
def reshaped(x: Tensor[f32, None], n: int):
    return x.reshape(n, 1)


@tfx.program
def reshaped_to_a_wrong_size(x: Tensor[f32, None], n: int):
    return x.reshape(n, 1)


RUNS["call_to_tf_function_test"] = [
    (times_constant, (scalar(4),)),
    (tensor_functions, (array(4, -2),)),
    (function_by_name, (array(4, -2),)),
    (index_out_of_range, (array(1, 2), 2)),
    (reshaped, (array(1, 2), 2), (array(1, 2), -1)),
    (reshaped_to_a_wrong_size, (array(1, 2), 3), (array(1, 2), 1), (array(1, 2), 0)),
]
REFUSED["call_to_tf_function_test"] = []


# composite_names_in_control_flow_test


@tfx.struct
class State:
    a: int
    b: int


@tfx.struct
class Outer:
    inner: State
    x: Tensor[f32, None]


class Mutable:
    def __init__(self, a, b):
        self.a, self.b = a, b


@tfx.program
def replaces_in_branches(s: State):
    if s.a > 0:
        s = s.replace(b=1)
    else:
        s = s.replace(b=-1, a=9)
    return s


@tfx.program
def replaces_in_while(x: int, s: State):
    while x > 0:
        x -= 1
        s = s.replace(a=s.a + x)
    return s


@tfx.program
def replaces_state_only(s: State):
    while s.b <= 10:
        s = State(s.a + 1, s.b * 2)
    return s


@tfx.program
def replaces_in_for(n: int, o: Outer):
    for i in range(n):
        if o.x.sum() > 10.0:
            break
        o = o.replace(x=o.x + 1.5, inner=o.inner.replace(a=o.inner.a - i))
    return o


@tfx.program
def sets_in_branch(s: State):
    if s.a > 0:
        s.b = 1  # error: objects are immutable in a program; write replace(.., b=..)
    return s


@tfx.program
def sets_in_while(x: int, s: State):
    while x > 0:
        x -= 1
        s.a += 1  # error: objects are immutable in a program; write replace(.., a=..)
    return s


@tfx.program
def sets_in_for(n: int, o: Outer):
    for i in range(n):
        o.inner.a += i  # error: objects are immutable in a program; write replace(.., a=..)
    return o


@tfx.program
def sets_host_object(n: int, m):
    for _ in range(n):
        m.a += 1  # error: objects are immutable in a program; write replace(.., a=..)
    return n


@tfx.program
def sets_item(x: Tensor[f32, None], n: int):
    for i in range(n):
        x[i] = 0.0  # error: write x = x.at[0].set(
    return x


RUNS["composite_names_in_control_flow_test"] = [
    (replaces_in_branches, (State(1, 0),), (State(0, 0),)),
    (replaces_in_while, (3, State(3, 0)), (0, State(7, 0))),
    (replaces_state_only, (State(3, 1),), (State(7, 11),)),
    (replaces_in_for, (5, Outer(State(3, 0), array(1, 2))), (0, Outer(State(3, 0), array(1, 2)))),
]
REFUSED["composite_names_in_control_flow_test"] = [
    (sets_in_branch, "objects, lists, tensors and outer variables that change", (State(1, 0),)),
    (sets_in_while, "objects, lists, tensors and outer variables that change", (1, State(1, 0))),
    (sets_in_for, "objects, lists, tensors and outer variables that change", (1, Outer(State(1, 0), array(1)))),
    (sets_host_object, "objects, lists, tensors and outer variables that change", (1, Mutable(1, 2))),
    (sets_item, "objects, lists, tensors and outer variables that change", (array(1, 2), 2)),
]


# cond_basic_test


@tfx.program
def effect_in_if(c):
    note(0)
    if c:
        note(1)


@tfx.program
def effect_in_if_else(c):
    if c:
        note(1)
    else:
        note(2)
    note(3)


@tfx.program
def if_changes_one(n):
    i = 3
    if i < n:
        i += 4
    return i


@tfx.program
def if_else_changes_two(n):
    i, j = 1, 10
    if n > i:
        i -= 1
        j *= 3
    else:
        i += 5
        j //= 3
    return i, j


@tfx.program
def if_else_defines(c):
    if c:
        i = 1
    else:
        i = 2
    return i


@tfx.program
def if_defines(c):
    if c:
        i = 1
    return i


@tfx.program
def else_defines(c):
    if c:
        pass
    else:
        i = 2
    return i


@tfx.program
def if_sets_none_unread(c):
    i, j = 0, 1
    if c:
        i = None
        j = 2
    return j


@tfx.program
def both_set_none(c):
    if c:
        i = None
        j = 1
    else:
        i = None
        j = 2
    return i, j


@tfx.program
def if_sets_none(c):
    i, j = 0, 1  # error: a variable has one type where paths meet
    if c:
        i = None
        j = 2
    return i, j


@tfx.program
def local_of_branch(c):
    i = 0
    if c:
        j = 7
        i = j + 1
    else:
        k = 8
        i = k - 1
    return i


@tfx.program
def successive_if_elses(n, m):
    s = 0
    if n > 0:
        s = s * 10 + 1
    else:
        s = s * 11 + 2
    if m > 0:
        s = s * 10 + 3
    else:
        s = s * 11 + 4
    return s


@tfx.program
def nested_if_elses(n, m):
    s = 1
    if n > 0:
        j = 2
        if m > 0:
            s = s * 12 + j
            j += 1
        else:
            s = s * 13 - j
            j += 2
        s = s * 100 + j
    else:
        j = 5
        if m > 0:
            s = s * 14 + j
        else:
            j = 6
        s = s * 1000 - j
    return s


@tfx.program
def elif_chain(x):
    if x < -5:
        r = "low"
    elif x < 0:
        r = "negative"
    elif x == 0:
        r = "zero"
    else:
        r = "positive"
    return r


@tfx.program
def deletes_in_branch(c: bool):
    i = 1
    if c:
        del i  # error: @tfx.host
    return c


FLAGS = [(True,), (False,), (YES,), (NO,)]
BOTH = [tuple(type_(n) for n in pair) for type_ in (int, scalar) for pair in itertools.product((0, 1), (0, 1))]
RUNS["cond_basic_test"] = [
    (effect_in_if, *FLAGS),
    (effect_in_if_else, *FLAGS),
    (if_changes_one, (3,), (4,), (scalar(3),), (scalar(4),)),
    (if_else_changes_two, (0,), (2,), (scalar(0),), (scalar(2),)),
    (if_else_defines, *FLAGS),
    (if_defines, *FLAGS),
    (else_defines, *FLAGS),
    (if_sets_none_unread, *FLAGS),
    (both_set_none, *FLAGS),
    (local_of_branch, *FLAGS),
    (successive_if_elses, *BOTH, (0, scalar(1)), (scalar(1), 0)),
    (nested_if_elses, *BOTH, (0, scalar(1)), (scalar(1), 0)),
    (elif_chain, *[(x,) for x in (-9, -1, 0, 1)], *[(scalar(x),) for x in (-9, -1, 0, 1)]),
]
REFUSED["cond_basic_test"] = [
    (if_sets_none, "two types where paths meet", (True,)),
    (deletes_in_branch, "`try`, `with`, `del`, `match`", (True,)),
]


# datasets_test

ELEMENTS = {"next": 0}


@tfx.host
def rewind(n: int) -> int:
    ELEMENTS["next"] = 0
    return n


@tfx.host
def has_element() -> bool:
    return ELEMENTS["next"] < 7


@tfx.host
def element() -> int:
    if ELEMENTS["next"] >= 7:
        raise StopIteration
    ELEMENTS["next"] += 1
    LOG.append(ELEMENTS["next"])
    return ELEMENTS["next"] - 1


@tfx.program
def elements_printed(ds: Tensor[i32, None]):
    for e in ds:
        print(e)


@tfx.program
def elements_into_two(ds: Tensor[i32, None]):
    s, p = tfx.i32(0), tfx.i32(1)
    for e in ds:
        s = s * 10 + e
        p = p * (e + 1)
    return s, p


@tfx.program
def elements_with_break(ds: Tensor[i32, None]):
    s = tfx.i32(0)
    for e in ds:
        s = s * 10 + e
        if s > 100:
            break
    return s


@tfx.program
def elements_with_return(ds: Tensor[i32, None]):
    for e in ds:
        if e > 2:
            return e
    return tfx.i32(-1)


@tfx.program
def host_elements():
    s = rewind(0)
    while has_element():
        s = s * 10 + element()
        if s > 10000:
            break
    return s


@tfx.program
def host_elements_resumed(n: int):
    s = rewind(0)
    for _ in range(n):
        s = s * 10 + element()
    print(s)
    while has_element():
        s = s + element()
    return s


@tfx.program
def host_elements_end(n: int):
    rewind(0)
    for _ in range(n):
        print(element())


@tfx.program
def iterator_loop(ds: Tensor[i32, None]):
    s = tfx.i32(0)
    for e in iter(ds):  # error: 'iter'
        s = s + e
    return s


@tfx.program
def iterator_next(ds: Tensor[i32, None]):
    it = iter(ds)  # error: 'iter'
    return next(it) * 10 + next(it)


@tfx.program
def iterator_argument(it):  # TypeError: 'it' is a tensor, a scalar, a tuple or an object
    for e in it:
        print(e)


@tfx.program
def iterator_end(n: int):
    total = 0
    try:  # error: move it into a @tfx.host function
        while True:
            total += element()
    except StopIteration:
        pass
    return total


RUNS["datasets_test"] = [
    (elements_printed, (vector(*range(7)),), (vector(),)),
    (elements_into_two, (vector(*range(5)),), (vector(),)),
    (elements_with_break, (vector(*range(7)),), (vector(1, 2),)),
    (elements_with_return, (vector(*range(7)),), (vector(1),), (vector(),)),
    (host_elements, ()),
    (host_elements_resumed, (2,)),
    (host_elements_end, (3,), (9,)),
]
REFUSED["datasets_test"] = [
    (iterator_loop, "iterators and generators", (vector(1, 2),)),
    (iterator_next, "iterators and generators", (vector(1, 2),)),
    (iterator_argument, "iterators and generators", (iter([1, 2]),)),
    (iterator_end, "`try`, `with`, `del`, `match`", (0,)),
]


# distributed_dataset_test


@tfx.program
def sums_of_replicas(ds: Tensor[i32, None, 4]):
    for batch in ds:
        print(batch.sum())


@tfx.program
def replicas_into_two(ds: Tensor[i32, None, None]):
    s, p = tfx.i32(0), tfx.i32(1)
    for batch in ds:
        e = batch.sum().astype(i32)
        s = s * 10 + e
        p = p * e
    return s, p


@tfx.program
def replicas_enumerated(ds: Tensor[i32, None, None]):
    s, p = tfx.i32(0), 1
    for i, batch in enumerate(ds):
        s = s * 10 + batch.max()
        p *= i + 1
    return s, p


@tfx.program
def tuple_of_replicas(replicas: tuple[Tensor[f32, None], Tensor[f32, None]], n: int):
    total = tfx.f32(0.0)
    for i in range(n):
        for x in replicas:
            total = total + x[i]
    return total


@tfx.program
def list_of_replicas(replicas):
    total = tfx.f32(0.0)
    for x in replicas:
        total = total + x.sum()
    return total


@tfx.program
def next_of_replicas(ds: Tensor[i32, None, None], n: int):
    it = iter(ds)  # error: 'iter'
    s = tfx.i32(0)
    for _ in range(n):
        s = s * 10 + next(it).sum()
    return s


BATCHES = tfx.asarray(np.arange(12, dtype=np.int32).reshape(3, 4))
RUNS["distributed_dataset_test"] = [
    (sums_of_replicas, (BATCHES,), (BATCHES[:0],)),
    (replicas_into_two, (BATCHES,), (BATCHES[:1],)),
    (replicas_enumerated, (BATCHES,), (BATCHES[:0],)),
    (tuple_of_replicas, ((array(1, 2), array(3, 4, 5)), 2)),
    (list_of_replicas, ([array(1), array(2, 3)],)),
]
REFUSED["distributed_dataset_test"] = [
    (next_of_replicas, "iterators and generators", (BATCHES, 2)),
]


# dynamic_call_tree_test


def cubed(x):
    return x * x * x


def from_eleven(x):
    return 11 - x


def function_factory():
    return cubed


@tfx.program
def calls_factory(x: int):
    f = function_factory()
    return f(x) + function_factory()(x + 1)


@tfx.program
def calls_argument(f, x: int):  # TypeError: 'f' is a tensor, a scalar, a tuple or an object
    return f(x)


@tfx.program
def calls_parameter(x: int):
    def by_position(f, x):
        return f(x)

    def by_keyword(x, f=cubed):
        return f(x=x)

    return by_position(cubed, x), by_keyword(x), by_keyword(f=from_eleven, x=x)


@tfx.program
def calls_variable(x):
    f = cubed
    y = f(x)
    f = from_eleven
    return f(y)


@tfx.program
def calls_one_of_two(x: int, which: bool):
    f = cubed if which else from_eleven  # error: which function is called does not depend on data
    return f(x)


@tfx.program
def calls_chosen(x: int):
    def chosen(which):
        return cubed if which else from_eleven  # error: which function is called does not depend on data

    return chosen(True)(x), chosen(False)(x)


@tfx.program
def calls_in_branches(x: int, which: bool):
    if which:
        f = cubed
        y = f(x)
    else:
        f = from_eleven
        y = f(x)
    return y


@tfx.program
def calls_with_spread(x: int):
    def f(a, b, *rest, k=0):
        return a * 100 + b * 10 + len(rest) + k

    pair = (x, 2)
    return f(*pair), f(*pair, *pair, k=5)


@tfx.program
def calls_with_dict(x: int):
    def f(a, b):
        return a - b

    return f(**{"a": x, "b": 1})  # error: name the arguments


def ping(n):
    return 0 if n < 1 else pong(n - 1) + 1


def pong(n):
    return 0 if n < 1 else ping(n - 1) * 2


@tfx.program
def functions_call_each_other(n: int):
    return ping(n)


@tfx.program
def local_functions_call_each_other(n: int):
    def first(n):
        return 0 if n < 1 else second(n - 1) + 1

    def second(n):
        return 0 if n < 1 else first(n - 1) * 2

    return first(n)


@tfx.program
def defined_in_branch(which: bool):
    if which:
        def f():  # error: which function is called does not depend on data
            return 1
    else:
        def f():
            return 2
    return f()


RUNS["dynamic_call_tree_test"] = [
    (calls_factory, (3,)),
    (calls_parameter, (3,)),
    (calls_variable, (2,), (scalar(2),)),
    (calls_in_branches, (3, True), (3, False)),
    (calls_with_spread, (3,)),
    (functions_call_each_other, (3,), (0,)),
    (local_functions_call_each_other, (3,), (2,)),
]
REFUSED["dynamic_call_tree_test"] = [
    (calls_argument, "functions that are arguments, or depend on data", (cubed, 3)),
    (calls_one_of_two, "functions that are arguments, or depend on data", (3, True)),
    (calls_chosen, "functions that are arguments, or depend on data", (3,)),
    (calls_with_dict, "dicts, sets, and classes other than `@tfx.struct`", (3,)),
    (defined_in_branch, "functions that are arguments, or depend on data", (True,)),
]


# early_return_test


@tfx.program
def returns_with_default(x):
    if x > 0:
        print("x", x)
        return x
    return x - 7


@tfx.program
def returns_in_nested_ifs(x):
    if x > 0:
        if x < 5:
            return x
        else:
            return x * x
    else:
        return x - 3


@tfx.program
def returns_in_some_paths(x):
    if x > 5:
        if x > 9:
            return
        print("large")
    else:
        return
    print("end")


@tfx.program
def returns_before_loop(a, b, n: int):
    if a:
        if b:
            return 1
    for i in range(n):
        note(i)
    return 2


@tfx.program
def returns_in_nested_loops(x: Tensor[i32, None, None], limit):
    total = 0
    for row in x:
        for e in row:
            if e == limit:
                return total, 1
            total += int(e)
        while total > 100:
            total -= 7
            if total % 5 == 0:
                return total, 2
    return total, 3


@tfx.program
def returns_in_endless_loop(n):
    steps = 0
    while True:
        if n == 1:
            return steps
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1


@tfx.program
def unreachable_return(x: int):
    if x > 0:
        return x
    else:
        return -x
    return x * 4


@tfx.program
def raises_or_returns(x):
    if x > 3:
        return 1
    elif x > 1:
        raise ValueError("two or three")
    return 0


@tfx.program
def returns_in_else_of_loop(x: Tensor[i32, None], wanted: int):
    for i, e in enumerate(x):
        if e == wanted:
            return i
    else:
        return -1


@tfx.program
def returns_of_two_types(x):
    if x > 0:
        if x < 5:
            return x
    else:
        return x * x  # error: return one type


@tfx.program
def returns_in_with(x: int):
    with open("file"):  # error: @tfx.host
        if x > 0:
            return 1
        return 0


@tfx.program
def returns_with_finally(x: int):
    try:  # error: move it into a @tfx.host function
        if x > 0:
            return 1
        return 0
    finally:
        x = x + 1


@tfx.program
def returns_in_finally(x: int):
    try:  # error: move it into a @tfx.host function
        return 2
    finally:
        if x > 0:
            return 1


@tfx.program
def catches_in_tail(c: bool):
    def fails():
        raise ValueError

    if c:
        return 2
    try:  # error: move it into a @tfx.host function
        return fails()
    except ValueError:
        pass
    return 1


class OwnError(Exception):
    pass


@tfx.program
def raises_own_class(x: int):
    if x > 0:
        raise OwnError("x")  # error: 'OwnError'
    return x


@tfx.program
def returns_from_depth(x: Tensor[f32, None], n: int):
    for i in range(n):
        if x[0] > 30.0:
            return x, "first"
        for j in range(i):
            x = x + j
            if x.sum() > 20.0:
                return x * 2.0, f"second {i} {j}"
            if x.max() > 100.0:
                raise ValueError("not reached")
        else:
            x = x * 1.5
    return x, "end"


RUNS["early_return_test"] = [
    (returns_with_default, (0,), (1,), (scalar(0),), (scalar(1),)),
    (returns_in_nested_ifs, (-1,), (3,), (6,), (scalar(-1),), (scalar(3),), (scalar(6),)),
    (returns_in_some_paths, (0,), (7,), (10,), (scalar(0),), (scalar(7),), (scalar(10),)),
    (returns_before_loop, (True, True, 2), (True, False, 2), (False, True, 2), (YES, NO, 2), (YES, YES, 0)),
    (returns_in_nested_loops, (BATCHES, 3), (BATCHES, 99), (BATCHES * 30, 99), (BATCHES, scalar(7))),
    (returns_in_endless_loop, (7,), (1,), (scalar(7),)),
    (unreachable_return, (3,), (-3,)),
    (raises_or_returns, (0,), (2,), (4,), (scalar(0),), (scalar(2),), (scalar(4),)),
    (returns_in_else_of_loop, (vector(4, 5), 5), (vector(4, 5), 6), (vector(), 6)),
    (returns_from_depth, (array(1, 2, 3), 5), (array(31), 5), (array(1), 2), (array(1), 0)),
]
REFUSED["early_return_test"] = [
    (returns_of_two_types, "two types where paths meet", (1,)),
    (returns_in_with, "`try`, `with`, `del`, `match`", (1,)),
    (returns_with_finally, "`try`, `with`, `del`, `match`", (1,)),
    (returns_in_finally, "`try`, `with`, `del`, `match`", (1,)),
    (catches_in_tail, "`try`, `with`, `del`, `match`", (True,)),
    (raises_own_class, "dicts, sets, and classes other than `@tfx.struct`", (1,)),
]


# generator_test


@tfx.program
def generator():  # error: return a tuple, or move it into a @tfx.host function
    yield 1


@tfx.program
def generator_in_for(n: int):  # error: return a tuple, or move it into a @tfx.host function
    for i in range(n):
        yield i * 2


@tfx.program
def generator_in_while(n: int):  # error: return a tuple, or move it into a @tfx.host function
    while n > 0:
        n -= 1
        yield n


@tfx.program
def local_generator(n: int):
    def items():  # error: return a tuple, or move it into a @tfx.host function
        yield n

    total = 0
    for i in items():
        total += i
    return total


@tfx.program
def generator_delegates(n: int):  # error: return a tuple, or move it into a @tfx.host function
    yield from range(n)


@tfx.program
def generator_expressions(a: int, b: int):
    return sum(i * i for i in (a, b)), tuple(i - 1 for i in (a, b) for _ in range(2)), any(i > 3 for i in (a, b))


@tfx.program
def generator_expression_kept(a: int):
    items = (i * a for i in (1, 2))  # error: write tuple(..)
    return sum(items)


RUNS["generator_test"] = [(generator_expressions, (1, 2), (3, 4))]
REFUSED["generator_test"] = [
    (generator, "iterators and generators", ()),
    (generator_in_for, "iterators and generators", (2,)),
    (generator_in_while, "iterators and generators", (2,)),
    (local_generator, "iterators and generators", (2,)),
    (generator_delegates, "iterators and generators", (2,)),
    (generator_expression_kept, "iterators and generators", (2,)),
]


# logical_expression_test


@tfx.program
def ors(x, y, z):
    return x or y or z


@tfx.program
def ands(x, y, z):
    return x and y and z


@tfx.program
def mixed(x, y, z):
    return (x or y and not z), not (x and z) or y, (not x) and (y or z)


@tfx.program
def not_of_tensors(x: Tensor, y: Tensor):
    return not x, not (x and y), bool(x) or not y


@tfx.program
def or_of_tensor_and_bool(x: Tensor, y: Tensor):
    return x or not y  # error: a variable has one type where paths meet


@tfx.program
def short_circuit(x: int, y: int):
    if counted(x) and counted(y) or counted(-x):
        return 1
    return 0 if counted(y) or not counted(x) else 2


@tfx.program
def or_with_call(x, y, z):
    later = lambda: z
    return x or y or later()


@tfx.program
def equalities(x, y, z):
    return x == y, x != y, (1 if x == y == z else 0), (1 if not x == y != z else 0)


@tfx.program
def comparisons(x, y, z):
    return (1 if x < y < z else 0), x < y and y < z, (1 if x <= y > z else 0)


@tfx.program
def middle_once(x: int, z: int):
    return x < note(2) <= z, x == note(3) == z == note(4)


@tfx.program
def elementwise(x: Tensor[f32, None], y: Tensor[f32, None]):
    return (x > 0) & (y > 0) | ~(x == y), (x < y) ^ (x != 0)


@tfx.program
def and_of_vectors(x: Tensor[f32, None], y: Tensor[f32, None]):
    return x > 0 and y > 0  # error: write any(x) or all(x)


@tfx.program
def or_of_two_types(x: int, y: str):
    return x or y  # error: a variable has one type where paths meet


@tfx.program
def membership(x: int):
    return x in (1, 2, 3), x not in (1, 4)


@tfx.program
def identity(x: int, y: int):
    return x is y  # error: write ==


TRIPLES = list(itertools.product((False, True), repeat=3))
TENSOR_TRIPLES = [tuple(scalar(of, "bool") for of in triple) for triple in TRIPLES]
ORDERS = list(itertools.permutations((1, 2, 3))) + [(1, 1, 2), (2, 1, 1), (1, 1, 1)]
TENSOR_ORDERS = [tuple(scalar(of) for of in order) for order in ORDERS]
RUNS["logical_expression_test"] = [
    (ors, *TRIPLES, *TENSOR_TRIPLES, (0, 3, 4), (0, 0, 4), (0.0, 1.5, 2.5)),
    (ands, *TRIPLES, *TENSOR_TRIPLES, (1, 0, 4), (1, 2, 4)),
    (mixed, *TRIPLES),
    (not_of_tensors, *[triple[:2] for triple in TENSOR_TRIPLES]),
    (short_circuit, (1, 1), (1, -1), (-1, 1), (0, 0)),
    (or_with_call, *TRIPLES, *TENSOR_TRIPLES),
    (equalities, *ORDERS, *TENSOR_ORDERS),
    (comparisons, *ORDERS, *TENSOR_ORDERS),
    (middle_once, (1, 2), (1, 1), (2, 3), (3, 3)),
    (elementwise, (array(1, -2, 0), array(1, 2, -1))),
    (membership, (1,), (4,)),
]
REFUSED["logical_expression_test"] = [
    (and_of_vectors, "the truth of several elements", (array(1, 2), array(3, 4))),
    (or_of_two_types, "two types where paths meet", (1, "a")),
    (or_of_tensor_and_bool, "two types where paths meet", (YES, NO)),
    (identity, "other functions and operators", (1, 1)),
]


# loop_basic_test


@tfx.program
def while_effect(n):
    i = 0
    while i < n:
        note(i)
        i += 1


@tfx.program
def for_effect(l):
    for _ in l:
        note(7)


@tfx.program
def while_one(n):
    i = 1
    while i < n:
        i = i * 4 + 1
    return i


@tfx.program
def for_unused(l):
    k = 5
    for i in l:
        k += 2
    return k


@tfx.program
def while_two(n):
    s, i = 0, 0
    while i < n:
        s = s * 10 + i
        i += 1
    return s, i


@tfx.program
def for_two(l: Tensor[i32, None]):
    s, p = tfx.i32(0), tfx.i32(1)
    for i in l:
        s, p = s * 10 + i, p + s
    return s, p


@tfx.program
def for_over_tuple(l: tuple[int, int, int]):
    s = 0
    for i in l:
        s = s * 10 + i
    return s


@tfx.program
def for_over_ranges(n: int):
    s = 0
    for i in range(n):
        s = s * 10 + i
    for i in range(n, -n, -2):
        s = s * 10 + i
    for i in range(1, n):
        s -= i
    return s


@tfx.program
def for_step_zero(n: int):
    for i in range(0, 5, n):
        print(i)


@tfx.program
def successive_whiles(n, m):
    s, i = 0, 0
    while i < n:
        s = s * 10 + i
        i += 1
    j = i
    while j < m:
        s = s * 10 - j
        j += 1
    return s


@tfx.program
def successive_fors(l: Tensor[i32, None], m: Tensor[i32, None]):
    s = tfx.i32(0)
    for i in l:
        s = s * 10 + i
    for i in m:
        s = s * 10 - i
    return s


@tfx.program
def nested_whiles(n, m):
    i, total = 0, 0
    while i < n:
        j, s = 0, 1
        while j < m:
            s = s * 3 + i * j
            j += 1
        total = total * 10 + s
        i += 1
    return total


@tfx.program
def nested_fors(x: Tensor[i32, None, None]):
    out = tfx.zeros((x.shape[0],), dtype=i32)
    for i, row in enumerate(x):
        s = tfx.i32(0)
        for e in row:
            s = s * 10 + e
        out = out.at[i].set(s)
    return out


@tfx.program
def for_over_zip(x: Tensor[f32, None], n: int):
    s = tfx.f32(0.0)
    for i, (e, j) in enumerate(zip(x, range(n, 0, -1))):
        s = s * 2.0 + e * j - i
    return s


@tfx.program
def list_that_grows(n: int):
    items = []
    for i in range(n):
        items.append(i)  # error: list[] has no attribute 'append'
    return items


SIZES = [(0,), (1,), (3,)]
TENSOR_SIZES = [(scalar(0),), (scalar(1),), (scalar(3),)]
LISTS = [(vector(),), (vector(1),), (vector(1, 2),)]
PAIRS = [(0, 2), (2, 0), (2, 3), (scalar(2), scalar(3)), (2, scalar(3)), (scalar(2), 0)]
@tfx.program
def list_of_unknown_length(n: int):
    return [i * i for i in range(n)]  # error: list


@tfx.program
def assignment_in_condition(n: int):
    s = 0
    while (k := note(n)) > 0 and (j := k * 2) < 100:
        s += j
        n -= 1
    return s, k


RUNS["loop_basic_test"] = [
    (while_effect, *SIZES, *TENSOR_SIZES),
    (for_effect, *LISTS, ((1, 2),), ((),)),
    (while_one, *SIZES, (99,), *TENSOR_SIZES, (scalar(99),)),
    (for_unused, *LISTS, ((1, 2),), ((),)),
    (while_two, *SIZES, *TENSOR_SIZES),
    (for_two, *LISTS),
    (for_over_tuple, ((1, 2, 3),)),
    (for_over_ranges, *SIZES, (-2,)),
    (for_step_zero, (2,), (-1,), (0,)),
    (successive_whiles, *PAIRS),
    (successive_fors, (vector(), vector(1)), (vector(1, 2), vector(3))),
    (nested_whiles, *PAIRS),
    (nested_fors, (BATCHES,), (BATCHES[:0],), (BATCHES[:, :0],)),
    (for_over_zip, (array(1, 2, 3), 2), (array(1, 2), 5), (array(1), 0)),
    (assignment_in_condition, (0,), (3,), (60,)),
]
REFUSED["loop_basic_test"] = [
    (list_that_grows, "objects, lists, tensors and outer variables that change", (3,)),
    (list_of_unknown_length, "objects, lists, tensors and outer variables that change", (3,)),
]


# loop_control_flow_test


@tfx.program
def continue_in_for(l):
    s = 0
    for e in l:
        if e % 2 > 0:
            continue
        s += int(e)
    return s


@tfx.program
def continue_in_while(n):
    s = 0
    while n > 0:
        n -= 1
        if n % 3 == 1:
            continue
        s += int(n)
    return s


@tfx.program
def continue_in_inner_for(m: Tensor[i32, None, None]):
    s = tfx.i32(0)
    for row in m:
        for e in row:
            if e % 2 > 0:
                continue
            s = s + e
        if s > 20:
            continue
        s = s * 2
    return s


@tfx.program
def continue_in_inner_while(n, m):
    s = 0
    while n > 0:
        n -= 1
        k = m
        while k > 0:
            k -= 1
            if (n + k) % 2 > 0:
                continue
            s += int(n * k)
    return s


@tfx.program
def break_in_for(l):
    s = 0
    for e in l:
        if e > 2:
            break
        s += int(e)
    return s


@tfx.program
def break_in_while(n):
    s = 0
    while n > 0:
        n -= 1
        if n % 4 == 2:
            break
        s += int(n)
    return s, n


@tfx.program
def break_in_inner_for(m: Tensor[i32, None, None]):
    s = tfx.i32(0)
    for row in m:
        for e in row:
            if e % 4 == 2:
                break
            s = s * 3 + e
    return s


@tfx.program
def break_in_inner_while(n, m):
    s = 0
    while n > 0:
        n -= 1
        while m > 0:
            m -= 1
            if (n + m) % 2 == 0:
                break
            s += int(n + m)
    return s


@tfx.program
def break_and_continue(m: Tensor[i32, None, None]):
    s = tfx.i32(0)
    for row in m:
        for e in row:
            if e > 6:
                break
            elif e % 2 == 0:
                continue
            else:
                s = s * 10 + e
        else:
            s = s + 1
    return s


@tfx.program
def break_continue_unreachable(n, m):
    s = 0
    while n > 0:
        n -= 1
        while m > 0:
            m -= 1
            if (n + m) % 2 > 0:
                break
            else:
                continue
            s += n + m
        s += 1
    return s, m


@tfx.program
def break_before_condition(x, n: int):
    for i in range(n):
        if i == 2:
            break
        if x > 0:
            x -= 1
    return x


@tfx.program
def several_breaks(n):
    s, i = 1, 0
    while i < n:
        i += 1
        if i > 10 * n:
            break
        if i == n:
            break
        s = s * 10 + i
    return i, s


@tfx.program
def effects_with_break(x: Tensor[f32, None], n: int):
    for i in range(n):
        note(i)
        x = x * 0.5
        if x.sum() < 1.0:
            print("break at", i)
            break
        if i % 2 == 0:
            continue
        print(x.sum())
    return x


@tfx.program
def break_and_continue_in_nested_loops(n: int):
    for i in range(n):
        for j in range(n):
            if j == i:
                continue
            if i * j > 4:
                break
            note(i * 10 + j)
        else:
            continue
        print("inner break", i)
        if i > 3:
            break
    else:
        print("no break")
    return n


RUNS["loop_control_flow_test"] = [
    (continue_in_for, *LISTS, (vector(1, 2, 3, 4),), ((1, 2, 3, 4),)),
    (continue_in_while, *SIZES, (8,), *TENSOR_SIZES),
    (continue_in_inner_for, (BATCHES,), (BATCHES[:0],), (BATCHES[:1],)),
    (continue_in_inner_while, *PAIRS),
    (break_in_for, *LISTS, (vector(1, 2, 3, 4),), ((1, 2, 3, 4),)),
    (break_in_while, *SIZES, (8,), *TENSOR_SIZES),
    (break_in_inner_for, (BATCHES,), (BATCHES[:0],)),
    (break_in_inner_while, *PAIRS),
    (break_and_continue, (BATCHES,), (BATCHES[:1],)),
    (break_continue_unreachable, *PAIRS),
    (break_before_condition, (3, 1), (3, 5), (1, 5), (scalar(3), 5)),
    (several_breaks, *SIZES, *TENSOR_SIZES),
    (effects_with_break, (array(4, 8), 9), (array(4, 8), 2), (array(1), 0)),
    (break_and_continue_in_nested_loops, (0,), (2,), (4,), (7,)),
]
REFUSED["loop_control_flow_test"] = []


# loop_scoping_test


@tfx.program
def for_local(l: Tensor[i32, None]):
    s = tfx.i32(0)
    for i in l:
        x = i + 2
        s = s * 10 + x
    return s


@tfx.program
def while_local(n):
    s = 0
    while n > 0:
        y = n + 2
        s = s * 10 + int(y)
        n -= 1
    return s


@tfx.program
def for_initializes(n: int):
    s = 0
    for i in range(n):
        if i == 0:
            x = 5
        else:
            x += 1
        s = s * 10 + x
    return s


@tfx.program
def while_initializes_late(n: int):
    s = 0
    while n > 0:
        if n < 3:
            s = s * 10 + y
        else:
            y = n
        n -= 1
    return s


@tfx.program
def for_defines(l):
    for i in l:
        x = i + 2
    return x


@tfx.program
def while_defines(n):
    while n > 0:
        y = n + 2
        n -= 1
    return y


@tfx.program
def for_defines_target(n: int):
    for i in range(n):
        pass
    return i


@tfx.program
def for_reuses_target(n: int):
    i = 7
    s = 0
    for i in range(n):
        s = s * 10 + i
    return i, s


@tfx.program
def for_alters_target(n: int):
    s = 0
    for i in range(n):
        i = 3 * i + 1
        s = s * 10 + i
    return s, i


@tfx.program
def range_is_evaluated_once(n: int):
    s = 0
    for i in range(n):
        n += 1
        s += n
    return s, n


@tfx.program
def comprehension_scope(i: int):
    items = [i * 10 for i in (1, 2, 3)]
    return items, i


@tfx.program
def global_is_shadowed(n: int):
    if n > 2:
        WEIGHTS = n
    return WEIGHTS


@tfx.program
def argument_is_shadowed(x: Tensor[f32, None], n: int):
    def inner(x):
        n = 2.0
        return x * n

    for _ in range(n):
        x = inner(x)
    return x, n


@tfx.program
def loop_changes_cell(n: int):
    total = 0

    def add(i):
        nonlocal total  # error: return
        total += i

    for i in range(n):
        add(i)
    return total


@tfx.program
def assigns_global(n: int):
    global ASSIGNED  # error: return the value
    ASSIGNED = n
    return n


@tfx.program
def unbound_in_condition(c: bool):
    if c or note(1) > 5:
        y = 1
    if c:
        return y
    return note(2) + y


@tfx.program
def unbound_in_closure(n: int):
    def later():
        return v

    for i in range(n):
        if i > 0:
            note(later())
        v = i
    return later()


RUNS["loop_scoping_test"] = [
    (for_local, *LISTS),
    (while_local, *SIZES, *TENSOR_SIZES),
    (for_initializes, *SIZES),
    (while_initializes_late, (0,), (1,), (2,), (5,)),
    (for_defines, *LISTS, ((1, 2),), ((),)),
    (while_defines, *SIZES, *TENSOR_SIZES),
    (for_defines_target, *SIZES),
    (for_reuses_target, *SIZES),
    (for_alters_target, *SIZES),
    (range_is_evaluated_once, *SIZES),
    (comprehension_scope, (5,)),
    (global_is_shadowed, (1,), (3,)),
    (argument_is_shadowed, (array(1, 2), 3)),
    (unbound_in_condition, (True,), (False,)),
    (unbound_in_closure, (0,), (1,), (3,)),
]
REFUSED["loop_scoping_test"] = [
    (loop_changes_cell, "objects, lists, tensors and outer variables that change", (2,)),
    (assigns_global, "objects, lists, tensors and outer variables that change", (2,)),
]


# loop_with_else_test


@tfx.program
def for_else(l: Tensor[i32, None], wanted: tuple[int, int]):
    s = 0
    for e in l:
        if int(e) in wanted:
            break
        s = s * 10 + int(e)
    else:
        s = -1000
    return s


@tfx.program
def while_else(n, m):
    s = 0
    while n > 0:
        n -= 1
        if n > m:
            break
        s += int(n)
    else:
        s = -100
    return s


@tfx.program
def else_without_break(n: int):
    for i in range(n):
        if i > 2:
            continue
        print(i)
    else:
        print("else")


@tfx.program
def else_in_nested_loops(n: int, m: int):
    found = -1
    for i in range(n):
        for j in range(m):
            if i * j == 6:
                found = i * 10 + j
                break
        else:
            note(i)
            continue
        break
    else:
        return "none", found
    return "found", found


@tfx.program
def else_of_tuple(pair: tuple[int, int]):
    for e in pair:
        if e > 3:
            break
    else:
        e = -1
    return e


@tfx.program
def else_of_loop_defines(n: int):
    while n > 5:
        n -= 2
        if n == 6:
            break
    else:
        y = n
    return y


RUNS["loop_with_else_test"] = [
    (for_else, (vector(1, 2), (2, 3)), (vector(1, 2), (4, 5)), (vector(), (1, 2))),
    (while_else, (3, 5), (5, 3), (0, 1), (scalar(3), scalar(5)), (scalar(5), 3)),
    (else_without_break, (0,), (5,)),
    (else_in_nested_loops, (4, 4), (2, 2), (0, 1)),
    (else_of_tuple, ((1, 2),), ((1, 4),)),
    (else_of_loop_defines, (9,), (10,), (1,)),
]
REFUSED["loop_with_else_test"] = []


# loop_with_function_call_test


def doubled(x):
    return x * 2


@tfx.program
def call_in_while_condition(n):
    i, s = 0, 0
    while i < doubled(n):
        s = s * 3 + i
        i += 1
    return s


@tfx.program
def call_in_for_target(l: Tensor[i32, None]):
    s = tfx.i32(0)
    for e in doubled(l):
        s = s * 10 + e
    return s


@tfx.program
def call_in_body(n):
    f = doubled
    i, s = 0, 0
    while i < n:
        s = s * 10 + f(i)
        i += 1
    return s


@tfx.program
def callee_changes(n: int):
    f = doubled  # error: which function is called does not depend on data
    s = 1
    for i in range(n):
        s = f(s)
        f = lambda x: x + 1
    return s


@tfx.program
def local_call(l: Tensor[i32, None]):
    def local(x):
        return x * 3

    s = tfx.i32(0)
    for e in local(l):
        s = s * 10 + local(e)
    return s


@tfx.program
def closure_sees_while_variable(n):
    i = 0

    def later():
        return i + 2

    s = 0
    while i < n:
        s = s * 10 + later()
        i += 1
    return s, later()


@tfx.program
def closure_sees_for_target(n: int):
    i = 5
    later = lambda: i + 2
    s = later()
    for i in range(n):
        s = s * 10 + later()
    return s, later()


@tfx.program
def closure_of_unbound(n: int):
    later = lambda: x * 2
    if n > 1:
        x = n
    return later()


@tfx.program
def object_is_called(n: int, k: int):
    scale = Scale(k)
    s = 0
    for i in range(n):
        s = s * 2 + scale(i)
        scale = Scale(scale.by + 1)
    return s


@tfx.struct
class Scale:
    by: int

    def __call__(self, x):
        return x * self.by


@tfx.program
def local_class(n: int):
    class Later:  # error: move it to the module
        def __call__(self):
            return n

    return Later()()


@tfx.program
def recursion_in_loop(n: int):
    def fibonacci(k):
        return k if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)

    s = 0
    for i in range(n):
        s = s * 3 + fibonacci(i)
    return s


@tfx.program
def host_call_in_condition(n: int):
    i = 0
    while note(i) < note(n):
        i += 1
    return i


RUNS["loop_with_function_call_test"] = [
    (call_in_while_condition, (3,), (0,), (scalar(3),)),
    (call_in_for_target, (vector(1, 2),), (vector(),)),
    (call_in_body, (3,), (0,), (scalar(3),)),
    (local_call, (vector(1, 2),), (vector(),)),
    (closure_sees_while_variable, (0,), (3,), (scalar(3),)),
    (closure_sees_for_target, (0,), (3,)),
    (closure_of_unbound, (1,), (3,)),
    (object_is_called, (4, 2), (0, 2)),
    (recursion_in_loop, (6,)),
    (host_call_in_condition, (3,), (0,)),
]
REFUSED["loop_with_function_call_test"] = [
    (callee_changes, "functions that are arguments, or depend on data", (2,)),
    (local_class, "dicts, sets, and classes other than `@tfx.struct`", (2,)),
]


# loop_with_variable_type_illegal_cases_test


@tfx.program
def while_changes_dtype(go: Tensor):
    n = tfx.i32(0)  # error: a variable has one type where paths meet
    while go:
        n = tfx.f32(0.0)
    return n


@tfx.program
def while_changes_dtype_and_stops(go: bool):
    n = tfx.i32(0)  # error: a variable has one type where paths meet
    while go:
        n = tfx.f32(0.0)
        break
    return n


@tfx.program
def for_changes_dtype(l: Tensor[i32, None]):
    n = tfx.i32(0)  # error: a variable has one type where paths meet
    for _ in l:
        n = tfx.f32(0.0)
    return n


@tfx.program
def for_int_and_float(n: int):
    total = 0  # error: write a float in both places
    for i in range(n):
        total += 0.5
    return total


@tfx.program
def while_changes_rank(n: int):
    t = tfx.zeros((1,))  # error: a variable has one type where paths meet
    while n > 0:
        t = tfx.zeros((1, 1))
        n -= 1
    return t


@tfx.program
def for_changes_structure(l: Tensor[i32, None]):
    s = tfx.i32(0)  # error: a variable has one type where paths meet
    for e in l:
        s = (s, e)
    return s


@tfx.program
def for_changes_length(n: int):
    s = [0]  # error: the length of a list does not depend on data
    for i in range(n):
        s = s + [i]
    return s


@tfx.program
def for_changes_to_none(n: int):
    last = None  # error: a variable has one type where paths meet
    for i in range(n):
        last = i
    return last


@tfx.program
def for_int_and_tensor(x: Tensor[i32, None]):
    s = 0  # error: a variable has one type where paths meet
    for e in x:
        s = s * 10 + e
    return s


@tfx.program
def changed_type_is_not_read(n: int):
    last = None
    total = 0
    for i in range(n):
        last = i
        total += last
        last = (last, "text")
    return total


@tfx.program
def changed_size(n: int):
    t = tfx.zeros((1,))
    while n > 0:
        t = tfx.ones((n,))
        n -= 2
    return t


RUNS["loop_with_variable_type_illegal_cases_test"] = [
    (changed_type_is_not_read, (0,), (3,)),
    (changed_size, (0,), (3,), (4,)),
]
REFUSED["loop_with_variable_type_illegal_cases_test"] = [
    (while_changes_dtype, "two types where paths meet", (YES,)),
    (while_changes_dtype_and_stops, "two types where paths meet", (True,)),
    (for_changes_dtype, "two types where paths meet", (vector(1),)),
    (for_int_and_float, "two types where paths meet", (1,)),
    (while_changes_rank, "two types where paths meet", (1,)),
    (for_changes_structure, "two types where paths meet", (vector(1),)),
    (for_changes_length, "objects, lists, tensors and outer variables that change", (1,)),
    (for_changes_to_none, "two types where paths meet", (1,)),
    (for_int_and_tensor, "two types where paths meet", (vector(1, 2),)),
]


# loop_with_variable_type_test


@tfx.program
def while_grows_vector(n):
    v = tfx.zeros((2,), dtype=i32)
    i = 0
    while i < n:
        v = tfx.concat((v, tfx.full((1,), i, dtype=i32)))
        i += 1
    return v


@tfx.program
def for_grows_vector(l: Tensor[i32, None]):
    v = tfx.zeros((2,), dtype=i32)
    for e in l:
        v = tfx.concat((v, e.reshape(1)))
    return v, v.shape[0]


@tfx.program
def while_grows_rows(n: int, m: Tensor[f32, None, None]):
    i = 0
    while i < n:
        m = tfx.concat((m, m[-1:] + i))
        i += 1
    return m


@tfx.program
def for_grows_columns(n: int, m: Tensor[f32, None, None]):
    for i in range(n):
        m = tfx.concat((m, m[:, :1] * i), axis=1)
    return m


@tfx.program
def grows_both(n: int):
    m = tfx.zeros((1, 1))
    for i in range(n):
        m = tfx.concat((m, m), axis=0)
        m = tfx.concat((m, m + (i + 1.0)), axis=1)
    return m, m.shape


@tfx.program
def grows_in_branch(n):
    v = tfx.zeros((2,), dtype=i32)
    if n > 1:
        i = 0
        while i < n:
            v = tfx.concat((v, v[:1] + i))
            i += 1
            if i > 3:
                break
    else:
        v = tfx.arange(3).astype(i32)
    return v


@tfx.program
def shrinks(x: Tensor[f32, None]):
    steps = 0
    while x.shape[0] > 1:
        x = x[::2] + 1.0
        steps += 1
    return x, steps


@tfx.program
def size_of_data(x: Tensor[i32, None], n: int):
    for _ in range(n):
        x = x[x > 0]
    return x


@tfx.program
def sizes_differ(x: Tensor[f32, None], y: Tensor[f32, None], n: int):
    for i in range(n):
        print(i)
        x = tfx.concat((x, x[:1]))
    return x + y


@tfx.program
def sizes_differ_unused(x: Tensor[f32, None], y: Tensor[f32, None]):
    z = x + y
    return x


RUNS["loop_with_variable_type_test"] = [
    (while_grows_vector, *SIZES, *TENSOR_SIZES),
    (for_grows_vector, *LISTS),
    (while_grows_rows, (0, tfx.ones((1, 2))), (3, tfx.ones((1, 2)))),
    (for_grows_columns, (0, tfx.ones((1, 2))), (3, tfx.ones((2, 1)))),
    (grows_both, *SIZES),
    (grows_in_branch, *SIZES, (6,), *TENSOR_SIZES),
    (shrinks, (array(1, 2, 3, 4, 5),), (array(1),)),
    (sizes_differ, (array(1, 2), array(1, 2), 1)),
    (sizes_differ_unused, (array(1, 2), array(1, 2, 3))),
    (size_of_data, (vector(1, -1), 1), (vector(1, 2), 3), (vector(-1), 0)),
]
REFUSED["loop_with_variable_type_test"] = []


# nested_control_flow_test


@tfx.program
def independent_ifs(x, y):
    z = 0
    if x > 0:
        if y > 0:
            z = 5
        z += 1
    return z


@tfx.program
def dependent_ifs(x):
    y = x - x
    if x > 0:
        y = x * -2
        if y < -4:
            x = x * 3
    else:
        y = x * 4
        if y == 0:
            x = x + 1
    return x, y


@tfx.program
def independent_loops(n, m):
    p = 0
    while n > 0:
        k = m
        while k > 0:
            p += 1
            k -= 1
        n -= 1
    return p


@tfx.program
def dependent_loops(n, m):
    r = 1
    while n > 0:
        r += 1
        k = m
        while k > 0:
            n -= 1
            k -= 1
            r = r * 2 % 1009
        n -= 1
    return r, n


@tfx.program
def dependent_fors(x: Tensor[i32, None], y: tuple[int, int, int]):
    r, s = 1, 0
    for e in x:
        r += s
        for j in y:
            s += j
        r = r - int(e)
    return r, s


@tfx.program
def if_in_for(l: Tensor[i32, None]):
    k = tfx.i32(0)
    for e in l:
        if e % 2 > 0:
            j = e // 2
            if j > 0:
                k = k + j
    return k


@tfx.program
def loops_in_branches(x: Tensor[f32, None], n: int, up: bool):
    for i in range(n):
        if up:
            while x.sum() < 10.0:
                x = x * 2.0
                if x.max() > 6.0:
                    up = False
                    break
            else:
                print("else", i)
        else:
            for j in range(i):
                if j == 2:
                    continue
                x = x - j
                note(j)
            if x.sum() < 0.0:
                return x, -1
    return x, n


@tfx.program
def continue_in_with(x: int):
    z = 0
    while x > 0:
        with open("file"):  # error: @tfx.host
            x -= 1
            if x < 5:
                continue
            z += 1
    return z


@tfx.program
def continue_in_try(x: int):
    z = 0
    while x > 0:
        x -= 1
        try:  # error: move it into a @tfx.host function
            if x < 5:
                continue
            z += 1
        finally:
            z += 10
    return z


@tfx.program
def break_in_try(x: int):
    z = 0
    while x > 0:
        x -= 1
        try:  # error: move it into a @tfx.host function
            if x < 5:
                break
        finally:
            z += 10
    return z


@tfx.program
def match_in_loop(n: int):
    s = 0
    for i in range(n):
        match i:  # error: @tfx.host
            case 0:
                s += 1
            case _:
                s += 2
    return s


RUNS["nested_control_flow_test"] = [
    (independent_ifs, *itertools.product((1, -1), (1, -1)), (scalar(1), scalar(1)), (scalar(1), -1)),
    (dependent_ifs, *[(x,) for x in (-1, 0, 1, 3)], *[(scalar(x),) for x in (-1, 0, 1, 3)]),
    (independent_loops, *PAIRS),
    (dependent_loops, *PAIRS, (31, 7)),
    (dependent_fors, (vector(1, 2, 3), (1, 2, 3)), (vector(), (1, 2, 3))),
    (if_in_for, (vector(*range(7)),), (vector(),)),
    (loops_in_branches, (array(1, 2), 5, True), (array(0.5, 0.25), 6, False), (array(1), 0, True)),
]
REFUSED["nested_control_flow_test"] = [
    (continue_in_with, "`try`, `with`, `del`, `match`", (10,)),
    (continue_in_try, "`try`, `with`, `del`, `match`", (10,)),
    (break_in_try, "`try`, `with`, `del`, `match`", (10,)),
    (match_in_loop, "`try`, `with`, `del`, `match`", (2,)),
]


# two_level_call_tree_test


def plus_one(x):
    return x + 1


def twice_plus_one(x):
    return 2 * plus_one(x)


@tfx.program
def one_level(x):
    return plus_one(x)


@tfx.program
def two_levels(x):
    return twice_plus_one(x) - plus_one(twice_plus_one(x))


@tfx.program
def program_calls_program(x: int):
    return two_levels(x) * one_level(x)


@tfx.program
def call_fails_below(x: int):
    def check(y):
        assert y < 3, "too large"
        return y

    def level(y):
        return check(y + 1)

    return level(x)


RUNS["two_level_call_tree_test"] = [
    (one_level, (1,), (1.5,), (scalar(1),)),
    (two_levels, (1,), (1.5,), (array(1, 2),)),
    (program_calls_program, (3,)),
    (call_fails_below, (1,), (2,)),
]
REFUSED["two_level_call_tree_test"] = []


# while_loop_function_call_mix_test


@tfx.program
def function_in_condition(n):
    i, s = 0, 0
    while i < doubled(n):
        s += i
        i += 1
    return s


@tfx.program
def function_in_body(n):
    i, s = 0, 0
    while i < n:
        s += doubled(i) + plus_one(s)
        i += 1
    return s


@tfx.program
def print_in_body(n):
    i, s = 0, 0
    while i < n:
        s += i
        print(s, plus_one(i))
        i += 1
    return s


@tfx.program
def tensor_print_in_body(x: Tensor[f32, None]):
    while doubled(x).sum() < 40.0:
        x = plus_one(x)
        print(x, doubled(x.max()))
    return x


RUNS["while_loop_function_call_mix_test"] = [
    (function_in_condition, *SIZES, *TENSOR_SIZES),
    (function_in_body, *SIZES, *TENSOR_SIZES),
    (print_in_body, *SIZES, *TENSOR_SIZES),
    (tensor_print_in_body, (array(1, 2),), (array(30, 2),)),
]
REFUSED["while_loop_function_call_mix_test"] = []
