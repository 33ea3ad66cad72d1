//! Defunctionalization: closures whose function is not known become values of enums.
//!
//! ```text
//!   %a = closure @power(%k)                    enum @closures {power(f64), wave()}
//!   %b = closure @wave()                       %a = make_enum "power"(%k)
//!   %f = select %p, %a, %b              ──►    %b = make_enum "wave"()
//!   %y = apply %f(%x)                          %f = select %p, %a, %b
//!   %d = gradient %f of !F (%x) wrt [0]        %y = call @apply(%f, %x)
//!                                              %d = gradient @apply(%f, %x) wrt [1]
//!
//!   func @apply(%f: enum @closures, %x) {switch over the case: @power(%k, %x), @wave(%x)}
//! ```
//!
//! # Algorithm
//!
//! `places.rs` finds the places that may hold the same closures, and `classes.rs` chooses the
//! classes of places whose closures become enums: one case for each function, with the captures as
//! its payload. If there is one function, which has captures, their tuple is enough. The types of
//! all places change with those of the closures; a struct or an enum that holds them becomes a new
//! one. A derivative by such a closure is one by its captures, and `tangent_types.rs` converts it
//! to the type that the request has for it.
//!
//! Source: Reynolds, "Definitional interpreters for higher-order programming languages", 1972.
//!
//! Cost: linear in the program, and in the types of the places.
//!
//! # Non-guarantees
//!
//! A closure that captures one of its own class stays: its enum would contain itself.

use melior::ir::attribute::{ArrayAttribute, TypeAttribute};
use melior::ir::r#type::{FunctionType, TupleType};
use melior::ir::{Location, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::host;
use tfx_dialects::types::{HostType, array, closure, host_type, is_escaping, nominal, reference};
use tfx_ir::diag::Diagnostics;
use tfx_ir::ops::{func, scf};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Block, Builder, Op, Value};

use crate::aggregates::{cases, parts};
use crate::classes::{Class, Needed, choose};
use crate::closures::{Origins, maker, requests, signature_of_closure};
use crate::contexts::split;
use crate::demand::Request;
use crate::flatten::reachable;
use crate::functions::{add_function, block_of, functions};
use crate::places::{Places, Sizes, Slots, components};
use crate::tangent_types::rewrite;

/// Makes the closures that requests differentiate or pass enums, where they are not known. Returns
/// whether the program has changed.
///
/// # Errors
///
/// The closure that a request differentiates cannot become an enum.
pub(crate) fn of_requests<'a>(
    program: &mut SymbolTable<'a>,
    origins: &mut Origins,
) -> Result<bool, Diagnostics<'a>> {
    let mut sizes = Sizes::default();
    let (mut differentiated, mut passed) = (Vec::new(), Vec::new());
    for op in functions(program).flat_map(requests) {
        let Some(request) = Request::read(op) else {
            continue;
        };
        let unknown = request.closure.filter(|closure| maker(*closure).is_none());
        differentiated.extend(unknown.map(|closure| (op, closure)));
        for value in request.arguments {
            if sizes.of(value.ty(), program) > 0 && maker(value).is_none() {
                passed.push(value);
            }
        }
    }
    if differentiated.is_empty() && passed.is_empty() {
        return Ok(false);
    }
    let mut places = Places::of(program);
    let mut slots = Vec::new();
    for value in passed {
        let whole = places.slots(value);
        places.outer(value.ty(), whole, program, &mut slots);
    }
    let needed = Needed {
        requests: differentiated,
        slots,
    };
    defunctionalize(&needed, places, program, origins)
}

/// Makes all closures enums that functions reach. Returns whether the program has changed.
pub(crate) fn of_functions<'a>(
    roots: &[Op<'a>],
    program: &mut SymbolTable<'a>,
    origins: &mut Origins,
) -> Result<bool, Diagnostics<'a>> {
    let places = Places::of(program);
    let reached: FxHashSet<_> = reachable(program, roots).into_iter().collect();
    let functions = functions(program).filter(|function| reached.contains(function));
    let values = functions.flat_map(values_of);
    let needed = Needed {
        requests: Vec::new(),
        slots: values.map(|value| places.slots(value)).collect(),
    };
    defunctionalize(&needed, places, program, origins)
}

