//! The check of `tfx_stream.access`: what a schedule does with its parameters.
//!
//! ```text
//!   %b {tfx_stream.access = "read"} ──view, scf──► %v ──► launch(%v write)     error
//! ```
//!
//! | access | permitted |
//! |---|---|
//! | `"read"` | reads |
//! | `"write"`, `"scratch"` | writes, workspace, and reads of values that the schedule wrote |
//! | `"update"` | everything |
//!
//! A parameter reaches its uses through views, and through iteration arguments and results of
//! `scf`. The search follows each SSA value once, in any order, so it covers all paths. A part that
//! a call passes the parameter to has a `tfx_stream.access` of its own, which is at most as wide.
//!
//! `tfx-verify-schedule` proves that a read of a named value finds this value. It may be the
//! initial content of the buffer only if it comes from an `input` of the buffer or from a parameter
//! of a part; the same search finds the values that do.
//!
//! Cost: for each parameter with the attribute, linear in the uses of all values that it reaches.

use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute};
use rustc_hash::FxHashSet;
use tfx_dialects::schedules::{self, Mode, ScheduleType};
use tfx_dialects::stream::{Call, Input, Schedule, StreamOp, View};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::scf;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Use, Value, attribute};

/// The attribute of a parameter.
pub(crate) const ACCESS: &str = "tfx_stream.access";

/// Returns an error for each access that a schedule excludes.
pub(crate) fn check<'a>(schedule: Schedule<'a>, symbols: &SymbolTable<'a>) -> Vec<Diagnostic<'a>> {
    let mut errors = Vec::new();
    let body = schedule.body().entry();
    let parameters: Vec<_> = body.map_or(Vec::new(), |body| body.arguments().collect());
    let is_value = |value: &Value<'a>| ScheduleType::of(value.ty()) == Some(ScheduleType::Value);
    let given = reached(parameters.iter().copied().filter(is_value).collect());
    let given = given.into_iter().collect();
    for (index, parameter) in parameters.into_iter().enumerate() {
        if let Some(access) = access_of(schedule, index).filter(|access| *access != "update") {
            let search = Search {
                parameter,
                access,
                given: &given,
                symbols,
            };
            search.run(&mut errors);
        }
    }
    errors
}

/// Returns the access of a parameter.
fn access_of(schedule: Schedule<'_>, index: usize) -> Option<&str> {
    let attributes = ArrayAttribute::try_from(schedule.arg_attrs()?).ok()?;
    let attributes = DictionaryAttribute::try_from(attributes.element(index).ok()?).ok()?;
    attribute::text(attributes.element_by_name(ACCESS)?)
}

/// The search for the accesses of a parameter.
#[derive(Clone, Copy)]
struct Search<'s, 'a> {
    parameter: Value<'a>,
    access: &'a str,
    /// The values that a caller may have passed.
    given: &'s FxHashSet<Value<'a>>,
    symbols: &'s SymbolTable<'a>,
}

