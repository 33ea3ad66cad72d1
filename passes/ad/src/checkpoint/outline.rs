//! Marked loops of flat functions as functions of their own.
//!
//! ```text
//!   scf.while (%x) : B; condition(%c) %y     func @f.loop.segment(%limit, %x, ..)
//!   do (%y) : A; yield %x'                     scf.while (%x, %j = 0)
//!                                                B; condition(%c and %j < %limit) %y, %x, %j, %c
//!                                              do A; yield %x', %j + 1
//!                                              return %y, %x, %c, %j
//! ```
//!
//! At the limit, B runs at the end of one segment and at the start of the next. If it is more than
//! a comparison, it is in a branch that the limit skips.
//!
//! Cost: a constant number of clones of each loop, for each level of nesting.

use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Location, Type, TypeLike};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::derivatives::Scheme;
use tfx_dialects::{ad, host};
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::arith::CmpIPredicate;
use tfx_ir::ops::{arith, func, scf};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use crate::arrays;
use crate::checkpoint::again::Again;
use crate::checkpoint::budget::{self, Budget};
use crate::checkpoint::{Bound, Checkpointed, Checkpoints, Count, Plan};
use crate::functions::add_function;
use crate::primal::is_constant;
use crate::tangent::is_float;
use crate::values;

/// The operations of a condition that is cheaper to compute twice than to branch around.
const CHEAP_CONDITION: usize = 4;

/// Replaces the marked loops of the flat functions in `module` by calls of new functions.
///
/// # Errors
///
/// A loop that the user has marked cannot have checkpoints. For a loop that the budget selects,
/// that is a remark.
pub(crate) fn outline<'a>(
    module: Op<'a>,
    program: &SymbolTable<'a>,
    (budget, remarks): (Budget, bool),
) -> Result<Checkpoints<'a>, Diagnostics<'a>> {
    let mut symbols = SymbolTable::new(module);
    let has_body = |op: &Op<'a>| op.isa::<func::Func>() && !op.is_declaration();
    let functions: Vec<_> = symbols.ops().filter(has_body).collect();
    let cycles = cycles(&functions, &symbols);
    let mut outliner = Outliner {
        again: Again::new(program),
        checkpoints: Checkpoints::default(),
        errors: Diagnostics::default(),
        symbols: &mut symbols,
        program,
    };
    for function in functions {
        let schemes = schemes(function);
        let loops: Vec<_> = function.walk_post().filter_map(scf::While::cast).collect();
        for loop_ in loops {
            let mark = schemes.get(&loop_.op()).copied();
            let scheme = mark.map(|(scheme, _)| scheme);
            let location = mark.map_or(loop_.op().location(), |(_, location)| location);
            let Some(plan) = budget.plan(loop_, scheme) else {
                continue;
            };
            let again = recursion(loop_, function, &cycles, outliner.symbols);
            let obstacle = match again {
                Some(call) => Some(of_recursion(location, call)),
                None => obstacle(loop_, location),
            };
            let is_explicit = scheme.is_some_and(|scheme| scheme != Scheme::Auto);
            let result = match obstacle {
                None => outliner.outline(function, loop_, plan),
                Some(error) => Err(error),
            };
            match result {
                Ok(carried) if remarks => remark(location, plan, carried).emit(),
                Ok(_) => {}
                Err(error) if is_explicit => outliner.errors.push(error),
                Err(error) if remarks => error.into_remark().emit(),
                Err(_) => {}
            }
        }
    }
    let Outliner {
        checkpoints,
        errors,
        ..
    } = outliner;
    errors.finish()?;
    Ok(checkpoints)
}

