//! Decides which effects of a loop are delayed, and where they move.
//!
//! A loop is changed only if all of this holds:
//!
//! * Each effect in it is a print, a call of a foreign function that names its state, a call of one
//!   that is pure, or an operation on a queue of such calls (`tfx_host.prefetch`), whose state is
//!   all that the functions of queues use. An abort, an assert, a division that may fail and any
//!   other effect keep their order with all others, so nothing is delayed past one.
//! * All effects on the delayed states are in one block of the loop, by themselves or in branches
//!   (`scf.if`) that contain only such effects and plain scalar code. Their results are unused.
//! * At least one of them uses a value that the graph computed in the same iteration, and the loop
//!   can carry the values that they use. A delayed effect uses values of the previous iteration, so
//!   it is not delayed again.
//! * At least one remaining effect or pure call has a result that the graph needs, so that it can
//!   run ahead. No remaining effect uses a value that the graph computed in the loop, and neither
//!   does the condition of the loop: the host would wait for the value anyway.
//!
//! States that one operation uses are delayed together.

use std::cmp::Ordering;
use tfx_dialects::{comm, host, tensor};
use tfx_ir::ops::{Structured, func, scf};

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::foreign::{PURE, STANDARD_OUTPUT, STATE};
use tfx_dialects::replicable::{is_eager, replicable, transferable};
use tfx_ir::symbols::{SymbolTable, is_graph_function};
use tfx_ir::{Block, Op, Region, Trait, Value};

use crate::shared_functions;

/// A state, by its number.
type State = usize;

/// The states of the foreign functions of a module, and the functions without effects on the host.
#[derive(Default)]
pub(super) struct States<'a> {
    by_function: FxHashMap<&'a str, State>,
    pure: FxHashSet<&'a str>,
    graph_functions: FxHashSet<&'a str>,
    /// The scalar functions that cannot fail.
    shared: FxHashSet<&'a str>,
    standard_output: State,
    /// The states of queues and of the functions of their threads, as one state, if all of them are
    /// known.
    queues: Option<State>,
    has_queues: bool,
}

impl<'a> States<'a> {
    pub(super) fn of(symbols: &SymbolTable<'a>) -> Self {
        let mut states = States::default();
        let mut numbers = FxHashMap::default();
        numbers.insert(STANDARD_OUTPUT, states.standard_output);
        let functions: Vec<Op<'a>> = symbols.ops().filter(|op| op.isa::<func::Func>()).collect();
        // Callers of an excluded function are not found either.
        let bodies = functions.iter().copied();
        let bodies = bodies.filter(|op| !op.is_declaration() && !op.walk().any(Op::may_trap));
        let shared = shared_functions::find(&bodies.collect::<Vec<_>>());
        let names = shared.iter().filter_map(|it| it.func.symbol_name());
        states.shared.extend(names);
        for &function in &functions {
            let Some(name) = function.symbol_name() else {
                continue;
            };
            if is_graph_function(function) {
                states.graph_functions.insert(name);
            } else if !function.is_declaration() {
                continue;
            } else if function.attribute(PURE).is_some() {
                states.pure.insert(name);
            } else if let Some(state) = function.string(STATE) {
                let next = numbers.len();
                let number = *numbers.entry(state).or_insert(next);
                states.by_function.insert(name, number);
            }
        }
        states.add_queues(symbols, numbers.len());
        states
    }

