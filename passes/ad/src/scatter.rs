//! The cotangent of rows that a gather selects, added to the sum so far in place.
//!
//! ```text
//!   %r = GatherV2(%x, %i, axis 0)     dx = TensorScatterAdd(dx, %i as a column, dr)
//! ```
//!
//! The rule of the operation makes a tensor of the size of `%x` and adds all of it: in a loop over
//! the rows, that is quadratic. It is used where there is no sum yet.
//!
//! Cost: a constant number of operations, which take time linear in the selected rows.

use melior::ir::Type;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use tfx_dialects::tensor;
use tfx_graphdef_mlir::{tensors, types};
use tfx_ir::{Builder, Op, Value};

use crate::values::{integer, tf};

/// A gather along the first dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a> {
    op: Op<'a>,
    /// There is one index, not a tensor of them.
    is_one: bool,
}

impl<'a> Rows<'a> {
    /// Reads an operation; none for any other, and where the rank of the indices is not known.
    pub(crate) fn of(op: Op<'a>) -> Option<Self> {
        let name = tensor::Op::cast(op)?.tf_name();
        let is_first = match name {
            "Gather" => true,
            "GatherV2" => {
                let batches = op.attribute("batch_dims");
                let batches = batches.and_then(|it| IntegerAttribute::try_from(it).ok());
                let axis = tensors::integers(op.operand(2));
                batches.is_none_or(|it| it.value() == 0) && axis.is_some_and(|it| it == [0])
            }
            _ => return None,
        };
        let indices = op.operand(1).ty();
        let width = IntegerType::try_from(types::element_type(indices)).map(|ty| ty.width());
        let rank = types::sizes(indices)?.len();
        let is_accepted = is_first && matches!(width, Ok(32 | 64));
        is_accepted.then_some(Rows {
            op,
            is_one: rank == 0,
        })
    }

    /// Returns the tensor whose rows are selected.
    pub(crate) fn tensor(self) -> Value<'a> {
        self.op.operand(0)
    }

    /// Returns the indices of the rows.
    pub(crate) fn indices(self) -> Value<'a> {
        self.op.operand(1)
    }

    /// Builds the sum of the cotangent `sum` of the tensor and that of the rows.
    pub(crate) fn add(
        self,
        builder: &mut Builder<'a>,
        sum: Value<'a>,
        indices: Value<'a>,
        rows: Value<'a>,
    ) -> Value<'a> {
        let mut column = with_dimension(builder, indices, -1);
        let mut rows = rows;
        if self.is_one {
            column = with_dimension(builder, column, 0);
            rows = with_dimension(builder, rows, 0);
        }
        let ty = self.tensor().ty();
        tf(builder, "TensorScatterAdd", &[sum, column, rows], ty)
    }
}

/// Builds a tensor with a new first dimension (0) or a new last one (-1), of size 1.
fn with_dimension<'a>(builder: &mut Builder<'a>, value: Value<'a>, axis: i64) -> Value<'a> {
    let sizes = types::sizes(value.ty()).map(|mut sizes| {
        let place = if axis == 0 { 0 } else { sizes.len() };
        sizes.insert(place, Some(1));
        sizes
    });
    let element = types::element_type(value.ty());
    let ty: Type<'a> = types::tensor_of(builder.context(), sizes.as_deref(), element);
    let axis = integer(builder, axis);
    tf(builder, "ExpandDims", &[value, axis], ty)
}
