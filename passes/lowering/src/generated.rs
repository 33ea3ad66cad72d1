//! The symbols and calls that the lowering of host code generates for a module.

use std::collections::{HashMap, HashSet};

use melior::ir::Location;
use tfx_dialects::host;

use crate::declarations::Signature;

/// The constants and functions that the lowering generates for a module, by their keys.
#[derive(Default)]
pub(crate) struct Generated<'a> {
    /// The types of boxes, by their name and kinds.
    pub(crate) types: HashMap<(String, Vec<u8>), String>,
    /// The thunks of closures, by callee and number of captures.
    pub(crate) closures: HashMap<(&'a str, usize), String>,
    /// The thunks through which the runtime fills queues, by callee.
    pub(crate) queues: HashMap<&'a str, String>,
    /// Witness tables and the calls through them.
    pub(crate) methods: Methods<'a>,
    /// Declarations of the functions whose addresses are in constants.
    pub(crate) referenced: Vec<String>,
}

/// The generated witness tables of a module, and the calls through them.
#[derive(Default)]
pub(crate) struct Methods<'a> {
    /// The names of the generated tables.
    pub(crate) tables: HashSet<&'a str>,
    /// The methods in the tables.
    pub(crate) methods: Vec<Method<'a>>,
    /// The calls, one for each protocol, method and signature.
    pub(crate) calls: Vec<DynamicCall<'a>>,
    /// The keys of `calls`, with the addresses of the signatures.
    pub(crate) seen: HashSet<(&'a str, &'a str, usize)>,
}

/// A method of a type that conforms to a protocol.
pub(crate) struct Method<'a> {
    pub(crate) protocol: &'a str,
    pub(crate) name: &'a str,
    /// The parameters and results without `Self`.
    pub(crate) signature: Signature<'a>,
    pub(crate) table: host::WitnessTable<'a>,
    pub(crate) function: &'a str,
}

/// A call through a witness table.
pub(crate) struct DynamicCall<'a> {
    pub(crate) protocol: &'a str,
    pub(crate) method: &'a str,
    pub(crate) signature: Signature<'a>,
    pub(crate) location: Location<'a>,
}
