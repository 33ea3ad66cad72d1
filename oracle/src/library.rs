//! The parts of a program: functions, which are translated at their first call, and declarations.
//!
//! ```text
//!   @main                 ──> FunctionId 0 ──> code, at the first call
//!   @swap<[i32, f32]>     ──> FunctionId 1          a generic function is one for each list of types
//! ```
//!
//! Names are resolved when a function is translated, never while it runs.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use tfx_dialects::{host, tensor};
use tfx_ir::ops::func;

use melior::ir::attribute::{ArrayAttribute, TypeAttribute};
use melior::ir::r#type::TupleType;
use melior::ir::{Type, TypeLike};
use tfx_dialects::types::{
    HostType, TYPE_PARAMS, host_type, substitute, type_arguments, type_param, walk_types,
};
use tfx_graphdef_mlir::types;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, attribute};

use crate::code::Code;
use crate::value::FunctionId;

/// Types by the names of type parameters.
pub(crate) type Substitution<'a> = Rc<[(&'a str, Type<'a>)]>;

/// A function with types for its type parameters.
#[derive(Clone)]
pub(crate) struct Function<'a> {
    pub(crate) op: Op<'a>,
    pub(crate) types: Substitution<'a>,
}

struct Entry<'a> {
    function: Function<'a>,
    code: Option<Rc<Code<'a>>>,
}

/// The library; the module describes it.
pub struct Library<'a> {
    symbols: SymbolTable<'a>,
    tables: Vec<host::WitnessTable<'a>>,
    entries: RefCell<Entries<'a>>,
}

/// A function's symbol with the types for its parameters.
type Key<'a> = (Op<'a>, Vec<Type<'a>>);

#[derive(Default)]
struct Entries<'a> {
    list: Vec<Entry<'a>>,
    // Few types each, and types are unique in their context, so they are compared one by one.
    by_key: HashMap<Op<'a>, Vec<(Vec<Type<'a>>, FunctionId)>>,
}

impl std::fmt::Debug for Library<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Library").finish_non_exhaustive()
    }
}

impl<'a> Library<'a> {
    /// Returns the program of a module. It must verify, and not change while the library lives.
    pub fn new(module: Op<'a>) -> Self {
        Library {
            symbols: SymbolTable::new(module),
            tables: module.walk().filter_map(host::WitnessTable::cast).collect(),
            entries: RefCell::default(),
        }
    }

    /// Returns the function of a name, if it exists and is not generic.
    pub fn function(&self, name: &str) -> Option<FunctionId> {
        let op = self.symbols.get(name)?;
        let is_function = op.isa::<func::Func>() || op.isa::<tensor::Graph>();
        (is_function && op.attribute(TYPE_PARAMS).is_none())
            .then(|| self.instance((op, Vec::new())))
    }

