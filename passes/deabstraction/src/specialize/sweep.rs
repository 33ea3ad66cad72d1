//! Erases generic code once everything needed has been specialized.
//!
//! ```text
//!   witness tables                stay where the run time needs them (existentials.rs); nothing else looks at them
//!   protocols                     stay where an existential or a public generic function needs them
//!   private generic functions     stay where a public generic function needs them
//!   public generic functions      stay; a remark names those that are never specialized: no code is generated for them
//! ```
//!
//! Visibility does not keep a table or a protocol: code of another module cannot reach them, and
//! the functions of a table could not be scalarized while it exists.

use std::collections::HashSet;
use tfx_dialects::host;

use melior::ir::attribute::ArrayAttribute;
use melior::ir::{Attribute, Type};
use tfx_ir::{Op, diag};

use super::specializer::Specializer;
use crate::names;

impl<'a> Specializer<'a> {
    pub(super) fn sweep(&mut self) {
        for table in std::mem::take(&mut self.existentials.unneeded) {
            self.symbols.erase(table);
        }
        let (functions, protocols) = self.needed_by_public_functions();
        self.erase_protocols(&protocols);
        for (index, generic) in self.generics.iter().enumerate() {
            if !functions.contains(&index) {
                self.symbols.erase(generic.op);
            } else if !generic.op.is_private() && !generic.used {
                let message = format!(
                    "no code is generated for generic function '@{}', because nothing calls it with type arguments; \
                     call it with tfx_host.call, or make it private",
                    generic.symbol
                );
                diag::remark(generic.op.location(), message).emit();
            }
        }
    }

    /// Returns the generic functions that stay, and the protocols that they need.
    fn needed_by_public_functions(&self) -> (HashSet<usize>, HashSet<&'a str>) {
        let public =
            (0..self.generics.len()).filter(|index| !self.generics[*index].op.is_private());
        let mut pending: Vec<_> = public.collect();
        let mut functions = HashSet::new();
        let mut protocols = HashSet::new();
        while let Some(index) = pending.pop() {
            if !functions.insert(index) {
                continue;
            }
            let generic = &self.generics[index];
            let mut reach = |symbol: &'a str| {
                if let Some(function) = self.by_name.get(symbol) {
                    pending.push(*function);
                }
                if let Some(protocol) = self.conformances.protocols.get(symbol)
                    && protocols.insert(symbol)
                {
                    let defaults = protocol.methods.iter().filter_map(|method| method.default);
                    pending.extend(defaults.filter_map(|default| self.by_name.get(default)));
                }
            };
            let required = generic.params.iter().flat_map(|param| &param.protocols);
            required.for_each(|protocol| reach(protocol));
            for op in generic.op.walk() {
                names::symbols_other_than_calls(op, &mut reach);
                existential_protocols(op).for_each(&mut reach);
            }
        }
        (functions, protocols)
    }

    fn erase_protocols(&mut self, needed: &HashSet<&'a str>) {
        for (symbol, protocol) in &self.conformances.protocols {
            if needed.contains(symbol) {
                continue;
            }
            if self.existentials.protocols.contains(symbol) {
                // Its tables are complete, and the defaults are unneeded generic functions.
                let context = protocol.op.context();
                let none = vec![Attribute::unit(context); protocol.methods.len()];
                let none = ArrayAttribute::new(context, &none);
                protocol
                    .op
                    .set_attribute(host::Protocol::METHOD_DEFAULTS_ATTR, none);
            } else {
                self.symbols.erase(protocol.op);
            }
        }
    }
}

/// Returns the protocols of the existentials that an operation creates or calls.
fn existential_protocols(op: Op<'_>) -> impl Iterator<Item = &str> {
    use tfx_dialects::types::{HostType, host_type};
    let of_interest = op.isa::<host::Erase>() || op.isa::<host::DynamicCall>();
    let types: Vec<Type<'_>> = if of_interest {
        let operands = op.operands().map(|operand| operand.ty());
        operands.chain(op.result_types()).collect()
    } else {
        Vec::new()
    };
    types.into_iter().filter_map(|ty| match host_type(ty) {
        Some(HostType::Any(protocol)) => Some(protocol),
        _ => None,
    })
}
