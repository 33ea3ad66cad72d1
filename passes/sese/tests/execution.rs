//! Functions of random blocks run the same before and after `tfx-sese`.
//!
//! A program calls `@decide` for its branches and `@observe` for its effects, computes with the values that reach each block, and
//! hands them over its edges. A small machine for both forms runs it: same decisions, same observations, same results.

use std::collections::HashMap;
use std::fmt::Write;

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::utility::register_all_dialects;
use tfx_ir::{Block, Op, Value, module, pipeline};

/// Observations after which a run counts as endless.
const MAX_TRACE: usize = 60;
/// Operations after which a run that observes nothing is given up.
const MAX_STEPS: usize = 4000;

/// A stream of numbers that is the same on every machine (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Programs.

/// One random function as text. Any block may use the arguments and results of the blocks that dominate it.
fn random_program(random: &mut Random, number: usize, max_blocks: usize) -> String {
    let blocks = 2 + random.below(max_blocks - 1);
    let successors: Vec<Vec<usize>> = (0..blocks)
        .map(|block| match random.below(12) {
            _ if block == 0 => (0..1 + random.below(2))
                .map(|_| 1 + random.below(blocks - 1))
                .collect(),
            0 | 1 => vec![],
            2..5 => vec![1 + random.below(blocks - 1)],
            5..11 => (0..2).map(|_| 1 + random.below(blocks - 1)).collect(),
            _ => (0..3).map(|_| 1 + random.below(blocks - 1)).collect(),
        })
        .collect();
    let arguments: Vec<usize> = (0..blocks)
        .map(|block| if block == 0 { 0 } else { random.below(3) })
        .collect();
    let dominators = dominators(&successors);

    let mut text = format!("func.func @f{number}(%n: i32) -> i32 {{\n");
    for block in 0..blocks {
        let mut visible = vec!["%n".to_owned()];
        for dominator in (0..blocks).filter(|&other| dominators[block][other]) {
            visible.extend((0..arguments[dominator]).map(|index| format!("%a{dominator}_{index}")));
            visible.push(format!("%v{dominator}"));
        }
        if block > 0 {
            let list: Vec<String> = (0..arguments[block])
                .map(|index| format!("%a{block}_{index}: i32"))
                .collect();
            writeln!(
                text,
                "^b{block}{}:",
                if list.is_empty() {
                    String::new()
                } else {
                    format!("({})", list.join(", "))
                }
            )
            .unwrap();
        }
        // The block's own value is not there yet.
        visible.retain(|name| *name != format!("%v{block}"));
        let (one, other) = (pick(random, &visible), pick(random, &visible));
        writeln!(text, "  %k{block} = arith.constant {block} : i32\n  %s{block} = arith.addi {one}, {other} : i32").unwrap();
        writeln!(text, "  %v{block} = arith.addi %s{block}, %k{block} : i32\n  func.call @observe(%v{block}) : (i32) -> ()").unwrap();
        visible.push(format!("%v{block}"));
        let mut edge = |target: usize| {
            let values: Vec<String> = (0..arguments[target])
                .map(|_| pick(random, &visible))
                .collect();
            match values.is_empty() {
                true => format!("^b{target}"),
                false => format!(
                    "^b{target}({} : {})",
                    values.join(", "),
                    vec!["i32"; values.len()].join(", ")
                ),
            }
        };
        match successors[block][..] {
            [] if block % 4 == 3 => {
                writeln!(text, "  tfx_host.abort \"stop\"\n  tfx_host.unreachable").unwrap()
            }
            [] => writeln!(text, "  return {} : i32", pick(random, &visible)).unwrap(),
            [only] => writeln!(text, "  cf.br {}", edge(only)).unwrap(),
            [yes, no] => {
                let (yes, no) = (edge(yes), edge(no));
                writeln!(text, "  %c{block} = func.call @decide() : () -> i1\n  cf.cond_br %c{block}, {yes}, {no}").unwrap();
            }
            [first, second, third, ..] => {
                let edges = (edge(first), edge(second), edge(third));
                writeln!(text, "  %c{block} = func.call @choose() : () -> i32").unwrap();
                writeln!(
                    text,
                    "  cf.switch %c{block} : i32, [default: {}, 0: {}, -1: {}]",
                    edges.0, edges.1, edges.2
                )
                .unwrap();
            }
        }
    }
    text + "}\n"
}

fn pick(random: &mut Random, names: &[String]) -> String {
    names[random.below(names.len())].clone()
}

/// `[a][b]`: block b dominates block a. By iteration, for a few blocks.
fn dominators(successors: &[Vec<usize>]) -> Vec<Vec<bool>> {
    let blocks = successors.len();
    let mut result = vec![vec![true; blocks]; blocks];
    result[0] = (0..blocks).map(|block| block == 0).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for source in 0..blocks {
            for &target in &successors[source] {
                let of_source = result[source].clone();
                for (other, known) in result[target].iter_mut().enumerate() {
                    if other != target && *known && !of_source[other] {
                        *known = false;
                        changed = true;
                    }
                }
            }
        }
    }
    result
}

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

fn context() -> Context {
    tfx_sese::register();
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    tfx_dialects::register(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

/// What functions call.
const DECLARATIONS: &str = "func.func private @observe(i32)\nfunc.func private @decide() -> i1\nfunc.func private @choose() -> i32\n";
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
