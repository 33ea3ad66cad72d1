//! Splits a list of operands (or results) into the arguments of a definition.
//!
//! ```text
//! ConcatV2(values: N * T, axis: Tidx)     4 operands  ->  values = 0..3, axis = 3..4, N = 3
//! ```
//!
//! An argument has one value, `N` values (`number_attr`), or one for each type of a list
//! (`type_list_attr`). A single unknown length is what the other arguments leave. If several
//! lengths are unknown and defaults settle all but one, the split is unique. Otherwise it is an
//! error, which names the attributes: a guess could build a wrong graph. The cost is linear in the
//! arguments.

use std::{collections::BTreeMap, ops::Range};

use super::{
    bindings::Bindings,
    error::{Count, OperationError, Side},
};
use crate::proto::{
    attr_value::Value,
    op_def::{ArgDef, AttrDef},
};

/// Returns the range of values of each argument.
pub(super) fn split(
    bindings: &Bindings,
    side: Side,
    given: usize,
) -> Result<Vec<Range<usize>>, OperationError> {
    let arguments = bindings.arguments(side);
    let lengths = lengths(bindings, side, given)?;
    let mut start = 0;
    let ranges = arguments
        .iter()
        .map(|argument| {
            let length = length_attribute(argument).map_or(1, |attribute| lengths[attribute]);
            start += length;
            start - length..start
        })
        .collect();
    Ok(ranges)
}

/// Returns the attribute that determines the number of values of an argument; `None` if it has one.
fn length_attribute(argument: &ArgDef) -> Option<&str> {
    [&argument.number_attr, &argument.type_list_attr]
        .into_iter()
        .find(|name| !name.is_empty())
        .map(String::as_str)
}

/// Returns the length for which each length attribute stands.
fn lengths(
    bindings: &Bindings,
    side: Side,
    given: usize,
) -> Result<BTreeMap<&'static str, usize>, OperationError> {
    let mut uses: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut fixed: usize = 0;
    for argument in bindings.arguments(side) {
        match length_attribute(argument) {
            Some(attribute) => *uses.entry(attribute).or_default() += 1,
            None => fixed += 1,
        }
    }
    let mut known: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut open: Vec<&'static str> = Vec::new();
    for &attribute in uses.keys() {
        match bindings.length(attribute) {
            Some(length) => _ = known.insert(attribute, length),
            None => open.push(attribute),
        }
    }
    if open.len() > 1 {
        settle_by_defaults(bindings, &mut open, &mut known);
    }
    let taken = known.iter().fold(fixed, |sum, (attribute, length)| {
        sum.saturating_add(uses[attribute].saturating_mul(*length))
    });
    let wrong = |expected| OperationError::WrongCount {
        operation: &bindings.definition.name,
        side,
        expected,
        given,
        because: known
            .keys()
            .copied()
            .filter(|name| bindings.is_written(name))
            .collect(),
    };
    match *open.as_slice() {
        [] if taken == given => {}
        [] => return Err(wrong(Count::Exactly(taken))),
        [attribute] => {
            let step = uses[attribute];
            let minimum = minimum(bindings.attribute(attribute));
            let expected = Count::Steps {
                fixed: taken,
                step,
                attribute,
                minimum,
            };
            let rest = given.checked_sub(taken).ok_or_else(|| wrong(expected))?;
            if rest % step != 0 || rest / step < minimum {
                return Err(wrong(expected));
            }
            known.insert(attribute, rest / step);
        }
        _ => {
            return Err(OperationError::AmbiguousLists {
                operation: &bindings.definition.name,
                side,
                attributes: open,
            });
        }
    }
    Ok(known)
}

/// Sets unknown lengths to their defaults, if they have one.
fn settle_by_defaults(
    bindings: &Bindings,
    open: &mut Vec<&'static str>,
    known: &mut BTreeMap<&'static str, usize>,
) {
    open.retain(|&name| match default_length(bindings.attribute(name)) {
        Some(length) => {
            known.insert(name, length);
            false
        }
        None => true,
    });
}

fn default_length(attribute: &AttrDef) -> Option<usize> {
    match attribute.default_value.as_ref()?.value.as_ref()? {
        Value::I(number) => usize::try_from(*number).ok(),
        Value::List(list) => Some(list.r#type.len()),
        _ => None,
    }
}

fn minimum(attribute: &AttrDef) -> usize {
    let minimum = if attribute.has_minimum {
        attribute.minimum
    } else {
        0
    };
    usize::try_from(minimum).unwrap_or(0)
}
