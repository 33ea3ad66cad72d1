//! Calls of compiled programs within this process: results, failures, and what failures leave.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use melior::Context;
use tfx::run::{CallOptions, Cancellation, Executable, ForeignFunctions, LoadOptions};
use tfx::runtime::ffi::abi_box::{tfx_boxes_alive, tfx_tensors_alive};
use tfx::runtime::{Bool, ExecutorKind, Tensor};
use tfx::{Error, ErrorKind, Source};

/// Objects are counted per process, so the tests run one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn load(text: &str, functions: ForeignFunctions) -> Result<Executable, Error> {
    let context = Context::new();
    tfx::prepare(&context);
    let program = Source::new("test.mlir", text).parse(&context)?;
    program.load(functions, &LoadOptions::default())
}

fn scalar(value: f32) -> Tensor {
    Tensor::scalar(value)
}

fn vector(values: &[f32]) -> Tensor {
    Tensor::build(&[values.len()], |elements: &mut [f32]| {
        elements.copy_from_slice(values)
    })
    .expect("a shape that fits")
}

fn objects() -> (u64, u64) {
    (tfx_tensors_alive(), tfx_boxes_alive())
}

/// A loop of the graph that divides, with a message to the host and back in each iteration.
const DIVIDE: &str = r#"
func.func private @next(i64) -> i64
func.func @divide(%n: i64, %from: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %hundred = arith.constant dense<100> : tensor<i64>
  cf.br ^loop(%zero, %from, %hundred : i64, i64, tensor<i64>)
^loop(%i: i64, %by: i64, %sum: tensor<i64>):
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^done
^body:
  tfx_host.print "by {}"(%by) : i64
  %t = tfx_tensor.from_scalar %by : i64
  %q = tfx_tensor.op "FloorDiv"(%sum, %t) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %s = tfx_tensor.op "AddV2"(%q, %sum) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %b = func.call @next(%by) : (i64) -> i64
  %i2 = arith.addi %i, %one : i64
  cf.br ^loop(%i2, %b, %s : i64, i64, tensor<i64>)
^done:
  %r = tfx_tensor.to_scalar %sum : tensor<i64> -> i64
  return %r : i64
}
"#;

fn divide() -> Executable {
    let mut functions = ForeignFunctions::new();
    functions.add("next", |by: i64| {
        if by == 13 {
            return Err("13 is unlucky");
        }
        Ok(by - 1)
    });
    load(DIVIDE, functions).expect("the program is valid")
}

fn numbers(values: [i64; 2]) -> [Tensor; 2] {
    values.map(Tensor::scalar)
}

#[test]
fn a_failing_graph_is_an_error_at_its_place() {
    let _alone = alone();
    let executable = divide();
    let f = executable.function("divide").expect("it is public");
    let before = objects();
    let printed = Arc::new(Mutex::new(Vec::new()));
    let lines = Arc::clone(&printed);
    let options = CallOptions {
        output: Some(Arc::new(move |line| {
            lines.lock().unwrap().push(line.to_owned());
        })),
        ..CallOptions::default()
    };
    for _ in 0..3 {
        printed.lock().unwrap().clear();
        let error = f
            .call_with(&numbers([5, 2]), &options)
            .expect_err("2, 1, 0");
        assert_eq!(error.kind(), ErrorKind::Run);
        let place = error.diagnostics()[0]
            .place
            .clone()
            .expect("it has a place");
        assert_eq!(
            (place.file.as_str(), place.line),
            ("test.mlir", 14),
            "{error}"
        );
        // The prints before the division have happened.
        let printed = printed.lock().unwrap();
        assert_eq!(printed[..3], ["by 2\n", "by 1\n", "by 0\n"]);
        assert_eq!(objects(), before);
    }
    let results = f.call(&numbers([2, 5])).expect("5, 4");
    assert_eq!(results[0].item::<i64>().unwrap(), 150);
    assert_eq!(objects(), before);
}

#[test]
fn a_failing_host_function_is_an_error_at_its_call() {
    let _alone = alone();
    let executable = divide();
    let f = executable.function("divide").expect("it is public");
    let before = objects();
    let options = CallOptions {
        output: Some(Arc::new(|_| {})),
        ..CallOptions::default()
    };
    let error = f.call_with(&numbers([5, 14]), &options).expect_err("13");
    assert_eq!(error.kind(), ErrorKind::ForeignFunction);
    assert_eq!(
        error.to_string(),
        "test.mlir:16:8: error: foreign function '@next' failed: 13 is unlucky"
    );
    assert_eq!(objects(), before);
}

