//! The options of a command line.

use std::{ffi::OsString, num::NonZeroUsize, path::PathBuf};

use crate::{executor::ExecutorKind, failure::Failure, parallel};

/// The options of a run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// `--input NAME=FILE.npy`.
    pub inputs: Vec<(String, PathBuf)>,
    /// `--output NAME=FILE.npy`.
    pub outputs: Vec<(String, PathBuf)>,
    /// `--executor`; `None`: the executor of the environment, or the embedded one.
    pub executor: Option<ExecutorKind>,
    /// `--target`: the TensorFlow server that runs the graphs, as `grpc://host:port`; `None`: this
    /// process.
    pub target: Option<String>,
    /// `--threads`; `None`: those of the environment, or one for each processor.
    pub threads: Option<NonZeroUsize>,
    /// `--stats`.
    pub stats: bool,
    /// Values of the scalar parameters, in order.
    pub scalars: Vec<String>,
}

/// The request of a command line.
#[derive(Clone, Debug)]
pub enum Request {
    /// Run the program.
    Run(RunOptions),
    /// Print the usage.
    Help,
}

impl RunOptions {
    /// Parses a command line without the name of the program.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, Failure> {
        let invalid = |error: lexopt::Error| Failure::new(error.to_string());
        let mut parser = lexopt::Parser::from_args(arguments);
        let mut options = RunOptions::default();
        loop {
            // A negative number is not an option.
            if let Some(mut raw) = parser.try_raw_args()
                && let Some(number) =
                    raw.next_if(|argument| argument.to_str().is_some_and(is_negative_number))
            {
                options.scalars.push(number.to_string_lossy().into_owned());
                continue;
            }
            let Some(argument) = parser.next().map_err(invalid)? else {
                return Ok(Request::Run(options));
            };
            match argument {
                lexopt::Arg::Long("input") => options
                    .inputs
                    .push(assignment(parser.value().map_err(invalid)?, "--input")?),
                lexopt::Arg::Long("output") => options
                    .outputs
                    .push(assignment(parser.value().map_err(invalid)?, "--output")?),
                lexopt::Arg::Long("executor") => {
                    let name = parser.value().map_err(invalid)?;
                    options.executor = Some(
                        name.to_string_lossy()
                            .parse()
                            .map_err(|error| Failure::new(format!("--executor: {error}")))?,
                    );
                }
                lexopt::Arg::Long("target") => {
                    let target = parser.value().map_err(invalid)?;
                    options.target = Some(target.to_string_lossy().into_owned());
                }
                lexopt::Arg::Long("threads") => {
                    let number = parser.value().map_err(invalid)?;
                    let threads = parallel::parse_threads(&number.to_string_lossy());
                    let threads =
                        threads.map_err(|error| Failure::new(format!("--threads: {error}")))?;
                    options.threads = Some(threads);
                }
                lexopt::Arg::Long("stats") => options.stats = true,
                lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(Request::Help),
                lexopt::Arg::Value(value) => {
                    options.scalars.push(value.to_string_lossy().into_owned())
                }
                other => return Err(invalid(other.unexpected())),
            }
        }
    }
}

fn is_negative_number(text: &str) -> bool {
    text.starts_with('-') && text.parse::<f64>().is_ok()
}

/// Splits `NAME=FILE`.
pub fn assignment(text: OsString, option: &str) -> Result<(String, PathBuf), Failure> {
    let text = text.to_string_lossy();
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => {
            Ok((name.to_owned(), PathBuf::from(file)))
        }
        _ => Err(Failure::new(format!(
            "{option}: expected NAME=FILE.npy, but got '{text}'"
        ))),
    }
}
