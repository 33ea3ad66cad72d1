//! Executions of a program by the reference interpreter, compared with the behaviour of its source.
//!
//! ```text
//!   a stage ── capacity: as declared, 1, 2 ─ host first, graph first, fair, two random ─┐
//!        └──── capacity: 1 ───────────────── all orders of the first decisions ─────────┴─ source
//! ```
//!
//! A program without concurrent processes runs once.

use anyhow::{Result, anyhow};
use tfx_interpreter::Tensor;
use tfx_ir::Op;
use tfx_oracle::{
    Behaviour, End, Every, Fair, FunctionId, GraphFirst, HostFirst, Library, Limits, Random,
    RandomSchedule, Schedule, Value,
};

use crate::counts::Counts;
use crate::generate::Generated;
use crate::mismatch::Mismatch;
use crate::order::Order;
use crate::world::Foreign;

/// The maximal number of instructions of a source program.
pub(crate) const FUEL: u64 = 300_000;
/// The maximal number of instructions of later stages, which forward more values.
pub(crate) const FUEL_LATER: u64 = 100 * FUEL;
/// The number of first decisions of a schedule of which all combinations are tried.
const DECISIONS: usize = 4;
/// The difference of numbers up to which they count as rounded differently, relative to those from
/// 1 on. Errors of 1e-16 grow in the programs.
const ROUNDING: f64 = 1e-9;
/// The number of random schedules.
const RANDOM_SCHEDULES: u64 = 2;

/// Returns the behaviour of the source, line by line and in canonical order, for each list of
/// arguments, or `None` if it runs out of fuel.
///
/// # Errors
/// The program is not well defined.
pub(crate) fn source_behaviour(
    module: Op<'_>,
    generated: &Generated,
) -> Result<Option<Vec<Vec<String>>>, Mismatch> {
    let library = &Library::new(module);
    let order = Order::of(&generated.text);
    let limits = Limits {
        fuel: FUEL,
        ..Limits::default()
    };
    let mut all = Vec::new();
    for arguments in &generated.arguments {
        let behaviour = run(library, MAIN, arguments, &mut HostFirst, limits)?;
        match behaviour.end {
            End::OutOfFuel => return Ok(None),
            End::Failed(_) if is_division_error(&behaviour.end) => {
                all.push(order.canonical(observable(&behaviour)));
            }
            End::Failed(_) | End::Misfit(_) => {
                return Err(Mismatch::new(
                    "source",
                    format!("the program is not well defined: {}", behaviour.end),
                ));
            }
            End::Returned(_) | End::Aborted(..) => {
                all.push(order.canonical(observable(&behaviour)))
            }
        }
    }
    Ok(Some(all))
}

/// The name of the main function of a program.
pub(crate) const MAIN: &str = "main";

/// A stage, with one list of arguments.
pub(crate) struct Runs<'r, 'a> {
    pub(crate) library: &'r Library<'a>,
    /// The function that is called.
    pub(crate) entry: &'r str,
    pub(crate) arguments: &'r [Tensor],
    /// The behaviour of the source, line by line, in canonical order.
    pub(crate) expected: &'r [String],
    pub(crate) order: &'r Order,
}

impl Runs<'_, '_> {
    /// Compares the behaviour under all schedules and capacities.
    ///
    /// # Errors
    /// The first line that differs, and the schedule.
    pub(crate) fn compare(&self, counts: &mut Counts) -> Result<()> {
        for capacity in [None, Some(1), Some(2)] {
            for (name, mut schedule) in schedules() {
                let steps = self
                    .compare_under(&mut *schedule, capacity, counts)
                    .map_err(|what| anyhow!("{what} (schedule: {name}; capacity: {capacity:?})"))?;
                if steps == 0 {
                    return Ok(());
                }
            }
        }
        let mut every = Every::new(DECISIONS);
        loop {
            self.compare_under(&mut every, Some(1), counts)
                .map_err(|what| anyhow!("{what} (schedule: {every:?}; capacity: 1)"))?;
            if !every.advance() {
                return Ok(());
            }
        }
    }

    /// Compares the behaviour under two schedules.
    ///
    /// # Errors
    /// The first line that differs, and the schedule.
    pub(crate) fn compare_briefly(&self, counts: &mut Counts) -> Result<()> {
        let orders: [(&str, &mut dyn Schedule); 2] = [
            ("host first", &mut HostFirst),
            ("fair", &mut Fair::default()),
        ];
        for (name, schedule) in orders {
            self.compare_under(schedule, Some(1), counts)
                .map_err(|what| anyhow!("{what} (schedule: {name}; capacity: 1)"))?;
        }
        Ok(())
    }

    /// Compares one execution, and returns the number of its steps.
    fn compare_under(
        &self,
        schedule: &mut dyn Schedule,
        capacity: Option<usize>,
        counts: &mut Counts,
    ) -> Result<u64> {
        let limits = Limits {
            fuel: FUEL_LATER,
            capacity,
            ..Limits::default()
        };
        let behaviour = run(self.library, self.entry, self.arguments, schedule, limits)
            .map_err(|mismatch| anyhow!(mismatch.what))?;
        if behaviour.steps > 0 {
            counts.schedules += 1;
            counts.steps += behaviour.steps;
        }
        match first_difference(self.expected, &self.order.canonical(observable(&behaviour))) {
            Some(what) => Err(anyhow!(what)),
            None => Ok(behaviour.steps),
        }
    }
}

