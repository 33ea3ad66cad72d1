//! Scalar expressions that are outlined into private functions and closures, or written in place.
//!
//! ```text
//!   in place                              outlined
//!   %v7 = arith.mulf %v3, %v6 : f32       %v8 = func.call @main_outlined1(%v3) : (f32) -> i1
//!   %v8 = arith.cmpf ogt, %v7, %p0 : f32  ...
//!                                         func.func private @main_outlined1(%v3: f32) -> i1 { .. }
//! ```
//!
//! A seed makes the same choices for both renderings, so that the two programs do not differ
//! otherwise. Names are unique in a function: a value from outside becomes a parameter of the same
//! name.

use std::collections::BTreeSet;

use super::body::Body;
use super::types::Ty;

/// The renderings of an expression that may be outlined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Rendering {
    /// A function or a closure.
    #[default]
    Outlined,
    /// The same code in place.
    InPlace,
}

/// The outlined functions of one function.
#[derive(Debug, Default)]
pub(crate) struct Outlined {
    /// The text.
    pub(super) functions: String,
    /// The name of the function.
    owner: String,
    /// The nesting depth of outlined expressions.
    depth: usize,
    count: usize,
}

impl Outlined {
    /// Creates an empty list for a function with this name.
    pub(crate) fn of(owner: &str) -> Self {
        Outlined {
            owner: owner.to_owned(),
            ..Outlined::default()
        }
    }
}

/// The maximal nesting depth of outlined functions.
const MAX_DEPTH: usize = 2;
/// The maximal number of parts of an expression, so that it stays below the size up to which scalar
/// functions are inlined.
const MAX_PIECES: usize = 3;