impl<'a> Search<'_, 'a> {
    fn run(self, errors: &mut Vec<Diagnostic<'a>>) {
        let mut uses: Vec<Use<'a>> = Vec::new();
        for value in reached(vec![self.parameter]) {
            uses.extend(value.uses());
        }
        let mut found: Vec<_> = uses
            .into_iter()
            .flat_map(|found| self.accesses(found.owner, found.operand))
            .collect();
        errors.append(&mut found);
    }

    /// Returns the errors of one use.
    fn accesses(self, op: Op<'a>, index: usize) -> Vec<Diagnostic<'a>> {
        if let Some(call) = Call::cast(op) {
            return self.call(call, index).into_iter().collect();
        }
        if Input::cast(op).is_some() && self.access != "read" {
            return vec![self.error(op, "reads the initial content of")];
        }
        let operand = op.operand(index);
        let accesses = StreamOp::cast(op).map_or(Vec::new(), schedules::accesses);
        let accesses = accesses.into_iter();
        let mut accesses = accesses.filter(|access| access.buffer == operand);
        let error = accesses.find_map(|access| self.excluded(access));
        error.map(|what| self.error(op, what)).into_iter().collect()
    }

    /// Returns what an access does if it is excluded.
    fn excluded(self, access: schedules::Access<'a>) -> Option<&'static str> {
        if self.access == "read" {
            return match access.mode {
                Mode::Read => None,
                Mode::Write | Mode::Update => Some("writes"),
                Mode::Scratch => Some("uses as workspace"),
            };
        }
        let is_own = access
            .reads
            .is_some_and(|(value, _)| !self.given.contains(&value));
        (access.mode.is_reading() && !is_own).then_some("may read the initial content of")
    }

    /// Checks the parameter of a part.
    fn call(self, call: Call<'a>, index: usize) -> Option<Diagnostic<'a>> {
        let callee = self.symbols.get(call.callee()).and_then(Schedule::cast)?;
        let access = access_of(callee, index);
        let is_permitted = access == Some(self.access)
            || matches!(
                (self.access, access),
                ("write", Some("scratch")) | ("scratch", Some("write"))
            );
        if is_permitted {
            return None;
        }
        let parameter = callee.body().entry().map(|body| body.argument(index));
        let error = self.error(call.op(), "passes on");
        let note = format!("declare this parameter with {ACCESS} = \"{}\"", self.access);
        Some(match parameter {
            Some(parameter) => error.note(parameter.location(), note),
            None => error,
        })
    }

    fn error(self, op: Op<'a>, what: &str) -> Diagnostic<'a> {
        let message = format!(
            "'{}' {what} a buffer with {ACCESS} = \"{}\"",
            op.name(),
            self.access
        );
        diag::error(op.location(), message).note(self.parameter.location(), "this is the buffer")
    }
}

/// Returns the SSA values that may have the buffer or the value of given ones, in the order in
/// which the search finds them.
fn reached(sources: Vec<Value<'_>>) -> Vec<Value<'_>> {
    let mut known = FxHashSet::default();
    let mut list = Vec::new();
    let mut pending = sources;
    while let Some(value) = pending.pop() {
        if known.insert(value) {
            list.push(value);
            for found in value.uses() {
                pending.extend(forwarded(found.owner, found.operand));
            }
        }
    }
    list
}

/// Returns the SSA values that have the buffer or the value of an operand.
fn forwarded<'a>(op: Op<'a>, index: usize) -> Vec<Value<'a>> {
    let mut values = Vec::new();
    let mut argument = |block: Option<tfx_ir::Block<'a>>, index: usize| {
        values.extend(block.and_then(|block| block.arguments().nth(index)));
    };
    if let Some(view) = View::cast(op) {
        return vec![view.result()];
    } else if let Some(call) = Call::cast(op) {
        // A part may return each of the values that it gets.
        let is_value = ScheduleType::of(op.operand(index).ty()) == Some(ScheduleType::Value);
        let results = call.results().filter(|_| is_value);
        return results.collect();
    } else if let Some(op) = scf::For::cast(op) {
        // The bounds and the step precede the initial values, the counter their arguments.
        if let Some(position) = index.checked_sub(3) {
            argument(op.region().entry(), position + 1);
            values.extend(op.results().nth(position));
        }
    } else if let Some(op) = scf::While::cast(op) {
        argument(op.before().entry(), index);
    } else if scf::Condition::cast(op).is_some() {
        if let (Some(parent), Some(position)) =
            (op.parent().and_then(scf::While::cast), index.checked_sub(1))
        {
            argument(parent.after().entry(), position);
            values.extend(parent.results().nth(position));
        }
    } else if scf::Yield::cast(op).is_some()
        && let Some(parent) = op.parent()
    {
        if let Some(parent) = scf::While::cast(parent) {
            argument(parent.before().entry(), index);
        } else {
            if let Some(parent) = scf::For::cast(parent) {
                argument(parent.region().entry(), index + 1);
            }
            values.extend(parent.results().nth(index));
        }
    }
    values
}
