//! Kernels of several launches, with offsets, on memory of the caller.

use tfx_commands::{Detail, Memory, Verified};
use tfx_cuda::{
    Counts, DeviceKernels, Executable, Launch, LaunchOperand, Options, PtxKernel, RunOptions,
};
use tfx_schedule::{Agent, Builder, Device, Lifetime, Names, Space, read, write};

use crate::order::DOUBLE;
use crate::support::{Fake, verified};

/// The words of a launch of [`DOUBLE`].
const COUNT: u32 = 1000;
const BYTES: u64 = 4 * COUNT as u64;

/// Copies two thousand words to a device, runs a kernel on them, and copies them back.
fn list() -> Verified {
    let mut b = Builder::new();
    let cuda = b.device(Device::Cuda);
    b.begin_part("main");
    let stream = b.stream(cuda);
    let [given, out] = [0, 1].map(|_| b.buffer(2 * BYTES, Space::Pageable));
    let buffers = [0, 1].map(|_| {
        let root = b.root(2 * BYTES, Space::Device(cuda), Lifetime::Managed);
        let buffer = b.slice(root, 0, 2 * BYTES);
        b.alloc(Detail::None, Agent::Stream(stream), buffer);
        buffer
    });
    let values = [
        b.input(Detail::None, given),
        b.value(),
        b.value(),
        b.value(),
    ];
    let [from, to] = buffers;
    b.copy(
        Detail::None,
        stream,
        read(given, values[0]),
        write(from, values[1]),
    );
    let kernel = Detail::kernel("quadruple");
    b.launch(
        kernel,
        stream,
        &[read(from, values[1]), write(to, values[2])],
    );
    b.copy(
        Detail::None,
        stream,
        read(to, values[2]),
        write(out, values[3]),
    );
    b.end_part(Names::default());
    verified(b.finish().expect("a part"))
}

fn launch(threads: u64, operands: [(usize, u64); 2]) -> Launch {
    let operands = operands.map(|(operand, offset)| LaunchOperand { operand, offset });
    Launch {
        entry: "double".to_string(),
        threads,
        operands: operands.to_vec(),
        product: None,
    }
}

/// A kernel that doubles both halves into the result, and then the result in place.
fn kernels() -> DeviceKernels {
    let threads = u64::from(COUNT);
    let launches = vec![
        launch(threads, [(0, 0), (1, 0)]),
        launch(threads, [(0, BYTES), (1, BYTES)]),
        launch(threads, [(1, 0), (1, 0)]),
        launch(0, [(1, 0), (1, 0)]),
        launch(threads, [(1, BYTES), (1, BYTES)]),
    ];
    let mut kernels = DeviceKernels::default();
    kernels.add_module(DOUBLE);
    kernels.add_ptx("quadruple", PtxKernel { launches });
    kernels
}

fn words(factor: u32) -> Vec<u8> {
    let words = (0..2 * COUNT).flat_map(|word| (factor * word).to_le_bytes());
    words.collect()
}

#[test]
fn launches_of_a_kernel_run_in_their_order() {
    let fake = Fake::new(1);
    let input = words(1);
    for replay in [false, true] {
        let options = Options {
            replay,
            ..Options::default()
        };
        let executable = Executable::new(list(), &kernels(), &fake.driver(), &options);
        let executable = executable.expect("all kernels exist");
        for seed in 0..5 {
            fake.seed(seed);
            let mut output = vec![0; input.len()];
            let mut memory = [Memory::Read(&input), Memory::Write(&mut output)];
            let outcome = executable.run(&mut memory, &mut RunOptions::default());
            assert_eq!(outcome, Ok(()), "{seed}");
            assert_eq!(output, words(4), "{seed}");
        }
        let expected = match replay {
            true => Counts {
                waits: 5,
                graph_replays: 5,
                ..Counts::default()
            },
            false => Counts {
                launches: 20,
                copies: 10,
                ..Counts::default()
            },
        };
        assert_eq!(executable.counts(), expected);
    }
    fake.assert_empty("after both executables");
}

#[test]
fn threads_share_an_executable() {
    let fake = Fake::new(1);
    let executable = Executable::new(list(), &kernels(), &fake.driver(), &Options::default());
    let executable = executable.expect("all kernels exist");
    let input = words(1);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let mut output = vec![0; input.len()];
                    let mut memory = [Memory::Read(&input), Memory::Write(&mut output)];
                    let outcome = executable.run(&mut memory, &mut RunOptions::default());
                    assert_eq!(outcome, Ok(()));
                    assert_eq!(output, words(4));
                }
            });
        }
    });
    assert_eq!(executable.counts().graph_replays, 20);
    drop(executable);
    fake.assert_empty("after the executable");
}
