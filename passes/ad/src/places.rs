//! The places of a program that may hold the same closures or existentials.
//!
//! ```text
//!   %a = closure @f(%k)                    places: %a, %b, %c, the elements of %l, %g,
//!   %b = closure @g()                              the parameter %h of @use
//!   %c = select %p, %a, %b       ──►       makers: @f with the capture %k, @g
//!   %l = array(%c)
//!   %g = array_get %l[%i]
//!   call @use(%g)
//! ```
//!
//! # Algorithm
//!
//! Each closure or existential in the type of a value is a *slot*: of a struct, a tuple, an enum,
//! an array or a variable, at any depth, and of the parameters and results of a closure. Union-find
//! joins the slots of values that flow into each other. A class of slots is *fixed* if code that
//! stays as it is makes or uses its closures.
//!
//! Source: Steensgaard, "Points-to Analysis in Almost Linear Time", 1996. Types change with the
//! closures that they hold, so inclusion in one direction would not help.
//!
//! Cost: near-linear in the operations, times the closures in the types of their operands.
//!
//! # Non-guarantees
//!
//! All calls of a function share its parameters: the closures of one call may also be those of
//! another one.

use std::ops::Range;

use melior::ir::{Location, Type};
use rustc_hash::FxHashMap;
use tfx_dialects::ad;
use tfx_dialects::derivatives::rule;
use tfx_dialects::host::{self, HostOp};
use tfx_dialects::types::{HostType, host_type, is_generic};
use tfx_ir::ops::{Structured, arith, func, scf};
use tfx_ir::symbols::{SymbolTable, for_each_symbol};
use tfx_ir::{Op, Value};

use crate::aggregates::{cases, parts};
use crate::closures::signature_of_closure;
use crate::demand::{Kind, Request};
use crate::functions::functions;

/// The deepest nesting of types; the slots of deeper ones are not followed: a generic struct can
/// contain itself with ever larger arguments.
const MOST_NESTING: usize = 100;

/// Consecutive slots: those of a type.
pub(crate) type Slots = Range<usize>;

/// The reason why a closure has to stay a closure.
#[derive(Clone, Debug)]
pub(crate) struct Reason<'a> {
    pub(crate) location: Location<'a>,
    pub(crate) text: String,
    /// The advice to the user.
    pub(crate) to_write: &'static str,
}

const OF_PUBLIC: &str =
    "make this function private, and pass a closure to each call, or name the function";
const OF_OTHERS: &str = "make a closure for the derivative alone, or name the function";
const OF_PULLBACKS: &str =
    "write a function that applies the pullback, and differentiate that function";

/// An operation that makes a closure or an existential.
#[derive(Clone, Copy)]
pub(crate) enum Maker<'a> {
    Closure(host::Closure<'a>),
    Erase(host::Erase<'a>),
}

impl<'a> Maker<'a> {
    pub(crate) fn op(self) -> Op<'a> {
        match self {
            Maker::Closure(op) => op.op(),
            Maker::Erase(op) => op.op(),
        }
    }

    /// Returns the values that it keeps.
    pub(crate) fn captures(self) -> Vec<Value<'a>> {
        self.op().operands().collect()
    }
}

