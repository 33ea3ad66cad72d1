//! The tangents of closures that have become enums, as the types that requests have for them.
//!
//! ```text
//!   func @power(%k: f64, %n: i64, %x: f64)     the tangent of a closure of @power: tuple<f64>
//!   func @wave(%x: f64)                        that of one of either: an enum that the program
//!                                              declares, with the cases {power(f64), wave()}
//!
//!   %d = gradient @at(%f, %x) wrt [0]   ──►    %t = gradient @at(%f, %x) wrt [0]
//!     : (!F, f64) -> !D                        %d = switch over the case of %t
//! ```
//!
//! The derivative itself has the type of the values that replace the closures: an enum with all
//! captures as payload. A program cannot name that type, so a request has the type of the tangent
//! by the rule of closures: a tuple of the tangents of the captures, or an enum that has these as
//! the payload of a case for each function. Values are converted in both directions.
//!
//! Cost: linear in the types of the tangents, and in the elements of arrays of them.

use melior::Context;
use melior::ir::Type;
use melior::ir::r#type::FunctionType;
use tfx_dialects::ad;
use tfx_dialects::host;
use tfx_dialects::types::{closure, host_type, is_escaping};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::scf;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Block, Builder, Op, Value};

use crate::aggregates::{cases, part_values, parts};
use crate::arrays::{self, element};
use crate::closures::{CALLEE, signature_of_closure, tangent_of};
use crate::demand::{Kind, Request};
use crate::functions::{add_function, block_of};
use crate::tangent::tangent;

/// A request after the types of some values have changed.
pub(crate) struct Rewritten<'a> {
    pub(crate) op: Op<'a>,
    /// The function that applies its closure, if that has become an enum.
    pub(crate) adapter: Option<String>,
    /// By argument: it has a new type, or is a closure that captures such a value.
    pub(crate) changed: Vec<bool>,
}

/// Gives a request the function that applies its closure, if there is one, and the types of the
/// derivative.
///
/// # Errors
///
/// A type of the request is not that of a tangent of a value that has changed.
pub(crate) fn rewrite<'a>(
    rewritten: Rewritten<'a>,
    program: &mut SymbolTable<'a>,
) -> Result<(), Diagnostic<'a>> {
    let mut request = Request::read(rewritten.op).expect("it is a request");
    let (adapter, mut changed) = (rewritten.adapter, rewritten.changed);
    if let Some(adapter) = &adapter {
        let function = program.get(adapter).expect("it has been added");
        request.callee = function.symbol_name();
        let closure = request.closure.take();
        request.arguments.splice(0..0, closure);
        request.wrt.iter_mut().for_each(|index| *index += 1);
        changed.insert(0, true);
    }
    let Some(types) = Types::of(&request, program) else {
        return Ok(()); // `answer.rs` reports it.
    };
    let of_parameters = types.of_parameters.iter().zip(&request.wrt);
    for (position, (pair, &parameter)) in of_parameters.enumerate() {
        if changed[parameter] && !pair.fits(program) {
            return Err(unexpected(&request, position, pair, program));
        }
    }
    let mut pairs = types.of_parameters.iter().chain(&types.of_results);
    let is_same = pairs.all(|pair| pair.own == pair.given || !pair.fits(program));
    if is_same && adapter.is_none() {
        return Ok(());
    }
    replace(&request, &types, program);
    Ok(())
}

/// The type of a tangent, and the type that a request has for it.
#[derive(Clone, Copy)]
struct Pair<'a> {
    own: Type<'a>,
    given: Type<'a>,
}

impl<'a> Pair<'a> {
    fn fits(&self, program: &SymbolTable<'a>) -> bool {
        fits(self.own, self.given, program)
    }

