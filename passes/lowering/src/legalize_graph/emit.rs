//! Makes tensor operations at one place.

use melior::ir::{
    Attribute, Type,
    attribute::{ArrayAttribute, DenseElementsAttribute, IntegerAttribute, TypeAttribute},
    r#type::IntegerType,
};
use tfx_graphdef_mlir::types;
use tfx_ir::{Block, Builder, Mapping, Op, Value};

/// The name of a variable that is never made: its handle stands for one that nobody reads.
const NO_VARIABLE: &str = "tfx.no_variable";

/// A builder of tensor operations.
pub(super) struct Emit<'a>(Builder<'a>);

impl<'a> Emit<'a> {
    pub(super) fn at_end(block: Block<'a>, location: melior::ir::Location<'a>) -> Self {
        Self(Builder::at_end(block, location))
    }

    pub(super) fn builder(&mut self) -> &mut Builder<'a> {
        &mut self.0
    }

    pub(super) fn clone_op(&mut self, op: Op<'a>, values: &mut Mapping<'a>) -> Op<'a> {
        self.0.clone_op(op, values)
    }

    /// The TensorFlow operation of that name, with one result.
    pub(super) fn op(&mut self, name: &str, operands: &[Value<'a>], ty: Type<'a>) -> Value<'a> {
        self.0
            .op("tfx_tensor.op")
            .string("tf_name", name)
            .operands(operands)
            .result(ty)
            .value()
    }

    pub(super) fn yields(&mut self, values: &[Value<'a>]) {
        self.0.op("tfx_tensor.yield").operands(values).build();
    }

    /// The tensor of an elements attribute.
    pub(super) fn constant(&mut self, value: impl Into<Attribute<'a>>, ty: Type<'a>) -> Value<'a> {
        self.0
            .op("tfx_tensor.const")
            .attribute("value", value.into())
            .result(ty)
            .value()
    }

    /// A tensor of rank 0 with an integer.
    pub(super) fn integer(&mut self, value: i64, element: Type<'a>) -> Value<'a> {
        self.splat(
            IntegerAttribute::new(element, value).into(),
            types::tensor_of(self.0.context(), Some(&[]), element),
        )
    }

    /// A tensor of rank 0 with a float.
    pub(super) fn float(&mut self, value: f64, element: Type<'a>) -> Value<'a> {
        let attribute =
            melior::ir::attribute::FloatAttribute::new(self.0.context(), element, value);
        self.splat(
            attribute.into(),
            types::tensor_of(self.0.context(), Some(&[]), element),
        )
    }

    /// A tensor of rank 0 with a truth value.
    pub(super) fn boolean(&mut self, value: bool) -> Value<'a> {
        let element = self.i1();
        self.integer(i64::from(value), element)
    }

    /// The tensor of a static shape whose elements are all the same.
    pub(super) fn splat(&mut self, element: Attribute<'a>, ty: Type<'a>) -> Value<'a> {
        self.constant(DenseElementsAttribute::splat(ty, element), ty)
    }

    /// Zeros that a value of a type may be; sizes that are not known are 0, and the zeros' own type says so. `None` if the type has no zero.
    pub(super) fn zero(&mut self, ty: Type<'a>) -> Option<Value<'a>> {
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
        let sizes: Vec<_> = types::sizes(ty)
            .unwrap_or_default()
            .into_iter()
            .map(|size| Some(size.unwrap_or(0)))
            .collect();
        let constant_ty = types::tensor_of(self.0.context(), Some(&sizes), element);
        let attribute =
            Attribute::parse(self.0.context(), &format!("dense<{zero}> : {constant_ty}"))?;
        Some(self.constant(attribute, constant_ty))
    }

    /// A value that stands for one which nobody reads: zeros, or of resources and variants the handle of nothing.
    /// `None` if there is no such value.
    pub(super) fn placeholder(&mut self, ty: Type<'a>) -> Option<Value<'a>> {
        if let Some(zero) = self.zero(ty) {
            return Some(zero);
        }
        let element = types::element_type(ty);
        let rank_0 = types::tensor_of(self.0.context(), Some(&[]), element);
        let is_rank_0 = types::sizes(ty).is_none_or(|sizes| sizes.is_empty());
        if !is_rank_0 {
            return None;
        }
        match element.to_string().as_str() {
            "!tfx_tensor.resource" => Some(self.no_variable(rank_0)),
            "!tfx_tensor.variant" => Some(self.empty_list(rank_0)),
            _ => None,
        }
    }

    /// The handle of a variable that is never made.
    fn no_variable(&mut self, ty: Type<'a>) -> Value<'a> {
        let context = self.0.context();
        let dtype = TypeAttribute::new(Type::float32(context));
        self.0
            .op("tfx_tensor.op")
            .string("tf_name", "VarHandleOp")
            .attribute("dtype", dtype)
            .attribute("shape", ArrayAttribute::new(context, &[]))
            .string("shared_name", NO_VARIABLE)
            .result(ty)
            .value()
    }

    /// A list of tensors without any, which is what TensorFlow has for a variant of nothing.
    fn empty_list(&mut self, ty: Type<'a>) -> Value<'a> {
        let context = self.0.context();
        let number = IntegerType::new(context, i32::BITS).into();
        let (any_shape, most) = (self.integer(-1, number), self.integer(0, number));
        self.0
            .op("tfx_tensor.op")
            .string("tf_name", "EmptyTensorList")
            .attribute("element_dtype", TypeAttribute::new(Type::float32(context)))
            .operands(&[any_shape, most])
            .result(ty)
            .value()
    }

    /// The tensor of rank 0 of a scalar; a tensor as it is.
    pub(super) fn scalar_tensor(&mut self, value: Value<'a>) -> Value<'a> {
        let ty = types::tensor_type(self.0.context(), value.ty());
        if ty == value.ty() {
            return value;
        }
        self.0
            .op("tfx_tensor.from_scalar")
            .operand(value)
            .result(ty)
            .value()
    }

    /// A tensor as a value of exactly the type `ty`, which may be that of the scalar in it.
    pub(super) fn typed(&mut self, value: Value<'a>, ty: Type<'a>) -> Value<'a> {
        if value.ty() == ty {
            return value;
        }
        if types::tensor_type(self.0.context(), ty) == ty {
            // Zeros that stand for what nobody reads have a type of their own.
            return self.op("Identity", &[value], ty);
        }
        self.0
            .op("tfx_tensor.to_scalar")
            .operand(value)
            .result(ty)
            .value()
    }

    /// A tensor of one element as one of rank 0.
    pub(super) fn rank_0(&mut self, value: Value<'a>) -> Value<'a> {
        if types::sizes(value.ty()).is_some_and(|sizes| sizes.is_empty()) {
            return value;
        }
        let context = self.0.context();
        let no_sizes = types::tensor_of(context, Some(&[Some(0)]), self.integer_type(32));
        let empty = Attribute::parse(context, &format!("dense<> : {no_sizes}"))
            .expect("an empty constant parses");
        let shape = self.constant(empty, no_sizes);
        let ty = types::tensor_of(context, Some(&[]), types::element_type(value.ty()));
        self.op("Reshape", &[value, shape], ty)
    }

    /// Another element type, by TensorFlow's rules for conversion.
    pub(super) fn cast(&mut self, value: Value<'a>, element: Type<'a>) -> Value<'a> {
        self.convert("Cast", value, element)
    }

    /// Another element type of the same width, with the same bits.
    pub(super) fn bitcast(&mut self, value: Value<'a>, element: Type<'a>) -> Value<'a> {
        self.convert("Bitcast", value, element)
    }

    fn convert(&mut self, operation: &str, value: Value<'a>, element: Type<'a>) -> Value<'a> {
        let ty = types::with_element(self.0.context(), value.ty(), element);
        if ty == value.ty() {
            return value;
        }
        self.op(operation, &[value], ty)
    }

    pub(super) fn integer_type(&self, bits: u32) -> Type<'a> {
        IntegerType::new(self.0.context(), bits).into()
    }

    pub(super) fn unsigned_type(&self, bits: u32) -> Type<'a> {
        IntegerType::unsigned(self.0.context(), bits).into()
    }

    pub(super) fn i1(&self) -> Type<'a> {
        self.integer_type(1)
    }

    /// A tensor type with the sizes of `like` and elements of `i1`.
    pub(super) fn bool_like(&self, like: Value<'a>) -> Type<'a> {
        types::with_element(self.0.context(), like.ty(), self.i1())
    }
}
