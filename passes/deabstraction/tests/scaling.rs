//! The output of deabstraction grows linearly with the program and is the same in every run. The
//! tests count work and do not measure time.

mod harness;

use std::fmt::Write;

use harness::run;

/// A chain of `n` joins, each of which writes one of `n` variables in one arm, and reads it once
/// after the join.
fn diamonds(n: usize) -> String {
    let mut text = String::from("func.func private @use(i32)\nfunc.func @f(%p: i1, %x: i32) {\n");
    for i in 0..n {
        writeln!(
            text,
            "  %v{i} = tfx_host.var : !tfx_host.ref<i32>\n  tfx_host.store %x, %v{i} : i32"
        )
        .unwrap();
    }
    text.push_str("  cf.br ^head0\n");
    for i in 0..n {
        writeln!(
            text,
            "^head{i}:\n  cf.cond_br %p, ^arm{i}, ^join{i}\n^arm{i}:\n  tfx_host.store %x, %v{i} : i32\n  cf.br ^join{i}\n\
             ^join{i}:\n  %r{i} = tfx_host.load %v{i} : !tfx_host.ref<i32>\n  func.call @use(%r{i}) : (i32) -> ()\n  cf.br ^head{next}",
            next = i + 1
        )
        .unwrap();
    }
    writeln!(text, "^head{n}:\n  return\n}}").unwrap();
    text
}

/// Function `i` calls function `i + 1` once, all with a branch in them; the last one has the tensor
/// operation.
fn call_chain(n: usize) -> String {
    let mut text = String::from("func.func @f(%p: i1, %x: tensor<f32>) -> tensor<f32> {\n");
    text.push_str("  %y = func.call @f0(%p, %x) : (i1, tensor<f32>) -> tensor<f32>\n  return %y : tensor<f32>\n}\n");
    for i in 0..n {
        writeln!(
            text,
            "func.func private @f{i}(%p: i1, %x: tensor<f32>) -> tensor<f32> {{\n  cf.cond_br %p, ^a, ^b\n^a:\n  return %x : tensor<f32>\n\
             ^b:\n  %y = func.call @f{next}(%p, %x) : (i1, tensor<f32>) -> tensor<f32>\n  return %y : tensor<f32>\n}}",
            next = i + 1
        )
        .unwrap();
    }
    writeln!(
        text,
        "func.func private @f{n}(%p: i1, %x: tensor<f32>) -> tensor<f32> {{\n  \
         %y = tfx_tensor.op \"Neg\"(%x) : (tensor<f32>) -> tensor<f32>\n  return %y : tensor<f32>\n}}"
    )
    .unwrap();
    text
}

/// `n` calls of one function with branches, in one block.
fn many_calls(n: usize) -> String {
    let mut text = String::from(
        "func.func private @g(%p: i1, %x: tensor<f32>) -> tensor<f32> {\n  cf.cond_br %p, ^a, ^b\n^a:\n  return %x : tensor<f32>\n\
         ^b:\n  %y = tfx_tensor.op \"Neg\"(%x) : (tensor<f32>) -> tensor<f32>\n  return %y : tensor<f32>\n}\n\
         func.func @f(%p: i1, %x0: tensor<f32>) -> tensor<f32> {\n",
    );
    for i in 0..n {
        writeln!(
            text,
            "  %x{} = func.call @g(%p, %x{i}) : (i1, tensor<f32>) -> tensor<f32>",
            i + 1
        )
        .unwrap();
    }
    writeln!(text, "  return %x{n} : tensor<f32>\n}}").unwrap();
    text
}

fn output(text: &str, passes: &str) -> String {
    run(text, passes).ir.expect("the program is in the model")
}

fn deabstracted(text: &str) -> String {
    output(text, &tfx_deabstraction::pipeline(&Default::default()))
}

/// Block arguments, as the text lists them behind the names of blocks.
fn block_arguments(ir: &str) -> usize {
    ir.lines()
        .filter(|line| line.trim_start().starts_with("^bb"))
        .map(|line| line.matches(": i32").count())
        .sum()
}

fn count(ir: &str, what: &str) -> usize {
    ir.matches(what).count()
}

#[test]
fn a_variable_has_arguments_only_where_writes_meet() {
    for n in [10, 1000] {
        let ir = output(&diamonds(n), "func.func(tfx-ssa)");
        assert_eq!(
            block_arguments(&ir),
            n,
            "one for each join, none where a variable is only live through"
        );
        assert_eq!(count(&ir, "tfx_host"), 0);
    }
}

#[test]
fn inlining_copies_each_operation_once() {
    for n in [10, 1000] {
        let ir = output(&call_chain(n), "tfx-inline");
        assert_eq!(count(&ir, "cf.cond_br"), n);
        assert_eq!(count(&ir, "\"Neg\""), 1);
        assert_eq!(count(&ir, "func.func"), 1, "the private functions are gone");

        let ir = output(&many_calls(n), "tfx-inline");
        assert_eq!(count(&ir, "cf.cond_br"), n);
        assert_eq!(count(&ir, "\"Neg\""), n);
    }
}

#[test]
fn deep_programs_do_not_overflow_the_stack() {
    const DEPTH: usize = 20_000;
    let ir = deabstracted(&call_chain(DEPTH));
    assert_eq!(count(&ir, "cf.cond_br"), DEPTH);
    let ir = output(&diamonds(DEPTH), "func.func(tfx-ssa)");
    assert_eq!(block_arguments(&ir), DEPTH);
}

#[test]
fn every_run_gives_the_same() {
    for text in [diamonds(50), call_chain(20), many_calls(20)] {
        let first = deabstracted(&text);
        for _ in 0..5 {
            assert_eq!(deabstracted(&text), first);
        }
    }
}

#[test]
fn a_second_run_changes_nothing() {
    for text in [diamonds(5), call_chain(5), many_calls(5)] {
        let once = deabstracted(&text);
        let twice = deabstracted(&once);
        assert_eq!(once, twice);
    }
}
