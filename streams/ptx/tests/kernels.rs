//! Kernels that LLVM compiles, compared bit for bit with the same computation in Rust.

mod common;

use common::Argument::{self, Buffer};
use common::{Random, bytes, check, run, texts, value};

/// The threads of the kernels: four blocks of 32.
const COUNT: usize = 128;

#[test]
fn saxpy_ignores_threads_beyond_the_end() {
    let mut random = Random(1);
    let n = 117;
    let x: Vec<f32> = (0..n).map(|_| random.single()).collect();
    let y: Vec<f32> = (0..n).map(|_| random.single()).collect();
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x * 0.7 + y).collect();
    let arguments = [value(0.7f32), Buffer(0), Buffer(1), value(n)];
    let buffers = [bytes(&x), bytes(&y)];
    check(
        "elementwise",
        "saxpy",
        4,
        &arguments,
        &buffers,
        (1, bytes(&expected)),
    );
}

#[test]
fn broadcast_divides_the_index() {
    let mut random = Random(2);
    let (rows, columns) = (9u32, 13u32);
    let x: Vec<f32> = (0..rows).map(|_| random.single()).collect();
    let y: Vec<f32> = (0..columns).map(|_| random.single()).collect();
    let expected: Vec<f32> = x
        .iter()
        .flat_map(|x| y.iter().map(move |y| x * y - x))
        .collect();
    let arguments = [Buffer(0), Buffer(1), Buffer(2), value(rows), value(columns)];
    let buffers = [bytes(&x), bytes(&y), vec![0; 4 * expected.len()]];
    check(
        "elementwise",
        "broadcast",
        4,
        &arguments,
        &buffers,
        (2, bytes(&expected)),
    );
}

/// The same polynomial as in the kernel.
fn exp(x: f32) -> f32 {
    let x = if x < -87.0 { -87.0 } else { x };
    let x = if x > 88.0 { 88.0 } else { x };
    let k = (x * std::f32::consts::LOG2_E).round_ties_even();
    let r = (-k).mul_add(f32::from_bits(0x3f31_8000), x);
    let r = (-k).mul_add(f32::from_bits(0xb95e_8083), r);
    let coefficients = [
        0x3c08_8889,
        0x3d2a_aaab,
        0x3e2a_aaab,
        0x3f00_0000,
        0x3f80_0000,
        0x3f80_0000,
    ];
    let p = coefficients
        .iter()
        .fold(f32::from_bits(0x3ab6_0b61), |p, &c| {
            r.mul_add(p, f32::from_bits(c))
        });
    p * f32::from_bits(((k as i32 + 127) << 23) as u32)
}

#[test]
fn exp_is_the_polynomial_with_bit_tricks() {
    let mut random = Random(3);
    let mut x: Vec<f32> = (0..COUNT).map(|_| random.single() * 13.0).collect();
    x[..6].copy_from_slice(&[0.0, -0.0, 1.0, f32::INFINITY, f32::NEG_INFINITY, 1e-30]);
    let expected: Vec<f32> = x.iter().map(|&x| exp(x)).collect();
    assert!((expected[2] - std::f32::consts::E).abs() < 1e-6);
    let arguments = [Buffer(0), Buffer(1), value(COUNT as u32)];
    let buffers = [bytes(&x), vec![0; 4 * COUNT]];
    check(
        "elementwise",
        "exp",
        4,
        &arguments,
        &buffers,
        (1, bytes(&expected)),
    );
}

#[test]
fn reduce_loops_with_a_stride() {
    let mut random = Random(4);
    let n = 1000;
    let x: Vec<f32> = (0..n).map(|_| random.single()).collect();
    let sum = |first| x.iter().skip(first).step_by(COUNT).fold(0.0, |s, x| s + x);
    let expected: Vec<f32> = (0..COUNT).map(sum).collect();
    let arguments = [Buffer(0), Buffer(1), value(n), value(COUNT as u32)];
    let buffers = [bytes(&x), vec![0; 4 * COUNT]];
    check(
        "control",
        "reduce",
        4,
        &arguments,
        &buffers,
        (1, bytes(&expected)),
    );
}