    /// Merges all states that the functions of queues use into one: opening or closing a queue
    /// keeps its order with the calls of other functions on these states, as the calls of its
    /// thread do.
    fn add_queues(&mut self, symbols: &SymbolTable<'a>, number: State) {
        let queued = |op: &Op<'a>| op.isa::<host::Prefetch>();
        let functions = symbols.ops().filter(|op| op.isa::<func::Func>());
        let opened = functions.flat_map(Op::walk).filter(queued);
        let mut todo: Vec<&'a str> = opened.filter_map(|op| op.symbol("callee")).collect();
        self.has_queues = !todo.is_empty();
        let mut is_known = true;
        let mut used: FxHashSet<State> = FxHashSet::default();
        let mut seen: FxHashSet<&'a str> = FxHashSet::default();
        while let Some(name) = todo.pop() {
            if !seen.insert(name) || self.pure.contains(name) {
                continue;
            }
            if let Some(&state) = self.by_function.get(name) {
                used.insert(state);
                continue;
            }
            let function = symbols.get(name);
            let function = function.filter(|function| !function.is_declaration());
            is_known &= function.is_some();
            for op in function.into_iter().flat_map(Op::walk).skip(1) {
                match op.name() {
                    func::Call::NAME | host::Prefetch::NAME => todo.extend(op.symbol("callee")),
                    host::Next::NAME | host::Close::NAME => {}
                    _ => match self.effect(op) {
                        Effect::On(state) => _ = used.insert(state),
                        Effect::Unknown => is_known = false,
                        Effect::Nothing | Effect::Pure => {}
                    },
                }
            }
        }
        if !self.has_queues || !is_known {
            return;
        }
        self.queues = Some(number);
        let own = self.by_function.values_mut();
        for state in own.chain([&mut self.standard_output]) {
            if used.contains(state) {
                *state = number;
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_function.is_empty() && self.pure.is_empty() && !self.has_queues
    }

    /// Returns whether the graph runs `op`.
    fn is_graph(&self, op: Op<'a>) -> bool {
        match op.name() {
            tensor::Op::NAME | tensor::Call::NAME => !is_eager(op),
            func::Call::NAME => {
                let callee = op.symbol("callee");
                callee.is_some_and(|callee| self.graph_functions.contains(callee))
            }
            _ => false,
        }
    }

    /// Returns the effect of `op` by itself.
    fn effect(&self, op: Op<'a>) -> Effect {
        match op.name() {
            // The graph does not follow the order of the host's effects.
            _ if self.is_graph(op) => Effect::Nothing,
            host::Print::NAME => Effect::On(self.standard_output),
            // The failure of a call on a thread is reported where its result is taken.
            host::Prefetch::NAME | host::Next::NAME | host::Close::NAME => {
                self.queues.map_or(Effect::Unknown, Effect::On)
            }
            func::Call::NAME => {
                let callee = op.symbol("callee").unwrap_or_default();
                match self.by_function.get(callee) {
                    Some(&state) => Effect::On(state),
                    None if self.pure.contains(callee) => Effect::Pure,
                    None if self.shared.contains(callee) => Effect::Nothing,
                    None => Effect::Unknown,
                }
            }
            _ if op.num_regions() > 0 && op.dialect() == "scf" || op.is_terminator() => {
                Effect::Nothing
            }
            _ if op.is_pure() => Effect::Nothing,
            _ => Effect::Unknown,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Nothing,
    /// The call of a pure foreign function.
    Pure,
    On(State),
    /// It keeps its order with all effects.
    Unknown,
}

/// The effects to delay.
pub(super) struct Plan<'a> {
    /// The loop.
    pub(super) around: Op<'a>,
    /// The block of the delayed operations.
    pub(super) block: Block<'a>,
    /// The delayed operations, in order.
    pub(super) delayed: Vec<Op<'a>>,
    /// The last remaining effect; the delayed operations of the previous iteration move after it.
    pub(super) behind: Option<Op<'a>>,
    /// The operations to rematerialize at the new place of a delayed operation, since that is
    /// cheaper than carrying their results; in order.
    pub(super) remade: Vec<Op<'a>>,
    /// The values that the loop has to carry.
    pub(super) carried: Vec<Value<'a>>,
}

/// An operation of a block of the loop that has effects or calls a pure foreign function, itself or
/// inside.
struct Item<'a> {
    op: Op<'a>,
    states: Vec<State>,
    /// It has the form of an operation that may be delayed.
    fits: bool,
    /// It uses a value that the graph computed in the same iteration.
    waits: bool,
    /// It uses a value that the graph computed in any iteration.
    depends: bool,
}

/// The values that the graph computes in a loop.
struct Computed<'a> {
    /// In the iteration that uses them.
    now: FxHashSet<Value<'a>>,
    /// In that iteration or an earlier one.
    ever: FxHashSet<Value<'a>>,
}

impl<'a> Plan<'a> {
    pub(super) fn of(around: Op<'a>, states: &States<'a>) -> Option<Self> {
        let has_graph = |op: Op<'a>| states.is_graph(op);
        let inside = || around.walk().skip(1);
        if inside().any(|op| states.effect(op) == Effect::Unknown) || !inside().any(has_graph) {
            return None;
        }
        let computed = Computed {
            now: dependents(around, has_graph, false),
            ever: dependents(around, has_graph, true),
        };
        if decides_by(around, &computed.ever) {
            return None;
        }
        let blocks: Vec<Block<'a>> = around
            .regions()
            .filter_map(|it| it.single_block())
            .collect();
        let items: Vec<Vec<Item<'a>>> = blocks
            .iter()
            .map(|block| items(*block, states, &computed))
            .collect();
        let selected = select(&items)?;
        let is_delayed = |item: &Item<'a>| item.states.iter().any(|state| selected.contains(state));
        let (index, block) = blocks.iter().enumerate().find_map(|(index, block)| {
            let here = items[index].iter().any(is_delayed);
            here.then_some((index, *block))
        })?;
        let stays = || items.iter().flatten().filter(|item| !is_delayed(item));
        if stays().any(|item| item.depends) || !feeds_graph(around, stays(), states) {
            return None;
        }
        let own = &items[index];
        let delayed: Vec<Op<'a>> = own
            .iter()
            .filter(|it| is_delayed(it))
            .map(|it| it.op)
            .collect();
        let behind = own.iter().rfind(|item| !is_delayed(item));
        let (remade, carried) = needs(&delayed, around, block);
        if !carried.iter().all(|value| transferable(value.ty())) {
            return None;
        }
        Some(Plan {
            around,
            block,
            delayed,
            behind: behind.map(|item| item.op),
            remade,
            carried,
        })
    }
}

/// Returns whether the graph uses a result of one of `items`, or the result decides whether the
/// graph computes something.
fn feeds_graph<'i, 'a: 'i>(
    around: Op<'a>,
    items: impl Iterator<Item = &'i Item<'a>>,
    states: &States<'a>,
) -> bool {
    let calls: FxHashSet<Op<'a>> = items
        .flat_map(|item| item.op.walk())
        .filter(|op| matches!(states.effect(*op), Effect::On(_) | Effect::Pure))
        .collect();
    let given = dependents(around, |op| calls.contains(&op), true);
    around.walk().skip(1).any(|op| {
        let relevant = match () {
            () if states.is_graph(op) => op.num_operands(),
            () => usize::from(decides(op)),
        };
        let mut operands = op.operands().take(relevant);
        operands.any(|operand| given.contains(&operand))
    })
}

