//! Makes the closures of requests known where they are differentiated.
//!
//! ```text
//!   func @descend(%f: closure, %x)                 func @descend.1(%k, %x)
//!     gradient %f(%x)                      ──►       %f = closure @loss(%k);  gradient %f(%x)
//!   call @descend(closure @loss(%k), %x)           call @descend.1(%k, %x)
//!
//!   gradient @map(closure @scale(%w), %a)  ──►     func @map.with(%w, %a) { call @map(closure @scale(%w), %a) }
//!                                                  gradient @map.with(%w, %a)
//! ```
//!
//! # Algorithm
//!
//! A parameter *needs* its closure if a request differentiates it, or if a function is called with
//! it whose parameter needs its closure. A function with such parameters is copied for each list of
//! functions that its calls pass, with the captures as parameters; a copy may know the closures of
//! further calls. A request that passes closures is replaced by one that passes their captures. The
//! tangent of a closure is thus the tuple of the tangents of its captures.
//!
//! Source: closure specialization of Swift; defunctionalization (Reynolds, "Definitional
//! interpreters for higher-order programming languages", 1972), for closures that are known.
//!
//! Cost: linear in the program and its copies, of which there are at most [`MOST_COPIES`].
//!
//! # Non-guarantees
//!
//! A closure that a branch selects, that a variable, a struct or an array holds or that a function
//! returns is not made where it is used: `defunctionalize.rs` makes it an enum.

use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute};
use melior::ir::r#type::{FunctionType, TupleType};
use melior::ir::{Attribute, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::ad;
use tfx_dialects::host;
use tfx_dialects::types::{HostType, closure, host_type, is_escaping};
use tfx_ir::cast::Cast;
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::func;
use tfx_ir::symbols::{SymbolTable, for_each_symbol};
use tfx_ir::{Block, Builder, Mapping, Op, Value, signature_of};

use crate::defunctionalize;
use crate::demand::{Demand, Kind, Request};
use crate::functions::{add_function, block_of, functions};
use crate::places::Sizes;
use crate::tangent::tangent;

/// The most copies of functions for closures. A recursion that wraps its own closure needs a copy
/// for each depth, without end.
pub(crate) const MOST_COPIES: usize = 1000;

/// The names of the functions that functions are copies of, by the names of the copies.
pub(crate) type Origins = FxHashMap<String, String>;

/// Adds a copy of a function.
pub(crate) fn add_origin(copy: &str, function: &str, origins: &mut Origins) {
    let origin = origins.get(function);
    let origin = origin.map_or(function, String::as_str).to_owned();
    origins.insert(copy.to_owned(), origin);
}

/// Makes closures known for all requests of a program. Those that are not become enums.
///
/// # Errors
///
/// The function of a closure cannot be known, or the type of the tangent of a closure is not that
/// of its captures.
pub(crate) fn specialize<'a>(
    program: &mut SymbolTable<'a>,
    origins: &mut Origins,
) -> Result<(), Diagnostics<'a>> {
    loop {
        make_known(program, origins)?;
        if !defunctionalize::of_requests(program, origins)? {
            return Ok(());
        }
    }
}

/// Makes closures known where the operation that makes them is.
fn make_known<'a>(
    program: &mut SymbolTable<'a>,
    origins: &mut Origins,
) -> Result<(), Diagnostics<'a>> {
    let mut errors = Diagnostics::default();
    let mut copies = Copies {
        needs: Needs::default(),
        made: FxHashMap::default(),
        origins,
    };
    let mut todo: Vec<_> = functions(program).collect();
    while !todo.is_empty() {
        for function in std::mem::take(&mut todo) {
            for request in requests(function) {
                match pass_captures(request, program) {
                    // The captures may be closures, too.
                    Ok(Some(adapter)) => todo.extend([function, adapter]),
                    Ok(None) => {}
                    Err(error) => errors.push(error),
                }
            }
        }
        copies.needs = needs(program);
        if !copies.needs.is_empty() {
            for caller in functions(program).collect::<Vec<_>>() {
                todo.extend(copies.of_calls(caller, program));
            }
        }
    }
    erase_originals(&copies, program);
    errors.finish()
}

