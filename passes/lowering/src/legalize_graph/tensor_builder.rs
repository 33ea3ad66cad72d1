//! A builder of tensor operations.

use std::ops::{Deref, DerefMut};

use melior::ir::attribute::{
    ArrayAttribute, DenseElementsAttribute, FloatAttribute, IntegerAttribute, TypeAttribute,
};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Location, Type, TypeLike};
use tfx_dialects::tensor;
use tfx_graphdef_mlir::types;
use tfx_ir::{Block, Builder, Value};

/// The name of a variable that does not exist; its handle is the placeholder of resources.
const NO_VARIABLE: &str = "tfx.no_variable";

/// Builds tensor operations at the end of a block.
pub(super) struct TensorBuilder<'a>(Builder<'a>);

impl<'a> Deref for TensorBuilder<'a> {
    type Target = Builder<'a>;
    fn deref(&self) -> &Builder<'a> {
        &self.0
    }
}

impl<'a> DerefMut for TensorBuilder<'a> {
    fn deref_mut(&mut self) -> &mut Builder<'a> {
        &mut self.0
    }
}

impl<'a> TensorBuilder<'a> {
    pub(super) fn at_end(block: Block<'a>, location: Location<'a>) -> Self {
        Self(Builder::at_end(block, location))
    }

    /// Builds the TensorFlow operation `name` with one result.
    pub(super) fn tf_op(&mut self, name: &str, operands: &[Value<'a>], ty: Type<'a>) -> Value<'a> {
        tensor::Op::build(self, &[ty], name, operands).result(0)
    }

