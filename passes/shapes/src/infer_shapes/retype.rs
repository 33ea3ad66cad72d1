//! Facts become types.
//!
//! ```text
//! ties      %a = %r = %b     one class (union-find), one type: what is true of all, or what is declared if one of them is fixed
//! function  @f               its signature follows its parameters and results
//! ```
//!
//! A class of values that are not fixed says in the end at least what its declared types say. Linear, but for the inverse of Ackermann's function.

use std::collections::HashMap;

use melior::Context;
use melior::ir::attribute::TypeAttribute;
use melior::ir::r#type::FunctionType;
use melior::ir::{Type, TypeLike};
use tfx_graphdef::shapes::Shape;
use tfx_graphdef_mlir::types;

use super::equations::{Equations, Number};
use super::solve::Solution;

/// Gives values and functions the types that are known; how many values have another one than before.
pub(super) fn retype<'a>(
    equations: &Equations<'a>,
    solution: &Solution<'_, 'a>,
    context: &'a Context,
) -> u64 {
    let mut classes = Classes::new(equations.values.len());
    for &(left, right) in &equations.ties {
        classes.unite(left, right);
    }
    let shapes = shapes(equations, solution, &mut classes);
    let mut made = HashMap::new();
    let mut refined = 0;
    let mut new = equations.types.clone();
    for number in 0..equations.values.len() {
        let Some(shape) = &shapes[classes.find(number as Number) as usize] else {
            continue;
        };
        if *shape == equations.declared[number] {
            continue;
        }
        let old = equations.types[number];
        let key = (old.to_raw().ptr as usize, shape.clone());
        new[number] = *made
            .entry(key)
            .or_insert_with(|| with_shape(context, old, shape));
        if let Some(value) = equations.values[number] {
            value.set_ty(new[number]);
            refined += 1;
        }
    }
    sign(equations, &new);
    refined
}

/// The shape of each class, at its representative; `None` where the declared types stay.
fn shapes(
    equations: &Equations<'_>,
    solution: &Solution<'_, '_>,
    classes: &mut Classes,
) -> Vec<Option<Shape>> {
    let mut shapes: Vec<Option<Shape>> = vec![None; equations.values.len()];
    let mut fixed = vec![false; equations.values.len()];
    for number in 0..equations.values.len() {
        let class = classes.find(number as Number) as usize;
        fixed[class] |= equations.fixed[number];
        if let Some(known) = solution.fact(number as Number) {
            shapes[class] = Some(match &shapes[class] {
                None => known.shape.clone(),
                Some(shape) => shape.join(&known.shape),
            });
        }
    }
    for (shape, fixed) in shapes.iter_mut().zip(fixed) {
        shape.take_if(|_| fixed);
    }
    shapes
}

fn with_shape<'a>(context: &'a Context, old: Type<'a>, shape: &Shape) -> Type<'a> {
    types::tensor_of(context, shape.sizes(), types::element_type(old))
}

/// Functions take and give what their bodies do.
fn sign<'a>(equations: &Equations<'a>, new: &[Type<'a>]) {
    for (function, results) in &equations.functions {
        let (inputs, outputs) = function.signature();
        let Some(entry) = function.region(0).entry() else {
            continue;
        };
        let parameters: Vec<_> = entry.arguments().map(|argument| argument.ty()).collect();
        let mut results = results.iter();
        let given: Vec<_> = outputs
            .iter()
            .map(|&ty| match ty.is_tensor() {
                true => results.next().map_or(ty, |&number| new[number as usize]),
                false => ty,
            })
            .collect();
        if parameters != inputs || given != outputs {
            let ty = FunctionType::new(function.context(), &parameters, &given);
            function.set_attribute("function_type", TypeAttribute::new(ty.into()));
        }
    }
}

/// Disjoint sets, with paths halved and the smaller set under the larger.
struct Classes {
    parents: Vec<Number>,
    sizes: Vec<u32>,
}

impl Classes {
    fn new(count: usize) -> Self {
        Self {
            parents: (0..count as Number).collect(),
            sizes: vec![1; count],
        }
    }

    fn find(&mut self, mut number: Number) -> Number {
        while self.parents[number as usize] != number {
            let grandparent = self.parents[self.parents[number as usize] as usize];
            self.parents[number as usize] = grandparent;
            number = grandparent;
        }
        number
    }

    fn unite(&mut self, left: Number, right: Number) {
        let (left, right) = (self.find(left), self.find(right));
        if left == right {
            return;
        }
        let (small, large) = match self.sizes[left as usize] < self.sizes[right as usize] {
            true => (left, right),
            false => (right, left),
        };
        self.parents[small as usize] = large;
        self.sizes[large as usize] += self.sizes[small as usize];
    }
}
