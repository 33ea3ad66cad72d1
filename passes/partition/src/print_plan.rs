//! The reports of `print-plan` and `explain`: for each value, the side that computes it, its
//! transfer to the other side, and the reason.
//!
//! ```text
//!   a.mlir:7:8   tensor<f32>  sent to the host on channel 0   the graph alone can make it: graph operation "Exp"; the host needs it for 'func.call'
//!   a.mlir:9:8   i32          replicated on both sides        both need it, and each can make it of what it has
//! ```
//!
//! `print-plan` has a line for each value: remarks at the values' locations, or a table on standard
//! error. `explain` selects the operations with one name (`arith.mulf`, `Exp`, a called function)
//! or at one place (`12`, `12:8`) and their values; a chain of notes leads from each value to the
//! operation that only one side can run. If the minimum cut had a choice, a note names what another
//! choice would copy: [`crate::alternatives`].

use melior::ir::Location;
use rustc_hash::FxHashSet;
use tfx_dialects::tensor;
use tfx_ir::ops::{func, scf};

use tfx_ir::{Op, diag, location};

use crate::alternatives::{Alternative, alternatives};
use crate::demand::Demand;
use crate::function::{BODY, Def, Kind, OpId, ValueId};
use crate::place::Plan;
use crate::read::Source;
use crate::side::Side;
use crate::weight::Weights;

/// The number of steps of an explanation that are shown: enough to follow it, few enough to be
/// read.
const STEPS: usize = 8;

/// The number of values, and of operations, that are explained: each needs minimum cuts, and a line
/// of generated code may have thousands.
const EXPLAINED: usize = 32;

/// The data that reports are made of.
pub(crate) struct Report<'r, 'a> {
    source: &'r Source<'a>,
    demand: &'r Demand<'r>,
    plan: &'r Plan,
    /// The channels of each value, and the receiving side.
    channels: Vec<Vec<(usize, Side)>>,
    results: Vec<bool>,
    /// The first operation on each side that uses a value.
    first_use: [Vec<Option<OpId>>; 2],
}

impl<'r, 'a> Report<'r, 'a> {
    pub(crate) fn new(source: &'r Source<'a>, demand: &'r Demand<'r>, plan: &'r Plan) -> Self {
        let count = source.values.len();
        let mut report = Report {
            source,
            demand,
            plan,
            channels: vec![Vec::new(); count],
            results: vec![false; count],
            first_use: [vec![None; count], vec![None; count]],
        };
        for (channel, crossing) in plan.crossings.iter().enumerate() {
            report.channels[crossing.value.index()].push((channel, crossing.receiver));
        }
        for result in &plan.results {
            report.results[result.index()] = true;
        }
        for side in Side::BOTH {
            let uses = &mut report.first_use[side as usize];
            demand.for_each_use(side, |operand, region, index| {
                let user = source.function[region].ops[index];
                let first = &mut uses[operand.value.index()];
                *first = Some(first.map_or(user, |first| first.min(user)));
            });
        }
        report
    }

    /// Emits a remark for each value that either side has.
    pub(crate) fn remarks(&self) {
        for value in self.source.function.value_ids() {
            if let Some(mark) = self.mark(value) {
                self.remark(value, &mark).emit();
            }
        }
    }

    /// Prints the same as a table, headed by the name of the function.
    pub(crate) fn table(&self, func: Op<'a>) -> String {
        let mut rows = Vec::new();
        for value in self.source.function.value_ids() {
            if let Some(mark) = self.mark(value) {
                let place = self.source.values[value.index()].location();
                let place = location::place(place).map_or(String::new(), |place| place.to_string());
                let ty = self.source.values[value.index()].ty().to_string();
                rows.push([place, ty, mark, self.reason(value)]);
            }
        }
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
        let widths = [0, 1, 2].map(|column| width(column).unwrap_or(0));
        let mut text = format!("plan of @{}\n", func.symbol_name().unwrap_or_default());
        for [place, ty, mark, reason] in &rows {
            let [place_width, ty_width, mark_width] = widths;
            text +=
                &format!("  {place:place_width$}  {ty:ty_width$}  {mark:mark_width$}  {reason}\n");
        }
        text
    }

