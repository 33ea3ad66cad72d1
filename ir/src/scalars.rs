//! Constant folding of scalar operations: MLIR's folders, and the cases that they leave out.
//!
//! ```text
//!   %s = arith.addi %a, %b : i8          copied once: arith.addi %arg0, %arg1          folded for (100, 100): -56
//! ```
//!
//! The folders are exact: integers wrap, floats have the precision of their type, divisions by zero
//! and oversized shifts do not fold. A folder may inspect the definitions of its operands and may
//! change the operation. So each operation is cloned once, with the arguments of a detached block
//! as operands, and the clone is folded.
//!
//! This module adds: narrowing of floats (MLIR folds it only where it is exact), the cases of
//! `index` that differ on targets of 32 bits (an index has 64 here), and some functions of `math`.

use std::collections::HashMap;

use crate::ops::{arith, math};
use crate::{Block, Builder, Definition, Folded, Mapping, Op};
use melior::ir::attribute::{BoolAttribute, FloatAttribute, IntegerAttribute};
use melior::ir::{Attribute, AttributeLike, Type, TypeLike};

/// Clones of scalar operations, to be folded.
#[derive(Default)]
pub struct Scalars<'a> {
    copies: HashMap<Op<'a>, Detached<'a>>,
}

struct Detached<'a> {
    op: Op<'a>,
    block: Block<'a>,
}

/// The reason why an operation has no value, such as `its computation divides by zero`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoValue(pub String);

impl<'a> Scalars<'a> {
    /// Creates an evaluator without clones.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the results of an operation for constant operands.
    ///
    /// # Errors
    /// The reason why it has no value.
    pub fn evaluate(
        &mut self,
        op: Op<'a>,
        operands: &[Attribute<'a>],
    ) -> Result<Vec<Attribute<'a>>, NoValue> {
        let copy = self.copies.entry(op).or_insert_with(|| detached(op));
        let known: Vec<_> = operands.iter().copied().map(Some).collect();
        if let Some(results) = copy.op.fold(&known) {
            let results: Option<Vec<_>> = results
                .into_iter()
                .map(|result| attribute(result, operands))
                .collect();
            if let Some(results) = results {
                return Ok(results);
            }
        }
        match fallback(op, operands) {
            Some(result) => Ok(vec![result]),
            None => Err(NoValue(reason(op, operands))),
        }
    }
}

impl Drop for Scalars<'_> {
    fn drop(&mut self) {
        let blocks: Vec<_> = self.copies.values().map(|copy| copy.block).collect();
        Block::erase_all(&blocks);
    }
}

/// Clones an operation with the arguments of a detached block as operands.
fn detached<'a>(op: Op<'a>) -> Detached<'a> {
    let arguments: Vec<_> = op
        .operands()
        .map(|operand| (operand.ty(), op.location()))
        .collect();
    let block = Block::new(&arguments);
    let copy = Builder::at_end(block, op.location()).clone_op(op, &mut Mapping::new());
    let arguments: Vec<_> = block.arguments().collect();
    copy.set_operands(&arguments);
    Detached { op: copy, block }
}

/// Returns the number of a folded result, also if the result is an operand.
fn attribute<'a>(result: Folded<'a>, operands: &[Attribute<'a>]) -> Option<Attribute<'a>> {
    match result {
        Folded::Attribute(attribute) => {
            (attribute.is_integer() || attribute.is_float()).then_some(attribute)
        }
        Folded::Value(value) => match value.definition() {
            Definition::Argument(_, number) => operands.get(number).copied(),
            Definition::Result(..) => None,
        },
    }
}

/// Evaluates the operations that the folders leave out.
fn fallback<'a>(op: Op<'a>, operands: &[Attribute<'a>]) -> Option<Attribute<'a>> {
    let ty = op.result(0).ty();
    let name = op.name();
    if op.dialect() == "index" {
        return index(op, ty, operands);
    }
    let float = |number: f64| Some(FloatAttribute::new(op.context(), ty, number).into());
    match (name, floats(operands).as_deref()?) {
        (arith::TruncF::NAME, [x]) => float(*x),
        (math::Fma::NAME, [x, y, z]) if ty.is_f32() => {
            float((*x as f32).mul_add(*y as f32, *z as f32).into())
        }
        (math::Fma::NAME, [x, y, z]) if ty.is_f64() => float(x.mul_add(*y, *z)),
        (math::CopySign::NAME, [x, y]) => float(x.copysign(*y)),
        (_, [x]) if op.dialect() == "math" => float(function(name)?(*x)),
        _ => None,
    }
}

/// Returns the functions without a folder. A narrower type rounds the result once more.
fn function(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        math::Rsqrt::NAME => |x| x.sqrt().recip(),
        math::Sinh::NAME => f64::sinh,
        math::Cosh::NAME => f64::cosh,
        math::Tanh::NAME => f64::tanh,
        math::Asin::NAME => f64::asin,
        math::Acos::NAME => f64::acos,
        math::Asinh::NAME => f64::asinh,
        math::Acosh::NAME => f64::acosh,
        math::Atanh::NAME => f64::atanh,
        math::Cbrt::NAME => f64::cbrt,
        math::ExpM1::NAME => f64::exp_m1,
        _ => return None,
    })
}