/// Returns the requests of a function.
pub(crate) fn requests<'a>(function: Op<'a>) -> Vec<Op<'a>> {
    let is_request = |op: &Op<'a>| Request::read(*op).is_some();
    function.walk().filter(is_request).collect()
}

fn is_closure(ty: Type<'_>) -> bool {
    matches!(host_type(ty), Some(HostType::Closure(_)))
}

/// Returns the operation that makes a closure, if there is one.
pub(crate) fn maker(mut value: Value<'_>) -> Option<host::Closure<'_>> {
    loop {
        let op = value.defining_op()?;
        if let Some(get) = host::TupleGet::cast(op) {
            let made = host::MakeTuple::cast(get.tuple().defining_op()?)?;
            value = made.elements().at(get.index() as usize);
            continue;
        }
        return host::Closure::cast(op);
    }
}

// --------------------------------------------------------------------------- Copies of functions

/// The functions that need the closure of a parameter, with the positions of these.
type Needs<'a> = FxHashMap<Op<'a>, Vec<usize>>;

/// Returns the parameters whose closures requests need.
fn needs<'a>(program: &SymbolTable<'a>) -> Needs<'a> {
    let mut todo = Vec::new();
    let mut calls: FxHashMap<Op<'a>, Vec<Op<'a>>> = FxHashMap::default();
    for function in functions(program) {
        for request in requests(function) {
            let unknown = request
                .operands()
                .flat_map(|value| unknown_closures(value, program));
            let closures = unknown.filter(|value| is_closure(value.ty()));
            todo.extend(closures.filter_map(|value| parameter(value, function)));
        }
        for op in function.walk() {
            if let Some(callee) = callee(op, program) {
                calls.entry(callee).or_default().push(op);
            }
        }
    }
    let mut needs = Needs::default();
    while let Some((function, position)) = todo.pop() {
        let positions = needs.entry(function).or_default();
        if positions.contains(&position) {
            continue;
        }
        positions.push(position);
        positions.sort_unstable();
        for call in calls.get(&function).into_iter().flatten() {
            if position < call.num_operands() {
                let caller = call.ancestor(func::Func::NAME);
                let caller = caller.expect("a call is in a function");
                todo.extend(parameter(call.operand(position), caller));
            }
        }
    }
    needs
}

/// Returns the function and the position of a parameter.
fn parameter<'a>(value: Value<'a>, function: Op<'a>) -> Option<(Op<'a>, usize)> {
    let (block, position) = value.as_argument()?;
    let is_entry = function.region(0).entry() == Some(block);
    is_entry.then_some((function, position))
}

/// Returns the function that an operation calls or makes a closure of.
fn callee<'a>(op: Op<'a>, program: &SymbolTable<'a>) -> Option<Op<'a>> {
    let name = match func::Call::cast(op) {
        Some(call) => call.callee(),
        None => host::Closure::cast(op)?.callee(),
    };
    program.get(name)
}

/// A function, and for each parameter that needs its closure the function of the closure, its type,
/// and the types of its captures.
type Key<'a> = (Op<'a>, Vec<(String, Type<'a>, Vec<Type<'a>>)>);

struct Copies<'o, 'a> {
    needs: Needs<'a>,
    made: FxHashMap<Key<'a>, String>,
    origins: &'o mut Origins,
}

