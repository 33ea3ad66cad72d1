//! Which classes can be reached from values of a type, through the fields of their objects.
//!
//! ```text
//!   class @Trainer {model: object<@Model>, log: array<object<@Line>>}
//!   who is given a Trainer may read and change Trainer, Model and Line
//! ```
//!
//! Found once for each type that is asked for: the cost is the number of such types times that of declarations.

use std::collections::BTreeSet;

use melior::ir::{Attribute, Type};
use rustc_hash::FxHashMap;
use tfx_dialects::types::{HostType, host_type, walk_types};
use tfx_ir::Op;
use tfx_ir::symbols::SymbolTable;

/// The declarations of a module.
pub(crate) struct Classes<'s, 'a> {
    symbols: &'s SymbolTable<'a>,
    /// By the text of the type, which is what makes two of them the same.
    reached: FxHashMap<String, Vec<&'a str>>,
}

impl<'s, 'a> Classes<'s, 'a> {
    pub(crate) fn new(symbols: &'s SymbolTable<'a>) -> Self {
        Classes {
            symbols,
            reached: FxHashMap::default(),
        }
    }

    /// The classes whose objects a value of that type leads to, in the order of their names.
    pub(crate) fn reached_by(&mut self, ty: Type<'a>) -> Vec<&'a str> {
        let key = ty.to_string();
        if let Some(known) = self.reached.get(&key) {
            return known.clone();
        }
        let (mut found, mut todo) = (BTreeSet::new(), Vec::new());
        mentioned(type_attribute(ty), &mut todo);
        while let Some((declaration, is_class)) = todo.pop() {
            if !found.insert((declaration, is_class)) {
                continue;
            }
            let declared = self.symbols.get(declaration);
            for (_, attribute) in declared.into_iter().flat_map(Op::attributes) {
                mentioned(attribute, &mut todo);
            }
        }
        let classes = found.into_iter().filter(|(_, is_class)| *is_class);
        let classes: Vec<&'a str> = classes.map(|(name, _)| name).collect();
        self.reached.insert(key, classes.clone());
        classes
    }
}

fn type_attribute(ty: Type<'_>) -> Attribute<'_> {
    melior::ir::attribute::TypeAttribute::new(ty).into()
}

/// Adds the nominal types that `attribute` speaks of, and whether each is a class.
fn mentioned<'a>(attribute: Attribute<'a>, list: &mut Vec<(&'a str, bool)>) {
    walk_types(attribute, |ty| match host_type(ty) {
        Some(HostType::Object { declaration, .. }) => list.push((declaration, true)),
        Some(HostType::Struct { declaration, .. } | HostType::Enum { declaration, .. }) => {
            list.push((declaration, false));
        }
        _ => {}
    });
}
