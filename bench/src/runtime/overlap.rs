//! Whether host and graph work at the same time: a loop with about 1 ms of each in a trip, beside the longer one alone.

use std::time::Instant;

use tfx::runtime::{ExecutorKind, Tensor};

use super::compiled::Compiled;
use super::report::{Asked, Peer, Row, Sample};

const TRIPS: i32 = 50;
const MILLISECOND: f64 = 1e-3;

/// The host works and decides; the graph multiplies, so many times a trip.
fn text(products: usize) -> String {
    let mut body = String::new();
    for index in 0..products {
        let next = index + 1;
        body += &format!(
            "  %w{next} = tfx_tensor.op \"MatMul\"(%w{index}, %turn) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
        );
    }
    format!(
        "
func.func private @stop_working() -> i1
func.func private @work(i32, i32)
func.func @main(%trips: i32, %microseconds: i32, %turn: tensor<64x64xf32>) -> tensor<64x64xf32> {{
  func.call @work(%trips, %microseconds) : (i32, i32) -> ()
  cf.br ^loop(%turn : tensor<64x64xf32>)
^loop(%w0: tensor<64x64xf32>):
  %stop = func.call @stop_working() : () -> i1
  cf.cond_br %stop, ^exit, ^body
^body:
{body}  cf.br ^loop(%w{products} : tensor<64x64xf32>)
^exit:
  return %w0 : tensor<64x64xf32>
}}"
    )
}

/// Work of the host takes processor time, as real work does: a thread that sleeps would overlap with anything.
const FOREIGN: &str = "
#include <time.h>
static int left, wanted;
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}
void work(int trips, int microseconds) { left = trips; wanted = microseconds; }
bool stop_working(void) {
  for (double until = now() + wanted; wanted && now() < until;) {}
  return left-- == 0;
}
";

fn identity() -> Result<Tensor, String> {
    let fill = |elements: &mut [f32]| {
        elements
            .iter_mut()
            .step_by(65)
            .for_each(|element| *element = 1.0);
    };
    Tensor::build(&[64, 64], fill).map_err(|error| error.to_string())
}

struct Loop(Compiled, Tensor);

impl Loop {
    fn new(products: usize) -> Result<Self, String> {
        Ok(Loop(Compiled::new(&text(products), FOREIGN)?, identity()?))
    }

    /// Seconds of a run of which the host takes so long in each trip.
    fn seconds(&self, host: f64) -> Result<f64, String> {
        let microseconds = (host * 1e6) as i32;
        let arguments = [
            Tensor::scalar(TRIPS),
            Tensor::scalar(microseconds),
            self.1.clone(),
        ];
        self.0.seconds(ExecutorKind::Embedded, &arguments)
    }
}

/// How long a run takes, beside the longer of both sides alone.
pub(super) fn measure(runs: usize) -> Result<Row, String> {
    // As many products as take a millisecond here.
    const PROBE: usize = 4;
    let probe = Loop::new(PROBE)?;
    probe.seconds(0.0)?;
    let product = probe.seconds(0.0)? / f64::from(TRIPS) / PROBE as f64;
    let program = Loop::new(((MILLISECOND / product) as usize).max(1))?;
    program.seconds(MILLISECOND)?;
    let (mut ours, mut longer) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        let graph = program.seconds(0.0)?;
        ours.push(program.seconds(MILLISECOND)? / MILLISECOND);
        let since = Instant::now();
        // The host asks once more than there are trips.
        let host = f64::from(TRIPS + 1) * MILLISECOND;
        while since.elapsed().as_secs_f64() < host {
            std::hint::spin_loop();
        }
        longer.push(since.elapsed().as_secs_f64().max(graph) / MILLISECOND);
    }
    Ok(Row {
        name: "overlap: 50 trips of 1 ms host beside 1 ms graph",
        unit: "ms",
        ours: Sample::new(ours),
        peer: Peer::Measured {
            what: "the longer side alone",
            sample: Sample::new(longer),
        },
        asked: Asked::TimesPeer(1.1),
    })
}
