//! Running the entry function of a compiled program from a command line: `docs/program-image.md`, section 5.
//!
//! ```text
//! arguments --RunOptions::parse--> options --gather (all checks)--> values --Entry::call--> results --> printed, or .npy files
//! ```
//!
//! Everything that can be wrong with the inputs is found before anything starts; outputs are written whole or not at all.
//! `tfxc run` parses its own command line and calls [`run`].

use std::{
    ffi::OsString,
    io,
    net::{TcpStream, ToSocketAddrs},
    path::PathBuf,
    time::Duration,
};

use tfx_interpreter::{Bool, DType, Tensor};

use crate::{
    executor::{self, ExecutorKind},
    failure::{Failure, reason},
    ffi::output,
    format, npy, program, stats,
};

/// An input or result of an entry function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name that `--input` and `--output` use.
    pub name: String,
    /// Whether it is a tensor, and not a scalar.
    pub is_tensor: bool,
    /// The element type.
    pub dtype: DType,
    /// The sizes of the dimensions, each known or not; `None`: any rank.
    pub shape: Option<Vec<Option<usize>>>,
    /// `file:line:col`.
    pub location: Option<String>,
}

/// What calls an entry function: one tensor per parameter (a scalar is a tensor of rank 0), one per result.
pub type Call<'a> = dyn Fn(Vec<Tensor>) -> Result<Vec<Tensor>, Failure> + 'a;

/// An entry function.
pub struct Entry<'a> {
    /// Its name.
    pub name: String,
    /// `file:line:col`.
    pub location: Option<String>,
    /// What it takes.
    pub parameters: Vec<Parameter>,
    /// What it gives.
    pub results: Vec<Parameter>,
    /// Calls it.
    pub call: Box<Call<'a>>,
}

/// How to run it.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// `--input NAME=FILE.npy`.
    pub inputs: Vec<(String, PathBuf)>,
    /// `--output NAME=FILE.npy`.
    pub outputs: Vec<(String, PathBuf)>,
    /// `--executor`; `None`: by the environment, or embedded.
    pub executor: Option<ExecutorKind>,
    /// `--target`: the TensorFlow server that runs the graphs, as `grpc://host:port`; `None`: this process.
    pub target: Option<String>,
    /// `--stats`.
    pub stats: bool,
    /// Values of the scalar parameters, in order.
    pub scalars: Vec<String>,
}

/// What a command line asks for.
#[derive(Clone, Debug)]
pub enum Request {
    /// Run the program.
    Run(RunOptions),
    /// Say how to run it.
    Help,
}

impl RunOptions {
    /// Reads a command line, without the name of the program.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, Failure> {
        let wrong = |error: lexopt::Error| Failure::new(error.to_string());
        let mut parser = lexopt::Parser::from_args(arguments);
        let mut options = RunOptions::default();
        loop {
            // A number may start with a minus.
            if let Some(mut raw) = parser.try_raw_args()
                && let Some(number) =
                    raw.next_if(|argument| argument.to_str().is_some_and(is_negative_number))
            {
                options.scalars.push(number.to_string_lossy().into_owned());
                continue;
            }
            let Some(argument) = parser.next().map_err(wrong)? else {
                return Ok(Request::Run(options));
            };
            match argument {
                lexopt::Arg::Long("input") => options
                    .inputs
                    .push(assignment(parser.value().map_err(wrong)?, "--input")?),
                lexopt::Arg::Long("output") => options
                    .outputs
                    .push(assignment(parser.value().map_err(wrong)?, "--output")?),
                lexopt::Arg::Long("executor") => {
                    let name = parser.value().map_err(wrong)?;
                    options.executor = Some(
                        name.to_string_lossy()
                            .parse()
                            .map_err(|problem| Failure::new(format!("--executor: {problem}")))?,
                    );
                }
                lexopt::Arg::Long("target") => {
                    let target = parser.value().map_err(wrong)?;
                    options.target = Some(target.to_string_lossy().into_owned());
                }
                lexopt::Arg::Long("stats") => options.stats = true,
                lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(Request::Help),
                lexopt::Arg::Value(value) => {
                    options.scalars.push(value.to_string_lossy().into_owned())
                }
                other => return Err(wrong(other.unexpected())),
            }
        }
    }
}

