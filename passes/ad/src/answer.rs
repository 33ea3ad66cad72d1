//! The answer to a request: the operations that replace it.
//!
//! ```text
//!   %y, %g = gradient @f(%m)      %a, %b = leaves of %m
//!                                 %y, %r:n = call @f.forward(%a, %b)
//!                           ──►   %da, %db = call @f.backward(1.0, %r:n)
//!                                 %g = the tangent with the leaves %da, %db
//!   %y, %p = vjp @f(%m)     ──►   %p = closure @f.pullback(%r:n), a function of the cotangents
//!   %y, %t = jvp @f(%m)     ──►   %y, %t = call @f.tangents(%a, %b, %ta, %tb)
//! ```
//!
//! The leaves of an object are those of its fields. The function gets their values, and the answer
//! stores those that it changes (`objects.rs`).
//!
//! Cost: linear in the leaves of the arguments.

use std::ops::Range;

use melior::ir::r#type::FunctionType;
use melior::ir::{Type, TypeLike};
use tfx_dialects::host;
use tfx_dialects::types::closure;
use tfx_graphdef_mlir::types::sizes;
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::func;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Block, Builder, Op, Value};

use crate::aggregates::{
    all_leaves, element_leaves, explode, explode_tangent, has_enum, implode, parts,
};
use crate::arrays;
use crate::demand::{Demand, Kind};
use crate::dependence;
use crate::derivative::{Derivative, Kept};
use crate::derive::Deriver;
use crate::functions::{add_function, block_of};
use crate::objects::{leaves_of, load_fields, tangent_of};
use crate::tangent::{is_differentiable, is_float, tangent};
use crate::tangents::Tangents;
use crate::values::{self, tf};

/// Replaces a request. `function` is the flat function of its callee.
pub(crate) fn answer<'a>(
    demand: &Demand<'a>,
    function: Op<'a>,
    deriver: &mut Deriver<'_, 'a>,
) -> Result<(), Diagnostics<'a>> {
    let (parameters, results) = demand.callee.signature();
    check(demand, (&parameters, &results), deriver)?;
    let leaves = Leaves::of_parameters(&parameters, deriver);
    let wrt: Vec<_> = demand
        .wrt
        .iter()
        .flat_map(|&index| leaves.differentiable(index))
        .collect();
    let result_leaves = Leaves::of(&results, deriver.program);
    let all_results = (0..results.len()).flat_map(|index| result_leaves.differentiable(index));
    let all_results: Vec<_> = all_results.collect();
    for &index in &demand.wrt {
        let of_parameter: Vec<_> = leaves.differentiable(index).collect();
        let flat = (function, &of_parameter[..], &all_results[..]);
        dependence::warn(demand, index, flat, deriver);
    }
    let name = demand.callee.symbol_name().unwrap_or_default();
    if demand.kind == Kind::Jvp {
        let tangents = deriver.derive_tangents(function, wrt, all_results, name)?;
        let answers = push_forward(demand, function, &tangents, deriver);
        demand.op.replace_with(&answers);
        return Ok(());
    }
    let derivative = deriver.derive(function, wrt, all_results, name)?;

    let mut builder = Builder::before(demand.op);
    let arguments = explode_arguments(&mut builder, &demand.arguments, deriver);
    let (_, mut types) = function.signature();
    let num_values = types.len();
    types.extend(derivative.own());
    let forward = func::Call::build(&mut builder, &types, &derivative.forward, &arguments);
    let values: Vec<_> = forward.results().collect();
    let (values, own) = values.split_at(num_values);
    let mut own = own.iter().copied();
    let residuals = derivative.kept.iter().map(|kept| match *kept {
        Kept::Argument(position) => arguments[position],
        Kept::Returned(position) => values[position],
        Kept::Own(_) => own.next().expect("the forward function returns it"),
    });
    let residuals = &residuals.collect::<Vec<_>>()[..];
    let (values, fields) = values.split_at(result_leaves.types.len());
    store_fields(&mut builder, (demand, function), fields, deriver);
    let mut answers = implode_all(&mut builder, &results, values, deriver.program);
    let wrt_types: Vec<_> = demand.wrt.iter().map(|&index| parameters[index]).collect();
    match demand.kind {
        Kind::Gradient { value } => {
            let one = one(&mut builder, values[0]);
            let types = arguments_types(&leaves, &derivative);
            let tangents = derivative.pull_back(&mut builder, &[one], residuals, &types);
            let wrt = demand.wrt.iter().map(|&index| demand.arguments[index]);
            let own = explode_arguments(&mut builder, &wrt.collect::<Vec<_>>(), deriver);
            let tangents = assemble_parameters(&mut builder, &wrt_types, &own, tangents, deriver);
            answers.truncate(usize::from(value));
            answers.extend(tangents);
        }
        Kind::Vjp => {
            let pullback = Pullback {
                name: format!("{name}.pullback"),
                derivative: &derivative,
                results: &results,
                wrt: &wrt_types,
                types: arguments_types(&leaves, &derivative),
            };
            let wrt = demand.wrt.iter().map(|&index| demand.arguments[index]);
            let wrt: Vec<_> = wrt.collect();
            answers.push(pullback.close(&mut builder, (demand.op, &wrt), residuals, deriver));
        }
        Kind::Jvp => unreachable!("answered above"),
    }
    demand.op.replace_with(&answers);
    Ok(())
}

