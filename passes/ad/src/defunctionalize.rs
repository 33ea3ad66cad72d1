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
//! Existentials are the same: `erase` makes a case for its type, and `dynamic_call` becomes a call
//! of a function that switches between the methods of these types.
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
use tfx_dialects::derivatives::rule;
use tfx_dialects::host::{self, HostOp};
use tfx_dialects::types::{HostType, array, closure, host_type, is_escaping, nominal, reference};
use tfx_ir::diag::Diagnostics;
use tfx_ir::ops::{func, scf};
use tfx_ir::symbols::{SymbolTable, for_each_symbol};
use tfx_ir::{Block, Builder, Op, Value};

use crate::aggregates::{all_leaves, cases, parts};
use crate::classes::{Class, Needed, choose};
use crate::closures::{Origins, maker, requests, signature_of_closure, unknown_closures};
use crate::contexts::split;
use crate::demand::Request;
use crate::flatten::reachable;
use crate::functions::{add_function, block_of, functions};
use crate::places::{Maker, Places, Slots, components};
use crate::tangent_types::{Rewritten, rewrite};

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
    let (mut differentiated, mut passed) = (Vec::new(), Vec::new());
    for op in functions(program).flat_map(requests) {
        let Some(request) = Request::read(op) else {
            continue;
        };
        let unknown = request.closure.filter(|closure| maker(*closure).is_none());
        differentiated.extend(unknown.map(|closure| (op, closure)));
        for value in request.arguments {
            passed.extend(unknown_closures(value, program));
        }
    }
    if differentiated.is_empty() && passed.is_empty() {
        return Ok(false);
    }
    if erase_unreached(&differentiated, program) {
        return Ok(true);
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

/// Erases the functions with requests of unknown closures that no public function reaches, such as
/// those of a library that the program does not use, and those that refer to them. Returns whether
/// there are any.
fn erase_unreached<'a>(
    differentiated: &[(Op<'a>, Value<'a>)],
    program: &mut SymbolTable<'a>,
) -> bool {
    let may_go = |op: &Op<'a>| op.isa::<func::Func>() && op.is_private();
    let mut todo: Vec<_> = program.ops().filter(|op| !may_go(op)).collect();
    let mut reached: FxHashSet<_> = todo.iter().copied().collect();
    while let Some(op) = todo.pop() {
        for_each_reference(op, program, |used| {
            todo.extend(reached.insert(used).then_some(used));
        });
    }
    let mut users: FxHashMap<Op<'a>, Vec<Op<'a>>> = FxHashMap::default();
    for function in program.ops().filter(|op| !reached.contains(op)) {
        for_each_reference(function, program, |used| {
            users.entry(used).or_default().push(function);
        });
    }
    let holders = differentiated.iter();
    let holders = holders.filter_map(|(op, _)| op.ancestor(func::Func::NAME));
    todo.extend(holders.filter(|op| !reached.contains(op)));
    let mut unneeded = FxHashSet::default();
    while let Some(function) = todo.pop() {
        if unneeded.insert(function) {
            todo.extend(users.get(&function).into_iter().flatten());
        }
    }
    let erased = program.ops().filter(|op| unneeded.contains(op));
    for function in erased.collect::<Vec<_>>() {
        program.erase(function);
    }
    !unneeded.is_empty()
}