    /// Explains the sides of the operations and values that a name or a place selects. Returns
    /// whether there were any.
    pub(crate) fn explain(&self, wanted: &str, weights: &Weights) -> bool {
        let function = &self.source.function;
        let values = function
            .value_ids()
            .filter(|value| self.is_wanted(*value, wanted));
        let marked = values.filter_map(|value| Some((value, self.mark(value)?)));
        let values: Vec<(ValueId, String)> = marked.collect();
        for (value, mark) in values.iter().take(EXPLAINED) {
            self.explain_value(*value, mark, weights);
        }
        let valued: FxHashSet<OpId> = values
            .iter()
            .filter_map(|(value, _)| function.maker(*value))
            .collect();
        let ops: Vec<OpId> = function
            .op_ids()
            .filter(|op| self.is_wanted_op(*op, wanted))
            .filter(|op| function[*op].kind.has_regions() || !valued.contains(op))
            .filter(|op| {
                Side::BOTH
                    .iter()
                    .any(|side| self.demand.is_present(*side, *op))
            })
            .collect();
        for op in ops.iter().take(EXPLAINED) {
            self.explain_op(*op);
        }
        let left = values.len().saturating_sub(EXPLAINED) + ops.len().saturating_sub(EXPLAINED);
        if left > 0
            && let Some(op) = self.source.ops.first()
        {
            let message = format!("'{wanted}' has {left} more values and operations");
            diag::remark(op.location(), message).emit();
        }
        !values.is_empty() || !ops.is_empty()
    }

    fn is_wanted(&self, value: ValueId, wanted: &str) -> bool {
        let location = self.source.values[value.index()].location();
        is_at(location, wanted) || self.op(value).is_some_and(|op| is_named(op, wanted))
    }

    /// Returns whether an operation is selected. The end of a region is a part of the operation
    /// around it, except the return of the function.
    fn is_wanted_op(&self, op: OpId, wanted: &str) -> bool {
        let data = &self.source.function[op];
        let source = self.source.ops[op.index()];
        let is_inner_end = data.kind == Kind::End && data.region != BODY;
        !is_inner_end && (is_at(source.location(), wanted) || is_named(source, wanted))
    }

    /// Explains the sides of an operation without explained values.
    fn explain_op(&self, op: OpId) {
        let (function, source) = (&self.source.function, self.source.ops[op.index()]);
        let data = &function[op];
        let present = Side::BOTH.map(|side| self.demand.is_present(side, op));
        let mark = match present {
            [true, true] => "on both sides",
            [true, false] => "on the host",
            _ => "in the graph",
        };
        let reason = match (data.kind, present) {
            (Kind::Graph, _) => format!("{} is a graph operation", words(source)),
            (Kind::Host, _) => format!("{} has no equivalent in a graph", words(source)),
            (Kind::Abort, _) => format!("{} ends the program", words(source)),
            (Kind::End, _) => format!("{} passes the results to the caller", words(source)),
            (_, [true, true]) => {
                format!("each side has operations or transfers in {}", words(source))
            }
            _ => format!("only this side has operations in {}", words(source)),
        };
        let message = format!("{mark}: {reason}");
        let mut remark = diag::remark(source.location(), message);
        for side in Side::BOTH {
            if !data.kind.has_regions() || !present[side as usize] {
                continue;
            }
            remark = match self.first_inside(side, op) {
                Some(inner) => {
                    let inner = self.source.ops[inner.index()];
                    let message = format!("{} has it for {}", name(side), words(inner));
                    remark.note(inner.location(), message)
                }
                None => {
                    let message = format!("{} has it for the transfers in it", name(side));
                    remark.note(source.location(), message)
                }
            };
        }
        remark.emit();
    }

    /// Returns the first operation in the regions of an operation that a side runs.
    fn first_inside(&self, side: Side, op: OpId) -> Option<OpId> {
        let function = &self.source.function;
        let mut regions = function[op].regions.iter();
        regions.find_map(|region| {
            let ops = function[*region].ops.iter().copied();
            let mut inner = ops.filter(|inner| function[*inner].kind != Kind::End);
            inner.find(|inner| {
                let results = &function[*inner].results;
                self.demand.is_present(side, *inner)
                    || results
                        .iter()
                        .any(|value| self.demand.is_made(side, *value))
            })
        })
    }

    fn explain_value(&self, value: ValueId, mark: &str, weights: &Weights) {
        let mut remark = self.remark(value, mark);
        for side in Side::BOTH {
            if let Some(user) = self.first_use[side as usize][value.index()] {
                let user = self.source.ops[user.index()];
                let message = format!("{} needs it here, for {}", name(side), words(user));
                remark = remark.note(user.location(), message);
            }
        }
        remark = self.chain(value, remark);
        for other in alternatives(self.demand, weights, value) {
            remark = self.alternative(value, &other, remark);
        }
        remark.emit();
    }

