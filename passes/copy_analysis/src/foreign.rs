//! What a program says of its foreign functions, which the compiler cannot look into.
//!
//! ```text
//!   attribute of the declaration        what it means
//!   (none)                              results depend on all operands; what it is given to change, it may change
//!   tfx.pure                            the same, and it changes nothing
//!   tfx.state = "optimizer"             it reads and writes a state of that name: what one call was given, another may give back
//!   tfx.graph_operation = "Relu"        the graph has an operation that does the same, which a warning may name
//! ```
//!
//! The mathematical functions of C need no attribute: it is known by their names and types what in the graph does the same.

use std::collections::BTreeMap;
use tfx_dialects::host;
use tfx_ir::ops::{arith, func, math};

use melior::ir::attribute::StringAttribute;
use melior::ir::{Type, TypeLike};
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::foreign::{GRAPH_OPERATION, PURE, STATE};
use tfx_graphdef::Registry;
use tfx_ir::pass::PassFailed;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, diag};

use crate::states::States;

/// What is known of the foreign functions of a module.
#[derive(Default)]
pub(crate) struct Foreign<'a> {
    known: FxHashMap<&'a str, Known>,
    declared: FxHashSet<&'a str>,
    states: States<'a>,
}

/// What is known of one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// It changes nothing that it is given.
    pub(crate) pure: bool,
    /// What in the graph does the same.
    pub(crate) equivalent: Option<String>,
}

impl<'a> Foreign<'a> {
    pub(crate) fn of(symbols: &SymbolTable<'a>) -> Result<Self, PassFailed> {
        let mut known = FxHashMap::default();
        let mut declared = FxHashSet::default();
        let mut kept = BTreeMap::new();
        for func in symbols.ops().filter(|op| op.isa::<func::Func>()) {
            let name = func.symbol_name().unwrap_or_default();
            if func.is_declaration() {
                declared.insert(name);
            }
            if let Some(entry) = read(func, name)? {
                known.insert(name, entry);
                kept.extend(func.string(STATE).map(|state| (name, state)));
            }
        }
        let states = States::new(symbols, &kept);
        Ok(Foreign {
            known,
            declared,
            states,
        })
    }

    /// The states of foreign functions that `op` may read and write.
    pub(crate) fn states_of(&self, op: Op<'a>) -> &[&'a str] {
        self.states.of(op)
    }

    /// Whether `call` calls a foreign function.
    pub(crate) fn declares(&self, call: Op<'a>) -> bool {
        let callee = call.symbol("callee");
        callee.is_some_and(|callee| self.declared.contains(callee))
    }

    /// What is known of the function that `call` calls.
    pub(crate) fn called_by(&self, call: Op<'a>) -> Option<&Known> {
        match call.isa::<func::Call>() {
            true => self.known.get(call.symbol("callee")?),
            false => None,
        }
    }
}

fn read(func: Op<'_>, name: &str) -> Result<Option<Known>, PassFailed> {
    let wrong = |message: String| Err(diag::error(func.location(), message).fail());
    let said = [PURE, STATE, GRAPH_OPERATION];
    let said = said
        .into_iter()
        .find(|attribute| func.attribute(attribute).is_some());
    if !func.is_declaration() {
        return match said {
            Some(attribute) => wrong(format!(
                "'{attribute}' is said of function '@{name}', which has a body: the compiler sees what it does; it is for foreign functions"
            )),
            None => Ok(None),
        };
    }
    for attribute in [STATE, GRAPH_OPERATION] {
        let value = func.attribute(attribute);
        if value.is_some_and(|value| StringAttribute::try_from(value).is_err()) {
            return wrong(format!(
                "'{attribute}' of foreign function '@{name}' wants a name in quotes"
            ));
        }
    }
    let known = Known {
        pure: func.attribute(PURE).is_some(),
        equivalent: match func.string(GRAPH_OPERATION) {
            Some(operation) => Some(named_operation(func, name, operation)?),
            None => c_function(name, func).map(str::to_owned),
        },
    };
    if let (true, Some(state)) = (known.pure, func.string(STATE)) {
        return wrong(format!(
            "foreign function '@{name}' is said to change nothing ('{PURE}') and to keep the state '{state}' ('{STATE}'): it is one or the other"
        ));
    }
    let says_something = said.is_some() || known.equivalent.is_some();
    Ok(says_something.then_some(known))
}

