//! The function that is being written: its visible values, and the choice of random statements.
//! Other files generate the statements of each kind.

use std::fmt::Write;

use tfx_oracle::Random;

use super::Mix;
use super::outline::{Outlined, Rendering};
use super::types::Ty;

/// The signature of a function that may be called.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Ty>,
    pub(crate) results: Vec<Ty>,
    /// The last parameter is a reference to a variable of this type.
    pub(crate) inout: Option<Ty>,
    /// The function contains only tensor code, so that it may become a graph function.
    pub(crate) is_tensor_code: bool,
}

/// The function that is being written.
pub(crate) struct Body<'g> {
    pub(crate) random: &'g mut Random,
    pub(crate) mix: &'g Mix,
    /// The functions after this one in the program, so that calls are not recursive.
    pub(crate) functions: &'g [Signature],
    pub(crate) text: String,
    /// The values that are visible at the end of the text.
    pub(crate) values: Vec<(String, Ty)>,
    pub(crate) variables: Vec<(String, Ty)>,
    /// The nesting depth of loops and branches with regions.
    pub(super) depth: usize,
    /// The rendering of outlined expressions.
    pub(super) rendering: Rendering,
    /// The functions of outlined expressions.
    pub(super) outlined: Outlined,
    /// The number of networks so far.
    pub(super) networks: usize,
    pub(super) next: usize,
}

impl<'g> Body<'g> {
    pub(crate) fn new(random: &'g mut Random, mix: &'g Mix, functions: &'g [Signature]) -> Self {
        Body {
            random,
            mix,
            functions,
            text: String::new(),
            values: Vec::new(),
            variables: Vec::new(),
            depth: 0,
            rendering: Rendering::default(),
            outlined: Outlined::default(),
            networks: 0,
            next: 0,
        }
    }

