//! Evaluation: its cost, its depth, and the agreement of its two methods.
//!
//! A value in the function of the operation is evaluated backwards, loop by loop (`demand.rs`). A
//! value in a callee is evaluated by running the callee forwards (`machine.rs`). The same random
//! code in either place must give the same number.

mod harness;

use std::fmt::Write;

use harness::run;
use tfx_ir::pass;

/// The number in `squeeze_dims = [...]`, by operation.
fn dims(ir: &str) -> Vec<String> {
    let after = ir.split("squeeze_dims = [").skip(1);
    after
        .map(|rest| rest.split(']').next().unwrap_or_default().to_owned())
        .collect()
}

fn squeeze(text: &mut String, value: &str) {
    let array = "!tfx_host.array<i64>";
    writeln!(text, "  %dims = tfx_host.array({value}) : {array}").unwrap();
    writeln!(
        text,
        "  %y = tfx_tensor.op \"Squeeze\"(%x) computed(squeeze_dims = %dims : {array}) : (tensor<*xf32>) -> tensor<*xf32>"
    )
    .unwrap();
}

fn folded(text: &str) -> String {
    let outcome = run(text, "tfx-constexpr");
    outcome
        .ir
        .unwrap_or_else(|| panic!("{}\n{text}", outcome.diagnostics))
}

/// Random code over four numbers: assignments, branches on numbers that are known and on one that
/// is not, loops with early exits.
struct Generator {
    state: u64,
    text: String,
    names: usize,
    blocks: usize,
    /// The value of each variable.
    variables: Vec<String>,
}

const VARIABLES: usize = 4;
const MAX_DEPTH: usize = 4;

impl Generator {
    fn random(&mut self, below: u64) -> u64 {
        // Knuth's multiplier for 64 bits; the high bits are the good ones.
        self.state = self
            .state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.state >> 33) % below
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn block(&mut self) -> usize {
        self.blocks += 1;
        self.blocks
    }

    fn variable(&mut self) -> String {
        let index = self.random(VARIABLES as u64) as usize;
        self.variables[index].clone()
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn emit(&mut self, rest: &str) -> String {
        let name = self.name();
        self.line(&format!("  {name} = {rest}"));
        name
    }

    fn assign(&mut self) {
        let (a, b) = (self.variable(), self.variable());
        let operation = ["addi", "subi", "muli", "xori", "maxsi", "andi"][self.random(6) as usize];
        let value = self.emit(&format!("arith.{operation} {a}, {b} : i64"));
        let target = self.random(VARIABLES as u64) as usize;
        self.variables[target] = value;
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.variable(), self.variable());
        let predicate = ["slt", "ne", "ule", "eq"][self.random(4) as usize];
        self.emit(&format!("arith.cmpi {predicate}, {a}, {b} : i64"))
    }

    /// Returns all variables in the form in which a branch forwards them.
    fn forwarded(&self) -> String {
        format!(
            "({} : {})",
            self.variables.join(", "),
            ["i64"; VARIABLES].join(", ")
        )
    }

    /// Starts a block with all variables as its arguments.
    fn start(&mut self, block: usize) {
        self.variables = (0..VARIABLES).map(|_| self.name()).collect();
        let arguments: Vec<_> = self
            .variables
            .iter()
            .map(|name| format!("{name}: i64"))
            .collect();
        self.line(&format!("^b{block}({}):", arguments.join(", ")));
    }

    fn code(&mut self, depth: usize) {
        for _ in 0..=self.random(3) {
            match self.random(if depth == 0 { 3 } else { 7 }) {
                0..3 => self.assign(),
                3 | 4 => self.branch(depth - 1),
                5 => self.repeat(depth - 1),
                _ => self.unknown(depth - 1),
            }
        }
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        let (then, otherwise, join) = (self.block(), self.block(), self.block());
        let forwarded = self.forwarded();
        self.line(&format!(
            "  cf.cond_br {condition}, ^b{then}{forwarded}, ^b{otherwise}{forwarded}"
        ));
        for arm in [then, otherwise] {
            self.start(arm);
            self.code(depth);
            let forwarded = self.forwarded();
            self.line(&format!("  cf.br ^b{join}{forwarded}"));
        }
        self.start(join);
    }

