//! Functions of random blocks run the same before and after `tfx-sese`.
//!
//! A program calls `@decide` for its branches and `@observe` for its effects, computes with the values that reach each block, and
//! hands them over its edges. A small machine for both forms runs it: same decisions, same observations, same results.

mod common;

use std::collections::HashMap;

use melior::Context;
use tfx_ir::{Block, Op, Value, module, pipeline};

use crate::common::{DECLARATIONS, Random, context, random_program};

/// Observations after which a run counts as endless.
const MAX_TRACE: usize = 60;
/// Operations after which a run that observes nothing is given up.
const MAX_STEPS: usize = 4000;

// ---------------------------------------------------------------------------------------------------------------------
// The machine.

/// What a run shows.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    observed: Vec<i64>,
    end: End,
}

#[derive(Debug, PartialEq, Eq)]
enum End {
    Returned(Vec<i64>),
    Aborted,
    Endless,
}

struct Machine<'a> {
    values: HashMap<Value<'a>, i64>,
    random: Random,
    observed: Vec<i64>,
    steps: usize,
}

/// How a block ends.
enum Done<'a> {
    Goes(Block<'a>, Vec<i64>),
    Hands(Vec<i64>),
    Stops(End),
}

impl<'a> Machine<'a> {
    fn run(function: Op<'a>, seed: u64, argument: i64) -> Shown {
        let mut machine = Self {
            values: HashMap::new(),
            random: Random(seed),
            observed: Vec::new(),
            steps: 0,
        };
        let end = match machine.blocks(function.region(0).entry().unwrap(), vec![argument]) {
            Done::Hands(values) => End::Returned(values),
            Done::Stops(end) => end,
            Done::Goes(..) => unreachable!(),
        };
        machine.observed.truncate(MAX_TRACE);
        Shown {
            observed: machine.observed,
            end,
        }
    }

