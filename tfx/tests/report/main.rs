//! Tests of reports: SARIF against its schema, and the page in a browser.

mod dot;
mod json;
mod page;
mod sarif;

use melior::Context;
use tfx::Source;
use tfx::options::{CompileOptions, CopyAnalysisOptions, Mode};
use tfx::report::{Format, Report};

/// Returns the report of a program, with all remarks.
fn report(source: &Source, mode: Mode, format: Format) -> String {
    let context = Context::new();
    tfx::prepare(&context);
    let mut options = CompileOptions::default();
    options.extract.copies = CopyAnalysisOptions {
        mode,
        remarks: true,
        ..CopyAnalysisOptions::default()
    };
    let extracted = source
        .parse(&context)
        .and_then(|program| program.with_options(options).extract());
    let report = match extracted {
        Ok(found) => Report::new(source, found.diagnostics, found.traffic),
        Err(error) => Report::of_error(source, error),
    };
    report.text(format)
}