    /// A loop of a few iterations with a second exit.
    fn repeat(&mut self, depth: usize) {
        let (header, body, latch, exit) = (self.block(), self.block(), self.block(), self.block());
        let (counter, one, trips) = (self.name(), self.name(), self.name());
        let count = self.random(5);
        let zero = self.emit("arith.constant 0 : i64");
        self.line(&format!(
            "  {one} = arith.constant 1 : i64\n  {trips} = arith.constant {count} : i64"
        ));
        let with = |variables: &[String], counter: &str| {
            let types = ["i64"; VARIABLES + 1].join(", ");
            format!("({}, {counter} : {types})", variables.join(", "))
        };
        self.line(&format!(
            "  cf.br ^b{header}{}",
            with(&self.variables, &zero)
        ));
        self.start(header);
        // The counter is one more argument.
        let end = self.text.len() - "):\n".len();
        self.text.truncate(end);
        self.line(&format!(", {counter}: i64):"));
        let go = self.emit(&format!("arith.cmpi slt, {counter}, {trips} : i64"));
        let forwarded = self.forwarded();
        self.line(&format!(
            "  cf.cond_br {go}, ^b{body}, ^b{exit}{forwarded}\n^b{body}:"
        ));
        self.code(depth);
        let leave = self.condition();
        let forwarded = self.forwarded();
        self.line(&format!(
            "  cf.cond_br {leave}, ^b{exit}{forwarded}, ^b{latch}\n^b{latch}:"
        ));
        let next = self.emit(&format!("arith.addi {counter}, {one} : i64"));
        self.line(&format!(
            "  cf.br ^b{header}{}",
            with(&self.variables, &next)
        ));
        self.start(exit);
    }

    /// A branch that is decided at run time; values computed in its arms are dropped.
    fn unknown(&mut self, depth: usize) {
        let (then, otherwise, join) = (self.block(), self.block(), self.block());
        let kept = self.variables.clone();
        self.line(&format!(
            "  cf.cond_br %p, ^b{then}, ^b{otherwise}\n^b{then}:"
        ));
        self.code(depth);
        self.line(&format!("  cf.br ^b{join}\n^b{otherwise}:"));
        self.variables.clone_from(&kept);
        self.code(depth);
        self.line(&format!("  cf.br ^b{join}\n^b{join}:"));
        self.variables = kept;
    }
}

/// Returns code, and the variable with its result.
fn generate(seed: u64) -> (String, String) {
    let mut generator = Generator {
        state: seed,
        text: String::new(),
        names: 0,
        blocks: 0,
        variables: Vec::new(),
    };
    for number in 0..VARIABLES as i64 {
        let value = generator.emit(&format!("arith.constant {} : i64", number * 3 - 4));
        generator.variables.push(value);
    }
    for _ in 0..4 {
        generator.code(MAX_DEPTH);
    }
    let value = generator.variable();
    (generator.text, value)
}

#[test]
fn both_evaluations_agree() {
    const PROGRAMS: u64 = 300;
    let mut different = std::collections::HashSet::new();
    for seed in 0..PROGRAMS {
        let (body, value) = generate(seed);
        let mut text = format!("func.func @here(%x: tensor<*xf32>, %p: i1) {{\n{body}");
        squeeze(&mut text, &value);
        writeln!(
            text,
            "  return\n}}\nfunc.func private @callee(%p: i1) -> i64 {{\n{body}  return {value} : i64\n}}\n\
             func.func @there(%x: tensor<*xf32>, %p: i1) {{\n  %n = func.call @callee(%p) : (i1) -> i64"
        )
        .unwrap();
        squeeze(&mut text, "%n");
        text.push_str("  return\n}\n");
        let ir = folded(&text);
        let [here, there] = &dims(&ir)[..] else {
            panic!("{ir}");
        };
        assert_eq!(here, there, "seed {seed}\n{text}");
        different.insert(here.clone());
    }
    assert!(
        different.len() > 50,
        "only {} different values",
        different.len()
    );
}

fn steps() -> u64 {
    let of_pass =
        |one: &pass::StatisticValue| one.pass == "tfx-constexpr" && one.statistic.name == "steps";
    pass::statistics()
        .iter()
        .find(|one| of_pass(one))
        .map_or(0, |one| one.value)
}