    fn blocks(&mut self, mut block: Block<'a>, mut arguments: Vec<i64>) -> Done<'a> {
        loop {
            for (argument, value) in block.arguments().zip(arguments) {
                self.values.insert(argument, value);
            }
            match self.block(block) {
                Done::Goes(next, values) => (block, arguments) = (next, values),
                done => return done,
            }
        }
    }

    fn get(&self, value: Value<'a>) -> i64 {
        self.values[&value]
    }

    fn block(&mut self, block: Block<'a>) -> Done<'a> {
        for op in block.ops() {
            self.steps += 1;
            if self.steps > MAX_STEPS || self.observed.len() > MAX_TRACE {
                return Done::Stops(End::Endless);
            }
            let operands: Vec<i64> = op.operands().map(|value| self.get(value)).collect();
            let results = match op.name() {
                "arith.constant" => vec![constant(op)],
                "arith.addi" => vec![i64::from(
                    (operands[0] as i32).wrapping_add(operands[1] as i32),
                )],
                "arith.xori" => vec![operands[0] ^ operands[1]],
                "arith.andi" => vec![operands[0] & operands[1]],
                "arith.ori" => vec![operands[0] | operands[1]],
                "arith.select" => vec![if operands[0] != 0 {
                    operands[1]
                } else {
                    operands[2]
                }],
                "arith.index_castui" => vec![i64::from(operands[0] as u32)],
                "arith.cmpi" => match op.integer("predicate") {
                    Some(0) => vec![i64::from(operands[0] == operands[1])],
                    Some(1) => vec![i64::from(operands[0] != operands[1])],
                    other => panic!("predicate {other:?}"),
                },
                "func.call" => self.call(op, &operands),
                "tfx_host.abort" => return Done::Stops(End::Aborted),
                "scf.if" | "scf.index_switch" => match self.choose(op, operands[0]) {
                    Ok(results) => results,
                    Err(end) => return Done::Stops(end),
                },
                "scf.while" => match self.repeat(op, operands) {
                    Ok(results) => results,
                    Err(end) => return Done::Stops(end),
                },
                "cf.br" => return self.go(op, 0),
                "cf.cond_br" => return self.go(op, usize::from(operands[0] == 0)),
                "cf.switch" => {
                    return self.go(
                        op,
                        match operands[0] {
                            0 => 1,
                            -1 => 2,
                            _ => 0,
                        },
                    );
                }
                "func.return" | "scf.yield" | "scf.condition" => return Done::Hands(operands),
                name => panic!("the machine does not know '{name}'"),
            };
            for (result, value) in op.results().zip(results) {
                self.values.insert(result, value);
            }
        }
        unreachable!("a block ends in a terminator")
    }

    fn call(&mut self, op: Op<'a>, operands: &[i64]) -> Vec<i64> {
        match op.symbol("callee") {
            Some("observe") => {
                self.observed.push(operands[0]);
                vec![]
            }
            Some("decide") => vec![(self.random.next() & 1) as i64],
            Some("choose") => vec![self.random.below(3) as i64 - 1],
            other => panic!("call of {other:?}"),
        }
    }

    fn go(&self, op: Op<'a>, way: usize) -> Done<'a> {
        let values = op.successor_operands(way).unwrap().values();
        Done::Goes(
            op.successor(way),
            values.into_iter().map(|value| self.get(value)).collect(),
        )
    }

    fn choose(&mut self, op: Op<'a>, selector: i64) -> Result<Vec<i64>, End> {
        let arm = if op.is("scf.if") {
            usize::from(selector == 0)
        } else {
            let text = op.attribute("cases").unwrap().to_string();
            let list = text.trim_start_matches("array<i64: ").trim_end_matches('>');
            list.split(", ")
                .position(|case| case.parse() == Ok(selector))
                .map_or(0, |index| index + 1)
        };
        let Some(block) = op.region(arm).entry() else {
            return Ok(vec![]);
        };
        self.nested(block, vec![])
    }

    fn nested(&mut self, block: Block<'a>, arguments: Vec<i64>) -> Result<Vec<i64>, End> {
        match self.blocks(block, arguments) {
            Done::Hands(values) => Ok(values),
            Done::Stops(end) => Err(end),
            Done::Goes(..) => unreachable!(),
        }
    }

    fn repeat(&mut self, op: Op<'a>, mut carried: Vec<i64>) -> Result<Vec<i64>, End> {
        loop {
            let mut values = self.nested(op.region(0).entry().unwrap(), carried)?;
            let goes_on = values.remove(0) != 0;
            if !goes_on {
                return Ok(values);
            }
            carried = self.nested(op.region(1).entry().unwrap(), values)?;
        }
    }
}

fn constant(op: Op<'_>) -> i64 {
    match op.boolean("value") {
        Some(value) => i64::from(value),
        None => op.integer("value").unwrap(),
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The comparison.

/// Functions in one module: so many, that making a pass manager costs little.
const BATCH: usize = 50;
/// Modules: enough for every shape to come up, in a few seconds.
const ROUNDS: usize = 60;
/// Runs of each function.
const SEEDS: u64 = 6;

fn defined<'a>(module: &'a melior::ir::Module<'_>) -> Vec<Op<'a>> {
    module::as_op(module)
        .collect("func.func")
        .into_iter()
        .filter(|function| !function.is_declaration())
        .collect()
}

fn run_all(module: &melior::ir::Module<'_>) -> Vec<Vec<Shown>> {
    defined(module)
        .into_iter()
        .map(|function| {
            (0..SEEDS)
                .map(|seed| Machine::run(function, seed, 5))
                .collect()
        })
        .collect()
}

fn compare(context: &Context, programs: &[String]) {
    let text = DECLARATIONS.to_owned() + &programs.concat();
    let module = module::parse(context, &text, "random.mlir")
        .unwrap_or_else(|| panic!("does not parse:\n{text}"));
    let before = run_all(&module);
    let outcome = pipeline::run(
        module::as_op(&module),
        "builtin.module(func.func(tfx-sese))",
    );
    assert_eq!(outcome, Ok(()), "on\n{text}");
    let after = run_all(&module);
    for (index, function) in defined(&module).into_iter().enumerate() {
        let name = function.symbol_name();
        assert!(
            function.region(0).single_block().is_some(),
            "{name:?} still has blocks"
        );
        assert_eq!(
            before[index],
            after[index],
            "of\n{}\nwhich became {name:?} in\n{}",
            programs[index],
            module.as_operation()
        );
    }
}

#[test]
fn random_functions_run_as_before() {
    let context = context();
    let mut random = Random(4);
    for round in 0..ROUNDS {
        let programs: Vec<String> = (0..BATCH)
            .map(|number| random_program(&mut random, number, 3 + (round + number) % 12))
            .collect();
        compare(&context, &programs);
    }
}
