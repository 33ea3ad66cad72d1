//! Declares classes, and structs and enums whose fields have associated types, again for each list
//! of type arguments.
//!
//! ```text
//!   struct @Model<"L"> {layer: L, last: assoc<L, @Layer, "Output">}        Model<Dense>
//!                                     │                                        │
//!                                     ▼                                        ▼
//!   struct private @"Model<Dense>" {layer: Dense, last: f32}            struct<@"Model<Dense>">
//! ```
//!
//! Other generic declarations are unchanged: later passes substitute the arguments for the
//! parameters themselves. Only witness tables define associated types, and later passes do not have
//! them. A class has one list of fields, and if a field is a struct, its fields belong to that list
//! and depend on the arguments. A declaration with a dependent declaration in a field is dependent,
//! too.
//!
//! This step comes last, when all code has known types, so that types of the source are matched to
//! tables. Linear in the module and in the new declarations. A program without such declarations
//! costs one look at each declaration.

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;
use tfx_dialects::host;

use melior::ir::attribute::{ArrayAttribute, TypeAttribute};
use melior::ir::{Location, Type};
use tfx_dialects::types::{HostType, host_type, is_generic, nominal, walk_types};
use tfx_ir::diag::{self, Diagnostics};
use tfx_ir::symbols::{SYMBOL_NAME, SYMBOL_VISIBILITY};
use tfx_ir::{Builder, Mapping, Op, replace_types};

use super::specializer::Specializer;
use super::types::{Head, Kind, describe, describe_applied, take_apart, types_in};
use crate::layout::{key, strings};

/// The dependent generic declarations, and their specializations.
struct Dependent<'a> {
    declarations: Rc<HashMap<&'a str, Op<'a>>>,
    /// By type: the type of its new declaration.
    made: HashMap<usize, Type<'a>>,
    /// The new declarations whose fields are still those of the generic one, with their arguments.
    pending: VecDeque<(Op<'a>, Vec<Type<'a>>)>,
    /// The newest specialization of each generic declaration.
    last: HashMap<&'a str, Op<'a>>,
}

impl<'a> Specializer<'a> {
    /// Puts the fields of all declarations into normal form, with new declarations where they
    /// depend on type arguments.
    pub(super) fn settle_declarations(&mut self) -> Result<(), Diagnostics<'a>> {
        let declarations: Vec<_> = self
            .symbols
            .ops()
            .filter(|op| is_declaration(*op))
            .collect();
        let (generic, known): (Vec<_>, Vec<_>) = declarations
            .into_iter()
            .partition(|op| strings(*op, "type_params").next().is_some());
        for op in known {
            self.settle_types(op);
        }
        let declarations = Rc::new(dependent(&generic));
        if !declarations.is_empty() {
            self.declare_again(declarations);
        }
        self.check_errors()
    }

    fn declare_again(&mut self, declarations: Rc<HashMap<&'a str, Op<'a>>>) {
        let of_kind = Rc::clone(&declarations);
        let mut kind = Kind::new(move |ty| {
            declaration_of(ty).is_some_and(|(name, _)| of_kind.contains_key(name))
        });
        let mut dependent = Dependent {
            declarations,
            made: HashMap::new(),
            pending: VecDeque::new(),
            last: HashMap::new(),
        };
        let unneeded: HashSet<_> = self.existentials.unneeded.iter().copied().collect();
        let code = self.symbols.ops().filter(|op| is_known(*op));
        let code: Vec<_> = code.filter(|op| !unneeded.contains(op)).collect();
        for op in code {
            let mut map = Vec::new();
            for ty in types_in(op, &mut kind) {
                let Some(known) = self.redeclare(ty, &mut dependent, op.location()) else {
                    return;
                };
                map.push((ty, known));
            }
            op.replace_types(&map);
        }
        while let Some((op, arguments)) = dependent.pending.pop_front() {
            if !self.fill(op, &arguments, &mut dependent) {
                return;
            }
        }
    }

    /// Returns a type with new declarations instead of dependent generic ones.
    fn redeclare(
        &mut self,
        ty: Type<'a>,
        dependent: &mut Dependent<'a>,
        location: Location<'a>,
    ) -> Option<Type<'a>> {
        let mut map = Vec::new();
        for part in dependent.parts_of(ty) {
            let made = match dependent.made.get(&key(part)) {
                Some(made) => *made,
                None => self.declare(part, dependent, location)?,
            };
            map.push((part, made));
        }
        Some(replace_types(ty, &map))
    }

    fn declare(
        &mut self,
        ty: Type<'a>,
        dependent: &mut Dependent<'a>,
        location: Location<'a>,
    ) -> Option<Type<'a>> {
        let (name, arguments) = declaration_of(ty)?;
        let generic = dependent.declarations[name];
        if !self.conformances.is_moderate(ty) {
            let message = format!(
                "'{name}' contains itself with growing type arguments, such as '{}'; use its own type arguments",
                describe(ty)
            );
            let error =
                diag::error(generic.location(), message).note(location, "it is needed here");
            self.report(error, None);
            return None;
        }
        let symbol = self.fresh_name(describe_applied(name, &arguments));
        let after = dependent.last.get(name).copied().unwrap_or(generic);
        let copy = Builder::after(after).clone_op(generic, &mut Mapping::new());
        copy.set_string(SYMBOL_NAME, &symbol);
        copy.set_string(SYMBOL_VISIBILITY, "private");
        self.symbols.insert(copy);
        dependent.last.insert(name, copy);
        let made = nominal(ty, &symbol);
        dependent.made.insert(key(ty), made);
        dependent.pending.push_back((copy, arguments));
        Some(made)
    }

    /// Puts known types into the fields of a new declaration.
    fn fill(&mut self, op: Op<'a>, arguments: &[Type<'a>], dependent: &mut Dependent<'a>) -> bool {
        let params: Vec<_> = strings(op, "type_params").collect();
        let arguments = arguments.iter().copied();
        let substitution: Vec<_> = params.into_iter().zip(arguments).collect();
        let mut map = Vec::new();
        for ty in types_in(op, &mut self.open) {
            let known = match self.conformances.concrete(ty, &substitution) {
                Ok(known) => known,
                Err(problem) => {
                    self.report_problem(op.location(), &problem, None);
                    return false;
                }
            };
            let Some(known) = self.redeclare(known, dependent, op.location()) else {
                return false;
            };
            map.push((ty, known));
        }
        op.set_attribute("type_params", ArrayAttribute::new(op.context(), &[]));
        op.replace_types(&map);
        true
    }
}

