//! Diagnostics as text, each with its source line.
//!
//! ```text
//!   train.mlir:17:18: warning: the result of '@cpu_only' stalls the accelerator ...
//!     %predictions = func.call @cpu_only(%xw) : (tensor<?x1xf32>) -> tensor<?x1xf32>
//!                    ^
//! ```

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;

use tfx_ir::diag::Collected;
use tfx_ir::location::Place;
use tfx_runtime::failure::shortened;

use crate::error::Error;
use crate::program::Source;

/// The maximal length of a source line that is shown. Longer lines are generated code, and would
/// obscure the message.
const LONGEST_SHOWN_LINE: usize = 400;

/// Formats diagnostics, each with its source line if that can be read.
pub fn diagnostics(list: &[Collected], source: &Source) -> String {
    let mut files = Files {
        texts: HashMap::new(),
    };
    files
        .texts
        .insert(source.name().to_owned(), Some(source.text().to_owned()));
    let mut text = String::new();
    for diagnostic in list {
        files.write(&mut text, diagnostic);
        diagnostic
            .notes
            .iter()
            .for_each(|note| files.write(&mut text, note));
    }
    text
}

/// Formats an error in the same form.
pub fn error(error: &Error, source: &Source) -> String {
    match error.diagnostics() {
        [] => format!("error: {error}\n"),
        list => diagnostics(list, source),
    }
}

/// The sources that were read; `None` for a file that cannot be read.
struct Files {
    texts: HashMap<String, Option<String>>,
}

impl Files {
    fn write(&mut self, text: &mut String, diagnostic: &Collected) {
        let place = diagnostic
            .place
            .as_ref()
            .map(|place| format!("{place}: "))
            .unwrap_or_default();
        writeln!(
            text,
            "{place}{}: {}",
            diagnostic.severity,
            shortened(&diagnostic.message)
        )
        .expect("writing to a string does not fail");
        let Some(place) = &diagnostic.place else {
            return;
        };
        if let Some(line) = self
            .line(place)
            .filter(|line| line.len() <= LONGEST_SHOWN_LINE)
        {
            // MLIR counts columns in bytes.
            let before = line
                .char_indices()
                .take_while(|(start, _)| start + 1 < place.column);
            let indent: String = before
                .map(|(_, c)| if c == '\t' { '\t' } else { ' ' })
                .collect();
            writeln!(text, "{line}\n{indent}^").expect("writing to a string does not fail");
        }
    }

    fn line(&mut self, place: &Place) -> Option<&str> {
        let text = self
            .texts
            .entry(place.file.clone())
            .or_insert_with(|| fs::read_to_string(&place.file).ok());
        text.as_deref()?.lines().nth(place.line.checked_sub(1)?)
    }
}
