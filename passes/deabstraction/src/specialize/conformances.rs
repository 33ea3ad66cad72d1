//! Conformances of types to protocols: witness tables, defaults, associated types.
//!
//! ```text
//!   witness_table @W<"L"> : Twice<L> conforms @Layer {Output: assoc<L, @Layer, "Output">, call = @twice_call}
//!
//!   Twice<Dense>: @Layer         ──►  @W with L = Dense         (one-way matching)
//!   its method "call"            ──►  @twice_call<Dense>        (a function takes the table's parameters, or none)
//!   its method "reset"           ──►  @default_reset<Twice<Dense>>     (a default takes the conforming type)
//!   assoc<Twice<Dense>, @Layer, "Output">  ──►  assoc<Dense, @Layer, "Output">  ──►  ...
//! ```
//!
//! Tables are indexed by protocol and by the head of the conforming type, so a lookup costs the few
//! tables that share both. Results are cached.

use std::collections::HashMap;
use std::rc::Rc;
use tfx_dialects::host;

use melior::ir::attribute::TypeAttribute;
use melior::ir::{Location, Type};
use tfx_dialects::types::{HostType, host_type, substitute};
use tfx_ir::diag::Diagnostic;
use tfx_ir::{Op, attribute, diag, replace_types};

use super::types::{Head, Measures, describe, first_associated, match_pattern, take_apart};
use crate::layout::{elements, key, strings, types};

/// The deepest nesting of type arguments; deeper ones count as infinite, as in a function that
/// calls itself with larger types. rustc has the same limit.
const MAX_NESTING: usize = 128;

/// The largest number of parts of type arguments; more count as infinite: a type that doubles is
/// too large long before it is deep.
const MAX_PARTS: usize = 4096;

/// A witness table, read once.
pub(super) struct Table<'a> {
    pub(super) op: Op<'a>,
    pub(super) params: Vec<&'a str>,
    conforming: Type<'a>,
    associated: HashMap<&'a str, Type<'a>>,
    methods: HashMap<&'a str, &'a str>,
}

/// A protocol, read once.
pub(super) struct Protocol<'a> {
    pub(super) op: Op<'a>,
    pub(super) associated: Vec<&'a str>,
    pub(super) methods: Vec<Method<'a>>,
}

/// A method of a protocol.
pub(super) struct Method<'a> {
    pub(super) name: &'a str,
    pub(super) default: Option<&'a str>,
}

/// The conformance of a type to a protocol.
#[derive(Clone, Debug)]
pub(super) struct Conformance<'a> {
    pub(super) table: usize,
    /// For the table's type parameters.
    pub(super) arguments: Rc<[Type<'a>]>,
}

