//! The answer to a request: the operations that replace it.
//!
//! ```text
//!   %y, %g = gradient @f(%m)      %a, %b = leaves of %m
//!                                 %y, %r:n = call @f.forward(%a, %b)
//!                           ──►   %da, %db = call @f.backward(1.0, %r:n)
//!                                 %g = the tangent with the leaves %da, %db
//!   %y, %p = vjp @f(%m)     ──►   %p = closure @f.pullback(%r:n), a function of the cotangents
//! ```
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

use crate::aggregates::{all_leaves, explode, implode, parts};
use crate::demand::{Demand, Kind};
use crate::derive::Deriver;
use crate::functions::{add_function, block_of};
use crate::reverse::Derivative;
use crate::tangent::{is_differentiable, is_float, tangent};
use crate::values::{self, tf};

/// Replaces a request. `function` is the flat function of its callee.
pub(crate) fn answer<'a>(
    demand: &Demand<'a>,
    function: Op<'a>,
    deriver: &mut Deriver<'_, 'a>,
) -> Result<(), Diagnostics<'a>> {
    let (parameters, results) = demand.callee.signature();
    check(demand, &parameters, &results, deriver.program)?;
    let leaves = Leaves::of(&parameters, deriver.program);
    let wrt: Vec<_> = demand
        .wrt
        .iter()
        .flat_map(|&index| leaves.differentiable(index))
        .collect();
    let result_leaves = Leaves::of(&results, deriver.program);
    let all_results = (0..results.len()).flat_map(|index| result_leaves.differentiable(index));
    let all_results: Vec<_> = all_results.collect();
    let name = demand.callee.symbol_name().unwrap_or_default();
    let derivative = deriver.derive(function, wrt, all_results, name)?;

    let mut builder = Builder::before(demand.op);
    let mut arguments = Vec::new();
    for argument in &demand.arguments {
        explode(&mut builder, *argument, deriver.program, &mut arguments);
    }
    let mut types = result_leaves.types.clone();
    types.extend(&derivative.residuals);
    let forward = func::Call::build(&mut builder, &types, &derivative.forward, &arguments);
    let values: Vec<_> = forward.results().collect();
    let (values, residuals) = values.split_at(result_leaves.types.len());
    let mut answers = Vec::new();
    let mut leaves_left = values.iter().copied();
    for ty in &results {
        answers.push(implode(
            &mut builder,
            *ty,
            deriver.program,
            &mut leaves_left,
        ));
    }
    let wrt_types: Vec<_> = demand.wrt.iter().map(|&index| parameters[index]).collect();
    match demand.kind {
        Kind::Gradient { value } => {
            let one = one(&mut builder, values[0]);
            let tangents = pull_back(
                &mut builder,
                &derivative,
                &[one],
                residuals,
                &arguments_types(&leaves, &derivative),
            );
            let tangents = assemble(&mut builder, &wrt_types, tangents, deriver.program);
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
            answers.push(pullback.close(&mut builder, demand.op, residuals, deriver));
        }
    }
    demand.op.replace_with(&answers);
    Ok(())
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
        let mut leaves = Leaves {
            types: Vec::new(),
            ranges: Vec::new(),
        };
        for ty in types {
            let first = leaves.types.len();
            leaves.types.extend(all_leaves(&[*ty], symbols));
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
    parameters: &[Type<'a>],
    results: &[Type<'a>],
    symbols: &SymbolTable<'a>,
) -> Result<(), Diagnostic<'a>> {
    let (op, context) = (demand.op, demand.op.context());
    let name = demand.callee.symbol_name().unwrap_or_default();
    let mut expected: Vec<Type<'a>> = Vec::new();
    let mut tangents = Vec::new();
    for &index in &demand.wrt {
        let ty = parameters[index];
        let Some(tangent) = tangent(context, ty, symbols) else {
            let message = format!(
                "cannot differentiate '@{name}' with respect to parameter {index}: its type {ty} has no derivatives"
            );
            let note =
                "floats, tensors of floats, and structs and tuples of these have derivatives";
            return Err(diag::error(op.location(), message).note(op.location(), note));
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

fn pull_back<'a>(
    builder: &mut Builder<'a>,
    derivative: &Derivative<'a>,
    cotangents: &[Value<'a>],
    residuals: &[Value<'a>],
    types: &[Type<'a>],
) -> Vec<Value<'a>> {
    let arguments = [cotangents, residuals].concat();
    let call = func::Call::build(builder, types, &derivative.backward, &arguments);
    call.results().collect()
}

/// Builds the tangents of values of some types from the tangents of their leaves.
fn assemble<'a>(
    builder: &mut Builder<'a>,
    types: &[Type<'a>],
    leaves: Vec<Value<'a>>,
    symbols: &SymbolTable<'a>,
) -> Vec<Value<'a>> {
    let mut leaves = leaves.into_iter();
    let types = types.iter();
    types
        .filter_map(|ty| assemble_one(builder, *ty, &mut leaves, symbols))
        .collect()
}

fn assemble_one<'a>(
    builder: &mut Builder<'a>,
    ty: Type<'a>,
    leaves: &mut impl Iterator<Item = Value<'a>>,
    symbols: &SymbolTable<'a>,
) -> Option<Value<'a>> {
    let tangent = tangent(builder.context(), ty, symbols)?;
    if tangent == ty {
        return Some(implode(builder, ty, symbols, leaves));
    }
    let parts = parts(ty, symbols).expect("only aggregates have other tangents");
    let tangents = parts
        .iter()
        .filter_map(|part| assemble_one(builder, part.ty, leaves, symbols));
    let tangents: Vec<_> = tangents.collect();
    Some(host::MakeTuple::build(builder, &tangents).result())
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
    /// Builds the closure with the residuals as captures.
    fn close(
        &self,
        builder: &mut Builder<'a>,
        request: Op<'a>,
        residuals: &[Value<'a>],
        deriver: &mut Deriver<'_, 'a>,
    ) -> Value<'a> {
        let (context, location) = (builder.context(), request.location());
        let captured = residuals.iter().map(|residual| residual.ty());
        let cotangents = self.results.iter();
        let cotangents = cotangents.filter_map(|ty| tangent(context, *ty, deriver.program));
        let parameters: Vec<_> = captured
            .chain(cotangents)
            .map(|ty| (ty, location))
            .collect();
        let body = Block::new(&parameters);
        let mut inside = Builder::at_end(body, location);
        let arguments: Vec<_> = body.arguments().collect();
        let (captured, cotangents) = arguments.split_at(residuals.len());
        let mut seeds = Vec::new();
        for cotangent in cotangents {
            explode(&mut inside, *cotangent, deriver.program, &mut seeds);
        }
        let tangents = pull_back(&mut inside, self.derivative, &seeds, captured, &self.types);
        let tangents = assemble(&mut inside, self.wrt, tangents, deriver.program);
        let target = block_of(deriver.program);
        let function = add_function(target, &self.name, body, &tangents, location);
        deriver.functions.push(function);
        let name = deriver.program.insert(function);
        let ty = *request
            .result_types()
            .last()
            .expect("a pullback is a result");
        host::Closure::build(builder, ty, name, residuals).closure()
    }
}
