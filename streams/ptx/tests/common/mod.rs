//! Kernels of the folder `kernels`, a device, and arguments.

#![allow(dead_code, reason = "each test uses a part")]

use std::path::PathBuf;
use std::process::Command;
use std::sync::Once;

use tfx_ptx::{Entry, Fault, Memory, Module, RunError};

/// The files with kernels, without their endings.
pub(crate) const FILES: [&str; 7] = [
    "calls",
    "control",
    "conversions",
    "elementwise",
    "floats",
    "integers",
    "memory",
];
/// The processors and optimization levels for which they are compiled.
pub(crate) const VARIANTS: [(&str, &str); 2] = [("sm_70", "O0"), ("sm_90", "O3")];

/// Returns the path of a file in the folder of kernels.
pub(crate) fn path(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/kernels");
    folder.join(name)
}

/// Compiles all kernels, if `TFX_UPDATE_PTX` is set.
fn update() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if std::env::var_os("TFX_UPDATE_PTX").is_some() {
            FILES.iter().for_each(|file| compile(file));
        }
    });
}

/// Compiles a file for all variants.
pub(crate) fn compile(file: &str) {
    let folder = Command::new("llvm-config-22").arg("--bindir").output();
    let folder = folder.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string());
    let llc = match folder {
        Ok(folder) => PathBuf::from(folder).join("llc"),
        Err(_) => PathBuf::from("llc"),
    };
    for (processor, level) in VARIANTS {
        let status = Command::new(&llc)
            .args([&format!("-mcpu={processor}"), &format!("-{level}")])
            .arg(path(&format!("{file}.ll")))
            .arg("-o")
            .arg(path(&format!("{file}.{processor}.{level}.ptx")))
            .status();
        assert!(status.is_ok_and(|status| status.success()), "llc fails");
    }
}

/// Returns the texts of the variants of a file, with their names.
pub(crate) fn texts(file: &str) -> Vec<(String, String)> {
    update();
    let texts = VARIANTS.iter().map(|(processor, level)| {
        let name = format!("{file}.{processor}.{level}.ptx");
        let text = std::fs::read_to_string(path(&name)).expect("the file exists");
        (name, text)
    });
    texts.collect()
}

/// A device whose buffers are at multiples of 4 GiB.
pub(crate) struct Device {
    /// The buffers.
    pub(crate) buffers: Vec<Vec<u8>>,
}

/// Returns the address of a buffer.
pub(crate) fn address(buffer: usize) -> u64 {
    0x7000_0000_0000 + ((buffer as u64) << 32)
}

impl Device {
    fn bytes(&mut self, start: u64, bytes: usize) -> Result<&mut [u8], Fault> {
        let offset = start.checked_sub(address(0)).ok_or(Fault)?;
        let buffer = self.buffers.get_mut((offset >> 32) as usize).ok_or(Fault)?;
        let start = (offset & 0xffff_ffff) as usize;
        buffer.get_mut(start..start + bytes).ok_or(Fault)
    }
}

impl Memory for Device {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        bytes.copy_from_slice(self.bytes(address, bytes.len())?);
        Ok(())
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.bytes(address, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }
}

/// A value with bytes.
pub(crate) trait Bytes: Copy {
    /// Returns the bytes, the lowest first.
    fn bytes(self) -> Vec<u8>;
}

macro_rules! bytes {
    ($($ty:ty)*) => {$(
        impl Bytes for $ty {
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        }
    )*};
}
bytes!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

/// Returns the bytes of values.
pub(crate) fn bytes<T: Bytes>(values: &[T]) -> Vec<u8> {
    values.iter().flat_map(|value| value.bytes()).collect()
}

/// An argument of a kernel.
#[derive(Clone)]
pub(crate) enum Argument {
    /// The address of a buffer.
    Buffer(usize),
    /// The bytes of a value.
    Value(Vec<u8>),
}

/// Returns an argument with the bytes of a value.
pub(crate) fn value<T: Bytes>(value: T) -> Argument {
    Argument::Value(value.bytes())
}

/// Packs arguments.
pub(crate) fn pack(entry: &Entry, arguments: &[Argument]) -> Vec<u8> {
    assert_eq!(entry.parameter_bytes().len(), arguments.len());
    let mut packed = Vec::new();
    for (argument, (&offset, &size)) in arguments.iter().zip(
        entry
            .parameter_offsets()
            .iter()
            .zip(entry.parameter_bytes()),
    ) {
        let bytes = match argument {
            Argument::Buffer(buffer) => address(*buffer).bytes(),
            Argument::Value(bytes) => bytes.clone(),
        };
        assert_eq!(bytes.len(), size);
        packed.resize(offset, 0);
        packed.extend(bytes);
    }
    packed
}

