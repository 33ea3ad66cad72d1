//! Floating-point arithmetic and conversions that LLVM compiles, compared bit for bit with Rust.

mod common;

use common::Argument::Buffer;
use common::{Random, bits32, bits64, bytes, check, run, texts};

/// The threads of the kernels: 16 blocks of 32.
const COUNT: usize = 512;

/// Returns the least number, where -0 is less than 0, or the one that is not a NaN.
fn least(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if a == 0.0 && b == 0.0 && a.is_sign_negative() => a,
        _ if a < b => a,
        _ => b,
    }
}

fn greatest(a: f64, b: f64) -> f64 {
    -least(-a, -b)
}

/// The results of the kernel `singles`. Minima of `f32` are exact in `f64`.
fn singles(a: f32, b: f32, c: f32) -> [u32; 19] {
    let min = least(a.into(), b.into()) as f32;
    let max = greatest(a.into(), b.into()) as f32;
    let either_nan = a.is_nan() || b.is_nan();
    let [bits, sign] = [a.to_bits(), b.to_bits() & 0x8000_0000];
    [
        bits32(a + b),
        bits32(a - b),
        bits32(a * b),
        bits32(a / b),
        bits32(a.mul_add(b, c)),
        bits32(a.sqrt()),
        bits32(1.0 / a),
        bits ^ 0x8000_0000,
        bits & 0x7fff_ffff,
        bits & 0x7fff_ffff | sign,
        bits32(min),
        bits32(max),
        bits32(a.floor()),
        bits32(a.ceil()),
        bits32(a.trunc()),
        bits32(a.round_ties_even()),
        bits32(a.round_ties_even()),
        bits32(if either_nan { f32::NAN } else { min }),
        bits32(if either_nan { f32::NAN } else { max }),
    ]
}

#[test]
fn singles_have_the_results_of_rust() {
    let mut random = Random(21);
    let [mut x, mut y, z] = [(); 3].map(|()| random.singles(COUNT));
    x[..4].copy_from_slice(&[0.0, -0.0, f32::NAN, -0.0]);
    y[..4].copy_from_slice(&[-0.0, 0.0, f32::NAN, f32::NAN]);
    let triples = x.iter().zip(&y).zip(&z);
    let expected: Vec<u32> = triples
        .flat_map(|((&a, &b), &c)| singles(a, b, c))
        .collect();
    let buffers = [bytes(&x), bytes(&y), bytes(&z), vec![0; 4 * expected.len()]];
    let arguments = [Buffer(0), Buffer(1), Buffer(2), Buffer(3)];
    for (name, text) in texts("floats") {
        let result = run(
            &text,
            "singles",
            [16, 1, 1],
            [32, 1, 1],
            &arguments,
            &buffers,
        );
        let result = result.expect("runs").swap_remove(3);
        for (index, (bytes, &expected)) in result.chunks(4).zip(&expected).enumerate() {
            let bits = u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
            // Without an instruction for `minimum`, LLVM selects another NaN.
            let is_expanded = name.contains("sm_70") && index % 19 > 16;
            let bits = if is_expanded {
                bits32(f32::from_bits(bits))
            } else {
                bits
            };
            assert_eq!(
                bits,
                expected,
                "{name}: result {} of {}",
                index % 19,
                index / 19
            );
        }
    }
}

/// The results of the kernel `doubles`.
fn doubles(a: f64, b: f64, c: f64) -> [u64; 17] {
    let [bits, sign] = [a.to_bits(), b.to_bits() & (1 << 63)];
    [
        bits64(a + b),
        bits64(a - b),
        bits64(a * b),
        bits64(a / b),
        bits64(a.mul_add(b, c)),
        bits64(a.sqrt()),
        bits64(1.0 / a),
        bits ^ (1 << 63),
        bits & !(1 << 63),
        bits & !(1 << 63) | sign,
        bits64(least(a, b)),
        bits64(greatest(a, b)),
        bits64(a.floor()),
        bits64(a.ceil()),
        bits64(a.trunc()),
        bits64(a.round_ties_even()),
        bits64(a.round_ties_even()),
    ]
}

#[test]
fn doubles_have_the_results_of_rust() {
    let mut random = Random(22);
    let [mut x, mut y, z] = [(); 3].map(|()| random.doubles(COUNT));
    x[..4].copy_from_slice(&[0.0, -0.0, f64::NAN, -0.0]);
    y[..4].copy_from_slice(&[-0.0, 0.0, f64::NAN, f64::NAN]);
    let triples = x.iter().zip(&y).zip(&z);
    let expected: Vec<u64> = triples
        .flat_map(|((&a, &b), &c)| doubles(a, b, c))
        .collect();
    let buffers = [bytes(&x), bytes(&y), bytes(&z), vec![0; 8 * expected.len()]];
    let arguments = [Buffer(0), Buffer(1), Buffer(2), Buffer(3)];
    check(
        "floats",
        "doubles",
        16,
        &arguments,
        &buffers,
        (3, bytes(&expected)),
    );
}

