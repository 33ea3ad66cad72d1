//! One program through all oracles.
//!
//! ```text
//!   source ─> deabstracted ─> structured ─> partitioned ─> packed ─> legalized ─> LLVM, run in a process of its own
//!     │            │              │             │            │           │         │
//!     └────────────┴──────── the same trace and the same end ┴───────────┴─────────┘
//!                                               └────────────┴───────────┴── for every capacity and every schedule
//! ```
//!
//! A copy of what is packed goes on through the stages for XLA: strip-mined, legalized, clustered. After each stage the module is also verified, and read back from text and from bytecode; deabstraction is run a second time; some programs go through
//! all stages again with threads. Of what is partitioned, copy analysis must warn of each round trip that a run makes: see `copies.rs`.

use std::fmt;

use melior::Context;
use tfx::{Program, Source, pipelines};
use tfx_interpreter::Tensor;
use tfx_ir::module;
use tfx_ir::replicable::is_eager;
use tfx_oracle::{
    Behaviour, End, Every, Fair, FunctionId, GraphFirst, HostFirst, Library, Limits, Random,
    RandomSchedule, Schedule, Value,
};

use crate::compiled::Runner;
use crate::copies::{self, Copies};
use crate::generate::Generated;
use crate::threads;
use crate::world::Foreign;

/// What is wrong with a stage of a program.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The stage.
    pub stage: String,
    /// What differs, the first line of it.
    pub what: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.stage, self.what)
    }
}

/// What was checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Runs of a host with its graphs under some schedule.
    pub schedules: u64,
    /// Turns that they took.
    pub turns: u64,
    /// Programs that run longer than their fuel, which are not checked.
    pub endless: u64,
    /// Programs that have a graph after partition.
    pub with_graph: u64,
    /// Programs that are not the same text when they are deabstracted once more.
    pub unstable: u64,
    /// What copy analysis says of them, and what they do.
    pub copies: Copies,
}

impl Counts {
    /// Adds what another one has.
    pub fn add(&mut self, other: &Counts) {
        let all = self.all().into_iter().zip(other.all());
        *self = Counts::from_all(all.map(|(one, other)| one + other)).unwrap_or_default();
    }

    /// All numbers, in one order.
    pub(crate) fn all(&self) -> [u64; 10] {
        let copies = &self.copies;
        [
            self.schedules,
            self.turns,
            self.endless,
            self.with_graph,
            self.unstable,
            copies.sends,
            copies.trips,
            copies.warned,
            copies.warned_idle,
            copies.warned_without,
        ]
    }

    /// From all numbers in that order.
    pub(crate) fn from_all(mut numbers: impl Iterator<Item = u64>) -> Option<Self> {
        let mut next = || numbers.next();
        Some(Counts {
            schedules: next()?,
            turns: next()?,
            endless: next()?,
            with_graph: next()?,
            unstable: next()?,
            copies: Copies {
                sends: next()?,
                trips: next()?,
                warned: next()?,
                warned_idle: next()?,
                warned_without: next()?,
            },
        })
    }
}

/// How many instructions a source program may take, and how many more its later stages.
pub(crate) const FUEL: u64 = 300_000;
/// Later stages carry more values round, but not so many more.
const FUEL_LATER: u64 = 100 * FUEL;
/// The first decisions of a schedule, of which all combinations are tried.
const DECISIONS: usize = 4;
/// One program in so many is also run with threads, which takes a process.
const THREADED: usize = 4;
/// How many seeds of schedules by chance are tried.
const RANDOM_SCHEDULES: u64 = 2;

/// What a program shows: its trace and its end, line by line.
fn shown(behaviour: &Behaviour<'_>) -> Vec<String> {
    let trace = behaviour.trace.iter().flat_map(|line| line.lines());
    let end = behaviour.end.to_string();
    let lines = trace
        .map(str::to_owned)
        .chain(end.lines().map(str::to_owned));
    lines.collect()
}

/// The first line in which two lists differ.
fn first_difference(expected: &[String], found: &[String]) -> Option<String> {
    let position =
        (0..expected.len().max(found.len())).find(|&line| expected.get(line) != found.get(line))?;
    let at = |list: &[String]| {
        list.get(position)
            .cloned()
            .unwrap_or_else(|| "nothing".to_owned())
    };
    Some(format!(
        "line {}: the source says '{}', here it is '{}'",
        position + 1,
        at(expected),
        at(found)
    ))
}