    /// Returns the type to request: the own one, if values can be converted.
    fn requested(&self, program: &SymbolTable<'a>) -> Type<'a> {
        match self.fits(program) {
            true => self.own,
            false => self.given,
        }
    }
}

/// The types of the tangents of a request.
struct Types<'a> {
    /// Of the parameters in `wrt`.
    of_parameters: Vec<Pair<'a>>,
    /// Of the results, for pullbacks and for [`Kind::Jvp`].
    of_results: Vec<Pair<'a>>,
    /// The number of results of the function that the request returns.
    values: usize,
}

impl<'a> Types<'a> {
    /// Returns the types of a request; none if they are not those of any derivative.
    fn of(request: &Request<'a>, program: &SymbolTable<'a>) -> Option<Self> {
        let context = request.op.context();
        let results = match request.closure {
            Some(closure) => signature_of_closure(closure.ty())?.1,
            None => program.get(request.callee?)?.signature().1,
        };
        let wrt = request.wrt.iter();
        let wrt = wrt.map(|&index| tangent_of(request.arguments[index], program));
        let wrt = wrt.collect::<Option<Vec<_>>>()?;
        let types = request.op.result_types();
        let tangents = results.iter();
        let tangents = tangents.filter_map(|ty| tangent(context, *ty, program));
        let tangents: Vec<_> = tangents.collect();
        let (values, of_parameters, of_results) = match request.kind {
            Kind::Gradient { value } => {
                let values = usize::from(value);
                (values, types.get(values..)?.to_vec(), Vec::new())
            }
            Kind::Vjp => {
                let (cotangents, given) = signature_of_closure(*types.last()?)?;
                (types.len() - 1, given, cotangents)
            }
            Kind::Jvp => {
                let given = request.tangents.iter().map(|tangent| tangent.ty());
                let rest = types.get(results.len()..)?.to_vec();
                (results.len(), given.collect(), rest)
            }
        };
        let is_gradient = matches!(request.kind, Kind::Gradient { .. });
        let tangents = if is_gradient { Vec::new() } else { tangents };
        if of_parameters.len() != wrt.len() || of_results.len() != tangents.len() {
            return None;
        }
        let pairs = |own: Vec<Type<'a>>, given: Vec<Type<'a>>| {
            let pairs = own.into_iter().zip(given);
            pairs.map(|(own, given)| Pair { own, given }).collect()
        };
        Some(Types {
            of_parameters: pairs(wrt, of_parameters),
            of_results: pairs(tangents, of_results),
            values,
        })
    }
}

/// Replaces a request by one for the own types of the tangents.
fn replace<'a>(request: &Request<'a>, types: &Types<'a>, program: &mut SymbolTable<'a>) {
    let op = request.op;
    let mut builder = Builder::before(op);
    let (values, closure) = (types.values, request.closure);
    let wrt: Vec<_> = request.wrt.iter().map(|&index| index as i64).collect();
    let (arguments, given) = (&request.arguments[..], op.result_types());
    let own = |pairs: &[Pair<'a>]| {
        let pairs = pairs.iter();
        pairs
            .map(|pair| pair.requested(program))
            .collect::<Vec<_>>()
    };
    let name = |op: Op<'a>| {
        if let Some(name) = request.callee {
            op.set_symbol(CALLEE, name);
        }
    };
    match request.kind {
        Kind::Gradient { value } => {
            let all = [&given[..values], &own(&types.of_parameters)].concat();
            let new = ad::Gradient::build(&mut builder, &all, closure, arguments, &wrt);
            name(new.op());
            if value {
                new.set_value(true);
            }
            let results: Vec<_> = new.op().results().collect();
            let (first, tangents) = results.split_at(values);
            let tangents = give(&mut builder, tangents, &types.of_parameters, program);
            op.replace_with(&[first, &tangents].concat());
        }
        Kind::Jvp => {
            let tangents = take(
                &mut builder,
                &request.tangents,
                &types.of_parameters,
                program,
            );
            let all = [&given[..values], &own(&types.of_results)].concat();
            let new = ad::Jvp::build(&mut builder, &all, closure, arguments, &tangents, &wrt);
            name(new.op());
            let results: Vec<_> = new.op().results().collect();
            let (first, tangents) = results.split_at(values);
            let tangents = give(&mut builder, tangents, &types.of_results, program);
            op.replace_with(&[first, &tangents].concat());
        }
        Kind::Vjp => {
            let outer = given[values];
            let (inputs, outputs) = (own(&types.of_results), own(&types.of_parameters));
            let signature = FunctionType::new(op.context(), &inputs, &outputs);
            let inner = self::closure(signature.into(), is_escaping(outer));
            let all = [&given[..values], &[inner]].concat();
            let new = ad::Vjp::build(&mut builder, &all, closure, arguments, &wrt);
            name(new.op());
            let mut results: Vec<_> = new.op().results().collect();
            if inner != outer {
                let last = &mut results[values];
                let name = converted_pullback(inner, types, op, program);
                *last = host::Closure::build(&mut builder, outer, &name, &[*last]).closure();
            }
            op.replace_with(&results);
        }
    }
}