impl<'a> Copies<'_, 'a> {
    /// Makes each call of a function that needs closures a call of its copy, if all closures are
    /// known. Returns the new copies.
    fn of_calls(&mut self, caller: Op<'a>, program: &mut SymbolTable<'a>) -> Vec<Op<'a>> {
        let mut new = Vec::new();
        for op in caller.walk().collect::<Vec<_>>() {
            let needed = callee(op, program).and_then(|it| Some((it, self.needs.get(&it)?)));
            let Some((function, positions)) = needed else {
                continue;
            };
            let known = |&position: &usize| {
                let is_given = position < op.num_operands();
                is_given.then(|| maker(op.operand(position))).flatten()
            };
            let makers: Option<Vec<_>> = positions.iter().map(known).collect();
            let Some(makers) = makers else { continue };
            let positions = positions.clone();
            let described = makers.iter().map(|maker| {
                let captures = maker.captures().iter().map(|value| value.ty());
                let name = maker.callee().to_owned();
                (name, maker.closure().ty(), captures.collect())
            });
            let key: Key<'a> = (function, described.collect());
            let name = match self.made.get(&key) {
                Some(name) => name.clone(),
                None if self.made.len() == MOST_COPIES => continue,
                None => {
                    let copy = copy(&key, &positions, program);
                    new.push(copy);
                    let name = copy.symbol_name().unwrap_or_default().to_owned();
                    let original = function.symbol_name().unwrap_or_default();
                    add_origin(&name, original, self.origins);
                    self.made.insert(key, name.clone());
                    name
                }
            };
            let mut operands = Vec::new();
            for (position, operand) in op.operands().enumerate() {
                match positions.iter().position(|it| *it == position) {
                    Some(index) => operands.extend(makers[index].captures().iter()),
                    None => operands.push(operand),
                }
            }
            op.set_operands(&operands);
            op.set_symbol(CALLEE, &name);
        }
        new
    }
}

/// The attribute of calls and closures with the name of the function.
pub(crate) const CALLEE: &str = func::Call::CALLEE_ATTR;
/// The attribute of a function with the attributes of its parameters.
const ARGUMENT_ATTRIBUTES: &str = "arg_attrs";

/// Adds a copy of a function that has the captures of closures as parameters, and makes these.
fn copy<'a>(
    (function, closures): &Key<'a>,
    positions: &[usize],
    program: &mut SymbolTable<'a>,
) -> Op<'a> {
    let mut builder = Builder::at_end(block_of(program), function.location());
    let copy = builder.clone_op(*function, &mut Mapping::new());
    let entry = copy.region(0).entry().expect("the function has a body");
    let (parameters, results) = function.signature();
    let attributes = copy
        .attribute(ARGUMENT_ATTRIBUTES)
        .and_then(ArrayAttribute::cast);
    let none: Attribute<'a> = DictionaryAttribute::new(copy.context(), &[]).into();
    let mut of_parameters = Vec::new();
    let mut makers = Builder::at_start(entry, function.location());
    for (position, ty) in parameters.iter().enumerate() {
        let old = entry.argument(position);
        let new = match positions.iter().position(|it| *it == position) {
            Some(index) => {
                let (name, ty, captures) = &closures[index];
                let captures = captures.iter().map(|ty| {
                    of_parameters.push(none);
                    entry.add_argument(*ty, old.location())
                });
                let captures: Vec<_> = captures.collect();
                host::Closure::build(&mut makers, *ty, name, &captures).closure()
            }
            None => {
                let own = attributes.and_then(|all| all.element(position).ok());
                of_parameters.push(own.unwrap_or(none));
                entry.add_argument(*ty, old.location())
            }
        };
        old.replace_all_uses_with(new);
    }
    (0..parameters.len()).for_each(|_| entry.erase_argument(0));
    let types: Vec<_> = entry.arguments().map(|argument| argument.ty()).collect();
    copy.set_function_type(FunctionType::new(copy.context(), &types, &results));
    if attributes.is_some() {
        let attributes = ArrayAttribute::new(copy.context(), &of_parameters);
        copy.set_attribute(ARGUMENT_ATTRIBUTES, attributes);
    }
    let name = function.symbol_name().unwrap_or_default();
    copy.set_string("sym_name", &program.unique_name(name));
    program.insert(copy);
    copy
}