/// After partition, tensor operations are in graphs, but for those that the host runs by itself.
fn placed(program: &Program<'_>) -> Result<(), Mismatch> {
    let functions = module::as_op(program.module()).children();
    let mut on_host = functions
        .filter(|op| op.is("func.func"))
        .flat_map(|function| function.walk())
        .filter(|&op| op.is("tfx_tensor.op") && !is_eager(op));
    match on_host.next() {
        Some(op) => Err(Mismatch {
            stage: "partitioned".to_owned(),
            what: format!("an operation of a graph is left on the host: {op}"),
        }),
        None => Ok(()),
    }
}

/// How far a program is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Deabstraction alone.
    Deabstracted,
    /// Up to structured control flow.
    Structured,
    /// Up to packed messages.
    Partitioned,
    /// All stages.
    #[default]
    All,
}

impl std::str::FromStr for Depth {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "deabstracted" => Depth::Deabstracted,
            "structured" => Depth::Structured,
            "partitioned" => Depth::Partitioned,
            "all" => Depth::All,
            _ => return Err(format!("there is no stage '{text}'")),
        })
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Depth::Deabstracted => "deabstracted",
            Depth::Structured => "structured",
            Depth::Partitioned => "partitioned",
            Depth::All => "all",
        })
    }
}

/// Checks programs, with what they share.
pub struct Checker<'c> {
    context: &'c Context,
    runner: Option<&'c Runner>,
    /// How far programs are checked.
    pub depth: Depth,
    /// What was checked so far.
    pub counts: Counts,
}

impl fmt::Debug for Checker<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Checker")
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

impl<'c> Checker<'c> {
    /// One that also runs compiled code, if there is a runner.
    pub fn new(context: &'c Context, runner: Option<&'c Runner>) -> Self {
        Checker {
            context,
            runner,
            depth: Depth::All,
            counts: Counts::default(),
        }
    }

    /// Checks what copy analysis says of a program, and no more.
    ///
    /// # Errors
    /// A round trip that is not warned of.
    pub fn check_copies(&mut self, generated: &Generated) -> Result<(), Mismatch> {
        let mut program = self.parse("source", &generated.text)?;
        let passes = format!(
            "{},{},{}",
            pipelines::DEABSTRACT,
            pipelines::STRUCTURE,
            pipelines::PARTITION
        );
        // A program that is rejected has no copies; that it is, is for `check` to say.
        match program.run(&passes) {
            Ok(_) => self.copies(&mut program, generated),
            Err(_) => Ok(()),
        }
    }

    fn copies(&mut self, program: &mut Program<'c>, generated: &Generated) -> Result<(), Mismatch> {
        let has_graph = module::as_op(program.module())
            .walk()
            .any(|op| op.is("tfx_comm.start"));
        if has_graph {
            self.counts.with_graph += 1;
            self.counts.copies = copies::check(program, generated)?;
        }
        Ok(())
    }

    /// Checks one program.
    ///
    /// # Errors
    /// The first stage that does not do what the source does.
    pub fn check(&mut self, generated: &Generated) -> Result<(), Mismatch> {
        let mut program = self.parse("source", &generated.text)?;
        let Some(expected) = self.expected(&program, generated)? else {
            self.counts.endless += 1;
            return Ok(());
        };
        self.stage(
            &mut program,
            "deabstracted",
            pipelines::DEABSTRACT,
            generated,
            &expected,
        )?;
        self.again(&program, generated, &expected)?;
        if self.depth == Depth::Deabstracted {
            return Ok(());
        }
        self.stage(
            &mut program,
            "structured",
            pipelines::STRUCTURE,
            generated,
            &expected,
        )?;
        if self.depth == Depth::Structured {
            return Ok(());
        }
        self.stage(
            &mut program,
            "partitioned",
            pipelines::PARTITION,
            generated,
            &expected,
        )?;
        placed(&program)?;
        self.copies(&mut program, generated)?;
        self.stage(
            &mut program,
            "packed",
            pipelines::PACK,
            generated,
            &expected,
        )?;
        if self.depth == Depth::Partitioned {
            return Ok(());
        }
        self.for_xla(&program, generated, &expected)?;
        self.stage(
            &mut program,
            "legalized",
            pipelines::LEGALIZE,
            generated,
            &expected,
        )?;
        if generated.text.len().is_multiple_of(THREADED) {
            self.threads(&program, generated)?;
        }
        if let Some(runner) = self.runner {
            let failed = |what: String| Mismatch {
                stage: "compiled".to_owned(),
                what,
            };
            let lower = pipelines::lower("main");
            program
                .run(&lower)
                .map_err(|error| failed(format!("it is rejected: {error}")))?;
            let found = runner
                .run(program.module(), &generated.arguments)
                .map_err(&failed)?;
            for (expected, found) in expected.iter().zip(&found) {
                if let Some(what) = first_difference(expected, found) {
                    return Err(failed(what));
                }
            }
        }
        Ok(())
    }