/// Adds the pullback that converts the cotangents and the tangents of another one. Returns its
/// name.
fn converted_pullback<'a>(
    inner: Type<'a>,
    types: &Types<'a>,
    request: Op<'a>,
    program: &mut SymbolTable<'a>,
) -> String {
    let location = request.location();
    let inputs = types.of_results.iter().map(|pair| pair.given);
    let parameters = std::iter::once(inner).chain(inputs);
    let parameters: Vec<_> = parameters.map(|ty| (ty, location)).collect();
    let body = Block::new(&parameters);
    let mut builder = Builder::at_end(body, location);
    let cotangents: Vec<_> = body.arguments().skip(1).collect();
    let cotangents = take(&mut builder, &cotangents, &types.of_results, program);
    let (_, outputs) = signature_of_closure(inner).expect("the type of a pullback");
    let apply = host::Apply::build(&mut builder, &outputs, body.argument(0), &cotangents);
    let tangents: Vec<_> = apply.op().results().collect();
    let tangents = give(&mut builder, &tangents, &types.of_parameters, program);
    let name = program.unique_name("pullback");
    let function = add_function(block_of(program), &name, body, &tangents, location);
    program.insert(function).to_owned()
}

// ------------------------------------------------------------------------------------ Conversion

/// Converts tangents to the types that a request has for them.
fn give<'a>(
    builder: &mut Builder<'a>,
    tangents: &[Value<'a>],
    pairs: &[Pair<'a>],
    program: &SymbolTable<'a>,
) -> Vec<Value<'a>> {
    let tangents = tangents.iter().zip(pairs);
    let tangents = tangents.map(|(tangent, pair)| match pair.fits(program) {
        true => to_given(builder, *tangent, pair.given, program),
        false => *tangent,
    });
    tangents.collect()
}

/// Converts tangents from the types that a request has for them.
fn take<'a>(
    builder: &mut Builder<'a>,
    tangents: &[Value<'a>],
    pairs: &[Pair<'a>],
    program: &SymbolTable<'a>,
) -> Vec<Value<'a>> {
    let tangents = tangents.iter().zip(pairs);
    let tangents = tangents.map(|(tangent, pair)| match pair.fits(program) {
        true => from_given(builder, *tangent, pair.own, program),
        false => *tangent,
    });
    tangents.collect()
}

/// Returns the types that have tangents.
fn active<'a>(
    context: &'a Context,
    types: &[Type<'a>],
    program: &SymbolTable<'a>,
) -> Vec<Type<'a>> {
    let types = types.iter().copied();
    types
        .filter(|ty| tangent(context, *ty, program).is_some())
        .collect()
}

/// Returns the types of the parts of a struct or a tuple; none for any other type.
fn part_types<'a>(ty: Type<'a>, program: &SymbolTable<'a>) -> Option<Vec<Type<'a>>> {
    let parts = parts(ty, program)?.into_iter();
    Some(parts.map(|part| part.ty).collect())
}

