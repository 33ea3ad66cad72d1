//! Command lists, and those that are verified.

use std::fmt;

use tfx_schedule::{CommandId, Schedule, check};

/// The part of a command that the checker does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Nothing more.
    #[default]
    None,
    /// The name of a kernel, or of a function of the host.
    Kernel(String),
    /// The bytes that a fill repeats.
    Fill(Vec<u8>),
    /// The host reads a decision: true if the first byte of the buffer is not zero.
    Decide,
    /// The decisions of a loop.
    Decided {
        /// The command before the loop that decides its first iteration.
        first: CommandId,
        /// The command of the body that decides the next one.
        next: CommandId,
    },
    /// The decision of a branch, by a command before it: the first arm is taken if it is true, and
    /// else the second one.
    Chosen(CommandId),
}

impl Detail {
    /// Returns the detail of a kernel.
    pub fn kernel(name: &str) -> Self {
        Self::Kernel(name.to_string())
    }
}

/// A schedule whose commands have details.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandList {
    schedule: Schedule<Detail>,
}

impl CommandList {
    /// Creates a list.
    pub fn new(schedule: Schedule<Detail>) -> Self {
        Self { schedule }
    }

    /// Returns the schedule.
    pub fn schedule(&self) -> &Schedule<Detail> {
        &self.schedule
    }

    /// Returns the detail of a command.
    pub fn detail(&self, command: CommandId) -> &Detail {
        let detail = self.schedule.places.get(command.0 as usize);
        detail.unwrap_or(&Detail::None)
    }

    /// Returns the command that decides an iteration of a loop, if the list does.
    pub fn decides_iteration(&self, repeated: CommandId, iteration: u64) -> Option<CommandId> {
        match *self.detail(repeated) {
            Detail::Decided { first, .. } if iteration == 0 => Some(first),
            Detail::Decided { next, .. } => Some(next),
            _ => None,
        }
    }

    /// Returns the command that decides the arm of a branch, if the list does.
    pub fn decides_arm(&self, branch: CommandId) -> Option<CommandId> {
        match *self.detail(branch) {
            Detail::Chosen(by) => Some(by),
            _ => None,
        }
    }
}

/// A list that the checker has verified.
#[derive(Clone, Debug)]
pub struct Verified {
    list: CommandList,
}

impl Verified {
    /// Verifies a list.
    ///
    /// # Errors
    ///
    /// The list has a race, a use after free, a deadlock or a wrong value, or is malformed.
    pub fn new(list: CommandList) -> Result<Self, Rejected> {
        let report = check(list.schedule());
        if report.is_verified() {
            return Ok(Self { list });
        }
        let named = Schedule {
            devices: list.schedule.devices.clone(),
            parts: list.schedule.parts.clone(),
            places: (0..list.schedule.places.len())
                .map(|index| match &list.schedule.places[index] {
                    Detail::Kernel(name) => format!("'{name}', command {index}"),
                    _ => format!("command {index}"),
                })
                .collect(),
        };
        let texts = report.diagnostics.iter();
        Err(Rejected {
            problems: texts
                .map(|problem| problem.display(&named).to_string())
                .collect(),
        })
    }

    /// Returns the list.
    pub fn list(&self) -> &CommandList {
        &self.list
    }
}

/// A list that is not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// The problems, at least one.
    pub problems: Vec<String>,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.problems.first().map_or("", String::as_str);
        match self.problems.len() {
            0 | 1 => write!(f, "the command list is not correct: {first}"),
            more => write!(
                f,
                "the command list is not correct: {first}; and {} more",
                more - 1
            ),
        }
    }
}

impl std::error::Error for Rejected {}
