//! The run-time data of existentials and class instances: witness tables of known types.
//!
//! ```text
//!   erase %v : Box<i32> to any<@Show>          dynamic_call %any["show"](...)
//!        │                                          │
//!        ▼                                          ▼  the position of "show" in @Show's methods
//!   witness_table private @"Box_Show<i32>" : Box<i32> conforms @Show {Text: string, show = @"box_show<i32>", hide = @"default_hide<Box<i32>>"}
//! ```
//!
//! # The contract with the lowering of these operations
//!
//! After `tfx-specialize`, for each `erase` from a type `T` to `any<@P>`, and for each
//! `dynamic_call` of a method of `@P` on an object of type `T`:
//!
//! * There is exactly one `tfx_host.witness_table` of exactly `T` for `@P`, without type
//!   parameters. Every remaining table is such a table.
//! * It has all associated types of the protocol, in the order of the protocol, in normal form.
//! * It has all methods of the protocol, in the order of the protocol, defaults included. Each
//!   names a function that is not generic. So the methods are a virtual table: a method has the
//!   same position in all tables of one protocol, which is its position in the protocol.
//! * A `dynamic_call` on an object is unambiguous: exactly one table of the object's type belongs
//!   to a protocol with that method. (Classes have no subclasses, so the function is known; the
//!   call stays dynamic because class methods are outside the static subset.)
//! * The protocol of each of these tables, and of each `dynamic_call` on an existential, exists. It
//!   has no defaults, unless a public generic function that stays needs them.

use std::collections::{HashMap, HashSet};

use melior::ir::{Location, Type};
use tfx_dialects::host;
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::symbols::{SYMBOL_NAME, SYMBOL_VISIBILITY};
use tfx_ir::{Builder, Mapping, Op, Value, diag};

use super::conformances::Conformance;
use super::specializer::{Needed, Specializer};
use super::types::{describe, describe_applied};
use crate::layout::key;

/// Requests.
impl<'a> Specializer<'a> {
    pub(super) fn resolve_erase(&mut self, erase: host::Erase<'a>, user: Option<usize>) {
        if let Some(HostType::Any(protocol)) = host_type(erase.result().ty()) {
            // Once structs are scalarized, a tuple represents one.
            let conforming = erase.conforming().unwrap_or(erase.value().ty());
            self.need_table(conforming, protocol, erase.location(), user);
        }
    }

    pub(super) fn resolve_dynamic_call(
        &mut self,
        call: host::DynamicCall<'a>,
        user: Option<usize>,
    ) {
        let receiver = call.receiver().ty();
        match host_type(receiver) {
            Some(HostType::Any(protocol)) => _ = self.existentials.protocols.insert(protocol),
            _ => self.resolve_method(call.op(), receiver, call.method(), user),
        }
    }

    /// A method of a class: that of the only protocol with such a method to which the class
    /// conforms.
    fn resolve_method(
        &mut self,
        call: Op<'a>,
        receiver: Type<'a>,
        method: &'a str,
        user: Option<usize>,
    ) {
        let mut found = Vec::new();
        for protocol in self.conformances.with_method(method) {
            if let Ok(conformance) = self.conformances.find(receiver, protocol) {
                found.push((protocol, conformance));
            }
        }
        let class = describe(receiver);
        let (protocol, conformance) = match &found[..] {
            [only] => only,
            [] => {
                let message = format!(
                    "class '{class}' has no method \"{method}\"; \
                     add a tfx_host.witness_table of it for a protocol with that method"
                );
                return self.error(call.location(), message, user);
            }
            [one, other, ..] => {
                let tables = [one, other].map(|(_, found)| &self.conformances.tables[found.table]);
                let message = format!(
                    "method \"{method}\" of class '{class}' is ambiguous: it may be that of @{} or of @{}; rename one of them",
                    one.0, other.0
                );
                let error = diag::error(call.location(), message)
                    .note(tables[0].op.location(), "one is named here")
                    .note(tables[1].op.location(), "the other is named here");
                return self.report(error, user);
            }
        };
        if !self.need_table(receiver, protocol, call.location(), user) {
            return;
        }
        let target = self
            .conformances
            .implementation(receiver, protocol, conformance, method)
            .expect("the verifier checks that tables are complete");
        if let Some((_, function)) = self.target(target.0, &target.1, call.location(), user) {
            let inputs: Vec<_> = call.operands().map(Value::ty).collect();
            self.check_arity(call, function, user)
                .then(|| self.check_signature(call, function, &inputs, &call.result_types(), user));
        }
    }

