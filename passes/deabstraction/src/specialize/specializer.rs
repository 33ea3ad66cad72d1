//! The state of specialization, and its errors.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use melior::ir::{Location, Type};
use tfx_dialects::types::{TypeParam, type_param};
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::func;
use tfx_ir::symbols::SymbolTable;

use super::conformances::{Conformance, Conformances, Problem};
use super::types::Kind;
use crate::layout::elements;
use crate::names;

/// The number of calls of a chain that are shown at each end.
const MAX_SHOWN_CALLS: usize = 4;

/// The module, and the results so far.
pub(super) struct Specializer<'a> {
    pub(super) symbols: SymbolTable<'a>,
    /// The functions that are not generic, in program order.
    pub(super) roots: Vec<Op<'a>>,
    pub(super) generics: Vec<Generic<'a>>,
    pub(super) by_name: HashMap<&'a str, usize>,
    pub(super) conformances: Conformances<'a>,
    /// The types that are not in normal form.
    pub(super) open: Kind<'a>,
    pub(super) existentials: Existentials<'a>,
    /// In the order of their requests.
    pub(super) instances: Vec<Instance<'a>>,
    /// By generic function and the addresses of its arguments; `None` for one that cannot be
    /// created, which has been reported.
    pub(super) known: HashMap<(usize, Vec<usize>), Option<usize>>,
    /// The next number for a name that is taken.
    pub(super) suffixes: HashMap<String, usize>,
    pub(super) resolved: u64,
    /// The errors so far. The worklist continues after an error, to find more.
    pub(super) errors: Diagnostics<'a>,
}

impl<'a> Specializer<'a> {
    pub(super) fn read(module: Op<'a>) -> Self {
        let symbols = SymbolTable::new(module);
        let conformances = Conformances::read(symbols.ops());
        let functions = symbols.ops().filter(|op| op.isa::<func::Func>());
        let (generic, roots): (Vec<_>, Vec<_>) = functions.partition(|op| has_type_params(*op));
        let generics: Vec<_> = generic.into_iter().map(Generic::read).collect();
        let by_name = generics
            .iter()
            .enumerate()
            .map(|(index, generic)| (generic.symbol, index))
            .collect();
        Self {
            symbols,
            roots,
            generics,
            by_name,
            conformances,
            open: Kind::open(),
            existentials: Existentials::default(),
            instances: Vec::new(),
            known: HashMap::new(),
            suffixes: HashMap::new(),
            resolved: 0,
            errors: Diagnostics::default(),
        }
    }
}

/// Returns whether a function has type parameters.
fn has_type_params(op: Op<'_>) -> bool {
    elements(op, names::TYPE_PARAMS).next().is_some()
}

/// A generic function.
pub(super) struct Generic<'a> {
    pub(super) op: Op<'a>,
    pub(super) symbol: &'a str,
    pub(super) params: Vec<TypeParam<'a>>,
    /// The types in it that depend on its parameters or on associated types, in program order.
    /// Collected at the first use.
    pub(super) open: Option<Rc<[Type<'a>]>>,
    /// The newest specialization, after which the next one is inserted.
    pub(super) last: Op<'a>,
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
    pub(super) requested_at: Location<'a>,
}

/// The conformances that are needed at run time.
#[derive(Default)]
pub(super) struct Existentials<'a> {
    pub(super) tables: Vec<Needed<'a>>,
    pub(super) known: HashSet<(usize, &'a str)>,
    /// The tables that only the compiler needs, once those that stay are complete.
    pub(super) unneeded: Vec<Op<'a>>,
    /// The protocols of those tables and of calls on existentials.
    pub(super) protocols: HashSet<&'a str>,
}

/// A required table.
pub(super) struct Needed<'a> {
    pub(super) ty: Type<'a>,
    pub(super) protocol: &'a str,
    pub(super) conformance: Conformance<'a>,
    pub(super) associated: Vec<(&'a str, Type<'a>)>,
    /// Each method with its function, in the order of the protocol.
    pub(super) methods: Vec<(&'a str, String)>,
}

/// Errors.
impl<'a> Specializer<'a> {
    /// Adds an error in the code of a specialization (or of an ordinary function), with the chain
    /// of calls.
    pub(super) fn report(&mut self, error: Diagnostic<'a>, user: Option<usize>) {
        let chain = self.chain(user);
        let omitted = chain.len().saturating_sub(2 * MAX_SHOWN_CALLS);
        let mut error = error;
        for (position, (location, name)) in chain.iter().enumerate() {
            if omitted > 1 && position == MAX_SHOWN_CALLS {
                error = error.note(*location, format!("and {omitted} more calls like this one"));
            }
            if omitted <= 1 || position < MAX_SHOWN_CALLS || position >= MAX_SHOWN_CALLS + omitted {
                error = error.note(*location, format!("'@{name}' is requested here"));
            }
        }
        self.errors.push(error);
    }

    /// Returns the request of each specialization, from the innermost to the outermost, with its
    /// name.
    fn chain(&self, user: Option<usize>) -> Vec<(Location<'a>, &str)> {
        let requests = std::iter::successors(user, |user| self.instances[*user].user);
        requests
            .map(|user| {
                let instance = &self.instances[user];
                (instance.requested_at, instance.name.as_str())
            })
            .collect()
    }

    pub(super) fn report_problem(
        &mut self,
        location: Location<'a>,
        problem: &Problem<'a>,
        user: Option<usize>,
    ) {
        let error = self.conformances.explain(location, problem);
        self.report(error, user);
    }

    /// Returns the errors so far as the error of the pass.
    pub(super) fn check_errors(&mut self) -> Result<(), Diagnostics<'a>> {
        std::mem::take(&mut self.errors).finish()
    }

    pub(super) fn error(&mut self, location: Location<'a>, message: String, user: Option<usize>) {
        self.report(diag::error(location, message), user);
    }
}
