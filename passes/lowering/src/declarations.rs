//! The declarations that operations refer to by name: classes, protocols, witness tables,
//! functions.
//!
//! They are read once, before any signature changes: a closure or a method needs the original types
//! of its function. Cost: linear in the declarations.

use std::collections::{HashMap, HashSet};

use melior::ir::attribute::ArrayAttribute;
use melior::ir::r#type::FunctionType;
use melior::ir::{Type, TypeLike};
use tfx_dialects::foreign::UNCHECKED;
use tfx_dialects::host::{self, HostOp};
use tfx_dialects::types::{substitute, type_arguments};
use tfx_ir::cast::Cast;
use tfx_ir::ops::func;
use tfx_ir::{Op, attribute};

/// The types of a function's parameters and results.
pub(crate) type Signature<'a> = (Vec<Type<'a>>, Vec<Type<'a>>);

/// The declarations of a module.
#[derive(Default)]
pub(crate) struct Declarations<'a> {
    signatures: HashMap<&'a str, Signature<'a>>,
    /// The functions with a body.
    with_code: HashSet<&'a str>,
    /// The foreign functions whose results compiled code checks.
    checked: HashSet<&'a str>,
    classes: HashMap<&'a str, host::Class<'a>>,
    protocols: HashMap<&'a str, host::Protocol<'a>>,
    /// The witness tables of each type, by the address of the type.
    tables: HashMap<usize, Vec<host::WitnessTable<'a>>>,
}

impl<'a> Declarations<'a> {
    /// Collects the declarations of a module.
    pub(crate) fn of(module: Op<'a>) -> Self {
        let mut declarations = Self::default();
        for op in module.children() {
            if let Some(func) = func::Func::cast(op) {
                let signatures = &mut declarations.signatures;
                signatures.insert(func.sym_name(), func.signature());
                if !func.is_declaration() {
                    declarations.with_code.insert(func.sym_name());
                }
                if func.is_declaration() && func.attribute(UNCHECKED).is_none() {
                    declarations.checked.insert(func.sym_name());
                }
            }
            match HostOp::cast(op) {
                Some(HostOp::Class(class)) => {
                    declarations.classes.insert(class.sym_name(), class);
                }
                Some(HostOp::Protocol(protocol)) => {
                    declarations.protocols.insert(protocol.sym_name(), protocol);
                }
                Some(HostOp::WitnessTable(table)) => {
                    let tables = declarations.tables.entry(key(table.conforming()));
                    tables.or_default().push(table);
                }
                _ => {}
            }
        }
        declarations
    }

    /// Returns the original signature of a function.
    pub(crate) fn signature(&self, function: &str) -> Option<&Signature<'a>> {
        self.signatures.get(function)
    }

    /// Returns whether a function has a body: it is not foreign.
    pub(crate) fn has_code(&self, function: &str) -> bool {
        self.with_code.contains(function)
    }

    /// Returns whether compiled code checks the results of a function: it is foreign.
    pub(crate) fn is_checked(&self, function: &str) -> bool {
        self.checked.contains(function)
    }

    /// Returns the original signature of a function; no types if there is no such function.
    pub(crate) fn signature_or_empty(&self, function: &str) -> Signature<'a> {
        self.signature(function).cloned().unwrap_or_default()
    }

    /// Returns the fields of a class, with their types for the type arguments of `object`.
    pub(crate) fn fields(&self, class: &str, object: Type<'a>) -> Vec<(&'a str, Type<'a>)> {
        let Some(class) = self.classes.get(class) else {
            return Vec::new();
        };
        let parameters = class.type_params().into_iter();
        let arguments: Vec<_> = parameters.zip(type_arguments(object)).collect();
        let types = class.field_types().into_iter();
        let types = types.map(|ty| substitute(ty, &arguments));
        class.field_names().into_iter().zip(types).collect()
    }

    /// Returns a protocol.
    pub(crate) fn protocol(&self, name: &str) -> Option<host::Protocol<'a>> {
        self.protocols.get(name).copied()
    }

    /// Returns the witness tables of a type, in the order of the module.
    pub(crate) fn tables_of(&self, conforming: Type<'a>) -> &[host::WitnessTable<'a>] {
        self.tables.get(&key(conforming)).map_or(&[], Vec::as_slice)
    }

    /// Returns the function that implements a method: the one in the witness table, or the default
    /// of the protocol.
    pub(crate) fn method(&self, table: host::WitnessTable<'a>, method: &str) -> Option<&'a str> {
        let named = position(&table.method_names(), method)
            .and_then(|index| table.methods().get(index).copied());
        let default = || {
            let protocol = self.protocol(table.protocol())?;
            let index = position(&protocol.method_names(), method)?;
            let defaults = ArrayAttribute::cast(protocol.method_defaults())?;
            attribute::symbol(defaults.element(index).ok()?)
        };
        named.or_else(default)
    }
}

/// Returns the address of a type, which is unique in its context.
fn key(ty: Type<'_>) -> usize {
    ty.to_raw().ptr as usize
}

/// Returns the position of a name.
pub(crate) fn position(names: &[&str], name: &str) -> Option<usize> {
    names.iter().position(|candidate| *candidate == name)
}

/// Returns the type of a method in a protocol: its parameters, `Self` first, and its results.
pub(crate) fn method_type<'a>(
    protocol: host::Protocol<'a>,
    method: &str,
) -> Option<FunctionType<'a>> {
    let index = position(&protocol.method_names(), method)?;
    FunctionType::cast(protocol.method_types().get(index).copied()?)
}
