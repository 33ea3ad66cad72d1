//! Errors in the use of an operation. Each message states what to write instead.

use std::fmt;

use thiserror::Error;

use super::kind::Kind;
use crate::{element::display_name, proto::DataType};

/// The side of the values that an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Operands.
    Operand,
    /// Results.
    Result,
}

impl Side {
    fn verb(self) -> &'static str {
        match self {
            Self::Operand => "takes",
            Self::Result => "returns",
        }
    }

    /// Returns the place of a value of this side.
    pub fn place(self, index: usize) -> Place {
        match self {
            Self::Operand => Place::Operand(index),
            Self::Result => Place::Result(index),
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

/// The origin of the value of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The attribute is written.
    Written,
    /// The value follows from this operand.
    Operand(usize),
    /// The value follows from this result.
    Result(usize),
}

impl Origin {
    pub(super) fn of(side: Side, index: usize) -> Self {
        match side {
            Side::Operand => Self::Operand(index),
            Side::Result => Self::Result(index),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Written => f.write_str("the attribute"),
            Self::Operand(index) => write!(f, "operand {index}"),
            Self::Result(index) => write!(f, "result {index}"),
        }
    }
}

/// The number of operands or results that an operation accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Exactly this number.
    Exactly(usize),
    /// `fixed + step * attribute`, where the attribute is at least `minimum`.
    Steps {
        /// The number of values with a known length.
        fixed: usize,
        /// The number of arguments that have the unknown length.
        step: usize,
        /// The attribute that the number determines.
        attribute: &'static str,
        /// The minimum of the attribute.
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

/// The part of an operation that a diagnostic points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The operation itself.
    Operation,
    /// An attribute.
    Attribute(String),
    /// An operand.
    Operand(usize),
    /// A result.
    Result(usize),
}

/// The reason why a use of an operation cannot become a node.
#[derive(Debug, Clone, PartialEq, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum OperationError {
    /// The registry has no operation of this name.
    #[error("TensorFlow has no operation \"{operation}\"{}", suggested(*suggestion))]
    UnknownOperation {
        operation: String,
        suggestion: Option<&'static str>,
    },

    /// TensorFlow rejects this operation in new graphs.
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
        "attribute \"{attribute}\" of \"{operation}\" expects {expected}, not {given}; \
         write, for example, {attribute} = {}",
        expected.example()
    )]
    WrongKind {
        operation: &'static str,
        attribute: &'static str,
        expected: Kind,
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

    /// A string or an element type is not one of those that the operation accepts.
    #[error("{}; {}", not_allowed(operation, attribute, *origin, given), one_of(allowed))]
    NotAllowed {
        operation: &'static str,
        attribute: &'static str,
        origin: Origin,
        given: String,
        allowed: Vec<String>,
    },

    /// An attribute without a default is not written and does not follow from the types.
    #[error(
        "\"{operation}\" needs the attribute \"{attribute}\", {expected}; \
         write, for example, {attribute} = {}",
        expected.example()
    )]
    MissingAttribute {
        operation: &'static str,
        attribute: &'static str,
        expected: Kind,
    },

    /// The number of operands or results is wrong.
    #[error(
        "\"{operation}\"{} {} {}, {} {} given{}",
        reason(because),
        side.verb(),
        expected.describe(*side),
        given,
        if *given == 1 { "was" } else { "were" },
        omit(because)
    )]
    WrongCount {
        operation: &'static str,
        side: Side,
        expected: Count,
        given: usize,
        because: Vec<&'static str>,
    },

    /// The operation has several lists, and nothing determines where one ends.
    #[error(
        "\"{operation}\" has several lists among its {side}s, and nothing determines where one \
         ends; write {} of these attributes: {}",
        if attributes.len() == 2 { "one".to_owned() } else { (attributes.len() - 1).to_string() },
        attributes.join(", ")
    )]
    AmbiguousLists {
        operation: &'static str,
        side: Side,
        attributes: Vec<&'static str>,
    },

    /// The element type of a value is not the fixed type of its argument.
    #[error(
        "{side} {index} ({argument}) of \"{operation}\" must have element type {}, not {}",
        display_name(*expected),
        display_name(*given)
    )]
    FixedType {
        operation: &'static str,
        side: Side,
        index: usize,
        argument: &'static str,
        expected: DataType,
        given: DataType,
    },

    /// Two values, or a value and a written attribute, have different element types.
    #[error(
        "{side} {index} of \"{operation}\" has element type {}, but {by} {} {attribute}{} = {}; {}",
        display_name(*given),
        if *by == Origin::Written { "says" } else { "implies" },
        element.map(|position| format!("[{position}]")).unwrap_or_default(),
        display_name(*bound),
        match by {
            Origin::Written => format!("omit {attribute}, it is inferred"),
            Origin::Operand(_) | Origin::Result(_) => "both must be the same".to_owned(),
        }
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
    /// Returns the part of the operation that the error is about.
    pub fn place(&self) -> Place {
        match self {
            Self::UnknownAttribute { attribute, .. } => Place::Attribute(attribute.clone()),
            Self::WrongKind { attribute, .. } | Self::TooSmall { attribute, .. } => {
                Place::Attribute((*attribute).to_owned())
            }
            Self::NotAllowed {
                origin, attribute, ..
            } => match *origin {
                Origin::Written => Place::Attribute((*attribute).to_owned()),
                Origin::Operand(index) => Place::Operand(index),
                Origin::Result(index) => Place::Result(index),
            },
            Self::FixedType { side, index, .. } | Self::Conflict { side, index, .. } => {
                side.place(*index)
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

fn omit(because: &[&str]) -> String {
    match because {
        [only] => format!("; omit {only}, it is inferred"),
        _ => String::new(),
    }
}