/// Calls the function of tangents. Returns the results of the function and their tangents.
fn push_forward<'a>(
    demand: &Demand<'a>,
    function: Op<'a>,
    tangents: &Tangents,
    deriver: &Deriver<'_, 'a>,
) -> Vec<Value<'a>> {
    let program = &*deriver.program;
    let mut builder = Builder::before(demand.op);
    let mut arguments = explode_arguments(&mut builder, &demand.arguments, deriver);
    arguments.extend(explode_tangents(&mut builder, &demand.tangents, program));
    let (_, results) = function.signature();
    let mut types = results.clone();
    types.extend(tangents.results.iter().map(|&index| results[index]));
    let call = func::Call::build(&mut builder, &types, &tangents.symbol, &arguments);
    let values: Vec<_> = call.results().collect();
    let (values, tangents) = values.split_at(results.len());
    let types = demand.callee.signature().1;
    let (values, fields) = values.split_at(all_leaves(&types, program).len());
    store_fields(&mut builder, (demand, function), fields, deriver);
    let mut answers = implode_all(&mut builder, &types, values, program);
    answers.extend(assemble(
        &mut builder,
        &types,
        values,
        tangents.to_vec(),
        program,
    ));
    answers
}

/// Returns the leaves of arguments.
fn explode_arguments<'a>(
    builder: &mut Builder<'a>,
    values: &[Value<'a>],
    deriver: &Deriver<'_, 'a>,
) -> Vec<Value<'a>> {
    let mut leaves = Vec::new();
    for &value in values {
        let values = match deriver.objects.fields(value.ty(), deriver.program) {
            Some(fields) => load_fields(builder, value, &fields),
            None => vec![value],
        };
        for value in values {
            explode(builder, value, deriver.program, &mut leaves);
        }
    }
    leaves
}

/// Stores the last values of the fields of objects that are arguments. `last` has their leaves.
fn store_fields<'a>(
    builder: &mut Builder<'a>,
    (demand, function): (&Demand<'a>, Op<'a>),
    last: &[Value<'a>],
    deriver: &Deriver<'_, 'a>,
) {
    let body = function.region(0).entry().expect("it has a body");
    let end = body.terminator().expect("a structured function returns");
    let mut returned = end.operands().skip(end.num_operands() - last.len());
    let mut last = last.iter().copied();
    let mut first = 0;
    for &argument in &demand.arguments {
        let ty = argument.ty();
        let Some(fields) = deriver.objects.fields(ty, deriver.program) else {
            first += all_leaves(&[ty], deriver.program).len();
            continue;
        };
        for field in fields {
            let count = all_leaves(&[field.ty], deriver.program).len();
            let parameters = (first..first + count).map(|index| body.argument(index));
            let is_same = parameters.eq(returned.by_ref().take(count));
            first += count;
            let values: Vec<_> = last.by_ref().take(count).collect();
            if is_same {
                continue;
            }
            let program = &*deriver.program;
            let value = implode(builder, field.ty, program, &mut values.into_iter());
            let reference = field.reference(builder, argument);
            host::Store::build(builder, value, reference);
        }
    }
}

/// Returns the differentiable leaves of tangents.
fn explode_tangents<'a>(
    builder: &mut Builder<'a>,
    tangents: &[Value<'a>],
    program: &SymbolTable<'a>,
) -> Vec<Value<'a>> {
    let mut leaves = Vec::new();
    for tangent in tangents {
        explode_tangent(builder, *tangent, program, &mut leaves);
    }
    leaves
}

