//! `tfx-sweep`: erases unneeded declarations, tables and private functions.
//!
//! ```text
//!   func @main            ──names──►  func private @f        stays
//!     erase %x : T to any<@P>  ────►  witness_table T : @P   stays  ──names──►  its protocol, its functions
//!                                     witness_table U : @P   goes, and with it what only it named
//! ```
//!
//! A symbol that another module could use stays, and so does everything that it needs: functions
//! that are called or made closures of, types that are named, and the witness tables that the run
//! time needs for its operations (`specialize/existentials.rs`). Upstream's `symbol-dce` does not
//! know the types, and considers every table needed.
//!
//! `tfx-specialize` does the same for generic declarations; this pass erases those that only
//! removed code needed.
//!
//! Cost: linear in the module.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use tfx_dialects::host;
use tfx_ir::ops::func;

use melior::ir::attribute::TypeAttribute;
use melior::ir::{Attribute, Type};
use tfx_dialects::types::{HostType, host_type, is_generic, walk_types};
use tfx_ir::Op;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult};

use crate::layout::key;
use crate::names;

/// The pass; the module describes the algorithm.
#[derive(Default)]
pub struct Sweep;

impl Pass for Sweep {
    type Options = ();
    const NAME: &'static str = "TfxSweep";
    const ARGUMENT: &'static str = "tfx-sweep";
    const DESCRIPTION: &'static str =
        "Erase unneeded declarations, witness tables and private functions";
    const ANCHOR: Anchor = Anchor::Module;

    fn run<'a>(&mut self, module: Op<'a>, _cx: &PassContext<'a, ()>) -> PassResult {
        erase_unneeded(module, |op| {
            is_type(op)
                || op.isa::<host::Class>()
                || op.isa::<host::Protocol>()
                || op.isa::<host::WitnessTable>()
                || op.isa::<func::Func>() && op.is_private()
        });
        Ok(())
    }
}

/// Erases the declarations of structs and enums that no type names. A declaration that only such
/// declarations name counts as unnamed.
pub(crate) fn erase_unused_types(module: Op<'_>) {
    erase_unneeded(module, is_type);
}

fn is_type(op: Op<'_>) -> bool {
    op.isa::<host::Struct>() || op.isa::<host::Enum>()
}

/// Erases the symbols that may be erased and that nothing that stays needs.
fn erase_unneeded<'a>(module: Op<'a>, may_go: impl Fn(Op<'a>) -> bool) {
    let (candidates, roots): (Vec<_>, Vec<_>) = module.children().partition(|op| may_go(*op));
    if candidates.is_empty() {
        return;
    }
    let mut needed = Needed::new(&candidates);
    roots.into_iter().for_each(|op| needed.visit(op));
    while let Some(op) = needed.pending.pop() {
        needed.visit(op);
    }
    let unneeded = candidates.iter().filter(|op| !needed.ops.contains(op));
    unneeded.for_each(|op| op.erase());
}

/// Among the operations that may be erased, those that stay.
struct Needed<'a> {
    ops: HashSet<Op<'a>>,
    /// Those that have not been visited.
    pending: Vec<Op<'a>>,
    /// Types that have been visited.
    types: HashSet<usize>,
    by_name: HashMap<&'a str, Op<'a>>,
    /// By type: its tables.
    tables: HashMap<usize, Vec<host::WitnessTable<'a>>>,
    protocols: Vec<Op<'a>>,
}

impl<'a> Needed<'a> {
    fn new(candidates: &[Op<'a>]) -> Self {
        let mut tables: HashMap<_, Vec<_>> = HashMap::default();
        for &op in candidates {
            if let Some(table) = host::WitnessTable::cast(op) {
                tables
                    .entry(key(table.conforming()))
                    .or_default()
                    .push(table);
            }
        }
        let named = candidates
            .iter()
            .filter_map(|op| Some((op.symbol_name()?, *op)));
        let protocols = candidates.iter().filter(|op| op.isa::<host::Protocol>());
        Needed {
            ops: HashSet::default(),
            pending: Vec::new(),
            types: HashSet::default(),
            by_name: named.collect(),
            tables,
            protocols: protocols.copied().collect(),
        }
    }

    /// Visits everything that an operation, and the operations inside, need.
    fn visit(&mut self, top: Op<'a>) {
        for op in top.walk() {
            op.definitions().for_each(|value| self.ty(value.ty()));
            op.symbol("callee")
                .into_iter()
                .for_each(|name| self.name(name));
            names::symbols_other_than_calls(op, |name| self.name(name));
            if !names::is_plain(op) {
                for (_, attribute) in op.attributes() {
                    self.attribute(attribute);
                }
            }
            match host::HostOp::cast(op) {
                Some(host::HostOp::Erase(op)) => self.erase(op),
                Some(host::HostOp::DynamicCall(op)) => self.dynamic_call(op),
                _ => {}
            }
            if is_generic(op) {
                // The operation that passes types to it may need any of them.
                let protocols = self.protocols.clone();
                protocols.into_iter().for_each(|op| self.op(op));
            }
        }
    }

    fn op(&mut self, op: Op<'a>) {
        if self.ops.insert(op) {
            self.pending.push(op);
        }
    }

    fn name(&mut self, name: &str) {
        if let Some(&op) = self.by_name.get(name) {
            self.op(op);
        }
    }

    fn ty(&mut self, ty: Type<'a>) {
        if self.types.insert(key(ty)) {
            self.attribute(TypeAttribute::new(ty).into());
        }
    }

    fn attribute(&mut self, attribute: Attribute<'a>) {
        walk_types(attribute, |ty| match host_type(ty) {
            Some(
                HostType::Struct { declaration, .. }
                | HostType::Enum { declaration, .. }
                | HostType::Object { declaration, .. },
            ) => self.name(declaration),
            Some(HostType::Any(protocol) | HostType::Assoc { protocol, .. }) => self.name(protocol),
            _ => {}
        });
    }

    /// The run time needs the table of the erased type.
    fn erase(&mut self, erase: host::Erase<'a>) {
        let conforming = erase.conforming().unwrap_or(erase.value().ty());
        if let Some(HostType::Any(protocol)) = host_type(erase.result().ty()) {
            self.tables_of(conforming, |table| table.protocol() == protocol);
        }
    }

    /// A method of an object is found in the tables of its class; one of an existential came with
    /// it.
    fn dynamic_call(&mut self, call: host::DynamicCall<'a>) {
        self.tables_of(call.receiver().ty(), |table| {
            table.method_names().contains(&call.method())
        });
    }

    fn tables_of(&mut self, ty: Type<'a>, is_it: impl Fn(host::WitnessTable<'a>) -> bool) {
        let tables = self.tables.get(&key(ty)).into_iter().flatten().copied();
        let found: Vec<_> = tables.filter(|table| is_it(*table)).collect();
        found.into_iter().for_each(|table| self.op(table.op()));
    }
}