#[test]
fn matmul_has_a_thread_for_each_element() {
    let mut random = Random(5);
    let n = 37;
    let x: Vec<f32> = (0..n * n).map(|_| random.single()).collect();
    let y: Vec<f32> = (0..n * n).map(|_| random.single()).collect();
    let element =
        |row: usize, column: usize| (0..n).fold(0.0, |s, k| s + x[row * n + k] * y[k * n + column]);
    let expected: Vec<f32> = (0..n * n).map(|i| element(i / n, i % n)).collect();
    let arguments = [Buffer(0), Buffer(1), Buffer(2), value(n as u32)];
    let buffers = [bytes(&x), bytes(&y), vec![0; 4 * n * n]];
    for (name, text) in texts("control") {
        let grid = [2, n as u32, 1];
        let result = run(&text, "matmul", grid, [32, 1, 1], &arguments, &buffers);
        assert_eq!(result.expect("runs")[2], bytes(&expected), "{name}");
    }
}

#[test]
fn gather_checks_bounds() {
    let mut random = Random(6);
    let x: Vec<f64> = random.doubles(20);
    let mut indices: Vec<i64> = (0..COUNT).map(|_| random.below(24) as i64 - 2).collect();
    indices[..3].copy_from_slice(&[i64::MIN, i64::MAX, 20]);
    let pick = |i: &i64| {
        usize::try_from(*i)
            .ok()
            .and_then(|i| x.get(i))
            .copied()
            .unwrap_or(-1.0)
    };
    let expected: Vec<f64> = indices.iter().map(pick).collect();
    let arguments = [
        Buffer(0),
        value(20i64),
        Buffer(1),
        Buffer(2),
        value(COUNT as u32),
    ];
    let buffers = [bytes(&x), bytes(&indices), vec![0; 8 * COUNT]];
    check(
        "control",
        "gather",
        4,
        &arguments,
        &buffers,
        (2, bytes(&expected)),
    );
}

/// The same machine as in the kernel.
fn machine(mut state: i32) -> i32 {
    let mut n: i32 = 0;
    loop {
        (state, n) = match state {
            0 => (5, n + 1),
            1 | 6 => (state - 1, n * 3),
            2 => (0, n ^ 21),
            3 => ((n & 1) + 1, n + 100),
            4 => (state - 1, n - 9),
            5 => (7, n << 2),
            _ => return n.wrapping_add(state),
        }
    }
}

#[test]
fn switch_is_a_jump_table() {
    let mut x: Vec<i32> = (0..32).map(|i| i % 9 - 1).collect();
    x[9..11].copy_from_slice(&[i32::MIN, i32::MAX]);
    let expected: Vec<i32> = x.iter().map(|&x| machine(x)).collect();
    assert!(
        texts("control")
            .iter()
            .all(|(_, text)| text.contains("brx.idx"))
    );
    let buffers = [bytes(&x), vec![0; 128]];
    let arguments = [Buffer(0), Buffer(1)];
    check(
        "control",
        "machine",
        1,
        &arguments,
        &buffers,
        (1, bytes(&expected)),
    );
}

/// The results of the kernel `words`.
fn words(a: u32, b: u32) -> [u32; 32] {
    let (sa, sb) = (a as i32, b as i32);
    let odd = b | 1;
    let either = (sa < sb) != (a < b);
    [
        a.wrapping_add(b),
        a.wrapping_sub(b),
        a.wrapping_mul(b),
        (123_456_789 / odd as i32) as u32,
        a / odd,
        a % odd,
        (sa % ((sb & 1023) + 1)) as u32,
        (sa / 7) as u32,
        a / 10,
        (sa % -13) as u32,
        a << (b & 31),
        a >> (b & 31),
        (sa >> (b & 31)) as u32,
        a.count_ones(),
        a.leading_zeros(),
        a.trailing_zeros(),
        a.reverse_bits(),
        a.swap_bytes(),
        (a << 11) | (b >> 21),
        ((u64::from(a) << 32 | u64::from(b)) >> (a & 31)) as u32,
        sa.min(sb) as u32,
        a.max(b),
        sa.wrapping_abs() as u32,
        ((i64::from(sa) * i64::from(sb)) >> 32) as u32,
        ((u64::from(a) * u64::from(b)) >> 32) as u32,
        (a >> 5) & 1023,
        if either { a } else { 17 },
        i32::from((a as i16).wrapping_mul(b as i16).wrapping_add(a as i16)) as u32,
        u32::from(a as u8 / (b as u8 | 1)),
        u32::from((a as i16).unsigned_abs()),
        (!a | b) & 16_711_935,
        (sa << 20 >> 24) as u32,
    ]
}

