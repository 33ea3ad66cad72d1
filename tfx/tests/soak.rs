//! A server in this process: eight threads call one program, and some calls fail on purpose.
//!
//! `TFX_SOAK=1` makes 100,000 calls instead of 4,000. `make soak` sets it.

use std::fs;
use std::thread;
use std::time::Instant;

use melior::Context;
use tfx::run::{CallOptions, ForeignFunctions, LoadOptions};
use tfx::runtime::Tensor;
use tfx::runtime::ffi::abi_box::{tfx_boxes_alive, tfx_tensors_alive};
use tfx::{ErrorKind, Source};

const THREADS: usize = 8;
/// One call in so many fails in its graph, and one in its foreign function.
const FAILURES: usize = 1000;
/// The growth of the memory that the allocator's own caches may cause, in kB.
const MOST_GROWTH_KB: u64 = 8 * 1024;

const PROGRAM: &str = r#"
func.func private @scale(tensor<4xf32>, i64) -> tensor<4xf32>
func.func @serve(%x: tensor<4xf32>, %by: i64) -> (tensor<4xf32>, i64) {
  %two = tfx_tensor.const dense<2.0> : tensor<4xf32>
  %y = tfx_tensor.op "Mul"(%x, %two) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %z = func.call @scale(%y, %by) : (tensor<4xf32>, i64) -> tensor<4xf32>
  %sum = tfx_tensor.op "AddV2"(%z, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %hundred = tfx_tensor.const dense<100> : tensor<i64>
  %t = tfx_tensor.from_scalar %by : i64
  %q = tfx_tensor.op "FloorDiv"(%hundred, %t) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = tfx_tensor.to_scalar %q : tensor<i64> -> i64
  return %sum, %r : tensor<4xf32>, i64
}
"#;

/// Returns the memory of this process that is in use, in kB.
fn resident_kb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number
        .and_then(|number| number.parse().ok())
        .expect("a number of kB")
}

#[test]
fn eight_threads_serve_calls_of_which_some_fail() {
    let calls = match std::env::var_os("TFX_SOAK") {
        Some(_) => 100_000,
        None => 4_000,
    };
    let context = Context::new();
    tfx::prepare(&context);
    let mut functions = ForeignFunctions::new();
    functions.add("scale", |y: Tensor, by: i64| {
        if by == 7 {
            return Err("7 is refused");
        }
        let values = y.values::<f32>().expect("f32");
        let scaled: Vec<_> = values.iter().map(|value| value * by as f32).collect();
        Ok(Tensor::from_slice(&[4], &scaled).expect("4 elements"))
    });
    let program = Source::new("server.mlir", PROGRAM)
        .parse(&context)
        .expect("valid");
    let executable = program
        .load(functions, &LoadOptions::default())
        .expect("valid");
    let serve = executable.function("serve").expect("it is public");
    let options = CallOptions::default();
    let run = |count: usize| {
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let options = &options;
                scope.spawn(move || {
                    for number in (thread..count).step_by(THREADS) {
                        let by = match number % FAILURES {
                            0 => 0,
                            1 => 7,
                            other => 10 + other as i64 % 5,
                        };
                        let x = Tensor::from_slice(&[4], &[1.0f32, 2.0, 3.0, 4.0]).unwrap();
                        let result = serve.call_with(&[x, Tensor::scalar(by)], options);
                        match (by, result) {
                            (0, Err(error)) => {
                                assert_eq!(error.kind(), ErrorKind::Run, "{error}");
                                assert!(error.to_string().starts_with("server.mlir:10:8: error: "));
                            }
                            (7, Err(error)) => assert_eq!(error.kind(), ErrorKind::ForeignFunction),
                            (_, Ok(results)) => {
                                let sums = results[0].values::<f32>().unwrap();
                                assert_eq!(sums[3], 8.0 * (by + 1) as f32);
                                assert_eq!(results[1].item::<i64>().unwrap(), 100 / by);
                            }
                            (by, other) => panic!("{by}: {other:?}"),
                        }
                    }
                });
            }
        });
    };
    run(calls / 10);
    let (before, since) = (resident_kb(), Instant::now());
    run(calls);
    let (after, time) = (resident_kb(), since.elapsed());
    eprintln!(
        "{calls} calls: {:.1} us each, resident memory {before} -> {after} kB",
        time.as_secs_f64() * 1e6 / calls as f64
    );
    assert!(
        after < before + MOST_GROWTH_KB,
        "memory grows: {before} -> {after} kB"
    );
    assert_eq!((tfx_tensors_alive(), tfx_boxes_alive()), (0, 0));
}
