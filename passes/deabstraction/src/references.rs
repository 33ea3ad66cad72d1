//! Which references to aggregates something wants whole.
//!
//! ```text
//!   %v = var : ref<Point>        load, store, field_ref, a call that takes it apart: can be one variable for each leaf
//!   closure @f(%v)               anything else: stays one variable, and so do the parameters that it comes from
//! ```
//!
//! A reference is followed from its root (a variable, a parameter) through `field_ref`. What is wanted whole spreads from a parameter to
//! the roots that calls pass to it, by a worklist: linear in uses and calls.

use std::collections::{HashMap, HashSet};

use tfx_ir::pass::PassFailed;
use tfx_ir::{Op, Value};

use crate::layout::{Layouts, is_reference};
use crate::names;
use crate::scalarize::Signatures;

/// The head of its source file has the algorithm and its cost.
pub(crate) struct Wholes<'a> {
    values: HashSet<Value<'a>>,
    parameters: HashSet<(Op<'a>, usize)>,
}

impl<'a> Wholes<'a> {
    /// Whether a variable is wanted whole.
    pub(crate) fn value(&self, value: Value<'a>) -> bool {
        self.values.contains(&value)
    }

    /// Whether the parameter of a function whose signature may change is wanted whole.
    pub(crate) fn parameter(&self, func: Op<'a>, index: usize) -> bool {
        self.parameters.contains(&(func, index))
    }
}

/// Looks at the references in all functions.
pub(crate) fn wholes<'a>(
    functions: &[Op<'a>],
    signatures: &Signatures<'a>,
    layouts: &mut Layouts<'a>,
) -> Result<Wholes<'a>, PassFailed> {
    let mut search = Search {
        wholes: Wholes {
            values: HashSet::new(),
            parameters: HashSet::new(),
        },
        passed_to: HashMap::new(),
        pending: Vec::new(),
    };
    for func in functions {
        if func.is_declaration() {
            search.declaration(*func);
            continue;
        }
        let arguments = func
            .region(0)
            .entry()
            .into_iter()
            .flat_map(|entry| entry.arguments());
        let variables = func
            .walk()
            .filter(|op| op.is(names::VAR))
            .map(|op| op.result(0));
        for root in arguments
            .chain(variables)
            .filter(|value| is_reference(value.ty()))
        {
            if layouts.of(root.ty(), root.location())?.is_some() {
                search.root(root, signatures, layouts)?;
            }
        }
    }
    Ok(search.spread())
}

struct Search<'a> {
    wholes: Wholes<'a>,
    /// By parameter: the roots of what calls pass to it.
    passed_to: HashMap<(Op<'a>, usize), Vec<Value<'a>>>,
    /// Parameters that are wanted whole, whose callers do not know yet.
    pending: Vec<(Op<'a>, usize)>,
}

impl<'a> Search<'a> {
    /// A foreign function takes references as they are.
    fn declaration(&mut self, func: Op<'a>) {
        let ty = func
            .function_type()
            .expect("a function has a function type");
        for index in 0..ty.input_count() {
            if ty.input(index).is_ok_and(is_reference)
                && self.wholes.parameters.insert((func, index))
            {
                self.pending.push((func, index));
            }
        }
    }

    /// Looks at all uses of a root, also through `field_ref`.
    fn root(
        &mut self,
        root: Value<'a>,
        signatures: &Signatures<'a>,
        layouts: &mut Layouts<'a>,
    ) -> Result<(), PassFailed> {
        let mut references = vec![root];
        while let Some(reference) = references.pop() {
            for found in reference.uses() {
                let (owner, operand) = (found.owner, found.operand);
                match owner.name() {
                    names::LOAD => {}
                    names::STORE if operand == 1 => {}
                    names::FIELD_REF => {
                        let part = owner.result(0);
                        if layouts.of(part.ty(), owner.location())?.is_some() {
                            references.push(part);
                        }
                    }
                    names::CALL if signatures.callee(owner).is_some() => {
                        let callee = signatures.callee(owner).expect("just asked");
                        self.passed_to
                            .entry((callee, operand))
                            .or_default()
                            .push(root);
                    }
                    _ => self.want(root),
                }
            }
        }
        Ok(())
    }

    fn want(&mut self, root: Value<'a>) {
        if !self.wholes.values.insert(root) {
            return;
        }
        if let Some((entry, index)) = root.as_argument() {
            let func = entry.parent().expect("an entry block is in a function");
            if self.wholes.parameters.insert((func, index)) {
                self.pending.push((func, index));
            }
        }
    }

    fn spread(mut self) -> Wholes<'a> {
        while let Some(parameter) = self.pending.pop() {
            let roots = self.passed_to.get(&parameter).cloned().unwrap_or_default();
            roots.into_iter().for_each(|root| self.want(root));
        }
        self.wholes
    }
}
