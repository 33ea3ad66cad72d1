//! Pass and pipeline options as arguments of a command line.
//!
//! ```text
//!   tfx_ir::options! { struct ... }  ──specs──►  clap arguments: --inline-limit <LIMIT>, --unroll
//!                                    ◄───set───  their values
//! ```
//!
//! A tool flattens [`OptionArgs`] into its arguments, so an option has one declaration for
//! pipelines and for the command line. [`streams`] prepares standard output.

pub mod streams;

use clap::builder::ValueParser;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use tfx_ir::options::{OptionKind, OptionSpec, Options};

/// The options `O` as arguments: `--name=value` or `--name value`; for a flag, `--name` or
/// `--name=false`.
///
/// ```
/// use clap::Parser;
///
/// tfx_ir::options! {
///     /// An example.
///     pub struct Example {
///         /// The largest size.
///         size: u32 = 4,
///         /// Whether to be verbose.
///         verbose: bool = false,
///     }
/// }
///
/// #[derive(Parser)]
/// struct Cli {
///     #[command(flatten)]
///     example: tfx_cli::OptionArgs<Example>,
/// }
///
/// let cli = Cli::parse_from(["tool", "--size", "7", "--verbose"]);
/// assert_eq!((cli.example.get().size, cli.example.get().verbose), (7, true));
/// let error = Cli::try_parse_from(["tool", "--size=big"]).err().unwrap();
/// assert!(error.to_string().contains("expected an integer"), "{error}");
/// ```
#[derive(Clone, Debug, Default)]
pub struct OptionArgs<O> {
    options: O,
    /// The names of the options that the command line has.
    given: Vec<&'static str>,
}

impl<O> OptionArgs<O> {
    /// Returns the options.
    pub fn get(&self) -> &O {
        &self.options
    }

    /// Returns true if the command line has an option, by its name such as `unroll-recursion`.
    pub fn has(&self, name: &str) -> bool {
        self.given.contains(&name)
    }
}

impl<O: Options> Args for OptionArgs<O> {
    fn augment_args(command: Command) -> Command {
        command.args(O::specs().into_iter().map(argument::<O>))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn argument<O: Options>(spec: OptionSpec) -> Arg {
    let argument = Arg::new(spec.name)
        .long(spec.name)
        .value_parser(ValueParser::from(parser::<O>(spec.name)));
    let help = spec.help.trim_end_matches('.').to_owned();
    let help = match &*spec.default {
        "" | "false" => help,
        default => format!("{help} [default: {default}]"),
    };
    match spec.kind {
        OptionKind::Flag => argument
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_name("BOOL"),
        OptionKind::Text | OptionKind::List => argument.value_name(value_name(spec.name)),
    }
    .help(help)
}

/// Returns the last word of a name: `LIMIT` for `inline-limit`.
fn value_name(name: &str) -> String {
    name.rsplit('-').next().unwrap_or(name).to_uppercase()
}

/// Returns a parser that checks a value as the pass does.
fn parser<O: Options>(
    name: &'static str,
) -> impl Fn(&str) -> Result<String, tfx_ir::options::OptionError> + Clone + Send + Sync + 'static {
    move |text| {
        O::default().set(name, text)?;
        Ok(text.to_owned())
    }
}

impl<O: Options> FromArgMatches for OptionArgs<O> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let (mut options, mut given) = (O::default(), Vec::new());
        for spec in O::specs() {
            let is_given = matches.value_source(spec.name) == Some(ValueSource::CommandLine);
            let text = matches.get_one::<String>(spec.name).filter(|_| is_given);
            let Some(text) = text else { continue };
            options.set(spec.name, text).map_err(|error| {
                Error::raw(
                    ErrorKind::InvalidValue,
                    format!("--{}: {error}\n", spec.name),
                )
            })?;
            given.push(spec.name);
        }
        Ok(Self { options, given })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