fn defunctionalize<'a>(
    needed: &Needed<'a>,
    places: Places<'a>,
    program: &mut SymbolTable<'a>,
    origins: &mut Origins,
) -> Result<bool, Diagnostics<'a>> {
    let chosen = choose(needed, &places, program);
    if !chosen.confused.is_empty() && split(&chosen.confused, &places, program, origins) {
        return Ok(true);
    }
    chosen.errors.finish()?;
    let classes = chosen.classes;
    if classes.is_empty() {
        return Ok(false);
    }
    let mut conversion = Conversion {
        places,
        program,
        forms: FxHashMap::default(),
        nominals: FxHashMap::default(),
        changed: FxHashSet::default(),
    };
    for class in &classes {
        conversion.add_form(class, origins);
    }
    conversion.set_types();
    for class in &classes {
        conversion.add_adapter(class);
    }
    let requests = conversion.rewrite_closures();
    let changed = conversion.changed;
    let mut errors = Diagnostics::default();
    for (request, adapter) in requests {
        if let Err(error) = rewrite((request, adapter.as_deref()), &changed, program) {
            errors.push(error);
        }
    }
    errors.finish()?;
    Ok(true)
}

/// Returns all values of a function.
fn values_of(function: Op<'_>) -> impl Iterator<Item = Value<'_>> {
    function.walk().flat_map(Op::definitions)
}

/// The values that replace the closures of a class.
struct Form<'a> {
    ty: Type<'a>,
    /// One for each function; none with a name for a tuple.
    cases: Vec<FormCase<'a>>,
    /// The function that applies them, once there is one.
    adapter: String,
}

/// The closures of a function.
struct FormCase<'a> {
    /// The name of the case of the enum; none: the captures are a tuple.
    name: Option<String>,
    callee: String,
    captures: Vec<Type<'a>>,
    /// The location of the first one.
    location: Location<'a>,
}

struct Conversion<'p, 'a> {
    places: Places<'a>,
    program: &'p mut SymbolTable<'a>,
    /// By class.
    forms: FxHashMap<usize, Form<'a>>,
    /// By struct or enum and the new types of its parts.
    nominals: FxHashMap<(Type<'a>, Vec<Type<'a>>), Type<'a>>,
    /// The values with a new type.
    changed: FxHashSet<Value<'a>>,
}

