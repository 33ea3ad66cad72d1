//! Operations of `arith`, `math` and `index` that upstream does not lower, or not to what they mean.
//!
//! ```text
//!   arith.maximumf %a, %b     llvm.intr.maximum         upstream's comparison forgets the signs of zeros
//!   arith.maxnumf %a, %b      the one that is a number, else llvm.intr.maximum
//!   math.clampf               llvm.intr.minimum, then llvm.intr.maximum
//!   math.expm1, math.log1p    expm1, log1p of C         upstream's exp(x) - 1 and log(1 + x) lose all digits near 0, and its sign
//!   math.isinf, isnormal      llvm.intr.is.fpclass
//!   math.ipowi : index        of i64: upstream has powers of integers only
//!   index.add, ...            arith.addi, ...           one operation for one meaning: all that is said of divisions holds for both
//! ```
//!
//! What may have no value is tested first: `divisions.rs`. All else is left to upstream's conversions.

use melior::ir::Type;
use melior::ir::TypeLike;
use melior::ir::r#type::IntegerType;
use tfx_graphdef_mlir::types;
use tfx_ir::{Builder, Op, Value, scalar_ops};

use crate::divisions;
use crate::globals::Field;
use crate::host_ops::Calls;

const MAXIMUM: &str = "llvm.intr.maximum";
const MINIMUM: &str = "llvm.intr.minimum";

/// The bits of `llvm.is.fpclass` for infinities of both signs.
const INFINITE: i64 = 0x204;
/// The bits of `llvm.is.fpclass` for normal numbers of both signs.
const NORMAL: i64 = 0x108;
/// `uno` of `arith.cmpf`: one of both is no number.
const UNORDERED: i64 = 14;

impl<'a> Calls<'a> {
    /// Turns an operation on scalars into what upstream lowers as it should.
    pub(crate) fn scalar(&mut self, op: Op<'a>) {
        let op = as_arith(op);
        self.check_value(op);
        let mut builder = Builder::before(op);
        let operands: Vec<_> = op.operands().collect();
        let value = match (op.name(), &operands[..]) {
            ("arith.maximumf", &[a, b]) => extremum(&mut builder, MAXIMUM, a, b),
            ("arith.minimumf", &[a, b]) => extremum(&mut builder, MINIMUM, a, b),
            ("arith.maxnumf", &[a, b]) => number_or(&mut builder, MAXIMUM, a, b),
            ("arith.minnumf", &[a, b]) => number_or(&mut builder, MINIMUM, a, b),
            ("math.clampf", &[value, low, high]) => {
                let capped = extremum(&mut builder, MINIMUM, value, high);
                extremum(&mut builder, MAXIMUM, capped, low)
            }
            ("math.expm1", &[a]) => self.library(&mut builder, a, "expm1", "expm1f"),
            ("math.log1p", &[a]) => self.library(&mut builder, a, "log1p", "log1pf"),
            ("math.ipowi", &[base, exponent]) if base.ty().is_index() => {
                let (base, exponent) = (wide(&mut builder, base), wide(&mut builder, exponent));
                let power = builder.op("math.ipowi").operands(&[base, exponent]);
                let power = power.result(base.ty()).value();
                cast(&mut builder, power, op.result(0).ty())
            }
            ("math.fpowi", &[base, exponent]) if exponent.ty().is_index() => {
                let exponent = wide(&mut builder, exponent);
                let power = builder.op("math.fpowi").operands(&[base, exponent]);
                power.result(base.ty()).value()
            }
            ("math.isinf", &[a]) => is_class(&mut builder, a, INFINITE),
            ("math.isnormal", &[a]) => is_class(&mut builder, a, NORMAL),
            _ => return,
        };
        op.replace_with(&[value]);
    }

    /// Tests that an operation has a value, where it may have none.
    fn check_value(&mut self, op: Op<'a>) {
        for (condition, message) in divisions::guard(op) {
            let symbol = self.globals.shared_bytes(message.as_bytes().to_vec());
            let place = self.place(op);
            let mut builder = Builder::before(op);
            let text = self.address(&mut builder, &Field::Address(symbol));
            let size = self.integer(&mut builder, 64, message.len() as i64);
            self.call(&mut builder, "tfx_check", &[condition, text, size, place]);
        }
    }

    /// A call of a function of C's mathematical library, by its names for `f64` and for `f32`.
    fn library(
        &mut self,
        builder: &mut Builder<'a>,
        operand: Value<'a>,
        double: &'static str,
        single: &'static str,
    ) -> Value<'a> {
        let name = match operand.ty().is_f64() {
            true => double,
            false => single,
        };
        self.call(builder, name, &[operand]).result(0)
    }
}

/// The operation of `arith` in the place of one of `index` that means the same; any other as it is.
fn as_arith<'a>(op: Op<'a>) -> Op<'a> {
    let name = scalar_ops::arith_name(op.name());
    if op.is(name) {
        return op;
    }
    let operands: Vec<_> = op.operands().collect();
    let mut builder = Builder::before(op);
    let new = builder.op(name).operands(&operands);
    let new = new.results(&op.result_types()).build();
    op.replace_with(&[new.result(0)]);
    new
}

fn extremum<'a>(builder: &mut Builder<'a>, name: &str, a: Value<'a>, b: Value<'a>) -> Value<'a> {
    builder.op(name).operands(&[a, b]).result(a.ty()).value()
}

/// An extremum, or the one of both that is a number.
fn number_or<'a>(builder: &mut Builder<'a>, name: &str, a: Value<'a>, b: Value<'a>) -> Value<'a> {
    let both = extremum(builder, name, a, b);
    let no_b = is_no_number(builder, b);
    let with_a = select(builder, no_b, a, both);
    let no_a = is_no_number(builder, a);
    select(builder, no_a, b, with_a)
}

fn select<'a>(
    builder: &mut Builder<'a>,
    condition: Value<'a>,
    then: Value<'a>,
    otherwise: Value<'a>,
) -> Value<'a> {
    let select = builder.op("arith.select");
    let select = select.operands(&[condition, then, otherwise]);
    select.result(then.ty()).value()
}

fn is_no_number<'a>(builder: &mut Builder<'a>, value: Value<'a>) -> Value<'a> {
    let boolean = boolean(builder);
    let compare = builder.op("arith.cmpf").operands(&[value, value]);
    let compare = compare.integer("predicate", 64, UNORDERED);
    compare.result(boolean).value()
}

fn is_class<'a>(builder: &mut Builder<'a>, value: Value<'a>, class: i64) -> Value<'a> {
    let boolean = boolean(builder);
    let test = builder.op("llvm.intr.is.fpclass").operand(value);
    test.integer("bit", 32, class).result(boolean).value()
}

/// An index as an integer, which has as many bits.
fn wide<'a>(builder: &mut Builder<'a>, index: Value<'a>) -> Value<'a> {
    let integer = IntegerType::new(builder.context(), types::INDEX_BITS).into();
    cast(builder, index, integer)
}

fn cast<'a>(builder: &mut Builder<'a>, value: Value<'a>, ty: Type<'a>) -> Value<'a> {
    let cast = builder.op("arith.index_cast").operand(value);
    cast.result(ty).value()
}

fn boolean<'a>(builder: &Builder<'a>) -> Type<'a> {
    IntegerType::new(builder.context(), 1).into()
}
