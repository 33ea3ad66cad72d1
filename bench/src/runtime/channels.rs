//! Messages on the embedded and the native executor: of the channel alone, and of whole programs.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Instant;

use anyhow::{Result, anyhow, ensure};
use tfx::runtime::{ExecutorKind, Tensor};
use tfx_channel::Channel;

use super::compiled::{Compiled, alternate, repeat};
use super::report::{Peer, Row, Sample, Target};

pub(super) const NANOSECONDS: f64 = 1e9;
const MICROSECONDS: f64 = 1e6;

/// The number of messages of one run, so that the time to start two threads is negligible.
const MESSAGES: usize = 200_000;

/// The number of round iterations of one run of a program.
const ITERATIONS: i32 = 100_000;

const STANDARD: &str = "std::sync::mpsc::sync_channel";

fn each(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * NANOSECONDS / MESSAGES as f64
}

/// A request and its answer through two channels of capacity one, with both sides running.
pub(super) fn round_trip(runs: usize) -> Result<Row> {
    let ours = || {
        let there = Arc::new(Channel::new(1));
        let back = Arc::new(Channel::new(1));
        let theirs = (Arc::clone(&there), Arc::clone(&back));
        let echo = thread::spawn(move || {
            while let Ok(message) = theirs.0.receive() {
                let _ = theirs.1.send(message);
            }
        });
        let since = Instant::now();
        for number in 0..MESSAGES {
            let _ = there.send(Tensor::scalar(number as i64));
            let _ = back.receive();
        }
        let taken = each(since);
        there.close();
        echo.join().map_err(|_| anyhow!("a thread panicked"))?;
        Ok(taken)
    };
    let peers = || {
        let (there, at_there) = sync_channel(1);
        let (back, at_back) = sync_channel(1);
        let echo = thread::spawn(move || {
            for message in at_there {
                let _ = back.send(message);
            }
        });
        let since = Instant::now();
        for number in 0..MESSAGES {
            let _ = there.send(Tensor::scalar(number as i64));
            let _ = at_back.recv();
        }
        let taken = each(since);
        drop(there);
        echo.join().map_err(|_| anyhow!("a thread panicked"))?;
        Ok(taken)
    };
    let name = "channel: a round trip";
    let figures = alternate(runs, ours, peers)?;
    Ok(Row::compared(
        name,
        "ns",
        figures,
        STANDARD,
        Target::AtMost(1000.0),
    ))
}

/// Sends scalars from another thread, and returns the time per message. Both functions return
/// whether the channel is open.
fn transfer(
    send: impl Fn(Tensor) -> bool + Send + 'static,
    receive: impl Fn() -> bool,
) -> Result<f64> {
    let mut numbers = (0..MESSAGES).map(|number| Tensor::scalar(number as i64));
    let sender = thread::spawn(move || numbers.all(send));
    let since = Instant::now();
    ensure!((0..MESSAGES).all(|_| receive()), "closed");
    let taken = each(since);
    let _ = sender.join().map_err(|_| anyhow!("a thread panicked"))?;
    Ok(taken)
}

/// Scalars in one direction, with the default capacity of a channel without a known bound.
pub(super) fn stream(runs: usize) -> Result<Row> {
    const CAPACITY: usize = 8;
    let ours = || {
        let channel = Arc::new(Channel::new(CAPACITY));
        let theirs = Arc::clone(&channel);
        let send = move |value| theirs.send(value).is_ok();
        transfer(send, || channel.receive().is_ok())
    };
    let peers = || {
        let (sender, receiver) = sync_channel(CAPACITY);
        let send = move |value| sender.send(value).is_ok();
        transfer(send, || receiver.recv().is_ok())
    };
    let name = "channel: a message one way";
    let figures = alternate(runs, ours, peers)?;
    Ok(Row::compared(
        name,
        "ns",
        figures,
        STANDARD,
        Target::Nothing,
    ))
}

/// A loop of the graph that the host ends: one boolean per iteration.
const UNTIL: &str = "
func.func private @stop() -> i1
func.func private @reset(i32)
func.func @main(%iterations: i32) -> tensor<i32> {
  func.call @reset(%iterations) : (i32) -> ()
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  cf.br ^loop(%zero : tensor<i32>)
^loop(%r: tensor<i32>):
  %stop = func.call @stop() : () -> i1
  cf.cond_br %stop, ^exit, ^body
^body:
  %next = tfx_tensor.op \"AddV2\"(%r, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  cf.br ^loop(%next : tensor<i32>)
^exit:
  return %r : tensor<i32>
}";

const UNTIL_FOREIGN: &str = "
static int left;
void reset(int iterations) { left = iterations; }
bool stop(void) { return left-- == 0; }
";

