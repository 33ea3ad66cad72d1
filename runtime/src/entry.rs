//! The command line of a compiled program: `docs/program-image.md`, section 5.
//!
//! ```text
//! command line ──RunOptions::parse──► options ──arguments──► values ──Entry::call──► results
//!                                               all checks                 printed, or .npy files
//! ```
//!
//! All inputs and outputs are checked before the program starts. Output files are written
//! completely or not at all. `tfxc run` parses its own command line and calls [`run`].

mod options;
mod signature;
#[cfg(test)]
mod tests;

use std::{
    io,
    net::{TcpStream, ToSocketAddrs},
    time::Duration,
};

use tfx_interpreter::{Bool, DType, Tensor};

pub use options::{Request, RunOptions, assignment};
pub use signature::{Call, Check, Entry, Parameter, type_text, usage};

use crate::{
    executor::{self, ExecutorKind},
    failure::{self, Failure, reason},
    ffi::{output, signals},
    format, npy, parallel, program, shutdown, stats, trace,
};
use signature::is_scalar;
pub(crate) use signature::{fits, shape_text};

/// The prefix of a target; `host:port` follows.
const TARGET_SCHEME: &str = "grpc://";

/// The time limit of a connection to a server. TensorFlow itself retries indefinitely.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns the selected executor. A target selects TensorFlow, and its server must respond.
fn choose_executor(options: &RunOptions) -> Result<ExecutorKind, Failure> {
    let Some(target) = &options.target else {
        return ExecutorKind::choose(options.executor);
    };
    let address = target.strip_prefix(TARGET_SCHEME).unwrap_or_default();
    let is_address = |(host, port): (&str, &str)| !host.is_empty() && port.parse::<u16>().is_ok();
    if !address.rsplit_once(':').is_some_and(is_address) {
        return Err(Failure::new(format!(
            "--target: expected {TARGET_SCHEME}HOST:PORT, the address of a TensorFlow server, but got '{target}'"
        )));
    }
    if let Some(kind @ (ExecutorKind::Embedded | ExecutorKind::Native)) = options.executor {
        return Err(Failure::new(format!(
            "--target names a TensorFlow server, but --executor is {kind}; omit --executor"
        )));
    }
    connect(address).map_err(|error| {
        Failure::new(format!(
            "no TensorFlow server responds at '{target}': {}",
            reason(&error)
        ))
    })?;
    Ok(ExecutorKind::TensorFlow)
}