/// Calls `visit` with each symbol that an operation or one inside of it refers to, as the functions
/// of its rule, too.
fn for_each_reference<'a>(op: Op<'a>, program: &SymbolTable<'a>, mut visit: impl FnMut(Op<'a>)) {
    let mut visit = |name: &str| {
        if let Some(used) = program.get(name) {
            visit(used);
        }
    };
    if let Some(rule) = rule(op) {
        let names = [rule.forward, rule.backward, rule.jvp];
        names.into_iter().flatten().for_each(&mut visit);
    }
    for inner in op.walk() {
        for_each_symbol(inner, &mut visit);
    }
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
        conversion.add_applications(class);
    }
    let uses = conversion.uses();
    let requests = conversion.rewrite_uses(uses);
    let mut errors = Diagnostics::default();
    for request in requests {
        if let Err(error) = rewrite(request, program) {
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

/// The values that replace the closures or existentials of a class.
struct Form<'a> {
    ty: Type<'a>,
    cases: Vec<FormCase<'a>>,
    /// The functions that apply closures (of no method) or call a method, as far as there are any.
    adapters: FxHashMap<Option<&'a str>, String>,
}

/// The closures of a function, or the existentials of a type.
struct FormCase<'a> {
    /// The name of the case of the enum; none: the captures are a tuple, or the value itself.
    name: Option<String>,
    kind: Kind<'a>,
    captures: Vec<Type<'a>>,
    /// The location of the first one.
    location: Location<'a>,
}

