//! The report as SARIF 2.1.0, the OASIS format for the results of static analyses (2020).
//!
//! ```text
//!   diagnostic   result with a rule, a level, a location, and the inlined calls as a stack
//!   its notes    related locations; the legs of a round trip are also a code flow, for editors
//! ```
//!
//! The output is deterministic: it depends neither on the date nor on the machine.

use serde_json::{Value, json};
use tfx_ir::diag::{Collected, Severity};
use tfx_ir::location::Place;

use super::Report;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const VERSION: &str = "2.1.0";

/// A rule: a phrase that the messages of its results contain, its identifier, and its description.
struct Rule {
    words: &'static str,
    id: &'static str,
    text: &'static str,
}

/// The rules. The first match counts; the last one matches all messages.
const RULES: [Rule; 7] = [
    Rule {
        words: "stalls the accelerator",
        id: "round-trip",
        text: "A value leaves the accelerator, host code uses it, and the result is copied back.",
    },
    Rule {
        words: "the accelerator stalls in",
        id: "order-stall",
        text: "An effect uses a value of the accelerator, and the order of effects delays the next value that the accelerator needs.",
    },
    Rule {
        words: "is copied from the host to the accelerator",
        id: "copy-to-accelerator",
        text: "A value is copied from the host to the accelerator.",
    },
    Rule {
        words: "is copied from the accelerator to the host",
        id: "copy-to-host",
        text: "A value is copied from the accelerator to the host.",
    },
    Rule {
        words: "may run ahead",
        id: "one-way",
        text: "A value is copied in one direction in a loop, so that the sender may run ahead.",
    },
    Rule {
        words: "both sides compute this",
        id: "replicated",
        text: "The accelerator and the host both compute this value, so that it is not copied.",
    },
    Rule {
        words: "",
        id: "compile",
        text: "Any other diagnostic of the compiler.",
    },
];

/// Returns the position in [`RULES`] of the rule of a diagnostic.
fn rule(diagnostic: &Collected) -> usize {
    let fits = |rule: &Rule| diagnostic.message.contains(rule.words);
    RULES.iter().position(fits).unwrap_or_default()
}

/// Returns the code of a diagnostic for tools: `round-trip`, `order-stall`, `copy-to-accelerator`,
/// `copy-to-host`, `one-way`, `replicated`, or `compile` for all others.
pub fn code(diagnostic: &Collected) -> &'static str {
    RULES[rule(diagnostic)].id
}

pub(super) fn log(report: &Report<'_>) -> String {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|rule| json!({"id": rule.id, "shortDescription": {"text": rule.text}}))
        .collect();
    let lines: Vec<&str> = report.source.text().lines().collect();
    let places = Places {
        file: report.source.name(),
        lines: &lines,
    };
    let results = report.diagnostics.iter();
    let results: Vec<Value> = results
        .map(|diagnostic| result(diagnostic, &places))
        .collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [{
            "tool": {"driver": {
                "name": "tfx",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn result(diagnostic: &Collected, places: &Places<'_>) -> Value {
    let location = |place: &Place, message: Option<&str>| places.location(place, message);
    let rule = rule(diagnostic);
    let mut result = json!({
        "ruleId": RULES[rule].id,
        "ruleIndex": rule,
        "level": level(diagnostic.severity),
        "message": {"text": diagnostic.message},
        "locations": diagnostic.place.iter().map(|place| location(place, None)).collect::<Vec<_>>(),
    });
    let notes = || diagnostic.notes.iter();
    let placed = || notes().filter_map(|note| Some((note.place.as_ref()?, &note.message)));
    let related: Vec<Value> = placed()
        .map(|(place, message)| location(place, Some(message)))
        .collect();
    if !related.is_empty() {
        result["relatedLocations"] = json!(related);
    }
    if RULES[rule].id == "round-trip" {
        let legs = placed().filter(|(_, message)| is_leg(message));
        let legs: Vec<Value> = legs
            .map(|(place, message)| json!({"location": location(place, Some(message))}))
            .collect();
        if !legs.is_empty() {
            result["codeFlows"] = json!([{"threadFlows": [{"locations": legs}]}]);
        }
    }
    let calls = placed().filter(|(_, message)| is_call(message));
    let calls: Vec<Value> = calls
        .map(|(place, message)| json!({"location": location(place, Some(message))}))
        .collect();
    if !calls.is_empty() {
        result["stacks"] = json!([{"message": {"text": "the inlined calls"}, "frames": calls}]);
    }
    result
}

/// Returns whether a note is a leg of a round trip, and not a loop or advice.
fn is_leg(message: &str) -> bool {
    const LEGS: [&str; 5] = [
        "this value is copied to the host",
        "host code uses it here",
        "and then here",
        "and so on",
        "its result is copied back",
    ];
    LEGS.iter().any(|leg| message.starts_with(leg))
}

fn is_call(message: &str) -> bool {
    message.starts_with("inlined here") || message.starts_with("which was inlined here")
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Remark | Severity::Note => "note",
    }
}

/// The source, for conversion of columns.
struct Places<'s> {
    file: &'s str,
    lines: &'s [&'s str],
}

impl Places<'_> {
    fn location(&self, place: &Place, message: Option<&str>) -> Value {
        let mut physical = json!({"artifactLocation": {"uri": uri(&place.file)}});
        // A region starts at line 1; the module itself has no line.
        if place.line > 0 {
            let column = self.column(place);
            physical["region"] = json!({"startLine": place.line, "startColumn": column});
        }
        let mut location = json!({"physicalLocation": physical});
        if let Some(message) = message {
            location["message"] = json!({"text": message});
        }
        location
    }

    /// Converts a column: MLIR counts bytes, SARIF counts characters. Lines of other files are not
    /// available, so their columns stay in bytes.
    fn column(&self, place: &Place) -> usize {
        let line = self.lines.get(place.line - 1);
        let line = line.filter(|_| place.file == self.file);
        let letters = line.map(|line| {
            let before = line.char_indices();
            before.filter(|(start, _)| start + 1 < place.column).count() + 1
        });
        letters.unwrap_or(place.column).max(1)
    }
}

/// Converts a path to a relative or absolute URI reference, with percent-encoding.
pub fn uri(file: &str) -> String {
    let mut text = String::new();
    for byte in file.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte);
        match plain {
            true => text.push(char::from(byte)),
            false => text.push_str(&format!("%{byte:02X}")),
        }
    }
    match text.starts_with('/') {
        true => format!("file://{text}"),
        false => text,
    }
}