impl Body<'_> {
    /// Writes a scalar expression, in place or as a function.
    pub(super) fn outline(&mut self) {
        if self.outlined.depth >= MAX_DEPTH {
            return self.scalar();
        }
        let around = std::mem::take(&mut self.text);
        let visible = self.values.len();
        self.outlined.depth += 1;
        for _ in 0..1 + self.random.below(MAX_PIECES) {
            self.piece();
        }
        self.outlined.depth -= 1;
        let inside = std::mem::replace(&mut self.text, around);
        let made: Vec<_> = self.values.drain(visible..).collect();
        let mut results: Vec<_> = made.iter().rev().filter(|(_, ty)| ty.is_scalar()).collect();
        // A closure has one result.
        let is_closure = self.random.chance(40);
        let captured = self.random.below(3);
        results.truncate(match is_closure {
            true => 1,
            false => 1 + usize::from(self.random.chance(25)),
        });
        let results: Vec<_> = results.into_iter().cloned().collect();
        match self.rendering {
            Rendering::InPlace => self.text += &inside,
            Rendering::Outlined => {
                let captured = is_closure.then_some(captured);
                self.call_outlined(&inside, &results, captured);
            }
        }
        self.values.extend(results);
    }

    /// Writes a function with the given code, and its call: directly, or by a closure that captures
    /// a given number of values.
    fn call_outlined(&mut self, inside: &str, results: &[(String, Ty)], captured: Option<usize>) {
        let names = names(inside);
        let mut read = self.values.clone();
        read.retain(|(name, _)| names.contains(&name[..]));
        self.outlined.count += 1;
        let function = format!("{}_outlined{}", self.outlined.owner, self.outlined.count);
        let bare = |list: &[(String, Ty)]| {
            let names: Vec<_> = list.iter().map(|(name, _)| name.as_str()).collect();
            names.join(", ")
        };
        let types = |list: &[(String, Ty)]| {
            let types: Vec<_> = list.iter().map(|(_, ty)| ty.text()).collect();
            types.join(", ")
        };
        let declared: Vec<_> = read
            .iter()
            .map(|(name, ty)| format!("{name}: {ty}"))
            .collect();
        let ends = match results.is_empty() {
            true => String::new(),
            false => format!(" {} : {}", bare(results), types(results)),
        };
        self.outlined.functions += &format!(
            "func.func private @{function}({}) -> ({}) {{\n{inside}  return{ends}\n}}\n",
            declared.join(", "),
            types(results)
        );
        let bound = match results.is_empty() {
            true => String::new(),
            false => format!("{} = ", bare(results)),
        };
        let Some(captured) = captured.filter(|_| !results.is_empty()) else {
            return self.line(&format!(
                "{bound}func.call @{function}({}) : ({}) -> ({})",
                bare(&read),
                types(&read),
                types(results)
            ));
        };
        let (captures, given) = read.split_at(captured.min(read.len()));
        let closure = format!("{}_closure", results[0].0);
        let of = format!(
            "!tfx_host.closure<({}) -> {}>",
            types(given),
            types(results)
        );
        self.line(&format!(
            "{closure} = tfx_host.closure @{function}({}) : ({}) -> {of}",
            bare(captures),
            types(captures)
        ));
        self.line(&format!(
            "{bound}tfx_host.apply {closure}({}) : {of}",
            bare(given)
        ));
    }

    /// Writes a part of an expression.
    fn piece(&mut self) {
        match self.random.below(12) {
            0..5 => self.scalar(),
            5 => self.clamp(),
            6 => self.schedule(),
            7 => self.predicate(),
            8 => self.outline(),
            9 => self.asserted(),
            10 if self.depth == 0 => self.stopped(),
            _ if self.depth == 0 => self.joined(),
            _ => self.clamp(),
        }
    }

    /// Clamps a number to a range.
    fn clamp(&mut self) {
        let number = self.any(Ty::I32);
        let low = self.value(Ty::I32, "arith.constant -50 : i32");
        let high = self.value(Ty::I32, "arith.constant 50 : i32");
        let above = self.value(Ty::I32, &format!("arith.maxsi {number}, {low} : i32"));
        self.value(Ty::I32, &format!("arith.minsi {above}, {high} : i32"));
    }

    /// Computes a learning-rate schedule from a step.
    fn schedule(&mut self) {
        let step = self.any(Ty::I32);
        let many = self.value(Ty::I32, "arith.constant 3 : i32");
        let early = self.value(Ty::I1, &format!("arith.cmpi slt, {step}, {many} : i32"));
        let float = self.value(Ty::F32, &format!("arith.sitofp {step} : i32 to f32"));
        let half = self.value(Ty::F32, "arith.constant 0.5 : f32");
        let slow = self.value(Ty::F32, &format!("arith.mulf {float}, {half} : f32"));
        self.select([&early, &half, &slow], Ty::F32);
    }

    /// Writes a decision that depends on a tensor.
    fn predicate(&mut self) {
        let vector = self.any(Ty::Vector);
        let most = self.reduced("Max", &vector, Ty::Vector);
        let number = self.scalar_of(&most, Ty::I32);
        let bound = self.any(Ty::I32);
        self.value(Ty::I1, &format!("arith.cmpi sgt, {number}, {bound} : i32"));
    }

    /// Writes a comparison that is rarely true.
    fn is_rare(&mut self) -> String {
        let number = self.any(Ty::I32);
        let rare = self.value(Ty::I32, "arith.constant 77 : i32");
        self.value(Ty::I1, &format!("arith.cmpi eq, {number}, {rare} : i32"))
    }

    fn asserted(&mut self) {
        let rare = self.is_rare();
        let yes = self.value(Ty::I1, "arith.constant true");
        let holds = self.value(Ty::I1, &format!("arith.xori {rare}, {yes} : i1"));
        self.line(&format!("tfx_host.assert {holds}, \"not 77\""));
    }

    /// Writes a branch that aborts.
    fn stopped(&mut self) {
        let rare = self.is_rare();
        let (bad, good) = (self.label("bad"), self.label("good"));
        self.line(&format!("cf.cond_br {rare}, {bad}, {good}"));
        self.text += &format!("{bad}:\n");
        self.line("tfx_host.abort \"77\"");
        self.line("tfx_host.unreachable");
        self.text += &format!("{good}:\n");
    }

    /// Writes a number that a branch chooses.
    fn joined(&mut self) {
        let condition = self.any(Ty::I1);
        let (a, b) = (self.any(Ty::I32), self.any(Ty::I32));
        let (no, join) = (self.label("no"), self.label("join"));
        let (other, result) = (self.fresh(), self.fresh());
        self.line(&format!("cf.cond_br {condition}, {join}({a} : i32), {no}"));
        self.text += &format!("{no}:\n");
        self.line(&format!("{other} = arith.subi {a}, {b} : i32"));
        self.line(&format!("cf.br {join}({other} : i32)"));
        self.text += &format!("{join}({result}: i32):\n");
        self.values.push((result, Ty::I32));
    }

    fn label(&mut self, name: &str) -> String {
        self.next += 1;
        format!("^{name}{}", self.next)
    }
}

/// Returns the names of values in a text.
fn names(text: &str) -> BTreeSet<&str> {
    let is_part = |character: char| character.is_alphanumeric() || "%_".contains(character);
    let words = text.split(|character: char| !is_part(character));
    words.filter(|word| word.starts_with('%')).collect()
}
