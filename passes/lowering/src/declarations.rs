//! What the operations of a function refer to by name: classes, protocols, witness tables, functions.
//!
//! Read once, before any signature changes: a closure or a method must know the types of the function that it stands for.
//! Cost: linear in the declarations.

use std::collections::HashMap;

use melior::ir::attribute::{ArrayAttribute, TypeAttribute};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Type, TypeLike};
use tfx_dialects::types::{substitute, type_arguments};
use tfx_ir::{Op, attribute};

/// The types of a function's parameters and results.
pub(crate) type Signature<'a> = (Vec<Type<'a>>, Vec<Type<'a>>);

/// The declarations of a module.
pub(crate) struct Declarations<'a> {
    signatures: HashMap<&'a str, Signature<'a>>,
    classes: HashMap<&'a str, Op<'a>>,
    protocols: HashMap<&'a str, Op<'a>>,
    /// The witness tables of a type, by the address of the type.
    tables: HashMap<usize, Vec<Op<'a>>>,
}

impl<'a> Declarations<'a> {
    /// Those of a module.
    pub(crate) fn of(module: Op<'a>) -> Self {
        let mut declarations = Self {
            signatures: HashMap::new(),
            classes: HashMap::new(),
            protocols: HashMap::new(),
            tables: HashMap::new(),
        };
        for op in module.children() {
            let name = op.symbol_name().unwrap_or_default();
            match op.name() {
                "func.func" => {
                    declarations.signatures.insert(name, op.signature());
                }
                "tfx_host.class" => {
                    declarations.classes.insert(name, op);
                }
                "tfx_host.protocol" => {
                    declarations.protocols.insert(name, op);
                }
                "tfx_host.witness_table" => {
                    let of = op.type_attribute("conforming").map(key);
                    declarations
                        .tables
                        .entry(of.unwrap_or_default())
                        .or_default()
                        .push(op);
                }
                _ => {}
            }
        }
        declarations
    }

    /// The signature that a function had in the input.
    pub(crate) fn signature(&self, function: &str) -> Option<&Signature<'a>> {
        self.signatures.get(function)
    }

    /// The fields of a class, with their types under the arguments of `object`.
    pub(crate) fn fields(&self, class: &str, object: Type<'a>) -> Vec<(&'a str, Type<'a>)> {
        let Some(&declaration) = self.classes.get(class) else {
            return Vec::new();
        };
        let arguments = type_arguments(object);
        let arguments: Vec<_> = strings(declaration, "type_params")
            .into_iter()
            .zip(arguments)
            .collect();
        let types = list(declaration, "field_types")
            .into_iter()
            .filter_map(|ty| TypeAttribute::try_from(ty).ok())
            .map(|ty| substitute(ty.value(), &arguments));
        strings(declaration, "field_names")
            .into_iter()
            .zip(types)
            .collect()
    }

    /// A protocol.
    pub(crate) fn protocol(&self, name: &str) -> Option<Op<'a>> {
        self.protocols.get(name).copied()
    }

    /// The witness tables of a type, in the order of the module.
    pub(crate) fn tables_of(&self, conforming: Type<'a>) -> &[Op<'a>] {
        self.tables.get(&key(conforming)).map_or(&[], Vec::as_slice)
    }

    /// The function that is a method of a type by its witness table: one that the table names, or else the protocol's default.
    pub(crate) fn method(&self, table: Op<'a>, method: &str) -> Option<&'a str> {
        let named = position(table, "method_names", method)
            .and_then(|index| list(table, "methods").get(index).copied());
        let default = || {
            let protocol = self.protocol(table.symbol("protocol")?)?;
            let index = position(protocol, "method_names", method)?;
            list(protocol, "method_defaults").get(index).copied()
        };
        attribute::symbol(named.or_else(default)?)
    }
}

/// Types are unique in their context, so an address stands for one.
fn key(ty: Type<'_>) -> usize {
    ty.to_raw().ptr as usize
}

/// The elements of an array attribute.
fn list<'a>(op: Op<'a>, attribute: &str) -> Vec<Attribute<'a>> {
    let array = op
        .attribute(attribute)
        .and_then(|list| ArrayAttribute::try_from(list).ok());
    let elements = array.map(|array| {
        (0..array.len())
            .filter_map(|index| array.element(index).ok())
            .collect()
    });
    elements.unwrap_or_default()
}

/// The texts of an array attribute.
pub(crate) fn strings<'a>(op: Op<'a>, attribute: &str) -> Vec<&'a str> {
    let texts = list(op, attribute).into_iter();
    texts.filter_map(attribute::text).collect()
}

/// Where a text stands in an array attribute.
pub(crate) fn position(op: Op<'_>, attribute: &str, text: &str) -> Option<usize> {
    strings(op, attribute)
        .iter()
        .position(|candidate| *candidate == text)
}

/// The types of a method in a protocol: its parameters, `Self` first, and its results.
pub(crate) fn method_type<'a>(protocol: Op<'a>, method: &str) -> Option<FunctionType<'a>> {
    let index = position(protocol, "method_names", method)?;
    let ty = list(protocol, "method_types").get(index).copied()?;
    FunctionType::try_from(TypeAttribute::try_from(ty).ok()?.value()).ok()
}
