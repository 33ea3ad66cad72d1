//! The pure slice of a function: what runs again in the reverse pass.
//!
//! ```text
//!   func @f(%x)                       func @f.again(%x)
//!     %y = sin %x                       %y = sin %x
//!     print %y                          return %y
//!     return %y
//! ```
//!
//! Operations with effects are left out. If the rest needs the result of one, that is an error:
//! only the first run has it. A call of a function with effects becomes a call of the slice of that
//! function.
//!
//! Cost: linear in the functions.

use rustc_hash::FxHashMap;
use tfx_dialects::derivatives::rule;
use tfx_dialects::foreign::PURE;
use tfx_dialects::host;
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::func;
use tfx_ir::symbols::{SymbolTable, for_each_symbol};

use crate::checkpoint::outline::copy;
use crate::rules;

/// The slices so far.
pub(crate) struct Again<'p, 'a> {
    program: &'p SymbolTable<'a>,
    /// Functions of the flat module with their slices, which are the functions themselves if these
    /// have no effects.
    slices: FxHashMap<Op<'a>, Op<'a>>,
    /// Functions of the program: true if they have no effects but on own variables.
    harmless: FxHashMap<Op<'a>, bool>,
}

impl<'p, 'a> Again<'p, 'a> {
    pub(crate) fn new(program: &'p SymbolTable<'a>) -> Self {
        Again {
            program,
            slices: FxHashMap::default(),
            harmless: FxHashMap::default(),
        }
    }

    /// Returns the slice of a flat function, which may be new.
    ///
    /// # Errors
    ///
    /// The function needs the result of an effect.
    pub(crate) fn of(
        &mut self,
        function: Op<'a>,
        flat: &mut SymbolTable<'a>,
    ) -> Result<Op<'a>, Diagnostic<'a>> {
        // Callees come first: the function is below them on the stack until their slices are known.
        let mut stack = vec![function];
        while let Some(&next) = stack.last() {
            if self.slices.contains_key(&next) {
                stack.pop();
                continue;
            }
            let callees = callees(next, flat);
            let has_body = |callee: &&Op<'a>| !callee.is_declaration();
            let missing =
                |callee: &&Op<'a>| !self.slices.contains_key(*callee) && !stack.contains(callee);
            let missing: Vec<_> = callees
                .iter()
                .filter(has_body)
                .filter(missing)
                .copied()
                .collect();
            match missing.is_empty() {
                true => {
                    let slice = self.slice(next, flat)?;
                    self.slices.insert(next, slice);
                }
                false => stack.extend(missing),
            }
        }
        Ok(self.slices[&function])
    }

    /// Returns the slice of a function whose callees have theirs.
    fn slice(
        &mut self,
        function: Op<'a>,
        flat: &mut SymbolTable<'a>,
    ) -> Result<Op<'a>, Diagnostic<'a>> {
        let ops: Vec<_> = function.walk().skip(1).collect();
        if !ops.iter().any(|op| self.has_effect(*op, flat)) {
            return Ok(function);
        }
        let name = function.symbol_name().expect("a function has a name");
        let slice = copy(
            function,
            &format!("{}.again", name.trim_end_matches(".segment")),
        );
        flat.insert(slice);
        let ops: Vec<_> = slice.walk_post().filter(|op| *op != slice).collect();
        let mut rest = Vec::new();
        // Uses come before definitions.
        for op in ops.into_iter().rev() {
            if op.is_terminator() || op.num_regions() > 0 && !op.regions().all(|it| it.is_empty()) {
                continue;
            }
            let has_effect = self.has_effect(op, flat);
            if op.is_unused() && (has_effect || op.would_be_trivially_dead()) {
                op.erase();
            } else if has_effect {
                rest.push(op);
            }
        }
        for op in rest.into_iter().rev() {
            let callee = func::Call::cast(op).and_then(|call| flat.get(call.callee()));
            match callee.and_then(|callee| self.slices.get(&callee)) {
                Some(slice) => {
                    let name = slice.symbol_name().expect("a function has a name");
                    op.set_symbol(func::Call::CALLEE_ATTR, name);
                }
                None => {
                    let error = needed_effect(op);
                    flat.erase(slice);
                    return Err(error);
                }
            }
        }
        Ok(slice)
    }

