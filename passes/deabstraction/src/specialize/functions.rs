//! Creates the specializations of generic functions.

use std::rc::Rc;

use melior::ir::{Location, Type};
use tfx_ir::symbols::{SYMBOL_NAME, SYMBOL_VISIBILITY};
use tfx_ir::{Builder, Mapping, Op, diag};

use super::specializer::{Generic, Instance, Specializer};
use super::types::{describe, describe_applied, place_of, types_in};
use crate::layout::key;
use crate::names;

impl<'a> Specializer<'a> {
    /// Returns the specialization of a generic function for types in normal form. `None` if there
    /// can be none, which has been reported.
    pub(super) fn instance(
        &mut self,
        generic: usize,
        arguments: &[Type<'a>],
        requested_at: Location<'a>,
        user: Option<usize>,
    ) -> Option<usize> {
        self.generics[generic].used = true;
        let addresses = arguments.iter().map(|argument| key(*argument)).collect();
        let known = (generic, addresses);
        if let Some(instance) = self.known.get(&known) {
            return *instance;
        }
        let instance = self.make_instance(generic, arguments, requested_at, user);
        self.known.insert(known, instance);
        instance
    }

    fn make_instance(
        &mut self,
        generic: usize,
        arguments: &[Type<'a>],
        requested_at: Location<'a>,
        user: Option<usize>,
    ) -> Option<usize> {
        self.check_arguments(generic, arguments, requested_at, user)?;
        let types = self.types_of(generic, arguments, requested_at, user)?;
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
            requested_at,
        });
        Some(self.instances.len() - 1)
    }

    /// Checks that arguments are within the limits and conform to the protocols of the parameters.
    fn check_arguments(
        &mut self,
        generic: usize,
        arguments: &[Type<'a>],
        requested_at: Location<'a>,
        user: Option<usize>,
    ) -> Option<()> {
        let Generic { op, symbol, .. } = self.generics[generic];
        if op.is_declaration() {
            let message = format!(
                "foreign function '@{symbol}' is generic, and foreign code has one type; \
                 declare a function for each type and call it with func.call"
            );
            let error =
                diag::error(requested_at, message).note(op.location(), "it is declared here");
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
            let error =
                diag::error(requested_at, message).note(op.location(), "it is defined here");
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
                    let error = self.conformances.explain(requested_at, &problem);
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
        requested_at: Location<'a>,
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
                    self.report(error.note(requested_at, made), user);
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