/// The counters belong to the process, so the only long programs of the process are in this test.
#[test]
fn evaluation_is_linear_and_shared() {
    // A loop that many attributes depend on runs once.
    let shared = |operations: usize| {
        let mut text = String::from(
            "func.func @f(%x: tensor<*xf32>) {\n  %zero = arith.constant 0 : i64\n  %one = arith.constant 1 : i64\n  \
             %many = arith.constant 10000 : i64\n  cf.br ^header(%zero : i64)\n^header(%i: i64):\n  \
             %go = arith.cmpi slt, %i, %many : i64\n  cf.cond_br %go, ^body, ^exit\n^body:\n  \
             %j = arith.addi %i, %one : i64\n  cf.br ^header(%j : i64)\n^exit:\n  \
             %dims = tfx_host.array(%i) : !tfx_host.array<i64>\n",
        );
        for number in 0..operations {
            writeln!(
                text,
                "  %y{number} = tfx_tensor.op \"Squeeze\"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>"
            )
            .unwrap();
        }
        text.push_str("  return\n}\n");
        let before = steps();
        let ir = folded(&text);
        assert_eq!(dims(&ir), vec!["10000"; operations]);
        assert!(!ir.contains("cf.cond_br"), "the loop goes");
        steps() - before
    };
    let once = shared(1);
    assert!(shared(1000) < once + 5000, "one loop for all");

    // A chain of operations and a chain of branches, each of which requests its predecessor.
    const LENGTH: usize = 20_000;
    let mut text = String::from(
        "func.func @f(%x: tensor<*xf32>) {\n  %c = arith.constant 1 : i64\n  %v0 = arith.constant 0 : i64\n",
    );
    for number in 0..LENGTH {
        writeln!(text, "  %v{} = arith.addi %v{number}, %c : i64", number + 1).unwrap();
    }
    squeeze(&mut text, &format!("%v{LENGTH}"));
    text.push_str("  return\n}\n");
    assert_eq!(dims(&folded(&text)), [LENGTH.to_string()]);

    let mut text = String::from(
        "func.func @f(%x: tensor<*xf32>) {\n  %c = arith.constant 1 : i64\n  %v0 = arith.constant 0 : i64\n  cf.br ^b0(%v0 : i64)\n",
    );
    for number in 0..LENGTH {
        let (next, other) = (number + 1, LENGTH + 1 + number);
        writeln!(
            text,
            "^b{number}(%a{number}: i64):\n  %g{number} = arith.cmpi sgt, %a{number}, %c : i64\n  %s{number} = arith.addi %a{number}, %c : i64\n  \
             cf.cond_br %g{number}, ^b{next}(%s{number} : i64), ^b{other}\n^b{other}:\n  cf.br ^b{next}(%s{number} : i64)"
        )
        .unwrap();
    }
    writeln!(text, "^b{LENGTH}(%a{LENGTH}: i64):").unwrap();
    squeeze(&mut text, &format!("%a{LENGTH}"));
    text.push_str("  return\n}\n");
    let before = steps();
    assert_eq!(dims(&folded(&text)), [LENGTH.to_string()]);
    assert!(
        steps() - before < 10 * LENGTH as u64,
        "each branch is visited once"
    );

    // Recursion of the same depth needs no native stack.
    let mut text = format!(
        "func.func private @depth(%n: i64) -> i64 {{\n  %zero = arith.constant 0 : i64\n  %one = arith.constant 1 : i64\n  \
         %end = arith.cmpi eq, %n, %zero : i64\n  cf.cond_br %end, ^end, ^more\n^end:\n  return %zero : i64\n^more:\n  \
         %m = arith.subi %n, %one : i64\n  %d = func.call @depth(%m) : (i64) -> i64\n  %r = arith.addi %d, %one : i64\n  \
         return %r : i64\n}}\nfunc.func @f(%x: tensor<*xf32>) {{\n  %n = arith.constant {LENGTH} : i64\n  \
         %d = func.call @depth(%n) : (i64) -> i64\n"
    );
    squeeze(&mut text, "%d");
    text.push_str("  return\n}\n");
    assert_eq!(dims(&folded(&text)), [LENGTH.to_string()]);
}
