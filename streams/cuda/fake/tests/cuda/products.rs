//! Products of matrices by cuBLAS: the results of their PTX entries, errors, and traces without a
//! race.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use tfx_commands::{Detail, Memory, Verified};
use tfx_cuda::driver::{Blas, BlasError, BlasLoadError};
use tfx_cuda::trace::{Table, Trace};
use tfx_cuda::{
    Counts, DeviceKernels, Error, Executable, Launch, LaunchOperand, Matrix, Options, Product,
    ProductElement, ProductError, PtxKernel, RunOptions,
};
use tfx_schedule::{Agent, Builder, Device, Lifetime, Names, Space, read, write};

use crate::schedules::Random;
use crate::support::{Fake, verified};

pub(crate) const SEEDS: u64 = 20;
/// The bytes before each matrix in its operand.
const OFFSET: u64 = 16;

// ------------------------------------------------------------------------------------- products

fn matrix(parameter: usize, [rows, columns]: [u64; 2], is_transposed: bool, gap: u64) -> Matrix {
    let [rows, columns] = match is_transposed {
        true => [columns, rows],
        false => [rows, columns],
    };
    Matrix {
        parameter,
        is_transposed,
        leading: columns + gap,
        stride: rows * (columns + gap) + 2 * gap,
    }
}

/// Returns a product with `gap` unused elements after each row, and twice as many after each
/// matrix.
pub(crate) fn product(
    element: ProductElement,
    [batch, rows, columns, depth]: [u64; 4],
    transposed: [bool; 2],
    gap: u64,
) -> Product {
    Product {
        element,
        batch,
        rows,
        columns,
        depth,
        // The result is the first parameter.
        a: matrix(1, [rows, depth], transposed[0], gap),
        b: matrix(2, [depth, columns], transposed[1], gap),
        c: matrix(0, [rows, columns], false, gap),
    }
}

