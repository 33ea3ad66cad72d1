//! The application of a rule to an operation.
//!
//! Cost: linear in the size of the rule.

use melior::ir::attribute::{
    ArrayAttribute, BoolAttribute, DenseElementsAttribute, FloatAttribute,
};
use melior::ir::{Attribute, Type, TypeLike};
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::derivatives::tape_element;
use tfx_dialects::{ad, tensor};
use tfx_graphdef_mlir::types::{self, element_type};
use tfx_ir::cast::Cast;
use tfx_ir::ops::{Structured, arith, func};
use tfx_ir::{Block, Builder, Op, Value, attribute, replace_types};

use crate::primal::shape_of;
use crate::rules::library::{Rule, Rules};
use crate::rules::variadic;
use crate::tangent::{is_differentiable, is_float};
use crate::values::{self, tf};
use crate::{arrays, tapes};

/// The attribute of an operation of a rule with the attributes that it gets from the differentiated
/// operation.
const COPY: &str = "tfx_ad.copy";
/// The attribute of a constant of a rule with the attribute that it has the value of.
const VALUE: &str = "tfx_ad.attribute";
/// The attribute of `tfx_ad.sum_to` with the result whose shape the value has; none: the first.
const OF_RESULT: &str = "tfx_ad.result";
/// The attribute of `tfx_ad.sum_to` of matrices, which were broadcast along the other dimensions.
const MATRICES: &str = "tfx_ad.matrices";
/// Of TensorFlow's reductions.
const KEEP_DIMS: &str = "keep_dims";

/// Values of the differentiated function, where the rule is applied.
pub(crate) trait Primal<'a> {
    /// Returns a value of the function.
    fn value(&mut self, value: Value<'a>) -> Value<'a>;
    /// Returns the shape of a tensor of the function, as a tensor of `i32`.
    fn shape(&mut self, builder: &mut Builder<'a>, value: Value<'a>) -> Value<'a>;
}

/// An operation whose cotangents are requested.
pub(crate) struct Instance<'i, 'a> {
    pub(crate) op: Op<'a>,
    /// Inserts where the cotangents are computed.
    pub(crate) builder: &'i mut Builder<'a>,
    pub(crate) primal: &'i mut dyn Primal<'a>,
    /// A cotangent for each result; none: zero, or not differentiable.
    pub(crate) cotangents: &'i [Option<Value<'a>>],
    /// The operands whose cotangents are requested, in ascending order.
    pub(crate) wanted: &'i [usize],
}

/// The cotangents of operands. An operand may have several, or none if they are zero.
pub(crate) type Cotangents<'a> = Vec<(usize, Value<'a>)>;

/// Computes the cotangents of operands. None: there is no rule for the operation.
pub(crate) fn apply<'i, 'a>(
    rules: &'i Rules<'a>,
    mut instance: Instance<'i, 'a>,
) -> Option<Cotangents<'a>> {
    if let Some(cotangents) = variadic::apply(&mut instance) {
        return Some(cotangents);
    }
    let is_zero = |result: usize| instance.cotangents[result].is_none();
    let rule = rules.find_for(instance.op, is_zero)?;
    let body = rule.function.region(0).entry();
    Some(body.map_or_else(Vec::new, |body| {
        Instantiation::new(instance, rules, rule, body).run(rule)
    }))
}

impl<'a> Instance<'_, 'a> {
    /// Returns the cotangent of a differentiable result.
    pub(crate) fn cotangent(&mut self, result: usize) -> Value<'a> {
        if let Some(cotangent) = self.cotangents[result] {
            return cotangent;
        }
        let value = self.op.result(result);
        match values::number(self.builder, value.ty(), 0.0) {
            Some(zero) => zero,
            None if value.ty().is_tensor() => {
                let shape = self.primal.shape(self.builder, value);
                fill_zero(self.builder, shape, value.ty())
            }
            None => zero_of(self.builder, self.primal, value),
        }
    }

    /// Returns the shape of an operand of the operation.
    pub(crate) fn shape_of(&mut self, operand: usize) -> Value<'a> {
        self.primal.shape(self.builder, self.op.operand(operand))
    }
}

