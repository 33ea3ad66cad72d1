//! What values hold, and what is known of them: constants, branches and switches read as numbers.
//!
//! Numbers are zero-extended to 64 bits, as `arith.index_castui` does before a switch: `-1 : i8` is 255.

use std::rc::Rc;
use tfx_dialects::host;
use tfx_ir::ops::cf;

use melior::ir::AttributeLike;
use melior::ir::attribute::{DenseElementsAttribute, DenseI64ArrayAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use rustc_hash::FxHashMap;
use tfx_ir::{Op, Trait, Value};

/// What a value holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source<'a> {
    /// What this value holds at the start of the way.
    Value(Value<'a>),
    /// This integer.
    Integer(u64),
    /// The constant attribute at this address; attributes are unique.
    Constant(usize),
    /// Nothing that may be read.
    Undefined,
    /// Something that the way does not tell.
    Unknown,
}

impl<'a> Source<'a> {
    /// What a value holds that nothing has changed.
    pub(super) fn of(value: Value<'a>) -> Self {
        constant(value).unwrap_or(Source::Value(value))
    }
}

/// What is known of a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Known {
    /// It is this one.
    Is(u64),
    /// It is none of these, which are sorted.
    IsNone(Rc<[u64]>),
}

impl Known {
    /// Whether the number may be that one.
    pub(super) fn allows(&self, number: u64) -> bool {
        match self {
            Known::Is(known) => *known == number,
            Known::IsNone(not) => not.binary_search(&number).is_err(),
        }
    }

    /// What is known where both are true.
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

    /// Whether both can be true at once.
    pub(super) fn agrees(&self, other: &Known) -> bool {
        match (self, other) {
            (Known::Is(number), known) | (known, Known::Is(number)) => known.allows(*number),
            (Known::IsNone(_), Known::IsNone(_)) => true,
        }
    }

    /// The number, if there is but one.
    pub(super) fn number(&self) -> Option<u64> {
        match self {
            Known::Is(number) => Some(*number),
            Known::IsNone(_) => None,
        }
    }
}

/// What a constant holds.
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

/// Whether an operation stands for a value that is the same everywhere: a constant, or one that is never read.
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

/// The value that a branch of the original tests, and per successor what it then is.
pub(super) fn branch<'a>(terminator: Op<'a>) -> Option<(Value<'a>, Vec<Known>)> {
    let ways = match terminator.name() {
        cf::CondBranch::NAME => vec![Known::Is(1), Known::Is(0)],
        cf::Switch::NAME => {
            let cases = switch_cases(terminator)?;
            let mut not = cases.clone();
            not.sort_unstable();
            let default = std::iter::once(Known::IsNone(not.into()));
            default.chain(cases.into_iter().map(Known::Is)).collect()
        }
        _ => return None,
    };
    Some((terminator.operand(0), ways))
}

fn switch_cases(op: Op<'_>) -> Option<Vec<u64>> {
    let width = width(op.operand(0));
    let cases = 1..op.num_successors();
    let Some(values) = op.attribute("case_values") else {
        return cases.is_empty().then(Vec::new);
    };
    let values = DenseElementsAttribute::try_from(values).ok()?;
    cases
        .map(|case| match width {
            1 => values.bool_element(case - 1).map(u64::from).ok(),
            8 => values.u8_element(case - 1).map(u64::from).ok(),
            16 => values.u16_element(case - 1).map(u64::from).ok(),
            32 => values.u32_element(case - 1).map(u64::from).ok(),
            _ => values.u64_element(case - 1).ok(),
        })
        .collect()
}

/// The region of each case of an `scf.index_switch`; the first region is that of no case.
pub(super) fn case_regions(op: Op<'_>) -> FxHashMap<u64, usize> {
    let cases = op
        .attribute("cases")
        .and_then(|cases| DenseI64ArrayAttribute::try_from(cases).ok());
    let mut regions = FxHashMap::default();
    if let Some(cases) = cases {
        let numbers = (0..cases.len()).filter_map(|index| cases.element(index).ok());
        for (index, case) in numbers.enumerate() {
            regions.entry(case as u64).or_insert(index + 1);
        }
    }
    regions
}