/// Returns the values in a loop that depend on the results of operations in it, through data and
/// iteration arguments; in later iterations as well, or only in the same.
fn dependents<'a>(
    around: Op<'a>,
    is_source: impl Fn(Op<'a>) -> bool,
    later: bool,
) -> FxHashSet<Value<'a>> {
    let mut computed: FxHashSet<Value<'a>> = FxHashSet::default();
    let sources = around.walk().skip(1).filter(|op| is_source(*op));
    let mut todo: Vec<Value<'a>> = sources.flat_map(Op::results).collect();
    while let Some(value) = todo.pop() {
        if !computed.insert(value) {
            continue;
        }
        for used in value.uses() {
            let user = used.owner;
            if !user.is_within(around) || user == around {
                continue;
            }
            match user.name() {
                scf::Yield::NAME if !later && user.parent() == Some(around) => {}
                scf::Yield::NAME | scf::Condition::NAME => {
                    todo.extend(forwarded(user, used.operand))
                }
                _ => {
                    // The condition of a branch or loop, or the initial value of an iteration
                    // argument, reaches everything inside.
                    todo.extend(user.definitions());
                }
            }
        }
    }
    computed
}

/// Returns the destinations of a terminator's operand: results and arguments of the operation
/// around it. The condition of a loop decides all of its results.
fn forwarded<'a>(terminator: Op<'a>, operand: usize) -> Vec<Value<'a>> {
    let is_condition = terminator.isa::<scf::Condition>() && operand == 0;
    match (Structured::around(terminator), terminator.parent()) {
        (Some(structured), _) if is_condition => structured.op().results().collect(),
        (Some(structured), _) => structured.left_by(terminator, operand).to_vec(),
        (None, Some(owner)) => owner.results().nth(operand).into_iter().collect(),
        (None, None) => Vec::new(),
    }
}

/// Returns whether the graph computes the condition of an `scf.while`.
fn decides_by<'a>(around: Op<'a>, computed: &FxHashSet<Value<'a>>) -> bool {
    let is_computed = |end: scf::Condition<'a>| computed.contains(&end.condition());
    scf::While::cast(around).is_some_and(|around| around.end().is_none_or(is_computed))
}