/// Builds the cotangent of a value of the function that nothing depends on.
pub(crate) fn zero_of<'a>(
    builder: &mut Builder<'a>,
    primal: &mut dyn Primal<'a>,
    value: Value<'a>,
) -> Value<'a> {
    let ty = value.ty();
    if tape_element(ty).is_some() && is_used_up(value) {
        return ad::EmptyTape::build(builder, ty).tape();
    }
    if arrays::is_counted(ty) {
        let count = primal.shape(builder, value);
        return arrays::zeros(builder, ty, count);
    }
    if tapes::is_counted(ty) {
        let length = primal.shape(builder, value);
        return tapes::zeros(builder, ty, length);
    }
    values::zero(builder, ty, || primal.value(value))
}

/// Returns whether a tape is empty: the reversal of a function pops all that it pushes, so only an
/// empty tape is the last rest of the pops of a function, in a loop or not. A tape that is popped
/// from a tape of tapes, or that a call returns, may have values although nothing uses them.
fn is_used_up(tape: Value<'_>) -> bool {
    let op = tape.defining_op();
    let is_rest = op.is_some_and(|op| match ad::Pop::cast(op) {
        Some(pop) => pop.rest() == tape,
        None => Structured::cast(op).is_some(),
    });
    is_rest && tape.is_unused()
}

/// Builds zeros of a shape.
fn fill_zero<'a>(builder: &mut Builder<'a>, shape: Value<'a>, ty: Type<'a>) -> Value<'a> {
    let scalar = types::tensor_of(builder.context(), Some(&[]), element_type(ty));
    let zero = values::number(builder, scalar, 0.0).expect("a scalar has a known shape");
    tf(builder, "Fill", &[shape, zero], ty)
}

/// The meaning of a parameter of a rule.
#[derive(Clone, Copy)]
enum Parameter {
    Operand(usize),
    Result(usize),
    Cotangent(usize),
}

struct Instantiation<'i, 'a> {
    instance: Instance<'i, 'a>,
    rules: &'i Rules<'a>,
    body: Block<'a>,
    /// The operations' counterparts.
    map: FxHashMap<Value<'a>, Value<'a>>,
    /// `f64` and `f32`, and what replaces them.
    types: Vec<(Type<'a>, Type<'a>)>,
}

impl<'i, 'a> Instantiation<'i, 'a> {
    fn new(
        instance: Instance<'i, 'a>,
        rules: &'i Rules<'a>,
        rule: &Rule<'a>,
        body: Block<'a>,
    ) -> Self {
        let context = rule.function.context();
        let mut values = instance.op.results().chain(instance.op.operands());
        let float = values.find_map(|value| {
            let element = element_type(value.ty());
            is_float(element).then_some(element)
        });
        let float = float.expect("an operation with a derivative has a float");
        let mut types = vec![(Type::float64(context), float)];
        if let Some(other) = rule.other() {
            let other = element_type(instance.op.operand(other).ty());
            types.push((Type::float32(context), other));
        }
        Instantiation {
            instance,
            rules,
            body,
            map: FxHashMap::default(),
            types,
        }
    }

