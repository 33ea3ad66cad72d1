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
    let mut options = CompileOptions::default();
    options.extract.copies = CopyAnalysisOptions {
        mode,
        remarks: true,
        ..CopyAnalysisOptions::default()
    };
    report_with(source, options, format)
}

/// Returns the report of a program with its options, with schedules if there are streams.
fn report_with(source: &Source, options: CompileOptions, format: Format) -> String {
    let context = Context::new();
    tfx::prepare(&context);
    let has_streams = options.streams.streams > 0;
    let report = source.parse(&context).and_then(|program| {
        let mut program = program.with_options(options);
        let found = program.extract()?;
        let report = Report::new(source, found.diagnostics, found.traffic);
        if !has_streams {
            return Ok(report);
        }
        let (schedules, diagnostics) = program.schedules()?;
        Ok(report.with_schedules(schedules, diagnostics))
    });
    let report = report.unwrap_or_else(|error| Report::of_error(source, error));
    report.text(format)
}
