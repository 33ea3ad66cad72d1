//! A small machine that runs functions of both forms: graphs of blocks, and structured ones.
//!
//! A function is translated once, to moves and jumps between numbered registers, and then run on many sequences of decisions:
//! `@decide` and `@choose` give the next decision, `@observe` shows a value.

use std::collections::HashMap;

use tfx_ir::{Block, Op, Value};

/// Observations after which a run counts as endless.
const MAX_TRACE: usize = 60;
/// Operations after which a run counts as endless that observes nothing: more than any that ends takes.
const MAX_STEPS: usize = 2000;

/// What a run shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) observed: Vec<i64>,
    pub(crate) end: End,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    Returned(Vec<i64>),
    Aborted,
    Endless,
    /// No decision is left.
    Cut,
}

/// One sequence of decisions after another, in the order of an odometer.
#[derive(Debug)]
pub(crate) struct Decisions {
    /// Each decision and the number of ways that there were.
    taken: Vec<(usize, usize)>,
    next: usize,
    most: usize,
}

impl Decisions {
    /// All sequences of at most so many.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            taken: Vec::new(),
            next: 0,
            most,
        }
    }

    /// The next decision; none once there were enough.
    fn take(&mut self, ways: usize) -> Option<usize> {
        if self.next == self.most {
            return None;
        }
        if self.next == self.taken.len() {
            self.taken.push((0, ways));
        }
        let way = self.taken[self.next].0;
        self.next += 1;
        // Two functions that differ may ask for other decisions.
        Some(way % ways)
    }

    /// Starts the same sequence again.
    pub(crate) fn restart(&mut self) {
        self.next = 0;
    }

    /// Goes on to the next sequence; says whether there is one.
    pub(crate) fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((way, ways)) = self.taken.pop() {
            if way + 1 < ways {
                self.taken.push((way + 1, ways));
                return true;
            }
        }
        false
    }
}

/// Arguments of the functions; those that have but one take the first.
const ARGUMENTS: [[i64; 3]; 3] = [[5, 0, 1], [0, 1, 0], [-1, 1, 1]];

/// On which arguments and decisions two functions run differently, if they do on any sequence of so many decisions.
pub(crate) fn difference(before: &Code, after: &Code, most: usize) -> Option<String> {
    let tried = if before.num_arguments() > 1 {
        ARGUMENTS.len()
    } else {
        1
    };
    for arguments in &ARGUMENTS[..tried] {
        let mut decisions = Decisions::new(most);
        loop {
            let mut expected = before.run(&mut decisions, arguments);
            decisions.restart();
            let mut found = after.run(&mut decisions, arguments);
            // One form takes more operations for the same, so it may be given up earlier.
            if expected.end == End::Endless && found.end == End::Endless {
                let both = expected.observed.len().min(found.observed.len());
                expected.observed.truncate(both);
                found.observed.truncate(both);
            }
            if expected != found {
                let how = format!("{found:?} instead of {expected:?}");
                return Some(format!("{how} on {arguments:?} with {decisions:?}"));
            }
            if !decisions.advance() {
                break;
            }
        }
    }
    None
}

type Register = usize;

/// Moves at once, and then goes on there.
#[derive(Clone, Debug)]
struct Jump {
    moves: Vec<(Register, Register)>,
    to: Label,
}

type Label = usize;

#[derive(Debug)]
enum Instruction {
    Constant(Register, i64),
    Add(Register, Register, Register),
    Xor(Register, Register, Register),
    And(Register, Register, Register),
    Or(Register, Register, Register),
    Same(Register, Register, Register, bool),
    Select(Register, [Register; 3]),
    Widen(Register, Register),
    Observe(Register),
    Decide(Register),
    Choose(Register),
    Jump(Jump),
    /// By value; the last one if none is equal.
    Switch(Register, Vec<(i64, Jump)>, Jump),
    Return(Vec<Register>),
    Abort,
}

/// A function for the machine.
pub(crate) struct Code {
    instructions: Vec<Instruction>,
    /// Where each label is.
    places: Vec<usize>,
    registers: usize,
    arguments: Vec<Register>,
}

impl Code {
    /// Translates a function.
    pub(crate) fn new(function: Op<'_>) -> Self {
        let mut translation = Translation {
            code: Self {
                instructions: Vec::new(),
                places: Vec::new(),
                registers: 0,
                arguments: Vec::new(),
            },
            registers: HashMap::new(),
            labels: HashMap::new(),
        };
        let region = function.region(0);
        let entry = region.entry().expect("a function with a body");
        translation.code.arguments = entry
            .arguments()
            .map(|value| translation.register(value))
            .collect();
        for block in region.blocks() {
            let label = translation.label_of(block);
            translation.block(block, label, Ending::Function);
        }
        translation.code
    }

    /// The number of arguments of the function.
    pub(crate) fn num_arguments(&self) -> usize {
        self.arguments.len()
    }

