//! Options of passes and pipelines: declared once, typed, checked when a pipeline is parsed.
//!
//! ```text
//!   options! { struct ExampleOptions { ... } }
//!        ├── Pass::Options           tfx-example{warn=all}, its help and its default
//!        ├── Options::to_pipeline    {warn=all}: the options that differ from their defaults
//!        ├── composed_options!       the options of several passes as those of a pipeline
//!        └── Options::specs          arguments of a command line
//! ```
//!
//! ```
//! tfx_ir::option_enum! {
//!     /// The copies to warn about.
//!     pub enum Warn {
//!         /// None.
//!         Nothing = "none",
//!         /// Every copy.
//!         All = "all",
//!     }
//! }
//!
//! tfx_ir::options! {
//!     /// The options of `tfx-example`.
//!     pub struct ExampleOptions {
//!         /// The copies to warn about.
//!         warn: Warn = Warn::Nothing,
//!         /// The largest number of bytes that is not worth a warning.
//!         small_size: u64 = 16,
//!     }
//! }
//!
//! tfx_ir::composed_options! {
//!     /// The options of a pipeline with `tfx-example`.
//!     pub struct PipelineOptions {
//!         /// The options of `tfx-example`; the pipeline calls `warn` `example-warnings`.
//!         example: ExampleOptions as { "warn" => "example-warnings" },
//!     }
//! }
//!
//! use tfx_ir::options::Options;
//! let mut options = ExampleOptions::default();
//! assert_eq!(options.to_pipeline(), "");
//! options.set("small-size", "32").unwrap();
//! assert_eq!((options.small_size, &*options.to_pipeline()), (32, "{small-size=32}"));
//! let error = options.set("warn", "some").unwrap_err();
//! assert_eq!(error.to_string(), "expected 'none' or 'all', got 'some'");
//!
//! let mut options = PipelineOptions::default();
//! options.set("example-warnings", "all").unwrap();
//! assert_eq!(options.example.to_pipeline(), "{warn=all}");
//! ```
//!
//! A field `small_size` is the option `small-size`; its documentation is the option's help. MLIR
//! keeps the values as text and prints them back as the user wrote them.

use std::fmt;

/// A struct of options, made by [`crate::options!`] or [`crate::composed_options!`].
pub trait Options: Default + Clone + Send + Sync + 'static {
    /// Returns the declarations of all options, in the order of the fields.
    fn specs() -> Vec<OptionSpec>;

    /// Sets the option `name` from its text.
    ///
    /// # Errors
    ///
    /// There is no such option, or the text is not a value of its type.
    fn set(&mut self, name: &str, text: &str) -> Result<(), OptionError>;

    /// Returns the value of the option `name` as text.
    fn get(&self, name: &str) -> Option<String>;

    /// Returns the options that differ from their defaults in the syntax of pipelines, such as
    /// `{mode=all werror=true}`; empty if all have their defaults.
    fn to_pipeline(&self) -> String {
        let differs = |spec: OptionSpec| {
            let value = self.get(spec.name)?;
            (value != spec.default).then(|| match spec.kind {
                OptionKind::List => format!("{}={{{value}}}", spec.name),
                OptionKind::Text | OptionKind::Flag => format!("{}={value}", spec.name),
            })
        };
        let options: Vec<_> = Self::specs().into_iter().filter_map(differs).collect();
        match options.is_empty() {
            true => String::new(),
            false => format!("{{{}}}", options.join(" ")),
        }
    }
}

impl Options for () {
    fn specs() -> Vec<OptionSpec> {
        Vec::new()
    }

    fn set(&mut self, name: &str, _text: &str) -> Result<(), OptionError> {
        Err(OptionError::unknown::<Self>(name))
    }

    fn get(&self, _name: &str) -> Option<String> {
        None
    }
}

/// The reason why an option cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// There is no option of the name.
    #[error("unknown option '{name}'; {}", known_options(known))]
    Unknown {
        /// The name.
        name: String,
        /// The names of the options that there are.
        known: Vec<&'static str>,
    },
    /// The text is not a value of the option's type.
    #[error("{expected}, got '{text}'")]
    Value {
        /// The values of the type.
        expected: Expected,
        /// The text.
        text: String,
    },
}