    /// The verifier checks the method only here.
    fn check_arity(&mut self, call: Op<'a>, function: Op<'a>, user: Option<usize>) -> bool {
        let (inputs, results) = function.signature();
        if inputs.len() == call.num_operands() && results.len() == call.num_results() {
            return true;
        }
        let message = format!(
            "the call has {} operand(s) and {} result(s), but '@{}' is '{}'",
            call.num_operands(),
            call.num_results(),
            function.symbol_name().unwrap_or_default(),
            function
                .function_type()
                .expect("a function has a function type")
        );
        let error =
            diag::error(call.location(), message).note(function.location(), "it is defined here");
        self.report(error, user);
        false
    }

    /// Requests a table of a type for a protocol. Returns whether there can be one.
    fn need_table(
        &mut self,
        ty: Type<'a>,
        protocol: &'a str,
        location: Location<'a>,
        user: Option<usize>,
    ) -> bool {
        if !self.existentials.known.insert((key(ty), protocol)) {
            return true;
        }
        match self.conformances.find(ty, protocol) {
            Ok(conformance) => self.complete(ty, protocol, conformance, location, user),
            Err(problem) => {
                self.report_problem(location, &problem, user);
                false
            }
        }
    }

    fn complete(
        &mut self,
        ty: Type<'a>,
        protocol: &'a str,
        conformance: Conformance<'a>,
        location: Location<'a>,
        user: Option<usize>,
    ) -> bool {
        let Some(declared) = self.conformances.protocols.get(protocol) else {
            return false;
        };
        let names: Vec<_> = declared.methods.iter().map(|method| method.name).collect();
        let assoc_names = declared.associated.clone();
        let mut methods = Vec::new();
        for name in names {
            let (function, arguments) = self
                .conformances
                .implementation(ty, protocol, &conformance, name)
                .expect("the verifier checks that tables are complete");
            match self.target(function, &arguments, location, user) {
                Some((symbol, _)) => methods.push((name, symbol)),
                None => return false,
            }
        }
        let mut associated = Vec::new();
        for name in assoc_names {
            let known = self
                .conformances
                .associated(&conformance, name)
                .expect("the verifier checks that tables are complete");
            match known {
                Ok(known) => associated.push((name, known)),
                Err(problem) => {
                    self.report_problem(location, &problem, user);
                    return false;
                }
            }
        }
        self.existentials.protocols.insert(protocol);
        self.existentials.tables.push(Needed {
            ty,
            protocol,
            conformance,
            associated,
            methods,
        });
        true
    }
}

/// Output.
impl<'a> Specializer<'a> {
    /// Creates the required tables, and lists the others.
    pub(super) fn settle_tables(&mut self) {
        let mut stays = HashSet::new();
        let mut last = HashMap::new();
        for needed in std::mem::take(&mut self.existentials.tables) {
            let table = needed.conformance.table;
            let op = self.conformances.tables[table].op;
            if needed.conformance.arguments.is_empty() {
                fill(op, &needed);
                stays.insert(table);
                continue;
            }
            let name = op.symbol_name().unwrap_or_default();
            let name = self.fresh_name(describe_applied(name, &needed.conformance.arguments));
            let after = last.entry(table).or_insert(op);
            let copy = Builder::after(*after).clone_op(op, &mut Mapping::new());
            *after = copy;
            copy.set_string(SYMBOL_NAME, &name);
            copy.set_string(SYMBOL_VISIBILITY, "private");
            fill(copy, &needed);
            self.symbols.insert(copy);
        }
        let tables = self.conformances.tables.iter().enumerate();
        let others = tables.filter(|(index, _)| !stays.contains(index));
        self.existentials.unneeded = others.map(|(_, table)| table.op).collect();
    }
}

/// Gives a table of a known type all of its methods and associated types.
fn fill<'a>(table: Op<'a>, needed: &Needed<'a>) {
    let table = host::WitnessTable::cast(table).expect("conformances are read from tables");
    debug_assert_eq!(table.protocol(), needed.protocol);
    table.set_type_params(&[]);
    table.set_conforming(needed.ty);
    let (names, types): (Vec<_>, Vec<_>) = needed.associated.iter().copied().unzip();
    table.set_assoc_names(&names);
    table.set_assoc_types(&types);
    let methods = needed
        .methods
        .iter()
        .map(|(name, symbol)| (*name, symbol.as_str()));
    let (names, functions): (Vec<_>, Vec<_>) = methods.unzip();
    table.set_method_names(&names);
    table.set_methods(&functions);
}