fn items<'a>(block: Block<'a>, states: &States<'a>, computed: &Computed<'a>) -> Vec<Item<'a>> {
    let item = |op: Op<'a>| {
        let mut item = Item {
            op,
            states: Vec::new(),
            fits: op.results().all(|result| result.is_unused()),
            waits: false,
            depends: false,
        };
        let mut calls = false;
        for inside in op.walk() {
            let own = states.effect(inside);
            let is_effect = matches!(own, Effect::On(_) | Effect::Pure);
            calls |= is_effect;
            if let Effect::On(state) = own {
                item.states.push(state);
            }
            let relevant = match () {
                () if is_effect => inside.num_operands(),
                () => usize::from(decides(inside)),
            };
            for operand in inside.operands().take(relevant) {
                item.waits |= computed.now.contains(&operand);
                item.depends |= computed.ever.contains(&operand);
            }
            let is_plain = replicable(inside) && inside.num_regions() == 0;
            let is_form = matches!(
                inside.name(),
                scf::If::NAME | scf::Yield::NAME | comm::ToHost::NAME
            );
            item.fits &= is_effect || is_plain || is_form;
        }
        item.states.sort_unstable();
        item.states.dedup();
        calls.then_some(item)
    };
    block.ops().filter_map(item).collect()
}

/// Returns whether the first operand of `op` decides which operations inside run.
fn decides(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        scf::If::NAME | scf::IndexSwitch::NAME | scf::Condition::NAME
    )
}

/// Returns the states to delay: those of effects that wait, if all effects on them have the form
/// and are in one block.
fn select(items: &[Vec<Item<'_>>]) -> Option<FxHashSet<State>> {
    let all = || items.iter().flatten();
    let mut by_state: FxHashMap<State, Vec<&Item<'_>>> = FxHashMap::default();
    for item in all() {
        for &state in &item.states {
            by_state.entry(state).or_default().push(item);
        }
    }
    // States that wait, and those that share an operation with them.
    let waiting = all().filter(|item| item.waits);
    let mut todo: Vec<State> = waiting.flat_map(|item| item.states.clone()).collect();
    let mut selected: FxHashSet<State> = FxHashSet::default();
    while let Some(state) = todo.pop() {
        if selected.insert(state) {
            let sharing = by_state[&state].iter();
            todo.extend(sharing.flat_map(|item| item.states.iter().copied()));
        }
    }
    let touched = |list: &Vec<Item<'_>>| {
        let touches = |item: &&Item<'_>| item.states.iter().any(|state| selected.contains(state));
        let touched: Vec<bool> = list.iter().filter(touches).map(|item| item.fits).collect();
        touched
    };
    let touched: Vec<Vec<bool>> = items.iter().map(touched).collect();
    let in_one_block = touched.iter().filter(|list| !list.is_empty()).count() == 1;
    let fit = touched.iter().flatten().all(|fits| *fits);
    (in_one_block && fit).then_some(selected)
}

/// Returns the operations of an iteration to rematerialize, in order, and the values to carry, for
/// the delayed operations.
fn needs<'a>(
    delayed: &[Op<'a>],
    around: Op<'a>,
    block: Block<'a>,
) -> (Vec<Op<'a>>, Vec<Value<'a>>) {
    let is_delayed: FxHashSet<Op<'a>> = delayed.iter().copied().collect();
    let mut remade: Vec<Op<'a>> = Vec::new();
    let mut carried: Vec<Value<'a>> = Vec::new();
    let mut seen: FxHashSet<Value<'a>> = FxHashSet::default();
    let operands = delayed
        .iter()
        .flat_map(|op| op.walk().flat_map(Op::operands));
    let mut todo: Vec<Value<'a>> = operands.collect();
    todo.reverse();
    while let Some(value) = todo.pop() {
        let owner = value.region().and_then(Region::parent);
        let is_outside = owner.is_none_or(|owner| !owner.is_within(around));
        let made_by = value.defining_op().or(owner);
        let is_inside = || {
            let mut ancestors = made_by.into_iter().flat_map(Op::ancestors).chain(made_by);
            ancestors.any(|op| is_delayed.contains(&op))
        };
        if is_outside || is_inside() || !seen.insert(value) {
            continue;
        }
        let own = value.defining_op().filter(|op| op.block() == Some(block));
        match own.filter(|op| is_remade(*op)) {
            Some(op) => {
                remade.push(op);
                todo.extend(op.operands());
            }
            None => carried.push(value),
        }
    }
    remade.sort_by(|one, other| match () {
        () if one == other => Ordering::Equal,
        () if one.is_before(*other) => Ordering::Less,
        () => Ordering::Greater,
    });
    (remade, carried)
}

/// Returns whether an operation is a constant, a conversion to a scalar, or a marker, which belongs
/// to its use.
fn is_remade(op: Op<'_>) -> bool {
    op.has_trait(Trait::ConstantLike)
        || matches!(op.name(), comm::ToHost::NAME | tensor::ToScalar::NAME)
}
