//! Sums of products by Einstein's convention: each label has one size in all operands.
//!
//! ```text
//! "...ij,jk->...ik"   [5, 2, 3], [3, 4]   i = 2, j = 3, k = 4, ellipsis = [5]   ──►  [5, 2, 4]
//! ```

use super::{
    elementwise::broadcast_sizes,
    shape::{Shape, Size, meet},
    usage::{Entry, Inferred, Mismatch, Reads, Usage},
};
use crate::proto::attr_value::Value;

pub(super) const FUNCTIONS: &[Entry] = &[("Einsum", Reads::Nothing, einsum)];

/// The labels before an ellipsis and after it; all before it if there is none.
struct Labels {
    before: Vec<char>,
    after: Vec<char>,
    has_ellipsis: bool,
}

impl Labels {
    /// Reads labels; `None` if there are other characters than letters.
    fn parse(text: &str) -> Option<Self> {
        let text = text.replace(' ', "");
        let (before, after, has_ellipsis) = match text.split_once("...") {
            Some((before, after)) => (before, after, true),
            None => (text.as_str(), "", false),
        };
        let letters = |text: &str| -> Option<Vec<char>> {
            let is_label = |label: char| label.is_ascii_alphabetic().then_some(label);
            text.chars().map(is_label).collect()
        };
        Some(Labels {
            before: letters(before)?,
            after: letters(after)?,
            has_ellipsis,
        })
    }
}

/// The sizes of the labels, as far as the operands determine them.
#[derive(Default)]
struct Sizes {
    named: Vec<(char, Size)>,
    /// The dimensions of the ellipsis; `None` if their number is unknown.
    hidden: Option<Shape>,
}

impl Sizes {
    fn add(&mut self, usage: &Usage<'_>, label: char, size: Size) -> Result<(), Mismatch> {
        let Some((_, known)) = self.named.iter_mut().find(|(own, _)| *own == label) else {
            self.named.push((label, size));
            return Ok(());
        };
        *known = meet(*known, size).ok_or_else(|| {
            usage.wrong(format_args!(
                "has sizes {} and {} for the label '{label}' in {}",
                known.unwrap_or(0),
                size.unwrap_or(0),
                usage.texts(0..usage.operands.len())
            ))
        })?;
        Ok(())
    }

    /// Adds the dimensions of an operand.
    fn add_operand(
        &mut self,
        usage: &Usage<'_>,
        operand: usize,
        labels: &Labels,
    ) -> Result<(), Mismatch> {
        let Some(sizes) = usage.shape(operand).sizes() else {
            if labels.has_ellipsis {
                self.hidden = None;
            }
            let all = labels.before.iter().chain(&labels.after);
            return all
                .copied()
                .try_for_each(|label| self.add(usage, label, None));
        };
        let named = labels.before.len() + labels.after.len();
        let has_rank = match labels.has_ellipsis {
            true => sizes.len() >= named,
            false => sizes.len() == named,
        };
        if !has_rank {
            return Err(usage.wrong(format_args!(
                "has {named} labels for operand {operand}, which is {}",
                usage.text(operand)
            )));
        }
        let (before, rest) = sizes.split_at(labels.before.len());
        let (hidden, after) = rest.split_at(rest.len() - labels.after.len());
        let pairs = labels.before.iter().zip(before);
        for (&label, &size) in pairs.chain(labels.after.iter().zip(after)) {
            self.add(usage, label, size)?;
        }
        let Some(own) = self.hidden.as_ref().and_then(Shape::sizes) else {
            return Ok(());
        };
        let joined = broadcast_sizes(own, hidden).map_err(|(one, other)| {
            usage.wrong(format_args!(
                "cannot broadcast the dimensions of the ellipsis in {}: sizes {one} and {other} \
                 differ, and neither is 1",
                usage.texts(0..usage.operands.len())
            ))
        })?;
        self.hidden = Some(joined);
        Ok(())
    }
}

fn einsum(usage: &Usage<'_>) -> Inferred {
    let text = match usage.attribute("equation") {
        Some(Value::S(bytes)) => String::from_utf8_lossy(bytes),
        _ => "".into(),
    };
    let parsed = text.split_once("->").and_then(|(left, right)| {
        let operands = left.split(',').map(Labels::parse);
        Some((operands.collect::<Option<Vec<_>>>()?, Labels::parse(right)?))
    });
    let Some((operands, result)) = parsed else {
        return Err(usage
            .wrong(format_args!("has no valid equation in \"{text}\""))
            .advise("an example is \"ij,jk->ik\""));
    };
    if operands.len() != usage.operands.len() {
        return Err(usage.wrong(format_args!(
            "has {} operands, but \"{text}\" is for {}",
            usage.operands.len(),
            operands.len()
        )));
    }
    if operands.len() > 2 {
        return Err(usage.wrong(format_args!(
            "is for one or two operands, not for the {} of \"{text}\"",
            operands.len()
        )));
    }
    let mut sizes = Sizes {
        hidden: Some(Shape::scalar()),
        ..Sizes::default()
    };
    for (operand, labels) in operands.iter().enumerate() {
        sizes.add_operand(usage, operand, labels)?;
    }
    let size = |label: &char| {
        let known = sizes.named.iter().find(|(own, _)| own == label);
        known.map(|(_, size)| *size).ok_or_else(|| {
            usage.wrong(format_args!(
                "has the label '{label}' in its result, but in no operand of \"{text}\""
            ))
        })
    };
    let before = result
        .before
        .iter()
        .map(size)
        .collect::<Result<Vec<_>, _>>()?;
    let after = result
        .after
        .iter()
        .map(size)
        .collect::<Result<Vec<_>, _>>()?;
    if !result.has_ellipsis {
        return match sizes.hidden.as_ref().map(Shape::rank) {
            Some(Some(1..)) => Err(usage.wrong(format_args!(
                "has an ellipsis in an operand of \"{text}\", but not in its result"
            ))),
            _ => Ok(vec![Shape::of(before)]),
        };
    }
    Ok(vec![match sizes.hidden.as_ref().and_then(Shape::sizes) {
        Some(hidden) => Shape::of([&before, hidden, &after].concat()),
        None => Shape::UNKNOWN,
    }])
}
