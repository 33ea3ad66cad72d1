//! The forward derivative of an operation: the transpose of its rule.
//!
//! ```text
//!   %z = "Mul"(%x, %y)       rule       %dx = "Mul"(%dz, %y)    linear in %dz
//!                                       %dy = "Mul"(%dz, %x)
//!                            transpose  %tz = "Mul"(%tx, %y) + "Mul"(%ty, %x)
//! ```
//!
//! The rule is instantiated for a placeholder `%dz`. The operations that depend on the placeholder
//! are linear in it; they are reversed by their own rules, with the tangents of the operands as
//! cotangents, and erased. So an operation needs one rule, and the two modes cannot disagree.
//!
//! Source: Radul, Paszke, Frostig, Johnson and Maclaurin, "You Only Linearize Once", 2023, in the
//! opposite direction.
//!
//! Cost: linear in the size of the rule and of the rules of its operations.

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::ad;
use tfx_dialects::derivatives::tape_element;
use tfx_ir::{Builder, Mapping, Op, Value};

use crate::primal::{shape_of, static_shape};
use crate::rules::{Instance, Primal, Rules, apply};
use crate::tangent::is_differentiable;
use crate::values::{self, add, with_type};

/// Computes the tangents of the active results of an operation whose clone has been built.
/// `mapping` maps values of the function to those of the clone. An absent tangent is zero.
///
/// # Errors
///
/// The operation without a rule.
pub(crate) fn push_forward<'a>(
    rules: &Rules<'a>,
    (op, active): (Op<'a>, &[bool]),
    tangents: &[Option<Value<'a>>],
    mapping: &Mapping<'a>,
    builder: &mut Builder<'a>,
) -> Result<Vec<Option<Value<'a>>>, Op<'a>> {
    let clone = |value| mapping.get(value).expect("it is cloned before its uses");
    let has_tangent =
        |index: &usize| tangents[*index].is_some() && rules.has_derivative(op, *index);
    let wanted: Vec<_> = (0..op.num_operands()).filter(has_tangent).collect();
    if wanted.is_empty() {
        return Ok(vec![None; op.num_results()]);
    }
    let placeholders = op.results().zip(active).map(|(result, is_active)| {
        let ty = result.ty();
        let has_tangent = *is_active && is_differentiable(ty);
        has_tangent.then(|| match tape_element(ty) {
            // Nothing pops it.
            Some(_) => ad::EmptyTape::build(builder, ty).tape(),
            None => values::zero(builder, ty, || clone(result)),
        })
    });
    let placeholders: Vec<_> = placeholders.collect();
    let block = builder.block().expect("a builder at the end of a block");
    let before = block.last();
    let mut primal = Clones(mapping);
    let instance = Instance {
        op,
        builder,
        primal: &mut primal,
        cotangents: &placeholders,
        wanted: &wanted,
    };
    let outputs = apply(rules, instance).ok_or(op)?;
    let first = before.map_or(block.first(), Op::next);
    let linear = Linear::of(placeholders.iter().flatten().copied(), first);
    let mut cotangents = FxHashMap::default();
    for (operand, output) in outputs {
        let tangent = tangents[operand].expect("only operands with tangents are requested");
        linear.accumulate(output, tangent, &mut cotangents, builder);
    }
    linear.reverse(rules, &mut cotangents, builder)?;
    let found = |placeholder: &Option<Value<'a>>| cotangents.get(placeholder.as_ref()?).copied();
    let found: Vec<_> = placeholders.iter().map(found).collect();
    linear.erase(placeholders.into_iter().flatten(), &found);
    Ok(found)
}

/// Values of the function at their clones.
struct Clones<'m, 'a>(&'m Mapping<'a>);

impl<'a> Primal<'a> for Clones<'_, 'a> {
    fn value(&mut self, value: Value<'a>) -> Value<'a> {
        self.0.get(value).expect("it is cloned before its uses")
    }

    fn shape(&mut self, builder: &mut Builder<'a>, value: Value<'a>) -> Value<'a> {
        let value = self.value(value);
        Itself.shape(builder, value)
    }
}

/// Values where they are.
struct Itself;

impl<'a> Primal<'a> for Itself {
    fn value(&mut self, value: Value<'a>) -> Value<'a> {
        value
    }

    fn shape(&mut self, builder: &mut Builder<'a>, value: Value<'a>) -> Value<'a> {
        static_shape(builder, value.ty()).unwrap_or_else(|| shape_of(builder, value))
    }
}

/// The operations of an instance of a rule that depend on the placeholders, and their results.
struct Linear<'a> {
    ops: Vec<Op<'a>>,
    values: FxHashSet<Value<'a>>,
}

impl<'a> Linear<'a> {
    /// Finds them from the first operation of the instance to the end of its block.
    fn of(placeholders: impl Iterator<Item = Value<'a>>, first: Option<Op<'a>>) -> Self {
        let mut linear = Linear {
            ops: Vec::new(),
            values: placeholders.collect(),
        };
        let mut next = first;
        while let Some(op) = next {
            if op
                .operands()
                .any(|operand| linear.values.contains(&operand))
            {
                linear.ops.push(op);
                linear.values.extend(op.results());
            }
            next = op.next();
        }
        linear
    }

    fn accumulate(
        &self,
        value: Value<'a>,
        cotangent: Value<'a>,
        cotangents: &mut FxHashMap<Value<'a>, Value<'a>>,
        builder: &mut Builder<'a>,
    ) {
        if !self.values.contains(&value) || !is_differentiable(value.ty()) {
            return;
        }
        let cotangent = with_type(builder, cotangent, value.ty());
        let sum = match cotangents.get(&value) {
            Some(&known) => add(builder, known, cotangent, value.ty()),
            None => cotangent,
        };
        cotangents.insert(value, sum);
    }

    /// Computes the cotangents of all values from those of the results of the rule.
    fn reverse(
        &self,
        rules: &Rules<'a>,
        cotangents: &mut FxHashMap<Value<'a>, Value<'a>>,
        builder: &mut Builder<'a>,
    ) -> Result<(), Op<'a>> {
        for &op in self.ops.iter().rev() {
            let of_results = op.results().map(|result| cotangents.get(&result).copied());
            let of_results: Vec<_> = of_results.collect();
            if of_results.iter().all(Option::is_none) {
                continue;
            }
            let is_linear = |index: &usize| self.values.contains(&op.operand(*index));
            let wanted: Vec<_> = (0..op.num_operands()).filter(is_linear).collect();
            let instance = Instance {
                op,
                builder,
                primal: &mut Itself,
                cotangents: &of_results,
                wanted: &wanted,
            };
            for (operand, cotangent) in apply(rules, instance).ok_or(op)? {
                self.accumulate(op.operand(operand), cotangent, cotangents, builder);
            }
        }
        Ok(())
    }

    /// Erases the operations and the placeholders that nothing uses. A rule that is not linear may
    /// need them.
    fn erase(self, placeholders: impl Iterator<Item = Value<'a>>, found: &[Option<Value<'a>>]) {
        let placeholders: Vec<_> = placeholders.filter_map(Value::defining_op).collect();
        let ops = self.ops.into_iter().rev().chain(placeholders);
        let is_found = |op: &Op<'a>| op.results().any(|result| found.contains(&Some(result)));
        ops.filter(|op| op.is_trivially_dead() && !is_found(op))
            .for_each(Op::erase);
    }
}
