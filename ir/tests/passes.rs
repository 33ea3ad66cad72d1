//! Passes that are written in Rust, inside of MLIR's pass manager.

use melior::Context;
use melior::dialect::{DialectHandle, DialectRegistry};
use melior::ir::attribute::StringAttribute;
use melior::utility::{register_all_dialects, register_all_passes};
use tfx_ir::diag::{Collected, Collector, Diagnostic, Diagnostics, Severity, SourcePrinter};
use tfx_ir::pass::{self, Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::pipeline::PipelineError;
use tfx_ir::{Op, diag, module, pipeline};

tfx_ir::option_enum! {
    /// The form of the text that `test-mark` writes.
    pub enum Mode {
        /// The name as it is.
        Plain = "plain",
        /// The name in capitals.
        Loud = "loud",
    }
}

tfx_ir::options! {
    /// The options of `test-mark`.
    pub struct MarkOptions {
        /// The form of the name.
        mode: Mode = Mode::Plain,
        /// The attribute
        /// to set.
        attribute: String = "mark".to_owned(),
        /// The largest number of marked operations.
        limit: u64 = 100,
        /// The operations that are not marked.
        skip: Vec<String> = Vec::new(),
        /// Do nothing.
        dry_run: bool = false,
    }
}

/// Writes each operation's name into an attribute of it.
#[derive(Default)]
struct Mark;

const MARKED: Statistic = Statistic::new("marked", "Operations that were marked");

impl Pass for Mark {
    type Options = MarkOptions;
    const NAME: &'static str = "TestMark";
    const ARGUMENT: &'static str = "test-mark";
    const DESCRIPTION: &'static str = "Mark operations with their names";
    const ANCHOR: Anchor = Anchor::Function;
    const STATISTICS: &'static [Statistic] = &[MARKED];

    fn run<'a>(&mut self, func: Op<'a>, cx: &PassContext<'a, MarkOptions>) -> PassResult {
        let options = cx.options();
        let wanted = |op: &Op<'a>| *op != func && !options.skip.iter().any(|name| op.is(name));
        for op in func.walk().filter(wanted).take(options.limit as usize) {
            let name = match options.mode {
                Mode::Plain => op.name().to_owned(),
                Mode::Loud => op.name().to_uppercase(),
            };
            if !options.dry_run {
                op.set_attribute(
                    &options.attribute,
                    StringAttribute::new(cx.context(), &name),
                );
                cx.count(MARKED, 1);
            }
        }
        Ok(())
    }
}

/// Warns about each function, then fails for those called `bad`, and panics for those called
/// `worse`.
#[derive(Default)]
struct Judge;

impl Pass for Judge {
    type Options = ();
    const NAME: &'static str = "TestJudge";
    const ARGUMENT: &'static str = "test-judge";
    const DESCRIPTION: &'static str = "Judge functions by their names";
    const ANCHOR: Anchor = Anchor::Module;

    fn dialects(registry: &DialectRegistry) {
        DialectHandle::scf().insert_dialect(registry);
    }

    fn run<'a>(&mut self, module: Op<'a>, _cx: &PassContext<'a, ()>) -> PassResult {
        for func in module.collect("func.func") {
            match func.symbol_name().unwrap_or_default() {
                "bad" => return Err(diag::error(func.location(), "this function is bad").into()),
                "worse" => func.operand(7),
                _ => {
                    let first = func
                        .region(0)
                        .entry()
                        .and_then(|block| block.first())
                        .unwrap();
                    diag::warning(func.location(), "a function")
                        .note(first.location(), "it starts here")
                        .emit();
                    diag::remark(first.location(), "a remark").emit();
                    continue;
                }
            };
        }
        Ok(())
    }
}

/// Reports each function: those called `bad...` as errors, after which it fails.
#[derive(Default)]
struct JudgeAll;

impl Pass for JudgeAll {
    type Options = ();
    const NAME: &'static str = "TestJudgeAll";
    const ARGUMENT: &'static str = "test-judge-all";
    const DESCRIPTION: &'static str = "Judge all functions by their names";
    const ANCHOR: Anchor = Anchor::Module;

    fn run<'a>(&mut self, module: Op<'a>, _cx: &PassContext<'a, ()>) -> PassResult {
        Ok(judge_all(module)?)
    }
}