/// Builds values of some types from their leaves.
fn implode_all<'a>(
    builder: &mut Builder<'a>,
    types: &[Type<'a>],
    leaves: &[Value<'a>],
    program: &SymbolTable<'a>,
) -> Vec<Value<'a>> {
    let mut leaves = leaves.iter().copied();
    let types = types.iter();
    types
        .map(|ty| implode(builder, *ty, program, &mut leaves))
        .collect()
}

fn arguments_types<'a>(leaves: &Leaves<'a>, derivative: &Derivative<'a>) -> Vec<Type<'a>> {
    derivative
        .wrt
        .iter()
        .map(|&index| leaves.types[index])
        .collect()
}

/// The leaves of parameters or results.
struct Leaves<'a> {
    types: Vec<Type<'a>>,
    ranges: Vec<Range<usize>>,
}

impl<'a> Leaves<'a> {
    fn of(types: &[Type<'a>], symbols: &SymbolTable<'a>) -> Self {
        Leaves::from(types.iter().map(|ty| all_leaves(&[*ty], symbols)))
    }

    fn of_parameters(types: &[Type<'a>], deriver: &Deriver<'_, 'a>) -> Self {
        let (objects, program) = (deriver.objects, &*deriver.program);
        Leaves::from(types.iter().map(|ty| match objects.fields(*ty, program) {
            Some(fields) => leaves_of(&fields, program),
            None => all_leaves(&[*ty], program),
        }))
    }

    fn from(each: impl Iterator<Item = Vec<Type<'a>>>) -> Self {
        let mut leaves = Leaves {
            types: Vec::new(),
            ranges: Vec::new(),
        };
        for types in each {
            let first = leaves.types.len();
            leaves.types.extend(types);
            leaves.ranges.push(first..leaves.types.len());
        }
        leaves
    }

    /// Returns the positions of the differentiable leaves of a parameter or result.
    fn differentiable(&self, index: usize) -> impl Iterator<Item = usize> {
        let range = self.ranges[index].clone();
        range.filter(|&leaf| is_differentiable(self.types[leaf]))
    }
}

/// Checks the types of a request.
fn check<'a>(
    demand: &Demand<'a>,
    (parameters, results): (&[Type<'a>], &[Type<'a>]),
    deriver: &Deriver<'_, 'a>,
) -> Result<(), Diagnostic<'a>> {
    let (op, context) = (demand.op, demand.op.context());
    let symbols = &*deriver.program;
    let name = demand.callee.symbol_name().unwrap_or_default();
    let mut expected: Vec<Type<'a>> = Vec::new();
    let mut tangents = Vec::new();
    for &index in &demand.wrt {
        let ty = parameters[index];
        let tangent = match deriver.objects.fields(ty, symbols) {
            Some(fields) => tangent_of(context, &fields, symbols),
            None => tangent(context, ty, symbols),
        };
        let Some(tangent) = tangent else {
            let message = format!(
                "cannot differentiate '@{name}' with respect to parameter {index}: its type {ty} has no derivatives"
            );
            let mut error = diag::error(op.location(), message);
            if let Some((location, reason)) = deriver.objects.obstacle(ty) {
                let note = format!("objects have derivatives if they are known: {reason}");
                error = error.note(location, note);
            }
            let note = "floats, tensors of floats, and structs, tuples and arrays of these have derivatives";
            return Err(error.note(op.location(), note));
        };
        tangents.push(tangent);
    }
    match demand.kind {
        Kind::Gradient { value } => {
            if results.len() != 1 || !is_scalar(results[0]) {
                let types: Vec<_> = results.iter().map(Type::to_string).collect();
                let message = format!(
                    "a gradient is that of one float, but '@{name}' returns ({})",
                    types.join(", ")
                );
                let note = "sum the result in the function, or use tfx_ad.vjp";
                return Err(
                    diag::error(op.location(), message).note(demand.callee.location(), note)
                );
            }
            expected.extend(results.iter().take(usize::from(value)));
            expected.extend(&tangents);
        }
        Kind::Vjp => {
            let cotangents = results
                .iter()
                .filter_map(|ty| tangent(context, *ty, symbols));
            let cotangents: Vec<_> = cotangents.collect();
            let signature = FunctionType::new(context, &cotangents, &tangents).into();
            expected.extend(results);
            let is_escaping = op
                .result_types()
                .last()
                .is_some_and(|ty| tfx_dialects::types::is_escaping(*ty));
            expected.push(closure(signature, is_escaping));
        }
        Kind::Jvp => {
            check_tangents(demand, &tangents)?;
            let of_results = results.iter();
            let of_results = of_results.filter_map(|ty| tangent(context, *ty, symbols));
            expected.extend(results);
            expected.extend(of_results);
        }
    }
    if op.result_types() != expected {
        let types: Vec<_> = expected.iter().map(Type::to_string).collect();
        let message = format!(
            "expected result types ({}) of this derivative of '@{name}'",
            types.join(", ")
        );
        return Err(diag::error(op.location(), message));
    }
    Ok(())
}