    /// Builds a TensorFlow operation with a boolean for each element of the first operand.
    pub(super) fn test(&mut self, name: &str, operands: &[Value<'a>]) -> Value<'a> {
        let ty = types::with_element(self.context(), operands[0].ty(), self.integer_type(1));
        self.tf_op(name, operands, ty)
    }

    pub(super) fn yield_values(&mut self, values: &[Value<'a>]) {
        tensor::Yield::build(self, values);
    }

    /// Builds a constant from an elements attribute.
    pub(super) fn constant(&mut self, value: impl Into<Attribute<'a>>, ty: Type<'a>) -> Value<'a> {
        tensor::Const::build(self, ty, value.into()).result()
    }

    /// Builds a constant of a static shape with equal elements.
    pub(super) fn splat(&mut self, element: Attribute<'a>, ty: Type<'a>) -> Value<'a> {
        self.constant(DenseElementsAttribute::splat(ty, element), ty)
    }

    /// Builds an integer constant of rank 0.
    pub(super) fn integer(&mut self, value: i64, element: Type<'a>) -> Value<'a> {
        let ty = self.rank_0_type(element);
        self.splat(IntegerAttribute::new(element, value).into(), ty)
    }

    /// Builds a float constant of rank 0.
    pub(super) fn float(&mut self, value: f64, element: Type<'a>) -> Value<'a> {
        let ty = self.rank_0_type(element);
        self.splat(
            FloatAttribute::new(self.context(), element, value).into(),
            ty,
        )
    }

    /// Builds a boolean constant of rank 0.
    pub(super) fn boolean(&mut self, value: bool) -> Value<'a> {
        self.integer(i64::from(value), self.integer_type(1))
    }

    /// Builds zero of a number type, of rank 0.
    pub(super) fn number_zero(&mut self, element: Type<'a>) -> Value<'a> {
        let ty = self.rank_0_type(element);
        self.zero(ty).expect("numbers have a zero")
    }

    /// Builds zeros of a type, with 0 for each unknown size; `None` if the type has no zero.
    fn zero(&mut self, ty: Type<'a>) -> Option<Value<'a>> {
        let element = types::element_type(ty);
        let text = element.to_string();
        let zero = match text.as_str() {
            "i1" => "false",
            "!tfx_tensor.string" => "\"\"",
            "!tfx_tensor.resource" | "!tfx_tensor.variant" => return None,
            complex if complex.starts_with("complex<i") => "(0, 0)",
            complex if complex.starts_with("complex<") => "(0.0, 0.0)",
            float if float.starts_with('f') || float == "bf16" => "0.0",
            _ => "0",
        };
        let sizes = types::sizes(ty).unwrap_or_default().into_iter();
        let sizes: Vec<_> = sizes.map(|size| Some(size.unwrap_or(0))).collect();
        let ty = types::tensor_of(self.context(), Some(&sizes), element);
        let zeros = Attribute::parse(self.context(), &format!("dense<{zero}> : {ty}"))?;
        Some(self.constant(zeros, ty))
    }

    /// Builds a placeholder for a value that is never read: zeros, or the handle of a resource or
    /// variant that does not exist. `None` if the type has neither.
    pub(super) fn placeholder(&mut self, ty: Type<'a>) -> Option<Value<'a>> {
        if let Some(zero) = self.zero(ty) {
            return Some(zero);
        }
        if types::sizes(ty).is_some_and(|sizes| !sizes.is_empty()) {
            return None;
        }
        let element = types::element_type(ty);
        let ty = self.rank_0_type(element);
        let float = TypeAttribute::new(Type::float32(self.context()));
        match element.to_string().as_str() {
            "!tfx_tensor.resource" => {
                let handle = tensor::Op::build(self, &[ty], "VarHandleOp", &[]);
                handle.set_attribute("dtype", float);
                handle.set_attribute("shape", ArrayAttribute::new(self.context(), &[]));
                handle.set_string("shared_name", NO_VARIABLE);
                Some(handle.result(0))
            }
            // TensorFlow has no empty variant, but an empty list of tensors.
            "!tfx_tensor.variant" => {
                let number = self.integer_type(i32::BITS);
                let (any_shape, capacity) = (self.integer(-1, number), self.integer(0, number));
                let operands = [any_shape, capacity];
                let list = tensor::Op::build(self, &[ty], "EmptyTensorList", &operands);
                list.set_attribute("element_dtype", float);
                Some(list.result(0))
            }
            _ => None,
        }
    }

    /// Returns the tensor of rank 0 of a scalar, and a tensor unchanged.
    pub(super) fn as_tensor(&mut self, value: Value<'a>) -> Value<'a> {
        match value.ty().is_tensor() {
            true => value,
            false => tensor::FromScalar::build(self, value).result(),
        }
    }

    /// Returns a tensor as a value of the type `ty`, which may be the type of its only element.
    pub(super) fn as_type(&mut self, value: Value<'a>, ty: Type<'a>) -> Value<'a> {
        match ty.is_tensor() {
            _ if value.ty() == ty => value,
            // A placeholder may have another type.
            true => self.tf_op("Identity", &[value], ty),
            false => tensor::ToScalar::build(self, ty, value).result(),
        }
    }

    /// Returns a tensor of one element as a tensor of rank 0.
    pub(super) fn as_rank_0(&mut self, value: Value<'a>) -> Value<'a> {
        if types::sizes(value.ty()).is_some_and(|sizes| sizes.is_empty()) {
            return value;
        }
        let no_sizes = types::tensor_of(self.context(), Some(&[Some(0)]), self.integer_type(32));
        let empty = Attribute::parse(self.context(), &format!("dense<> : {no_sizes}"))
            .expect("an empty constant parses");
        let shape = self.constant(empty, no_sizes);
        let ty = self.rank_0_type(types::element_type(value.ty()));
        self.tf_op("Reshape", &[value, shape], ty)
    }

    /// Converts elements to another type by TensorFlow's rules.
    pub(super) fn cast(&mut self, value: Value<'a>, element: Type<'a>) -> Value<'a> {
        self.convert("Cast", value, element)
    }

    /// Reinterprets the bits of elements as another type of the same width.
    pub(super) fn bitcast(&mut self, value: Value<'a>, element: Type<'a>) -> Value<'a> {
        self.convert("Bitcast", value, element)
    }

    fn convert(&mut self, operation: &str, value: Value<'a>, element: Type<'a>) -> Value<'a> {
        let ty = types::with_element(self.context(), value.ty(), element);
        match ty == value.ty() {
            true => value,
            false => self.tf_op(operation, &[value], ty),
        }
    }

    pub(super) fn integer_type(&self, bits: u32) -> Type<'a> {
        IntegerType::new(self.context(), bits).into()
    }

    pub(super) fn unsigned_type(&self, bits: u32) -> Type<'a> {
        IntegerType::unsigned(self.context(), bits).into()
    }

    fn rank_0_type(&self, element: Type<'a>) -> Type<'a> {
        types::tensor_type(self.context(), element)
    }
}

/// Returns the types of values as tensors.
pub(super) fn tensor_types<'a>(values: impl Iterator<Item = Value<'a>>) -> Vec<Type<'a>> {
    values
        .map(|value| types::tensor_type(value.context(), value.ty()))
        .collect()
}