    /// Adds the notes about what another choice would copy.
    fn alternative(
        &self,
        value: ValueId,
        other: &Alternative,
        remark: diag::Diagnostic<'a>,
    ) -> diag::Diagnostic<'a> {
        let location = |value: ValueId| self.source.values[value.index()].location();
        let count = |transfers: &[(ValueId, Side)]| match transfers.len() {
            0 => "no copy".to_owned(),
            1 => "1 copy".to_owned(),
            count => format!("{count} copies"),
        };
        let where_to = match other.side {
            Side::Host => "only on the host",
            Side::Graph => "only in the graph",
        };
        let is_impossible = |(value, _): &(ValueId, Side)| {
            let data = &self.source.function[*value];
            !data.transferable || data.stays
        };
        let message = match other.added.iter().any(is_impossible) {
            true => format!(
                "the minimum cut had no other choice: {where_to}, it would need a value that cannot be copied"
            ),
            false => format!(
                "the minimum cut had a choice: {where_to}, it would add {} and save {}",
                count(&other.added),
                count(&other.removed)
            ),
        };
        let mut remark = remark.note(location(value), message);
        let added = other
            .added
            .iter()
            .map(|transfer| (transfer, "would be copied"));
        let removed = other
            .removed
            .iter()
            .map(|transfer| (transfer, "would not be copied"));
        for ((value, receiver), what) in added.chain(removed).take(STEPS) {
            let message = format!("{where_to}, this {what} to {}", name(*receiver));
            remark = remark.note(location(*value), message);
        }
        remark
    }

    /// Adds the chain from a value that one side alone has to what the other side lacks.
    fn chain(&self, value: ValueId, mut remark: diag::Diagnostic<'a>) -> diag::Diagnostic<'a> {
        let lacking = match Side::BOTH.map(|side| self.demand.is_made(side, value)) {
            [true, false] => Side::Graph,
            [false, true] => Side::Host,
            _ => return remark,
        };
        let mut at = value;
        for _ in 0..STEPS {
            let place = self.source.values[at.index()].location();
            if let Some(end) = self.end_of_explanation(at, lacking) {
                remark = remark.note(place, end);
                break;
            }
            let Some(next) = self.blocking_source(at, lacking) else {
                break;
            };
            let to = self.source.values[next.index()].location();
            let message = format!(
                "{} does not compute it because it depends on this, which only {} has",
                name(lacking),
                name(lacking.other())
            );
            remark = remark.note(to, message);
            at = next;
        }
        remark
    }

    /// Explains why a side cannot compute a value, if its operands are not the reason.
    fn end_of_explanation(&self, value: ValueId, side: Side) -> Option<String> {
        if self.is_before_start(value) {
            return Some("the host has it before the graph starts, so it is an input".to_owned());
        }
        if !self.source.function[value].transferable {
            return Some("a graph has no values of this type".to_owned());
        }
        if let Some(pinned) = self.pinned(value) {
            return Some(format!("replication stops here: {pinned}"));
        }
        let once = self.demand.choice().origins.is_decided_once(value);
        let free = self.demand.choice().origins.is_free_on(side, value);
        if once {
            return Some("it decides control flow, and the sides could round it differently, so only one side computes it".to_owned());
        }
        free.then(|| format!("{} could compute it, but does not need it", name(side)))
    }

    /// Returns a dependence of a value that a side does not have by itself.
    fn blocking_source(&self, value: ValueId, side: Side) -> Option<ValueId> {
        let function = &self.source.function;
        let origins = &self.demand.choice().origins;
        let mut blocking = None;
        let mut look = |source: ValueId| {
            let before = self.is_before_start(source);
            if blocking.is_none() && !before && source != value && !origins.is_free_on(side, source)
            {
                blocking = Some(source);
            }
        };
        function.sources(value, |source, _| look(source.value));
        if let Some(around) = function.around(value) {
            function.controls(around, |control, _| look(control.value));
        }
        blocking
    }

    fn remark(&self, value: ValueId, mark: &str) -> diag::Diagnostic<'a> {
        let location = self.source.values[value.index()].location();
        let ty = self.source.values[value.index()].ty();
        diag::remark(location, format!("{mark}: {ty}: {}", self.reason(value)))
    }

    /// Describes how a value gets to the sides; none if it is on neither.
    fn mark(&self, value: ValueId) -> Option<String> {
        let channels = &self.channels[value.index()];
        if let Some(&(_, receiver)) = channels.first() {
            let to = match receiver {
                Side::Host => "sent to the host",
                Side::Graph => "received by the graph",
            };
            let numbers: Vec<String> = channels.iter().map(|(id, _)| id.to_string()).collect();
            let plural = if numbers.len() > 1 { "s" } else { "" };
            let result = match self.results[value.index()] {
                true => ", and result of the graph",
                false => "",
            };
            let numbers = numbers.join(", ");
            return Some(format!("{to} on channel{plural} {numbers}{result}"));
        }
        if self.results[value.index()] {
            return Some("result of the graph".to_owned());
        }
        if self.plan.inputs.binary_search(&value).is_ok() {
            return Some("input of the graph".to_owned());
        }
        let made = Side::BOTH.map(|side| self.demand.is_made(side, value));
        let mark = match made {
            [true, true] => "replicated on both sides",
            [true, false] => "on the host",
            [false, true] if self.is_moved(value) => "moved to the graph",
            [false, true] => "in the graph",
            [false, false] => return None,
        };
        Some(mark.to_owned())
    }

    /// Host code that only the graph needs.
    fn is_moved(&self, value: ValueId) -> bool {
        self.op(value)
            .is_some_and(|op| op.dialect() != "tfx_tensor")
            && self.pinned(value).is_none()
    }

    /// Explains the side of a value.
    fn reason(&self, value: ValueId) -> String {
        let made = Side::BOTH.map(|side| self.demand.is_made(side, value));
        let makes = match self.pinned(value) {
            Some(pinned) => pinned,
            None if self.is_before_start(value) => {
                "the host has it before the graph starts".to_owned()
            }
            None if self.demand.choice().origins.is_decided_once(value) => {
                "it decides control flow, and the sides could round it differently".to_owned()
            }
            None if made == [true, true] => {
                "both sides need it, and each can compute it from the values that it has".to_owned()
            }
            None => {
                let maker = if made[0] { Side::Host } else { Side::Graph };
                if self.blocking_source(value, maker.other()).is_some() {
                    format!("it depends on values that only {} has", name(maker))
                } else {
                    format!("only {} needs it", name(maker))
                }
            }
        };
        let receiver = match (
            self.channels[value.index()].first(),
            self.results[value.index()],
        ) {
            (Some(&(_, receiver)), _) => receiver,
            (None, true) => Side::Host,
            (None, false) if self.plan.inputs.binary_search(&value).is_ok() => Side::Graph,
            _ => return makes,
        };
        match self.first_use[receiver as usize][value.index()] {
            Some(user) => {
                let user = words(self.source.ops[user.index()]);
                format!("{makes}; {} needs it for {user}", name(receiver))
            }
            None => makes,
        }
    }

    /// Explains why only one side can compute a value, whatever it depends on.
    fn pinned(&self, value: ValueId) -> Option<String> {
        let Def::Result(op, _) = self.source.function[value].def else {
            return None;
        };
        if self.is_before_start(value) {
            return None;
        }
        if let Some(callee) = self.source.graph_calls.get(&op) {
            let name = callee.function;
            return Some(format!("a call of the graph function '@{name}'"));
        }
        let source = self.source.ops[op.index()];
        match self.source.function[op].kind {
            Kind::Graph => Some(format!("{} is a graph operation", words(source))),
            Kind::Host => Some(format!("{} has no equivalent in a graph", words(source))),
            _ => None,
        }
    }

    fn is_before_start(&self, value: ValueId) -> bool {
        let facts = self.demand.facts();
        facts.is_before_start(&self.source.function, value)
    }

    /// Returns the operation that a value is a result of.
    fn op(&self, value: ValueId) -> Option<Op<'a>> {
        match self.source.function[value].def {
            Def::Result(op, _) => Some(self.source.ops[op.index()]),
            Def::Argument(..) => None,
        }
    }
}

