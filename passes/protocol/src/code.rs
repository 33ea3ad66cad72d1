//! Whether a function of the host and a graph that graphs call compute the same from the same arguments.
//!
//! ```text
//!   host                                     graph
//!   %r = call @table(%i)                     %s = tfx_tensor.call @table.graph(%j)        %r = %s if %i = %j, and
//!   func @table(%i) { ... return %x }        graph @table.graph(%j) { ... return %y }     %x = %y follows from %i = %j
//! ```
//!
//! # Algorithm
//!
//! Only code counts that gives the same bits on both sides: replicable operations that do, structured control flow, and calls of such code. Two pieces of
//! code are proved the same as two programs are ([`crate::same`]): their arguments are assumed to be, and what they return has to follow. A pair that
//! they call is assumed and proved next, so all pairs that were met are proved together (coinduction), without a stack: if one of them
//! fails, none of them is known.
//!
//! Cost: each function is looked at once for each graph that it is compared with, which is one in what partition makes.

use std::cell::{Cell, RefCell};
use tfx_dialects::tensor;
use tfx_ir::ops::{func, scf};

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::replicable::{replicable, same_bits};
use tfx_ir::Op;
use tfx_ir::symbols::SymbolTable;

use crate::lists::Projection;
use crate::meet::Meeting;
use crate::same::Values;

/// What is known of functions and graphs of a module.
pub(crate) struct Code<'s, 'a> {
    symbols: &'s SymbolTable<'a>,
    /// Whether they are code that both sides could have.
    plain: RefCell<FxHashMap<Op<'a>, bool>>,
    /// Whether two are the same; assumed of those in `pending` and those that are being proved.
    same: RefCell<FxHashMap<(Op<'a>, Op<'a>), bool>>,
    pending: RefCell<Vec<(Op<'a>, Op<'a>)>>,
    is_proving: Cell<bool>,
}

impl<'s, 'a> Code<'s, 'a> {
    pub(crate) fn new(symbols: &'s SymbolTable<'a>) -> Self {
        Code {
            symbols,
            plain: RefCell::default(),
            same: RefCell::default(),
            pending: RefCell::default(),
            is_proving: Cell::new(false),
        }
    }

    /// Whether two operations are calls that give the same results for the same operands.
    pub(crate) fn calls_are_alike(&self, one: Op<'a>, other: Op<'a>) -> bool {
        match (self.called(one), self.called(other)) {
            (Some(one), Some(other)) => self.is_same(one, other),
            _ => false,
        }
    }

    /// The code that an operation calls.
    fn called(&self, op: Op<'a>) -> Option<Op<'a>> {
        if !is_call(op) {
            return None;
        }
        let callee = self.symbols.resolve(op, "callee")?;
        self.is_plain(callee).then_some(callee)
    }

    /// Whether a function or a graph, and all that it calls, is code that both sides could have.
    fn is_plain(&self, code: Op<'a>) -> bool {
        if let Some(&known) = self.plain.borrow().get(&code) {
            return known;
        }
        let is_plain = self.read(code);
        self.plain.borrow_mut().insert(code, is_plain);
        is_plain
    }

    fn read(&self, code: Op<'a>) -> bool {
        let mut seen = FxHashSet::from_iter([code]);
        let mut todo = vec![code];
        while let Some(code) = todo.pop() {
            if code.num_regions() != 1 || code.region(0).single_block().is_none() {
                return false;
            }
            for op in code.walk().skip(1) {
                match op.name() {
                    func::Return::NAME
                    | tensor::Return::NAME
                    | scf::Yield::NAME
                    | scf::Condition::NAME => {}
                    scf::If::NAME | scf::IndexSwitch::NAME | scf::For::NAME | scf::While::NAME => {}
                    _ if is_call(op) => match self.symbols.resolve(op, "callee") {
                        Some(callee) if seen.insert(callee) => todo.push(callee),
                        Some(_) => {}
                        None => return false,
                    },
                    _ if replicable(op) && same_bits(op) => {}
                    _ => return false,
                }
            }
        }
        true
    }

    fn is_same(&self, one: Op<'a>, other: Op<'a>) -> bool {
        if one == other {
            return true;
        }
        if let Some(&known) = self.same.borrow().get(&(one, other)) {
            return known;
        }
        self.same.borrow_mut().insert((one, other), true);
        self.pending.borrow_mut().push((one, other));
        self.is_proving.get() || self.prove_pending()
    }

    /// Proves all pairs that are assumed to be the same, and those that come up meanwhile. If one fails, nothing is known of any.
    fn prove_pending(&self) -> bool {
        self.is_proving.set(true);
        let mut proved = Vec::new();
        let mut all = true;
        while all {
            let Some(pair) = self.pending.borrow_mut().pop() else {
                break;
            };
            proved.push(pair);
            all = self.follows(pair.0, pair.1);
        }
        if !all {
            proved.append(&mut self.pending.borrow_mut());
            let mut same = self.same.borrow_mut();
            proved
                .into_iter()
                .for_each(|pair| _ = same.insert(pair, false));
        }
        self.is_proving.set(false);
        all
    }

    /// Whether the same results follow from the same arguments.
    fn follows(&self, one: Op<'a>, other: Op<'a>) -> bool {
        let bodies = [one, other].map(|code| code.region(0).entry());
        let [Some(body), Some(other_body)] = bodies else {
            return false;
        };
        let (Some(end), Some(other_end)) = (body.last(), other_body.last()) else {
            return false;
        };
        if body.num_arguments() != other_body.num_arguments()
            || end.num_operands() != other_end.num_operands()
        {
            return false;
        }
        let (projection, meeting) = (Projection::default(), Meeting::default());
        let mut values = Values::of_code(&projection, &meeting, self);
        for (argument, other) in body.arguments().zip(other_body.arguments()) {
            values.assume(argument, other);
        }
        let mut results = end.operands().zip(other_end.operands());
        results.all(|(result, other)| values.prove(result, other).is_ok())
    }
}

fn is_call(op: Op<'_>) -> bool {
    op.isa::<func::Call>() || op.isa::<tensor::Call>()
}
