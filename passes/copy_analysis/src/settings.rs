//! What a function says for itself of its copies, instead of the options of the pass.
//!
//! ```text
//!   func.func @train(...) attributes {tfx.copy_analysis = {mode = "all", scalars = "off", werror = true}}
//! ```
//!
//! A dictionary with names and values as the pass has them. It holds for the copies of that function's program: what is inlined into another
//! function is that function's.

use melior::ir::attribute::DictionaryAttribute;
use melior::ir::{Attribute, Identifier};
use tfx_ir::diag::{self, Severity};
use tfx_ir::options::Options;
use tfx_ir::pass::PassFailed;
use tfx_ir::{Op, attribute};

use crate::copy_analysis::{CopyAnalysisOptions, Mode, Switch};

/// The attribute.
const COPY_ANALYSIS: &str = "tfx.copy_analysis";
const EXAMPLE: &str = "{mode = \"all\", scalars = \"off\", werror = true, remarks = true}";

/// What holds for one function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) mode: Mode,
    pub(crate) scalars: Switch,
    pub(crate) remarks: bool,
    werror: bool,
}

impl Settings {
    pub(crate) fn of(func: Op<'_>, options: &CopyAnalysisOptions) -> Result<Self, PassFailed> {
        let mut options = options.clone();
        if let Some(attribute) = func.attribute(COPY_ANALYSIS) {
            let dictionary = DictionaryAttribute::try_from(attribute)
                .map_err(|_| wrong(func, format!("it is a dictionary, such as {EXAMPLE}")))?;
            for (name, value) in entries(&dictionary) {
                let text = attribute::text(value).map_or_else(|| value.to_string(), str::to_owned);
                options
                    .set(&name, &text)
                    .map_err(|reason| wrong(func, format!("in '{name}', {reason}")))?;
            }
        }
        Ok(Settings {
            mode: options.mode,
            scalars: options.scalars,
            remarks: options.remarks,
            werror: options.werror,
        })
    }

    /// How bad a copy is.
    pub(crate) fn severity(self) -> Severity {
        match self.werror {
            true => Severity::Error,
            false => Severity::Warning,
        }
    }
}

fn entries<'c>(dictionary: &DictionaryAttribute<'c>) -> Vec<(String, Attribute<'c>)> {
    let entries = (0..dictionary.len()).filter_map(|index| dictionary.element(index).ok());
    let named = |(name, value): (Identifier<'c>, _)| (attribute::name(name).to_owned(), value);
    entries.map(named).collect()
}

fn wrong(func: Op<'_>, reason: String) -> PassFailed {
    let name = func.symbol_name().unwrap_or_default();
    diag::error(
        func.location(),
        format!("'{COPY_ANALYSIS}' of function '@{name}' is not understood: {reason}"),
    )
    .fail()
}
