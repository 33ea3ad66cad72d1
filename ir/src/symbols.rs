//! Symbol tables: one look at a module, then a map.
//!
//! MLIR's own table costs a walk for each that is made, and a lookup by `SymbolTable::lookupNearestSymbolFrom` costs one
//! for each lookup. This one is made once, in one pass over the table's own operations, and kept up to date by its user.

use std::collections::HashMap;

use crate::{Op, ffi};

/// The attribute that holds a symbol's name.
pub const SYMBOL_NAME: &str = "sym_name";
/// The attribute that holds a symbol's visibility: `public` (or none), `private`, `nested`.
pub const SYMBOL_VISIBILITY: &str = "sym_visibility";
/// The attribute of a function of tensor code alone that becomes a graph of its own, which other graphs call. `tfx-inline` chooses
/// these functions, `tfx-partition` makes the graphs.
pub const GRAPH_FUNCTION: &str = "tfx.graph_function";

/// Gives a symbol of `owner` another name, also where it is referred to. Linear in `owner`.
///
/// # Panics
/// If the name is no name of a symbol, which MLIR does not allow to be empty.
pub fn rename<'a>(owner: Op<'a>, symbol: Op<'a>, name: &str) {
    let old = symbol
        .symbol_name()
        .expect("only an operation with a name is renamed");
    ffi::replace_symbol_uses(owner, old, name);
    symbol.set_string(SYMBOL_NAME, name);
}

/// The symbols that one operation, such as a module, defines.
#[derive(Clone, Debug)]
pub struct SymbolTable<'a> {
    owner: Op<'a>,
    by_name: HashMap<&'a str, Op<'a>>,
}

impl<'a> SymbolTable<'a> {
    /// Looks at the operations that are directly inside of `owner`.
    pub fn new(owner: Op<'a>) -> Self {
        let by_name = owner
            .children()
            .filter_map(|op| Some((op.symbol_name()?, op)))
            .collect();
        Self { owner, by_name }
    }

    /// The operation whose symbols these are.
    pub fn owner(&self) -> Op<'a> {
        self.owner
    }

    /// The operation that defines `name`.
    pub fn get(&self, name: &str) -> Option<Op<'a>> {
        self.by_name.get(name).copied()
    }

    /// The operation that the symbol in attribute `attribute` of `op` refers to, such as `callee` of a `func.call`.
    pub fn resolve(&self, op: Op<'a>, attribute: &str) -> Option<Op<'a>> {
        self.get(op.symbol(attribute)?)
    }

    /// All symbols, in the order of the program.
    pub fn ops(&self) -> impl Iterator<Item = Op<'a>> {
        self.owner
            .children()
            .filter(|op| op.symbol_name().is_some())
    }

    /// Adds a new operation that is in the table's region. If its name is taken it is given another one.
    pub fn insert(&mut self, op: Op<'a>) -> &'a str {
        let wanted = op
            .symbol_name()
            .expect("only an operation with a name goes into a symbol table");
        let name = self.unique_name(wanted);
        if name != wanted {
            op.set_string(SYMBOL_NAME, &name);
        }
        let name = op.symbol_name().expect("it has a name");
        self.by_name.insert(name, op);
        name
    }

    /// Erases a symbol. Nothing may refer to it any more.
    pub fn erase(&mut self, op: Op<'a>) {
        if let Some(name) = op.symbol_name() {
            self.by_name.remove(name);
        }
        op.erase();
    }

    /// `name`, or, if that is taken, `name_0`, `name_1`, ...
    pub fn unique_name(&self, name: &str) -> String {
        if !self.by_name.contains_key(name) {
            return name.to_owned();
        }
        let candidates = (0usize..).map(|number| format!("{name}_{number}"));
        candidates
            .into_iter()
            .find(|name| !self.by_name.contains_key(name.as_str()))
            .expect("numbers do not end")
    }
}
