//! The pure slice of a function: what runs again in the reverse pass.
//!
//! ```text
//!   func @f(%x)                       func @f.again(%x)
//!     %y = sin %x                       %y = sin %x
//!     print %y                          return %y
//!     return %y
//! ```
//!
//! Operations with effects are left out. A call of a function with effects becomes a call of the
//! slice of that function. If the rest needs the result of an effect, the first run keeps it on a
//! tape, and the slice takes it from there:
//!
//! ```text
//!   func @f(%i, %kept)                func @f.again(%i, %kept, %next)
//!     %y = call @read()                 %y = pop %next
//!     push %y to %kept                  push %y to %kept
//! ```
//!
//! The two tapes are the values before and after the iteration that runs: the slice moves them from
//! one to the other, and the driver moves them back. There is one pair for each type of values, in
//! references that `tfx-differentiate` leaves to deabstraction.
//!
//! A function that the loop calls has such parameters, too.
//!
//! Cost: linear in the functions.
//!
//! # Non-guarantees
//!
//! The results of a function with effects and a rule are not kept, nor those of other operations
//! that a derivative could go through, nor those of functions that call each other: an error.

use melior::ir::Type;
use melior::ir::r#type::FunctionType;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::derivatives::{rule, tape, tape_element};
use tfx_dialects::foreign::PURE;
use tfx_dialects::types::reference;
use tfx_dialects::{ad, host};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::func;
use tfx_ir::symbols::{SymbolTable, for_each_symbol};
use tfx_ir::{Builder, Op, Value};

use crate::activity::carries;
use crate::checkpoint::outline::{can_be_kept, copy};
use crate::derive::source_name;
use crate::rules;

/// The part of a function that runs again.
#[derive(Clone, Debug)]
pub(crate) struct Slice<'a> {
    /// The function without effects; the function itself if it has none.
    pub(crate) again: Op<'a>,
    /// The function, which keeps the results of effects that `again` takes.
    keeper: Op<'a>,
    /// The results of effects.
    pub(crate) kept: Kept<'a>,
    /// The only effects of the function are checks: it may run again as it is.
    is_repeatable: bool,
}

/// The results of effects that run once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept<'a> {
    /// Their types. The function that keeps them has a parameter for the tape of each type after
    /// its own ones; the slice has these, and then one for the values that are still to be taken.
    pub(crate) types: Vec<Type<'a>>,
    /// The foreign functions that return them.
    pub(crate) functions: FxHashSet<Op<'a>>,
}

impl<'a> Slice<'a> {
    /// Returns the slice of a function without effects.
    fn whole(function: Op<'a>) -> Self {
        Slice {
            again: function,
            keeper: function,
            kept: Kept::default(),
            is_repeatable: true,
        }
    }
}

impl<'a> Kept<'a> {
    fn add(&mut self, ty: Type<'a>) {
        if !self.types.contains(&ty) {
            self.types.push(ty);
        }
    }

    fn position(&self, ty: Type<'a>) -> usize {
        let position = self.types.iter().position(|it| *it == ty);
        position.expect("the type is added")
    }
}

/// The slices so far.
pub(crate) struct Again<'p, 'a> {
    program: &'p SymbolTable<'a>,
    /// Functions of the flat module with their slices.
    slices: FxHashMap<Op<'a>, Slice<'a>>,
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

    /// Returns the slice of a segment, which may be new. The segment keeps the results of effects
    /// that the slice needs.
    ///
    /// # Errors
    ///
    /// The slice needs the result of an effect that cannot be kept.
    pub(crate) fn of(
        &mut self,
        segment: Op<'a>,
        flat: &mut SymbolTable<'a>,
    ) -> Result<Slice<'a>, Diagnostic<'a>> {
        for component in self.components(segment, flat) {
            match component.as_slice() {
                [function] if !callees(*function, flat).contains(function) => {
                    let slice = self.slice(*function, *function == segment, flat)?;
                    self.slices.insert(*function, slice);
                }
                cycle => self.repeat(cycle, flat)?,
            }
        }
        Ok(self.slices[&segment].clone())
    }