/// Returns one schedule of each kind, and some random ones.
fn schedules() -> Vec<(String, Box<dyn Schedule>)> {
    let mut all: Vec<(String, Box<dyn Schedule>)> = vec![
        ("host first".to_owned(), Box::new(HostFirst)),
        ("graph first".to_owned(), Box::new(GraphFirst)),
        ("fair".to_owned(), Box::new(Fair::default())),
    ];
    for seed in 0..RANDOM_SCHEDULES {
        let schedule = RandomSchedule(Random::new(seed));
        all.push((format!("random {seed}"), Box::new(schedule)));
    }
    all
}

/// Returns whether a program ended by a division error, which is observable behaviour.
fn is_division_error(end: &End<'_>) -> bool {
    matches!(end, End::Failed(failure) if is_division(&failure.error.to_string()))
}

/// Returns whether a message is that of a division error.
pub(crate) fn is_division(message: &str) -> bool {
    DIVISIONS.iter().any(|known| message.starts_with(known))
}

/// The messages of division errors: of the host, in the interpreter and in compiled code, and of a
/// graph, which has one message for both errors (TensorFlow appends the operation).
const DIVISIONS: [&str; 3] = [
    "division by zero",
    "the quotient is too large for its type",
    "Integer division by zero",
];

/// The end of a program with a division error, on either side.
pub(crate) const DIVIDED: &str = "aborted: division error";

/// Returns the observable behaviour: the trace and the end, line by line.
fn observable(behaviour: &Behaviour<'_>) -> Vec<String> {
    let end = match &behaviour.end {
        // Compiled code ends by a division error in the same way as by an abort.
        end if is_division_error(end) => DIVIDED.to_owned(),
        end => end.to_string(),
    };
    let trace = behaviour.trace.iter().flat_map(|line| line.lines());
    trace.chain(end.lines()).map(str::to_owned).collect()
}

/// Describes the first line in which two lists differ.
pub(crate) fn first_difference(
    expected: &[impl AsRef<str>],
    found: &[impl AsRef<str>],
) -> Option<String> {
    first_other(expected, found, |expected, found| expected == found)
}

/// Describes the first line in which two lists differ by more than the rounding of numbers.
pub(crate) fn first_difference_of_numbers(
    expected: &[impl AsRef<str>],
    found: &[impl AsRef<str>],
) -> Option<String> {
    first_other(expected, found, |expected, found| {
        // A shorter number is padded before a bracket.
        let spaced = [expected, found].map(|line| line.replace('[', " [ ").replace(']', " ] "));
        let mut words = spaced.each_ref().map(|line| line.split_whitespace());
        loop {
            match words.each_mut().map(Iterator::next) {
                [None, None] => return true,
                [Some(one), Some(other)] if is_close(one, other) => {}
                _ => return false,
            }
        }
    })
}

/// Returns whether two words are equal, or numbers with a point that are rounded differently.
fn is_close(one: &str, other: &str) -> bool {
    let number = |word: &str| {
        let number = word.trim_end_matches(',');
        let number = number.contains('.').then(|| number.parse().ok()).flatten();
        number.filter(|number: &f64| number.is_finite())
    };
    match (number(one), number(other)) {
        (Some(one), Some(other)) => (one - other).abs() <= ROUNDING * one.abs().max(1.0),
        _ => one == other,
    }
}

fn first_other(
    expected: &[impl AsRef<str>],
    found: &[impl AsRef<str>],
    is_same: impl Fn(&str, &str) -> bool,
) -> Option<String> {
    let both = expected.len().max(found.len());
    let expected_at = |line: usize| expected.get(line).map(AsRef::as_ref);
    let found_at = |line: usize| found.get(line).map(AsRef::as_ref);
    let line = (0..both).find(|&line| match (expected_at(line), found_at(line)) {
        (Some(expected), Some(found)) => !is_same(expected, found),
        _ => true,
    })?;
    Some(format!(
        "line {}: expected '{}', found '{}'",
        line + 1,
        expected_at(line).unwrap_or("nothing"),
        found_at(line).unwrap_or("nothing")
    ))
}

/// Runs a function with a list of arguments.
///
/// # Errors
/// The function does not exist, or the arguments do not match its parameters.
pub(crate) fn run<'a>(
    library: &Library<'a>,
    entry: &str,
    arguments: &[Tensor],
    schedule: &mut dyn Schedule,
    limits: Limits,
) -> Result<Behaviour<'a>, Mismatch> {
    let lost = |what: &str| Mismatch::new("source", what.to_owned());
    let main: FunctionId = library
        .function(entry)
        .ok_or_else(|| lost(&format!("there is no '@{entry}'")))?;
    let types = library.parameters(main);
    let values = arguments.iter().zip(types);
    let values: Result<_, _> = values
        .map(|(tensor, ty)| Value::given(tensor, ty))
        .collect();
    let values = values.map_err(|error: tfx_oracle::Error| lost(&error.to_string()))?;
    Ok(run_values(library, main, values, schedule, limits))
}

/// Runs a function on values.
pub(crate) fn run_values<'a>(
    library: &Library<'a>,
    function: FunctionId,
    values: Vec<Value<'a>>,
    schedule: &mut dyn Schedule,
    limits: Limits,
) -> Behaviour<'a> {
    let mut world = Foreign::default();
    tfx_oracle::run(library, function, values, &mut world, schedule, limits)
}
