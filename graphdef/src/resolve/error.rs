//! What can be wrong with a use of an operation, in words that say what to write instead.

use std::fmt;

use thiserror::Error;

use super::{bindings::Origin, kind::Kind};
use crate::{element::display_name, proto::DataType};

/// Which values an error speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What goes in.
    Operand,
    /// What comes out.
    Result,
}

impl Side {
    fn verb(self) -> &'static str {
        match self {
            Self::Operand => "takes",
            Self::Result => "gives",
        }
    }

    fn counted(self, count: usize) -> String {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {self}{plural}")
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Operand => "operand",
            Self::Result => "result",
        })
    }
}

/// How many operands or results there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// This many.
    Exactly(usize),
    /// `fixed + step * attribute`, where the attribute is at least `minimum`.
    Steps {
        /// What is there anyway.
        fixed: usize,
        /// How many arguments have the open length.
        step: usize,
        /// The attribute that the number decides.
        attribute: &'static str,
        /// The least that it may be.
        minimum: usize,
    },
}

impl Count {
    fn describe(self, side: Side) -> String {
        match self {
            Self::Exactly(count) => side.counted(count),
            Self::Steps {
                fixed,
                step: 1,
                minimum,
                ..
            } => format!("at least {}", side.counted(fixed + minimum)),
            Self::Steps {
                fixed,
                step,
                minimum,
                attribute,
            } => {
                format!(
                    "{fixed} + {step} * {attribute} {side}s, where {attribute} is at least {minimum}"
                )
            }
        }
    }
}

/// Where the user should look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// At the operation.
    Operation,
    /// At this attribute.
    Attribute(String),
    /// At this operand.
    Operand(usize),
    /// At this result.
    Result(usize),
}

/// Why a use of an operation cannot become a node.
#[derive(Debug, Clone, PartialEq, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum OperationError {
    /// The registry has no operation of this name.
    #[error("TensorFlow has no operation \"{operation}\"{}", suggested(*suggestion))]
    UnknownOperation {
        operation: String,
        suggestion: Option<&'static str>,
    },

    /// TensorFlow refuses this operation in new graphs.
    #[error("TensorFlow no longer runs \"{operation}\": {explanation}")]
    Deprecated {
        operation: &'static str,
        explanation: &'static str,
    },

    /// The operation has no attribute of this name.
    #[error("\"{operation}\" has no attribute \"{attribute}\"{}", suggested_or_all(*suggestion, known))]
    UnknownAttribute {
        operation: &'static str,
        attribute: String,
        suggestion: Option<&'static str>,
        known: Vec<&'static str>,
    },

    /// An attribute has the wrong kind of value.
    #[error(
        "attribute \"{attribute}\" of \"{operation}\" wants {wanted}, not {given}; write, for example, {attribute} = {}",
        wanted.example()
    )]
    WrongKind {
        operation: &'static str,
        attribute: &'static str,
        wanted: Kind,
        given: String,
    },

    /// A number, or the length of a list, is below its minimum.
    #[error(
        "attribute \"{attribute}\" of \"{operation}\" must {} at least {minimum}, not {given}",
        if *list { "have a length of" } else { "be" }
    )]
    TooSmall {
        operation: &'static str,
        attribute: &'static str,
        minimum: i64,
        given: i64,
        list: bool,
    },

    /// A string or an element type is none of those that the operation knows.
    #[error("{}; {}", not_allowed(operation, attribute, *origin, given), one_of(allowed))]
    NotAllowed {
        operation: &'static str,
        attribute: &'static str,
        origin: Origin,
        given: String,
        allowed: Vec<String>,
    },

    /// An attribute without a default was not written and does not follow from the types.
    #[error("\"{operation}\" needs the attribute \"{attribute}\", {wanted}; write, for example, {attribute} = {}", wanted.example())]
    MissingAttribute {
        operation: &'static str,
        attribute: &'static str,
        wanted: Kind,
    },

    /// The number of operands or results is wrong.
    #[error(
        "\"{operation}\"{} {} {}, {} {} given{}",
        reason(because),
        side.verb(),
        expected.describe(*side),
        given,
        if *given == 1 { "was" } else { "were" },
        leave_out(because)
    )]
    WrongCount {
        operation: &'static str,
        side: Side,
        expected: Count,
        given: usize,
        because: Vec<&'static str>,
    },

    /// Several lists follow each other and nothing says where one ends.
    #[error(
        "\"{operation}\" has several lists among its {side}s, and nothing says where one ends; write {} of these attributes: {}",
        if attributes.len() == 2 { "one".to_owned() } else { format!("{}", attributes.len() - 1) },
        attributes.join(", ")
    )]
    AmbiguousLists {
        operation: &'static str,
        side: Side,
        attributes: Vec<&'static str>,
    },

    /// An argument has one element type for good, and the value has another.
    #[error(
        "{side} {index} ({argument}) of \"{operation}\" must have element type {}, not {}",
        display_name(*wanted),
        display_name(*given)
    )]
    FixedType {
        operation: &'static str,
        side: Side,
        index: usize,
        argument: &'static str,
        wanted: DataType,
        given: DataType,
    },

    /// Two values, or a value and a written attribute, disagree about an element type.
    #[error(
        "{side} {index} of \"{operation}\" has element type {}, but {by} {} {attribute}{} = {}; {}",
        display_name(*given),
        if *by == Origin::Written { "says" } else { "made" },
        element.map(|position| format!("[{position}]")).unwrap_or_default(),
        display_name(*bound),
        if *by == Origin::Written { format!("leave {attribute} out, it is derived") } else { "both must be the same".to_owned() }
    )]
    Conflict {
        operation: &'static str,
        side: Side,
        index: usize,
        given: DataType,
        attribute: &'static str,
        element: Option<usize>,
        bound: DataType,
        by: Origin,
    },
}