    fn run(mut self, rule: &Rule<'a>) -> Cotangents<'a> {
        let end = self.body.terminator().expect("a rule returns");
        let operand = |index: &usize| Some((*index, end.operand(rule.position(*index)?)));
        let wanted: Vec<_> = self.instance.wanted.iter().filter_map(operand).collect();
        let needed = needed(self.body, wanted.iter().map(|(_, value)| *value));
        for op in self.body.ops().filter(|op| needed.contains(op)) {
            self.clone(op);
        }
        wanted
            .into_iter()
            .map(|(index, value)| (index, self.value(value)))
            .collect()
    }

    fn parameter(&self, value: Value<'a>) -> Option<Parameter> {
        let (_, index) = value
            .as_argument()
            .filter(|(block, _)| *block == self.body)?;
        let op = self.instance.op;
        let (operands, results) = (op.num_operands(), op.num_results());
        Some(if index < operands {
            Parameter::Operand(index)
        } else if index < operands + results {
            Parameter::Result(index - operands)
        } else {
            let differentiable = |index: &usize| is_differentiable(op.result(*index).ty());
            let mut cotangents = (0..results).filter(differentiable);
            let result = cotangents.nth(index - operands - results);
            Parameter::Cotangent(result.expect("a rule has a cotangent for each float result"))
        })
    }

    /// Returns the counterpart of a value of the rule.
    fn value(&mut self, value: Value<'a>) -> Value<'a> {
        if let Some(known) = self.map.get(&value) {
            return *known;
        }
        let op = self.instance.op;
        let parameter = self.parameter(value);
        let counterpart = match parameter.expect("operations of a rule are in order") {
            Parameter::Operand(index) => self.instance.primal.value(op.operand(index)),
            Parameter::Result(index) => self.instance.primal.value(op.result(index)),
            Parameter::Cotangent(index) => self.instance.cotangent(index),
        };
        self.map.insert(value, counterpart);
        counterpart
    }

    /// Returns the shape of the counterpart of a value of the rule. The shape of a value of the
    /// function does not need the value itself.
    fn shape(&mut self, value: Value<'a>) -> Value<'a> {
        let op = self.instance.op;
        let primal = match self.parameter(value) {
            Some(Parameter::Operand(index)) => op.operand(index),
            // A cotangent has the shape of the result.
            Some(Parameter::Result(index) | Parameter::Cotangent(index)) => op.result(index),
            None => {
                let value = self.value(value);
                return shape_of(self.instance.builder, value);
            }
        };
        self.instance.primal.shape(self.instance.builder, primal)
    }

    fn clone(&mut self, op: Op<'a>) {
        let result = match tensor::Op::cast(op).map(tensor::Op::tf_name) {
            Some("Shape") => Some(self.shape(op.operand(0))),
            Some("ZerosLike") => {
                let shape = self.shape(op.operand(0));
                let ty = replace_types(op.result(0).ty(), &self.types);
                Some(fill_zero(self.instance.builder, shape, ty))
            }
            // A conversion to the same type: the rule does not know the type of integers.
            Some("Cast") => {
                let value = self.value(op.operand(0));
                let ty = replace_types(op.result(0).ty(), &self.types);
                (element_type(value.ty()) == element_type(ty)).then_some(value)
            }
            _ if op.attribute(VALUE).is_some() => self.given(op),
            _ if op.isa::<ad::SumTo>() => Some(self.sum_to(op)),
            _ => None,
        };
        if let Some(result) = result {
            self.map.insert(op.result(0), result);
            return;
        }
        let operands: Vec<_> = op.operands().map(|operand| self.value(operand)).collect();
        if let Some(call) = func::Call::cast(op) {
            return self.inline(call, &operands);
        }
        let types = op.result_types().into_iter();
        let types: Vec<_> = types.map(|ty| replace_types(ty, &self.types)).collect();
        let mut attributes = self.attributes(op);
        let copied = op.attribute(COPY).and_then(ArrayAttribute::cast);
        for index in 0..copied.map_or(0, |copied| copied.len()) {
            let element = copied.and_then(|copied| copied.element(index).ok());
            let name = element
                .and_then(attribute::text)
                .expect("the names of attributes");
            if let Some(value) = self.instance.op.attribute(name) {
                attributes.push((name, value));
            }
        }
        let mut clone = self.instance.builder.op(op.name());
        clone = clone.operands(&operands).results(&types);
        for (name, value) in attributes {
            clone = clone.attribute(name, value);
        }
        let clone = clone.build();
        self.map.extend(op.results().zip(clone.results()));
    }

    /// Returns the constant with the value of an attribute of the operation; none if it is omitted.
    fn given(&mut self, constant: Op<'a>) -> Option<Value<'a>> {
        let name = constant.attribute(VALUE).and_then(attribute::text)?;
        if let Some(value) = self.instance.op.integer(name) {
            return Some(values::integer(self.instance.builder, value));
        }
        let value = FloatAttribute::cast(self.instance.op.attribute(name)?)?.value();
        let ty = replace_types(constant.result(0).ty(), &self.types);
        values::number(self.instance.builder, ty, value)
    }

    /// Returns the attributes of an operation of the rule, with constants of the operation's float
    /// type.
    fn attributes(&self, op: Op<'a>) -> Vec<(&'a str, Attribute<'a>)> {
        let attributes = op
            .attributes()
            .into_iter()
            .filter(|(name, _)| ![COPY, VALUE].contains(name));
        if !op.isa::<arith::Constant>() && !op.isa::<tensor::Const>() {
            return attributes.collect();
        }
        let convert = |(name, value)| (name, self.constant(op, value));
        attributes.map(convert).collect()
    }

    fn constant(&self, op: Op<'a>, value: Attribute<'a>) -> Attribute<'a> {
        let (_, float) = self.types[0];
        if DenseElementsAttribute::cast(value).is_some() {
            // The text of the elements does not depend on their type.
            let ty = op.result(0).ty();
            let text = value
                .to_string()
                .replace(&ty.to_string(), &replace_types(ty, &self.types).to_string());
            return Attribute::parse(op.context(), &text).unwrap_or(value);
        }
        match FloatAttribute::cast(value) {
            Some(number) => FloatAttribute::new(op.context(), float, number.value()).into(),
            None => value,
        }
    }

    /// Clones the body of a helper.
    fn inline(&mut self, call: func::Call<'a>, operands: &[Value<'a>]) {
        let helper = self.rules.helper(call.callee());
        let body = helper.region(0).entry().expect("a helper has a body");
        self.map
            .extend(body.arguments().zip(operands.iter().copied()));
        let end = body.terminator().expect("a helper returns");
        for op in body.ops().filter(|op| *op != end) {
            self.clone(op);
        }
        for (result, value) in call.results().zip(end.operands()) {
            let value = self.value(value);
            self.map.insert(result, value);
        }
    }

    /// Sums a value to the shape of an operand, which was broadcast.
    fn sum_to(&mut self, op: Op<'a>) -> Value<'a> {
        let (value, like) = (op.operand(0), op.operand(1));
        let differentiated = self.instance.op;
        let operand = match self.parameter(like) {
            Some(Parameter::Operand(index)) => differentiated.operand(index),
            _ => panic!("a rule sums to the shape of an operand"),
        };
        let result = op.integer(OF_RESULT).unwrap_or(0) as usize;
        let (from, to) = (differentiated.result(result).ty(), operand.ty());
        let sum = self.value(value);
        let matrices = op.attribute(MATRICES).is_some();
        let is_same = match matrices {
            true => batch(from).is_some_and(|sizes| batch(to) == Some(sizes)),
            false => from == to && values::is_static(to),
        };
        if is_same {
            return sum;
        }
        let whole = match matrices {
            true => shape_of(self.instance.builder, sum),
            false => {
                let result = differentiated.result(result);
                self.instance.primal.shape(self.instance.builder, result)
            }
        };
        let part = self.shape(like);
        sum_to_shape(self.instance.builder, sum, (whole, part), to)
    }
}

/// Sums a tensor of the shape `whole` to the shape `part`, which broadcasts to `whole`.
pub(crate) fn sum_to_shape<'a>(
    builder: &mut Builder<'a>,
    value: Value<'a>,
    (whole, part): (Value<'a>, Value<'a>),
    ty: Type<'a>,
) -> Value<'a> {
    let axes = types::tensor_of(builder.context(), Some(&[None]), element_type(part.ty()));
    let operands = [part, whole];
    let axes = tensor::Op::build(builder, &[axes, axes], "BroadcastGradientArgs", &operands);
    let unranked = types::tensor_of(builder.context(), None, element_type(ty));
    let sum = tensor::Op::build(builder, &[unranked], "Sum", &[value, axes.result(0)]);
    // The rank of the sum is known although its axes are not.
    let keeps = BoolAttribute::new(builder.context(), true);
    sum.op().set_attribute(KEEP_DIMS, keeps);
    tf(builder, "Reshape", &[sum.result(0), part], ty)
}

/// Returns the sizes of a batch of matrices, if they are known.
fn batch(ty: Type<'_>) -> Option<Vec<u64>> {
    let sizes = types::sizes(ty)?;
    sizes[..sizes.len().checked_sub(2)?]
        .iter()
        .copied()
        .collect()
}

/// Returns the operations of a block that values depend on.
fn needed<'a>(block: Block<'a>, wanted: impl Iterator<Item = Value<'a>>) -> FxHashSet<Op<'a>> {
    let mut values: FxHashSet<Value<'a>> = wanted.collect();
    let mut needed = FxHashSet::default();
    for op in block.ops_backwards().filter(|op| !op.isa::<func::Return>()) {
        if op.results().any(|result| values.contains(&result)) {
            values.extend(op.operands());
            needed.insert(op);
        }
    }
    needed
}