impl OptionError {
    /// An error for an option that `O` does not have.
    pub fn unknown<O: Options>(name: &str) -> Self {
        Self::Unknown {
            name: name.to_owned(),
            known: O::specs().iter().map(|spec| spec.name).collect(),
        }
    }
}

fn known_options(names: &[&str]) -> String {
    match names {
        [] => "there are no options".to_owned(),
        names => format!("expected one of {}", names.join(", ")),
    }
}

/// The values of a type, as the end of "expected ...".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected(String);

impl Expected {
    /// `values` reads on from "expected", such as `a number`.
    pub fn new(values: impl Into<String>) -> Self {
        Self(values.into())
    }

    /// One of several words.
    pub fn one_of(words: &[&str]) -> Self {
        let quoted: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
        Self(match &*quoted {
            [first, second] => format!("{first} or {second}"),
            quoted => format!("one of {}", quoted.join(", ")),
        })
    }
}

impl std::error::Error for Expected {}

impl fmt::Display for Expected {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "expected {}", self.0)
    }
}

/// The declaration of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// The name, such as `small-size`.
    pub name: &'static str,
    /// The help text.
    pub help: String,
    /// The default, as text.
    pub default: String,
    /// The syntax.
    pub kind: OptionKind,
}

/// The syntax of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `name=text`.
    Text,
    /// `name`, `name=true` or `name=false`.
    Flag,
    /// `name=a,b,c`.
    List,
}

/// A type of options.
pub trait OptionValue: Sized {
    /// The syntax.
    const KIND: OptionKind = OptionKind::Text;

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// The values of the type, if the text is not one of them.
    fn parse(text: &str) -> Result<Self, Expected>;

    /// Writes the value so that [`OptionValue::parse`] reads it back.
    fn print(&self) -> String;
}

impl OptionValue for bool {
    const KIND: OptionKind = OptionKind::Flag;

    fn parse(text: &str) -> Result<Self, Expected> {
        text.parse()
            .map_err(|_| Expected::one_of(&["true", "false"]))
    }

    fn print(&self) -> String {
        self.to_string()
    }
}

impl OptionValue for String {
    fn parse(text: &str) -> Result<Self, Expected> {
        Ok(text.to_owned())
    }

    fn print(&self) -> String {
        self.clone()
    }
}

impl OptionValue for Vec<String> {
    const KIND: OptionKind = OptionKind::List;

    fn parse(text: &str) -> Result<Self, Expected> {
        let elements = text.split(',').filter(|element| !element.is_empty());
        Ok(elements.map(str::to_owned).collect())
    }

    fn print(&self) -> String {
        self.join(",")
    }
}

macro_rules! number_option {
    ($($type:ty: $values:literal),* $(,)?) => { $(
        impl OptionValue for $type {
            fn parse(text: &str) -> Result<Self, Expected> {
                text.parse().map_err(|_| Expected::new($values))
            }

            fn print(&self) -> String {
                self.to_string()
            }
        }
    )* };
}
number_option! {
    i32: "an integer of 32 bits",
    i64: "an integer of 64 bits",
    u32: "an integer from 0 to 4294967295",
    u64: "an integer that is not negative",
    usize: "an integer that is not negative",
    f64: "a number",
}

/// The help text of an option, from the lines of its documentation.
#[doc(hidden)]
pub fn help(lines: &[&str]) -> String {
    let lines: Vec<_> = lines.iter().map(|line| line.trim()).collect();
    lines.join(" ").trim().to_owned()
}

/// Parses a value; the error names the text.
#[doc(hidden)]
pub fn parse<T: OptionValue>(text: &str) -> Result<T, OptionError> {
    T::parse(text).map_err(|expected| OptionError::Value {
        expected,
        text: text.to_owned(),
    })
}

