//! Generic functions and their specializations.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use melior::ir::attribute::TypeAttribute;
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, AttributeLike, Location, Type};
use tfx_dialects::types::{HostType, TypeParam, host_type, type_param, walk_types};
use tfx_ir::symbols::{SYMBOL_NAME, SYMBOL_VISIBILITY};
use tfx_ir::{Builder, Mapping, Op, Value, diag};

use super::Specializer;
use super::types::{describe, describe_applied};
use crate::layout::{elements, key};
use crate::names;

/// A generic function.
pub(super) struct Generic<'a> {
    pub(super) op: Op<'a>,
    pub(super) symbol: &'a str,
    pub(super) params: Vec<TypeParam<'a>>,
    /// The types in it that depend on its parameters or on associated types, in program order.
    /// Collected at the first use.
    open: Option<Rc<[Type<'a>]>>,
    /// The newest specialization, after which the next one is inserted.
    last: Op<'a>,
    /// True if it has been instantiated.
    pub(super) used: bool,
}

impl<'a> Generic<'a> {
    pub(super) fn read(op: Op<'a>) -> Self {
        Self {
            op,
            symbol: op.symbol_name().unwrap_or_default(),
            params: elements(op, names::TYPE_PARAMS)
                .filter_map(type_param)
                .collect(),
            open: None,
            last: op,
            used: false,
        }
    }
}

/// A specialization of a generic function.
pub(super) struct Instance<'a> {
    pub(super) op: Op<'a>,
    /// Its symbol.
    pub(super) name: String,
    /// The specialization whose code requested it first; none for an ordinary function.
    pub(super) user: Option<usize>,
    /// The call, closure or existential there.
    pub(super) asked_at: Location<'a>,
}

impl<'a> Specializer<'a> {
    /// Returns the specialization of a generic function for types in normal form. `None` if there
    /// can be none, which has been reported.
    pub(super) fn instance(
        &mut self,
        generic: usize,
        arguments: &[Type<'a>],
        asked_at: Location<'a>,
        user: Option<usize>,
    ) -> Option<usize> {
        self.generics[generic].used = true;
        let addresses = arguments.iter().map(|argument| key(*argument)).collect();
        let known = (generic, addresses);
        if let Some(instance) = self.known.get(&known) {
            return *instance;
        }
        let instance = self.make_instance(generic, arguments, asked_at, user);
        self.known.insert(known, instance);
        instance
    }

    fn make_instance(
        &mut self,
        generic: usize,
        arguments: &[Type<'a>],
        asked_at: Location<'a>,
        user: Option<usize>,
    ) -> Option<usize> {
        self.check_arguments(generic, arguments, asked_at, user)?;
        let types = self.types_of(generic, arguments, asked_at, user)?;
        let Generic {
            op, symbol, last, ..
        } = self.generics[generic];
        let name = self.fresh_name(describe_applied(symbol, arguments));
        let copy = Builder::after(last).clone_op(op, &mut Mapping::new());
        copy.set_string(SYMBOL_NAME, &name);
        copy.set_string(SYMBOL_VISIBILITY, "private");
        copy.remove_attribute(names::TYPE_PARAMS);
        copy.replace_types(&types);
        self.symbols.insert(copy);
        self.generics[generic].last = copy;
        self.instances.push(Instance {
            op: copy,
            name,
            user,
            asked_at,
        });
        Some(self.instances.len() - 1)
    }

    /// Checks that arguments are within the limits and conform to the protocols of the parameters.
    fn check_arguments(
        &mut self,
        generic: usize,
        arguments: &[Type<'a>],
        asked_at: Location<'a>,
        user: Option<usize>,
    ) -> Option<()> {
        let Generic { op, symbol, .. } = self.generics[generic];
        if op.is_declaration() {
            let message = format!(
                "foreign function '@{symbol}' is generic, and foreign code has one type; \
                 declare a function for each type and call it with func.call"
            );
            let error = diag::error(asked_at, message).note(op.location(), "it is declared here");
            self.report(error, user);
            return None;
        }
        let measured = arguments.iter().copied();
        if let Some(large) = { measured }.find(|argument| !self.conformances.is_moderate(*argument))
        {
            let message = format!(
                "'@{symbol}' is called with types that grow without end, such as '{}': it calls itself with larger types than its own; \
                 call it with the same types, or keep what grows in an array",
                describe(large)
            );
            let error = diag::error(asked_at, message).note(op.location(), "it is defined here");
            self.report(error, user);
            return None;
        }
        let params = self.generics[generic].params.clone();
        for (param, argument) in params.iter().zip(arguments) {
            for protocol in &param.protocols {
                if let Err(problem) = self.conformances.find(*argument, protocol) {
                    let wanted = format!(
                        "'@{symbol}' requires this of its type parameter \"{}\"",
                        param.name
                    );
                    let error = self.conformances.explain(asked_at, &problem);
                    self.report(error.note(op.location(), wanted), user);
                    return None;
                }
            }
        }
        Some(())
    }

    /// Returns the replacement of each type that depends on a parameter.
    fn types_of(
        &mut self,
        generic: usize,
        arguments: &[Type<'a>],
        asked_at: Location<'a>,
        user: Option<usize>,
    ) -> Option<Vec<(Type<'a>, Type<'a>)>> {
        let open = self.open_types(generic);
        let params = &self.generics[generic].params;
        let names: Vec<&'a str> = params.iter().map(|param| param.name).collect();
        let substitution: Vec<_> = names.into_iter().zip(arguments.iter().copied()).collect();
        let mut types = Vec::with_capacity(open.len());
        for &ty in open.iter() {
            match self.conformances.concrete(ty, &substitution) {
                Ok(known) => types.push((ty, known)),
                Err(problem) => {
                    let generic = &self.generics[generic];
                    let place = place_of(ty, generic.op);
                    let made = format!("'@{}' is requested here", generic.symbol);
                    let error = self.conformances.explain(place, &problem);
                    self.report(error.note(asked_at, made), user);
                    return None;
                }
            }
        }
        Some(types)
    }

    fn open_types(&mut self, generic: usize) -> Rc<[Type<'a>]> {
        let Generic { op, open, .. } = &self.generics[generic];
        if let Some(open) = open {
            return Rc::clone(open);
        }
        let types: Rc<[_]> = types_in(*op, &mut self.open).into();
        self.generics[generic].open = Some(Rc::clone(&types));
        types
    }

    /// Puts the types of an operation that is not generic into normal form. Returns whether that
    /// was possible.
    pub(super) fn settle_types(&mut self, op: Op<'a>) -> bool {
        let mut types = Vec::new();
        for ty in types_in(op, &mut self.open) {
            match self.conformances.normalize(ty) {
                Ok(known) => types.push((ty, known)),
                Err(problem) => {
                    self.report_problem(place_of(ty, op), &problem, None);
                    return false;
                }
            }
        }
        op.replace_types(&types);
        true
    }

    /// Returns `wanted`, or, if that is taken, a name with a number.
    pub(super) fn fresh_name(&mut self, wanted: String) -> String {
        if self.symbols.get(&wanted).is_none() {
            return wanted;
        }
        let next = self.suffixes.entry(wanted.clone()).or_insert(0);
        loop {
            let name = format!("{wanted}_{next}");
            *next += 1;
            if self.symbols.get(&name).is_none() {
                return name;
            }
        }
    }
}

/// Returns the types of a kind in an operation and all inside, in program order, each once.
pub(super) fn types_in<'a>(root: Op<'a>, kind: &mut Kind<'a>) -> Vec<Type<'a>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut seen_attributes = HashSet::new();
    let mut visit = |ty: Type<'a>| {
        if seen.insert(key(ty)) && kind.has(ty) {
            found.push(ty);
        }
    };
    for op in root.walk() {
        values_of(op).for_each(|value| visit(value.ty()));
        if has_types(op) {
            for (_, attribute) in op.attributes() {
                if seen_attributes.insert(attribute.to_raw().ptr as usize) {
                    walk_types(attribute, &mut visit);
                }
            }
        }
    }
    found
}

/// Returns the values that an operation defines: its results and the arguments of its blocks.
fn values_of<'a>(op: Op<'a>) -> impl Iterator<Item = Value<'a>> {
    let blocks = op.regions().flat_map(|region| region.blocks());
    op.results()
        .chain(blocks.flat_map(|block| block.arguments()))
}