impl<'a> Dependent<'a> {
    /// Returns the dependent types in a type.
    fn parts_of(&self, ty: Type<'a>) -> Vec<Type<'a>> {
        let mut parts = Vec::new();
        walk_types(TypeAttribute::new(ty).into(), |part| {
            if declaration_of(part).is_some_and(|(name, _)| self.declarations.contains_key(name)) {
                parts.push(part);
            }
        });
        parts
    }
}

/// Returns the generic declarations that are a class or have an associated type in a field, at any
/// depth of declarations.
fn dependent<'a>(generic: &[Op<'a>]) -> HashMap<&'a str, Op<'a>> {
    let mut users: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut pending = Vec::new();
    for (index, op) in generic.iter().enumerate() {
        if op.isa::<host::Class>() {
            pending.push(index);
        }
        let mut visit = |ty| {
            if matches!(host_type(ty), Some(HostType::Assoc { .. })) {
                pending.push(index);
            } else if let Some((name, _)) = declaration_of(ty) {
                users.entry(name).or_default().push(index);
            }
        };
        for (_, attribute) in op.attributes() {
            walk_types(attribute, &mut visit);
        }
    }
    let mut found = HashMap::new();
    while let Some(index) = pending.pop() {
        let Some(name) = generic[index].symbol_name() else {
            continue;
        };
        if found.insert(name, generic[index]).is_none() {
            pending.extend(users.get(name).into_iter().flatten());
        }
    }
    found
}

/// Returns the declaration of a nominal type with type arguments, and the arguments.
fn declaration_of(ty: Type<'_>) -> Option<(&str, Vec<Type<'_>>)> {
    match take_apart(ty) {
        (Head::Struct(name) | Head::Enum(name) | Head::Object(name), arguments)
            if !arguments.is_empty() =>
        {
            Some((name, arguments))
        }
        _ => None,
    }
}

fn is_declaration(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        host::Struct::NAME | host::Enum::NAME | host::Class::NAME
    )
}

/// Returns whether all types in an operation of the module are known.
fn is_known(op: Op<'_>) -> bool {
    if is_declaration(op) {
        return strings(op, "type_params").next().is_none();
    }
    !op.isa::<host::Protocol>() && !is_generic(op)
}