    /// Runs the function.
    pub(crate) fn run(&self, decisions: &mut Decisions, arguments: &[i64]) -> Shown {
        let mut values = vec![0; self.registers];
        for (&register, &value) in self.arguments.iter().zip(arguments) {
            values[register] = value;
        }
        let mut observed = Vec::new();
        let mut scratch = Vec::new();
        let mut at = 0;
        for _ in 0..MAX_STEPS {
            let instruction = &self.instructions[at];
            at += 1;
            let jump = match instruction {
                &Instruction::Constant(to, value) => {
                    values[to] = value;
                    continue;
                }
                &Instruction::Add(to, one, other) => {
                    values[to] = i64::from((values[one] as i32).wrapping_add(values[other] as i32));
                    continue;
                }
                &Instruction::Xor(to, one, other) => {
                    values[to] = values[one] ^ values[other];
                    continue;
                }
                &Instruction::And(to, one, other) => {
                    values[to] = values[one] & values[other];
                    continue;
                }
                &Instruction::Or(to, one, other) => {
                    values[to] = values[one] | values[other];
                    continue;
                }
                &Instruction::Same(to, one, other, equal) => {
                    values[to] = i64::from((values[one] == values[other]) == equal);
                    continue;
                }
                &Instruction::Select(to, [flag, one, other]) => {
                    values[to] = values[if values[flag] != 0 { one } else { other }];
                    continue;
                }
                &Instruction::Widen(to, from) => {
                    values[to] = i64::from(values[from] as u32);
                    continue;
                }
                &Instruction::Observe(value) => {
                    observed.push(values[value]);
                    if observed.len() == MAX_TRACE {
                        let end = End::Endless;
                        return Shown { observed, end };
                    }
                    continue;
                }
                &Instruction::Decide(to) => match decisions.take(2) {
                    Some(way) => {
                        values[to] = way as i64;
                        continue;
                    }
                    None => {
                        let end = End::Cut;
                        return Shown { observed, end };
                    }
                },
                &Instruction::Choose(to) => match decisions.take(3) {
                    Some(way) => {
                        values[to] = way as i64 - 1;
                        continue;
                    }
                    None => {
                        let end = End::Cut;
                        return Shown { observed, end };
                    }
                },
                Instruction::Jump(jump) => jump,
                Instruction::Switch(value, cases, default) => {
                    let case = cases.iter().find(|(case, _)| *case == values[*value]);
                    case.map_or(default, |(_, jump)| jump)
                }
                Instruction::Return(results) => {
                    let end = End::Returned(results.iter().map(|&one| values[one]).collect());
                    return Shown { observed, end };
                }
                Instruction::Abort => {
                    let end = End::Aborted;
                    return Shown { observed, end };
                }
            };
            scratch.clear();
            scratch.extend(jump.moves.iter().map(|&(_, from)| values[from]));
            for (&(to, _), &value) in jump.moves.iter().zip(&scratch) {
                values[to] = value;
            }
            at = self.places[jump.to];
        }
        let end = End::Endless;
        Shown { observed, end }
    }
}