/// Returns whether `given` is the type of the tangents of values of a type. The enum of a tangent
/// has the same cases, in any order, with the tangents of their payloads.
fn fits<'a>(own: Type<'a>, given: Type<'a>, program: &SymbolTable<'a>) -> bool {
    let context = program.owner().context();
    if tangent(context, own, program) == Some(given) {
        return true;
    }
    let all_fit = |own: &[Type<'a>], given: &[Type<'a>]| {
        let own = active(context, own, program);
        let mut pairs = own.iter().zip(given);
        own.len() == given.len() && pairs.all(|(own, given)| fits(*own, *given, program))
    };
    if let Some((own, given)) = element(own).zip(element(given)) {
        return fits(own, given, program);
    }
    if let Some((own, given)) = cases(own, program).zip(cases(given, program)) {
        return own.len() == given.len()
            && own.iter().all(|case| {
                let given = given.iter().find(|other| other.name == case.name);
                given.is_some_and(|given| all_fit(&case.payload, &given.payload))
            });
    }
    match (part_types(own, program), part_types(given, program)) {
        (Some(own), Some(parts)) => host_type(given).is_none() && all_fit(&own, &parts),
        _ => false,
    }
}

/// Converts a value, whose floats are tangents, to the type of tangents `given`, which fits.
fn to_given<'a>(
    builder: &mut Builder<'a>,
    value: Value<'a>,
    given: Type<'a>,
    program: &SymbolTable<'a>,
) -> Value<'a> {
    if value.ty() == given {
        return value;
    }
    let context = builder.context();
    let is_active = |value: &Value<'a>| tangent(context, value.ty(), program).is_some();
    if let Some(of_element) = element(given) {
        return each_element(builder, value, given, |inside, value| {
            to_given(inside, value, of_element, program)
        });
    }
    if let Some(targets) = cases(given, program) {
        return each_case(builder, value, given, program, |inside, name, payload| {
            let target = targets.iter().find(|case| case.name == name);
            let target = target.expect("it has the same cases");
            let payload = payload.iter().copied().filter(is_active);
            let payload = payload.zip(&target.payload);
            let payload: Vec<_> = payload
                .map(|(part, given)| to_given(inside, part, *given, program))
                .collect();
            host::MakeEnum::build(inside, given, name, &payload).result()
        });
    }
    let targets = part_types(given, program).expect("the type of a tuple");
    let own = part_values(builder, value, program);
    let own = own.into_iter().filter(is_active).zip(targets);
    let own: Vec<_> = own
        .map(|(part, given)| to_given(builder, part, given, program))
        .collect();
    host::MakeTuple::build(builder, &own).result()
}

/// Converts a tangent to a value of the type `own`, which it fits. The parts of the value that have
/// no tangents are unspecified, and nothing reads them.
fn from_given<'a>(
    builder: &mut Builder<'a>,
    given: Value<'a>,
    own: Type<'a>,
    program: &SymbolTable<'a>,
) -> Value<'a> {
    if given.ty() == own {
        return given;
    }
    let context = builder.context();
    let rebuild = |builder: &mut Builder<'a>, types: &[Type<'a>], given: &[Value<'a>]| {
        let mut given = given.iter().copied();
        let parts = types.iter().map(|ty| match tangent(context, *ty, program) {
            Some(_) => {
                let given = given.next().expect("there is a tangent for each part");
                from_given(builder, given, *ty, program)
            }
            None => host::Undef::build(builder, *ty).result(),
        });
        parts.collect::<Vec<_>>()
    };
    if let Some(of_element) = element(own) {
        return each_element(builder, given, own, |inside, given| {
            from_given(inside, given, of_element, program)
        });
    }
    if let Some(targets) = cases(own, program) {
        return each_case(builder, given, own, program, |inside, name, payload| {
            let target = targets.iter().find(|case| case.name == name);
            let target = target.expect("it has the same cases");
            let payload = rebuild(inside, &target.payload, payload);
            host::MakeEnum::build(inside, own, name, &payload).result()
        });
    }
    let types = part_types(own, program).expect("the type of a struct or a tuple");
    let given = part_values(builder, given, program);
    let values = rebuild(builder, &types, &given);
    match host_type(own) {
        Some(_) => host::MakeStruct::build(builder, own, &values).result(),
        None => host::MakeTuple::build(builder, &values).result(),
    }
}