/// Checks the types of the tangents of a request.
fn check_tangents<'a>(demand: &Demand<'a>, expected: &[Type<'a>]) -> Result<(), Diagnostic<'a>> {
    let given = demand.tangents.iter().map(|tangent| tangent.ty());
    for ((given, expected), parameter) in given.zip(expected).zip(&demand.wrt) {
        if given != *expected {
            let message = format!(
                "expected a tangent of type {expected} for parameter {parameter}, got {given}"
            );
            return Err(diag::error(demand.op.location(), message));
        }
    }
    Ok(())
}

/// Returns whether a type has exactly one float, as far as is known.
fn is_scalar(ty: Type<'_>) -> bool {
    let is_one =
        |sizes: Vec<Option<u64>>| sizes.iter().all(|size| size.is_none_or(|size| size == 1));
    match ty.is_tensor() {
        true => is_differentiable(ty) && sizes(ty).is_none_or(is_one),
        false => is_float(ty),
    }
}

/// Builds the cotangent of a result with respect to itself.
fn one<'a>(builder: &mut Builder<'a>, value: Value<'a>) -> Value<'a> {
    let one = values::number(builder, value.ty(), 1.0);
    one.unwrap_or_else(|| tf(builder, "OnesLike", &[value], value.ty()))
}

/// Builds the tangents of values of some types from the tangents of their differentiable leaves.
/// `own` has all leaves of the values.
fn assemble<'a>(
    builder: &mut Builder<'a>,
    types: &[Type<'a>],
    own: &[Value<'a>],
    tangents: Vec<Value<'a>>,
    symbols: &SymbolTable<'a>,
) -> Vec<Value<'a>> {
    let mut tangents = tangents.into_iter();
    let all = own.iter().map(|leaf| match is_differentiable(leaf.ty()) {
        true => tangents.next().expect("there is one for each leaf"),
        false => *leaf,
    });
    let mut all = all.collect::<Vec<_>>().into_iter();
    let types = types.iter();
    types
        .filter_map(|ty| assemble_one(builder, *ty, &mut all, symbols))
        .collect()
}

/// Builds the tangents of parameters of some types, as [`assemble`] does.
fn assemble_parameters<'a>(
    builder: &mut Builder<'a>,
    types: &[Type<'a>],
    own: &[Value<'a>],
    tangents: Vec<Value<'a>>,
    deriver: &Deriver<'_, 'a>,
) -> Vec<Value<'a>> {
    let program = &*deriver.program;
    let (mut own, mut tangents) = (own.iter().copied(), tangents.into_iter());
    let mut assembled = Vec::new();
    for &ty in types {
        let fields = deriver.objects.fields(ty, program);
        let types = match &fields {
            Some(fields) => fields.iter().map(|field| field.ty).collect(),
            None => vec![ty],
        };
        let leaves = all_leaves(&types, program);
        let own: Vec<_> = own.by_ref().take(leaves.len()).collect();
        let count = leaves
            .into_iter()
            .filter(|ty| is_differentiable(*ty))
            .count();
        let tangents = tangents.by_ref().take(count).collect();
        let parts = assemble(builder, &types, &own, tangents, program);
        match fields {
            Some(_) => assembled.push(host::MakeTuple::build(builder, &parts).result()),
            None => assembled.extend(parts),
        }
    }
    assembled
}

/// Builds the tangent of a value from the tangents of its leaves, and the other leaves, which only
/// the tangents of enums have.
fn assemble_one<'a>(
    builder: &mut Builder<'a>,
    ty: Type<'a>,
    leaves: &mut dyn Iterator<Item = Value<'a>>,
    symbols: &SymbolTable<'a>,
) -> Option<Value<'a>> {
    let Some(tangent) = tangent(builder.context(), ty, symbols) else {
        let count = all_leaves(&[ty], symbols).len();
        leaves.take(count).for_each(drop);
        return None;
    };
    if tangent == ty {
        return Some(implode(builder, ty, symbols, leaves));
    }
    if let Some(of_element) = element_leaves(ty, symbols) {
        let own: Vec<_> = leaves.take(of_element.len()).collect();
        return Some(assemble_array(builder, (ty, tangent), &own, symbols));
    }
    let parts = parts(ty, symbols).expect("only structs and tuples have other tangents");
    let tangents = parts
        .iter()
        .filter_map(|part| assemble_one(builder, part.ty, leaves, symbols));
    let tangents: Vec<_> = tangents.collect();
    Some(host::MakeTuple::build(builder, &tangents).result())
}

