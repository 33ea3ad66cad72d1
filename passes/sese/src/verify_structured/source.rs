//! Contents of values, and facts about them: constants, and conditions of branches as numbers.
//!
//! Numbers are zero-extended to 64 bits, as by `arith.index_castui` before a switch: `-1 : i8` is
//! 255.

use std::rc::Rc;
use tfx_dialects::host;
use tfx_ir::ops::arith::CmpIPredicate;
use tfx_ir::ops::{arith, cf, scf};

use melior::ir::attribute::{DenseElementsAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{AttributeLike, TypeLike};
use rustc_hash::FxHashMap;
use tfx_ir::{Op, Trait, Value};

/// The content of a value, in terms of the start of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source<'a> {
    /// The content of this value at the start.
    Value(Value<'a>),
    /// This integer.
    Integer(u64),
    /// The constant attribute at this address; attributes are unique.
    Constant(usize),
    /// A value that may not be read.
    Undefined,
    /// Not known.
    Unknown,
}

impl<'a> Source<'a> {
    /// Returns the content of a value that the path has not changed.
    pub(super) fn of(value: Value<'a>) -> Self {
        constant(value).unwrap_or(Source::Value(value))
    }
}

/// A fact about a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Known {
    /// It equals this number.
    Is(u64),
    /// It equals none of these numbers, which are sorted.
    IsNone(Rc<[u64]>),
}

impl Known {
    /// Returns whether the number may be `number`.
    pub(super) fn allows(&self, number: u64) -> bool {
        match self {
            Known::Is(known) => *known == number,
            Known::IsNone(not) => not.binary_search(&number).is_err(),
        }
    }

    /// Returns the conjunction of both facts.
    pub(super) fn and(&self, other: &Known) -> Known {
        match (self, other) {
            (Known::Is(_), _) => self.clone(),
            (_, Known::Is(_)) => other.clone(),
            (Known::IsNone(one), Known::IsNone(other)) => {
                let mut all: Vec<u64> = one.iter().chain(other.iter()).copied().collect();
                all.sort_unstable();
                all.dedup();
                Known::IsNone(all.into())
            }
        }
    }

    /// Returns whether both can hold at once.
    pub(super) fn agrees(&self, other: &Known) -> bool {
        match (self, other) {
            (Known::Is(number), known) | (known, Known::Is(number)) => known.allows(*number),
            (Known::IsNone(_), Known::IsNone(_)) => true,
        }
    }

    /// Returns the number, if there is only one.
    pub(super) fn number(&self) -> Option<u64> {
        match self {
            Known::Is(number) => Some(*number),
            Known::IsNone(_) => None,
        }
    }
}

/// Returns the content of a constant.
pub(super) fn constant<'a>(value: Value<'a>) -> Option<Source<'a>> {
    let op = value.defining_op()?;
    if op.isa::<host::Undef>() {
        return Some(Source::Undefined);
    }
    let attribute = op.constant_value()?;
    if let Ok(integer) = IntegerAttribute::try_from(attribute)
        && width(value) <= u64::BITS
    {
        return Some(Source::Integer(masked(
            integer.value() as u64,
            width(value),
        )));
    }
    if let Some(flag) = op.boolean("value") {
        return Some(Source::Integer(u64::from(flag)));
    }
    Some(Source::Constant(attribute.to_raw().ptr as usize))
}

/// Returns whether an operation defines a constant, or a value that may not be read.
pub(super) fn is_constant(op: Op<'_>) -> bool {
    op.has_trait(Trait::ConstantLike) || op.isa::<host::Undef>()
}

fn width(value: Value<'_>) -> u32 {
    IntegerType::try_from(value.ty()).map_or(u64::BITS, |ty| ty.width())
}

fn masked(number: u64, width: u32) -> u64 {
    match width {
        0..64 => number & ((1 << width) - 1),
        _ => number,
    }
}

/// Returns the value that a branch of the original tests, and the fact about it for each successor.
pub(super) fn branch<'a>(terminator: Op<'a>) -> Option<(Value<'a>, Vec<Known>)> {
    if let Some(branch) = cf::CondBranch::cast(terminator) {
        return Some((branch.condition(), vec![Known::Is(1), Known::Is(0)]));
    }
    let switch = cf::Switch::cast(terminator)?;
    let cases = switch_cases(switch)?;
    let mut not = cases.clone();
    not.sort_unstable();
    let mut facts = vec![Known::IsNone(not.into())];
    facts.extend(cases.into_iter().map(Known::Is));
    Some((switch.flag(), facts))
}

fn switch_cases(switch: cf::Switch<'_>) -> Option<Vec<u64>> {
    let cases = 0..switch.case_destinations().len();
    let Some(values) = switch.case_values() else {
        return cases.is_empty().then(Vec::new);
    };
    let values = DenseElementsAttribute::try_from(values).ok()?;
    cases
        .map(|case| match width(switch.flag()) {
            1 => values.bool_element(case).map(u64::from).ok(),
            8 => values.u8_element(case).map(u64::from).ok(),
            16 => values.u16_element(case).map(u64::from).ok(),
            32 => values.u32_element(case).map(u64::from).ok(),
            _ => values.u64_element(case).ok(),
        })
        .collect()
}

/// Returns the region of each case of an `scf.index_switch`; region 0 is the default.
pub(super) fn case_regions(switch: scf::IndexSwitch<'_>) -> FxHashMap<u64, usize> {
    let mut regions = FxHashMap::default();
    for (index, case) in switch.cases().into_iter().enumerate() {
        regions.entry(case as u64).or_insert(index + 1);
    }
    regions
}

/// Returns the result of an equality comparison of two numbers that are equal, or are not.
pub(super) fn comparison(op: Op<'_>, equal: bool) -> Option<u64> {
    match arith::CmpI::cast(op)?.predicate() {
        CmpIPredicate::Eq => Some(u64::from(equal)),
        CmpIPredicate::Ne => Some(u64::from(!equal)),
        _ => None,
    }
}

/// Returns whether an operation zero-extends a number to an index, as switches need it.
pub(super) fn widens(op: Op<'_>) -> bool {
    let fits =
        |value: Value| IntegerType::try_from(value.ty()).is_ok_and(|ty| ty.width() <= u64::BITS);
    arith::IndexCastUI::cast(op).is_some_and(|cast| cast.out().ty().is_index() && fits(cast.in_()))
}

/// Returns a value before it was zero-extended to an index.
pub(super) fn unwidened(value: Value<'_>) -> Value<'_> {
    let op = value.defining_op().filter(|&op| widens(op));
    op.map_or(value, |op| op.operand(0))
}

/// Returns whether a value is an `i1`.
pub(super) fn is_flag(value: Value<'_>) -> bool {
    IntegerType::try_from(value.ty()).is_ok_and(|ty| ty.width() == 1)
}