/// Erases the private functions that only other such functions refer to, now that there are copies.
fn erase_originals<'a>(copies: &Copies<'_, 'a>, program: &mut SymbolTable<'a>) {
    let originals: FxHashSet<_> = copies.made.keys().map(|(function, _)| *function).collect();
    let originals: FxHashSet<_> = originals.into_iter().filter(|op| op.is_private()).collect();
    let mut todo: Vec<_> = program.ops().filter(|op| !originals.contains(op)).collect();
    let mut needed = FxHashSet::default();
    while let Some(op) = todo.pop() {
        for inner in op.walk() {
            for_each_symbol(inner, |name| {
                let target = program.get(name).filter(|it| originals.contains(it));
                todo.extend(target.filter(|it| needed.insert(*it)));
            });
        }
    }
    let unneeded = program
        .ops()
        .filter(|op| originals.contains(op) && !needed.contains(op));
    for function in unneeded.collect::<Vec<_>>() {
        program.erase(function);
    }
}

// ------------------------------------------------------------------- Closures that requests pass

/// Replaces a request that passes known closures by one that passes their captures. Returns the
/// function that it differentiates instead, if any.
fn pass_captures<'a>(
    request: Op<'a>,
    program: &mut SymbolTable<'a>,
) -> Result<Option<Op<'a>>, Diagnostic<'a>> {
    let Some(demand) = Demand::read(request, program) else {
        return Ok(None);
    };
    let known = demand
        .arguments
        .iter()
        .map(|value| match is_closure(value.ty()) {
            true => maker(*value),
            false => None,
        });
    let known: Vec<_> = known.collect();
    let is_unknown = |value: &Value<'a>| !unknown_closures(*value, program).is_empty();
    if known.iter().all(Option::is_none) || demand.arguments.iter().any(is_unknown) {
        return Ok(None);
    }
    let mut arguments = Vec::new();
    let mut wrt = Vec::new();
    // For each parameter in `wrt`: the tangents of its captures, if it is a closure.
    let mut groups = Vec::new();
    for (position, (value, maker)) in demand.arguments.iter().zip(&known).enumerate() {
        let first = arguments.len();
        match maker {
            Some(maker) => arguments.extend(maker.captures().iter()),
            None => arguments.push(*value),
        }
        if !demand.wrt.contains(&position) {
            continue;
        }
        let Some(_) = maker else {
            wrt.push(first as i64);
            groups.push(None);
            continue;
        };
        let mut types = Vec::new();
        for (index, capture) in arguments.iter().enumerate().skip(first) {
            if let Some(ty) = tangent_of(*capture, program) {
                wrt.push(index as i64);
                types.push(ty);
            }
        }
        groups.push(Some(types));
    }
    if wrt.is_empty() {
        return Ok(None); // `answer.rs` reports it.
    }
    check_groups(&demand, &groups)?;
    let adapter = adapter(&demand, &known, &arguments, program);
    let name = adapter.symbol_name().unwrap_or_default().to_owned();
    rewrite(&demand, &name, &arguments, (&wrt, &groups), program);
    Ok(Some(adapter))
}

/// Returns the type of the tangent of a value. That of a known closure is the tuple of those of its
/// captures. Recursive: the type nests as deeply.
pub(crate) fn tangent_of<'a>(value: Value<'a>, program: &SymbolTable<'a>) -> Option<Type<'a>> {
    let context = program.owner().context();
    let Some(maker) = maker(value).filter(|_| is_closure(value.ty())) else {
        return tangent(context, value.ty(), program);
    };
    let captures = maker.captures().iter();
    let types = captures.filter_map(|capture| tangent_of(capture, program));
    let types: Vec<_> = types.collect();
    (!types.is_empty()).then(|| TupleType::new(context, &types).into())
}

/// Returns the values with closures or existentials that are not known and that a value is or, as a
/// known closure, captures.
pub(crate) fn unknown_closures<'a>(value: Value<'a>, program: &SymbolTable<'a>) -> Vec<Value<'a>> {
    let mut sizes = Sizes::default();
    let mut unknown = Vec::new();
    let mut todo = vec![value];
    let mut seen = FxHashSet::default();
    while let Some(value) = todo.pop() {
        if !seen.insert(value) || sizes.of(value.ty(), program) == 0 {
            continue;
        }
        match maker(value) {
            Some(maker) => todo.extend(maker.captures().iter()),
            None => unknown.push(value),
        }
    }
    unknown
}