#[test]
fn words_have_the_results_of_rust() {
    let mut random = Random(7);
    let integers: Vec<u32> = random
        .integers(2 * COUNT)
        .iter()
        .map(|&x| x as u32)
        .collect();
    let (x, y) = integers.split_at(COUNT);
    let expected: Vec<u32> = x.iter().zip(y).flat_map(|(&a, &b)| words(a, b)).collect();
    let buffers = [bytes(x), bytes(y), vec![0; 4 * expected.len()]];
    let arguments = [Buffer(0), Buffer(1), Buffer(2)];
    check(
        "integers",
        "words",
        4,
        &arguments,
        &buffers,
        (2, bytes(&expected)),
    );
}

/// The results of the kernel `longs`.
fn longs(a: u64, b: u64) -> [u64; 16] {
    let (sa, sb) = (a as i64, b as i64);
    [
        a.wrapping_add(b),
        a.wrapping_sub(b),
        a.wrapping_mul(b),
        a / (b | 1),
        a % (b | 1),
        (sa / ((sb & 65_535) + 1)) as u64,
        (sa / 10) as u64,
        a << (b & 63),
        a >> (b & 63),
        (sa >> (b & 63)) as u64,
        u64::from(a.count_ones()),
        u64::from(a.leading_zeros()),
        a.reverse_bits(),
        (a << 45) | (b >> 19),
        sa.max(sb) as u64,
        (i128::from(sa).wrapping_mul(i128::from(b)) >> 64) as u64,
    ]
}

#[test]
fn longs_have_the_results_of_rust() {
    let mut random = Random(8);
    let integers = random.integers(2 * COUNT);
    let (x, y) = integers.split_at(COUNT);
    let expected: Vec<u64> = x.iter().zip(y).flat_map(|(&a, &b)| longs(a, b)).collect();
    let buffers = [bytes(x), bytes(y), vec![0; 8 * expected.len()]];
    let arguments = [Buffer(0), Buffer(1), Buffer(2)];
    check(
        "integers",
        "longs",
        4,
        &arguments,
        &buffers,
        (2, bytes(&expected)),
    );
}

#[test]
fn flags_are_bytes() {
    let mut random = Random(9);
    let (x, y) = (random.singles(COUNT), random.singles(COUNT));
    let old: Vec<u8> = (0..COUNT).map(|_| random.bits() as u8).collect();
    for invert in [0u8, 1] {
        let flags = x
            .iter()
            .zip(&y)
            .map(|(x, y)| u8::from((x < y) != (invert == 1)));
        let flags: Vec<u8> = flags.collect();
        let new = old
            .iter()
            .zip(&flags)
            .map(|(old, flag)| old.wrapping_add(3 * flag));
        let buffers = [bytes(&x), bytes(&y), vec![9; COUNT], old.clone()];
        let arguments = [Buffer(0), Buffer(1), Buffer(2), Buffer(3), value(invert)];
        check(
            "memory",
            "flags",
            4,
            &arguments,
            &buffers,
            (3, new.collect()),
        );
        check("memory", "flags", 4, &arguments, &buffers, (2, flags));
    }
}

#[test]
fn vectors_have_all_widths() {
    let x = [
        bytes(&[1.5f32, -2.0, 0.25, 1e9]),
        bytes(&[1.1f64, -7.0]),
        vec![250, 1, 128, 7],
        bytes(&[-300i16, 20_000]),
        vec![0x80, 0, 0, 0, 0, 0, 0, 0],
    ];
    let expected = [
        bytes(&[1.0f32, -4.0, 3.25, 2e9]),
        bytes(&[1.1f64 * 3.0, 3.5]),
        vec![4, 3, 131, 11],
        bytes(&[-2100i16, 16_608]),
        bytes(&[-128i64]),
    ];
    let arguments = [
        Buffer(0),
        Buffer(1),
        Argument::Value(bytes(&[3.0f32, -0.5])),
        Argument::Value(vec![10, 2, 3, 4]),
    ];
    let buffers = [x.concat(), vec![0; 48]];
    check(
        "memory",
        "vectors",
        1,
        &arguments,
        &buffers,
        (1, expected.concat()),
    );
}

