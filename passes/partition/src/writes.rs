//! The fields of objects that an operation, a function or a loop may write.
//!
//! ```text
//!   tfx_host.store to a member_ref        that field of that class, of whatever object
//!   tfx_host.store to another reference   anything: a closure may share it
//!   func.call of a function with a body   what is in it, and what it calls
//!   func.call of a foreign function       anything, unless it is `tfx.pure`
//!   apply, dynamic_call, what is unknown  anything
//! ```
//!
//! All objects of one class are treated as one, so no other alias analysis is needed. Cost: linear
//! in the module, times the fields that a function writes through its callees.

use std::collections::{BTreeMap, BTreeSet};
use tfx_dialects::host;
use tfx_ir::ops::{func, scf};

use rustc_hash::FxHashMap;
use tfx_dialects::foreign::PURE;
use tfx_dialects::types::class_of;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Value};

/// A field of a class.
pub(crate) type Field<'a> = (&'a str, &'a str);

/// The fields that may be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written<'a> {
    /// Every field.
    pub(crate) anything: bool,
    pub(crate) fields: BTreeSet<Field<'a>>,
}

impl<'a> Written<'a> {
    fn anything() -> Self {
        Written {
            anything: true,
            fields: BTreeSet::new(),
        }
    }

    /// Adds the fields of `other`. Returns whether this adds any.
    fn add(&mut self, other: &Written<'a>) -> bool {
        let before = (self.anything, self.fields.len());
        self.anything |= other.anything;
        self.fields.extend(&other.fields);
        before != (self.anything, self.fields.len())
    }
}

/// The fields that each function of a module may write.
#[derive(Default)]
pub(crate) struct Writes<'a> {
    functions: FxHashMap<&'a str, Written<'a>>,
}

impl<'a> Writes<'a> {
    /// Computes the fields of all functions: each writes those of its operations, and those of its
    /// callees.
    pub(crate) fn of(symbols: &SymbolTable<'a>) -> Self {
        let mut functions: FxHashMap<&'a str, Written<'a>> = FxHashMap::default();
        let mut callers: BTreeMap<&'a str, BTreeSet<&'a str>> = BTreeMap::new();
        let mut todo = Vec::new();
        for func in symbols.ops().filter(|op| op.isa::<func::Func>()) {
            let name = func.symbol_name().unwrap_or_default();
            let mut written = Written::default();
            if func.is_declaration() && func.attribute(PURE).is_none() {
                written = Written::anything();
            }
            for op in func.walk().skip(1) {
                match written_by(op) {
                    Target::Nothing => {}
                    Target::Anything => written.anything = true,
                    Target::Field(field) => _ = written.fields.insert(field),
                    Target::Call(callee) => _ = callers.entry(callee).or_default().insert(name),
                }
            }
            functions.insert(name, written);
            todo.push(name);
        }
        while let Some(callee) = todo.pop() {
            let written = functions[callee].clone();
            for caller in callers.get(callee).into_iter().flatten() {
                let own = functions.get_mut(caller);
                if own.is_some_and(|own| own.add(&written)) {
                    todo.push(caller);
                }
            }
        }
        Writes { functions }
    }

    /// Returns the fields that an operation and those inside may write.
    pub(crate) fn of_op(&self, op: Op<'a>) -> Written<'a> {
        let mut written = Written::default();
        for op in op.walk() {
            match written_by(op) {
                Target::Nothing => {}
                Target::Anything => written.anything = true,
                Target::Field(field) => _ = written.fields.insert(field),
                Target::Call(callee) => match self.functions.get(callee) {
                    Some(of_callee) => _ = written.add(of_callee),
                    None => written.anything = true,
                },
            }
        }
        written
    }
}

/// The fields that one operation writes by itself.
enum Target<'a> {
    Nothing,
    Anything,
    Field(Field<'a>),
    Call(&'a str),
}

fn written_by(op: Op<'_>) -> Target<'_> {
    if let Some(store) = host::Store::cast(op) {
        return field_of(store.reference()).map_or(Target::Anything, Target::Field);
    }
    match op.name() {
        func::Call::NAME => op.symbol("callee").map_or(Target::Anything, Target::Call),
        host::Print::NAME | host::Assert::NAME | host::Abort::NAME => Target::Nothing,
        // The function of a queue has no access to objects of the host.
        host::Prefetch::NAME | host::Next::NAME | host::Close::NAME => Target::Nothing,
        _ if op.is_terminator() || matches!(op.dialect(), "tfx_comm" | "tfx_tensor") => {
            Target::Nothing
        }
        // The operations inside count by themselves.
        scf::If::NAME | scf::IndexSwitch::NAME | scf::While::NAME | scf::For::NAME => {
            Target::Nothing
        }
        _ => {
            let effects = op.effects();
            match effects.write || effects.free || effects.unknown {
                true => Target::Anything,
                false => Target::Nothing,
            }
        }
    }
}

/// Returns the field that a reference refers to, itself or a part of it.
pub(crate) fn field_of(reference: Value<'_>) -> Option<Field<'_>> {
    let mut op = reference.defining_op()?;
    while let Some(part) = host::FieldRef::cast(op) {
        op = part.reference().defining_op()?;
    }
    let member = host::MemberRef::cast(op)?;
    Some((class_of(member.object().ty())?, member.field()))
}