/// What the end of a block does.
#[derive(Clone, Copy)]
enum Ending<'a> {
    Function,
    /// Hands to the results of this operation, and goes on after it.
    Leave(Op<'a>, Label),
    /// The first region of a loop: goes on in the second, or after it.
    Condition(Op<'a>, Label, Label),
    /// The second region of a loop: goes on in the first.
    Again(Op<'a>, Label),
}

struct Translation<'a> {
    code: Code,
    registers: HashMap<Value<'a>, Register>,
    labels: HashMap<Block<'a>, Label>,
}

impl<'a> Translation<'a> {
    fn register(&mut self, value: Value<'a>) -> Register {
        let next = self.code.registers;
        let register = *self.registers.entry(value).or_insert(next);
        self.code.registers += usize::from(register == next);
        register
    }

    fn label(&mut self) -> Label {
        self.code.places.push(0);
        self.code.places.len() - 1
    }

    fn label_of(&mut self, block: Block<'a>) -> Label {
        if let Some(&label) = self.labels.get(&block) {
            return label;
        }
        let label = self.label();
        self.labels.insert(block, label);
        label
    }

    fn jump(
        &mut self,
        to: Label,
        targets: impl Iterator<Item = Value<'a>>,
        values: impl Iterator<Item = Value<'a>>,
    ) -> Jump {
        let moves = targets
            .zip(values)
            .map(|(to, from)| (self.register(to), self.register(from)));
        Jump {
            moves: moves.collect(),
            to,
        }
    }

    fn edge(&mut self, op: Op<'a>, way: usize) -> Jump {
        let block = op.successor(way);
        let label = self.label_of(block);
        let values = op.successor_operands(way).expect("a branch").values();
        self.jump(label, block.arguments(), values.into_iter())
    }

    fn block(&mut self, block: Block<'a>, label: Label, end: Ending<'a>) {
        self.code.places[label] = self.code.instructions.len();
        for op in block.ops() {
            self.op(op, end);
        }
    }

    fn op(&mut self, op: Op<'a>, end: Ending<'a>) {
        let operands: Vec<Register> = op.operands().map(|value| self.register(value)).collect();
        let results: Vec<Register> = op.results().map(|value| self.register(value)).collect();
        let instruction = match op.name() {
            "arith.constant" => Instruction::Constant(results[0], constant(op)),
            "arith.addi" => Instruction::Add(results[0], operands[0], operands[1]),
            "arith.xori" => Instruction::Xor(results[0], operands[0], operands[1]),
            "arith.andi" => Instruction::And(results[0], operands[0], operands[1]),
            "arith.ori" => Instruction::Or(results[0], operands[0], operands[1]),
            "arith.select" => {
                Instruction::Select(results[0], [operands[0], operands[1], operands[2]])
            }
            "arith.index_castui" => Instruction::Widen(results[0], operands[0]),
            "arith.cmpi" => {
                let equal = match op.integer("predicate") {
                    Some(0) => true,
                    Some(1) => false,
                    other => panic!("predicate {other:?}"),
                };
                Instruction::Same(results[0], operands[0], operands[1], equal)
            }
            "func.call" => match op.symbol("callee") {
                Some("observe") => Instruction::Observe(operands[0]),
                Some("decide") => Instruction::Decide(results[0]),
                Some("choose") => Instruction::Choose(results[0]),
                other => panic!("call of {other:?}"),
            },
            "tfx_host.abort" | "tfx_host.unreachable" => Instruction::Abort,
            "cf.br" => Instruction::Jump(self.edge(op, 0)),
            "cf.cond_br" => {
                Instruction::Switch(operands[0], vec![(0, self.edge(op, 1))], self.edge(op, 0))
            }
            "cf.switch" => {
                let cases = vec![(0, self.edge(op, 1)), (-1, self.edge(op, 2))];
                Instruction::Switch(operands[0], cases, self.edge(op, 0))
            }
            "func.return" => Instruction::Return(operands),
            "scf.if" | "scf.index_switch" => return self.choice(op, operands[0]),
            "scf.while" => return self.repeat(op),
            "scf.yield" | "scf.condition" => return self.end(op, end),
            name => panic!("the machine does not know '{name}'"),
        };
        self.code.instructions.push(instruction);
    }

    fn choice(&mut self, op: Op<'a>, selector: Register) {
        let after = self.label();
        let regions: Vec<Option<Block<'a>>> = op.regions().map(|region| region.entry()).collect();
        let labels: Vec<Label> = regions
            .iter()
            .map(|block| block.map_or(after, |_| self.label()))
            .collect();
        let jump = |to| Jump {
            moves: Vec::new(),
            to,
        };
        let (cases, default) = match op.is("scf.if") {
            true => (vec![(0, jump(labels[1]))], labels[0]),
            false => {
                let numbers = case_numbers(op).into_iter();
                let cases = numbers.zip(&labels[1..]);
                (
                    cases.map(|(case, &label)| (case, jump(label))).collect(),
                    labels[0],
                )
            }
        };
        let switch = Instruction::Switch(selector, cases, jump(default));
        self.code.instructions.push(switch);
        for (block, &label) in regions.into_iter().zip(&labels) {
            if let Some(block) = block {
                self.block(block, label, Ending::Leave(op, after));
            }
        }
        self.code.places[after] = self.code.instructions.len();
    }

    fn repeat(&mut self, op: Op<'a>) {
        let half = |region: usize| op.region(region).entry().expect("a loop has two regions");
        let labels = [self.label(), self.label(), self.label()];
        let jump = self.jump(labels[0], half(0).arguments(), op.operands());
        self.code.instructions.push(Instruction::Jump(jump));
        self.block(
            half(0),
            labels[0],
            Ending::Condition(op, labels[1], labels[2]),
        );
        self.block(half(1), labels[1], Ending::Again(op, labels[0]));
        self.code.places[labels[2]] = self.code.instructions.len();
    }

    fn end(&mut self, op: Op<'a>, end: Ending<'a>) {
        let instruction = match end {
            Ending::Function => panic!("a function ends in '{}'", op.name()),
            Ending::Leave(around, after) => {
                Instruction::Jump(self.jump(after, around.results(), op.operands()))
            }
            Ending::Again(around, before) => {
                let block = around.region(0).entry().expect("a loop has two regions");
                Instruction::Jump(self.jump(before, block.arguments(), op.operands()))
            }
            Ending::Condition(around, second, after) => {
                let block = around.region(1).entry().expect("a loop has two regions");
                let goes_on = self.jump(second, block.arguments(), op.operands().skip(1));
                let leaves = self.jump(after, around.results(), op.operands().skip(1));
                let flag = self.register(op.operand(0));
                Instruction::Switch(flag, vec![(0, leaves)], goes_on)
            }
        };
        self.code.instructions.push(instruction);
    }
}

/// The cases of an `scf.index_switch`.
pub(crate) fn case_numbers(op: Op<'_>) -> Vec<i64> {
    let text = op.attribute("cases").expect("cases").to_string();
    let list = text.trim_start_matches("array<i64").trim_end_matches('>');
    let list = list.trim_start_matches(": ");
    list.split(", ")
        .filter_map(|case| case.parse().ok())
        .collect()
}

fn constant(op: Op<'_>) -> i64 {
    match op.boolean("value") {
        Some(value) => i64::from(value),
        None => op.integer("value").expect("an integer"),
    }
}