/// The slots of a program and their classes.
pub(crate) struct Places<'a> {
    sizes: Sizes<'a>,
    /// By slot: another one of its class; itself for the one that represents the class.
    parents: Vec<usize>,
    /// By slot.
    types: Vec<Type<'a>>,
    values: FxHashMap<Value<'a>, Slots>,
    /// By function: the slots of its results.
    results: FxHashMap<Op<'a>, Vec<Slots>>,
    /// In program order.
    makers: Vec<(usize, Maker<'a>)>,
    /// The methods of existentials that are called, each with the slot of the receiver.
    called: Vec<(usize, &'a str)>,
    /// By type and protocol.
    tables: FxHashMap<(Type<'a>, &'a str), host::WitnessTable<'a>>,
    fixed: Vec<(usize, Reason<'a>)>,
    /// The location of the current operation.
    location: Location<'a>,
}

impl<'a> Places<'a> {
    /// Finds the places of a program.
    pub(crate) fn of(program: &SymbolTable<'a>) -> Self {
        let mut places = Places {
            sizes: Sizes::default(),
            parents: Vec::new(),
            types: Vec::new(),
            values: FxHashMap::default(),
            results: FxHashMap::default(),
            makers: Vec::new(),
            called: Vec::new(),
            tables: program
                .ops()
                .filter_map(host::WitnessTable::cast)
                .map(|table| ((table.conforming(), table.protocol()), table))
                .collect(),
            fixed: Vec::new(),
            location: program.owner().location(),
        };
        places.add_signatures(program);
        for function in functions(program).collect::<Vec<_>>() {
            for op in function.walk().skip(1) {
                places.location = op.location();
                places.add(op, function, program);
            }
        }
        for slot in 0..places.parents.len() {
            places.parents[slot] = places.find(slot);
        }
        places
    }

    /// Returns the slot that represents the class of a slot.
    pub(crate) fn class(&self, slot: usize) -> usize {
        self.parents[slot]
    }

    /// Returns the type of the closures or existentials of a slot.
    pub(crate) fn ty(&self, slot: usize) -> Type<'a> {
        self.types[slot]
    }

    /// Returns the slots of a value; none if its type has no closures.
    pub(crate) fn slots(&self, value: Value<'a>) -> Slots {
        self.values.get(&value).cloned().unwrap_or(0..0)
    }

    /// Returns the slots of the results of a function.
    pub(crate) fn results(&self, function: Op<'a>) -> &[Slots] {
        &self.results[&function]
    }

    /// Returns the number of slots of a type.
    pub(crate) fn size(&mut self, ty: Type<'a>, program: &SymbolTable<'a>) -> usize {
        self.sizes.of(ty, program)
    }

    /// Returns the slots of the parts of a type with the slots `slots`.
    pub(crate) fn parts(
        &mut self,
        ty: Type<'a>,
        slots: Slots,
        program: &SymbolTable<'a>,
    ) -> Vec<Slots> {
        self.sizes.parts(ty, slots, program)
    }

    /// Appends the slots of a type that are not in the signature of a closure.
    pub(crate) fn outer(
        &mut self,
        ty: Type<'a>,
        slots: Slots,
        program: &SymbolTable<'a>,
        outer: &mut Vec<Slots>,
    ) {
        if own(ty) == 1 {
            return outer.push(slots.start..slots.start + 1);
        }
        let parts = self.parts(ty, slots, program);
        for (part, slots) in components(ty, program).into_iter().zip(parts) {
            self.outer(part, slots, program, outer);
        }
    }

    /// Returns the witness table of the type of an existential.
    pub(crate) fn table(&self, erase: host::Erase<'a>) -> Option<host::WitnessTable<'a>> {
        let ty = self.types[self.slots(erase.result()).start];
        let Some(HostType::Any(protocol)) = host_type(ty) else {
            return None;
        };
        self.tables.get(&(erase.value().ty(), protocol)).copied()
    }

    /// Returns the methods of existentials that are called, each with the slot of the receiver.
    pub(crate) fn called(&self) -> impl Iterator<Item = (usize, &'a str)> {
        self.called.iter().copied()
    }

    /// Returns the operations that make closures and existentials, each with its slot, in program
    /// order.
    pub(crate) fn makers(&self) -> impl Iterator<Item = (usize, Maker<'a>)> {
        self.makers.iter().copied()
    }

    /// Returns the slots that stay closures, with the reasons.
    pub(crate) fn fixed(&self) -> impl Iterator<Item = (usize, &Reason<'a>)> {
        self.fixed.iter().map(|(slot, reason)| (*slot, reason))
    }

    // ------------------------------------------------------------------------------- Union-find

    fn find(&mut self, mut slot: usize) -> usize {
        while self.parents[slot] != slot {
            self.parents[slot] = self.parents[self.parents[slot]];
            slot = self.parents[slot];
        }
        slot
    }

    fn join(&mut self, a: &Slots, b: &Slots) {
        if a.len() != b.len() {
            let text = || "it is in a type that contains itself here".to_owned();
            self.fix(a, text, OF_OTHERS);
            self.fix(b, text, OF_OTHERS);
        }
        for (a, b) in a.clone().zip(b.clone()) {
            let (a, b) = (self.find(a), self.find(b));
            // The older slot: the classes are the same in each run.
            self.parents[a.max(b)] = a.min(b);
        }
    }

    fn join_values(&mut self, a: Value<'a>, b: Value<'a>, program: &SymbolTable<'a>) {
        let (a, b) = (self.value(a, program), self.value(b, program));
        self.join(&a, &b);
    }

    /// Returns the slots of a value, which are new at the first time.
    fn value(&mut self, value: Value<'a>, program: &SymbolTable<'a>) -> Slots {
        if let Some(slots) = self.values.get(&value) {
            return slots.clone();
        }
        let slots = self.add_slots(value.ty(), program);
        if !slots.is_empty() {
            self.values.insert(value, slots.clone());
        }
        slots
    }

    fn add_slots(&mut self, ty: Type<'a>, program: &SymbolTable<'a>) -> Slots {
        let first = self.types.len();
        if self.sizes.of(ty, program) > 0 {
            self.sizes.list(ty, program, &mut self.types);
        }
        self.parents.extend(first..self.types.len());
        first..self.types.len()
    }

    fn fix(&mut self, slots: &Slots, text: impl Fn() -> String, to_write: &'static str) {
        let reason = || Reason {
            location: self.location,
            text: text(),
            to_write,
        };
        let fixed: Vec<_> = slots.clone().map(|slot| (slot, reason())).collect();
        self.fixed.extend(fixed);
    }

    // ------------------------------------------------------------------------------ Functions

    /// Adds the parameters and results of all functions, and fixes those of functions that unknown
    /// code calls.
    fn add_signatures(&mut self, program: &SymbolTable<'a>) {
        let mut fixed: FxHashMap<Op<'a>, (Location<'a>, String)> = FxHashMap::default();
        let mut referred = |op: Op<'a>, target: Option<Op<'a>>, text: &str| {
            if let Some(target) = target {
                let name = target.symbol_name().unwrap_or_default();
                fixed.entry(target).or_insert((
                    op.location(),
                    format!("'@{name}' {text}, so its callers are not all known"),
                ));
            }
        };
        for op in program.ops().filter(|op| !is_generic(*op)) {
            if let Some(rule) = rule(op) {
                let names = [rule.forward, rule.backward, rule.jvp];
                let parts = names.into_iter().flatten().map(|name| program.get(name));
                let text = "is a part of a rule (tfx_ad.rule)";
                parts.for_each(|part| referred(op, part, text));
                referred(op, Some(op), "has a rule (tfx_ad.rule)");
            }
            for inner in op.walk() {
                let is_known = inner.isa::<func::Call>()
                    || inner.isa::<host::Closure>()
                    || Request::read(inner).is_some();
                if !is_known {
                    let text = format!("is referred to by '{}'", inner.name());
                    for_each_symbol(inner, |name| referred(inner, program.get(name), &text));
                }
            }
        }
        let all = program.ops().filter(|op| op.isa::<func::Func>());
        let all = all.filter(|op| !is_generic(*op));
        for function in all.collect::<Vec<_>>() {
            let name = function.symbol_name().unwrap_or_default();
            let (_, types) = function.signature();
            let results: Vec<_> = types
                .into_iter()
                .map(|ty| self.add_slots(ty, program))
                .collect();
            let mut slots = results.clone();
            if let Some(entry) = function.region(0).entry() {
                slots.extend(entry.arguments().map(|it| self.value(it, program)));
            }
            self.results.insert(function, results);
            if !function.is_private() {
                let text = || format!("'@{name}' is public, so its callers are not all known");
                self.location = function.location();
                slots
                    .iter()
                    .for_each(|slots| self.fix(slots, text, OF_PUBLIC));
            }
            if let Some((location, text)) = fixed.get(&function) {
                self.location = *location;
                let text = || text.clone();
                slots
                    .iter()
                    .for_each(|slots| self.fix(slots, text, OF_OTHERS));
            }
        }
    }

    /// Joins arguments with the parameters of a function. Returns the slots of the results; none if
    /// the function is foreign.
    fn pass(
        &mut self,
        callee: Op<'a>,
        arguments: &[Slots],
        program: &SymbolTable<'a>,
    ) -> Option<Vec<Slots>> {
        let Some(entry) = callee.region(0).entry() else {
            let name = callee.symbol_name().unwrap_or_default();
            let text = || format!("it is passed to the foreign function '@{name}' here");
            for slots in arguments {
                self.fix(slots, text, OF_OTHERS);
            }
            return None;
        };
        for (parameter, slots) in entry.arguments().zip(arguments) {
            let parameter = self.value(parameter, program);
            self.join(&parameter, slots);
        }
        Some(self.results[&callee].clone())
    }

    /// Joins the results of a call with those of the function.
    fn take(&mut self, given: &[Slots], results: Option<Vec<Slots>>) {
        match results {
            Some(results) => {
                for (result, own) in results.iter().zip(given) {
                    self.join(result, own);
                }
            }
            None => {
                for slots in given {
                    let text = || "a foreign function returns it here".to_owned();
                    self.fix(slots, text, OF_OTHERS);
                }
            }
        }
    }

    // ------------------------------------------------------------------------------ Operations

    fn add(&mut self, op: Op<'a>, function: Op<'a>, program: &SymbolTable<'a>) {
        let values = op.operands().chain(op.results());
        let mut has_slots = false;
        for value in values {
            has_slots |= !self.value(value, program).is_empty();
        }
        if !has_slots {
            return;
        }
        let slots = |places: &mut Self, values: &mut dyn Iterator<Item = Value<'a>>| {
            let slots = values.map(|value| places.value(value, program));
            slots.collect::<Vec<_>>()
        };
        if let Some(call) = func::Call::cast(op) {
            let arguments = slots(self, &mut op.operands());
            let results = slots(self, &mut op.results());
            let callee = program.get(call.callee());
            let callee = callee.expect("the verifier finds the callee");
            let own = self.pass(callee, &arguments, program);
            self.take(&results, own);
        } else if op.isa::<func::Return>() {
            let returned = slots(self, &mut op.operands());
            let results = self.results[&function].clone();
            for (slots, result) in returned.iter().zip(&results) {
                self.join(result, slots);
            }
        } else if op.isa::<arith::Select>() {
            self.join_values(op.operand(1), op.result(0), program);
            self.join_values(op.operand(2), op.result(0), program);
        } else if op.num_successors() > 0 {
            self.add_branch(op, program);
        } else if let Some(structured) = Structured::cast(op) {
            for position in structured.inits().positions() {
                for destination in structured.entered_by(position) {
                    self.join_values(op.operand(position), destination, program);
                }
            }
        } else if op.isa::<scf::Yield>() || op.isa::<scf::Condition>() {
            if let Some(structured) = Structured::around(op) {
                for position in 0..op.num_operands() {
                    let operand = op.operand(position);
                    // The condition of a loop is forwarded to nothing.
                    for destination in structured.left_by(op, position) {
                        self.join_values(operand, destination, program);
                    }
                }
            } else {
                self.fix_all(op, program);
            }
        } else if let Some(request) = Request::read(op) {
            self.add_request(&request, program);
        } else if op.isa::<ad::Stop>() {
            self.join_values(op.operand(0), op.result(0), program);
        } else {
            match HostOp::cast(op) {
                Some(host) => self.add_host(host, program),
                None => self.fix_all(op, program),
            }
        }
    }

    fn add_branch(&mut self, op: Op<'a>, program: &SymbolTable<'a>) {
        let switch = host::SwitchEnum::cast(op);
        let names = switch.map(host::SwitchEnum::case_names).unwrap_or_default();
        let first_case = usize::from(switch.is_some_and(host::SwitchEnum::has_default));
        for number in 0..op.num_successors() {
            let Some(operands) = op.successor_operands(number) else {
                return self.fix_all(op, program);
            };
            let block = op.successor(number);
            for (index, argument) in block.arguments().enumerate() {
                if let Some(value) = operands.value(index) {
                    self.join_values(value, argument, program);
                }
            }
            let case = number.checked_sub(first_case).and_then(|it| names.get(it));
            if let Some((switch, case)) = switch.zip(case) {
                let payload: Vec<_> = block.arguments().take(operands.produced()).collect();
                self.add_payload(switch.value(), case, &payload, program);
            }
        }
    }

    /// Joins values with the payload of a case of an enum.
    fn add_payload(
        &mut self,
        whole: Value<'a>,
        case: &str,
        payload: &[Value<'a>],
        program: &SymbolTable<'a>,
    ) {
        let first = payload_position(whole.ty(), case, program);
        for (index, value) in payload.iter().enumerate() {
            self.join_part(*value, whole, first + index, program);
        }
    }

    /// Joins a value with a part of another one.
    fn join_part(
        &mut self,
        value: Value<'a>,
        whole: Value<'a>,
        part: usize,
        program: &SymbolTable<'a>,
    ) {
        let part = self.part(whole, part, program);
        let value = self.value(value, program);
        self.join(&value, &part);
    }

    /// Returns the slots of a part of a value.
    fn part(&mut self, whole: Value<'a>, index: usize, program: &SymbolTable<'a>) -> Slots {
        let slots = self.value(whole, program);
        let mut parts = self.sizes.parts(whole.ty(), slots, program);
        match index < parts.len() {
            true => parts.swap_remove(index),
            false => 0..0,
        }
    }

    fn add_host(&mut self, op: HostOp<'a>, program: &SymbolTable<'a>) {
        match op {
            HostOp::Closure(op) => {
                let own = self.value(op.closure(), program);
                self.makers.push((own.start, Maker::Closure(op)));
                let callee = program.get(op.callee());
                let callee = callee.expect("the verifier finds the callee");
                let captures: Vec<_> = op
                    .captures()
                    .iter()
                    .map(|it| self.value(it, program))
                    .collect();
                let (inputs, outputs) = self.signature(op.closure(), program);
                let arguments = [&captures[..], &inputs].concat();
                let results = self.pass(callee, &arguments, program);
                self.take(&outputs, results);
            }
            HostOp::Apply(op) => {
                let (inputs, outputs) = self.signature(op.closure(), program);
                for (input, argument) in inputs.iter().zip(op.arguments().iter()) {
                    let argument = self.value(argument, program);
                    self.join(input, &argument);
                }
                for (output, result) in outputs.iter().zip(op.op().results()) {
                    let result = self.value(result, program);
                    self.join(output, &result);
                }
            }
            HostOp::MakeStruct(op) => {
                for (index, field) in op.fields().iter().enumerate() {
                    self.join_part(field, op.result(), index, program);
                }
            }
            HostOp::MakeTuple(op) => {
                for (index, element) in op.elements().iter().enumerate() {
                    self.join_part(element, op.result(), index, program);
                }
            }
            HostOp::MakeEnum(op) => {
                let payload = op.payload().to_vec();
                self.add_payload(op.result(), op.case_name(), &payload, program);
            }
            HostOp::EnumPayload(op) => {
                let payload: Vec<_> = op.op().results().collect();
                self.add_payload(op.value(), op.case_name(), &payload, program);
            }
            HostOp::Extract(op) => {
                let field = field_position(op.aggregate().ty(), op.field(), program);
                self.join_part(op.result(), op.aggregate(), field, program);
            }
            HostOp::Insert(op) => {
                let field = field_position(op.aggregate().ty(), op.field(), program);
                self.join_part(op.value(), op.aggregate(), field, program);
                self.join_values(op.aggregate(), op.result(), program);
            }
            HostOp::TupleGet(op) => {
                self.join_part(op.result(), op.tuple(), op.index() as usize, program);
            }
            // The slots of a variable are those of its value.
            HostOp::Load(op) => self.join_values(op.reference(), op.value(), program),
            HostOp::Store(op) => self.join_values(op.value(), op.reference(), program),
            HostOp::FieldRef(op) => {
                let Some(HostType::Ref(whole)) = host_type(op.reference().ty()) else {
                    return self.fix_all(op.op(), program);
                };
                let slots = self.value(op.reference(), program);
                let field = field_position(whole, op.field(), program);
                let parts = self.sizes.parts(whole, slots, program);
                let result = self.value(op.result(), program);
                self.join(&result, parts.get(field).unwrap_or(&(0..0)));
            }
            // The slots of an array are those of its elements.
            HostOp::Array(op) => {
                for element in op.elements().iter() {
                    self.join_values(element, op.array(), program);
                }
            }
            HostOp::ArrayGet(op) => self.join_values(op.array(), op.element(), program),
            HostOp::ArrayFill(op) => self.join_values(op.value(), op.array(), program),
            HostOp::ArraySet(op) => {
                self.join_values(op.value(), op.array(), program);
                self.join_values(op.array(), op.result(), program);
            }
            HostOp::ArrayCount(_) | HostOp::EnumTag(_) | HostOp::Undef(_) | HostOp::Var(_) => {}
            HostOp::New(_) | HostOp::MemberRef(_) => {
                self.fix_as(op.op(), "an object holds it here", program);
            }
            HostOp::Erase(op) => {
                let own = self.value(op.result(), program);
                self.makers.push((own.start, Maker::Erase(op)));
                let value = self.value(op.value(), program);
                let methods = self.table(op).map(host::WitnessTable::methods);
                for method in methods.unwrap_or_default() {
                    if let Some(function) = program.get(method) {
                        self.pass(function, std::slice::from_ref(&value), program);
                    }
                }
            }
            HostOp::DynamicCall(op) => {
                let is_any = matches!(host_type(op.receiver().ty()), Some(HostType::Any(_)));
                if is_any {
                    let receiver = self.value(op.receiver(), program);
                    self.called.push((receiver.start, op.method()));
                }
                let values = op.op().operands().skip(usize::from(is_any));
                let values: Vec<_> = values.chain(op.op().results()).collect();
                for value in values {
                    let slots = self.value(value, program);
                    let text = || "a method takes or returns it here".to_owned();
                    self.fix(&slots, text, OF_OTHERS);
                }
            }
            other => self.fix_all(other.op(), program),
        }
    }

    /// Returns the slots of the parameters and of the results of a closure.
    fn signature(
        &mut self,
        closure: Value<'a>,
        program: &SymbolTable<'a>,
    ) -> (Vec<Slots>, Vec<Slots>) {
        let slots = self.value(closure, program);
        let mut parts = self.sizes.parts(closure.ty(), slots, program);
        let (inputs, _) = signature_of_closure(closure.ty()).expect("the type of a closure");
        let results = parts.split_off(inputs.len());
        (parts, results)
    }

    fn add_request(&mut self, request: &Request<'a>, program: &SymbolTable<'a>) {
        let op = request.op;
        let mut arguments = Vec::new();
        for argument in &request.arguments {
            arguments.push(self.value(*argument, program));
        }
        let results: Vec<_> = op.results().map(|it| self.value(it, program)).collect();
        let own = match request.closure {
            Some(closure) => {
                let (inputs, outputs) = self.signature(closure, program);
                for (input, argument) in inputs.iter().zip(&arguments) {
                    self.join(input, argument);
                }
                Some(outputs)
            }
            None => {
                let callee = request.callee.and_then(|name| program.get(name));
                let callee = callee.expect("the verifier finds the callee");
                self.pass(callee, &arguments, program)
            }
        };
        // The results of the function come before tangents and pullbacks.
        let count = match request.kind {
            Kind::Gradient { value } => usize::from(value),
            Kind::Vjp => results.len().saturating_sub(1),
            Kind::Jvp => own.as_ref().map_or(0, Vec::len).min(results.len()),
        };
        let (values, derivatives) = results.split_at(count);
        self.take(values, own);
        for slots in derivatives {
            let text = || "it is the pullback of this derivative".to_owned();
            self.fix(slots, text, OF_PULLBACKS);
        }
    }

    /// Fixes the slots of an operation that is not known to pass closures on.
    fn fix_all(&mut self, op: Op<'a>, program: &SymbolTable<'a>) {
        self.fix_as(op, &format!("'{}' uses it here", op.name()), program);
    }

    fn fix_as(&mut self, op: Op<'a>, text: &str, program: &SymbolTable<'a>) {
        let values: Vec<_> = op.operands().chain(op.results()).collect();
        for value in values {
            let slots = self.value(value, program);
            self.fix(&slots, || text.to_owned(), OF_OTHERS);
        }
    }
}

/// The numbers of slots of types.
#[derive(Default)]
pub(crate) struct Sizes<'a> {
    known: FxHashMap<Type<'a>, usize>,
}

