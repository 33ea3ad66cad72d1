//! The report as one self-contained page, without scripts and external fonts or pictures.
//!
//! ```text
//!   the diagnostics                       each with its notes
//!   each program:  table of copies │ loop nest │ lanes:   host │ ── 0 ──> │ graph
//!   the schedules: table │ timeline of each one
//!   the source, with copies and diagnostics in its margin
//! ```
//!
//! All text of the program is escaped. Cost: linear in the size of the program and the number of
//! diagnostics.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use tfx_copy_analysis::{Row, Traffic, Work};
use tfx_ir::diag::{Collected, Severity};
use tfx_ir::location::Place;

use super::schedule::Description;
use super::table::{COLUMNS, TAPE_COLUMNS, cells, tape_cells, worded};
use super::{Report, bytes, counted, direction, executions, note, schedules, timeline};

const STYLE: &str = include_str!("page.css");

pub(super) fn page(report: &Report<'_>) -> String {
    let mut html = Html::default();
    let name = report.source.name();
    html.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    html.element("title", "", &format!("Copies of {name}"));
    html.raw("\n<style>\n")
        .raw(STYLE)
        .raw("</style>\n</head>\n<body>\n");
    html.element("h1", "", &format!("Copies of {name}"));
    summary(&mut html, report);
    diagnostics(&mut html, &report.diagnostics);
    for traffic in &report.traffic {
        program(&mut html, traffic);
    }
    if let Some(schedules) = &report.schedules {
        schedules_section(&mut html, schedules);
    }
    source(&mut html, report);
    html.raw("<p>");
    let command = format!("tfx-translate --mlir-to-dot {name} | dot -Tsvg");
    html.element("code", "", &command)
        .raw(" draws the operations of host and graph, and the transfers between them.</p>\n");
    html.raw("</body>\n</html>\n");
    html.text
}

/// An HTML page under construction. Writing to a string does not fail.
#[derive(Default)]
pub(super) struct Html {
    pub(super) text: String,
}

impl Html {
    pub(super) fn raw(&mut self, markup: &str) -> &mut Self {
        self.text.push_str(markup);
        self
    }

    /// Appends escaped text.
    pub(super) fn words(&mut self, words: &str) -> &mut Self {
        for letter in words.chars() {
            match letter {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '"' => self.text.push_str("&quot;"),
                _ => self.text.push(letter),
            }
        }
        self
    }

    pub(super) fn element(&mut self, name: &str, class: &str, words: &str) -> &mut Self {
        self.open(name, class).words(words).close(name)
    }

    pub(super) fn open(&mut self, name: &str, class: &str) -> &mut Self {
        let _ = match class {
            "" => write!(self.text, "<{name}>"),
            _ => write!(self.text, "<{name} class=\"{class}\">"),
        };
        self
    }

    pub(super) fn close(&mut self, name: &str) -> &mut Self {
        let _ = write!(self.text, "</{name}>");
        self
    }

    /// Appends a source location with a link to its line on this page.
    fn place(&mut self, place: &Place) -> &mut Self {
        let _ = write!(self.text, "<a href=\"#line-{}\">", place.line);
        self.words(&place.to_string()).close("a")
    }
}

fn summary(html: &mut Html, report: &Report<'_>) {
    let count = |severity| {
        let all = report.diagnostics.iter();
        all.filter(|diagnostic| diagnostic.severity == severity)
            .count()
    };
    let transfers = || report.traffic.iter().flat_map(|traffic| &traffic.transfers);
    let copies = match transfers().count() {
        0 => "nothing is copied during execution".to_owned(),
        1 => "1 copy during execution".to_owned(),
        count => format!("{count} copies during execution"),
    };
    let words = format!(
        "{}, {copies}, {}, {}, {}",
        counted(report.traffic.len(), "program"),
        counted(count(Severity::Error), "error"),
        counted(count(Severity::Warning), "warning"),
        counted(count(Severity::Remark), "remark"),
    );
    html.element("p", "summary", &words).raw("\n");
}

fn diagnostics(html: &mut Html, diagnostics: &[Collected]) {
    for diagnostic in diagnostics {
        html.open("details", severity(diagnostic.severity))
            .raw("<summary>");
        message(html, diagnostic);
        html.raw("</summary>\n<ol>");
        for note in &diagnostic.notes {
            html.raw("<li>");
            message(html, note);
            html.raw("</li>\n");
        }
        html.raw("</ol></details>\n");
    }
}