/// The function of closures, or the type of existentials.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind<'a> {
    Function(&'a str),
    Type(host::WitnessTable<'a>),
}

impl<'a> Kind<'a> {
    fn of(maker: Maker<'a>, places: &Places<'a>) -> Option<Self> {
        Some(match maker {
            Maker::Closure(op) => Kind::Function(op.callee()),
            Maker::Erase(op) => Kind::Type(places.table(op)?),
        })
    }

    /// Returns the function to call, for closures, or for a method.
    fn callee(self, method: Option<&str>) -> &'a str {
        match self {
            Kind::Function(name) => name,
            Kind::Type(table) => {
                let mut methods = table.method_names().into_iter().zip(table.methods());
                let found = methods.find(|(name, _)| Some(*name) == method);
                found.expect("a witness table has all methods").1
            }
        }
    }
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
    /// Returns the class of a closure or an existential, unless it stays.
    fn class(&self, value: Value<'a>) -> Option<usize> {
        let slots = self.places.slots(value);
        let class = (!slots.is_empty()).then(|| self.places.class(slots.start))?;
        self.forms.contains_key(&class).then_some(class)
    }

    // ------------------------------------------------------------------------------------ Types

    /// Adds the type that replaces the closures of a class, those of its captures first.
    fn add_form(&mut self, class: &Class<'a>, origins: &Origins) {
        let mut cases: Vec<FormCase<'a>> = Vec::new();
        let mut seen = FxHashSet::default();
        for maker in &class.makers {
            let kind = Kind::of(*maker, &self.places).expect("`classes.rs` has checked it");
            if seen.insert(kind) {
                let captures = maker.captures().into_iter();
                cases.push(FormCase {
                    name: None,
                    kind,
                    captures: captures.map(|it| self.converted(it)).collect(),
                    location: maker.op().location(),
                });
            }
        }
        // An array of values without leaves has no elements.
        let ty = match &cases[..] {
            [only] if !all_leaves(&only.captures, self.program).is_empty() => match only.kind {
                Kind::Function(_) => {
                    TupleType::new(self.program.owner().context(), &only.captures).into()
                }
                Kind::Type(_) => only.captures[0],
            },
            _ => {
                name_cases(&mut cases, origins);
                self.add_enum(&cases)
            }
        };
        let adapters = FxHashMap::default();
        let form = Form {
            ty,
            cases,
            adapters,
        };
        self.forms.insert(class.slot, form);
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
        if is_slot(ty)
            && let Some(form) = self.forms.get(&self.places.class(slots.start))
        {
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

    /// Adds the function that applies the closures of a class.
    fn add_applications(&mut self, class: &Class<'a>) {
        let ty = self.places.ty(class.slot);
        let Some((inputs, _)) = signature_of_closure(ty) else {
            return; // Each method that is called gets a function.
        };
        let slots = class.slot..class.slot + self.places.size(ty, self.program);
        let components = components(ty, self.program);
        let slots = self.places.parts(ty, slots, self.program);
        let types = components.into_iter().zip(slots);
        let types: Vec<_> = types.map(|(ty, slots)| self.convert(ty, slots)).collect();
        let (inputs, outputs) = types.split_at(inputs.len());
        self.add_adapter(class.slot, None, inputs, outputs);
    }

    /// Adds the function that applies the closures of a class, or calls a method of its
    /// existentials.
    fn add_adapter(
        &mut self,
        class: usize,
        method: Option<&'a str>,
        inputs: &[Type<'a>],
        outputs: &[Type<'a>],
    ) {
        let form = &self.forms[&class];
        let location = form.cases[0].location;
        let parameters = std::iter::once(&form.ty).chain(inputs);
        let parameters: Vec<_> = parameters.map(|ty| (*ty, location)).collect();
        let body = Block::new(&parameters);
        let mut builder = Builder::at_end(body, location);
        let arguments: Vec<_> = body.arguments().collect();
        let results = form.apply(&mut builder, method, &arguments, outputs);
        let name = self.program.unique_name(method.unwrap_or("apply"));
        let function = add_function(block_of(self.program), &name, body, &results, location);
        let name = self.program.insert(function).to_owned();
        let form = self.forms.get_mut(&class);
        let form = form.expect("it is added before");
        form.adapters.insert(method, name);
    }

    /// Returns the uses of the closures and existentials that become enums. Their operands are the
    /// values that `places` knows: none has been replaced yet.
    fn uses(&self) -> Vec<Use<'a>> {
        let mut uses = Vec::new();
        for op in functions(self.program).flat_map(|function| function.walk()) {
            if let Some(request) = Request::read(op) {
                let arguments = request.arguments.iter();
                uses.push(Use::Request {
                    op,
                    class: request.closure.and_then(|closure| self.class(closure)),
                    changed: arguments.map(|it| self.has_changed(*it)).collect(),
                });
                continue;
            }
            let maker = match HostOp::cast(op) {
                Some(HostOp::Closure(op)) => Maker::Closure(op),
                Some(HostOp::Erase(op)) => Maker::Erase(op),
                Some(HostOp::Apply(apply)) => {
                    let class = self.class(apply.closure());
                    uses.extend(class.map(|class| Use::Apply { op, class }));
                    continue;
                }
                Some(HostOp::DynamicCall(call)) => {
                    let class = self.class(call.receiver());
                    uses.extend(class.map(|class| Use::Call { call, class }));
                    continue;
                }
                _ => continue,
            };
            if let Some(class) = self.class(op.result(0)) {
                let kind = Kind::of(maker, &self.places);
                uses.push(Use::Make { op, kind, class });
            }
        }
        uses
    }

    /// Returns whether a value has a new type, or is a known closure that captures such a value.
    fn has_changed(&self, value: Value<'a>) -> bool {
        let mut todo = vec![value];
        let mut seen = FxHashSet::default();
        while let Some(value) = todo.pop() {
            if self.changed.contains(&value) {
                return true;
            }
            if let Some(maker) = maker(value).filter(|_| seen.insert(value)) {
                todo.extend(maker.captures().iter());
            }
        }
        false
    }

    /// Replaces closures, existentials, their applications and their calls. Returns the requests.
    fn rewrite_uses(&mut self, uses: Vec<Use<'a>>) -> Vec<Rewritten<'a>> {
        let mut requests = Vec::new();
        for found in uses {
            match found {
                Use::Make { op, kind, class } => {
                    let operands: Vec<_> = op.operands().collect();
                    let mut builder = Builder::before(op);
                    let made = self.forms[&class].make(&mut builder, kind, &operands);
                    op.replace_with(&[made]);
                }
                Use::Apply { op, class } => call(op, &self.forms[&class].adapters[&None]),
                Use::Call { call, class } => {
                    let method = Some(call.method());
                    if !self.forms[&class].adapters.contains_key(&method) {
                        let inputs: Vec<_> = call.arguments().iter().map(|it| it.ty()).collect();
                        self.add_adapter(class, method, &inputs, &call.op().result_types());
                    }
                    self::call(call.op(), &self.forms[&class].adapters[&method]);
                }
                Use::Request { op, class, changed } => {
                    let form = class.map(|class| &self.forms[&class]);
                    requests.push(Rewritten {
                        op,
                        adapter: form.map(|form| form.adapters[&None].clone()),
                        changed,
                    });
                }
            }
        }
        requests
    }
}

/// A use of closures or existentials, with their class, if they become enums.
enum Use<'a> {
    Make {
        op: Op<'a>,
        kind: Option<Kind<'a>>,
        class: usize,
    },
    Apply {
        op: Op<'a>,
        class: usize,
    },
    Call {
        call: host::DynamicCall<'a>,
        class: usize,
    },
    Request {
        op: Op<'a>,
        /// That of its closure.
        class: Option<usize>,
        /// By argument: it has a new type, or is a closure that captures such a value.
        changed: Vec<bool>,
    },
}

/// Replaces an operation by a call of a function of its operands.
fn call(op: Op<'_>, function: &str) {
    let operands: Vec<_> = op.operands().collect();
    let call = func::Call::build(
        &mut Builder::before(op),
        &op.result_types(),
        function,
        &operands,
    );
    op.replace_with(&call.results().collect::<Vec<_>>());
}

/// Returns whether a type is that of closures or existentials.
fn is_slot(ty: Type<'_>) -> bool {
    matches!(host_type(ty), Some(HostType::Closure(_) | HostType::Any(_)))
}

impl<'a> Form<'a> {
    /// Builds the value that replaces a closure or an existential.
    fn make(
        &self,
        builder: &mut Builder<'a>,
        kind: Option<Kind<'a>>,
        captures: &[Value<'a>],
    ) -> Value<'a> {
        let case = self.cases.iter().find(|case| Some(case.kind) == kind);
        let case = case.expect("each maker has a case");
        match (&case.name, case.kind) {
            (Some(name), _) => host::MakeEnum::build(builder, self.ty, name, captures).result(),
            (None, Kind::Function(_)) => host::MakeTuple::build(builder, captures).result(),
            (None, Kind::Type(_)) => captures[0],
        }
    }

    /// Builds the application of a closure, or the call of a method. The first argument is the
    /// value that replaces the closure or existential.
    fn apply(
        &self,
        builder: &mut Builder<'a>,
        method: Option<&str>,
        arguments: &[Value<'a>],
        types: &[Type<'a>],
    ) -> Vec<Value<'a>> {
        let (value, arguments) = (arguments[0], &arguments[1..]);
        let call = |builder: &mut Builder<'a>, case: &FormCase<'a>| {
            builder.set_location(case.location);
            let mut operands: Vec<_> = match (&case.name, case.kind) {
                (Some(name), _) => {
                    let op = host::EnumPayload::build(builder, &case.captures, value, name);
                    op.op().results().collect()
                }
                (None, Kind::Function(_)) => {
                    let indices = 0..case.captures.len() as u32;
                    let parts = indices.map(|it| host::TupleGet::build(builder, value, it));
                    parts.map(host::TupleGet::result).collect()
                }
                (None, Kind::Type(_)) => vec![value],
            };
            operands.extend(arguments);
            let callee = case.kind.callee(method);
            let call = func::Call::build(builder, types, callee, &operands);
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

/// Names cases after their functions and types. A copy of a function has the name of the original,
/// and a generic type that of its declaration, unless another case has it.
fn name_cases(cases: &mut [FormCase<'_>], origins: &Origins) {
    let short = |case: &FormCase<'_>| match case.kind {
        Kind::Function(name) => origins.get(name).map_or(name, String::as_str).to_owned(),
        Kind::Type(table) => match host_type(table.conforming()) {
            Some(HostType::Struct { declaration, .. } | HostType::Enum { declaration, .. }) => {
                declaration.to_owned()
            }
            _ => table.conforming().to_string(),
        },
    };
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    for case in cases.iter() {
        *counts.entry(short(case)).or_default() += 1;
    }
    for case in cases {
        let name = short(case);
        case.name = Some(match case.kind {
            _ if counts[&name] == 1 => name,
            Kind::Function(name) => name.to_owned(),
            Kind::Type(table) => table.conforming().to_string(),
        });
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