    /// Returns whether a second run of an operation, without what is inside, is visible or may give
    /// another result.
    fn has_effect(&mut self, op: Op<'a>, flat: &SymbolTable<'a>) -> bool {
        if let Some(call) = func::Call::cast(op) {
            let callee = flat.get(call.callee());
            let callee = callee.expect("the callee is in the module");
            return match callee.is_declaration() {
                true => !self.is_harmless(callee),
                false => self.slices.get(&callee) != Some(&callee),
            };
        }
        if op.num_regions() > 0 || op.is_terminator() {
            return false;
        }
        is_effectful(op)
    }

    /// Returns whether a function without a flat body may run again: it is declared pure, or what
    /// the program has of that name, with the functions of its rule, only changes own variables.
    fn is_harmless(&mut self, declaration: Op<'a>) -> bool {
        let name = declaration.symbol_name().unwrap_or_default();
        let Some(root) = self.program.get(name) else {
            return false;
        };
        if let Some(known) = self.harmless.get(&root) {
            return *known;
        }
        let mut seen = vec![root];
        let mut next = 0;
        let mut is_harmless = true;
        while let Some(&function) = seen.get(next) {
            next += 1;
            let rule = rule(function);
            let named = rule.iter().flat_map(|it| [it.forward, it.backward, it.jvp]);
            let mut found: Vec<_> = named.flatten().collect();
            if function.is_declaration() {
                is_harmless &= function.attribute(PURE).is_some();
            }
            for op in function.walk().skip(1) {
                for_each_symbol(op, |name| found.push(name));
                is_harmless &= only_changes_variables(op);
            }
            for callee in found.into_iter().filter_map(|name| self.program.get(name)) {
                if callee.isa::<func::Func>() && !seen.contains(&callee) {
                    seen.push(callee);
                }
            }
        }
        self.harmless.insert(root, is_harmless);
        is_harmless
    }
}

/// Returns the functions that a flat function calls.
fn callees<'a>(function: Op<'a>, flat: &SymbolTable<'a>) -> Vec<Op<'a>> {
    let calls = function.walk().filter_map(func::Call::cast);
    calls.filter_map(|call| flat.get(call.callee())).collect()
}

/// Returns whether an operation, without what it calls or contains, changes nothing but variables.
fn only_changes_variables(op: Op<'_>) -> bool {
    let is_of_variable = op.isa::<host::Var>()
        || op.isa::<host::Load>()
        || op.isa::<host::Store>()
        || op.isa::<host::FieldRef>();
    if is_of_variable || op.isa::<host::Assert>() || op.isa::<func::Call>() {
        return true;
    }
    op.num_regions() > 0 || op.is_terminator() || !is_effectful(op)
}

/// Returns whether an operation reads or changes memory. An element of an array that could be read
/// once can be read again.
fn is_effectful(op: Op<'_>) -> bool {
    let effects = op.effects();
    // Operations of arrays may abort, which the first run would have done.
    let of_array =
        op.isa::<host::ArrayGet>() || op.isa::<host::ArraySet>() || op.isa::<host::ArrayFill>();
    (effects.read || effects.write || effects.unknown) && !of_array
}

/// Returns the error for an operation whose effect is needed again.
fn needed_effect(op: Op<'_>) -> Diagnostic<'_> {
    let what = match func::Call::cast(op) {
        Some(call) => format!("'@{}', which is not declared pure", call.callee()),
        None => format!("'{}', which has an effect", rules::name(op)),
    };
    let message = format!(
        "cannot keep checkpoints of this loop: the iterations that run again need a result of {what}"
    );
    diag::error(op.location(), message).note(
        op.location(),
        "keep all iterations (tfx_ad.checkpoint = #tfx_ad.checkpoint<none>), move the operation out \
         of the loop, or declare the foreign function with tfx.pure if it has no effects",
    )
}