/// The tangents of parameters: for a closure, the types of the tangents of its captures.
type Group<'a> = Option<Vec<Type<'a>>>;

/// Checks the types of the tangents of closures.
fn check_groups<'a>(demand: &Demand<'a>, groups: &[Group<'a>]) -> Result<(), Diagnostic<'a>> {
    let types = demand.op.result_types();
    let given: Vec<Type<'a>> = match demand.kind {
        Kind::Gradient { value } => types.into_iter().skip(usize::from(value)).collect(),
        Kind::Jvp => demand.tangents.iter().map(|tangent| tangent.ty()).collect(),
        Kind::Vjp => {
            let signature = types.last().and_then(|ty| signature_of_closure(*ty));
            signature.map(|(_, tangents)| tangents).unwrap_or_default()
        }
    };
    let location = demand.op.location();
    if given.len() != groups.len() {
        let message = format!(
            "expected {} tangents of this derivative, got {}",
            groups.len(),
            given.len()
        );
        return Err(diag::error(location, message));
    }
    for (given, group) in given.iter().zip(groups) {
        let Some(group) = group else { continue };
        let expected: Type<'a> = TupleType::new(demand.op.context(), group).into();
        if *given != expected {
            let message = format!(
                "expected the type '{expected}' as the tangent of a closure, got '{given}'"
            );
            let note = "the tangent of a closure is the tuple of the tangents of its captures";
            return Err(diag::error(location, message).note(location, note));
        }
    }
    Ok(())
}

/// Returns the parameters and results of a closure type; none for any other type.
pub(crate) fn signature_of_closure(ty: Type<'_>) -> Option<(Vec<Type<'_>>, Vec<Type<'_>>)> {
    let Some(HostType::Closure(signature)) = host_type(ty) else {
        return None;
    };
    Some(signature_of(FunctionType::try_from(signature).ok()?))
}

/// Adds a function of the captures that makes the closures and calls the differentiated function.
fn adapter<'a>(
    demand: &Demand<'a>,
    known: &[Option<host::Closure<'a>>],
    arguments: &[Value<'a>],
    program: &mut SymbolTable<'a>,
) -> Op<'a> {
    let location = demand.callee.location();
    let parameters: Vec<_> = arguments
        .iter()
        .map(|value| (value.ty(), location))
        .collect();
    let body = Block::new(&parameters);
    let mut builder = Builder::at_end(body, location);
    let mut given = body.arguments();
    let mut passed = Vec::new();
    for maker in known {
        passed.push(match maker {
            Some(maker) => {
                let captures: Vec<_> = given.by_ref().take(maker.captures().len()).collect();
                let ty = maker.closure().ty();
                host::Closure::build(&mut builder, ty, maker.callee(), &captures).closure()
            }
            None => given.next().expect("an argument for each parameter"),
        });
    }
    let callee = demand.callee.symbol_name().unwrap_or_default();
    let (_, results) = demand.callee.signature();
    let call = func::Call::build(&mut builder, &results, callee, &passed);
    let results: Vec<_> = call.results().collect();
    let name = program.unique_name(&format!("{callee}.with"));
    let function = add_function(block_of(program), &name, body, &results, location);
    program.insert(function);
    function
}

