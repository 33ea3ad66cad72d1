//! A line of a trace.

use serde::Deserialize;

use super::TraceError;

/// A call of the driver, with the arguments and results that matter for the order of commands.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
pub(crate) struct Call {
    /// The line, counted from 1.
    #[serde(skip)]
    pub(crate) line: usize,
    pub(crate) call: String,
    pub(crate) result: i32,
    device: Option<u64>,
    stream: Option<u64>,
    event: Option<u64>,
    graph: Option<u64>,
    executable: Option<u64>,
    address: Option<u64>,
    bytes: Option<u64>,
    from: Option<u64>,
    to: Option<u64>,
    pub(crate) kernel: String,
    pub(crate) parameters: Vec<u64>,
    /// The addresses and numbers of bytes that a product reads, writes, and works with.
    pub(crate) reads: Vec<[u64; 2]>,
    pub(crate) writes: Vec<[u64; 2]>,
    pub(crate) scratch: Vec<[u64; 2]>,
}

macro_rules! fields {
    ($($name:ident)*) => {
        $(pub(crate) fn $name(&self) -> Result<u64, TraceError> {
            let line = self.line;
            self.$name.ok_or(TraceError::Field { line, field: stringify!($name) })
        })*
    };
}

impl Call {
    pub(crate) fn parse(line: usize, text: &str) -> Result<Self, TraceError> {
        let call: Result<Self, _> = serde_json::from_str(text);
        let call = call.map_err(|error| TraceError::Line {
            line,
            reason: error.to_string(),
        })?;
        Ok(Self { line, ..call })
    }

    fields! { device stream event graph executable address bytes from to }
}