/// Returns the schemes of the marked loops of a function, with their locations, and
/// erases the marks.
fn schemes(function: Op<'_>) -> FxHashMap<Op<'_>, (Scheme, Location<'_>)> {
    let mut schemes = FxHashMap::default();
    let marks: Vec<_> = function.walk().filter_map(ad::Checkpointed::cast).collect();
    for mark in marks {
        let mut around = mark.op().ancestors();
        let loop_ = around.find(|op| op.isa::<scf::While>());
        if let (Some(loop_), Some(scheme)) = (loop_, Scheme::read(mark.scheme())) {
            schemes
                .entry(loop_)
                .or_insert((scheme, mark.op().location()));
        }
        mark.op().erase();
    }
    schemes
}

/// Returns the functions that reach themselves, each with the number of its cycle.
fn cycles<'a>(functions: &[Op<'a>], symbols: &SymbolTable<'a>) -> FxHashMap<Op<'a>, usize> {
    let mut graph: DiGraph<Op<'a>, ()> = DiGraph::new();
    let nodes: FxHashMap<_, _> = functions
        .iter()
        .map(|function| (*function, graph.add_node(*function)))
        .collect();
    for function in functions {
        for call in function.walk().filter_map(func::Call::cast) {
            let callee = symbols.get(call.callee());
            if let Some(callee) = callee.and_then(|callee| nodes.get(&callee)) {
                graph.update_edge(nodes[function], *callee, ());
            }
        }
    }
    let components = kosaraju_scc(&graph).into_iter();
    let cycles = components.filter(|it| it.len() > 1 || graph.contains_edge(it[0], it[0]));
    let members = cycles
        .enumerate()
        .flat_map(|(cycle, nodes)| nodes.into_iter().map(move |node| (node, cycle)));
    members.map(|(node, cycle)| (graph[node], cycle)).collect()
}

/// Returns a call in a loop through which the function of the loop calls itself.
fn recursion<'a>(
    loop_: scf::While<'a>,
    function: Op<'a>,
    cycles: &FxHashMap<Op<'a>, usize>,
    symbols: &SymbolTable<'a>,
) -> Option<Op<'a>> {
    let cycle = cycles.get(&function)?;
    let of_cycle = |call: &func::Call<'a>| {
        let callee = symbols.get(call.callee());
        callee.and_then(|callee| cycles.get(&callee)) == Some(cycle)
    };
    let mut calls = loop_.op().walk().filter_map(func::Call::cast);
    calls.find(of_cycle).map(func::Call::op)
}

/// Returns whether checkpoints may contain values of a type.
pub(crate) fn can_be_kept(ty: Type<'_>) -> bool {
    match arrays::element(ty) {
        Some(element) => can_be_kept(element),
        None => ty.is_tensor() || ty.is_integer() || ty.is_index() || is_float(ty),
    }
}

/// Returns why a loop cannot have checkpoints, as far as its types tell.
fn obstacle<'a>(loop_: scf::While<'a>, location: Location<'a>) -> Option<Diagnostic<'a>> {
    let mut carried = loop_.inits().iter();
    let value = carried.find(|value| !can_be_kept(value.ty()))?;
    let message = format!(
        "cannot keep checkpoints of this loop: it carries a value of type '{}'",
        value.ty()
    );
    let note = "a checkpoint consists of numbers, tensors and arrays of these; use tfx_ad.checkpoint = \
                #tfx_ad.checkpoint<none>, or pass the value from outside";
    Some(diag::error(location, message).note(value.location(), note))
}

/// Returns the remark about a loop with checkpoints of a size.
fn remark(location: Location<'_>, plan: Plan, bytes: u64) -> Diagnostic<'_> {
    let some = |number: i64, what: &str| match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    };
    let message = match plan {
        Plan::Periodic(period) => format!(
            "the derivative of this loop keeps a checkpoint of about {bytes} bytes for each {}, and \
             runs each iteration again once",
            some(period, "iteration")
        ),
        Plan::Binomial(slots) => format!(
            "the derivative of this loop keeps at most {} of about {bytes} bytes, and runs each \
             iteration again at most twice for up to {} iterations, three times for up to {}",
            some(slots, "checkpoint"),
            reach(slots, 2),
            reach(slots, 3),
        ),
    };
    diag::remark(location, message)
}

/// Returns how many iterations run at most `runs` times again with some checkpoints.
fn reach(slots: i64, runs: u64) -> u64 {
    let slots = slots.unsigned_abs();
    // The binomial coefficient of `slots + runs` and `runs`.
    let grow = |sum: u64, run| sum.saturating_mul(slots.saturating_add(run)) / run;
    (1..=runs).fold(1, grow)
}

