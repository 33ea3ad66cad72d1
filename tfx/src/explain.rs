//! Explanations of the sides of the operations at a source location.
//!
//! ```text
//!   12:8 ──► the operations of the source there ──► tfx-extract with tfx-partition{explain=12:8}
//!                                                     │
//!     the sides of values, and why     remarks of partition        at the location
//!     copies                           Traffic                     of values at the location
//!     round trips, order stalls        diagnostics of analyses     that mention the location
//! ```
//!
//! Problem: a report is about the whole program. A user who looks at one line asks why its value is
//! where it is, and in which copies it takes part.
//!
//! The data are those of the passes: nothing is derived from messages. Functions are inlined, so
//! one operation of the source may be several operations; equal explanations are given once. Cost:
//! one extraction, and two minimum cuts for each explained value.
//!
//! Not guaranteed: variables, closures and aggregates become values, and branches become structured
//! control flow. An operation on them may have no side of its own; the explanation says so.

use std::collections::{BTreeMap, BTreeSet};

use tfx_dialects::{comm, tensor};
use tfx_ir::diag::{Collected, Severity};
use tfx_ir::location::{self, Place};
use tfx_ir::ops::func;
use tfx_ir::{Op, module};
use tfx_partition::PartitionOptions;

use crate::error::{Error, ErrorKind};
use crate::pipelines;
use crate::program::{Program, Source};
use crate::report::{bytes, executions, note};

/// A line of the source, or an operation in it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Target {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1; none for all operations of the line.
    pub column: Option<usize>,
}

impl std::str::FromStr for Target {
    type Err = String;

    /// Parses `line` or `line:column`.
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse().ok().filter(|number| *number > 0);
        let parsed = match text.split_once(':') {
            None => number(text).map(|line| (line, None)),
            Some((line, column)) => number(line).zip(number(column).map(Some)),
        };
        let (line, column) = parsed.ok_or("expected LINE or LINE:COLUMN, such as 12:8")?;
        Ok(Self { line, column })
    }
}

/// Returns the explanation of the operations at a place of a program that was parsed from `source`,
/// as diagnostics. The program is extracted, as by [`Program::extract`].
///
/// # Errors
/// There is no operation at the place: the message names the nearest line that has one. The program
/// cannot be extracted.
pub fn explain(
    program: &mut Program<'_>,
    source: &Source,
    target: Target,
) -> Result<Vec<Collected>, Error> {
    let places = places(module::as_op(program.module()), source.name());
    let (wanted, column) = select(&places, source, target)?;
    let is_wanted = |place: &Place| {
        let by_column = wanted.column.is_none_or(|column| column == place.column);
        place.file == source.name() && place.line == wanted.line && by_column
    };

    let options = program.options().extract.clone();
    let partition = PartitionOptions {
        remarks: true,
        explain: match wanted.column {
            Some(column) => format!("{}:{column}", wanted.line),
            None => wanted.line.to_string(),
        },
        ..PartitionOptions::default()
    };
    let found = program.run(&pipelines::extract_with(&options, &partition))?;
    let module = module::as_op(program.module());

    let is_here = |diagnostic: &Collected| diagnostic.place.as_ref().is_some_and(is_wanted);
    let (mut list, others): (Vec<_>, Vec<_>) = found.into_iter().partition(is_here);
    if list.is_empty() {
        let place = Place {
            file: source.name().to_owned(),
            line: wanted.line,
            column,
        };
        list.push(without_values(module, place, &is_wanted));
    }
    list.extend(copies(module, &is_wanted));
    // A round trip elsewhere of which this is a leg.
    let mentions = |diagnostic: &Collected| diagnostic.notes.iter().any(is_here);
    list.extend(others.into_iter().filter(mentions));

    // Inlining repeats operations.
    let mut seen = BTreeSet::new();
    list.retain(|one| seen.insert((one.place.clone(), one.message.clone())));
    Ok(list)
}