impl OperationError {
    /// What the error is about, for a diagnostic that points there.
    pub fn place(&self) -> Place {
        match self {
            Self::UnknownAttribute { attribute, .. } => Place::Attribute(attribute.clone()),
            Self::WrongKind { attribute, .. } | Self::TooSmall { attribute, .. } => {
                Place::Attribute((*attribute).to_owned())
            }
            Self::NotAllowed {
                origin: Origin::Operand(index),
                ..
            } => Place::Operand(*index),
            Self::NotAllowed {
                origin: Origin::Result(index),
                ..
            } => Place::Result(*index),
            Self::NotAllowed { attribute, .. } => Place::Attribute((*attribute).to_owned()),
            Self::FixedType { side, index, .. } | Self::Conflict { side, index, .. } => {
                match side {
                    Side::Operand => Place::Operand(*index),
                    Side::Result => Place::Result(*index),
                }
            }
            Self::UnknownOperation { .. }
            | Self::Deprecated { .. }
            | Self::MissingAttribute { .. }
            | Self::WrongCount { .. }
            | Self::AmbiguousLists { .. } => Place::Operation,
        }
    }
}

fn suggested(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!("; did you mean \"{name}\"?"))
}

fn suggested_or_all(suggestion: Option<&str>, known: &[&str]) -> String {
    match suggestion {
        None if known.is_empty() => "; it has none".to_owned(),
        None => format!("; it has {}", known.join(", ")),
        some => suggested(some),
    }
}

fn not_allowed(operation: &str, attribute: &str, origin: Origin, given: &str) -> String {
    match origin {
        Origin::Written => {
            format!("attribute \"{attribute}\" of \"{operation}\" cannot be {given}")
        }
        Origin::Operand(_) | Origin::Result(_) => {
            format!(
                "{origin} of \"{operation}\" has element type {given}, which {attribute} cannot be"
            )
        }
    }
}

fn one_of(allowed: &[String]) -> String {
    match allowed {
        [only] => format!("it must be {only}"),
        several => format!("it can be {}", several.join(", ")),
    }
}

fn reason(because: &[&str]) -> String {
    match because {
        [] => String::new(),
        names => format!(" with {} as written", names.join(", ")),
    }
}

fn leave_out(because: &[&str]) -> String {
    match because {
        [only] => format!("; leave {only} out, it is derived"),
        _ => String::new(),
    }
}