/// The specifications of a part of composed options, by their names there.
#[doc(hidden)]
pub fn renamed<O: Options>(names: &[(&str, &'static str)]) -> Vec<OptionSpec> {
    let rename = |spec: OptionSpec| {
        let name = names.iter().find(|(inner, _)| *inner == spec.name);
        OptionSpec {
            name: name.map_or(spec.name, |(_, outer)| outer),
            ..spec
        }
    };
    O::specs().into_iter().map(rename).collect()
}

/// The name of an option in the part `O` of composed options.
#[doc(hidden)]
pub fn inner_name<O: Options>(names: &[(&'static str, &str)], name: &str) -> Option<&'static str> {
    let is_renamed = |inner: &str| names.iter().any(|(known, _)| *known == inner);
    let renamed = names.iter().find(|(_, outer)| *outer == name);
    renamed.map(|(inner, _)| *inner).or_else(|| {
        let mut specs = O::specs().into_iter().map(|spec| spec.name);
        specs.find(|inner| *inner == name && !is_renamed(inner))
    })
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
        impl $name {
            /// The names of the options, in the order of the fields.
            fn option_names() -> &'static [::std::string::String] {
                static NAMES: ::std::sync::LazyLock<::std::vec::Vec<::std::string::String>> =
                    ::std::sync::LazyLock::new(|| vec![$(stringify!($field).replace('_', "-")),*]);
                &NAMES
            }
        }
        impl ::std::default::Default for $name {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }
        impl $crate::options::Options for $name {
            fn specs() -> ::std::vec::Vec<$crate::options::OptionSpec> {
                let defaults = <Self as ::std::default::Default>::default();
                let mut names = Self::option_names().iter();
                vec![$($crate::options::OptionSpec {
                    name: names.next().expect("a name for each field"),
                    help: $crate::options::help(&[$($doc),+]),
                    default: $crate::options::OptionValue::print(&defaults.$field),
                    kind: <$type as $crate::options::OptionValue>::KIND,
                }),*]
            }
            fn set(
                &mut self,
                name: &str,
                text: &str,
            ) -> ::std::result::Result<(), $crate::options::OptionError> {
                let mut names = Self::option_names().iter();
                $(if names.next().is_some_and(|known| known == name) {
                    self.$field = $crate::options::parse(text)?;
                    return Ok(());
                })*
                Err($crate::options::OptionError::unknown::<Self>(name))
            }
            fn get(&self, name: &str) -> ::std::option::Option<::std::string::String> {
                let mut names = Self::option_names().iter();
                $(if names.next().is_some_and(|known| known == name) {
                    return Some($crate::options::OptionValue::print(&self.$field));
                })*
                None
            }
        }
    };
}

/// Defines a struct of the options of several passes: those of a pipeline. A pass's option may have
/// another name in it. See the [module](mod@crate::options).
#[macro_export]
macro_rules! composed_options {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[doc = $doc:literal])+ $field:ident: $type:ty
            $(as { $($inner:literal => $outer:literal),* $(,)? })?),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default)]
        $vis struct $name {
            $($(#[doc = $doc])+ pub $field: $type),*
        }
        impl $crate::options::Options for $name {
            fn specs() -> ::std::vec::Vec<$crate::options::OptionSpec> {
                let mut specs = ::std::vec::Vec::new();
                $(specs.extend($crate::options::renamed::<$type>(&[$($(($inner, $outer)),*)?]));)*
                specs
            }
            fn set(
                &mut self,
                name: &str,
                text: &str,
            ) -> ::std::result::Result<(), $crate::options::OptionError> {
                $(if let Some(name) =
                    $crate::options::inner_name::<$type>(&[$($(($inner, $outer)),*)?], name)
                {
                    return $crate::options::Options::set(&mut self.$field, name, text);
                })*
                Err($crate::options::OptionError::unknown::<Self>(name))
            }
            fn get(&self, name: &str) -> ::std::option::Option<::std::string::String> {
                $(if let Some(name) =
                    $crate::options::inner_name::<$type>(&[$($(($inner, $outer)),*)?], name)
                {
                    return $crate::options::Options::get(&self.$field, name);
                })*
                None
            }
        }
    };
}

/// Defines an enum of options, with the text of each case. See the [module](mod@crate::options).
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
            fn parse(text: &str) -> ::std::result::Result<Self, $crate::options::Expected> {
                match text {
                    $($text => Ok(Self::$case),)*
                    _ => Err($crate::options::Expected::one_of(&[$($text),*])),
                }
            }
            fn print(&self) -> ::std::string::String {
                match self { $(Self::$case => $text),* }.to_owned()
            }
        }
    };
}
