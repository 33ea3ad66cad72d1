//! Declarations of types that nothing names any more.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use melior::ir::Attribute;
use melior::ir::attribute::TypeAttribute;
use tfx_dialects::types::{HostType, host_type, walk_types};
use tfx_ir::{Op, Value};

use crate::layout::key;
use crate::names;

/// Erases the declarations of structs and enums that no type names. What only other declarations name is named by nothing.
pub(crate) fn erase_unused_declarations(module: Op<'_>) {
    let declarations: Vec<_> = module.children().filter(|op| is_declaration(*op)).collect();
    if declarations.is_empty() {
        return;
    }
    let by_name: HashMap<_, _> = declarations
        .iter()
        .filter_map(|op| Some((op.symbol_name()?, *op)))
        .collect();
    let mut used = Used::default();
    module
        .walk()
        .filter(|op| !is_declaration(*op))
        .for_each(|op| used.visit(op));
    while let Some(name) = used.pending.pop() {
        by_name.get(name).into_iter().for_each(|op| used.visit(*op));
    }
    declarations
        .iter()
        .filter(|op| {
            op.symbol_name()
                .is_some_and(|name| !used.names.contains(name))
        })
        .for_each(|op| op.erase());
}

fn is_declaration(op: Op<'_>) -> bool {
    op.is(names::STRUCT) || op.is(names::ENUM)
}

#[derive(Default)]
struct Used<'a> {
    names: HashSet<&'a str>,
    /// Those whose own fields are still to be looked at.
    pending: Vec<&'a str>,
    seen: HashSet<usize>,
}

impl<'a> Used<'a> {
    fn visit(&mut self, op: Op<'a>) {
        let arguments = op
            .regions()
            .flat_map(|region| region.blocks())
            .flat_map(|block| block.arguments());
        for ty in op.results().chain(arguments).map(Value::ty) {
            if self.seen.insert(key(ty)) {
                self.attribute(TypeAttribute::new(ty).into());
            }
        }
        if !names::is_plain(op) {
            op.attributes()
                .into_iter()
                .for_each(|(_, attribute)| self.attribute(attribute));
        }
    }

    fn attribute(&mut self, attribute: Attribute<'a>) {
        walk_types(attribute, |ty| {
            if let Some(HostType::Struct { declaration, .. } | HostType::Enum { declaration, .. }) =
                host_type(ty)
                && self.names.insert(declaration)
            {
                self.pending.push(declaration);
            }
        });
    }
}