fn message(html: &mut Html, diagnostic: &Collected) {
    if let Some(place) = &diagnostic.place {
        html.place(place).raw(" ");
    }
    if diagnostic.severity != Severity::Note {
        html.element("b", "", &diagnostic.severity.to_string())
            .raw(": ");
    }
    html.words(&diagnostic.message);
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "diagnostic error",
        Severity::Warning => "diagnostic warning",
        Severity::Remark | Severity::Note => "diagnostic remark",
    }
}

// -------------------------------------------------------------------------------------------------
// A program.

fn program(html: &mut Html, traffic: &Traffic) {
    html.raw("<section>\n");
    let title = format!("@{} runs @{}", traffic.function, traffic.graph);
    html.element("h2", "", &title).raw("\n<p>");
    types(html, "The graph takes ", &traffic.inputs);
    types(html, " at its start and returns ", &traffic.results);
    html.raw(" at its end. These copies are not counted.</p>\n");
    if !traffic.tapes.is_empty() {
        tapes(html, traffic);
    }
    if !traffic.transfers.is_empty() {
        columns(html, traffic);
        nest(html, traffic);
    }
    lanes(html, traffic);
    html.raw("</section>\n");
}

fn types(html: &mut Html, before: &str, types: &[String]) {
    html.raw(before);
    if types.is_empty() {
        html.raw("nothing");
    }
    for (index, ty) in types.iter().enumerate() {
        html.raw(if index > 0 { ", " } else { "" });
        html.element("code", "", ty);
    }
}

fn tapes(html: &mut Html, traffic: &Traffic) {
    html.raw("<h3>Tapes of derivatives</h3>\n<div class=\"wide\"><table>\n<tr>");
    for head in TAPE_COLUMNS {
        html.element("th", "", head);
    }
    html.raw("</tr>\n");
    for tape in &traffic.tapes {
        html.open("tr", "");
        row(html, &TAPE_COLUMNS, tape_cells(tape), tape.place.as_ref());
    }
    html.raw("</table></div>\n");
}

/// Writes the cells of a row, and its end.
fn row<const N: usize>(
    html: &mut Html,
    head: &[&str; N],
    cells: [String; N],
    place: Option<&Place>,
) {
    for (head, cell) in head.iter().zip(cells) {
        html.raw("<td>");
        match (place, *head) {
            (Some(place), "where") => html.place(place),
            _ => html.words(&cell),
        };
        html.raw("</td>");
    }
    html.raw("</tr>\n");
}

fn columns(html: &mut Html, traffic: &Traffic) {
    html.raw("<h3>Copies during execution</h3>\n<div class=\"wide\"><table>\n<tr>");
    for head in COLUMNS {
        html.element("th", "", head);
    }
    html.raw("</tr>\n");
    for transfer in &traffic.transfers {
        html.open("tr", note(transfer));
        row(html, &COLUMNS, cells(transfer), transfer.place.as_ref());
    }
    html.raw("</table></div>\n");
}

/// Writes the loops and branches around copies as nested lists.
fn nest(html: &mut Html, traffic: &Traffic) {
    if !traffic
        .rows
        .iter()
        .any(|row| matches!(row, Row::Open { .. }))
    {
        return;
    }
    html.raw("<h3>Loops around the copies</h3>\n<ul class=\"nest\">\n");
    for row in &traffic.rows {
        match row {
            Row::Open { what, place } => {
                html.raw("<li>");
                opening(html, what, place.as_ref());
                html.raw("<ul>\n");
            }
            Row::Close => {
                html.raw("</ul></li>\n");
            }
            Row::Transfer(index) => {
                let transfer = &traffic.transfers[*index];
                let words = format!(
                    "channel {} {}: {} bytes, {} times",
                    transfer.channel,
                    direction(transfer),
                    bytes(&transfer.amount),
                    executions(&transfer.amount)
                );
                html.element("li", note(transfer), &words).raw("\n");
            }
            Row::Work { .. } => {}
        }
    }
    html.raw("</ul>\n");
}

fn opening(html: &mut Html, what: &str, place: Option<&Place>) {
    html.element("b", "", what);
    if let Some(place) = place {
        html.raw(" at ").place(place);
    }
}