fn is_negative_number(text: &str) -> bool {
    text.starts_with('-') && text.parse::<f64>().is_ok()
}

/// `NAME=FILE`.
pub fn assignment(text: OsString, option: &str) -> Result<(String, PathBuf), Failure> {
    let text = text.to_string_lossy();
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => {
            Ok((name.to_owned(), PathBuf::from(file)))
        }
        _ => Err(Failure::new(format!(
            "{option} wants NAME=FILE.npy, not '{text}'"
        ))),
    }
}

/// How to run a program, for `--help`.
pub fn usage(entry: &Entry<'_>) -> String {
    let mut text = format!(
        "Runs @{}.\n\nUsage: [--input NAME=FILE.npy ...] [--output NAME=FILE.npy ...] [--executor {}] [--target grpc://HOST:PORT] [--stats]",
        entry.name,
        ExecutorKind::NAMES.join("|")
    );
    for parameter in entry
        .parameters
        .iter()
        .filter(|parameter| is_scalar(parameter))
    {
        text.push_str(&format!(" {}", parameter.name.to_uppercase()));
    }
    text.push('\n');
    for (title, parameters) in [("Inputs", &entry.parameters), ("Results", &entry.results)] {
        if !parameters.is_empty() {
            text.push_str(&format!("\n{title}:\n"));
        }
        for parameter in parameters {
            text.push_str(&format!("  {}: {}\n", parameter.name, type_text(parameter)));
        }
    }
    text
}

/// Whether the command line gives it by itself and not by a file. A string is text, though host code holds it as a tensor.
fn is_scalar(parameter: &Parameter) -> bool {
    !parameter.is_tensor || parameter.dtype == DType::String
}

fn type_text(parameter: &Parameter) -> String {
    if is_scalar(parameter) {
        return parameter.dtype.to_string();
    }
    format!(
        "tensor<{}{}>",
        shape_text(parameter.shape.as_deref()),
        parameter.dtype
    )
}

/// `2x?x`, as MLIR writes it.
fn shape_text(shape: Option<&[Option<usize>]>) -> String {
    let Some(shape) = shape else {
        return "*x".into();
    };
    shape
        .iter()
        .map(|size| size.map_or("?x".to_owned(), |size| format!("{size}x")))
        .collect()
}

/// How a target starts; what follows is `host:port`.
const TARGET_SCHEME: &str = "grpc://";

/// How long a server may take to answer at all. TensorFlow itself would ask for ever.
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// The executor that is asked for; a target, whose server must answer, asks for TensorFlow.
fn choose_executor(options: &RunOptions) -> Result<ExecutorKind, Failure> {
    let Some(target) = &options.target else {
        return ExecutorKind::choose(options.executor);
    };
    let address = target.strip_prefix(TARGET_SCHEME).unwrap_or_default();
    let is_address = |(host, port): (&str, &str)| !host.is_empty() && port.parse::<u16>().is_ok();
    if !address.rsplit_once(':').is_some_and(is_address) {
        return Err(Failure::new(format!(
            "--target wants {TARGET_SCHEME}HOST:PORT, the address of a TensorFlow server, not '{target}'"
        )));
    }
    if options.executor == Some(ExecutorKind::Embedded) {
        return Err(Failure::new(
            "--target names a TensorFlow server, but --executor is embedded; leave --executor out",
        ));
    }
    answers(address).map_err(|error| {
        Failure::new(format!(
            "no TensorFlow server answers at '{target}': {}",
            reason(&error)
        ))
    })?;
    Ok(ExecutorKind::TensorFlow)
}