#[test]
fn histogram_indexes_a_local_array() {
    let mut random = Random(10);
    let n = 50;
    let x: Vec<u8> = (0..32 * n).map(|_| random.bits() as u8).collect();
    let mut expected = vec![0u32; 32 * 8];
    for (i, value) in x.iter().enumerate() {
        expected[i / n * 8 + usize::from(value & 7)] += 1;
    }
    let arguments = [Buffer(0), value(n as u32), Buffer(1)];
    let buffers = [x, vec![0; 4 * 32 * 8]];
    check(
        "memory",
        "histogram",
        1,
        &arguments,
        &buffers,
        (1, bytes(&expected)),
    );
}

#[test]
fn variables_have_initial_content_and_keep_changes() {
    let infinity = f32::INFINITY.to_bits();
    let zero = (-0.0f32).to_bits();
    for (name, text) in texts("memory") {
        let module = tfx_ptx::Module::parse(&text).expect("parses");
        let entry = module.entry("variables").expect("exists");
        for (i, bits, counter) in [(2u32, infinity, 41u64), (3, zero, 42)] {
            let mut device = common::Device {
                buffers: vec![vec![0; 24]],
            };
            let parameters = common::pack(entry, &[Buffer(0), value(i)]);
            let one = [1, 1, 1];
            module
                .run(entry, one, one, &parameters, &mut device)
                .expect("runs");
            let words = bytes(&[bits, bits, ((-2 * 100 + 3) * 7) as u32, 0]);
            let expected = [words, bytes(&[counter])].concat();
            assert_eq!(device.buffers[0], expected, "{name}");
        }
    }
}

#[test]
fn tree_waits_at_barriers() {
    let mut random = Random(11);
    let x: Vec<u32> = (0..3 * 64).map(|_| random.bits() as u32).collect();
    let sum = |block: &[u32]| block.iter().fold(0u32, |s, x| s.wrapping_add(*x));
    let expected: Vec<u32> = x.chunks(64).map(sum).collect();
    let buffers = [bytes(&x), vec![0; 12]];
    for (name, text) in texts("memory") {
        let arguments = [Buffer(0), Buffer(1)];
        let result = run(&text, "tree", [3, 1, 1], [64, 1, 1], &arguments, &buffers);
        assert_eq!(result.expect("runs")[1], bytes(&expected), "{name}");
    }
}

#[test]
fn arguments_of_calls_have_all_types() {
    let structure = [
        bytes(&[5u64, 0xffff_fff0_0000_0123]),
        vec![200, 0, 0, 0, 0, 0, 0, 0],
    ]
    .concat();
    let arguments = [
        Buffer(0),
        value(1000u32),
        value(-7i64),
        Argument::Value(bytes(&[1.0f32, -1e20])),
        value(-5i8),
        value(1u8),
        Argument::Value(structure),
    ];
    let sum = (-5i32 + 1).wrapping_add(i32::MIN);
    let expected = sum.wrapping_mul(993).wrapping_add(0x123) ^ 200;
    check(
        "calls",
        "arguments",
        1,
        &arguments,
        &[vec![0; 4]],
        (0, bytes(&[expected])),
    );
}

#[test]
fn functions_recurse() {
    let mut expected = vec![0u32, 1];
    (2..16).for_each(|i| expected.push(expected[i - 1] + expected[i - 2]));
    for (name, text) in texts("calls") {
        let result = run(
            &text,
            "fibonacci",
            [2, 1, 1],
            [8, 1, 1],
            &[Buffer(0)],
            &[vec![0; 64]],
        );
        assert_eq!(result.expect("runs")[0], bytes(&expected), "{name}");
    }
    let arguments = [Buffer(0), value(500u32)];
    check(
        "calls",
        "recursion",
        1,
        &arguments,
        &[vec![0; 4]],
        (0, bytes(&[125_250u32])),
    );
}

#[test]
fn functions_return_structures_and_write_by_address() {
    let a = -1234.75f64;
    let expected = [bytes(&[-0.75f64]), bytes(&[-1234i64]), bytes(&[42u32])].concat();
    let arguments = [Buffer(0), value(a)];
    check(
        "calls",
        "results",
        1,
        &arguments,
        &[vec![0; 20]],
        (0, expected),
    );
}