/// The value of `@next` is sent before the print, and the division fails without waiting for it.
const PRINT: &str = r#"
func.func private @next(i64) -> i64
func.func @f(%by: i64) -> i64 {
  %a = func.call @next(%by) : (i64) -> i64
  %sent = tfx_tensor.from_scalar %a : i64
  %b = func.call @next(%a) : (i64) -> i64
  tfx_host.print "{} and {}"(%a, %b) : i64, i64
  %hundred = tfx_tensor.const dense<100> : tensor<i64>
  %t = tfx_tensor.from_scalar %by : i64
  %q = tfx_tensor.op "FloorDiv"(%hundred, %t) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %s = tfx_tensor.op "AddV2"(%q, %sent) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = tfx_tensor.to_scalar %s : tensor<i64> -> i64
  return %r : i64
}
"#;

#[test]
fn effects_before_the_failing_operation_have_happened() {
    let _alone = alone();
    let mut functions = ForeignFunctions::new();
    functions.add("next", |by: i64| {
        // The graph fails in the meantime.
        thread::sleep(Duration::from_millis(1));
        by + 1
    });
    let executable = load(PRINT, functions).expect("the program is valid");
    let f = executable.function("f").expect("it is public");
    for _ in 0..20 {
        let printed = Arc::new(Mutex::new(String::new()));
        let lines = Arc::clone(&printed);
        let options = CallOptions {
            output: Some(Arc::new(move |line| lines.lock().unwrap().push_str(line))),
            ..CallOptions::default()
        };
        let error = f
            .call_with(&[Tensor::scalar(0i64)], &options)
            .expect_err("by 0");
        assert!(
            error
                .to_string()
                .starts_with("test.mlir:10:8: error: Integer division by zero")
        );
        assert_eq!(*printed.lock().unwrap(), "1 and 2\n");
    }
}

#[test]
fn a_panic_of_a_host_function_is_an_error() {
    let _alone = alone();
    let mut functions = ForeignFunctions::new();
    functions.add("next", |by: i64| -> i64 { [1, 2][by as usize] });
    let executable = load(DIVIDE, functions).expect("the program is valid");
    let f = executable.function("divide").expect("it is public");
    let error = f.call(&numbers([1, 2])).expect_err("out of bounds");
    assert_eq!(error.kind(), ErrorKind::ForeignFunction);
    assert!(
        error
            .to_string()
            .contains("it panicked: index out of bounds")
    );
}

#[test]
fn arguments_are_checked_before_anything_runs() {
    let _alone = alone();
    let text = r#"
func.func @f(%x: tensor<2x?xf32> {tfx.name = "x"}) -> tensor<2x?xf32> {
  tfx_host.print "running"()
  %y = tfx_tensor.op "Neg"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}
func.func @g(%c: !tfx_host.closure<() -> i32>) -> i32 {
  %r = tfx_host.apply %c() : !tfx_host.closure<() -> i32>
  return %r : i32
}"#;
    let executable = load(text, ForeignFunctions::new()).expect("the program is valid");
    assert_eq!(executable.functions().collect::<Vec<_>>(), ["f"]);
    let f = executable.function("f").expect("it is public");
    let wrong = |arguments: &[Tensor], expected: &str| {
        let error = f.call(arguments).expect_err("it does not fit");
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert_eq!(
            error.to_string(),
            format!("test.mlir:2:1: error: {expected}")
        );
    };
    wrong(&[], "@f expects 1 arguments, but got 0");
    let of_i64 = Tensor::scalar(1i64);
    wrong(
        &[of_i64],
        "argument 'x' of @f has elements of type i64, but f32 is expected",
    );
    let flat = vector(&[1.0, 2.0]);
    wrong(
        &[flat],
        "argument 'x' of @f has a tensor<2xf32>, but a tensor<2x?xf32> is expected",
    );
    let missing = executable.function("h").expect_err("it does not exist");
    assert_eq!(
        missing.to_string(),
        "there is no public function 'h'; there are 'f'"
    );
    let closure = executable.function("g").expect_err("it takes a closure");
    assert!(
        closure
            .to_string()
            .contains("'arg0' has type !tfx_host.closure"),
        "{closure}"
    );
}