/// Returns whether the place of a location is `line` or `line:column`.
fn is_at(location: Location<'_>, wanted: &str) -> bool {
    location::place(location).is_some_and(|place| {
        let (line, column) = (place.line.to_string(), place.column.to_string());
        wanted == line || wanted.split_once(':') == Some((&line, &column))
    })
}

/// Returns whether an operation has a name, or calls a function with it.
fn is_named(op: Op<'_>, wanted: &str) -> bool {
    let names = [Some(op.name()), op.string("tf_name"), op.symbol("callee")];
    names.contains(&Some(wanted))
}

fn name(side: Side) -> &'static str {
    match side {
        Side::Host => "the host",
        Side::Graph => "the graph",
    }
}

/// Describes an operation to a user.
fn words(op: Op<'_>) -> String {
    match op.name() {
        tensor::Op::NAME => format!("\"{}\"", op.string("tf_name").unwrap_or_default()),
        func::Call::NAME | tensor::Call::NAME => {
            format!("the call of '@{}'", op.symbol("callee").unwrap_or_default())
        }
        scf::Yield::NAME => "the terminator of its region".to_owned(),
        scf::Condition::NAME => "the condition of its loop".to_owned(),
        func::Return::NAME => "the return".to_owned(),
        name => format!("'{name}'"),
    }
}
