//! The reports of `print-plan` and `explain`: for each value, the side that computes it, its
//! transfer to the other side, and the reason.
//!
//! ```text
//!   a.mlir:7:8   tensor<f32>  sent to the host on channel 0   the graph alone can make it: graph operation "Exp"; the host needs it for 'func.call'
//!   a.mlir:9:8   i32          replicated on both sides        both need it, and each can make it of what it has
//! ```
//!
//! `print-plan` has a line for each value: remarks at the values' locations, or a table on standard
//! error. `explain` selects the values of one operation name (`arith.mulf`, `Exp`, a called
//! function) or one line (`12`, `12:8`); a chain of notes leads from each to the
//! operation that only one side can run.

use tfx_dialects::tensor;
use tfx_ir::ops::{func, scf};

use tfx_ir::{Op, diag, location};

use crate::demand::Demand;
use crate::function::{Def, Kind, OpId, ValueId};
use crate::place::Plan;
use crate::read::Source;
use crate::side::Side;

/// The number of steps of an explanation that are shown: enough to follow it, few enough to be
/// read.
const STEPS: usize = 8;

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

    /// Explains the sides of the values that a name or a line selects. Returns whether there were
    /// any.
    pub(crate) fn explain(&self, wanted: &str) -> bool {
        let mut found = false;
        for value in self.source.function.value_ids() {
            if !self.is_wanted(value, wanted) {
                continue;
            }
            if let Some(mark) = self.mark(value) {
                found = true;
                self.explain_one(value, &mark);
            }
        }
        found
    }

    fn is_wanted(&self, value: ValueId, wanted: &str) -> bool {
        let at = location::place(self.source.values[value.index()].location());
        let by_place = at.is_some_and(|place| {
            let (line, column) = (place.line.to_string(), place.column.to_string());
            wanted == line || wanted.split_once(':') == Some((&line, &column))
        });
        let by_name = self.op(value).is_some_and(|op| {
            let names = [Some(op.name()), op.string("tf_name"), op.symbol("callee")];
            names.contains(&Some(wanted))
        });
        by_place || by_name
    }

    fn explain_one(&self, value: ValueId, mark: &str) {
        let mut remark = self.remark(value, mark);
        for side in Side::BOTH {
            if let Some(user) = self.first_use[side as usize][value.index()] {
                let user = self.source.ops[user.index()];
                let message = format!("{} needs it here, for {}", name(side), words(user));
                remark = remark.note(user.location(), message);
            }
        }
        // A value that is on one side alone depends on something that the other side lacks.
        let lacking = match Side::BOTH.map(|side| self.demand.is_made(side, value)) {
            [true, false] => Side::Graph,
            [false, true] => Side::Host,
            _ => return remark.emit(),
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
        remark.emit();
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