fn judge_all(module: Op<'_>) -> Result<(), Diagnostics<'_>> {
    let functions = module.collect("func.func").into_iter();
    let reports = functions.map(|func| {
        let name = func.symbol_name().unwrap_or_default();
        let severity = match name.starts_with("bad") {
            true => Severity::Error,
            false => Severity::Remark,
        };
        Diagnostic::new(severity, func.location(), name)
    });
    Diagnostics::from_iter(reports).finish()
}

fn context() -> Context {
    register_all_passes();
    pass::register::<Mark>();
    pass::register::<Judge>();
    pass::register::<JudgeAll>();
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context
}

const TWICE: &str = "\
func.func @twice(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %b = arith.addi %a, %zero : i32
  %c = arith.addi %b, %b : i32
  return %c : i32
}
";

fn run(
    context: &Context,
    text: &str,
    passes: &str,
) -> (Result<String, PipelineError>, Vec<Collected>) {
    let collector = Collector::new(context);
    let module = module::parse(context, text, "input.mlir").expect("the input parses");
    let result = pipeline::run(module::as_op(&module), passes);
    (
        result.map(|()| module.as_operation().to_string()),
        collector.take(),
    )
}

/// Returns the message about a pipeline that cannot be parsed.
fn syntax_error(passes: &str) -> String {
    match run(&context(), TWICE, passes).0 {
        Err(PipelineError::Syntax(message)) => message,
        result => panic!("{result:?}"),
    }
}

#[test]
fn a_pipeline_prints_back_with_its_options() {
    let _context = context();
    let printed = pipeline::print(
        "builtin.module(canonicalize,func.func(test-mark{mode=loud skip=a,b dry-run}),cse)",
    );
    let printed = printed.unwrap();
    let mark =
        "func.func(test-mark{attribute=mark dry-run=true limit=100 mode=loud skip={a,b}}),cse)";
    assert!(printed.ends_with(mark), "{printed}");
    assert_eq!(pipeline::print(&printed).unwrap(), printed);
}

#[test]
fn defaults_print_back_too() {
    let _context = context();
    let printed = pipeline::print("builtin.module(func.func(test-mark))").unwrap();
    assert_eq!(
        printed,
        "builtin.module(func.func(test-mark{attribute=mark dry-run=false limit=100 mode=plain }))"
    );
    assert_eq!(pipeline::print(&printed).unwrap(), printed);
}

#[test]
fn runs_between_upstream_passes() {
    let context = context();
    let passes = "builtin.module(canonicalize,func.func(test-mark{mode=loud attribute=name}),cse)";
    let (result, reported) = run(&context, TWICE, passes);
    let text = result.unwrap();
    assert!(reported.is_empty(), "{reported:?}");
    // `canonicalize` took the addition of zero away before the marks were set.
    assert_eq!(text.matches("arith.addi").count(), 1, "{text}");
    assert!(text.contains("{name = \"ARITH.ADDI\"}"), "{text}");
    assert!(text.contains("{name = \"FUNC.RETURN\"}"), "{text}");
}