/// Runs a kernel of a text, and returns the buffers.
pub(crate) fn run(
    text: &str,
    kernel: &str,
    grid: [u32; 3],
    block: [u32; 3],
    arguments: &[Argument],
    buffers: &[Vec<u8>],
) -> Result<Vec<Vec<u8>>, RunError> {
    let module = Module::parse(text).expect("the text is in the subset");
    let entry = module.entry(kernel).expect("the kernel exists");
    let mut device = Device {
        buffers: buffers.to_vec(),
    };
    let parameters = pack(entry, arguments);
    module.run(entry, grid, block, &parameters, &mut device)?;
    Ok(device.buffers)
}

/// Runs the variants of a kernel with blocks of 32 threads, and compares a buffer.
pub(crate) fn check(
    file: &str,
    kernel: &str,
    blocks: u32,
    arguments: &[Argument],
    buffers: &[Vec<u8>],
    (buffer, expected): (usize, Vec<u8>),
) {
    for (name, text) in texts(file) {
        let result = run(
            &text,
            kernel,
            [blocks, 1, 1],
            [32, 1, 1],
            arguments,
            buffers,
        );
        let result = result.unwrap_or_else(|error| panic!("{name}: {error}"));
        let differs = (0..expected.len()).find(|&i| result[buffer].get(i) != expected.get(i));
        assert_eq!(
            differs, None,
            "{name}, {kernel}: the first byte that differs"
        );
        assert_eq!(result[buffer].len(), expected.len());
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub(crate) struct Random(pub u64);

impl Random {
    /// Returns 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a random number below a bound.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }

    /// Returns a number between -8 and 8.
    pub(crate) fn single(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 20) as f32 - 8.0
    }

    /// Returns integers: limits, small ones and random ones.
    pub(crate) fn integers(&mut self, count: usize) -> Vec<u64> {
        let edges: [u64; 11] = [
            0,
            1,
            2,
            31,
            32,
            63,
            64,
            0x7fff,
            0x8000,
            0x7fff_ffff,
            0x8000_0000,
        ];
        let integer = |random: &mut Self| match random.below(4) {
            0 => edges[random.below(edges.len())],
            1 => edges[random.below(edges.len())].wrapping_neg(),
            2 => 1u64
                .rotate_right(1 + random.below(2) as u32)
                .wrapping_sub(random.bits() & 1),
            _ => random.bits() >> (8 * random.below(8)),
        };
        (0..count).map(|_| integer(self)).collect()
    }

    /// Returns numbers: edges, integers and a half, and random bits.
    pub(crate) fn singles(&mut self, count: usize) -> Vec<f32> {
        let edges = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1.5,
            2.5,
            f32::NAN,
            -f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::MAX,
            f32::MIN,
            f32::MIN_POSITIVE,
            f32::from_bits(1),
            f32::from_bits(0x7f80_0001),
            32767.5,
            65535.5,
            2147483648.0,
            -2147483904.0,
            4294967040.0,
            4294967296.0,
            9.223372e18,
            1.8446744e19,
        ];
        let single = |random: &mut Self| match random.below(4) {
            0 => edges[random.below(edges.len())],
            1 => random.single() * 4.0,
            2 => ((random.bits() as i32) >> random.below(31)) as f32 / 2.0,
            _ => f32::from_bits(random.bits() as u32),
        };
        (0..count).map(|_| single(self)).collect()
    }

    /// Returns numbers: edges, integers and a half, and random bits.
    pub(crate) fn doubles(&mut self, count: usize) -> Vec<f64> {
        let edges = [
            f64::MIN_POSITIVE,
            f64::from_bits(1),
            f64::MAX,
            2147483647.5,
            2147483648.0,
            -2147483648.9,
            -2147483649.0,
            4294967295.5,
            4294967296.0,
            9.223372036854775e18,
            9.223372036854776e18,
            1.8446744073709552e19,
            32768.0,
            -32768.99,
            65536.0,
            1e-46,
            3.4028235677973366e38,
            16777217.0,
        ];
        let double = |random: &mut Self, single: f32| match random.below(4) {
            0 => edges[random.below(edges.len())],
            1 => f64::from(single),
            2 => ((random.bits() as i64) >> random.below(63)) as f64 / 2.0,
            _ => f64::from_bits(random.bits()),
        };
        let singles = self.singles(count);
        singles
            .into_iter()
            .map(|single| double(self, single))
            .collect()
    }
}

/// Returns the bits of a result of `f32`.
pub(crate) fn bits32(value: f32) -> u32 {
    if value.is_nan() {
        0x7fff_ffff
    } else {
        value.to_bits()
    }
}

/// Returns the bits of a result of `f64`.
pub(crate) fn bits64(value: f64) -> u64 {
    if value.is_nan() {
        0x7ff8_0000_0000_0000
    } else {
        value.to_bits()
    }
}