/// Returns whether the attributes of an operation may contain types of the host dialect.
fn has_types(op: Op<'_>) -> bool {
    !matches!(op.dialect(), "arith" | "math" | "index" | "cf" | "scf")
}

/// Returns the first location with a type.
fn place_of<'a>(ty: Type<'a>, root: Op<'a>) -> Location<'a> {
    let has = |attribute: Attribute<'a>| {
        let mut found = false;
        walk_types(attribute, |part| found |= part == ty);
        found
    };
    for op in root.walk() {
        if let Some(value) = values_of(op).find(|value| value.ty() == ty) {
            return value.location();
        }
        if op
            .attributes()
            .into_iter()
            .any(|(_, attribute)| has(attribute))
        {
            return op.location();
        }
    }
    root.location()
}

/// The types with a property at any depth. Each type is checked once.
pub(super) struct Kind<'a> {
    is: Box<dyn Fn(Type<'a>) -> bool + 'a>,
    known: HashMap<usize, bool>,
}

impl<'a> Kind<'a> {
    pub(super) fn new(is: impl Fn(Type<'a>) -> bool + 'a) -> Self {
        Self {
            is: Box::new(is),
            known: HashMap::new(),
        }
    }

    /// The types with a parameter or an associated type.
    pub(super) fn open() -> Self {
        Self::new(|ty| {
            matches!(
                host_type(ty),
                Some(HostType::Param(_) | HostType::Assoc { .. })
            )
        })
    }

    fn has(&mut self, ty: Type<'a>) -> bool {
        *self.known.entry(key(ty)).or_insert_with(|| {
            let mut found = false;
            walk_types(TypeAttribute::new(ty).into(), |part| {
                found |= (self.is)(part)
            });
            found
        })
    }
}

/// Returns the type of a function.
pub(super) fn function_type<'a>(op: Op<'a>) -> FunctionType<'a> {
    op.function_type().expect("a function has a function type")
}