    /// Returns the types of a function's parameters.
    pub fn parameters(&self, id: FunctionId) -> Vec<Type<'a>> {
        self.op(id).signature().0
    }

    /// Returns the operation that a symbol names.
    pub(crate) fn symbol(&self, name: &str) -> Option<Op<'a>> {
        self.symbols.get(name)
    }

    /// Returns the function of a symbol with types for its type parameters.
    pub(crate) fn named(&self, name: &str, types: Vec<Type<'a>>) -> Option<FunctionId> {
        Some(self.instance((self.symbols.get(name)?, types)))
    }

    fn instance(&self, (op, types): Key<'a>) -> FunctionId {
        let mut entries = self.entries.borrow_mut();
        let next = FunctionId(entries.list.len());
        let known = entries.by_key.entry(op).or_default();
        if let Some((_, id)) = known.iter().find(|(known, _)| *known == types) {
            return *id;
        }
        known.push((types.clone(), next));
        let substitution = parameters(op).into_iter().zip(types).collect();
        entries.list.push(Entry {
            function: Function {
                op,
                types: substitution,
            },
            code: None,
        });
        next
    }

    /// Returns the operation of a function.
    pub(crate) fn op(&self, id: FunctionId) -> Op<'a> {
        self.entries.borrow().list[id.0].function.op
    }

    /// Returns a function with the types for its type parameters.
    pub(crate) fn definition(&self, id: FunctionId) -> Function<'a> {
        self.entries.borrow().list[id.0].function.clone()
    }

    /// Returns the code of a function, if it was translated.
    pub(crate) fn code(&self, id: FunctionId) -> Option<Rc<Code<'a>>> {
        self.entries.borrow().list[id.0].code.clone()
    }

    /// Stores the code of a function.
    pub(crate) fn set_code(&self, id: FunctionId, code: Rc<Code<'a>>) {
        self.entries.borrow_mut().list[id.0].code = Some(code);
    }

    /// Returns a type with types for its parameters, and with its associated types resolved, at any
    /// depth.
    pub(crate) fn concrete(&self, ty: Type<'a>, types: &Substitution<'a>) -> Type<'a> {
        let mut ty = substitute(ty, types);
        // The innermost first; MLIR's C API cannot rebuild a type of another dialect around other
        // parts, but its parser can.
        while let Some((associated, found)) = self.innermost(ty) {
            if associated == ty {
                return found;
            }
            let text = ty
                .to_string()
                .replace(&associated.to_string(), &found.to_string());
            match Type::parse(self.symbols.owner().context(), &text) {
                Some(new) => ty = new,
                None => break,
            }
        }
        ty
    }

    /// Returns an associated type in a type whose own type has none, with its definition.
    fn innermost(&self, ty: Type<'a>) -> Option<(Type<'a>, Type<'a>)> {
        let mut found = None;
        walk_types(TypeAttribute::new(ty).into(), |part| {
            if let (
                None,
                Some(HostType::Assoc {
                    base,
                    protocol,
                    name,
                }),
            ) = (found, host_type(part))
            {
                found = self.associated(base, protocol, name).map(|ty| (part, ty));
            }
        });
        found
    }

    fn associated(&self, base: Type<'a>, protocol: &str, name: &str) -> Option<Type<'a>> {
        let (table, types) = self.table(base, protocol)?;
        let position = position(&table.assoc_names(), name)?;
        Some(self.concrete(*table.assoc_types().get(position)?, &types))
    }

    /// Returns the function that implements a method of a protocol for a type.
    pub(crate) fn method(&self, ty: Type<'a>, protocol: &str, method: &str) -> Option<FunctionId> {
        let (table, types) = self.table(ty, protocol)?;
        let Some(own) = position(&table.method_names(), method) else {
            let protocol = host::Protocol::cast(self.symbols.get(protocol)?)?;
            let position = position(&protocol.method_names(), method)?;
            let defaults = ArrayAttribute::try_from(protocol.method_defaults()).ok()?;
            let default = attribute::symbol(defaults.element(position).ok()?)?;
            return self.named(default, vec![ty]);
        };
        let symbol = *table.methods().get(own)?;
        let function = self.symbols.get(symbol)?;
        // By position; a function without type parameters takes none.
        let types = match parameters(function).is_empty() {
            true => Vec::new(),
            false => types.iter().map(|(_, ty)| *ty).collect(),
        };
        Some(self.instance((function, types)))
    }

    /// Returns the function that a dynamic call of a method on a value of this type runs, and
    /// whether it takes the leaves of the value.
    pub(crate) fn dynamic(&self, ty: Type<'a>, method: &str) -> Option<(FunctionId, bool)> {
        let mut protocols = self.symbols.ops().filter_map(host::Protocol::cast);
        protocols.find_map(|protocol| {
            position(&protocol.method_names(), method)?;
            let function = self.method(ty, protocol.sym_name(), method)?;
            Some((function, protocol.flat()))
        })
    }

    /// Returns the witness table of a type for a protocol, with the types for its own parameters.
    fn table(
        &self,
        ty: Type<'a>,
        protocol: &str,
    ) -> Option<(host::WitnessTable<'a>, Substitution<'a>)> {
        let tables = self.tables.iter().copied();
        let mut tables = tables.filter(|table| table.protocol() == protocol);
        tables.find_map(|table| {
            let bound = unified(table.conforming(), ty)?;
            let of = |name| bound.iter().find(|(known, _)| *known == name).copied();
            let types: Option<Vec<_>> = table.type_params().into_iter().map(of).collect();
            Some((table, types?.into()))
        })
    }
}

/// Returns the types for the type parameters of a pattern that make it a type; `None` if there are
/// none.
fn unified<'a>(pattern: Type<'a>, ty: Type<'a>) -> Option<Vec<(&'a str, Type<'a>)>> {
    let mut bound: Vec<(&'a str, Type<'a>)> = Vec::new();
    let mut work = vec![(pattern, ty)];
    while let Some((pattern, ty)) = work.pop() {
        if let Some(HostType::Param(name)) = host_type(pattern) {
            match bound.iter().find(|(known, _)| *known == name) {
                Some((_, other)) if *other != ty => return None,
                Some(_) => {}
                None => bound.push((name, ty)),
            }
        } else if let (Ok(one), Ok(other)) = (TupleType::try_from(pattern), TupleType::try_from(ty))
        {
            if one.type_count() != other.type_count() {
                return None;
            }
            let element = |tuple: TupleType<'a>, index| tuple.r#type(index).ok();
            for index in 0..one.type_count() {
                work.push((element(one, index)?, element(other, index)?));
            }
        } else if pattern.is_ranked_tensor() && ty.is_ranked_tensor() {
            if types::sizes(pattern) != types::sizes(ty) {
                return None;
            }
            work.push((types::element_type(pattern), types::element_type(ty)));
        } else if pattern != ty {
            let same = match (host_type(pattern)?, host_type(ty)?) {
                (
                    HostType::Struct { declaration: a, .. },
                    HostType::Struct { declaration: b, .. },
                )
                | (HostType::Enum { declaration: a, .. }, HostType::Enum { declaration: b, .. })
                | (
                    HostType::Object { declaration: a, .. },
                    HostType::Object { declaration: b, .. },
                ) => a == b,
                (HostType::Ref(a), HostType::Ref(b)) | (HostType::Array(a), HostType::Array(b)) => {
                    work.push((a, b));
                    true
                }
                _ => false,
            };
            if !same {
                return None;
            }
            work.extend(type_arguments(pattern).into_iter().zip(type_arguments(ty)));
        }
    }
    Some(bound)
}

/// Returns the names of the type parameters of a function.
fn parameters<'a>(function: Op<'a>) -> Vec<&'a str> {
    let list = function.attribute(TYPE_PARAMS);
    let list = list.and_then(|list| ArrayAttribute::try_from(list).ok());
    let parameter = |index| type_param(list?.element(index).ok()?);
    (0..list.map_or(0, |list| list.len()))
        .filter_map(parameter)
        .map(|parameter| parameter.name)
        .collect()
}

fn position(names: &[&str], name: &str) -> Option<usize> {
    names.iter().position(|known| *known == name)
}