/// Loops that only count: one with one entry, one that is entered at two blocks.
const SPIN: &str = r#"
func.func @spin(%n: i64, %second: i1) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  cf.cond_br %second, ^b(%zero : i64), ^a(%zero : i64)
^a(%i: i64):
  %j = arith.addi %i, %one : i64
  cf.br ^b(%j : i64)
^b(%k: i64):
  %done = arith.cmpi eq, %k, %n : i64
  cf.cond_br %done, ^end, ^a(%k : i64)
^end:
  return %n : i64
}"#;

#[test]
fn loops_of_the_host_are_interrupted() {
    let _alone = alone();
    let executable = load(SPIN, ForeignFunctions::new()).expect("the program is valid");
    let spin = executable.function("spin").expect("it is public");
    let limited = CallOptions {
        time_limit: Some(Duration::from_millis(50)),
        ..CallOptions::default()
    };
    for second in [false, true] {
        let endless = [Tensor::scalar(-1i64), Tensor::scalar(Bool::from(second))];
        let error = spin
            .call_with(&endless, &limited)
            .expect_err("2^64 iterations");
        assert_eq!(error.kind(), ErrorKind::TimeLimit);
        let place = error.diagnostics()[0]
            .place
            .as_ref()
            .map(|place| place.line);
        assert!(
            place.is_some_and(|line| (5..=11).contains(&line)),
            "{error}"
        );
        let short = [Tensor::scalar(1000i64), Tensor::scalar(Bool::from(second))];
        let results = spin.call_with(&short, &limited).expect("it ends");
        assert_eq!(results[0].item::<i64>(), Ok(1000));
    }
}

/// `@endless` calls itself with the same number through a closure, and `@depth` as often as its
/// argument says.
const RECURSION: &str = r#"
!F = !tfx_host.closure<(i64) -> i64>
func.func private @inner(%n: i64) -> i64 {
  %f = tfx_host.closure @inner() : () -> !tfx_host.closure<(i64) -> i64>
  %r = func.call @applied(%f, %n) : (!F, i64) -> i64
  %one = arith.constant 1 : i64
  %s = arith.addi %r, %one : i64
  return %s : i64
}
func.func private @applied(%f: !F, %n: i64) -> i64 attributes {no_inline} {
  %r = tfx_host.apply %f(%n) : !F
  return %r : i64
}
func.func public @endless(%n: i64) -> i64 {
  %r = func.call @inner(%n) : (i64) -> i64
  return %r : i64
}
func.func public @depth(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %is_end = arith.cmpi eq, %n, %zero : i64
  cf.cond_br %is_end, ^end, ^more
^end:
  return %zero : i64
^more:
  %m = arith.subi %n, %one : i64
  %d = func.call @depth(%m) : (i64) -> i64
  %odd = arith.xori %d, %n : i64
  %r = arith.addi %odd, %one : i64
  return %r : i64
}"#;

#[test]
fn a_recursion_without_an_end_is_an_error() {
    let _alone = alone();
    let executable = load(RECURSION, ForeignFunctions::new()).expect("the program is valid");
    let call = |name: &str, n: i64| {
        let function = executable.function(name).expect("it is public");
        function.call(&[Tensor::scalar(n)])
    };
    let check = || {
        for (name, line) in [("endless", 3), ("depth", 17)] {
            let error = call(name, -1).expect_err("no stack is deep enough");
            assert!(
                error
                    .to_string()
                    .contains("the stack of the thread is full"),
                "{error}"
            );
            let place = error.diagnostics()[0]
                .place
                .clone()
                .expect("it has a place");
            assert!(place.line >= line, "{error}");
            assert!(call("depth", 1000).is_ok(), "the next call runs");
        }
    };
    // Stacks of other sizes, that of this thread included.
    check();
    for size in [1 << 20, 1 << 26] {
        let thread = thread::Builder::new().stack_size(size);
        thread::scope(|scope| {
            thread
                .spawn_scoped(scope, check)
                .map(|thread| thread.join())
        })
        .expect("a thread starts")
        .expect("the checks hold");
    }
}