/// Whether anyone listens at an address.
fn answers(address: &str) -> io::Result<()> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, ANSWERS_WITHIN) {
            Ok(_) => return Ok(()),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Runs an entry function: inputs from files and scalars, results to files and standard output.
pub fn run(entry: &Entry<'_>, options: &RunOptions) -> Result<(), Failure> {
    let kind = choose_executor(options)?;
    check_outputs(entry, options)?;
    let arguments = gather(entry, options)?;
    program::set_executor(kind);
    executor::tensorflow::set_target(options.target.clone());
    output::share_by_lines();
    let results = (entry.call)(arguments).inspect_err(|_| {
        // What the program printed comes before what is wrong with it; that is the error to report.
        let _ = output::flush();
    })?;
    deliver(entry, options, &results)?;
    if options.stats {
        eprint!("{}", stats::table());
    }
    Ok(())
}

/// Each output is a result of numbers, wanted once, with a file of its own that can be written: a long run must not end in vain.
fn check_outputs(entry: &Entry<'_>, options: &RunOptions) -> Result<(), Failure> {
    for (index, (name, path)) in options.outputs.iter().enumerate() {
        let Some(result) = entry.results.iter().find(|result| result.name == *name) else {
            return Err(unknown("output", name, &entry.results));
        };
        let wrong = |problem: &str| Err(Failure::new(format!("output '{name}' {problem}")));
        if result.dtype == DType::String {
            return wrong("is text, which a .npy file cannot hold; without --output it is printed");
        }
        let others = &options.outputs[..index];
        if others.iter().any(|(other, _)| other == name) {
            return wrong("is given twice");
        }
        if let Some((other, _)) = others.iter().find(|(_, other)| other == path) {
            return wrong(&format!(
                "would be written over output '{other}', in '{}'",
                path.display()
            ));
        }
        npy::check_place(path)
            .map_err(|failure| Failure::new(format!("output '{name}': {}", failure.message)))?;
    }
    Ok(())
}

fn unknown(kind: &str, name: &str, known: &[Parameter]) -> Failure {
    let names: Vec<String> = known
        .iter()
        .map(|parameter| format!("'{}'", parameter.name))
        .collect();
    let known = if names.is_empty() {
        "there are none".to_owned()
    } else {
        format!("there are {}", names.join(", "))
    };
    Failure::new(format!("the program has no {kind} '{name}'; {known}"))
}

/// The values of all parameters, checked.
fn gather(entry: &Entry<'_>, options: &RunOptions) -> Result<Vec<Tensor>, Failure> {
    let tensors: Vec<Parameter> = entry
        .parameters
        .iter()
        .filter(|parameter| !is_scalar(parameter))
        .cloned()
        .collect();
    for (index, (name, _)) in options.inputs.iter().enumerate() {
        if entry
            .parameters
            .iter()
            .any(|parameter| parameter.name == *name && is_scalar(parameter))
        {
            return Err(Failure::new(format!(
                "input '{name}' is a scalar: give its value, not a file"
            )));
        }
        if !tensors.iter().any(|parameter| parameter.name == *name) {
            return Err(unknown("input", name, &tensors));
        }
        if options.inputs[..index]
            .iter()
            .any(|(other, _)| other == name)
        {
            return Err(Failure::new(format!("input '{name}' is given twice")));
        }
    }
    let scalars: Vec<&Parameter> = entry
        .parameters
        .iter()
        .filter(|parameter| is_scalar(parameter))
        .collect();
    if scalars.len() != options.scalars.len() {
        let names: Vec<String> = scalars
            .iter()
            .map(|parameter| format!("{} ({})", parameter.name, type_text(parameter)))
            .collect();
        let wanted = if names.is_empty() {
            "none".to_owned()
        } else {
            format!("{}: {}", names.len(), names.join(", "))
        };
        return Err(Failure::new(format!(
            "@{} takes scalar values on the command line, {wanted}; {} given",
            entry.name,
            options.scalars.len()
        ))
        .at(entry.location.as_deref()));
    }
    let mut texts = options.scalars.iter();
    let value = |parameter: &Parameter| {
        if is_scalar(parameter) {
            let text = texts.next().map_or("", String::as_str);
            return scalar(parameter, text);
        }
        match options
            .inputs
            .iter()
            .find(|(name, _)| *name == parameter.name)
        {
            Some((_, path)) => {
                let tensor = npy::read(path).map_err(|failure| {
                    Failure::new(format!("input '{}': {}", parameter.name, failure.message))
                })?;
                check(parameter, &tensor)?;
                Ok(tensor)
            }
            None => Err(Failure::new(format!(
                "input '{}' is missing: give --input {}=FILE.npy with a {}",
                parameter.name,
                parameter.name,
                type_text(parameter)
            ))
            .at(parameter.location.as_deref())),
        }
    };
    entry.parameters.iter().map(value).collect()
}

/// The value that a text stands for.
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
        // No program has such scalars.
        DType::F16 | DType::Bf16 | DType::Resource => None,
    };
    value.ok_or_else(|| {
        let example = if parameter.dtype == DType::Bool {
            "; write true or false"
        } else {
            ""
        };
        Failure::new(format!(
            "scalar '{}': '{text}' is no {}{example}",
            parameter.name, parameter.dtype
        ))
        .at(parameter.location.as_deref())
    })
}