/// The program of `UNTIL`: the host's loop, the channel, and an iteration of the graph for each
/// boolean.
pub(super) fn booleans(runs: usize) -> Result<Row> {
    let program = Compiled::new(UNTIL, UNTIL_FOREIGN)?;
    let ours = || {
        let seconds = program.seconds(ExecutorKind::Embedded, &[Tensor::scalar(ITERATIONS)])?;
        Ok(seconds * NANOSECONDS / f64::from(ITERATIONS))
    };
    let peers = || {
        let (sender, receiver) = sync_channel(8);
        let since = Instant::now();
        let graph = thread::spawn(move || {
            receiver
                .into_iter()
                .take_while(|&stop: &bool| !stop)
                .count()
        });
        for iteration in 0..MESSAGES {
            let _ = sender.send(iteration + 1 == MESSAGES);
        }
        graph.join().map_err(|_| anyhow!("a thread panicked"))?;
        Ok(each(since))
    };
    let name = "host booleans, with an iteration of the graph each";
    let figures = alternate(runs, ours, peers)?;
    Ok(Row::compared(
        name,
        "ns",
        figures,
        STANDARD,
        Target::AtMost(200.0),
    ))
}

/// A loop of the graph that calls the host in each iteration.
pub(super) const SIMULATOR: &str = "
func.func private @simulate(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%iterations: i32) -> tensor<4xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %v0 = tfx_tensor.const dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf32>
  cf.br ^header(%zero, %v0 : i32, tensor<4xf32>)
^header(%i: i32, %v: tensor<4xf32>):
  %go = arith.cmpi slt, %i, %iterations : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %x = tfx_tensor.op \"Tanh\"(%v) : (tensor<4xf32>) -> tensor<4xf32>
  %r = func.call @simulate(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %next = tfx_tensor.op \"AddV2\"(%r, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %i1 = arith.addi %i, %one : i32
  cf.br ^header(%i1, %next : i32, tensor<4xf32>)
^exit:
  return %v : tensor<4xf32>
}";

pub(super) const SIMULATOR_FOREIGN: &str = "
TfxTensor *simulate(TfxTensor *x) {
  int64_t dims[1] = {4};
  TfxTensor *result = tfx_tensor_new(1, 1, dims);
  const float *from = tfx_tensor_data(x);
  float *to = tfx_tensor_data(result);
  for (int i = 0; i < 4; i++) to[i] = from[i] * 0.5f;
  return result;
}
";

/// The program of `SIMULATOR`: two messages and two operations per iteration.
pub(super) fn simulator(runs: usize) -> Result<Row> {
    let program = Compiled::new(SIMULATOR, SIMULATOR_FOREIGN)?;
    let name = "host simulator: an iteration with its round trip";
    simulator_on(
        ExecutorKind::Embedded,
        &program,
        runs,
        name,
        Target::Nothing,
    )
}

/// The same, with native code.
pub(super) fn native_simulator(runs: usize) -> Result<Row> {
    let program = Compiled::native(SIMULATOR, SIMULATOR_FOREIGN)?;
    let name = "host simulator, native: an iteration with its round trip";
    simulator_on(
        ExecutorKind::Native,
        &program,
        runs,
        name,
        Target::AtMost(1000.0),
    )
}

fn simulator_on(
    executor: ExecutorKind,
    program: &Compiled,
    runs: usize,
    name: &'static str,
    target: Target,
) -> Result<Row> {
    let figures = repeat(runs, || {
        let seconds = program.seconds(executor, &[Tensor::scalar(ITERATIONS)])?;
        Ok(seconds * NANOSECONDS / f64::from(ITERATIONS))
    })?;
    Ok(Row {
        name,
        unit: "ns",
        ours: Sample::new(figures),
        peer: Peer::Absent {
            what: "TensorFlow in Python",
            why: "it is compared with the executor of TensorFlow".to_owned(),
        },
        target,
    })
}

/// The time from the start of a program without iterations to its end.
pub(super) fn start(runs: usize) -> Result<Row> {
    const STARTS: usize = 200;
    let program = Compiled::new(UNTIL, UNTIL_FOREIGN)?;
    let ours = || {
        let mut seconds = 0.0;
        for _ in 0..STARTS {
            seconds += program.seconds(ExecutorKind::Embedded, &[Tensor::scalar(0i32)])?;
        }
        Ok(seconds * MICROSECONDS / STARTS as f64)
    };
    let peers = || {
        let since = Instant::now();
        for _ in 0..STARTS {
            thread::spawn(|| ())
                .join()
                .map_err(|_| anyhow!("a thread panicked"))?;
        }
        Ok(since.elapsed().as_secs_f64() * MICROSECONDS / STARTS as f64)
    };
    let name = "a start and its end";
    let figures = alternate(runs, ours, peers)?;
    Ok(Row::compared(
        name,
        "µs",
        figures,
        "std::thread::spawn and join",
        Target::Nothing,
    ))
}