/// Returns an entry that computes a product, with a thread for each element.
fn entry(product: &Product) -> String {
    let Product {
        rows,
        columns,
        depth,
        ..
    } = product;
    let threads = product.batch * rows * columns;
    let (ty, bits, size) = match product.element {
        ProductElement::F32 => ("f32", "0f00000000", 4),
        ProductElement::F64 => ("f64", "0d0000000000000000", 8),
    };
    let steps = |matrix: Matrix| match matrix.is_transposed {
        true => (1, matrix.leading),
        false => (matrix.leading, 1),
    };
    let (a_row, a_next) = steps(product.a);
    let (b_next, b_column) = steps(product.b);
    let mut text = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n\
         .visible .entry product(.param .u64 c, .param .u64 a, .param .u64 b)\n{{\n\
         .reg .pred %p<2>;\n.reg .b32 %r<12>;\n.reg .b64 %d<6>;\n.reg .{ty} %f<4>;\n\
         mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\n\
         mad.lo.u32 %r3, %r1, %r2, %r0;\nsetp.ge.u32 %p0, %r3, {threads};\n@%p0 bra END;\n\
         rem.u32 %r4, %r3, {columns};\ndiv.u32 %r3, %r3, {columns};\n\
         rem.u32 %r5, %r3, {rows};\ndiv.u32 %r6, %r3, {rows};\n"
    );
    // The first element of each operand: of its matrix, row and column.
    for (number, name, stride, row, column) in [
        (0, 'a', product.a.stride, a_row, 0),
        (1, 'b', product.b.stride, 0, b_column),
        (2, 'c', product.c.stride, product.c.leading, 1),
    ] {
        let _ = write!(
            text,
            "ld.param.u64 %d{number}, [{name}];\ncvta.to.global.u64 %d{number}, %d{number};\n\
             mul.lo.u32 %r7, %r6, {stride};\nmad.lo.u32 %r7, %r5, {row}, %r7;\n\
             mad.lo.u32 %r7, %r4, {column}, %r7;\nmul.wide.u32 %d3, %r7, {size};\n\
             add.u64 %d{number}, %d{number}, %d3;\n"
        );
    }
    let _ = write!(
        text,
        "mov.{ty} %f0, {bits};\nmov.u32 %r8, 0;\nLOOP:\n\
         ld.global.{ty} %f1, [%d0];\nld.global.{ty} %f2, [%d1];\n\
         fma.rn.{ty} %f0, %f1, %f2, %f0;\nadd.u64 %d0, %d0, {};\nadd.u64 %d1, %d1, {};\n\
         add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, {depth};\n@%p1 bra LOOP;\n\
         st.global.{ty} [%d2], %f0;\nEND:\nret;\n}}\n",
        a_next * size,
        b_next * size,
    );
    text
}

/// Returns the kernel of a product.
fn kernels(product: &Product) -> DeviceKernels {
    let mut kernels = DeviceKernels::default();
    kernels.add_module(&entry(product));
    // The operands of the command are `a`, `b` and `c`.
    let operands = [2, 0, 1].map(|operand| LaunchOperand {
        operand,
        offset: OFFSET,
    });
    let launch = Launch {
        entry: "product".to_string(),
        threads: product.batch * product.rows * product.columns,
        operands: operands.to_vec(),
        product: Some(*product),
    };
    let launches = vec![launch];
    kernels.add_ptx("multiply", PtxKernel { launches });
    kernels
}

/// Returns a list with a product on each of some streams of a device: it uploads `a` and `b`, and
/// downloads `c`.
fn list(bytes: [u64; 3], streams: usize) -> Verified {
    let mut b = Builder::new();
    let cuda = b.device(Device::Cuda);
    b.begin_part("main");
    for _ in 0..streams {
        let stream = b.stream(cuda);
        let host = bytes.map(|bytes| b.buffer(OFFSET + bytes, Space::Pageable));
        let own = bytes.map(|bytes| {
            let root = b.root(OFFSET + bytes, Space::Device(cuda), Lifetime::Managed);
            let buffer = b.slice(root, 0, OFFSET + bytes);
            b.alloc(Detail::None, Agent::Stream(stream), buffer);
            buffer
        });
        let factors = [0, 1].map(|factor| {
            let given = b.input(Detail::None, host[factor]);
            let uploaded = b.value();
            let from = read(host[factor], given);
            b.copy(Detail::None, stream, from, write(own[factor], uploaded));
            read(own[factor], uploaded)
        });
        let [result, downloaded] = [b.value(), b.value()];
        let accesses = [factors[0], factors[1], write(own[2], result)];
        b.launch(Detail::kernel("multiply"), stream, &accesses);
        let to = write(host[2], downloaded);
        b.copy(Detail::None, stream, read(own[2], result), to);
    }
    b.end_part(Names::default());
    verified(b.finish().expect("a part"))
}

/// Returns random numbers between -1 and 1 as bytes, after those before the matrix.
fn numbers(element: ProductElement, bytes: u64, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut all = vec![0; OFFSET as usize];
    for _ in 0..bytes / element.bytes() {
        let number = random.below(1 << 20) as f64 / f64::from(1 << 19) - 1.0;
        match element {
            ProductElement::F32 => all.extend((number as f32).to_le_bytes()),
            ProductElement::F64 => all.extend(number.to_le_bytes()),
        }
    }
    all
}

/// Returns the elements of a result, without the gaps.
fn elements(product: &Product, bytes: &[u8]) -> Vec<f64> {
    let size = product.element.bytes() as usize;
    let mut all = Vec::new();
    for matrix in 0..product.batch {
        for row in 0..product.rows {
            for column in 0..product.columns {
                let at = matrix * product.c.stride + row * product.c.leading + column;
                let at = OFFSET as usize + at as usize * size;
                let bytes = &bytes[at..at + size];
                all.push(match product.element {
                    ProductElement::F32 => {
                        f64::from(f32::from_le_bytes(bytes.try_into().expect("four bytes")))
                    }
                    ProductElement::F64 => f64::from_le_bytes(bytes.try_into().expect("eight")),
                });
            }
        }
    }
    all
}

/// An executable with a product on each of some streams.
struct Subject {
    product: Product,
    streams: usize,
    executable: Executable,
}

impl Subject {
    fn new(fake: &Fake, product: Product, streams: usize, has_blas: bool, replay: bool) -> Self {
        let blas = has_blas.then(|| blas(fake));
        let options = Options {
            replay,
            blas,
            ..Options::default()
        };
        let verified = list(product.bytes(), streams);
        let executable = Executable::new(verified, &kernels(&product), &fake.driver(), &options);
        Self {
            product,
            streams,
            executable: executable.expect("all kernels exist"),
        }
    }

    /// Returns the results of the streams.
    fn run(&self, seed: u64) -> Result<Vec<Vec<f64>>, Error> {
        let [a, b, c] = self.product.bytes();
        let numbers = |bytes, seed| numbers(self.product.element, bytes, seed);
        let streams = self.streams as u64;
        let factors = (0..streams).map(|stream| {
            let seed = 2 * (seed + stream);
            [numbers(a, seed), numbers(b, seed + 1)]
        });
        let factors: Vec<_> = factors.collect();
        let mut results = vec![vec![0; (OFFSET + c) as usize]; self.streams];
        let mut memory = Vec::new();
        for ([a, b], c) in factors.iter().zip(&mut results) {
            memory.extend([Memory::Read(a), Memory::Read(b), Memory::Write(c)]);
        }
        self.executable
            .run(&mut memory, &mut RunOptions::default())?;
        let results = results.iter().map(|result| elements(&self.product, result));
        Ok(results.collect())
    }
}

pub(crate) fn blas(fake: &Fake) -> Arc<Blas> {
    Blas::load(&fake.file).expect("the fake library")
}

#[test]
fn products_are_those_of_their_entries() {
    let fake = Fake::new(1);
    let mut compared = 0;
    for element in [ProductElement::F32, ProductElement::F64] {
        for sizes in [
            [1, 7, 5, 9],
            [3, 4, 6, 2],
            [2, 1, 8, 3],
            [2, 8, 1, 1],
            [1, 1, 1, 1],
        ] {
            for transposed in 0..4 {
                let transposed = [transposed & 1 != 0, transposed & 2 != 0];
                for gap in [0, 3] {
                    let product = product(element, sizes, transposed, gap);
                    let subject = |has_blas| Subject::new(&fake, product, 1, has_blas, false);
                    let (entry, library) = (subject(false), subject(true));
                    let expected = entry.run(compared).expect("a correct list");
                    let found = library.run(compared).expect("a correct list");
                    assert_eq!(found, expected, "{product:?}");
                    // The result is the definition's, up to rounding.
                    assert!(is_close(&product, compared, &found[0]), "{product:?}");
                    assert_eq!(entry.executable.counts().ptx_products, 1);
                    let counts = library.executable.counts();
                    assert_eq!((counts.launches, counts.blas_products), (0, 1));
                    compared += 1;
                }
            }
        }
    }
    assert_eq!(compared, 80);
    fake.assert_empty("after all executables");
}

/// Returns whether a result is the product, up to rounding.
fn is_close(product: &Product, seed: u64, result: &[f64]) -> bool {
    let [a, b] = [0, 1].map(|factor| {
        let bytes = product.bytes()[factor];
        let bytes = numbers(product.element, bytes, 2 * seed + factor as u64);
        let bytes = &bytes[OFFSET as usize..];
        let numbers: Vec<f64> = match product.element {
            ProductElement::F32 => {
                let words = bytes.chunks_exact(4);
                words
                    .map(|word| f64::from(f32::from_le_bytes(word.try_into().expect("four"))))
                    .collect()
            }
            ProductElement::F64 => {
                let words = bytes.chunks_exact(8);
                words
                    .map(|word| f64::from_le_bytes(word.try_into().expect("eight")))
                    .collect()
            }
        };
        numbers
    });
    let element = |numbers: &[f64], matrix: Matrix, number: u64, row: u64, column: u64| {
        let [row, column] = match matrix.is_transposed {
            true => [column, row],
            false => [row, column],
        };
        numbers[(number * matrix.stride + row * matrix.leading + column) as usize]
    };
    let mut found = result.iter();
    (0..product.batch).all(|number| {
        (0..product.rows).all(|row| {
            (0..product.columns).all(|column| {
                let terms = (0..product.depth).map(|step| {
                    element(&a, product.a, number, row, step)
                        * element(&b, product.b, number, step, column)
                });
                let sum: f64 = terms.sum();
                found.next().is_some_and(|found| (found - sum).abs() < 1e-5)
            })
        })
    }) && found.next().is_none()
}

fn small() -> Product {
    product(ProductElement::F32, [2, 5, 4, 3], [false, true], 0)
}

#[test]
fn products_of_several_streams_are_issued_and_replayed() {
    let fake = Fake::new(1);
    let [entries, issued, replayed] = [(false, false), (true, false), (true, true)]
        .map(|(has_blas, replay)| Subject::new(&fake, small(), 3, has_blas, replay));
    for seed in 0..SEEDS {
        fake.seed(seed);
        let expected = entries.run(seed).expect("a correct list");
        assert_eq!(issued.run(seed), Ok(expected.clone()), "{seed}");
        assert_eq!(replayed.run(seed), Ok(expected), "{seed}, replayed");
    }
    // A handle for each session, and a workspace for each of its streams.
    assert_eq!(fake.count("handles"), 2);
    assert_eq!(fake.count("cublasCreate"), 2);
    let expected = Counts {
        copies: 9 * SEEDS,
        blas_products: 3 * SEEDS,
        ..Counts::default()
    };
    assert_eq!(issued.executable.counts(), expected);
    let expected = Counts {
        waits: SEEDS,
        graph_replays: SEEDS,
        blas_products: 3 * SEEDS,
        ..Counts::default()
    };
    assert_eq!(replayed.executable.counts(), expected);
    let counts = entries.executable.counts();
    assert_eq!(
        (counts.launches, counts.ptx_products),
        (3 * SEEDS, 3 * SEEDS)
    );
    drop((entries, issued, replayed));
    fake.assert_empty("after all executables");
}

#[test]
fn replayed_entries_are_counted() {
    let fake = Fake::new(1);
    let subject = Subject::new(&fake, small(), 2, false, true);
    for seed in 0..3 {
        subject.run(seed).expect("a correct list");
    }
    let expected = Counts {
        waits: 3,
        graph_replays: 3,
        ptx_products: 6,
        ..Counts::default()
    };
    assert_eq!(subject.executable.counts(), expected);
}

// --------------------------------------------------------------------------------------- errors

#[test]
fn libraries_that_cannot_be_used_are_errors() {
    let error = Blas::load(Path::new("libcublas-missing.so")).expect_err("no such file");
    assert!(matches!(error, BlasLoadError::Library { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.starts_with("libcublas-missing.so cannot be loaded: "),
        "{text}"
    );
    let error = Blas::load(Path::new("libc.so.6")).expect_err("not cuBLAS");
    let text = "libc.so.6 has no function cublasCreate_v2: cuBLAS of CUDA 11.5 or later has it";
    assert_eq!(error.to_string(), text);
}

#[test]
fn each_failed_call_is_an_error_with_its_status_and_kernel() {
    let fake = Fake::new(1);
    let statuses = [
        (3, "CUBLAS_STATUS_ALLOC_FAILED"),
        (13, "CUBLAS_STATUS_EXECUTION_FAILED"),
        (99, "status 99"),
    ];
    for call in [
        "cublasCreate",
        "cublasSetMathMode",
        "cublasSetStream",
        "cublasSetWorkspace",
        "cublasSgemmStridedBatched",
    ] {
        for replay in [false, true] {
            for (code, name) in statuses {
                let subject = Subject::new(&fake, small(), 2, true, replay);
                let before = fake.count(call);
                fake.set("FAIL", &format!("{call}:1:{code}"));
                let error = subject.run(0).expect_err("a failed call");
                assert_eq!(fake.count(call) - before, 1);
                let Error::Blas { kernel, error } = &error else {
                    panic!("{call}: {error:?}");
                };
                assert_eq!(kernel, "multiply");
                let is_status = matches!(error, BlasError::Status { call: own, code: status, .. }
                    if *own == call && *status == code);
                assert!(is_status, "{error:?}");
                let text = format!("{call} failed: {name} (");
                assert!(error.to_string().starts_with(&text), "{error}");
                fake.set("FAIL", "");
                subject.run(0).expect("a run after a failure");
                drop(subject);
                fake.assert_empty(call);
            }
        }
    }
    // Nobody gets the error of a release.
    let subject = Subject::new(&fake, small(), 1, true, true);
    subject.run(0).expect("a correct list");
    fake.set("FAIL", "cublasDestroy:1");
    drop(subject);
    fake.assert_empty("cublasDestroy");
}

#[test]
fn workspaces_without_memory_are_errors() {
    let fake = Fake::new(1);
    let subject = Subject::new(&fake, small(), 1, true, false);
    fake.set("MEMORY", "100000");
    let error = subject.run(0).expect_err("no memory");
    let text = "the product of the kernel 'multiply' failed: cuMemAlloc failed: \
                CUDA_ERROR_OUT_OF_MEMORY (out of memory)";
    assert_eq!(error.to_string(), text);
}

#[test]
fn products_that_do_not_fit_are_errors() {
    let fake = Fake::new(1);
    let options = Options {
        blas: Some(blas(&fake)),
        ..Options::default()
    };
    let product = small();
    let damaged = Product {
        depth: 0,
        ..product
    };
    let verified = list(product.bytes(), 1);
    let new = |verified, product: &Product| {
        Executable::new(verified, &kernels(product), &fake.driver(), &options)
    };
    let error = new(verified, &damaged).expect_err("no steps");
    let text = "the kernel 'multiply' is damaged: the product has 0 steps";
    assert_eq!(error.to_string(), text);
    let [a, b, c] = product.bytes();
    for (matrix, bytes) in [
        ('a', [a - 4, b, c]),
        ('b', [a, b - 4, c]),
        ('c', [a, b, c - 4]),
    ] {
        let mut inputs = bytes.map(|bytes| vec![0; (OFFSET + bytes) as usize]);
        let mut memory = inputs.iter_mut().map(|bytes| Memory::Write(bytes));
        let mut memory: Vec<_> = memory.by_ref().collect();
        let executable = new(list(bytes, 1), &product).expect("all kernels exist");
        let outcome = executable.run(&mut memory, &mut RunOptions::default());
        let Err(Error::Product { error, .. }) = outcome else {
            panic!("{matrix}: {outcome:?}");
        };
        let found = matches!(error, ProductError::Bytes { matrix: own, .. } if own == matrix);
        assert!(found, "{matrix}: {error}");
    }
}

// --------------------------------------------------------------------------------------- traces

/// Returns the trace of two runs of products on two streams.
fn trace(replay: bool) -> String {
    let fake = Fake::new(1);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("trace");
    fake.set("TRACE", file.to_str().expect("a path"));
    let subject = Subject::new(&fake, small(), 2, true, replay);
    for seed in 0..2 {
        subject.run(seed).expect("a correct list");
    }
    drop(subject);
    std::fs::read_to_string(&file).expect("a trace")
}

#[test]
fn traces_are_verified_and_shared_workspaces_are_not() {
    for replay in [false, true] {
        let text = trace(replay);
        let lines = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        let lines: Vec<Value> = lines.collect();
        let is_verified = |lines: &[Value]| {
            let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
            let trace = Trace::parse(&lines.join("\n")).expect("calls");
            let report = trace.check(&Table::default()).expect("a schedule");
            report.is_verified()
        };
        assert!(is_verified(&lines), "replay: {replay}");
        let of_call = |call: &'static str| {
            let is_call = move |line: &Value| line["call"] == call;
            let found = lines.iter().enumerate();
            let found = found.filter(move |(_, line)| is_call(line));
            found.map(|(index, _)| index).collect::<Vec<_>>()
        };
        let products = of_call("cublasSgemmStridedBatched");
        assert_eq!(products.len(), if replay { 2 } else { 4 });
        let [first, second] = [&lines[products[0]], &lines[products[1]]];
        assert_ne!(first["stream"], second["stream"]);
        // The second product works in the workspace of the first one.
        let mut shared = lines.clone();
        shared[products[1]]["scratch"] = first["scratch"].clone();
        assert!(!is_verified(&shared), "replay: {replay}");
        // The second product writes what the first one reads, or the other way round.
        for [from, to] in [["reads", "writes"], ["writes", "reads"]] {
            let mut racing = lines.clone();
            racing[products[1]][to][0] = first[from][0].clone();
            assert!(!is_verified(&racing), "replay: {replay}, {to}");
        }
        // A factor of the first one is uploaded on another stream.
        let mut early = lines.clone();
        let upload = of_call("cuMemcpyHtoDAsync")[0];
        early[upload]["stream"] = second["stream"].clone();
        assert!(!is_verified(&early), "replay: {replay}");
    }
}