/// Returns the columns of the operations and arguments in each line of a file.
fn places(module: Op<'_>, file: &str) -> BTreeMap<usize, BTreeSet<usize>> {
    let mut places: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut add = |location| {
        if let Some(place) = location::place(location)
            && place.file == file
            && place.line > 0
        {
            places.entry(place.line).or_default().insert(place.column);
        }
    };
    for op in module.walk() {
        let is_symbol = op.symbol_name().is_some();
        if op != module && !is_symbol {
            add(op.location());
        }
        let blocks = op.regions().flat_map(|region| region.blocks());
        for argument in blocks.flat_map(|block| block.arguments()) {
            add(argument.location());
        }
    }
    places
}

/// Returns the operation at or before a column, or else the first of its line, and a column to
/// show.
fn select(
    places: &BTreeMap<usize, BTreeSet<usize>>,
    source: &Source,
    target: Target,
) -> Result<(Target, usize), Error> {
    let Some(columns) = places.get(&target.line) else {
        let near = places.keys().min_by_key(|line| line.abs_diff(target.line));
        let hint = match near {
            Some(line) => format!("the nearest line with an operation is {line}"),
            None => "the program has no operations".to_owned(),
        };
        let (name, line) = (source.name(), target.line);
        let message = format!("line {line} of '{name}' has no operation; {hint}");
        return Err(Error::new(ErrorKind::Argument, message));
    };
    let column = target.column.and_then(|column| {
        let before = columns.range(..=column).next_back();
        before.or_else(|| columns.first()).copied()
    });
    let shown = column.or(columns.first().copied()).unwrap_or(1);
    Ok((Target { column, ..target }, shown))
}

/// Returns a remark at the requested place.
fn remark(place: Place, message: String) -> Collected {
    Collected {
        severity: Severity::Remark,
        ..Collected::error(Some(place), message)
    }
}

/// Returns the explanation of an operation that partition does not see.
fn without_values(module: Op<'_>, place: Place, is_wanted: &impl Fn(&Place) -> bool) -> Collected {
    let mut sides = [BTreeSet::new(), BTreeSet::new()];
    for function in module.children() {
        let is_graph = function.isa::<tensor::Graph>();
        if !is_graph && !function.isa::<func::Func>() {
            continue;
        }
        let is_here = |op: Op<'_>| location::place(op.location()).is_some_and(|at| is_wanted(&at));
        if function.walk().skip(1).any(is_here) {
            let has_graph = function.walk().any(|op| op.isa::<comm::Start>());
            let name = function.symbol_name().unwrap_or_default();
            sides[usize::from(is_graph)].insert((name, has_graph));
        }
    }
    let message = match &sides {
        [host, graph] if !host.is_empty() && !graph.is_empty() => {
            "on both sides: control flow that each side runs".to_owned()
        }
        [_, graph] if !graph.is_empty() => "in the graph".to_owned(),
        [host, _] if !host.is_empty() => match host.iter().find(|(_, has_graph)| !has_graph) {
            Some((name, _)) => format!("on the host: '@{name}' has no graph operation"),
            None => "on the host".to_owned(),
        },
        _ => "on neither side: the compiler replaced it by other operations, folded it, or removed it because nothing uses it"
            .to_owned(),
    };
    remark(place, message)
}

/// Returns a remark for each copy of a value at the requested place.
fn copies(module: Op<'_>, is_wanted: &impl Fn(&Place) -> bool) -> Vec<Collected> {
    let traffic = tfx_copy_analysis::traffic(module);
    let transfers = traffic.iter().flat_map(|traffic| &traffic.transfers);
    let here = transfers.filter_map(|transfer| {
        let place = transfer.place.clone().filter(is_wanted)?;
        let kind = match note(transfer) {
            "" => String::new(),
            kind => format!(", {kind}"),
        };
        let message = format!(
            "copied to the {} on channel {}: {} bytes, {} times{kind}",
            if transfer.to_host { "host" } else { "graph" },
            transfer.channel,
            bytes(&transfer.amount),
            executions(&transfer.amount),
        );
        Some(remark(place, message))
    });
    here.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_parsed() {
        let of = |text: &str| text.parse::<Target>().ok().map(|at| (at.line, at.column));
        assert_eq!(of("12"), Some((12, None)));
        assert_eq!(of("12:8"), Some((12, Some(8))));
        for bad in [
            "",
            "0",
            "x",
            "1:0",
            "1:",
            ":1",
            "1:2:3",
            "-1",
            "99999999999999999999",
        ] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }
}
