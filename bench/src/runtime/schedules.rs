//! Schedules on streams of the CPU: the switch between two streams, and copies that overlap
//! kernels.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow, ensure};
use tfx::{Source, pipelines};
use tfx_commands::{
    CommandList, Decisions, Detail, Executable, Kernels, Memory, Operand, Options, Verified,
};
use tfx_dialects::schedules::COMMANDS;
use tfx_dialects::stream::Schedule;
use tfx_ir::{attribute, module};
use tfx_schedule::{Builder, CommandId, Device, Names, Space, read, write};

use super::channels::NANOSECONDS;
use super::compiled::alternate;
use super::report::{Row, Target};

/// The kernels of a run, so that the time to start a thread is negligible.
const SWITCHES: usize = 20_000;

/// The iterations of a loop.
const ITERATIONS: u64 = 100;

/// The bytes of a batch: a copy takes about as long as a kernel of a small model.
const BATCH: usize = 4 << 20;

/// The polynomials that a kernel computes: it takes a few times as long as a copy.
const POLYNOMIALS: usize = 4;

const MILLISECONDS: f64 = 1e3;

/// Kernels on two streams in turn, each of which waits for the one before, compared with the same
/// on one stream.
pub(super) fn switch(runs: usize) -> Result<Row> {
    let (two, one) = (chain(2)?, chain(1)?);
    let each = |chain: &Executable| {
        let mut bytes = [0u8; 2];
        let since = Instant::now();
        chain.run(&mut [Memory::Write(&mut bytes)], &mut Options::default())?;
        ensure!(bytes[0] != 0, "the kernels have run");
        Ok(since.elapsed().as_secs_f64() * NANOSECONDS / SWITCHES as f64)
    };
    let figures = alternate(runs, || each(&two), || each(&one))?;
    let name = "streams: a switch to another stream";
    let target = Target::AtMost(1000.0);
    Ok(Row::compared(
        name,
        "ns",
        figures,
        "the same on one stream",
        target,
    ))
}

/// Returns kernels that follow each other on some streams.
fn chain(streams: usize) -> Result<Executable> {
    let mut b = Builder::new();
    let cpu = b.device(Device::Cpu);
    b.begin_part("main");
    let streams: Vec<_> = (0..streams).map(|_| b.stream(cpu)).collect();
    let bytes = b.buffer(2, Space::Pageable);
    let mut last = None;
    for number in 0..SWITCHES {
        let stream = streams[number % streams.len()];
        if let Some((event, _)) = last {
            b.wait(Detail::None, stream, &[event]);
        }
        let value = b.value();
        let mut accesses = Vec::new();
        accesses.extend(last.map(|(_, before)| read(bytes, before)));
        accesses.push(write(bytes, value));
        b.launch(Detail::kernel("next"), stream, &accesses);
        last = Some((b.record(Detail::None, stream), value));
    }
    b.end_part(Names::default());
    let verified = Verified::new(CommandList::new(b.finish()?))?;
    let mut kernels = Kernels::default();
    kernels.add("next", |operands| {
        if let [Operand::Update(bytes) | Operand::Write(bytes)] = operands {
            bytes[0] = bytes[0].wrapping_add(1).max(1);
        }
    });
    Ok(Executable::new(verified, &kernels)?)
}

/// A loop that copies batches and computes with them, compared with the longer of a loop of copies
/// and one of kernels that run at the same time without events: they share the memory and perhaps a
/// core.
pub(super) fn copies(runs: usize) -> Result<Row> {
    let (copy, launch) = (
        "%y = tfx_stream.copy %transfer %batch as %x to %a : !s, !b to !b",
        "tfx_stream.launch %compute @step(%a read as %y) : !s, !b",
    );
    let alone = "tfx_stream.launch %compute @step(%batch read as %x) : !s, !b";
    let both = batches(&[copy, launch])?;
    let parts = [batches(&[copy])?, batches(&[alone])?];
    let ours = || seconds(&both);
    let longer = || {
        std::thread::scope(|scope| {
            let copies = scope.spawn(|| seconds(&parts[0]));
            let kernels = seconds(&parts[1])?;
            let copies = copies.join().map_err(|_| anyhow!("a thread panicked"))?;
            Ok(f64::max(copies?, kernels))
        })
    };
    let (ours, longer) = alternate(runs, ours, longer)?;
    let all = |figures: Vec<f64>| figures.iter().map(|it| it * MILLISECONDS).collect();
    let name = "streams: 100 copies of 4 MiB, and kernels";
    let (what, target) = ("the longer, without events", Target::TimesPeer(1.03));
    Ok(Row::compared(
        name,
        "ms",
        (all(ours), all(longer)),
        what,
        target,
    ))
}

fn seconds(list: &Executable) -> Result<f64> {
    struct Trips;
    impl Decisions for Trips {
        fn continues(&mut self, _: CommandId, iteration: u64) -> bool {
            iteration < ITERATIONS
        }
        fn arm(&mut self, _: CommandId, _: usize) -> usize {
            0
        }
    }
    let batch = vec![1u8; BATCH];
    let mut options = Options {
        decisions: Some(&mut Trips),
        ..Options::default()
    };
    let since = Instant::now();
    list.run(&mut [Memory::Read(&batch)], &mut options)?;
    Ok(since.elapsed().as_secs_f64())
}

/// Compiles a loop with these commands.
fn batches(commands: &[&str]) -> Result<Executable> {
    let commands = commands.join("\n    ");
    let text = format!(
        "!s = !tfx_stream.stream<cpu>
!b = !tfx_stream.buffer<{BATCH}, host>
tfx_stream.schedule @main(%compute: !s, %transfer: !s, %batch: !b, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tfx_stream.input %batch : !b
  %a = tfx_stream.alloc on %transfer : !b on !s
  scf.for %i = %c0 to %n step %c1 {{
    {commands}
  }}
  tfx_stream.free %a on %transfer : !b on !s
  tfx_stream.return
}}"
    );
    let context = crate::harness::context();
    let mut program = Source::new("batches.mlir", &text).parse(&context)?;
    program.run(pipelines::OVERLAP)?;
    let op = module::as_op(program.module());
    let schedule = op.walk().find_map(Schedule::cast);
    let commands = schedule.and_then(|schedule| schedule.op().attribute(COMMANDS));
    let bytes = commands.and_then(attribute::content);
    let bytes = bytes.context("the schedule has no command list")?;
    let verified = Verified::new(CommandList::decode(bytes)?)?;
    let mut kernels = Kernels::default();
    kernels.add("step", |operands| {
        if let [Operand::Read(bytes)] = operands {
            step(bytes);
        }
    });
    Executable::new(verified, &kernels).map_err(|error| anyhow!(error))
}

/// A kernel that computes a few polynomials of a batch, block by block, as a product computes a few
/// results of each row.
fn step(bytes: &[u8]) {
    let mut sums = [[0u32; 16]; POLYNOMIALS];
    for block in bytes.chunks_exact(4096) {
        for (sums, factor) in sums.iter_mut().zip(31u32..) {
            for chunk in block.chunks_exact(16) {
                for (sum, byte) in sums.iter_mut().zip(chunk) {
                    *sum = sum.wrapping_mul(factor).wrapping_add(u32::from(*byte));
                }
            }
        }
    }
    black_box(sums);
}