/// The reason why a fact about a type is unknown.
#[derive(Clone, Debug)]
pub(super) enum Problem<'a> {
    /// No table declares that the type conforms to the protocol.
    Missing(Type<'a>, &'a str),
    /// Two tables do.
    Ambiguous(Type<'a>, &'a str, [usize; 2]),
    /// A type parameter of no enclosing declaration.
    Parameter(&'a str),
    /// An associated type grows indefinitely.
    Endless(Type<'a>),
}

/// All tables and protocols of a module.
pub(super) struct Conformances<'a> {
    pub(super) tables: Vec<Table<'a>>,
    pub(super) protocols: HashMap<&'a str, Protocol<'a>>,
    /// By method: the protocols with a method of the name, in program order.
    by_method: HashMap<&'a str, Vec<&'a str>>,
    by_head: HashMap<(&'a str, Head<'a>), Vec<usize>>,
    /// The tables of all types, by protocol.
    of_all: HashMap<&'a str, Vec<usize>>,
    found: HashMap<(usize, &'a str), Result<Conformance<'a>, Problem<'a>>>,
    normal: HashMap<usize, Result<Type<'a>, Problem<'a>>>,
    pub(super) measures: Measures,
}

impl<'a> Conformances<'a> {
    pub(super) fn read(symbols: impl Iterator<Item = Op<'a>>) -> Self {
        let mut all = Self {
            tables: Vec::new(),
            protocols: HashMap::new(),
            by_method: HashMap::new(),
            by_head: HashMap::new(),
            of_all: HashMap::new(),
            found: HashMap::new(),
            normal: HashMap::new(),
            measures: Measures::default(),
        };
        for op in symbols {
            match op.name() {
                host::Protocol::NAME => all.add_protocol(op),
                host::WitnessTable::NAME => all.add_table(op),
                _ => {}
            }
        }
        all
    }

    fn add_protocol(&mut self, op: Op<'a>) {
        let Some(symbol) = op.symbol_name() else {
            return;
        };
        let defaults: Vec<_> = elements(op, "method_defaults")
            .map(attribute::symbol)
            .collect();
        let methods: Vec<_> = strings(op, "method_names")
            .zip(defaults)
            .map(|(name, default)| Method { name, default })
            .collect();
        for method in &methods {
            self.by_method.entry(method.name).or_default().push(symbol);
        }
        let associated = strings(op, "assoc_names").collect();
        self.protocols.insert(
            symbol,
            Protocol {
                op,
                associated,
                methods,
            },
        );
    }

    fn add_table(&mut self, op: Op<'a>) {
        let (Some(conforming), Some(protocol)) =
            (op.type_attribute("conforming"), op.symbol("protocol"))
        else {
            return;
        };
        let index = self.tables.len();
        let list = match host_type(conforming) {
            Some(HostType::Param(_)) => self.of_all.entry(protocol).or_default(),
            _ => {
                let head = take_apart(conforming).0;
                self.by_head.entry((protocol, head)).or_default()
            }
        };
        list.push(index);
        let methods = elements(op, "methods").filter_map(attribute::symbol);
        self.tables.push(Table {
            op,
            params: strings(op, "type_params").collect(),
            conforming,
            associated: strings(op, "assoc_names")
                .zip(types(op, "assoc_types"))
                .collect(),
            methods: strings(op, "method_names").zip(methods).collect(),
        });
    }
}

/// Lookup.
impl<'a> Conformances<'a> {
    /// Returns the conformance of a type, in normal form and without parameters, to a protocol.
    pub(super) fn find(
        &mut self,
        ty: Type<'a>,
        protocol: &'a str,
    ) -> Result<Conformance<'a>, Problem<'a>> {
        if let Some(found) = self.found.get(&(key(ty), protocol)) {
            return found.clone();
        }
        let candidates = self.candidates(ty, protocol).into_iter();
        let mut matching = candidates.filter_map(|index| {
            let table = &self.tables[index];
            let arguments = match_pattern(table.conforming, ty, &table.params)?;
            Some((index, arguments))
        });
        let found = match (matching.next(), matching.next()) {
            (None, _) => Err(Problem::Missing(ty, protocol)),
            (Some((table, arguments)), None) => Ok(Conformance {
                table,
                arguments: arguments.into(),
            }),
            (Some((one, _)), Some((other, _))) => {
                // In program order.
                let tables = [one.min(other), one.max(other)];
                Err(Problem::Ambiguous(ty, protocol, tables))
            }
        };
        drop(matching);
        self.found.insert((key(ty), protocol), found.clone());
        found
    }

    /// Returns the tables that may match a type.
    fn candidates(&self, ty: Type<'a>, protocol: &str) -> Vec<usize> {
        let of_head = self.by_head.get(&(protocol, take_apart(ty).0));
        let of_all = self.of_all.get(protocol);
        of_head
            .into_iter()
            .chain(of_all)
            .flatten()
            .copied()
            .collect()
    }

    /// Returns the protocols with a method of the name, in program order.
    pub(super) fn with_method(&self, name: &str) -> Vec<&'a str> {
        self.by_method.get(name).cloned().unwrap_or_default()
    }

    /// Returns the function that implements a method for a type, with its type arguments. `None` if
    /// the protocol has no such method.
    pub(super) fn implementation(
        &self,
        ty: Type<'a>,
        protocol: &str,
        conformance: &Conformance<'a>,
        method: &str,
    ) -> Option<(&'a str, Vec<Type<'a>>)> {
        let table = &self.tables[conformance.table];
        if let Some(function) = table.methods.get(method) {
            return Some((function, conformance.arguments.to_vec()));
        }
        let methods = &self.protocols.get(protocol)?.methods;
        let declared = methods.iter().find(|declared| declared.name == method)?;
        Some((declared.default?, vec![ty]))
    }

    /// Returns the associated type of a conformance, in normal form.
    pub(super) fn associated(
        &mut self,
        conformance: &Conformance<'a>,
        name: &str,
    ) -> Option<Result<Type<'a>, Problem<'a>>> {
        let ty = self.given(conformance, name)?;
        Some(self.normalize(ty))
    }

    /// Returns the associated type as the table has it, for its arguments.
    fn given(&self, conformance: &Conformance<'a>, name: &str) -> Option<Type<'a>> {
        let table = &self.tables[conformance.table];
        let declared = *table.associated.get(name)?;
        let arguments = conformance.arguments.iter().copied();
        let substitution: Vec<_> = table.params.iter().copied().zip(arguments).collect();
        Some(substitute(declared, &substitution))
    }
}

/// Normal form.
impl<'a> Conformances<'a> {
    /// Returns a type with arguments for its parameters, in normal form.
    pub(super) fn concrete(
        &mut self,
        ty: Type<'a>,
        substitution: &[(&str, Type<'a>)],
    ) -> Result<Type<'a>, Problem<'a>> {
        self.normalize(substitute(ty, substitution))
    }

    /// Returns a type with its associated types replaced by their definitions.
    pub(super) fn normalize(&mut self, ty: Type<'a>) -> Result<Type<'a>, Problem<'a>> {
        if let Some(normal) = self.normal.get(&key(ty)) {
            return normal.clone();
        }
        let normal = self.replace_associated(ty);
        self.normal.insert(key(ty), normal.clone());
        normal
    }

    fn replace_associated(&mut self, ty: Type<'a>) -> Result<Type<'a>, Problem<'a>> {
        if let Some(name) = first_parameter(ty) {
            return Err(Problem::Parameter(name));
        }
        let mut normal = ty;
        // Each step may introduce a new one, as often as types may nest.
        let mut steps = 0;
        while let Some(associated) = first_associated(normal) {
            let Some(HostType::Assoc {
                base,
                protocol,
                name,
            }) = host_type(associated)
            else {
                break;
            };
            let conformance = self.find(base, protocol)?;
            let actual = self
                .given(&conformance, name)
                .ok_or(Problem::Missing(base, protocol))?;
            normal = replace_types(normal, &[(associated, actual)]);
            steps += 1;
            if steps > MAX_PARTS || !self.is_moderate(normal) {
                return Err(Problem::Endless(ty));
            }
        }
        Ok(normal)
    }

    /// Returns whether a type is within the limits.
    pub(super) fn is_moderate(&mut self, ty: Type<'a>) -> bool {
        let measure = self.measures.of(ty);
        measure.nesting <= MAX_NESTING && measure.parts <= MAX_PARTS
    }
}

/// Error messages.
impl<'a> Conformances<'a> {
    pub(super) fn explain(&self, location: Location<'a>, problem: &Problem<'a>) -> Diagnostic<'a> {
        match problem {
            Problem::Missing(ty, protocol) => self.explain_missing(location, *ty, protocol),
            Problem::Ambiguous(ty, protocol, tables) => {
                let [one, other] = tables.map(|table| self.tables[table].op);
                let message = format!(
                    "'{}' conforms to @{protocol} twice, by @{} and by @{}; remove one of the tables, or narrow its type",
                    describe(*ty),
                    one.symbol_name().unwrap_or_default(),
                    other.symbol_name().unwrap_or_default(),
                );
                diag::error(location, message)
                    .note(one.location(), "one table is here")
                    .note(other.location(), "the other is here")
            }
            Problem::Parameter(name) => {
                let message = format!(
                    "type parameter \"{name}\" is not declared here; add #tfx_host.type_param<\"{name}\"> to 'tfx_host.type_params' of the function"
                );
                diag::error(location, message)
            }
            Problem::Endless(ty) => {
                let message = format!(
                    "associated type '{}' expands without end: each expansion mentions it again; \
                     define it in the witness table by a type that does not mention it",
                    describe(*ty)
                );
                diag::error(location, message)
            }
        }
    }

    fn explain_missing(
        &self,
        location: Location<'a>,
        ty: Type<'a>,
        protocol: &str,
    ) -> Diagnostic<'a> {
        let name = describe(ty);
        let message = match host_type(ty) {
            Some(HostType::Any(of)) => format!(
                "'{name}' does not conform to @{protocol}: the type of the value in an existential is known only at run time; \
                 call the methods of @{of} with tfx_host.dynamic_call"
            ),
            _ => format!(
                "'{name}' does not conform to @{protocol}; add a tfx_host.witness_table for it"
            ),
        };
        let mut error = diag::error(location, message);
        if let Some(protocol) = self.protocols.get(protocol) {
            error = error.note(protocol.op.location(), "the protocol is declared here");
        }
        // The same struct with other arguments: none of the tables matched.
        for table in self.candidates(ty, protocol) {
            let table = &self.tables[table];
            let note = format!("this table is only for '{}'", describe(table.conforming));
            error = error.note(table.op.location(), note);
        }
        error
    }
}

fn first_parameter(ty: Type<'_>) -> Option<&str> {
    let mut first = None;
    tfx_dialects::types::walk_types(TypeAttribute::new(ty).into(), |part| {
        if let Some(HostType::Param(name)) = host_type(part) {
            first.get_or_insert(name);
        }
    });
    first
}