    /// What is done for XLA changes nothing: a copy of a packed program goes that way.
    fn for_xla(
        &mut self,
        packed: &Program<'c>,
        generated: &Generated,
        expected: &[Vec<String>],
    ) -> Result<(), Mismatch> {
        let text = module::as_op(packed.module()).to_string();
        let mut copy = self.parse("packed", &text)?;
        for (name, passes) in [
            ("strip-mined", pipelines::STRIP_MINE),
            ("strip-mined and legalized", pipelines::LEGALIZE),
            ("clustered", pipelines::CLUSTER_XLA),
        ] {
            self.stage(&mut copy, name, passes, generated, expected)?;
        }
        Ok(())
    }

    /// Threads change nothing.
    fn threads(&self, program: &Program<'c>, generated: &Generated) -> Result<(), Mismatch> {
        let failed = |what: String| Mismatch {
            stage: "threads".to_owned(),
            what,
        };
        let text = module::as_op(program.module()).to_string();
        let threaded = threads::legalized(self.context, &generated.text).map_err(failed)?;
        match first_difference(&lines(&text), &lines(&threaded)) {
            Some(what) => Err(failed(what)),
            None => Ok(()),
        }
    }

    /// Deabstraction finds nothing to do a second time. Where it does, and the program shows the same, that is counted; where faults are looked
    /// for in a pass family alone, it is a mismatch as well.
    fn again(
        &mut self,
        program: &Program<'c>,
        generated: &Generated,
        expected: &[Vec<String>],
    ) -> Result<(), Mismatch> {
        const STAGE: &str = "deabstracted twice";
        let once = module::as_op(program.module());
        let mut copy = self.parse(STAGE, &once.to_string())?;
        self.stage(&mut copy, STAGE, pipelines::DEABSTRACT, generated, expected)?;
        // Declarations that only dead code needed may go.
        let twice = module::as_op(copy.module());
        for function in twice.children().filter(|op| op.is("func.func")) {
            let before = once
                .children()
                .find(|op| op.symbol_name() == function.symbol_name());
            let before = before.map(|op| op.to_string()).unwrap_or_default();
            let Some(what) = first_difference(&lines(&before), &lines(&function.to_string()))
            else {
                continue;
            };
            if self.depth != Depth::All {
                return Err(Mismatch {
                    stage: STAGE.to_owned(),
                    what: format!("it is not stable: {what}"),
                });
            }
            self.counts.unstable = 1;
        }
        Ok(())
    }