/// Writes host and graph in two lanes: each row has a cell for each side, and one between them for
/// messages.
fn lanes(html: &mut Html, traffic: &Traffic) {
    html.raw("<h3>Host and graph</h3>\n<div class=\"wide\"><div class=\"lanes\">\n");
    html.raw("<div class=\"row head\"><div class=\"host\">host</div><div class=\"between\"></div><div class=\"graph\">graph</div></div>\n");
    for row in &traffic.rows {
        match row {
            Row::Open { what, place } => {
                html.raw("<div class=\"part\"><div class=\"label\">");
                opening(html, what, place.as_ref());
                html.raw("</div>\n");
            }
            Row::Close => {
                html.raw("</div>\n");
            }
            Row::Transfer(index) => {
                let transfer = &traffic.transfers[*index];
                let arrow = if transfer.to_host { "left" } else { "right" };
                html.open("div", &format!("row transfer {arrow} {}", note(transfer)));
                html.raw("<div class=\"host\"></div><div class=\"between\">");
                html.element("span", "", &transfer.channel.to_string());
                html.raw("</div><div class=\"graph\"></div></div>\n");
            }
            Row::Work { host, graph } => {
                html.raw("<div class=\"row\">");
                work(html, "host", host);
                html.raw("<div class=\"between\"></div>");
                work(html, "graph", graph);
                html.raw("</div>\n");
            }
        }
    }
    html.raw("</div></div>\n");
}

fn work(html: &mut Html, lane: &str, list: &[Work]) {
    html.open("div", lane);
    for (index, work) in list.iter().enumerate() {
        html.raw(if index > 0 { ", " } else { "" });
        match &work.place {
            Some(place) => {
                let _ = write!(html.text, "<a href=\"#line-{}\">", place.line);
                html.words(&worded(work)).raw("</a>");
            }
            None => {
                html.words(&worded(work));
            }
        }
    }
    html.close("div");
}

// -------------------------------------------------------------------------------------------------
// The schedules.

fn schedules_section(html: &mut Html, schedules: &[Description]) {
    html.raw("<section>\n<h2>Schedules</h2>\n");
    if schedules.is_empty() {
        html.element("p", "", schedules::NONE).raw("\n</section>\n");
        return;
    }
    html.raw("<div class=\"wide\"><table>\n<tr>");
    for head in schedules::COLUMNS {
        html.element("th", "", head);
    }
    html.raw("</tr>\n");
    for schedule in schedules {
        html.open("tr", "");
        let (cells, place) = (schedules::cells(schedule), schedule.place.as_ref());
        row(html, &schedules::COLUMNS, cells, place);
    }
    html.raw("</table></div>\n");
    timeline::heads(html);
    for schedule in schedules {
        timeline::draw(html, schedule);
    }
    html.raw("</section>\n");
}

// -------------------------------------------------------------------------------------------------
// The source.

/// The contents of the margin of a source line, and the diagnostics below it.
#[derive(Default)]
struct Line<'r> {
    copies: BTreeSet<(bool, u32, &'static str)>,
    diagnostics: Vec<&'r Collected>,
}

fn source(html: &mut Html, report: &Report<'_>) {
    let mut lines: BTreeMap<usize, Line<'_>> = BTreeMap::new();
    let here = |place: &&Place| place.file == report.source.name();
    for transfer in report.traffic.iter().flat_map(|traffic| &traffic.transfers) {
        if let Some(place) = transfer.place.as_ref().filter(here) {
            let copy = (transfer.to_host, transfer.channel, note(transfer));
            // Several programs may contain the same line, because functions are inlined.
            lines.entry(place.line).or_default().copies.insert(copy);
        }
    }
    for diagnostic in &report.diagnostics {
        if let Some(place) = diagnostic.place.as_ref().filter(here) {
            lines
                .entry(place.line)
                .or_default()
                .diagnostics
                .push(diagnostic);
        }
    }
    html.raw("<section>\n<h2>Source</h2>\n<div class=\"wide\"><table class=\"source\">\n");
    for (text, number) in report.source.text().lines().zip(1..) {
        let line = lines.remove(&number).unwrap_or_default();
        let _ = write!(html.text, "<tr id=\"line-{number}\"><td class=\"margin\">");
        for (to_host, channel, note) in &line.copies {
            let arrow = if *to_host { "to host" } else { "to graph" };
            html.element(
                "span",
                &format!("copy {note}"),
                &format!("{channel} {arrow}"),
            );
        }
        let _ = write!(
            html.text,
            "</td><td class=\"number\">{number}</td><td><code>"
        );
        html.words(text).raw("</code>");
        for diagnostic in line.diagnostics {
            html.open("div", severity(diagnostic.severity))
                .words(&diagnostic.message)
                .close("div");
        }
        html.raw("</td></tr>\n");
    }
    html.raw("</table></div>\n</section>\n");
}