/// The results of all comparisons, in the order of the kernels.
fn comparisons(a: f64, b: f64) -> u32 {
    let nan = a.is_nan() || b.is_nan();
    let ordered = [a == b, a > b, a >= b, a < b, a <= b, a != b && !nan, !nan];
    let unordered = [a == b, a > b, a >= b, a < b, a <= b, a != b, false].map(|is| is || nan);
    let all = ordered.iter().chain(&unordered).enumerate();
    all.map(|(index, is)| u32::from(*is) << index).sum()
}

#[test]
fn comparisons_distinguish_ordered_and_unordered() {
    let mut random = Random(23);
    let (x, mut y) = (random.doubles(COUNT), random.doubles(COUNT));
    y[..COUNT / 4].copy_from_slice(&x[..COUNT / 4]);
    let arguments = [Buffer(0), Buffer(1), Buffer(2)];
    let expected: Vec<u32> = x.iter().zip(&y).map(|(&a, &b)| comparisons(a, b)).collect();
    let buffers = [bytes(&x), bytes(&y), vec![0; 4 * COUNT]];
    check(
        "floats",
        "doubles_compare",
        16,
        &arguments,
        &buffers,
        (2, bytes(&expected)),
    );
    let x: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    let y: Vec<f32> = y.iter().map(|&y| y as f32).collect();
    let pairs = x.iter().zip(&y);
    let expected: Vec<u32> = pairs
        .map(|(&a, &b)| comparisons(a.into(), b.into()))
        .collect();
    let buffers = [bytes(&x), bytes(&y), vec![0; 4 * COUNT]];
    check(
        "floats",
        "singles_compare",
        16,
        &arguments,
        &buffers,
        (2, bytes(&expected)),
    );
}

/// Runs a kernel of conversions of `x` to 64 bits.
fn check_conversions(kernel: &str, x: Vec<u8>, expected: &[u64]) {
    let buffers = [x, vec![0; 8 * expected.len()]];
    let arguments = [Buffer(0), Buffer(1)];
    check(
        "conversions",
        kernel,
        16,
        &arguments,
        &buffers,
        (1, bytes(expected)),
    );
}

#[test]
fn floats_saturate_as_integers() {
    let mut random = Random(24);
    let x = random.singles(COUNT);
    let convert = |&x: &f32| {
        let wide = if x.is_nan() { 1 << 63 } else { 0 };
        [
            x as i16 as u64,
            x as i32 as u64,
            x as i64 as u64 | wide,
            x as u16 as u64,
            x as u32 as u64,
            x as u64 | wide,
            bits64(x.into()),
        ]
    };
    let expected: Vec<u64> = x.iter().flat_map(convert).collect();
    check_conversions("from_single", bytes(&x), &expected);

    let x = random.doubles(COUNT);
    // A NaN gives the integer whose highest bit is set.
    let convert = |&x: &f64| match x.is_nan() {
        true => [
            i16::MIN as u64,
            i32::MIN as u64,
            1 << 63,
            1 << 15,
            1 << 31,
            1 << 63,
            0x7fff_ffff,
        ],
        false => [
            x as i16 as u64,
            x as i32 as u64,
            x as i64 as u64,
            x as u16 as u64,
            x as u32 as u64,
            x as u64,
            u64::from(bits32(x as f32)),
        ],
    };
    let expected: Vec<u64> = x.iter().flat_map(convert).collect();
    check_conversions("from_double", bytes(&x), &expected);
}

macro_rules! from_integers {
    ($signed:ty, $unsigned:ty, $x:expr, $more:expr) => {{
        let x: Vec<$signed> = $x.iter().map(|&x| x as $signed).collect();
        let convert = |&x: &$signed| {
            let unsigned = x as $unsigned;
            let numbers = [
                u64::from((x as f32).to_bits()),
                u64::from((unsigned as f32).to_bits()),
                (x as f64).to_bits(),
                (unsigned as f64).to_bits(),
            ];
            let more: Vec<u64> = $more(x as i64, unsigned as u64);
            [numbers.to_vec(), more].concat()
        };
        let expected: Vec<u64> = x.iter().flat_map(convert).collect();
        check_conversions(concat!("from_", stringify!($signed)), bytes(&x), &expected);
    }};
}

#[test]
fn integers_are_rounded_to_nearest() {
    let x = Random(25).integers(COUNT);
    let extended = |signed: i64, unsigned: u64| vec![signed as u64, unsigned];
    let truncated = |unsigned: u64| vec![u64::from(unsigned as u8), u64::from(unsigned as u16)];
    let both = |signed, unsigned| [extended(signed, unsigned), truncated(unsigned)].concat();
    from_integers!(i8, u8, x, extended);
    from_integers!(i16, u16, x, extended);
    from_integers!(i32, u32, x, both);
    from_integers!(i64, u64, x, |_, unsigned| truncated(unsigned));
}