    /// Returns the functions that have no slices yet and that a function reaches, in strongly
    /// connected components, callees first.
    fn components(&self, root: Op<'a>, flat: &SymbolTable<'a>) -> Vec<Vec<Op<'a>>> {
        let mut graph: DiGraph<Op<'a>, ()> = DiGraph::new();
        let mut nodes = FxHashMap::default();
        let mut todo = vec![graph.add_node(root)];
        nodes.insert(root, todo[0]);
        while let Some(node) = todo.pop() {
            for callee in callees(graph[node], flat) {
                if callee.is_declaration() || self.slices.contains_key(&callee) {
                    continue;
                }
                let target = *nodes.entry(callee).or_insert_with(|| {
                    let target = graph.add_node(callee);
                    todo.push(target);
                    target
                });
                graph.update_edge(node, target, ());
            }
        }
        let components = kosaraju_scc(&graph).into_iter();
        let functions = |nodes: Vec<_>| nodes.into_iter().map(|node| graph[node]).collect();
        components.map(functions).collect()
    }

    /// Lets functions that call each other run again as they are.
    ///
    /// # Errors
    ///
    /// One of them has an effect.
    fn repeat(&mut self, cycle: &[Op<'a>], flat: &SymbolTable<'a>) -> Result<(), Diagnostic<'a>> {
        for function in cycle {
            self.slices.insert(*function, Slice::whole(*function));
        }
        for function in cycle {
            let mut ops = function.walk().skip(1);
            if let Some(effect) = ops.find(|op| self.is_visible_again(*op, flat)) {
                cycle.iter().for_each(|member| {
                    self.slices.remove(member);
                });
                return Err(effect_of_cycle(effect, *function));
            }
        }
        Ok(())
    }

    /// Returns the slice of a function whose callees have theirs. Only a segment may change itself.
    fn slice(
        &mut self,
        function: Op<'a>,
        is_segment: bool,
        flat: &mut SymbolTable<'a>,
    ) -> Result<Slice<'a>, Diagnostic<'a>> {
        let ops: Vec<_> = function.walk().skip(1).collect();
        if !ops.iter().any(|op| self.has_effect(*op, flat)) {
            return Ok(Slice::whole(function));
        }
        let is_repeatable = !ops.iter().any(|op| self.is_visible_again(*op, flat));
        let name = function.symbol_name().expect("a function has a name");
        let name = name.trim_end_matches(".segment");
        let again = copy(function, &format!("{name}.again"));
        flat.insert(again);
        let sources: FxHashMap<_, _> = again.walk().zip(function.walk()).collect();
        let rest = self.drop_effects(again, flat);
        let mut kept = Kept::default();
        let mut effects = Vec::new();
        for op in rest {
            let callee = func::Call::cast(op).and_then(|call| flat.get(call.callee()));
            match callee.and_then(|callee| self.slices.get(&callee)) {
                Some(slice) => {
                    slice.kept.types.iter().for_each(|ty| kept.add(*ty));
                    kept.functions.extend(&slice.kept.functions);
                }
                None if self.is_keepable(op) => {
                    used(op).for_each(|(_, result)| kept.add(result.ty()));
                    kept.functions.extend(callee);
                }
                None => {
                    let error = needed_effect(op);
                    flat.erase(again);
                    return Err(error);
                }
            }
            effects.push((op, sources[&op]));
        }
        let keeper = match is_segment || kept.types.is_empty() {
            true => function,
            false => {
                let keeper = copy(function, &format!("{name}.kept"));
                flat.insert(keeper);
                let clones: FxHashMap<_, _> = function.walk().zip(keeper.walk()).collect();
                effects
                    .iter_mut()
                    .for_each(|(_, source)| *source = clones[source]);
                keeper
            }
        };
        let tapes = Tapes {
            of_keeper: add_tapes(keeper, &kept.types),
            before: add_tapes(again, &kept.types),
            after: add_tapes(again, &kept.types),
            kept: &kept,
        };
        for (op, source) in effects {
            let callee = func::Call::cast(op).and_then(|call| flat.get(call.callee()));
            match callee.and_then(|callee| self.slices.get(&callee)) {
                Some(slice) => tapes.pass(op, source, slice),
                None => tapes.keep(op, source),
            }
        }
        Ok(Slice {
            again,
            keeper,
            kept,
            is_repeatable,
        })
    }

    /// Erases the effects whose results nobody needs, and returns the others in program order.
    fn drop_effects(&mut self, again: Op<'a>, flat: &SymbolTable<'a>) -> Vec<Op<'a>> {
        let ops: Vec<_> = again.walk_post().filter(|op| *op != again).collect();
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
        rest.reverse();
        rest
    }

    /// Returns whether the results of an effect can be kept: no derivative goes through it, or the
    /// derivative of the loop reports that.
    fn is_keepable(&self, op: Op<'a>) -> bool {
        let are_kept = used(op).all(|(_, result)| can_be_kept(result.ty()));
        are_kept
            && match func::Call::cast(op) {
                Some(call) => {
                    let function = self.program.get(call.callee());
                    function.is_some_and(|it| it.is_declaration() && rule(it).is_none())
                }
                None => op.num_regions() == 0 && !op.operands().any(|it| carries(it.ty())),
            }
    }

    /// Returns whether a second run of an operation, without what is inside, is visible or may give
    /// another result.
    fn has_effect(&mut self, op: Op<'a>, flat: &SymbolTable<'a>) -> bool {
        if let Some(call) = func::Call::cast(op) {
            let callee = flat.get(call.callee());
            let callee = callee.expect("the callee is in the module");
            return match callee.is_declaration() {
                true => !self.is_harmless(callee),
                false => self
                    .slices
                    .get(&callee)
                    .is_none_or(|slice| slice.again != callee),
            };
        }
        if op.num_regions() > 0 || op.is_terminator() {
            return false;
        }
        is_effectful(op)
    }

    /// Returns whether a second run of an operation, without what is inside, is visible or may give
    /// another result after a first run, in which all checks have succeeded.
    fn is_visible_again(&mut self, op: Op<'a>, flat: &SymbolTable<'a>) -> bool {
        if op.isa::<host::Assert>() || op.isa::<host::Abort>() {
            return false;
        }
        let callee = func::Call::cast(op).and_then(|call| flat.get(call.callee()));
        let slice = callee.and_then(|callee| self.slices.get(&callee));
        !slice.is_some_and(|slice| slice.is_repeatable) && self.has_effect(op, flat)
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

/// The parameters for the tapes of results of effects.
struct Tapes<'k, 'a> {
    of_keeper: Vec<Value<'a>>,
    /// Of the slice: the values before the iteration that runs, and those from there on.
    before: Vec<Value<'a>>,
    after: Vec<Value<'a>>,
    kept: &'k Kept<'a>,
}

impl<'a> Tapes<'_, 'a> {
    /// Makes the keeper push the results of its operation `source`, and the slice take them instead
    /// of running `op`.
    fn keep(&self, op: Op<'a>, source: Op<'a>) {
        let mut builder = Builder::after(source);
        for (index, result) in used(op) {
            let position = self.kept.position(result.ty());
            push(&mut builder, source.result(index), self.of_keeper[position]);
        }
        let mut builder = Builder::before(op);
        for (_, result) in used(op) {
            let position = self.kept.position(result.ty());
            let value = pop(&mut builder, self.after[position]);
            push(&mut builder, value, self.before[position]);
            result.replace_all_uses_with(value);
        }
        op.erase();
    }

    /// Makes calls of a function call what keeps its effects, and its slice.
    fn pass(&self, op: Op<'a>, source: Op<'a>, slice: &Slice<'a>) {
        let of = |tapes: &[Value<'a>]| {
            let types = slice.kept.types.iter();
            types
                .map(|ty| tapes[self.kept.position(*ty)])
                .collect::<Vec<_>>()
        };
        call(
            op,
            slice.again,
            &[of(&self.before), of(&self.after)].concat(),
        );
        call(source, slice.keeper, &of(&self.of_keeper));
    }
}