impl<'a> Sizes<'a> {
    /// Returns the number of slots of a type; zero for a type that contains itself.
    pub(crate) fn of(&mut self, ty: Type<'a>, program: &SymbolTable<'a>) -> usize {
        self.nested(ty, program, &mut Vec::new())
    }

    fn nested(
        &mut self,
        ty: Type<'a>,
        program: &SymbolTable<'a>,
        around: &mut Vec<(Type<'a>, bool)>,
    ) -> usize {
        if let Some(size) = self.known.get(&ty) {
            return *size;
        }
        if let Some((_, is_infinite)) = around.iter_mut().find(|(other, _)| *other == ty) {
            *is_infinite = true;
            return 0;
        }
        if around.len() == MOST_NESTING {
            self.known.insert(ty, 0);
            return 0;
        }
        around.push((ty, false));
        let parts = components(ty, program);
        let sizes = parts
            .into_iter()
            .map(|part| self.nested(part, program, around));
        let size = own(ty) + sizes.sum::<usize>();
        let is_infinite = around.pop().is_some_and(|(_, is_infinite)| is_infinite);
        let size = if is_infinite { 0 } else { size };
        self.known.insert(ty, size);
        size
    }

    /// Appends the types of the closures of a type that has some.
    fn list(&mut self, ty: Type<'a>, program: &SymbolTable<'a>, types: &mut Vec<Type<'a>>) {
        types.extend((own(ty) == 1).then_some(ty));
        for part in components(ty, program) {
            if self.of(part, program) > 0 {
                self.list(part, program, types);
            }
        }
    }

    /// Returns the slots of the parts of a type with the slots `slots`.
    fn parts(&mut self, ty: Type<'a>, slots: Slots, program: &SymbolTable<'a>) -> Vec<Slots> {
        if slots.is_empty() {
            return Vec::new();
        }
        let mut first = slots.start + own(ty);
        let parts = components(ty, program).into_iter().map(|part| {
            let start = first;
            first += self.of(part, program);
            start..first
        });
        parts.collect()
    }
}

/// Returns the number of slots of a type that are not those of its parts.
fn own(ty: Type<'_>) -> usize {
    let is_own = matches!(host_type(ty), Some(HostType::Closure(_) | HostType::Any(_)));
    usize::from(is_own)
}

/// Returns the types that a type consists of, one level deep.
pub(crate) fn components<'a>(ty: Type<'a>, program: &SymbolTable<'a>) -> Vec<Type<'a>> {
    if let Some((inputs, outputs)) = signature_of_closure(ty) {
        return [inputs, outputs].concat();
    }
    if let Some(HostType::Array(part) | HostType::Ref(part)) = host_type(ty) {
        return vec![part];
    }
    if let Some(cases) = cases(ty, program) {
        return cases.into_iter().flat_map(|case| case.payload).collect();
    }
    let parts = parts(ty, program).unwrap_or_default();
    parts.into_iter().map(|part| part.ty).collect()
}

/// Returns the position of a field among the parts of a struct or a tuple, whose fields are named
/// by their positions.
fn field_position(ty: Type<'_>, name: &str, program: &SymbolTable<'_>) -> usize {
    let parts = parts(ty, program).unwrap_or_default();
    let position = parts.iter().position(|part| part.field == Some(name));
    position.or_else(|| name.parse().ok()).unwrap_or(usize::MAX)
}

/// Returns the position of the payload of a case among the parts of an enum.
fn payload_position(ty: Type<'_>, name: &str, program: &SymbolTable<'_>) -> usize {
    let cases = cases(ty, program).unwrap_or_default();
    let before = cases.iter().take_while(|case| case.name != name);
    before.map(|case| case.payload.len()).sum()
}