#[test]
fn host_functions_are_compared_with_their_declarations() {
    let _alone = alone();
    let wrong = |functions: ForeignFunctions| {
        let error = load(DIVIDE, functions).expect_err("it does not fit");
        error.to_string()
    };
    let mut functions = ForeignFunctions::new();
    functions.add("next", |_: f32| 0i64);
    assert_eq!(
        wrong(functions),
        "test.mlir:2:1: error: the Rust function for '@next' takes (f32), but its declaration has (i64)"
    );
    let mut functions = ForeignFunctions::new();
    functions.add("next", |_: i64| ());
    assert_eq!(
        wrong(functions),
        "test.mlir:2:1: error: the Rust function for '@next' returns (), but its declaration has (i64)"
    );
    let mut functions = ForeignFunctions::new();
    functions.add("other", || ());
    assert!(wrong(functions).starts_with("the program declares no foreign function '@other'"));
    assert!(wrong(ForeignFunctions::new()).contains("the foreign function '@next' is not linked"));
    let mut functions = ForeignFunctions::new();
    functions.add_dynamic("next", |_| Ok(vec![scalar(1.0)]));
    let executable = load(DIVIDE, functions).expect("types are checked later");
    let f = executable.function("divide").expect("it is public");
    let error = f.call(&numbers([1, 2])).expect_err("it returns an f32");
    assert_eq!(
        error.to_string(),
        "test.mlir:16:8: error: foreign function '@next' failed: it returned elements of type f32, but i64 is declared"
    );
}

/// Waits for a message that never comes.
const WAIT: &str = r#"
func.func private @wait(i64) -> i64
func.func @f(%n: i64) -> i64 {
  %one = arith.constant 1 : i64
  %start = tfx_tensor.from_scalar %one : i64
  cf.br ^loop(%n, %start : i64, tensor<i64>)
^loop(%i: i64, %x: tensor<i64>):
  %j = func.call @wait(%i) : (i64) -> i64
  %t = tfx_tensor.from_scalar %j : i64
  %y = tfx_tensor.op "AddV2"(%x, %t) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %s = tfx_tensor.to_scalar %y : tensor<i64> -> i64
  %more = arith.cmpi sgt, %s, %one : i64
  cf.cond_br %more, ^loop(%s, %y : i64, tensor<i64>), ^done
^done:
  return %i : i64
}
"#;

#[test]
fn calls_are_cancelled_and_limited() {
    let _alone = alone();
    let (started, starts) = mpsc::sync_channel(1);
    let mut functions = ForeignFunctions::new();
    functions.add("wait", move |_: i64| {
        let _ = started.try_send(());
        thread::sleep(Duration::from_millis(1));
        1i64
    });
    let executable = load(WAIT, functions).expect("the program is valid");
    let f = executable.function("f").expect("it is public");
    let before = objects();
    let cancellation = Cancellation::new();
    let options = CallOptions {
        cancellation: Some(cancellation.clone()),
        ..CallOptions::default()
    };
    let error = thread::scope(|scope| {
        let call = scope.spawn(|| f.call_with(&[Tensor::scalar(1i64)], &options));
        starts.recv().expect("it starts");
        cancellation.cancel();
        call.join().expect("it does not panic")
    });
    let error = error.expect_err("it is cancelled");
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    let again = f.call_with(&[Tensor::scalar(1i64)], &options);
    assert_eq!(
        again.expect_err("it stays cancelled").kind(),
        ErrorKind::Cancelled
    );

    let options = CallOptions {
        time_limit: Some(Duration::from_millis(50)),
        ..CallOptions::default()
    };
    let since = Instant::now();
    let error = f.call_with(&[Tensor::scalar(1i64)], &options);
    let error = error.expect_err("it never ends");
    assert_eq!(error.kind(), ErrorKind::TimeLimit);
    assert!(
        error
            .to_string()
            .contains("the call exceeded its time limit of 50ms"),
        "{error}"
    );
    assert!(since.elapsed() < Duration::from_secs(10));
    assert_eq!(objects(), before);
}