    fn parse(&self, stage: &str, text: &str) -> Result<Program<'c>, Mismatch> {
        let parsed = Source::new("random.mlir", text).parse(self.context);
        parsed.map_err(|error| Mismatch {
            stage: stage.to_owned(),
            what: format!("it does not parse: {error}"),
        })
    }

    /// What the source shows, for each list of arguments; nothing where it takes too long.
    fn expected(
        &self,
        program: &Program<'c>,
        generated: &Generated,
    ) -> Result<Option<Vec<Vec<String>>>, Mismatch> {
        let limits = Limits {
            fuel: FUEL,
            ..Limits::default()
        };
        let library = Library::new(module::as_op(program.module()));
        let mut all = Vec::new();
        for call in 0..generated.arguments.len() {
            let arguments = &generated.arguments[call];
            let behaviour = run(&library, arguments, &mut HostFirst, limits)?;
            match behaviour.end {
                End::OutOfFuel => return Ok(None),
                End::Failed(_) | End::Misfit(_) => {
                    return Err(Mismatch {
                        stage: "source".to_owned(),
                        what: format!("the program is not well defined: {}", behaviour.end),
                    });
                }
                End::Returned(_) | End::Aborted(..) => all.push(shown(&behaviour)),
            }
        }
        Ok(Some(all))
    }

    /// Runs passes, and compares.
    fn stage(
        &mut self,
        program: &mut Program<'c>,
        name: &str,
        passes: &str,
        generated: &Generated,
        expected: &[Vec<String>],
    ) -> Result<(), Mismatch> {
        let failed = |what: String| Mismatch {
            stage: name.to_owned(),
            what,
        };
        program
            .run(passes)
            .map_err(|error| failed(format!("it is rejected: {error}")))?;
        self.round_trips(program, name)?;
        let library = Library::new(module::as_op(program.module()));
        for (call, expected) in expected.iter().enumerate() {
            self.schedules(&library, generated, call, expected)
                .map_err(failed)?;
        }
        Ok(())
    }

    /// A module is read again as it was written, as text and as bytecode.
    fn round_trips(&self, program: &Program<'c>, name: &str) -> Result<(), Mismatch> {
        let failed = |what: String| Mismatch {
            stage: name.to_owned(),
            what,
        };
        let text = module::as_op(program.module()).to_string();
        let parsed = self.parse(name, &text)?;
        let again = module::as_op(parsed.module()).to_string();
        if let Some(what) = first_difference(&lines(&text), &lines(&again)) {
            return Err(failed(format!(
                "it does not print as it was parsed: {what}"
            )));
        }
        let bytes = module::bytecode(program.module());
        let read = module::parse_bytecode(self.context, &bytes, "random.mlirbc")
            .ok_or_else(|| failed("its bytecode cannot be read".to_owned()))?;
        let again = module::as_op(&read).to_string();
        match first_difference(&lines(&text), &lines(&again)) {
            Some(what) => Err(failed(format!("its bytecode is another program: {what}"))),
            None => Ok(()),
        }
    }

    /// Compares under all schedules and capacities; one run, where nothing runs side by side.
    fn schedules(
        &mut self,
        library: &Library<'_>,
        generated: &Generated,
        call: usize,
        expected: &[String],
    ) -> Result<(), String> {
        for capacity in [None, Some(1), Some(2)] {
            let mut named: Vec<(String, Box<dyn Schedule>)> = vec![
                ("host first".to_owned(), Box::new(HostFirst)),
                ("graph first".to_owned(), Box::new(GraphFirst)),
                ("fair".to_owned(), Box::new(Fair::default())),
            ];
            for seed in 0..RANDOM_SCHEDULES {
                let schedule = RandomSchedule(Random::new(seed));
                named.push((format!("random {seed}"), Box::new(schedule)));
            }
            for (name, schedule) in &mut named {
                let turns = self
                    .compare(
                        library,
                        generated,
                        call,
                        expected,
                        &mut **schedule,
                        capacity,
                    )
                    .map_err(|what| format!("{what} (schedule: {name}; capacity: {capacity:?})"))?;
                if turns == 0 {
                    return Ok(());
                }
            }
        }
        let mut every = Every::new(DECISIONS);
        loop {
            self.compare(library, generated, call, expected, &mut every, Some(1))
                .map_err(|what| format!("{what} (schedule: {every:?}; capacity: 1)"))?;
            if !every.advance() {
                return Ok(());
            }
        }
    }

    fn compare(
        &mut self,
        library: &Library<'_>,
        generated: &Generated,
        call: usize,
        expected: &[String],
        schedule: &mut dyn Schedule,
        capacity: Option<usize>,
    ) -> Result<u64, String> {
        let limits = Limits {
            fuel: FUEL_LATER,
            capacity,
            follow: false,
        };
        let behaviour = run(library, &generated.arguments[call], schedule, limits)
            .map_err(|mismatch| mismatch.what)?;
        if behaviour.turns > 0 {
            self.counts.schedules += 1;
            self.counts.turns += behaviour.turns;
        }
        match first_difference(expected, &shown(&behaviour)) {
            Some(what) => Err(what),
            None => Ok(behaviour.turns),
        }
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// Runs the main function with a list of arguments.
pub(crate) fn run<'a>(
    library: &Library<'a>,
    arguments: &[Tensor],
    schedule: &mut dyn Schedule,
    limits: Limits,
) -> Result<Behaviour<'a>, Mismatch> {
    let lost = |what: &str| Mismatch {
        stage: "source".to_owned(),
        what: what.to_owned(),
    };
    let main: FunctionId = library
        .function("main")
        .ok_or_else(|| lost("there is no '@main'"))?;
    let types = library.parameters(main);
    let values = arguments.iter().zip(types);
    let values: Result<_, _> = values
        .map(|(tensor, ty)| Value::given(tensor, ty))
        .collect();
    let values = values.map_err(|why| lost(&why))?;
    Ok(tfx_oracle::run(
        library,
        main,
        values,
        &mut Foreign::default(),
        schedule,
        limits,
    ))
}