/// Builds an array of the elements of another one, converted.
fn each_element<'a>(
    builder: &mut Builder<'a>,
    whole: Value<'a>,
    ty: Type<'a>,
    convert: impl FnOnce(&mut Builder<'a>, Value<'a>) -> Value<'a>,
) -> Value<'a> {
    let count = host::ArrayCount::build(builder, whole).count();
    let built = arrays::generate(builder, count, &[ty], |inside, index| {
        let element = host::ArrayGet::build(inside, whole, index).element();
        vec![convert(inside, element)]
    });
    built[0]
}

/// Builds a value for each case of an enum, from its name and its payload.
fn each_case<'a>(
    builder: &mut Builder<'a>,
    value: Value<'a>,
    ty: Type<'a>,
    program: &SymbolTable<'a>,
    mut convert: impl FnMut(&mut Builder<'a>, &str, &[Value<'a>]) -> Value<'a>,
) -> Value<'a> {
    let cases = cases(value.ty(), program).expect("the type of an enum");
    let tag = host::EnumTag::build(builder, value).tag();
    // The default region is that of the last case.
    let tags: Vec<_> = (0..cases.len() as i64 - 1).collect();
    let switch = scf::IndexSwitch::build(builder, &[ty], tag, &tags, tags.len());
    let regions = switch.case_regions().chain([switch.default_region()]);
    for (region, case) in regions.zip(&cases) {
        let mut inside = Builder::at_end(region.add_block(&[]), builder.location());
        let payload = host::EnumPayload::build(&mut inside, &case.payload, value, case.name);
        let payload: Vec<_> = payload.payload().collect();
        let converted = convert(&mut inside, case.name, &payload);
        scf::Yield::build(&mut inside, &[converted]);
    }
    switch.op().result(0)
}

// ---------------------------------------------------------------------------------------- Errors

fn unexpected<'a>(
    request: &Request<'a>,
    position: usize,
    pair: &Pair<'a>,
    program: &SymbolTable<'a>,
) -> Diagnostic<'a> {
    let location = request.op.location();
    let message = format!(
        "expected {} as tangent {position} of this derivative, which is that of closures or existentials, got '{}'",
        described(pair.own, program),
        pair.given
    );
    diag::error(location, message).note(
        location,
        "the tangent of a closure is the tuple of the tangents of its captures, and that of an \
         existential that of its value; if it may have one of several functions or types, it is an \
         enum with a case for each of them, which has these as its payload",
    )
}

/// Describes the type of the tangents of values of a type.
fn described<'a>(own: Type<'a>, program: &SymbolTable<'a>) -> String {
    let context = program.owner().context();
    let list = |types: &[Type<'a>]| {
        let types = active(context, types, program).into_iter();
        let types: Vec<_> = types.map(|ty| described(ty, program)).collect();
        types.join(", ")
    };
    if let Some(of_element) = element(own) {
        return format!("an array of {}", described(of_element, program));
    }
    if let Some(cases) = cases(own, program) {
        let cases = cases.iter();
        let cases = cases.map(|case| format!("{}({})", case.name, list(&case.payload)));
        return format!("an enum {{{}}}", cases.collect::<Vec<_>>().join(", "));
    }
    match part_types(own, program) {
        Some(parts) if tangent(context, own, program) != Some(own) => {
            format!("tuple<{}>", list(&parts))
        }
        _ => own.to_string(),
    }
}