/// Replaces a call by one of another function, with more arguments.
fn call<'a>(op: Op<'a>, callee: Op<'a>, more: &[Value<'a>]) {
    let arguments: Vec<_> = op.operands().chain(more.iter().copied()).collect();
    let name = callee.symbol_name().expect("a function has a name");
    let call = func::Call::build(
        &mut Builder::before(op),
        &op.result_types(),
        name,
        &arguments,
    );
    let results: Vec<_> = call.results().collect();
    op.replace_with(&results);
}

/// Returns the results of an operation that are used, with their positions.
fn used<'a>(op: Op<'a>) -> impl Iterator<Item = (usize, Value<'a>)> {
    op.results()
        .enumerate()
        .filter(|(_, result)| !result.is_unused())
}

/// Adds a parameter with a reference to a tape for each type of elements.
fn add_tapes<'a>(function: Op<'a>, types: &[Type<'a>]) -> Vec<Value<'a>> {
    let body = function.region(0).entry().expect("the function has a body");
    let add = |ty: &Type<'a>| body.add_argument(reference(tape(*ty)), function.location());
    let added: Vec<_> = types.iter().map(add).collect();
    let parameters: Vec<_> = body.arguments().map(|argument| argument.ty()).collect();
    let (_, results) = function.signature();
    let ty = FunctionType::new(function.context(), &parameters, &results);
    function.set_function_type(ty);
    added
}

/// Pushes a value to the tape in a variable.
pub(crate) fn push<'a>(builder: &mut Builder<'a>, value: Value<'a>, variable: Value<'a>) {
    let shorter = host::Load::build(builder, variable).op().result(0);
    let longer = ad::Push::build(builder, value, shorter).result();
    host::Store::build(builder, longer, variable);
}

/// Pops a value from the tape in a variable.
pub(crate) fn pop<'a>(builder: &mut Builder<'a>, variable: Value<'a>) -> Value<'a> {
    let tape = host::Load::build(builder, variable).op().result(0);
    let element = tape_element(tape.ty()).expect("it is a tape");
    let pop = ad::Pop::build(builder, tape.ty(), element, tape);
    host::Store::build(builder, pop.rest(), variable);
    pop.value()
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

/// Returns the error for an effect of a function that calls itself.
fn effect_of_cycle<'a>(effect: Op<'a>, function: Op<'a>) -> Diagnostic<'a> {
    let message = format!(
        "cannot keep checkpoints of a loop that calls '@{}': the function calls itself and has an \
         effect",
        source_name(function)
    );
    diag::error(function.location(), message)
        .note(effect.location(), "this is the effect")
        .note(
            function.location(),
            "keep all iterations (tfx_ad.checkpoint = #tfx_ad.checkpoint<none>), or move the effect \
             out of the function",
        )
}

/// Returns the error for an operation whose effect is needed again.
fn needed_effect(op: Op<'_>) -> Diagnostic<'_> {
    let what = match func::Call::cast(op) {
        Some(call) => format!(
            "'@{}', which has a rule and is not declared pure",
            call.callee()
        ),
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
