//! The refinement of types by the facts.
//!
//! ```text
//! ties %a = %r = %b    one class, one type: the join of the facts; declared, if a member is fixed
//! function @f          its signature follows its parameters and results
//! ```
//!
//! The new type of a class is at least as specific as its declared types. Linear, apart from the
//! inverse Ackermann function of union-find.

use std::collections::HashMap;

use melior::Context;
use melior::ir::r#type::FunctionType;
use melior::ir::{Type, TypeLike};
use tfx_graphdef::shapes::Shape;
use tfx_graphdef_mlir::types;
use tfx_ir::Region;

use super::equations::{Equations, Node};
use super::solve::Solution;

/// Refines the types of values and functions, and returns the number of values with a new type.
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
    for node in 0..equations.values.len() {
        let Some(shape) = &shapes[classes.find(node as Node) as usize] else {
            continue;
        };
        if *shape == equations.declared[node] {
            continue;
        }
        let old = equations.types[node];
        let key = (old.to_raw().ptr as usize, shape.clone());
        new[node] = *made
            .entry(key)
            .or_insert_with(|| with_shape(context, old, shape));
        if let Some(value) = equations.values[node] {
            value.set_ty(new[node]);
            refined += 1;
        }
    }
    update_signatures(equations, &new);
    refined
}

/// Returns the shape of each class, at its representative; `None` for a class that keeps its
/// declared types.
fn shapes(
    equations: &Equations<'_>,
    solution: &Solution<'_, '_>,
    classes: &mut Classes,
) -> Vec<Option<Shape>> {
    let mut shapes: Vec<Option<Shape>> = vec![None; equations.values.len()];
    let mut fixed = vec![false; equations.values.len()];
    for node in 0..equations.values.len() {
        let class = classes.find(node as Node) as usize;
        fixed[class] |= equations.fixed[node];
        if let Some(known) = solution.fact(node as Node) {
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

/// Updates the signatures of functions to the types in their bodies.
fn update_signatures<'a>(equations: &Equations<'a>, new: &[Type<'a>]) {
    for (function, results) in &equations.functions {
        let (inputs, outputs) = function.signature();
        let Some(entry) = function.regions().find_map(Region::entry) else {
            continue;
        };
        let parameters: Vec<_> = entry.arguments().map(|argument| argument.ty()).collect();
        let mut results = results.iter();
        let returned: Vec<_> = outputs
            .iter()
            .map(|&ty| match ty.is_tensor() {
                true => results.next().map_or(ty, |&node| new[node as usize]),
                false => ty,
            })
            .collect();
        if parameters != inputs || returned != outputs {
            let ty = FunctionType::new(function.context(), &parameters, &returned);
            function.set_function_type(ty);
        }
    }
}

/// Union-find with path halving and union by size.
struct Classes {
    parents: Vec<Node>,
    sizes: Vec<u32>,
}

impl Classes {
    fn new(count: usize) -> Self {
        Self {
            parents: (0..count as Node).collect(),
            sizes: vec![1; count],
        }
    }

    fn find(&mut self, mut node: Node) -> Node {
        while self.parents[node as usize] != node {
            let grandparent = self.parents[self.parents[node as usize] as usize];
            self.parents[node as usize] = grandparent;
            node = grandparent;
        }
        node
    }

    fn unite(&mut self, left: Node, right: Node) {
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