fn of_recursion<'a>(location: Location<'a>, call: Op<'a>) -> Diagnostic<'a> {
    diag::error(
        location,
        "cannot keep checkpoints of this loop: its function calls itself in the loop",
    )
    .note(call.location(), "this is the call")
    .note(
        location,
        "move the call out of the loop, or remove the attribute tfx_ad.checkpoint",
    )
}

struct Outliner<'o, 'a> {
    symbols: &'o mut SymbolTable<'a>,
    program: &'o SymbolTable<'a>,
    again: Again<'o, 'a>,
    checkpoints: Checkpoints<'a>,
    errors: Diagnostics<'a>,
}

impl<'a> Outliner<'_, 'a> {
    /// Replaces a loop by a call. Returns the bytes of a checkpoint.
    fn outline(
        &mut self,
        function: Op<'a>,
        loop_: scf::While<'a>,
        plan: Plan,
    ) -> Result<u64, Diagnostic<'a>> {
        let captured = captured(loop_.op());
        let name = function.symbol_name().expect("a function has a name");
        let name = self.unused(&format!("{}.loop", name.trim_end_matches(".flat")));
        let code = Code {
            loop_,
            captured: &captured,
            target: function.block().expect("the function is in a module"),
        };
        let segment = code.segment(&format!("{name}.segment"));
        self.symbols.insert(segment);
        let again = match self.again.of(segment, self.symbols) {
            Ok(again) => again,
            Err(error) => {
                self.symbols.erase(segment);
                return Err(error);
            }
        };
        let whole = code.whole(&name);
        let name = self.symbols.insert(whole);
        let carried = loop_.inits().iter().count();
        let checkpointed = Checkpointed {
            plan,
            carried,
            count: count(loop_, &captured),
            segment,
            again: again.again,
            kept: again.kept,
        };
        self.checkpoints.insert(whole, checkpointed);
        let arguments: Vec<_> = loop_.inits().iter().chain(captured).collect();
        let mut builder = Builder::before(loop_.op());
        let types = loop_.op().result_types();
        let call = func::Call::build(&mut builder, &types, name, &arguments);
        let results: Vec<_> = call.results().collect();
        let bytes = budget::checkpoint(loop_);
        loop_.op().replace_with(&results);
        Ok(bytes)
    }

    /// Returns a name that neither the program nor the flat module has.
    fn unused(&self, name: &str) -> String {
        let mut name = name.to_owned();
        loop {
            let unique = self.symbols.unique_name(&self.program.unique_name(&name));
            if unique == name {
                return name;
            }
            name = unique;
        }
    }
}

/// Returns the values from outside that a loop uses, without constants, in the order of their uses.
fn captured(loop_: Op<'_>) -> Vec<Value<'_>> {
    let mut seen = FxHashSet::default();
    let operands = loop_.walk().skip(1).flat_map(|op| op.operands());
    let outside = operands.filter(|value| !value.is_defined_within(loop_) && !is_constant(*value));
    outside.filter(|value| seen.insert(*value)).collect()
}

/// Returns the number of iterations of a loop that counts up to a bound from outside, and ends
/// there only.
fn count<'a>(loop_: scf::While<'a>, captured: &[Value<'a>]) -> Option<Count> {
    let (end, yielded) = (loop_.end()?, loop_.after().terminator()?);
    let compare = arith::CmpI::cast(end.condition().defining_op()?)?;
    let (header, from) = compare.lhs().as_argument()?;
    let is_inclusive = match compare.predicate() {
        CmpIPredicate::Slt | CmpIPredicate::Ult => false,
        CmpIPredicate::Sle | CmpIPredicate::Ule => true,
        _ => return None,
    };
    if header != loop_.before().entry()? {
        return None;
    }
    let carried = loop_.inits().iter().count();
    let position = |value| captured.iter().position(|it| *it == value);
    let to = match compare.rhs().constant_int() {
        Some(number) => Bound::Constant(number),
        None => Bound::Parameter(carried + position(compare.rhs())?),
    };
    let next = arith::AddI::cast(yielded.operand(from).defining_op()?)?;
    let (body, slot) = next.lhs().as_argument()?;
    let is_counter = body == loop_.after().entry()? && end.args().get(slot) == Some(compare.lhs());
    let step = next.rhs().constant_int().filter(|step| *step > 0)?;
    is_counter.then_some(Count {
        from,
        to,
        step,
        is_inclusive,
    })
}

/// A loop to clone into functions.
struct Code<'c, 'a> {
    loop_: scf::While<'a>,
    captured: &'c [Value<'a>],
    target: Block<'a>,
}

