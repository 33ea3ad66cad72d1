import math


def test_arithmetic():
    for a in (7, -7, 0, 123456789012):
        for b in (2, -2, 3, -5):
            print(a + b, a - b, a * b, a // b, a % b, a / b, divmod(a, b))
            print(a & b, a | b, a ^ b, ~a, -a, +a, a << 2, a >> 1)
    for x in (7.5, -7.5, 0.0, -0.0, 1e300):
        for y in (2.0, -2.0, 0.3, -1e-300):
            print(x + y, x - y, x * y, x % y, x // y, x / y)


def test_loops():
    total = 0
    for i in range(10):
        if i == 3:
            continue
        if i == 8:
            break
        total += i * i
    else:
        total = -1
    print(total, i)
    n = 27
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    else:
        print("done", n)
    print(steps)
    for i in range(10, 0, -3):
        print(i, end=" ")
    print()
    for i, (a, b) in enumerate(zip((1, 2, 3), (4.5, 5.5, 6.5)), 10):
        print(i, a, b, sep="|")
    for i in range(5, 5):
        print("never")
    else:
        print("else")
    for i in reversed(range(1, 8, 2)):
        print(i)


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def test_recursion():
    print(fib(15))


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def test_mutual_recursion():
    print(even(10), odd(7), even(7))


def test_zero_division():
    total = 0
    for i in range(3, -3, -1):
        total += 12 // i
        print(total)


def test_modulo_by_zero():
    x = 0.0
    for i in range(3):
        x += 1.5 % (2.0 - i)
        print(x)


def test_unbound():
    for i in range(3):
        if i > 5:
            y = i
    print(y)


def test_sometimes_unbound():
    for i in range(4):
        if i >= 2:
            y = i * 10
        if i >= 1:
            print(i)
            print(y)


def test_floats():
    for x in (0.1, 1.0, 1e16, 1e15, 123456789.125, 1e-5, 0.0001, 1.5e300, 5e-324, float("inf"), -0.0):
        print(x, [x], round(x) if abs(x) < 1e18 else -1)
    print(float("nan"), 0.1 + 0.2, 1 / 3, 2 ** 0.5, 2 ** -1, 2.0 ** 10)
    print(round(2.5), round(3.5), round(-2.5), round(2.675, 2), round(1234.5678, -2), int(-3.99), abs(-3), abs(-2.5))
    print(math.sqrt(2.0), math.floor(-2.5), math.ceil(2.1), math.pi, math.exp(1.0), math.log(10.0))
    print(min(3, 1, 2), max(2.5, 1.5), sum((1, 2, 3)), sum(i * i for i in range(5)), len((1, 2)))


def test_domain():
    print(math.sqrt(4.0))
    for x in (4.0, 1.0, -1.0):
        print(math.sqrt(x))


def test_comparisons():
    for a in (1, 2, 3):
        print(1 < a < 3, a == 2, a != 2, a <= 2 or a > 5, not a > 1, 1 < a and a < 3)
    print((1, 2) == (1, 2), (1, 2.0) != (1, 2), 2 in (1, 2, 3), 5 not in (1, 2), None is None)
    big = 9007199254740993
    for x in (9007199254740992.0, 9007199254740994.0, 1e300, float("nan"), 9223372036854775808.0):
        print(big < x, big == x, big > x, big <= x, big >= x, big != x, x < big)


def test_logic_values():
    for a in (0, 3):
        for b in (0, 5):
            print(a and b, a or b, not a)
    for s in ("", "x"):
        print(s or "empty", bool(s))


def test_strings():
    name = "world"
    for i in range(3):
        text = f"{name} {i:>4} {i * 1.5:.3f} {i!r} {name!r:>10} {i:05d} {i * 1000000:,} {i * 0.25:8.2e}|{i + 0.5:g}"
        print(text, len(text))
    print("a" + "b" + str(12) + repr("it's"), "x" == "x", "a" < "b")
    print(f"{True} {None} {(1, 'a', 2.5)} {[1, 2]} {3.0:.0f} {255:#x} {255:b} {0.5:%} {-7:+d} {7:+d}")
    for x in (1234567.891, 0.00001234, 1e22, 100.0, 0.0, -1.5):
        print(f"{x:g} {x:e} {x:.2f} {x:10.3g} {x:<12.1f}| {x:^15} {x:+} {x:,.2f} {x!s:>20} {x:.3} {x:012.3f}")
    for i in (0, 5, -5, 123456):
        print(f"{i:8} {i:<8} {i:^8} {i:>+8} {i:08} {i:x} {i:_} {i:o} {i:e} {i:.1f}")


def test_raise():
    for i in range(5):
        print(i)
        if i == 2:
            raise ValueError(f"bad {i}")


def test_assert():
    for i in range(5):
        print(i)
        assert i < 3, "too big"


def test_assert_logic():
    for i in range(5):
        print(i)
        assert i < 3 or i > 100, f"i is {i}"


def apply(f, x):
    return f(x)


def test_closures():
    k = 10
    add = lambda x: x + k
    print(apply(add, 5))
    k = 20
    print(apply(add, 5))

    def power(n, base=2):
        if n == 0:
            return 1
        return base * power(n - 1, base)

    print(power(5), power(3, base=3))

    base = 3

    def outer(a):
        def inner(b):
            return a * 100 + b + base
        return inner

    print(outer(3)(4), outer(5)(6))
    print(apply(lambda x: x * 1.5, 2.0), apply(lambda x: -x, 7))
    fs = (lambda: k, lambda: k + 1)
    k = 1
    print([f() for f in fs])


def test_unpacking():
    a, b = 1, 2
    a, b = b, a
    print(a, b)
    first, *rest = (1, 2, 3, 4)
    print(first, rest)
    *start, last = (1, 2.5, "x")
    print(start, last)
    (x, y), z = (1, 2), 3
    print(x, y, z)
    t = (1, 2, 3)
    print(t[0], t[-1], t[1:], t[::-1], t + (4,), t * 2, (*t, 9))
    for i in range(3):
        print(t[i], t[-i])


def test_comprehensions():
    n = 3
    print([x * n for x in (1, 2, 3)], tuple(i for i in range(4) if i % 2 == 0))
    print([(i, j) for i in range(2) for j in (10, 20)])
    print(any(x > 2 for x in (1, 2, 3)), all(x > 2 for x in (1, 2, 3)))
    print([y := 5, y * 2], y)


def scale(x, *, by=2, plus=0):
    return x * by + plus


def many(a, *rest):
    return a + len(rest)


def test_calls():
    print(scale(3), scale(3, by=5), scale(2, plus=1, by=3), scale(1.5, by=2.0, plus=0.5))
    print(many(1), many(1, 2, 3), many(*(5, 6, 7)))


def test_early_return():
    def find(n):
        for i in range(2, n):
            for j in range(i, n):
                if i * j == n:
                    return i
        return n

    for n in (15, 17, 91):
        print(n, find(n))


def test_int_bounds():
    big = 9223372036854775807
    print(big)
    low = -big - 1
    print(low, low // 2, low % 7)
    for i in range(3):
        print(big - i)
    x = 1 << 40
    for i in range(2):
        x = x * 4
        print(x)


def test_tuple_index():
    t = (1, 2, 3)
    for i in range(5):
        print(t[i])


def test_nan_compare():
    nan = float("nan")
    print(nan == nan, nan != nan, nan < 1.0, min(nan, 1.0), max(1.0, nan))


def test_floats_between_two_shortest_texts():
    x = 2.0957183837890625
    print(x, x * 4.0 - 18.416091918945312, -10.0332183837890625, 5e-324, 1e23, 9007199254740993.0, 0.1 + 0.2)
    for power in range(40):
        print(1.0 / 2.0**power, 3.0 * 2.0**-power + 1024.0, -7.0 * 2.0**-power * 1e-7, 2.0**power * 1e7)