/// A tensor must have the type and shape of its parameter.
fn check(parameter: &Parameter, tensor: &Tensor) -> Result<(), Failure> {
    let wrong = |problem: String| {
        Err(
            Failure::new(format!("input '{}': {problem}", parameter.name))
                .at(parameter.location.as_deref()),
        )
    };
    if tensor.dtype() != parameter.dtype {
        return wrong(format!(
            "the file holds {}, the program wants {}",
            tensor.dtype(),
            parameter.dtype
        ));
    }
    let Some(shape) = &parameter.shape else {
        return Ok(());
    };
    let fits =
        |(wanted, &size): (&Option<usize>, &usize)| wanted.is_none_or(|wanted| wanted == size);
    if shape.len() == tensor.rank() && shape.iter().zip(tensor.shape()).all(fits) {
        return Ok(());
    }
    let found: Vec<Option<usize>> = tensor.shape().iter().copied().map(Some).collect();
    wrong(format!(
        "the file holds a tensor<{}{}>, the program wants a {}",
        shape_text(Some(&found)),
        tensor.dtype(),
        type_text(parameter)
    ))
}

/// Writes the results that have a file, prints the others.
fn deliver(entry: &Entry<'_>, options: &RunOptions, results: &[Tensor]) -> Result<(), Failure> {
    let mut text = String::new();
    for (parameter, value) in entry.results.iter().zip(results) {
        match options
            .outputs
            .iter()
            .find(|(name, _)| *name == parameter.name)
        {
            Some((name, path)) => {
                npy::write(path, value).map_err(|failure| {
                    Failure::new(format!("output '{name}': {}", failure.message))
                })?;
            }
            None => text.push_str(&format::message(
                &format!("{} = {{}}\n", escaped(&parameter.name)),
                std::slice::from_ref(value),
            )),
        }
    }
    output::write(&text)
        .map_err(|error| Failure::new(format!("cannot write the results: {}", reason(&error))))
}