impl<'a> Conversion<'_, 'a> {
    /// Returns the form of a closure, unless it stays.
    fn form(&self, closure: Value<'a>) -> Option<&Form<'a>> {
        let slots = self.places.slots(closure);
        self.forms.get(&self.places.class(slots.start))
    }

    // ------------------------------------------------------------------------------------ Types

    /// Adds the type that replaces the closures of a class, those of its captures first.
    fn add_form(&mut self, class: &Class<'a>, origins: &Origins) {
        let mut cases: Vec<FormCase<'a>> = Vec::new();
        let mut seen = FxHashSet::default();
        for maker in &class.makers {
            if seen.insert(maker.callee()) {
                let captures = maker.captures().to_vec();
                cases.push(FormCase {
                    name: None,
                    callee: maker.callee().to_owned(),
                    captures: captures.into_iter().map(|it| self.converted(it)).collect(),
                    location: maker.location(),
                });
            }
        }
        let ty = match &cases[..] {
            [only] if !only.captures.is_empty() => {
                TupleType::new(self.program.owner().context(), &only.captures).into()
            }
            _ => {
                name_cases(&mut cases, origins);
                self.add_enum(&cases)
            }
        };
        let adapter = String::new();
        self.forms.insert(class.slot, Form { ty, cases, adapter });
    }

    /// Declares the enum of some cases.
    fn add_enum(&mut self, cases: &[FormCase<'a>]) -> Type<'a> {
        let names = cases.iter().filter_map(|case| case.name.as_deref());
        let names: Vec<_> = names.collect();
        let payloads = cases.iter().map(|case| case.captures.clone());
        let name = self.program.unique_name("closures");
        declare_enum(self.program, &name, &names, payloads);
        let ty = Type::parse(
            self.program.owner().context(),
            &format!("!tfx_host.enum<@{name}>"),
        );
        ty.expect("the dialect prints it so")
    }

    /// Returns the new type of a value.
    fn converted(&mut self, value: Value<'a>) -> Type<'a> {
        self.convert(value.ty(), self.places.slots(value))
    }

    /// Returns the new type of the places with some slots.
    fn convert(&mut self, ty: Type<'a>, slots: Slots) -> Type<'a> {
        if slots.is_empty() {
            return ty;
        }
        let is_closure = signature_of_closure(ty).is_some();
        if is_closure && let Some(form) = self.forms.get(&self.places.class(slots.start)) {
            return form.ty;
        }
        let old = components(ty, self.program);
        let slots = self.places.parts(ty, slots, self.program);
        let new = old.iter().zip(slots);
        let new: Vec<_> = new
            .map(|(part, slots)| self.convert(*part, slots))
            .collect();
        if new == old {
            return ty;
        }
        if let Some((inputs, _)) = signature_of_closure(ty) {
            let (inputs, outputs) = new.split_at(inputs.len());
            let signature = FunctionType::new(self.program.owner().context(), inputs, outputs);
            return closure(signature.into(), is_escaping(ty));
        }
        match host_type(ty) {
            Some(HostType::Array(_)) => array(new[0]),
            Some(HostType::Ref(_)) => reference(new[0]),
            Some(_) => self.nominal(ty, new),
            None => TupleType::new(self.program.owner().context(), &new).into(),
        }
    }

    /// Returns the struct or enum like another one whose parts have other types.
    fn nominal(&mut self, ty: Type<'a>, new: Vec<Type<'a>>) -> Type<'a> {
        let key = (ty, new);
        if let Some(known) = self.nominals.get(&key) {
            return *known;
        }
        let new = &key.1;
        let Some(HostType::Struct { declaration, .. } | HostType::Enum { declaration, .. }) =
            host_type(ty)
        else {
            unreachable!("no other type with parts is left");
        };
        let name = self.program.unique_name(declaration);
        match cases(ty, self.program) {
            Some(cases) => {
                let names: Vec<_> = cases.iter().map(|case| case.name).collect();
                let mut new = new.iter().copied();
                let payloads = cases.iter().map(|case| {
                    let payload = new.by_ref().take(case.payload.len());
                    payload.collect::<Vec<_>>()
                });
                let payloads = payloads.collect::<Vec<_>>().into_iter();
                declare_enum(self.program, &name, &names, payloads);
            }
            None => {
                let parts = parts(ty, self.program).expect("it is a struct");
                let names: Vec<_> = parts.iter().filter_map(|part| part.field).collect();
                let block = block_of(self.program);
                let location = self.program.owner().location();
                let mut builder = Builder::at_start(block, location);
                let new = host::Struct::build(&mut builder, &name, &[], &names, new);
                self.program.insert(new.op());
            }
        }
        let converted = nominal(ty, &name);
        self.nominals.insert(key, converted);
        converted
    }

    /// Gives all places their new types.
    fn set_types(&mut self) {
        for function in functions(self.program).collect::<Vec<_>>() {
            let (_, results) = function.signature();
            let slots = self.places.results(function).to_vec();
            let results = results.into_iter().zip(slots);
            let results: Vec<_> = results.map(|(ty, slots)| self.convert(ty, slots)).collect();
            for value in values_of(function).collect::<Vec<_>>() {
                let (old, new) = (value.ty(), self.converted(value));
                if new != old {
                    value.set_ty(new);
                    self.changed.insert(value);
                }
            }
            let entry = function.region(0).entry().expect("it has a body");
            let parameters: Vec<_> = entry.arguments().map(|it| it.ty()).collect();
            let ty = FunctionType::new(function.context(), &parameters, &results);
            function.set_function_type(ty);
        }
    }

    // ---------------------------------------------------------------------------- Operations

    /// Adds the function that applies the values of a class.
    fn add_adapter(&mut self, class: &Class<'a>) {
        let ty = self.places.ty(class.slot);
        let (inputs, _) = signature_of_closure(ty).expect("the type of a closure");
        let slots = class.slot..class.slot + self.places.size(ty, self.program);
        let components = components(ty, self.program);
        let slots = self.places.parts(ty, slots, self.program);
        let types = components.into_iter().zip(slots);
        let types: Vec<_> = types.map(|(ty, slots)| self.convert(ty, slots)).collect();
        let (inputs, outputs) = types.split_at(inputs.len());
        let form = &self.forms[&class.slot];
        let location = form.cases[0].location;
        let parameters = std::iter::once(&form.ty).chain(inputs);
        let parameters: Vec<_> = parameters.map(|ty| (*ty, location)).collect();
        let body = Block::new(&parameters);
        let mut builder = Builder::at_end(body, location);
        let arguments: Vec<_> = body.arguments().collect();
        let (value, arguments) = (arguments[0], &arguments[1..]);
        let results = form.apply(&mut builder, value, arguments, outputs);
        let name = self.program.unique_name("apply");
        let function = add_function(block_of(self.program), &name, body, &results, location);
        let name = self.program.insert(function).to_owned();
        let form = self.forms.get_mut(&class.slot);
        form.expect("it is added before").adapter = name;
    }

    /// Replaces the closures that become enums and their applications. Returns the requests, each
    /// with the function that applies its closure, if that has become an enum.
    fn rewrite_closures(&mut self) -> Vec<(Op<'a>, Option<String>)> {
        let mut all = Vec::new();
        for function in functions(self.program).collect::<Vec<_>>() {
            for op in function.walk().collect::<Vec<_>>() {
                if let Some(maker) = host::Closure::cast(op) {
                    if let Some(form) = self.form(maker.closure()) {
                        let mut builder = Builder::before(op);
                        let made = form.make(&mut builder, maker);
                        op.replace_with(&[made]);
                    }
                } else if let Some(apply) = host::Apply::cast(op) {
                    if let Some(form) = self.form(apply.closure()) {
                        let operands: Vec<_> = op.operands().collect();
                        let mut builder = Builder::before(op);
                        let types = op.result_types();
                        let call =
                            func::Call::build(&mut builder, &types, &form.adapter, &operands);
                        op.replace_with(&call.results().collect::<Vec<_>>());
                    }
                } else if let Some(request) = Request::read(op) {
                    let form = request.closure.and_then(|closure| self.form(closure));
                    all.push((op, form.map(|form| form.adapter.clone())));
                }
            }
        }
        all
    }
}

impl<'a> Form<'a> {
    /// Builds the value that replaces a closure.
    fn make(&self, builder: &mut Builder<'a>, maker: host::Closure<'a>) -> Value<'a> {
        let captures = maker.captures().to_vec();
        let case = self.cases.iter().find(|case| case.callee == maker.callee());
        let case = case.expect("each maker has a case");
        match &case.name {
            Some(name) => host::MakeEnum::build(builder, self.ty, name, &captures).result(),
            None => host::MakeTuple::build(builder, &captures).result(),
        }
    }

    /// Builds the application of a value.
    fn apply(
        &self,
        builder: &mut Builder<'a>,
        value: Value<'a>,
        arguments: &[Value<'a>],
        types: &[Type<'a>],
    ) -> Vec<Value<'a>> {
        let call = |builder: &mut Builder<'a>, case: &FormCase<'a>| {
            builder.set_location(case.location);
            let mut operands: Vec<_> = match &case.name {
                Some(name) => {
                    let op = host::EnumPayload::build(builder, &case.captures, value, name);
                    op.op().results().collect()
                }
                None => {
                    let indices = 0..case.captures.len() as u32;
                    let parts = indices.map(|it| host::TupleGet::build(builder, value, it));
                    parts.map(host::TupleGet::result).collect()
                }
            };
            operands.extend(arguments);
            let call = func::Call::build(builder, types, &case.callee, &operands);
            call.results().collect::<Vec<_>>()
        };
        if let [only] = &self.cases[..] {
            return call(builder, only);
        }
        let tag = host::EnumTag::build(builder, value).tag();
        // The default region is that of the last case.
        let tags: Vec<_> = (0..self.cases.len() as i64 - 1).collect();
        let switch = scf::IndexSwitch::build(builder, types, tag, &tags, tags.len());
        let regions = switch.case_regions().chain([switch.default_region()]);
        for (region, case) in regions.zip(&self.cases) {
            let mut inside = Builder::at_end(region.add_block(&[]), case.location);
            let results = call(&mut inside, case);
            scf::Yield::build(&mut inside, &results);
        }
        switch.op().results().collect()
    }
}

/// Names cases after their functions. A copy of a function has the name of the original, unless
/// another case has it.
fn name_cases(cases: &mut [FormCase<'_>], origins: &Origins) {
    let origin = |case: &FormCase<'_>| {
        let origin = origins.get(&case.callee);
        origin.unwrap_or(&case.callee).clone()
    };
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    for case in cases.iter() {
        *counts.entry(origin(case)).or_default() += 1;
    }
    for case in cases {
        let name = origin(case);
        let name = if counts[&name] == 1 {
            name
        } else {
            case.callee.clone()
        };
        case.name = Some(name);
    }
}

/// Declares an enum.
fn declare_enum<'a>(
    program: &mut SymbolTable<'a>,
    name: &str,
    cases: &[&str],
    payloads: impl Iterator<Item = Vec<Type<'a>>>,
) {
    let context = program.owner().context();
    let payloads = payloads.map(|types| {
        let types = types.into_iter().map(|ty| TypeAttribute::new(ty).into());
        ArrayAttribute::new(context, &types.collect::<Vec<_>>()).into()
    });
    let payloads = ArrayAttribute::new(context, &payloads.collect::<Vec<_>>());
    let mut builder = Builder::at_start(block_of(program), program.owner().location());
    let declared = host::Enum::build(&mut builder, name, &[], cases, payloads.into());
    program.insert(declared.op());
}
