//! Dynamic taint analysis: the data that was received from a graph and flowed, in one run, into a
//! send of the host.
//!
//! ```text
//!   %x = recv 0           x: {0}
//!   %c = cmpi %x, ...     c: {0}
//!   scf.if %c {           what runs in here: {0}
//!     send %k on 1        round trip: 0 -> 1, although k itself is clean
//!   }
//! ```
//!
//! Every register, every place in memory and every named state of foreign functions has a label:
//! the receives that its content depends on. Operations unite the labels of their operands. The
//! label of a decision is added to everything that it selects: the results of a branch and of a
//! loop, values that are stored, and values that are sent while it is in effect. In structured code
//! it is in effect until the deciding operation is left. In blocks, which hosts of graphs no longer
//! have, it is in effect until the function returns.
//!
//! It shares no code with `tfx-copy-analysis`, which must report each round trip that is observed
//! here. After Denning, *A Lattice Model of Secure Information Flow* (1976), as a monitor: code
//! that did not run leaves no trace. Cost: a set operation for each operand, found in a table.
//!
//! Limit: states of foreign functions that `tfx.state` does not declare are not traced.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tfx_dialects::foreign::STATE;
use tfx_dialects::transfer::EXPLICIT;
use tfx_ir::ops::scf;
use tfx_ir::{Op, Region};

use crate::code::{Action, Instruction, Jump, Register};
use crate::value::{Cell, Closure, Reference, Value};

/// The transfers of the host in one run.
#[derive(Debug, Default)]
pub struct Transfers<'a> {
    /// Each executed send, in the order of their first executions, with the receives that its
    /// value, or its execution, depends on.
    pub sent: Vec<(Op<'a>, Vec<Op<'a>>)>,
    /// The regions of the host that were executed.
    pub entered: FxHashSet<Region<'a>>,
}

/// A set of receives, by its number in [`Sets`].
type Label = u32;

/// The empty set.
const CLEAN: Label = 0;

/// The sets of labels: each set once, so that a union is found by the numbers of its operands.
struct Sets<'a> {
    /// By label, in the order in which receives were first executed.
    sets: Vec<Vec<usize>>,
    by_set: FxHashMap<Vec<usize>, Label>,
    unions: FxHashMap<(Label, Label), Label>,
    receives: Vec<Op<'a>>,
    by_receive: FxHashMap<Op<'a>, Label>,
}

impl Default for Sets<'_> {
    fn default() -> Self {
        Sets {
            sets: vec![Vec::new()],
            by_set: FxHashMap::from_iter([(Vec::new(), CLEAN)]),
            unions: FxHashMap::default(),
            receives: Vec::new(),
            by_receive: FxHashMap::default(),
        }
    }
}

impl<'a> Sets<'a> {
    fn label(&mut self, set: Vec<usize>) -> Label {
        let new = self.sets.len() as Label;
        let label = *self.by_set.entry(set.clone()).or_insert(new);
        if label == new {
            self.sets.push(set);
        }
        label
    }

    fn of_receive(&mut self, op: Op<'a>) -> Label {
        if let Some(&label) = self.by_receive.get(&op) {
            return label;
        }
        self.receives.push(op);
        let label = self.label(vec![self.receives.len() - 1]);
        self.by_receive.insert(op, label);
        label
    }

    fn union(&mut self, one: Label, other: Label) -> Label {
        if one == other || other == CLEAN {
            return one;
        }
        if one == CLEAN {
            return other;
        }
        let key = (one.min(other), one.max(other));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let both = self.sets[one as usize]
            .iter()
            .chain(&self.sets[other as usize]);
        let mut both: Vec<usize> = both.copied().collect();
        both.sort_unstable();
        both.dedup();
        let label = self.label(both);
        self.unions.insert(key, label);
        label
    }

    fn members(&self, label: Label) -> Vec<Op<'a>> {
        let set = self.sets[label as usize].iter();
        set.map(|&index| self.receives[index]).collect()
    }
}

/// The labels of a running call.
struct Shadow<'a> {
    /// By register.
    labels: Vec<Label>,
    /// The label of the decision to run this call.
    base: Label,
    /// The operations that decide what runs now, outermost first, each with the label of its
    /// decision and of those around it.
    scopes: Vec<(Op<'a>, Label)>,
}

impl Shadow<'_> {
    /// The label of the decision to run the next instruction.
    fn decided(&self) -> Label {
        self.scopes.last().map_or(self.base, |(_, label)| *label)
    }
}