/// A name inside a format.
fn escaped(name: &str) -> String {
    name.replace('{', "{{").replace('}', "}}")
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn parameter(name: &str, is_tensor: bool, dtype: DType, shape: &[Option<usize>]) -> Parameter {
        Parameter {
            name: name.into(),
            is_tensor,
            dtype,
            shape: is_tensor.then(|| shape.to_vec()),
            location: Some("p.mlir:1:2".into()),
        }
    }

    fn options(arguments: &[&str]) -> Result<RunOptions, Failure> {
        match RunOptions::parse(arguments.iter().map(OsString::from))? {
            Request::Run(options) => Ok(options),
            Request::Help => Err(Failure::new("help")),
        }
    }

    /// What `@main(x: tensor<?x2xf32>, n: i32) -> y` says to a command line, and whether it was called.
    fn outcome(arguments: &[&str]) -> (Result<(), String>, bool) {
        let called = Cell::new(false);
        let entry = Entry {
            name: "main".into(),
            location: None,
            parameters: vec![
                parameter("x", true, DType::F32, &[None, Some(2)]),
                parameter("n", false, DType::I32, &[]),
            ],
            results: vec![parameter("y", true, DType::F32, &[None])],
            call: Box::new(|mut values| {
                called.set(true);
                values.truncate(1);
                Ok(values)
            }),
        };
        let ran = options(arguments)
            .and_then(|options| run(&entry, &options))
            .map_err(|failure| failure.to_string());
        drop(entry);
        (ran, called.get())
    }

    #[test]
    fn command_lines_are_read() {
        let read = options(&[
            "--input",
            "x=a.npy",
            "-3",
            "--stats",
            "--executor=tensorflow",
            "-2.5e3",
            "--output",
            "y=b.npy",
            "7",
        ])
        .expect("good");
        assert_eq!(read.scalars, ["-3", "-2.5e3", "7"]);
        assert_eq!(read.inputs, [("x".to_owned(), PathBuf::from("a.npy"))]);
        assert_eq!(read.executor, Some(ExecutorKind::TensorFlow));
        assert!(read.stats);
        assert!(options(&["--inptu", "x"]).is_err());
        assert!(options(&["--input", "x"]).is_err());
        assert!(options(&["--executor", "gpu"]).is_err());
    }

    #[test]
    fn wrong_inputs_stop_before_the_start() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, tensor: &Tensor| {
            let path = folder.path().join(name);
            npy::write(&path, tensor).expect("written");
            format!("x={}", path.display())
        };
        let good = file(
            "good.npy",
            &Tensor::from_slice(&[1, 2], &[1.0f32, 2.0]).expect("a tensor"),
        );
        let wide = file(
            "wide.npy",
            &Tensor::from_slice(&[1, 3], &[1.0f32; 3]).expect("a tensor"),
        );
        let double = file(
            "double.npy",
            &Tensor::from_slice(&[1, 2], &[1.0f64; 2]).expect("a tensor"),
        );
        let cases: &[(&[&str], &str)] = &[
            (
                &["3"],
                "p.mlir:1:2: error: input 'x' is missing: give --input x=FILE.npy with a tensor<?x2xf32>",
            ),
            (
                &["--input", &good],
                "takes scalar values on the command line, 1: n (i32); 0 given",
            ),
            (&["--input", &good, "1", "2"], "2 given"),
            (
                &["--input", &good, "x1"],
                "p.mlir:1:2: error: scalar 'n': 'x1' is no i32",
            ),
            (
                &["--input", &good, "--input", "z=q.npy", "1"],
                "the program has no input 'z'; there are 'x'",
            ),
            (
                &["--input", &good, "--output", "z=q.npy", "1"],
                "the program has no output 'z'; there are 'y'",
            ),
            (&["--input", "n=q.npy", "1"], "input 'n' is a scalar"),
            (
                &["--input", &wide, "1"],
                "the file holds a tensor<1x3xf32>, the program wants a tensor<?x2xf32>",
            ),
            (
                &["--input", &double, "1"],
                "p.mlir:1:2: error: input 'x': the file holds f64, the program wants f32",
            ),
            (
                &["--input", "x=/nowhere/x.npy", "1"],
                "input 'x': cannot read",
            ),
        ];
        for (arguments, wanted) in cases {
            let (ran, called) = outcome(arguments);
            let problem = ran.expect_err("wrong");
            assert!(problem.contains(wanted), "{problem}");
            assert!(!called, "{problem}");
        }
        let output = folder.path().join("y.npy");
        let (ran, called) = outcome(&[
            "--input",
            &good,
            "--output",
            &format!("y={}", output.display()),
            "-1",
        ]);
        assert_eq!((ran, called), (Ok(()), true));
        assert_eq!(npy::read(&output).expect("written").shape(), [1, 2]);
    }
}