impl<'a> Code<'_, 'a> {
    fn location(&self) -> Location<'a> {
        self.loop_.op().location()
    }

    /// Returns the body of a function with the carried values and the captured ones as parameters,
    /// after `first`; with a mapping of the captured values and constants.
    fn body(&self, first: &[Type<'a>]) -> (Block<'a>, Mapping<'a>) {
        let values = self
            .loop_
            .inits()
            .iter()
            .chain(self.captured.iter().copied());
        let types = first.iter().copied().chain(values.map(|value| value.ty()));
        let arguments: Vec<_> = types.map(|ty| (ty, self.location())).collect();
        let body = Block::new(&arguments);
        let mut mapping = Mapping::new();
        let parameters = body.arguments().skip(arguments.len() - self.captured.len());
        for (captured, parameter) in self.captured.iter().zip(parameters) {
            mapping.map(*captured, parameter);
        }
        let mut builder = Builder::at_end(body, self.location());
        let mut seen = FxHashSet::default();
        for value in self.loop_.op().walk().skip(1).flat_map(|op| op.operands()) {
            let constant = value.defining_op().filter(|_| is_constant(value));
            let constant = constant.filter(|op| !op.is_within(self.loop_.op()));
            if let Some(op) = constant.filter(|op| seen.insert(*op)) {
                builder.clone_op(op, &mut mapping);
            }
        }
        (body, mapping)
    }

    /// Adds the function of the whole loop.
    fn whole(&self, name: &str) -> Op<'a> {
        let (body, mut mapping) = self.body(&[]);
        let mut builder = Builder::at_end(body, self.location());
        let clone = builder.clone_op(self.loop_.op(), &mut mapping);
        // A value may be an initial value and captured, or an initial value twice.
        for position in 0..self.loop_.inits().iter().count() {
            clone.set_operand(position, body.argument(position));
        }
        let results: Vec<_> = clone.results().collect();
        add_function(self.target, name, body, &results, self.location())
    }

    /// Adds the function of a part of the loop.
    fn segment(&self, name: &str) -> Op<'a> {
        let location = self.location();
        let count_type = IntegerType::new(self.loop_.op().context(), i64::BITS).into();
        let bool_type: Type<'a> = IntegerType::new(self.loop_.op().context(), 1).into();
        let (body, mut mapping) = self.body(&[count_type]);
        let limit = body.argument(0);
        let num_carried = self.loop_.inits().iter().count();
        let mut builder = Builder::at_end(body, location);
        let (zero, one) = (
            values::count(&mut builder, 0),
            values::count(&mut builder, 1),
        );
        let carried: Vec<_> = body.arguments().skip(1).take(num_carried).collect();
        let mut inits = carried.clone();
        inits.push(zero);
        let of = |values: &[Value<'a>]| values.iter().map(|value| value.ty()).collect::<Vec<_>>();
        let results = self.loop_.op().result_types();
        let forwarded = [&results[..], &of(&carried), &[count_type, bool_type]].concat();
        let segment = scf::While::build(&mut builder, &forwarded, &inits);
        let places =
            |types: &[Type<'a>]| types.iter().map(|ty| (*ty, location)).collect::<Vec<_>>();

        let before = segment.before().add_block(&places(&of(&inits)));
        let now: Vec<_> = before.arguments().collect();
        let (counter, now) = now.split_last().expect("the counter is last");
        let mut inside = Builder::at_end(before, location);
        let is_left = arith::CmpI::build(&mut inside, CmpIPredicate::Slt, *counter, limit);
        let is_left = is_left.op().result(0);
        let (go, mut ends, more) = match self.is_condition_cheap() {
            true => {
                let (condition, ends) = self.clone_before(before, now, &mut mapping);
                let go = arith::AndI::build(&mut inside, condition, is_left);
                (go.op().result(0), ends, condition)
            }
            false => {
                let types = [&[bool_type], &results[..]].concat();
                let branch = scf::If::build(&mut inside, &types, is_left);
                let then = branch.op().region(0).add_block(&[]);
                let (condition, ends) = self.clone_before(then, now, &mut mapping);
                let ends = [&[condition], &ends[..]].concat();
                scf::Yield::build(&mut Builder::at_end(then, location), &ends);
                let skipped = branch.op().region(1).add_block(&[]);
                let mut skip = Builder::at_end(skipped, location);
                let mut ends = vec![skip.constant_int(0, bool_type)];
                for ty in &results {
                    ends.push(host::Undef::build(&mut skip, *ty).result());
                }
                scf::Yield::build(&mut skip, &ends);
                let mut results: Vec<_> = branch.op().results().collect();
                let condition = results.remove(0);
                let always = inside.constant_int(1, bool_type);
                let more = arith::XOrI::build(&mut inside, is_left, always);
                (condition, results, more.op().result(0))
            }
        };
        ends.extend(now);
        ends.extend([*counter, more]);
        scf::Condition::build(&mut inside, go, &ends);

        let after = segment.after().add_block(&places(&forwarded));
        let own = self.loop_.after().entry().expect("a loop has a body");
        for (argument, value) in own.arguments().zip(after.arguments()) {
            mapping.map(argument, value);
        }
        let mut inside = Builder::at_end(after, location);
        let end = own.terminator().expect("the body of a loop yields");
        own.ops().filter(|op| *op != end).for_each(|op| {
            inside.clone_op(op, &mut mapping);
        });
        let counter = after.argument(results.len() + num_carried);
        let next = arith::AddI::build(&mut inside, counter, one);
        let mut yielded: Vec<_> = end.operands().map(|it| mapping.get_or_same(it)).collect();
        yielded.push(next.op().result(0));
        scf::Yield::build(&mut inside, &yielded);

        let mut values: Vec<_> = segment.op().results().collect();
        let last = values.len() - 1;
        values.swap(last - 1, last);
        add_function(self.target, name, body, &values, location)
    }

    /// Clones the code before the condition to the end of a block. Returns the condition and the
    /// values that it forwards.
    fn clone_before(
        &self,
        block: Block<'a>,
        carried: &[Value<'a>],
        mapping: &mut Mapping<'a>,
    ) -> (Value<'a>, Vec<Value<'a>>) {
        let own = self.loop_.before().entry().expect("a loop has a header");
        for (argument, value) in own.arguments().zip(carried) {
            mapping.map(argument, *value);
        }
        let end = self.loop_.end().expect("a header ends with a condition");
        let mut builder = Builder::at_end(block, self.location());
        own.ops().filter(|op| *op != end.op()).for_each(|op| {
            builder.clone_op(op, mapping);
        });
        let ends = end.args().iter().map(|value| mapping.get_or_same(value));
        (mapping.get_or_same(end.condition()), ends.collect())
    }

    fn is_condition_cheap(&self) -> bool {
        let own = self.loop_.before().entry().expect("a loop has a header");
        let mut ops = own.ops().filter(|op| !op.is_terminator());
        let is_cheap = |op: Op<'a>| op.num_regions() == 0 && op.dialect() == "arith";
        own.ops().count() <= CHEAP_CONDITION && ops.all(is_cheap)
    }
}

/// Adds a private copy of a function with another name.
pub(crate) fn copy<'a>(function: Op<'a>, name: &str) -> Op<'a> {
    let mut builder = Builder::after(function);
    let (parameters, results) = function.signature();
    let ty = FunctionType::new(builder.context(), &parameters, &results);
    let copy = builder.func(name, ty, true);
    let arguments: Vec<_> = parameters
        .iter()
        .map(|ty| (*ty, function.location()))
        .collect();
    let body = copy.region(0).add_block(&arguments);
    let source = function.region(0).entry().expect("the function has a body");
    let mut mapping = Mapping::new();
    for (from, to) in source.arguments().zip(body.arguments()) {
        mapping.map(from, to);
    }
    let mut builder = Builder::at_end(body, function.location());
    source.ops().for_each(|op| {
        builder.clone_op(op, &mut mapping);
    });
    copy
}
