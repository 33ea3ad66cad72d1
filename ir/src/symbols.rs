//! Symbol tables: a map from names to operations.
//!
//! MLIR's `SymbolTable::lookupNearestSymbolFrom` costs a walk of the table's operations for each
//! lookup. This table costs one walk; the user keeps it up to date.

use std::collections::HashMap;

use melior::ir::attribute::ArrayAttribute;

use crate::cast::Cast;
use crate::{Op, attribute, ffi};

/// The attribute that holds a symbol's name.
pub const SYMBOL_NAME: &str = "sym_name";
/// The attribute that holds a symbol's visibility: `public` (or none), `private`, `nested`.
pub const SYMBOL_VISIBILITY: &str = "sym_visibility";
/// The attribute of a tensor-only function that becomes a graph function, which other
/// graphs call. `tfx-inline` chooses these functions; `tfx-partition` produces the graphs.
pub const GRAPH_FUNCTION: &str = "tfx.graph_function";

/// Returns whether a function has the attribute [`GRAPH_FUNCTION`].
pub fn is_graph_function(func: Op<'_>) -> bool {
    func.attribute(GRAPH_FUNCTION).is_some()
}

/// Calls `visit` with each symbol that an attribute of `op` refers to, directly or in an array.
pub fn for_each_symbol<'a>(op: Op<'a>, mut visit: impl FnMut(&'a str)) {
    for (_, attribute) in op.attributes() {
        attribute::symbol(attribute)
            .into_iter()
            .for_each(&mut visit);
        let array = ArrayAttribute::cast(attribute).into_iter();
        let elements =
            array.flat_map(|array| (0..array.len()).map(move |index| array.element(index)));
        let symbols = elements.filter_map(|element| attribute::symbol(element.ok()?));
        symbols.for_each(&mut visit);
    }
}

/// Renames a symbol of `owner` and all references to it. Linear in `owner`.
///
/// # Panics
/// If the name is empty, which MLIR does not allow.
pub fn rename<'a>(owner: Op<'a>, symbol: Op<'a>, name: &str) {
    let old = symbol
        .symbol_name()
        .expect("only an operation with a name is renamed");
    ffi::replace_symbol_uses(owner, old, name);
    symbol.set_string(SYMBOL_NAME, name);
}

/// The symbols that an operation, such as a module, defines.
#[derive(Clone, Debug)]
pub struct SymbolTable<'a> {
    owner: Op<'a>,
    by_name: HashMap<&'a str, Op<'a>>,
}

impl<'a> SymbolTable<'a> {
    /// Collects the symbols that are directly inside of `owner`.
    pub fn new(owner: Op<'a>) -> Self {
        let by_name = owner
            .children()
            .filter_map(|op| Some((op.symbol_name()?, op)))
            .collect();
        Self { owner, by_name }
    }

    /// Returns the operation that owns the symbols.
    pub fn owner(&self) -> Op<'a> {
        self.owner
    }

    /// Returns the operation that defines `name`.
    pub fn get(&self, name: &str) -> Option<Op<'a>> {
        self.by_name.get(name).copied()
    }

    /// Returns the operation that the attribute `attribute` of `op` refers to.
    pub fn resolve(&self, op: Op<'a>, attribute: &str) -> Option<Op<'a>> {
        self.get(op.symbol(attribute)?)
    }

    /// Returns an iterator over the symbols in program order.
    pub fn ops(&self) -> impl Iterator<Item = Op<'a>> {
        self.owner
            .children()
            .filter(|op| op.symbol_name().is_some())
    }

    /// Adds a new operation of the table's region, and renames it if its name is taken. Returns the
    /// name.
    pub fn insert(&mut self, op: Op<'a>) -> &'a str {
        let own = op
            .symbol_name()
            .expect("only an operation with a name goes into a symbol table");
        let name = self.unique_name(own);
        if name != own {
            op.set_string(SYMBOL_NAME, &name);
        }
        let name = op.symbol_name().expect("it has a name");
        self.by_name.insert(name, op);
        name
    }

    /// Erases a symbol. Nothing may refer to it.
    pub fn erase(&mut self, op: Op<'a>) {
        if let Some(name) = op.symbol_name() {
            self.by_name.remove(name);
        }
        op.erase();
    }

    /// Returns `name`, or the first of `name_0`, `name_1`, ... that is not taken.
    pub fn unique_name(&self, name: &str) -> String {
        if !self.by_name.contains_key(name) {
            return name.to_owned();
        }
        let mut candidates = (0usize..).map(|number| format!("{name}_{number}"));
        let free = candidates.find(|name| !self.by_name.contains_key(name.as_str()));
        free.expect("a table is finite")
    }
}
