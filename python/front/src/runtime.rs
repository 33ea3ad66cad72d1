//! The functions of the host that emitted programs call: closures of this process.
//!
//! ```text
//!   print(i64, tensor) ──> pieces of text ──> the output of the call
//!   raise_ValueError(text) ──> an error; the exception is kept for the caller
//!   log(i64, f64) -> i1    ──> the embedding's function
//! ```
//!
//! An exception is kept by the thread of the call ([`take_raised`]): programs run on the thread
//! that calls them, and so do their host functions.

use std::cell::RefCell;
use std::error::Error as StdError;
use std::sync::Arc;

use tfx::run::ForeignFunctions;
use tfx::runtime::failure::STACK_IS_FULL;
use tfx::runtime::{Bool, DType, Tensor, format as tensors};

use crate::emit::ForeignCall;
use crate::format::{self, Specification};
use crate::target::{Foreign, Piece};
use crate::value::{Leaf, Value};

/// An error of a foreign function.
pub type ForeignError = Box<dyn StdError + Send + Sync>;

/// The embedding's side of a program: its output, and its host functions.
pub trait Embedding: Send + Sync + 'static {
    /// Prints text.
    ///
    /// # Errors
    /// The output cannot be written.
    fn print(&self, text: &str) -> Result<(), ForeignError>;

    /// Calls a host function by its number, with the types of its arguments, a tensor for each
    /// leaf, and the type of its result. Returns a tensor for each leaf of the result.
    ///
    /// # Errors
    /// The function raises an exception, which the embedding keeps; its result has another type.
    fn call(
        &self,
        host: usize,
        types: &[Value<()>],
        leaves: &[Tensor],
        result: &Value<()>,
    ) -> Result<Vec<Tensor>, ForeignError>;
}

/// An exception that a program has raised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// The class, such as `ValueError`.
    pub class: String,
    /// The message; none if the exception has no argument.
    pub message: Option<String>,
}

thread_local! {
    static RAISED: RefCell<Option<Raised>> = const { RefCell::new(None) };
}

/// Returns the exception that the last failing call of this thread has raised.
pub fn take_raised() -> Option<Raised> {
    RAISED.take()
}

/// Returns the class of the exception for a failure of an operation: of an index, of a division, or
/// of other values than the operation takes.
pub(crate) fn class_of_failure(operation: &str) -> &'static str {
    match operation {
        "StridedSlice" | "Gather" | "GatherV2" | "GatherNd" | "ScatterNd" => "IndexError",
        _ if operation.starts_with("TensorScatter") => "IndexError",
        "Div" | "FloorDiv" | "FloorMod" | "TruncateDiv" | "TruncateMod" => "ZeroDivisionError",
        _ => "ValueError",
    }
}

/// Splits the message of a failed operation of a graph into class and message.
pub fn raised_by_operation(message: &str) -> Option<Raised> {
    let (message, operation) = message.strip_suffix(')')?.rsplit_once(" (operation ")?;
    Some(Raised {
        class: class_of_failure(operation).to_owned(),
        message: Some(message.to_owned()),
    })
}

/// Splits the message of a failed check into class and message.
pub fn raised_by_check(message: &str) -> Option<Raised> {
    if message.contains(STACK_IS_FULL) {
        return Some(Raised {
            class: "RecursionError".to_owned(),
            message: Some("a function calls itself too often; write a loop".to_owned()),
        });
    }
    // `OverflowError: int is 64 bits in tfx`, after words of the runtime.
    let known = |class: &str| crate::world::EXCEPTIONS.contains(&class);
    let mut rest = message;
    loop {
        let (head, tail) = rest.split_once(": ").unwrap_or((rest, ""));
        let class = head.rsplit(' ').next().unwrap_or(head);
        if known(class) {
            let message = tail.trim_end();
            return Some(Raised {
                class: class.to_owned(),
                message: (!message.is_empty()).then(|| message.to_owned()),
            });
        }
        if let Some(class) = rest
            .trim_end()
            .strip_suffix(':')
            .filter(|class| known(class))
        {
            return Some(Raised {
                class: class.to_owned(),
                message: None,
            });
        }
        if tail.is_empty() {
            return None;
        }
        rest = tail;
    }
}

/// Makes the foreign functions of a program.
pub(crate) fn functions(calls: &[ForeignCall], embedding: &Arc<dyn Embedding>) -> ForeignFunctions {
    let mut functions = ForeignFunctions::new();
    for call in calls {
        let (name, call, embedding) = (call.name.clone(), call.clone(), Arc::clone(embedding));
        functions.add_dynamic(name, move |arguments| run(&call, arguments, &*embedding));
    }
    functions
}