/// The labels of one process, parallel to its values.
#[derive(Default)]
pub(crate) struct Taint<'a> {
    sets: Sets<'a>,
    frames: Vec<Shadow<'a>>,
    /// The labels of variables and fields, by their address; keeping the cell prevents its reuse.
    cells: FxHashMap<usize, (Cell<'a>, Label)>,
    /// The labels of captures, by the closure's address.
    closures: FxHashMap<usize, (Rc<Closure<'a>>, Vec<Label>)>,
    states: BTreeMap<&'a str, Label>,
    sent: Vec<(Op<'a>, Label)>,
    by_send: FxHashMap<Op<'a>, usize>,
    entered: FxHashSet<Region<'a>>,
}

impl<'a> Taint<'a> {
    pub(crate) fn finish(self) -> Transfers<'a> {
        let sent = self.sent.iter();
        Transfers {
            sent: sent
                .map(|&(op, label)| (op, self.sets.members(label)))
                .collect(),
            entered: self.entered,
        }
    }

    fn frame(&mut self) -> &mut Shadow<'a> {
        self.frames.last_mut().expect("a call runs")
    }

    fn label(&self, register: Register) -> Label {
        let frame = self.frames.last().expect("a call runs");
        frame.labels[register as usize]
    }

    fn all(&self, registers: &[Register]) -> SmallVec<[Label; 4]> {
        registers
            .iter()
            .map(|&register| self.label(register))
            .collect()
    }

    fn decided(&self) -> Label {
        self.frames.last().expect("a call runs").decided()
    }

    fn united(&mut self, labels: impl IntoIterator<Item = Label>) -> Label {
        let mut all = CLEAN;
        for label in labels {
            all = self.sets.union(all, label);
        }
        all
    }

    fn set(&mut self, registers: &[Register], label: Label) {
        let frame = self.frame();
        for &register in registers {
            frame.labels[register as usize] = label;
        }
    }

    // Control.

    /// Enters a call of code with this number of registers.
    pub(crate) fn enter(
        &mut self,
        registers: usize,
        parameters: &[Register],
        arguments: &[Label],
        chosen_by: Option<Label>,
    ) {
        let around = self.frames.last().map_or(CLEAN, Shadow::decided);
        let base = self.sets.union(around, chosen_by.unwrap_or(CLEAN));
        let mut labels = vec![CLEAN; registers];
        for (&register, &argument) in parameters.iter().zip(arguments) {
            labels[register as usize] = argument;
        }
        self.frames.push(Shadow {
            labels,
            base,
            scopes: Vec::new(),
        });
    }

    /// Returns the labels of the arguments of a call, and of the selection of the function.
    pub(crate) fn arguments(
        &mut self,
        instruction: &Instruction<'a>,
        callee: Option<&Value<'a>>,
        count: usize,
    ) -> (Vec<Label>, Option<Label>) {
        let operands = self.all(&instruction.operands);
        let given = operands.iter().skip(1).copied();
        match callee {
            None => (operands.to_vec(), None),
            Some(Value::Closure(closure)) => {
                let address = Rc::as_ptr(closure) as usize;
                let captured = self.closures.get(&address);
                let captured = captured.map(|(_, labels)| labels.clone());
                let captured = captured.unwrap_or_else(|| vec![CLEAN; closure.captures.len()]);
                (
                    captured.into_iter().chain(given).collect(),
                    Some(operands[0]),
                )
            }
            // All leaves of a receiver have the label of the receiver.
            Some(_) => {
                let leaves = count + 1 - operands.len();
                let receiver = std::iter::repeat_n(operands[0], leaves);
                (receiver.chain(given).collect(), Some(operands[0]))
            }
        }
    }

    /// Leaves a call, and passes the labels of these registers to those of its caller.
    pub(crate) fn leave(&mut self, from: &[Register], to: &[Register]) {
        let results = self.all(from);
        let decided = self.decided();
        self.frames.pop();
        for (&register, label) in to.iter().zip(results) {
            let label = self.sets.union(label, decided);
            self.frame().labels[register as usize] = label;
        }
    }

    /// Follows a `jump` that `selector` decided.
    pub(crate) fn jump(
        &mut self,
        instruction: &Instruction<'a>,
        selector: Option<Register>,
        jump: &Jump,
        target: Op<'a>,
    ) {
        self.entered.extend(target.parent_region());
        let selected = selector.map_or(CLEAN, |register| self.label(register));
        if selector.is_some() {
            self.decide(instruction.op, selected);
        }
        let decided = self.decided();
        let from: SmallVec<[Label; 8]> = jump
            .moves
            .iter()
            .map(|&(_, from)| self.label(from))
            .collect();
        for (&(to, _), label) in jump.moves.iter().zip(from) {
            let label = self.sets.union(label, decided);
            self.set(&[to], label);
        }
        let payload = self.sets.union(selected, decided);
        self.set(&jump.payload, payload);
        // A decision ends when its operation is left.
        let frame = self.frame();
        while let Some((scope, _)) = frame.scopes.last()
            && *scope != target
            && !target.is_within(*scope)
        {
            frame.scopes.pop();
        }
    }

    fn decide(&mut self, op: Op<'a>, selected: Label) {
        // The test of a loop is the end of its first region.
        let scope = match op.isa::<scf::Condition>() {
            true => op.parent().unwrap_or(op),
            false => op,
        };
        let label = self.decided();
        let label = self.sets.union(label, selected);
        let is_structured = scope.num_regions() > 0;
        let frame = self.frame();
        match frame.scopes.last_mut() {
            _ if !is_structured => frame.base = label,
            Some((known, decided)) if *known == scope => *decided = label,
            _ => frame.scopes.push((scope, label)),
        }
        if !is_structured {
            frame.scopes.iter_mut().for_each(|scope| scope.1 = label);
        }
    }

    // Channels.

    pub(crate) fn received(&mut self, instruction: &Instruction<'a>) {
        let op = instruction.op;
        // A copy that the user marked is intentional, and ends the trace.
        let label = match op.attribute(EXPLICIT) {
            Some(_) => CLEAN,
            None => self.sets.of_receive(op),
        };
        self.set(&instruction.results, label);
    }

    pub(crate) fn sent(&mut self, instruction: &Instruction<'a>) {
        let op = instruction.op;
        let label = match op.attribute(EXPLICIT) {
            Some(_) => CLEAN,
            None => {
                let value = self.label(instruction.operands[0]);
                let decided = self.decided();
                self.sets.union(value, decided)
            }
        };
        let next = self.sent.len();
        let index = *self.by_send.entry(op).or_insert(next);
        match index == next {
            true => self.sent.push((op, label)),
            false => self.sent[index].1 = self.sets.union(self.sent[index].1, label),
        }
    }

    // Data.

    /// A call of a foreign function, which may have a state that others share.
    pub(crate) fn foreign(&mut self, instruction: &Instruction<'a>, declaration: Option<Op<'a>>) {
        let state = declaration.and_then(|declaration| declaration.string(STATE));
        let operands = self.all(&instruction.operands);
        let mut label = self.united(operands);
        if let Some(state) = state {
            let kept = self.states.get(state).copied().unwrap_or(CLEAN);
            let decided = self.decided();
            label = self.united([label, kept, decided]);
            self.states.insert(state, label);
        }
        self.set(&instruction.results, label);
    }

    /// Updates labels after an instruction that computes; `values` are those of its operands,
    /// `results` those of its results.
    pub(crate) fn computed(
        &mut self,
        instruction: &Instruction<'a>,
        values: &[Value<'a>],
        results: &[Value<'a>],
    ) {
        let operands = self.all(&instruction.operands);
        let label = match (&instruction.action, values, results) {
            (Action::Load, [Value::Reference(reference)], _) => {
                let held = self.held(reference);
                self.sets.union(operands[0], held)
            }
            (Action::Store, [_, Value::Reference(reference)], _) => {
                let decided = self.decided();
                let label = self.united([operands[0], operands[1], decided]);
                self.store(reference, label);
                CLEAN
            }
            (Action::New(_), _, [Value::Object(object)]) => {
                for (cell, &label) in object.fields.iter().zip(&operands) {
                    self.cells
                        .insert(Rc::as_ptr(cell) as usize, (cell.clone(), label));
                }
                CLEAN
            }
            (Action::Closure(_), _, [Value::Closure(closure)]) => {
                let known = (closure.clone(), operands.to_vec());
                self.closures.insert(Rc::as_ptr(closure) as usize, known);
                CLEAN
            }
            (Action::Select, ..) => {
                let holds = values[0].bits().is_ok_and(|bits| bits != 0);
                let chosen = operands[if holds { 1 } else { 2 }];
                self.sets.union(operands[0], chosen)
            }
            _ => self.united(operands),
        };
        self.set(&instruction.results, label);
    }

    fn held(&self, reference: &Reference<'a>) -> Label {
        let address = Rc::as_ptr(&reference.cell) as usize;
        self.cells.get(&address).map_or(CLEAN, |(_, label)| *label)
    }

    /// Writing a part of a variable leaves the other parts unchanged.
    fn store(&mut self, reference: &Reference<'a>, label: Label) {
        let label = match reference.path.is_empty() {
            true => label,
            false => {
                let held = self.held(reference);
                self.sets.union(held, label)
            }
        };
        let address = Rc::as_ptr(&reference.cell) as usize;
        self.cells.insert(address, (reference.cell.clone(), label));
    }
}