fn named_operation(func: Op<'_>, name: &str, operation: &str) -> Result<String, PassFailed> {
    let registry = Registry::get();
    if registry.lookup(operation).is_some() {
        return Ok(format!("tfx_tensor.op \"{operation}\""));
    }
    let meant = registry
        .suggest(operation)
        .map(|near| format!("; is \"{near}\" meant?"));
    let message = format!(
        "'{GRAPH_OPERATION}' of foreign function '@{name}' names \"{operation}\", which TensorFlow does not have{}",
        meant.unwrap_or_default()
    );
    Err(diag::error(func.location(), message).fail())
}

/// C's mathematical functions that have an operation which the graph can run as well as the host: the name for `f64`; that for `f32` has an f
/// at its end.
const C_FUNCTIONS: [(&str, &str); 34] = [
    ("fabs", math::AbsF::NAME),
    ("acos", math::Acos::NAME),
    ("acosh", math::Acosh::NAME),
    ("asin", math::Asin::NAME),
    ("asinh", math::Asinh::NAME),
    ("atan", math::Atan::NAME),
    ("atan2", math::Atan2::NAME),
    ("atanh", math::Atanh::NAME),
    ("ceil", math::Ceil::NAME),
    ("copysign", math::CopySign::NAME),
    ("cos", math::Cos::NAME),
    ("cosh", math::Cosh::NAME),
    ("erf", math::Erf::NAME),
    ("erfc", math::Erfc::NAME),
    ("exp", math::Exp::NAME),
    ("exp2", math::Exp2::NAME),
    ("expm1", math::ExpM1::NAME),
    ("floor", math::Floor::NAME),
    ("fmax", arith::MaxNumF::NAME),
    ("fmin", arith::MinNumF::NAME),
    ("fmod", arith::RemF::NAME),
    ("log", math::Log::NAME),
    ("log10", math::Log10::NAME),
    ("log1p", math::Log1p::NAME),
    ("log2", math::Log2::NAME),
    ("pow", math::PowF::NAME),
    ("round", math::Round::NAME),
    ("roundeven", math::RoundEven::NAME),
    ("sin", math::Sin::NAME),
    ("sinh", math::Sinh::NAME),
    ("sqrt", math::Sqrt::NAME),
    ("tan", math::Tan::NAME),
    ("tanh", math::Tanh::NAME),
    ("trunc", math::Trunc::NAME),
];

/// What does the same as a function of C's mathematical library, if `func` is declared as one.
fn c_function(name: &str, func: Op<'_>) -> Option<&'static str> {
    let (inputs, results) = func.signature();
    let all = |is: fn(Type<'_>) -> bool| {
        results.len() == 1 && inputs.iter().chain(&results).all(|ty| is(*ty))
    };
    let known = |name: &str| C_FUNCTIONS.iter().find(|(known, _)| *known == name);
    let of_double = || known(name).filter(|_| all(|ty| ty.is_f64()));
    let of_float = || {
        let name = name.strip_suffix('f')?;
        known(name).filter(|_| all(|ty| ty.is_f32()))
    };
    let (_, operation) = of_double().or_else(of_float)?;
    let operands = match *operation {
        math::Atan2::NAME
        | math::CopySign::NAME
        | math::PowF::NAME
        | arith::MaxNumF::NAME
        | arith::MinNumF::NAME
        | arith::RemF::NAME => 2,
        _ => 1,
    };
    (inputs.len() == operands).then_some(*operation)
}

/// Host operations that the graph has something for, and what to know before one writes that instead.
const HOST_OPERATIONS: [(&str, &str); 2] = [
    (
        math::Fma::NAME,
        "arith.mulf and arith.addf, which round twice",
    ),
    (
        host::ArrayGet::NAME,
        "tfx_tensor.op \"Pack\" and \"GatherV2\", if all elements have one shape",
    ),
];

/// What in the graph does the same as an operation of the host.
pub(crate) fn equivalent<'a>(op: Op<'a>, foreign: &Foreign<'a>) -> Option<String> {
    if let Some(known) = foreign.called_by(op) {
        return known.equivalent.clone();
    }
    let found = HOST_OPERATIONS.iter().find(|(name, _)| op.is(name))?;
    Some(found.1.to_owned())
}