/// Builds the tangent of an array from the arrays of tangents of its leaves. Arrays of other leaves
/// are read only if the tangent contains enums, since a pullback has no others.
fn assemble_array<'a>(
    builder: &mut Builder<'a>,
    (ty, tangent): (Type<'a>, Type<'a>),
    leaves: &[Value<'a>],
    symbols: &SymbolTable<'a>,
) -> Value<'a> {
    let element = arrays::element(ty).expect("the type of an array");
    let is_read = |leaf: &Value<'a>| has_enum(ty, symbols) || is_differentiable(leaf.ty());
    let first = leaves.iter().find(|leaf| is_differentiable(leaf.ty()));
    let first = first.expect("the type has a tangent");
    let count = host::ArrayCount::build(builder, *first).count();
    let built = arrays::generate(builder, count, &[tangent], |inside, index| {
        let own = leaves.iter().map(|leaf| match is_read(leaf) {
            true => host::ArrayGet::build(inside, *leaf, index).element(),
            false => {
                let ty = arrays::element(leaf.ty()).expect("the type of an array");
                host::Undef::build(inside, ty).result()
            }
        });
        let own: Vec<_> = own.collect();
        let element = assemble_one(inside, element, &mut own.into_iter(), symbols);
        element.into_iter().collect()
    });
    built[0]
}

/// The function of a pullback.
struct Pullback<'p, 'a> {
    name: String,
    derivative: &'p Derivative<'a>,
    /// The results of the differentiated function.
    results: &'p [Type<'a>],
    /// The types of the parameters in `wrt`.
    wrt: &'p [Type<'a>],
    /// The types of their differentiable leaves.
    types: Vec<Type<'a>>,
}

impl<'a> Pullback<'_, 'a> {
    /// Builds the closure with the residuals as captures, and with the leaves of the parameters
    /// that their tangents contain.
    fn close(
        &self,
        builder: &mut Builder<'a>,
        (request, wrt): (Op<'a>, &[Value<'a>]),
        residuals: &[Value<'a>],
        deriver: &mut Deriver<'_, 'a>,
    ) -> Value<'a> {
        let (context, location) = (builder.context(), request.location());
        let program = &*deriver.program;
        let has_enum = |value: &Value<'a>| {
            let fields = deriver.objects.fields(value.ty(), program);
            let mut fields = fields.unwrap_or_default().into_iter();
            has_enum(value.ty(), program) || fields.any(|field| has_enum(field.ty, program))
        };
        let own = match wrt.iter().any(has_enum) {
            true => explode_arguments(builder, wrt, deriver),
            false => Vec::new(),
        };
        let captures = [residuals, &own].concat();
        let captured = captures.iter().map(|capture| capture.ty());
        let cotangents = self.results.iter();
        let cotangents = cotangents.filter_map(|ty| tangent(context, *ty, deriver.program));
        let parameters: Vec<_> = captured
            .chain(cotangents)
            .map(|ty| (ty, location))
            .collect();
        let body = Block::new(&parameters);
        let mut inside = Builder::at_end(body, location);
        let arguments: Vec<_> = body.arguments().collect();
        let (captured, cotangents) = arguments.split_at(captures.len());
        let (residuals, own) = captured.split_at(residuals.len());
        let seeds = explode_tangents(&mut inside, cotangents, deriver.program);
        let derivative = self.derivative;
        let tangents = derivative.pull_back(&mut inside, &seeds, residuals, &self.types);
        let leaves = match own {
            // No tangent contains another leaf.
            [] => self
                .wrt
                .iter()
                .flat_map(|ty| {
                    let leaves = Leaves::of_parameters(&[*ty], deriver).types.into_iter();
                    leaves
                        .map(|ty| host::Undef::build(&mut inside, ty).result())
                        .collect::<Vec<_>>()
                })
                .collect(),
            own => own.to_vec(),
        };
        let tangents = assemble_parameters(&mut inside, self.wrt, &leaves, tangents, deriver);
        let target = block_of(deriver.program);
        let function = add_function(target, &self.name, body, &tangents, location);
        deriver.functions.push(function);
        let name = deriver.program.insert(function);
        let ty = *request
            .result_types()
            .last()
            .expect("a pullback is a result");
        host::Closure::build(builder, ty, name, &captures).closure()
    }
}