fn floats(operands: &[Attribute<'_>]) -> Option<Vec<f64>> {
    let float = |attribute: &Attribute| Some(FloatAttribute::try_from(*attribute).ok()?.value());
    operands.iter().map(float).collect()
}

/// Evaluates the operations of `index` whose result depends on the width of an index.
fn index<'a>(op: Op<'a>, ty: Type<'a>, operands: &[Attribute<'a>]) -> Option<Attribute<'a>> {
    let numbers: Option<Vec<i64>> = operands.iter().map(|operand| integer(*operand)).collect();
    let result = match (op.name().trim_start_matches("index."), numbers?.as_slice()) {
        ("divs", [a, b]) => a.checked_div(*b)?,
        ("divu", [a, b]) => (*a as u64).checked_div(*b as u64)? as i64,
        ("rems", [_, -1]) => 0,
        ("rems", [a, b]) => a.checked_rem(*b)?,
        ("remu", [a, b]) => (*a as u64).checked_rem(*b as u64)? as i64,
        ("floordivs", [a, b]) => {
            let (quotient, rest) = (a.checked_div(*b)?, a.wrapping_rem(*b));
            quotient - i64::from(rest != 0 && (rest < 0) != (*b < 0))
        }
        ("ceildivs", [a, b]) => {
            let (quotient, rest) = (a.checked_div(*b)?, a.wrapping_rem(*b));
            quotient + i64::from(rest != 0 && (rest < 0) == (*b < 0))
        }
        ("ceildivu", [_, 0]) => return None,
        ("ceildivu", [a, b]) => (*a as u64).div_ceil(*b as u64) as i64,
        ("maxs", [a, b]) => *a.max(b),
        ("mins", [a, b]) => *a.min(b),
        ("maxu", [a, b]) => (*a as u64).max(*b as u64) as i64,
        ("minu", [a, b]) => (*a as u64).min(*b as u64) as i64,
        ("shl", [a, b]) => a.checked_shl(u32::try_from(*b).ok()?)?,
        ("shrs", [a, b]) => a.checked_shr(u32::try_from(*b).ok()?)?,
        ("shru", [a, b]) => (*a as u64).checked_shr(u32::try_from(*b).ok()?)? as i64,
        ("casts" | "castu", [a]) => *a,
        ("sizeof", []) => i64::from(u64::BITS),
        ("cmp", [a, b]) => {
            let truth = compare(&op.attribute("pred")?.to_string(), *a, *b)?;
            return Some(BoolAttribute::new(op.context(), truth).into());
        }
        _ => return None,
    };
    Some(IntegerAttribute::new(ty, result).into())
}

/// Reads `#index<cmp_predicate slt>` and the other predicates.
fn compare(predicate: &str, a: i64, b: i64) -> Option<bool> {
    let name = predicate
        .trim_end_matches(')')
        .trim_end_matches('>')
        .rsplit([' ', '('])
        .next()?;
    let (c, d) = (a as u64, b as u64);
    Some(match name {
        "eq" => a == b,
        "ne" => a != b,
        "slt" => a < b,
        "sle" => a <= b,
        "sgt" => a > b,
        "sge" => a >= b,
        "ult" => c < d,
        "ule" => c <= d,
        "ugt" => c > d,
        "uge" => c >= d,
        _ => return None,
    })
}

/// Returns the value of an integer, sign-extended.
pub fn integer(attribute: Attribute<'_>) -> Option<i64> {
    if let Ok(truth) = BoolAttribute::try_from(attribute) {
        return Some(truth.value().into());
    }
    Some(IntegerAttribute::try_from(attribute).ok()?.value())
}

/// Explains why an operation has no value for these operands.
fn reason(op: Op<'_>, operands: &[Attribute<'_>]) -> String {
    let short = op.name().split_once('.').map_or("", |(_, short)| short);
    let second = || operands.get(1).and_then(|operand| integer(*operand));
    match short {
        "divsi" | "divui" | "remsi" | "remui" | "ceildivsi" | "ceildivui" | "floordivsi"
        | "divs" | "divu" | "rems" | "remu" | "ceildivs" | "ceildivu" | "floordivs" => {
            if second() == Some(0) {
                "its computation divides by zero".to_owned()
            } else {
                "its computation divides the minimum value of its type by -1, which overflows"
                    .to_owned()
            }
        }
        "shli" | "shrsi" | "shrui" | "shl" | "shrs" | "shru" => match second() {
            Some(bits) => format!(
                "its computation shifts a value of type {} by {bits} bits",
                op.result(0).ty()
            ),
            None => unknown(op),
        },
        "fptosi" | "fptoui" => format!(
            "its computation converts {} to an integer of type {}, which cannot represent it",
            operands[0],
            op.result(0).ty()
        ),
        _ => unknown(op),
    }
}

fn unknown(op: Op<'_>) -> String {
    format!("the compiler cannot evaluate '{}'", op.name())
}