fn run(
    call: &ForeignCall,
    arguments: &[Tensor],
    embedding: &dyn Embedding,
) -> Result<Vec<Tensor>, ForeignError> {
    match &call.function {
        Foreign::Print(pieces) => {
            embedding.print(&text(pieces, &call.operands, arguments)?)?;
            Ok(Vec::new())
        }
        Foreign::Format(pieces) => {
            let text = text(pieces, &call.operands, arguments)?;
            Ok(vec![string_tensor(text)])
        }
        Foreign::Raise(class) => {
            let message = match arguments {
                [message] => Some(string(message)?),
                _ => None,
            };
            Err(raise(class, message))
        }
        Foreign::CompareStrings(op) => {
            let (a, b) = (string(&arguments[0])?, string(&arguments[1])?);
            let result = format::compare_strings(op, &a, &b);
            Ok(vec![Tensor::scalar(Bool::from(result))])
        }
        Foreign::Length => {
            let length = string(&arguments[0])?.chars().count();
            Ok(vec![Tensor::scalar(length as i64)])
        }
        Foreign::IntPower => {
            let base = arguments[0].item::<i64>()?;
            let exponent = arguments[1].item::<i64>()?;
            // Beyond 2^32, only 0, 1 and -1 have powers of 64 bits.
            let power = match (base, u32::try_from(exponent)) {
                (-1, _) => Some(if exponent % 2 == 0 { 1 } else { -1 }),
                (0 | 1, _) if exponent > 0 => Some(base),
                (_, Ok(exponent)) => base.checked_pow(exponent),
                _ => None,
            };
            match power {
                Some(power) => Ok(vec![Tensor::scalar(power)]),
                None => Err(raise(
                    "OverflowError",
                    Some("int is 64 bits in tfx".to_owned()),
                )),
            }
        }
        Foreign::Round => {
            let value = arguments[0].item::<f64>()?;
            let digits = arguments[1].item::<i64>()?;
            Ok(vec![Tensor::scalar(format::round(value, digits))])
        }
        Foreign::Host(host, types, result) => embedding.call(*host, types, arguments, result),
    }
}

/// Keeps an exception, and returns the error that ends the call.
fn raise(class: &str, message: Option<String>) -> ForeignError {
    let text = match &message {
        Some(message) => format!("{class}: {message}"),
        None => class.to_owned(),
    };
    RAISED.replace(Some(Raised {
        class: class.to_owned(),
        message,
    }));
    text.into()
}

fn string(tensor: &Tensor) -> Result<String, ForeignError> {
    match tensor.strings()? {
        [text] => Ok(String::from_utf8(text.clone())?),
        _ => Err("internal error: a string is expected".into()),
    }
}

fn string_tensor(text: String) -> Tensor {
    Tensor::from_strings(&[], vec![text.into_bytes()]).unwrap_or_default()
}

/// Makes text of pieces.
fn text(pieces: &[Piece], leaves: &[Leaf], values: &[Tensor]) -> Result<String, ForeignError> {
    let mut values = leaves.iter().zip(values);
    let mut text = String::new();
    for piece in pieces {
        if let Piece::Text(constant) = piece {
            text.push_str(constant);
            continue;
        }
        let (leaf, value) = values.next().ok_or("internal error: a value is missing")?;
        match (leaf, piece) {
            (Leaf::Str, Piece::Repr) => text.push_str(&format::repr(&string(value)?)),
            (Leaf::Str, Piece::Format(of)) => {
                text.push_str(&Specification::parse(of)?.string(&string(value)?));
            }
            (Leaf::Str, _) => text.push_str(&string(value)?),
            (Leaf::Bool, _) => text.push_str(format::bool(value.item::<Bool>()?.get())),
            (Leaf::Int, Piece::Format(of)) => {
                text.push_str(&Specification::parse(of)?.int(value.item::<i64>()?));
            }
            (Leaf::Int, _) => text.push_str(&value.item::<i64>()?.to_string()),
            (Leaf::Float, Piece::Format(of)) => {
                text.push_str(&Specification::parse(of)?.float(value.item::<f64>()?));
            }
            (Leaf::Float, _) => text.push_str(&format::float(value.item::<f64>()?)),
            (Leaf::Tensor(_), _) => text.push_str(&tensor_text(value)),
        }
    }
    Ok(text)
}

/// The text of a tensor; that of rank 0 is the text of a number.
pub fn tensor_text(value: &Tensor) -> String {
    if value.rank() == 0 && value.dtype() == DType::Bool {
        return format::bool(value.item::<Bool>().is_ok_and(Bool::get)).to_owned();
    }
    tensors::tensor(value)
}

/// `format(x, specification)` of a number, for eager tensors; none for a wrong specification.
pub fn format_number(value: f64, is_int: bool, specification: &str) -> Option<String> {
    let of = Specification::parse(specification).ok()?;
    Some(match is_int {
        true => of.int(value as i64),
        false => of.float(value),
    })
}

/// `repr` of a float, as CPython makes it.
pub fn float_text(value: f64) -> String {
    format::float(value)
}
