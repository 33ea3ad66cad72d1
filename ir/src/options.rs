//! Options of passes: typed, documented, checked when the pipeline is parsed.
//!
//! ```
//! tfx_ir::option_enum! {
//!     /// Which copies to warn about.
//!     pub enum Warn {
//!         /// None.
//!         Nothing = "none",
//!         /// Every copy.
//!         All = "all",
//!     }
//! }
//!
//! tfx_ir::options! {
//!     /// What `tfx-example` takes.
//!     pub struct ExampleOptions {
//!         /// Which copies to warn about.
//!         warn: Warn = Warn::Nothing,
//!         /// Largest number of bytes that is not worth a warning.
//!         small_size: u64 = 16,
//!     }
//! }
//!
//! use tfx_ir::options::Options;
//! let mut options = ExampleOptions::default();
//! options.set("small-size", "32").unwrap();
//! assert_eq!(options.small_size, 32);
//! assert_eq!(options.set("warn", "some").unwrap_err(), "'some' is not one of 'none', 'all'");
//! ```
//!
//! A field `small_size` is the option `small-size`; its documentation is the option's help. MLIR keeps the values as
//! text, so they print back exactly as a user would write them.

/// A struct of options; [`crate::options!`] makes one.
pub trait Options: Default + Clone + Send + Sync + 'static {
    /// All options, in the order of their fields.
    fn specs() -> Vec<OptionSpec>;
    /// Sets one from its text; on a bad value, says what is wrong with it.
    fn set(&mut self, name: &str, text: &str) -> Result<(), String>;
}

impl Options for () {
    fn specs() -> Vec<OptionSpec> {
        Vec::new()
    }
    fn set(&mut self, name: &str, _text: &str) -> Result<(), String> {
        Err(format!("there is no option '{name}'"))
    }
}

/// One option as a user sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// Its name, such as `small-size`.
    pub name: &'static str,
    /// What it does.
    pub help: String,
    /// Its default, as text.
    pub default: String,
    /// How it is written.
    pub kind: OptionKind,
}

/// How an option is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `name=text`.
    Text,
    /// `name`, `name=true` or `name=false`.
    Flag,
    /// `name=a,b,c`.
    List,
}

/// A type that an option can have.
pub trait OptionValue: Sized {
    /// How it is written.
    const KIND: OptionKind = OptionKind::Text;
    /// Reads it; the error says what was expected instead.
    fn parse(text: &str) -> Result<Self, String>;
    /// Writes it so that [`OptionValue::parse`] reads it back.
    fn print(&self) -> String;
}

impl OptionValue for bool {
    const KIND: OptionKind = OptionKind::Flag;
    fn parse(text: &str) -> Result<Self, String> {
        text.parse()
            .map_err(|_| format!("'{text}' is neither 'true' nor 'false'"))
    }
    fn print(&self) -> String {
        self.to_string()
    }
}

impl OptionValue for String {
    fn parse(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
    fn print(&self) -> String {
        self.clone()
    }
}

impl OptionValue for Vec<String> {
    const KIND: OptionKind = OptionKind::List;
    fn parse(text: &str) -> Result<Self, String> {
        Ok(text
            .split(',')
            .filter(|element| !element.is_empty())
            .map(str::to_owned)
            .collect())
    }
    fn print(&self) -> String {
        self.join(",")
    }
}

macro_rules! number_option {
    ($($type:ty: $what:literal),* $(,)?) => { $(
        impl OptionValue for $type {
            fn parse(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| format!("'{text}' is not {}", $what))
            }
            fn print(&self) -> String {
                self.to_string()
            }
        }
    )* };
}
number_option! {
    i32: "a whole number of 32 bits", i64: "a whole number of 64 bits",
    u32: "a whole number from 0 to 4294967295", u64: "a whole number from 0 on", usize: "a whole number from 0 on",
    f64: "a number",
}

/// The help text of an option, from the lines of its documentation.
#[doc(hidden)]
pub fn help(lines: &[&str]) -> String {
    lines
        .iter()
        .map(|line| line.trim())
        .collect::<Vec<_>>()
        .join(" ")
        .trim()
        .to_owned()
}

/// Defines a struct of options. See the [module](mod@crate::options).
#[macro_export]
macro_rules! options {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[doc = $doc:literal])+ $field:ident: $type:ty = $default:expr),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        $vis struct $name {
            $($(#[doc = $doc])+ pub $field: $type),*
        }
        impl ::std::default::Default for $name {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }
        impl $crate::options::Options for $name {
            fn specs() -> ::std::vec::Vec<$crate::options::OptionSpec> {
                static NAMES: ::std::sync::LazyLock<::std::vec::Vec<::std::string::String>> =
                    ::std::sync::LazyLock::new(|| vec![$(stringify!($field).replace('_', "-")),*]);
                let defaults = <Self as ::std::default::Default>::default();
                let mut names = NAMES.iter();
                vec![$($crate::options::OptionSpec {
                    name: names.next().expect("a name for each field"),
                    help: $crate::options::help(&[$($doc),+]),
                    default: $crate::options::OptionValue::print(&defaults.$field),
                    kind: <$type as $crate::options::OptionValue>::KIND,
                }),*]
            }
            fn set(&mut self, name: &str, text: &str) -> ::std::result::Result<(), ::std::string::String> {
                $(if name == stringify!($field).replace('_', "-") {
                    self.$field = $crate::options::OptionValue::parse(text)?;
                    return Ok(());
                })*
                Err(format!("there is no option '{name}'"))
            }
        }
    };
}

/// Defines an enum that an option can have, with the text of each case. See the [module](mod@crate::options).
#[macro_export]
macro_rules! option_enum {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$case_meta:meta])* $case:ident = $text:literal),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name {
            $($(#[$case_meta])* $case),*
        }
        impl $crate::options::OptionValue for $name {
            fn parse(text: &str) -> ::std::result::Result<Self, ::std::string::String> {
                match text {
                    $($text => Ok(Self::$case),)*
                    _ => Err(format!("'{text}' is not one of {}", [$(concat!("'", $text, "'")),*].join(", "))),
                }
            }
            fn print(&self) -> ::std::string::String {
                match self { $(Self::$case => $text),* }.to_owned()
            }
        }
    };
}
