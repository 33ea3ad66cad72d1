//! The declared properties of foreign functions, which the compiler cannot inspect.
//!
//! ```text
//!   attribute of the declaration        meaning
//!   (none)                              results depend on all operands; what they refer to may change
//!   tfx.pure                            the same, but nothing changes
//!   tfx.state = "optimizer"             accesses that state: one call may return what another was given
//!   tfx.graph_operation = "Relu"        a graph operation that computes the same, for warnings
//! ```
//!
//! C's mathematical functions need no attribute: their names and types determine the equivalent
//! operation.

use std::collections::BTreeMap;

use melior::ir::{Type, TypeLike};
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::foreign::{GRAPH_OPERATION, PURE, STATE};
use tfx_dialects::host;
use tfx_graphdef::Registry;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::{arith, func, math};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, attribute};

use crate::states::States;

/// The foreign functions of a module.
#[derive(Default)]
pub(crate) struct Foreign<'a> {
    properties: FxHashMap<&'a str, Properties>,
    declared: FxHashSet<&'a str>,
    states: States<'a>,
}

/// The properties of a foreign function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Properties {
    /// It does not change its arguments.
    pub(crate) pure: bool,
    /// The operation of the graph that computes the same.
    pub(crate) equivalent: Option<String>,
}

impl<'a> Foreign<'a> {
    pub(crate) fn of(symbols: &SymbolTable<'a>) -> Result<Self, Diagnostic<'a>> {
        let mut foreign = Foreign::default();
        let mut states = BTreeMap::new();
        for func in symbols.ops().filter_map(func::Func::cast) {
            let name = func.sym_name();
            if func.is_declaration() {
                foreign.declared.insert(name);
            }
            if let Some(properties) = read(func)? {
                foreign.properties.insert(name, properties);
                states.extend(func.string(STATE).map(|state| (name, state)));
            }
        }
        foreign.states = States::new(symbols, &states);
        Ok(foreign)
    }

    /// Returns the states of foreign functions that `op` may access.
    pub(crate) fn states_of(&self, op: Op<'a>) -> &[&'a str] {
        self.states.of(op)
    }

    /// Returns whether `call` calls a foreign function.
    pub(crate) fn is_called_by(&self, call: func::Call<'a>) -> bool {
        self.declared.contains(call.callee())
    }

    /// Returns the properties of the function that `op` calls, if it has any.
    pub(crate) fn properties(&self, op: Op<'a>) -> Option<&Properties> {
        self.properties.get(func::Call::cast(op)?.callee())
    }

    /// Returns whether `op` calls a pure function.
    pub(crate) fn is_pure_call(&self, op: Op<'a>) -> bool {
        self.properties(op).is_some_and(|known| known.pure)
    }
}

fn read(func: func::Func<'_>) -> Result<Option<Properties>, Diagnostic<'_>> {
    let name = func.sym_name();
    let wrong = |message: String| Err(diag::error(func.location(), message));
    let attributes = [PURE, STATE, GRAPH_OPERATION];
    let first = attributes
        .into_iter()
        .find(|name| func.attribute(name).is_some());
    if !func.is_declaration() {
        return match first {
            Some(attribute) => wrong(format!(
                "'{attribute}' describes foreign functions, but function '@{name}' has a body"
            )),
            None => Ok(None),
        };
    }
    for key in [STATE, GRAPH_OPERATION] {
        if let Some(value) = func.attribute(key)
            && attribute::text(value).is_none()
        {
            return wrong(format!(
                "expected a string for '{key}' of foreign function '@{name}', got '{value}'"
            ));
        }
    }
    let properties = Properties {
        pure: func.attribute(PURE).is_some(),
        equivalent: match func.string(GRAPH_OPERATION) {
            Some(operation) => Some(named_operation(func, operation)?),
            None => c_function(func).map(str::to_owned),
        },
    };
    if properties.pure && func.attribute(STATE).is_some() {
        return wrong(format!(
            "foreign function '@{name}' has '{PURE}' and '{STATE}': a pure function has no state"
        ));
    }
    Ok((first.is_some() || properties.equivalent.is_some()).then_some(properties))
}

fn named_operation<'a>(func: func::Func<'a>, operation: &str) -> Result<String, Diagnostic<'a>> {
    let registry = Registry::get();
    if registry.lookup(operation).is_some() {
        return Ok(format!("tfx_tensor.op \"{operation}\""));
    }
    let suggestion = registry
        .suggest(operation)
        .map(|name| format!("; did you mean \"{name}\"?"));
    let message = format!(
        "'{GRAPH_OPERATION}' of foreign function '@{}': TensorFlow has no operation \"{operation}\"{}",
        func.sym_name(),
        suggestion.unwrap_or_default()
    );
    Err(diag::error(func.location(), message))
}

/// C's mathematical functions with an equivalent operation, by the name of the version for `f64`.
/// The version for `f32` has the suffix `f`.
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

/// Returns the equivalent of a function of C's mathematical library, if `func` declares one.
fn c_function(func: func::Func<'_>) -> Option<&'static str> {
    let name = func.sym_name();
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

/// Host operations with an equivalent in the graph, and the condition for its use.
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

/// Returns the equivalent in the graph of an operation of the host.
pub(crate) fn equivalent<'a>(op: Op<'a>, foreign: &Foreign<'a>) -> Option<String> {
    if let Some(properties) = foreign.properties(op) {
        return properties.equivalent.clone();
    }
    let found = HOST_OPERATIONS.iter().find(|(name, _)| op.is(name))?;
    Some(found.1.to_owned())
}
