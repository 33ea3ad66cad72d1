//! TensorFlow's own control flow, whose regions are functions: `If`, `Case`, `While`,
//! `PartitionedCall`.
//!
//! ```text
//!   %r = tfx_tensor.op "If"(%c, %x)       0: d := %c is true
//!     {then_branch = @f,                  1: switch d: 0 -> 4, otherwise -> 2
//!      else_branch = @g}                  2: r := call @f(x)
//!                                         3: to 5
//!                                         4: r := call @g(x)
//! ```
//!
//! An imported graph contains them wherever it has functions, and a user may write them. The
//! functions are graphs of the module.

use tfx_graphdef::proto::NodeDef;
use tfx_interpreter::program::{callees, truth};
use tfx_ir::Op;

use super::Translation;
use crate::code::{Action, Jump, Register};
use crate::error::Failure;
use crate::value::{FunctionId, Value};

impl<'a> Translation<'_, 'a> {
    /// Translates control flow whose regions are functions. Returns whether the operation is one.
    pub(super) fn functional(&mut self, op: Op<'a>, node: &NodeDef) -> Result<bool, Failure<'a>> {
        let names = callees(node).map_err(|why| Failure::new(op, why))?;
        let functions: Vec<_> = names
            .iter()
            .map(|name| self.graph_function(op, name))
            .collect::<Result<_, _>>()?;
        let operands: Vec<_> = self.of_all(op.operands());
        let results: Vec<_> = self.of_all(op.results());
        match (node.op.as_str(), &functions[..]) {
            (_, []) => return Ok(false),
            ("While" | "StatelessWhile", &[condition, body]) => {
                self.while_of_functions(op, condition, body, (&operands, &results));
            }
            ("Case" | "StatelessCase", _) => {
                self.choose(op, operands[0], &functions, (&operands[1..], &results));
            }
            (_, &[then, otherwise]) => {
                let decision = self.decide(op, operands[0]);
                let functions = [otherwise, then];
                self.choose(op, decision, &functions, (&operands[1..], &results));
            }
            (_, &[function]) => self.emit_on(op, Action::Call(function), &operands, &results),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn graph_function(&self, op: Op<'a>, name: &str) -> Result<FunctionId, Failure<'a>> {
        let found = self.library.named(name, Vec::new());
        found.ok_or_else(|| Failure::new(op, format!("there is no function '@{name}'")))
    }

    fn go(&mut self, op: Op<'a>, jump: Jump) {
        self.emit_on(op, Action::Jump(jump), &[], &[]);
    }

    fn here(&mut self, label: usize) {
        self.places[label] = self.code.instructions.len();
    }

    /// Returns the register with the truth value of a tensor.
    fn decide(&mut self, op: Op<'a>, condition: Register) -> Register {
        let decision = self.fresh();
        let test = Action::Compute(Box::new(|values| {
            let truth = truth(values[0].tensor()?)?;
            Ok([Value::Integer(u64::from(truth))].into_iter().collect())
        }));
        self.emit_on(op, test, &[condition], &[decision]);
        decision
    }

    /// Calls the function of a number; the last one if it is out of range.
    fn choose(
        &mut self,
        op: Op<'a>,
        number: Register,
        functions: &[FunctionId],
        (operands, results): (&[Register], &[Register]),
    ) {
        let labels: Vec<_> = functions.iter().map(|_| self.label()).collect();
        let after = self.label();
        let (last, others) = labels.split_last().expect("a choice has a function");
        let cases = others.iter().enumerate();
        let cases = cases.map(|(case, &label)| (case as u64, self.plain(label)));
        let switch = Action::Switch(cases.collect(), self.plain(*last));
        self.emit_on(op, switch, &[number], &[]);
        for (&function, label) in functions.iter().zip(labels) {
            self.here(label);
            self.emit_on(op, Action::Call(function), operands, results);
            self.go(op, self.plain(after));
        }
        self.here(after);
    }

    fn while_of_functions(
        &mut self,
        op: Op<'a>,
        condition: FunctionId,
        body: FunctionId,
        (operands, results): (&[Register], &[Register]),
    ) {
        let [test, enter, after] = [self.label(), self.label(), self.label()];
        let mut carry = || -> Vec<_> { operands.iter().map(|_| self.fresh()).collect() };
        let (carried, next) = (carry(), carry());
        let answer = self.fresh();
        self.go(op, moving(test, &carried, operands));
        self.here(test);
        self.emit_on(op, Action::Call(condition), &carried, &[answer]);
        let decision = self.decide(op, answer);
        let leaves = moving(after, results, &carried);
        let enters = self.plain(enter);
        let switch = Action::Switch([(0, leaves)].into(), enters);
        self.emit_on(op, switch, &[decision], &[]);
        self.here(enter);
        self.emit_on(op, Action::Call(body), &carried, &next);
        self.go(op, moving(test, &carried, &next));
        self.here(after);
    }
}

/// A jump that forwards registers.
fn moving(to: usize, targets: &[Register], values: &[Register]) -> Jump {
    let moves = targets.iter().copied().zip(values.iter().copied());
    Jump {
        moves: moves.collect(),
        payload: [].into(),
        to,
    }
}