/// Creates objects, cycles of objects and closures before a check that may fail.
const OBJECTS: &str = r#"
tfx_host.class @Node {value: tensor<2xf32>, next: !tfx_host.array<!tfx_host.object<@Node>>}
!Node = !tfx_host.object<@Node>
!Nodes = !tfx_host.array<!Node>
func.func private @check(tensor<2xf32>) -> tensor<2xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %none = tfx_host.array() : !Nodes
  %a = tfx_host.new(%x, %none) : (tensor<2xf32>, !Nodes) -> !Node
  %of_a = tfx_host.array(%a) : !Nodes
  %b = tfx_host.new(%x, %of_a) : (tensor<2xf32>, !Nodes) -> !Node
  %of_b = tfx_host.array(%b) : !Nodes
  %next = tfx_host.member_ref %a["next"] : !Node -> !tfx_host.ref<!Nodes>
  tfx_host.store %of_b, %next : !Nodes
  %y = func.call @check(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %value = tfx_host.member_ref %b["value"] : !Node -> !tfx_host.ref<tensor<2xf32>>
  tfx_host.store %y, %value : tensor<2xf32>
  %z = func.call @check(%y) : (tensor<2xf32>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}
"#;

#[test]
fn threads_share_a_program_and_failures_leave_nothing() {
    let _alone = alone();
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let mut functions = ForeignFunctions::new();
    functions.add("check", |x: Tensor| {
        if x.values::<f32>().unwrap()[0] < 0.0 {
            return Err("negative");
        }
        CALLS.fetch_add(1, SeqCst);
        Ok(vector(&[x.values::<f32>().unwrap()[0] - 1.0, 0.0]))
    });
    let executable = load(OBJECTS, functions).expect("the program is valid");
    let f = executable.function("f").expect("it is public");
    let before = objects();
    thread::scope(|scope| {
        for number in 0..4 {
            scope.spawn(move || {
                for call in 0..200 {
                    let x = ((number + call) % 3) as f32 - 1.0;
                    let result = f.call(&[vector(&[x, 0.0])]);
                    match x {
                        1.0 => assert_eq!(result.unwrap()[0].values::<f32>().unwrap(), [-1.0, 0.0]),
                        _ => assert_eq!(result.unwrap_err().kind(), ErrorKind::ForeignFunction),
                    }
                }
            });
        }
    });
    assert_eq!(objects(), before);
    assert!(CALLS.load(SeqCst) > 0);
}

#[test]
fn each_call_selects_its_executor() {
    let _alone = alone();
    let executable = divide();
    let f = executable.function("divide").expect("it is public");
    for executor in [ExecutorKind::Embedded, ExecutorKind::TensorFlow] {
        let options = CallOptions {
            executor: Some(executor),
            output: Some(Arc::new(|_| {})),
            ..CallOptions::default()
        };
        match f.call_with(&numbers([2, 5]), &options) {
            Ok(results) => assert_eq!(results[0].item::<i64>().unwrap(), 150),
            Err(error) if error.to_string().contains("TensorFlow cannot be loaded") => {
                eprintln!("skipped: {error}");
            }
            Err(error) => panic!("{error}"),
        }
        let error = f.call_with(&numbers([5, 2]), &options);
        if executor == ExecutorKind::Embedded {
            error.expect_err("it divides by zero");
        }
    }
}

#[test]
fn unregistered_operations_are_errors() {
    let _alone = alone();
    let context = Context::new();
    tfx::prepare(&context);
    context.set_allow_unregistered_dialects(true);
    let text = "func.func @f() {\n  \"mine.op\"() : () -> ()\n  return\n}\n";
    let module = melior::ir::Module::parse(&context, text).expect("it parses");
    let error = tfx::Program::new(module)
        .compile(None)
        .expect_err("it is unknown");
    assert!(
        error
            .to_string()
            .contains("the operation 'mine.op' is not registered"),
        "{error}"
    );
}

/// A program whose code is placed where that of another one was has its own graph. Programs of one
/// process that differ in a constant alone are not confused, either.
#[test]
fn each_program_has_its_own_graph() {
    let _alone = alone();
    let adding = |number: usize| {
        let text = format!(
            r#"
func.func @add(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %k = tfx_tensor.const dense<{number}.0> : tensor<2xf32>
  %y = tfx_tensor.op "AddV2"(%x, %k) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}}
"#
        );
        load(&text, ForeignFunctions::new()).expect("the program is valid")
    };
    let check = |program: &Executable, number: usize| {
        let function = program.function("add").expect("it is public");
        let expected = [vector(&[number as f32, number as f32 + 1.0])];
        // The second start finds what the first one prepared.
        for _ in 0..2 {
            let results = function.call(&[vector(&[0.0, 1.0])]);
            assert_eq!(results.expect("it does not fail"), expected);
        }
    };
    let kept = adding(50);
    for number in 10..30 {
        let program = adding(number);
        check(&program, number);
        check(&kept, 50);
        drop(program);
    }
    check(&kept, 50);
}