    pub(crate) fn line(&mut self, line: &str) {
        self.text.push_str("  ");
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(crate) fn lines<const COUNT: usize>(&mut self, lines: [String; COUNT]) {
        lines.iter().for_each(|line| self.line(line));
    }

    pub(crate) fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    /// Writes an operation with one result, which is visible afterwards.
    pub(crate) fn value(&mut self, ty: Ty, operation: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = {operation}"));
        self.values.push((name.clone(), ty));
        name
    }

    /// Writes an operation of TensorFlow with one result.
    pub(crate) fn op(&mut self, name: &str, operands: &[(&str, Ty)], result: Ty) -> String {
        let (values, types) = listed(operands);
        self.value(
            result,
            &format!("tfx_tensor.op \"{name}\"({values}) : ({types}) -> {result}"),
        )
    }

    /// Writes a call of a function of the prelude with one result.
    pub(crate) fn called(&mut self, name: &str, operands: &[(&str, Ty)], result: Ty) -> String {
        let (values, types) = listed(operands);
        self.value(
            result,
            &format!("func.call @{name}({values}) : ({types}) -> {result}"),
        )
    }

    /// Writes a conversion of a tensor to a scalar of a type.
    pub(crate) fn scalar_of(&mut self, tensor: &str, ty: Ty) -> String {
        self.value(
            ty,
            &format!("tfx_tensor.to_scalar {tensor} : tensor<{ty}> -> {ty}"),
        )
    }

    /// Writes a conversion of a number to a tensor.
    pub(crate) fn tensor_of(&mut self, number: &str) -> String {
        self.value(
            Ty::Number,
            &format!("tfx_tensor.from_scalar {number} : i32"),
        )
    }

    /// Writes the axis of a reduction of a vector.
    pub(crate) fn axis(&mut self) -> String {
        self.value(Ty::Number, "tfx_tensor.const dense<0> : tensor<i32>")
    }

    /// Writes a reduction of a vector or a row to a number.
    pub(crate) fn reduced(&mut self, name: &str, tensor: &str, ty: Ty) -> String {
        let axis = self.axis();
        self.op(name, &[(tensor, ty), (&axis, Ty::Number)], Ty::Number)
    }

    /// Writes an operation on each element of a vector and a number.
    pub(crate) fn combined(&mut self, name: &str, vector: &str, number: &str) -> String {
        let operands = [(vector, Ty::Vector), (number, Ty::Number)];
        self.op(name, &operands, Ty::Vector)
    }

    /// Writes a closure of a function of the prelude with captured values.
    pub(crate) fn closure(&mut self, callee: &str, captures: &[(&str, Ty)], ty: Ty) -> String {
        let (values, types) = listed(captures);
        self.value(
            ty,
            &format!("tfx_host.closure @{callee}({values}) : ({types}) -> {ty}"),
        )
    }

    /// Writes a closure with a captured variable.
    pub(crate) fn closure_over(&mut self, callee: &str, variable: &str, of: Ty, ty: Ty) -> String {
        let of = of.reference();
        self.value(
            ty,
            &format!("tfx_host.closure @{callee}({variable}) : ({of}) -> {ty}"),
        )
    }

    /// Writes a call of a closure with one parameter.
    pub(crate) fn apply_closure(&mut self, closure: &str, value: &str, of: Ty, ty: Ty) -> String {
        self.value(ty, &format!("tfx_host.apply {closure}({value}) : {of}"))
    }

    /// Writes a read of a variable of a type.
    pub(crate) fn load(&mut self, place: &str, ty: Ty) -> String {
        self.value(ty, &format!("tfx_host.load {place} : {}", ty.reference()))
    }

    /// Writes a reference to a field of a struct in a variable.
    pub(crate) fn field_ref(&mut self, from: &str, field: &str, of: Ty, part: Ty) -> String {
        let (place, of, part) = (self.fresh(), of.reference(), part.reference());
        self.line(&format!(
            "{place} = tfx_host.field_ref {from}[\"{field}\"] : {of} -> {part}"
        ));
        place
    }

    /// Writes a reference to a field of an object of type `Cell`.
    pub(crate) fn member_ref(&mut self, cell: &str, field: &str, ty: Ty) -> String {
        let (place, of, reference) = (self.fresh(), Ty::Cell, ty.reference());
        self.line(&format!(
            "{place} = tfx_host.member_ref {cell}[\"{field}\"] : {of} -> {reference}"
        ));
        place
    }

    /// Writes a call of a method, which returns a value of the type of its argument.
    pub(crate) fn dynamic_call(&mut self, on: (&str, Ty), method: &str, argument: (&str, Ty)) {
        let ((on, of), (argument, ty)) = (on, argument);
        self.value(
            ty,
            &format!("tfx_host.dynamic_call {on}[\"{method}\"]({argument}) : ({of}, {ty}) -> {ty}"),
        );
    }

    /// Writes a read of a field of a struct.
    pub(crate) fn extract(&mut self, value: &str, field: &str, of: Ty, part: Ty) -> String {
        self.value(
            part,
            &format!("tfx_host.extract {value}[\"{field}\"] : {of} -> {part}"),
        )
    }

    /// Writes a choice of the second or the third operand by the first one.
    pub(crate) fn select(&mut self, operands: [&str; 3], ty: Ty) -> String {
        self.value(ty, &format!("arith.select {} : {ty}", operands.join(", ")))
    }

    /// Prints a value after a label.
    pub(crate) fn show(&mut self, label: &str, value: &str, ty: Ty) {
        self.line(&format!("tfx_host.print \"{label} {{}}\"({value}) : {ty}"));
    }

    /// Returns a visible value of a type, or a new one.
    pub(crate) fn any(&mut self, ty: Ty) -> String {
        let known: Vec<_> = self
            .values
            .iter()
            .filter(|(_, known)| *known == ty)
            .collect();
        if known.is_empty() || self.random.chance(4) {
            return self.make(ty);
        }
        // The newest value is more likely, so that computed values are used.
        match self.random.chance(50) {
            true => known[known.len() - 1].0.clone(),
            false => self.random.pick(&known).0.clone(),
        }
    }

    pub(super) fn constant(&mut self) -> i64 {
        const CONSTANTS: [i64; 12] = [0, 1, 2, 3, 5, 7, 10, 100, -1, -2, -7, 2147483647];
        *self.random.pick(&CONSTANTS)
    }

    pub(crate) fn variable(&mut self, ty: Ty) -> Option<String> {
        let known: Vec<_> = self
            .variables
            .iter()
            .filter(|(_, known)| *known == ty)
            .collect();
        match known.is_empty() {
            true => None,
            false => Some(self.random.pick(&known).0.clone()),
        }
    }

    /// Writes some statements.
    pub(crate) fn statements(&mut self, count: usize) {
        for _ in 0..count {
            let before = self.values.len();
            self.statement();
            if self.values.len() > before && self.random.chance(self.mix.shown) {
                self.use_newest();
            }
        }
    }

    fn statement(&mut self) {
        let mix = self.mix;
        type Statement<'g> = fn(&mut Body<'g>);
        let kinds: [(usize, Statement<'g>); 24] = [
            (mix.scalars, Self::scalar),
            (mix.tensors, Self::tensor),
            (mix.variables, Self::access),
            (mix.aggregates, Self::part),
            (mix.closures, Self::apply),
            (mix.generics, Self::generic),
            (mix.foreign, Self::foreign),
            (mix.prints, Self::print),
            (mix.calls, Self::call),
            (mix.regions, Self::region),
            (mix.objects, Self::object),
            (mix.attributes, Self::computed),
            (mix.patterns, Self::pattern),
            (mix.outlined, Self::outline),
            (mix.nests, Self::nest),
            (mix.unknown, Self::unknown),
            (mix.divisions, Self::division),
            (mix.math, Self::math),
            (mix.strings, Self::text),
            (mix.prefetch, Self::queue),
            (mix.invariants, Self::invariant),
            (mix.failures, Self::divided),
            (mix.endless, Self::endless),
            (mix.networks, Self::network),
        ];
        let total: usize = kinds.iter().map(|(weight, _)| weight).sum();
        let mut left = self.random.below(total.max(1));
        for (weight, statement) in kinds {
            if left < weight {
                return statement(self);
            }
            left -= weight;
        }
    }

    pub(super) fn print(&mut self) {
        let ty = *self.random.pick(&Ty::SHOWN);
        let value = self.any(ty);
        self.next += 1;
        match self.random.chance(90) {
            true => self.line(&format!(
                "tfx_host.print \"p{} {{}}\"({value}) : {ty}",
                self.next
            )),
            // An assertion that holds, whose operands are copied nevertheless.
            false => {
                let (number, one) = (
                    self.any(Ty::I32),
                    self.value(Ty::I32, "arith.constant 1 : i32"),
                );
                let odd = self.value(Ty::I32, &format!("arith.ori {number}, {one} : i32"));
                let even = self.value(Ty::I32, &format!("arith.xori {odd}, {one} : i32"));
                let holds = self.value(Ty::I1, &format!("arith.cmpi ne, {odd}, {even} : i32"));
                self.line(&format!(
                    "tfx_host.assert {holds}, \"odd and even: {{}}\"({value} : {ty})"
                ));
            }
        }
    }

    /// Returns values for the arguments of a block, with their types: `(%a, %b : i32, f32)`, or an
    /// empty text.
    pub(crate) fn forwarded(&mut self, types: &[Ty]) -> String {
        if types.is_empty() {
            return String::new();
        }
        let values: Vec<_> = types.iter().map(|&ty| self.any(ty)).collect();
        let texts: Vec<_> = types.iter().map(|ty| ty.text()).collect();
        let mut text = String::new();
        write!(text, "({} : {})", values.join(", "), texts.join(", "))
            .expect("writing to a string does not fail");
        text
    }
}

/// Returns the values and the types of operands as two lists of MLIR syntax.
fn listed(operands: &[(&str, Ty)]) -> (String, String) {
    let (values, types): (Vec<_>, Vec<_>) = operands
        .iter()
        .map(|(value, ty)| (*value, ty.text()))
        .unzip();
    (values.join(", "), types.join(", "))
}