/// Replaces a request by one for the adapter. The tangent of a closure is a tuple.
fn rewrite<'a>(
    demand: &Demand<'a>,
    name: &str,
    arguments: &[Value<'a>],
    (wrt, groups): (&[i64], &[Group<'a>]),
    program: &mut SymbolTable<'a>,
) {
    let request = demand.op;
    let mut builder = Builder::before(request);
    let types = request.result_types();
    let context = request.context();
    match demand.kind {
        Kind::Gradient { value } => {
            let (first, of_wrt) = types.split_at(usize::from(value).min(types.len()));
            let all = [first, &flat(of_wrt, groups)].concat();
            let new = ad::Gradient::build(&mut builder, &all, None, arguments, wrt);
            new.op().set_symbol(CALLEE, name);
            if value {
                new.set_value(true);
            }
            let results: Vec<_> = new.op().results().collect();
            let (first, tangents) = results.split_at(first.len());
            let tangents = group(&mut builder, tangents, groups);
            request.replace_with(&[first, &tangents].concat());
        }
        Kind::Jvp => {
            let mut tangents = Vec::new();
            for (tangent, group) in demand.tangents.iter().zip(groups) {
                match group {
                    Some(types) => tangents.extend((0..types.len()).map(|index| {
                        host::TupleGet::build(&mut builder, *tangent, index as u32).result()
                    })),
                    None => tangents.push(*tangent),
                }
            }
            let new = ad::Jvp::build(&mut builder, &types, None, arguments, &tangents, wrt);
            new.op().set_symbol(CALLEE, name);
            request.replace_with(&new.op().results().collect::<Vec<_>>());
        }
        Kind::Vjp => {
            let pullback = *types.last().expect("a pullback is a result");
            let (inputs, outputs) = signature_of_closure(pullback).expect("it is checked");
            let inner = FunctionType::new(context, &inputs, &flat(&outputs, groups));
            let inner = closure(inner.into(), is_escaping(pullback));
            let mut all = types.clone();
            *all.last_mut().expect("a pullback is a result") = inner;
            let new = ad::Vjp::build(&mut builder, &all, None, arguments, wrt);
            new.op().set_symbol(CALLEE, name);
            let mut results: Vec<_> = new.op().results().collect();
            if inner != pullback {
                let last = results.last_mut().expect("a pullback is a result");
                let grouped = grouped_pullback(inner, &inputs, groups, request, program);
                *last = host::Closure::build(&mut builder, pullback, &grouped, &[*last]).closure();
            }
            request.replace_with(&results);
        }
    }
}

/// Returns the types of tangents with those of captures in place of their tuples.
fn flat<'a>(types: &[Type<'a>], groups: &[Group<'a>]) -> Vec<Type<'a>> {
    let types = types.iter().zip(groups);
    let types = types.flat_map(|(ty, group)| group.clone().unwrap_or_else(|| vec![*ty]));
    types.collect()
}

/// Builds the tuples of the tangents of captures.
fn group<'a>(
    builder: &mut Builder<'a>,
    tangents: &[Value<'a>],
    groups: &[Group<'a>],
) -> Vec<Value<'a>> {
    let mut tangents = tangents.iter().copied();
    let mut grouped = Vec::new();
    for group in groups {
        grouped.push(match group {
            Some(types) => {
                let of_group: Vec<_> = tangents.by_ref().take(types.len()).collect();
                host::MakeTuple::build(builder, &of_group).result()
            }
            None => tangents.next().expect("a tangent for each parameter"),
        });
    }
    grouped
}

/// Adds the pullback that groups the tangents of captures. Returns its name.
fn grouped_pullback<'a>(
    inner: Type<'a>,
    inputs: &[Type<'a>],
    groups: &[Group<'a>],
    request: Op<'a>,
    program: &mut SymbolTable<'a>,
) -> String {
    let location = request.location();
    let parameters = std::iter::once(&inner).chain(inputs);
    let parameters: Vec<_> = parameters.map(|ty| (*ty, location)).collect();
    let body = Block::new(&parameters);
    let mut builder = Builder::at_end(body, location);
    let (_, results) = signature_of_closure(inner).expect("the type of a pullback");
    let cotangents: Vec<_> = body.arguments().skip(1).collect();
    let apply = host::Apply::build(&mut builder, &results, body.argument(0), &cotangents);
    let tangents: Vec<_> = apply.op().results().collect();
    let tangents = group(&mut builder, &tangents, groups);
    let name = program.unique_name("pullback");
    let function = add_function(block_of(program), &name, body, &tangents, location);
    program.insert(function).to_owned()
}