/// Checks that a server accepts connections.
fn connect(address: &str) -> io::Result<()> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECTION_TIMEOUT) {
            Ok(_) => return Ok(()),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Runs an entry function with inputs from files and scalars, and writes the results to files and
/// standard output.
pub fn run(entry: &Entry<'_>, options: &RunOptions) -> Result<(), Failure> {
    let kind = choose_executor(options)?;
    parallel::set_threads(parallel::choose_threads(options.threads)?);
    check_outputs(entry, options)?;
    let arguments = arguments(entry, options)?;
    (entry.check)(kind)?;
    program::set_executor(kind);
    executor::tensorflow::set_target(options.target.clone());
    output::share_by_lines();
    trace::end_before_signal();
    if options.stats {
        signals::before_signal(|| {
            shutdown::measure_all();
            eprint!("{}", stats::table());
        });
    }
    let results = (entry.call)(arguments).inspect_err(|_| {
        // The output of the program precedes the failure. An error here would hide the failure.
        let _ = output::flush();
    })?;
    deliver(entry, options, &results)?;
    if options.stats {
        eprint!("{}", stats::table());
    }
    Ok(())
}

/// Checks that each output names a different numeric result and a different writable file. A long
/// run must not fail at its end.
fn check_outputs(entry: &Entry<'_>, options: &RunOptions) -> Result<(), Failure> {
    for (index, (name, path)) in options.outputs.iter().enumerate() {
        let Some(result) = entry.results.iter().find(|result| result.name == *name) else {
            return Err(unknown("output", name, &entry.results));
        };
        let wrong = |problem: &str| Err(Failure::new(format!("output '{name}' {problem}")));
        if result.dtype == DType::String {
            return wrong(
                "is a string, which a .npy file cannot contain; without --output it is printed",
            );
        }
        let others = &options.outputs[..index];
        if others.iter().any(|(other, _)| other == name) {
            return wrong("is given twice");
        }
        if let Some((other, _)) = others.iter().find(|(_, other)| other == path) {
            return wrong(&format!(
                "would overwrite output '{other}' in '{}'",
                path.display()
            ));
        }
        npy::check_writable(path).map_err(|failure| prefixed("output", name, &failure))?;
    }
    Ok(())
}

/// Returns the failure of a file with the name of the input or output.
fn prefixed(kind: &str, name: &str, failure: &Failure) -> Failure {
    Failure::new(format!("{kind} '{name}': {}", failure.message))
}

fn unknown(kind: &str, name: &str, known: &[Parameter]) -> Failure {
    let names = known.iter().map(|known| known.name.as_str());
    let known = match known.is_empty() {
        true => "there are none".to_owned(),
        false => format!("there are {}", failure::listed(names)),
    };
    Failure::new(format!("the program has no {kind} '{name}'; {known}"))
}

/// Returns the checked values of all parameters.
fn arguments(entry: &Entry<'_>, options: &RunOptions) -> Result<Vec<Tensor>, Failure> {
    let (scalars, tensors): (Vec<Parameter>, Vec<Parameter>) =
        entry.parameters.iter().cloned().partition(is_scalar);
    for (index, (name, _)) in options.inputs.iter().enumerate() {
        if scalars.iter().any(|scalar| scalar.name == *name) {
            return Err(Failure::new(format!(
                "input '{name}' is a scalar: its value, not a file, is an argument"
            )));
        }
        if !tensors.iter().any(|tensor| tensor.name == *name) {
            return Err(unknown("input", name, &tensors));
        }
        let others = &options.inputs[..index];
        if others.iter().any(|(other, _)| other == name) {
            return Err(Failure::new(format!("input '{name}' is given twice")));
        }
    }
    if scalars.len() != options.scalars.len() {
        let name = |scalar: &Parameter| format!("{} ({})", scalar.name, type_text(scalar));
        let names: Vec<String> = scalars.iter().map(name).collect();
        let expected = match names.len() {
            0 => "no scalar arguments".to_owned(),
            1 => format!("1 scalar argument, {}", names[0]),
            count => format!("{count} scalar arguments, {}", names.join(", ")),
        };
        return Err(Failure::new(format!(
            "@{} expects {expected}, but got {}",
            entry.name,
            options.scalars.len()
        ))
        .at(entry.location.as_deref()));
    }
    let mut texts = options.scalars.iter();
    let value = |parameter: &Parameter| {
        if is_scalar(parameter) {
            return scalar(parameter, texts.next().map_or("", String::as_str));
        }
        let name = &parameter.name;
        let Some((_, path)) = options.inputs.iter().find(|(input, _)| input == name) else {
            return Err(Failure::new(format!(
                "input '{name}' is missing: add --input {name}=FILE.npy with a {}",
                type_text(parameter)
            ))
            .at(parameter.location.as_deref()));
        };
        let tensor = npy::read(path).map_err(|failure| prefixed("input", name, &failure))?;
        check(parameter, &tensor)?;
        Ok(tensor)
    };
    entry.parameters.iter().map(value).collect()
}

/// Parses the value of a scalar parameter.
fn scalar(parameter: &Parameter, text: &str) -> Result<Tensor, Failure> {
    macro_rules! parse {
        ($rust:ty) => {
            text.parse::<$rust>().ok().map(Tensor::scalar)
        };
    }
    let value = match parameter.dtype {
        DType::F32 => parse!(f32),
        DType::F64 => parse!(f64),
        DType::I8 => parse!(i8),
        DType::I16 => parse!(i16),
        DType::I32 => parse!(i32),
        DType::I64 => parse!(i64),
        DType::U8 => parse!(u8),
        DType::U16 => parse!(u16),
        DType::U32 => parse!(u32),
        DType::U64 => parse!(u64),
        DType::Bool => match text {
            "true" | "1" => Some(Tensor::scalar(Bool::from(true))),
            "false" | "0" => Some(Tensor::scalar(Bool::from(false))),
            _ => None,
        },
        DType::String => Tensor::from_strings(&[], vec![text.as_bytes().to_vec()]).ok(),
        // No program has scalars of these types.
        DType::F16 | DType::Bf16 | DType::Resource | DType::Variant => None,
    };
    value.ok_or_else(|| {
        let example = if parameter.dtype == DType::Bool {
            "; expected true or false"
        } else {
            ""
        };
        Failure::new(format!(
            "scalar '{}': '{text}' is not a valid {}{example}",
            parameter.name, parameter.dtype
        ))
        .at(parameter.location.as_deref())
    })
}

/// Checks that a tensor has the type and shape of its parameter.
fn check(parameter: &Parameter, tensor: &Tensor) -> Result<(), Failure> {
    let Some((found, expected)) = parameter.mismatch(tensor) else {
        return Ok(());
    };
    let (name, location) = (&parameter.name, parameter.location.as_deref());
    let problem = format!("the file contains {found}, but the program expects {expected}");
    Err(Failure::new(format!("input '{name}': {problem}")).at(location))
}

/// Writes the results that have a file, and prints the others.
fn deliver(entry: &Entry<'_>, options: &RunOptions, results: &[Tensor]) -> Result<(), Failure> {
    let mut text = String::new();
    for (parameter, value) in entry.results.iter().zip(results) {
        let mut outputs = options.outputs.iter();
        match outputs.find(|(name, _)| *name == parameter.name) {
            Some((name, path)) => {
                npy::write(path, value).map_err(|failure| prefixed("output", name, &failure))?
            }
            None => text.push_str(&format::message(
                &format!("{} = {{}}\n", escaped(&parameter.name)),
                std::slice::from_ref(value),
            )),
        }
    }
    output::write(&text).map_err(|error| {
        Failure::new(format!(
            "cannot write the results: {}",
            output::reason(&error)
        ))
    })
}

/// Escapes the braces of a name for a format.
fn escaped(name: &str) -> String {
    name.replace('{', "{{").replace('}', "}}")
}
