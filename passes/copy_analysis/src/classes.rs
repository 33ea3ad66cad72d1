//! The classes whose objects can be reached from a value, through the fields of objects.
//!
//! ```text
//!   class @Trainer {model: object<@Model>, log: array<object<@Line>>}
//!   a Trainer reaches Trainer, Model and Line
//! ```
//!
//! Computed once for each type. Cost: the number of types times that of declarations.

use std::collections::BTreeSet;

use melior::ir::attribute::TypeAttribute;
use melior::ir::{Attribute, Type};
use rustc_hash::FxHashMap;
use tfx_dialects::types::{HostType, host_type, walk_types};
use tfx_ir::Op;
use tfx_ir::symbols::SymbolTable;

/// The classes that are reachable from the types of a module.
pub(crate) struct Classes<'s, 'a> {
    symbols: &'s SymbolTable<'a>,
    /// By the text of the type.
    reached: FxHashMap<String, Vec<&'a str>>,
}

impl<'s, 'a> Classes<'s, 'a> {
    pub(crate) fn new(symbols: &'s SymbolTable<'a>) -> Self {
        Classes {
            symbols,
            reached: FxHashMap::default(),
        }
    }

    /// Returns the classes that a value of type `ty` reaches, sorted by name.
    pub(crate) fn reached_by(&mut self, ty: Type<'a>) -> Vec<&'a str> {
        let key = ty.to_string();
        if let Some(known) = self.reached.get(&key) {
            return known.clone();
        }
        let (mut found, mut worklist) = (BTreeSet::new(), Vec::new());
        collect_nominal(TypeAttribute::new(ty).into(), &mut worklist);
        while let Some((declaration, is_class)) = worklist.pop() {
            if found.insert((declaration, is_class)) {
                let declared = self.symbols.get(declaration);
                for (_, attribute) in declared.into_iter().flat_map(Op::attributes) {
                    collect_nominal(attribute, &mut worklist);
                }
            }
        }
        let classes = found.into_iter().filter(|(_, is_class)| *is_class);
        let classes: Vec<&'a str> = classes.map(|(name, _)| name).collect();
        self.reached.insert(key, classes.clone());
        classes
    }
}

/// Adds the nominal types in `attribute`, each with whether it is a class.
fn collect_nominal<'a>(attribute: Attribute<'a>, list: &mut Vec<(&'a str, bool)>) {
    walk_types(attribute, |ty| match host_type(ty) {
        Some(HostType::Object { declaration, .. }) => list.push((declaration, true)),
        Some(HostType::Struct { declaration, .. } | HostType::Enum { declaration, .. }) => {
            list.push((declaration, false));
        }
        _ => {}
    });
}