#[test]
fn a_bad_option_is_an_error_of_the_pipeline() {
    let message = syntax_error("builtin.module(func.func(test-mark{mode=quiet}))");
    let expected = "option 'mode' of pass 'test-mark': expected 'plain' or 'loud', got 'quiet'";
    assert!(message.contains(expected), "{message}");
    let message = syntax_error("builtin.module(func.func(test-mark{limit=-1}))");
    let expected = "expected an integer that is not negative, got '-1'";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn counts_over_many_functions_at_once() {
    let context = context();
    let functions: String = (0..64)
        .map(|i| TWICE.replace("twice", &format!("f{i}")))
        .collect();
    let value = || {
        let all = pass::statistics();
        all.iter()
            .find(|value| value.statistic == MARKED)
            .map_or(0, |value| value.value)
    };
    let before = value();
    let passes = "builtin.module(func.func(test-mark{limit=3}))";
    run(&context, &functions, passes).0.unwrap();
    // Other tests of this process count too, so there may be more.
    assert!(value() >= before + 64 * 3);
}

#[test]
fn warnings_and_notes_are_collected() {
    let context = context();
    let (result, reported) = run(&context, TWICE, "builtin.module(test-judge)");
    assert!(result.is_ok());
    let text: Vec<_> = reported.iter().map(ToString::to_string).collect();
    assert_eq!(
        text,
        [
            "input.mlir:1:1: warning: a function\ninput.mlir:2:11: note: it starts here",
            "input.mlir:2:11: remark: a remark",
        ]
    );
    assert_eq!(reported[0].severity, Severity::Warning);
}

#[test]
fn several_diagnostics_keep_their_order() {
    let context = context();
    let functions = |names: &[&str]| -> String {
        let named = |name: &&str| TWICE.replace("twice", name);
        names.iter().map(named).collect()
    };
    let names = ["good", "bad_one", "fine", "bad_two"];
    for (names, fails) in [(&names[..], true), (&names[..1], false), (&[], false)] {
        let (result, reported) = run(
            &context,
            &functions(names),
            "builtin.module(test-judge-all)",
        );
        assert_eq!(result.is_err(), fails, "{names:?}");
        let messages: Vec<_> = reported.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(messages, names);
    }
}

#[test]
fn a_failing_pass_ends_the_pipeline() {
    let context = context();
    let judge = "builtin.module(test-judge)";
    let (result, reported) = run(&context, "func.func private @bad()", judge);
    assert_eq!(result, Err(PipelineError::Failed));
    assert_eq!(
        reported[0].to_string(),
        "input.mlir:1:1: error: this function is bad"
    );
}

#[test]
fn a_panic_is_an_internal_error() {
    let context = context();
    let judge = "builtin.module(test-judge)";
    let (result, reported) = run(&context, "func.func private @worse()", judge);
    assert_eq!(result, Err(PipelineError::Failed));
    let message = &reported[0].message;
    let start = "internal error: pass 'test-judge' panicked at ir/src/op.rs:";
    assert!(message.starts_with(start), "{message}");
    let end = ": 'func.func' has 0 operands: operand 7 does not exist";
    assert!(message.ends_with(end), "{message}");
    assert!(
        reported[0].notes[0].message.contains("bug in tfx"),
        "{reported:?}"
    );
}

#[test]
fn a_pass_runs_on_its_anchor_only() {
    let context = context();
    let (result, _) = run(&context, TWICE, "builtin.module(test-mark)");
    // As with upstream passes on functions, MLIR refuses when it runs the pipeline or nests it;
    // here it refuses.
    let message = format!("{result:?}");
    assert!(result.is_err(), "{message}");
}

#[test]
fn source_lines_and_carets_are_shown() {
    let context = context();
    let printer = SourcePrinter::buffered(&context, "input.mlir", TWICE);
    let module = module::parse(&context, TWICE, "input.mlir").unwrap();
    pipeline::run(module::as_op(&module), "builtin.module(test-judge)").unwrap();
    let text = printer.finish();
    let expected = "input.mlir:1:1: warning: a function\nfunc.func @twice(%a: i32) -> i32 {\n^\n";
    assert!(text.starts_with(expected), "{text}");
    assert!(
        text.contains("input.mlir:2:11: note: it starts here\n"),
        "{text}"
    );
}

#[test]
fn registered_pipelines_are_passes() {
    let context = context();
    pipeline::register("test-all", "Everything", |_: &()| {
        "canonicalize,func.func(test-mark{mode=loud})".to_owned()
    });
    let (result, _) = run(&context, TWICE, "builtin.module(test-all,cse)");
    assert!(result.unwrap().contains("ARITH.ADDI"));
    let message = syntax_error("builtin.module(test-all{x=1})");
    let expected = "pipeline 'test-all': unknown option 'x'; there are no options";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_pipeline_names_the_passes_that_the_tool_lacks() {
    pipeline::register("test-more", "More", |_: &()| {
        "cse,test-none,func.func(test-mark{mode=loud},test-in{fast=yes passes={cse,test-none}})"
            .to_owned()
    });
    let message = syntax_error("builtin.module(test-more)");
    let expected = "pipeline 'test-more': it has passes that this tool does not register: \
                    test-none, test-in; those of MLIR are registered by mlir::registerAllPasses()";
    assert!(message.contains(expected), "{message}");
}
