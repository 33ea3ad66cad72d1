//! The report as SARIF 2.1.0, the format for what analyses find (OASIS, 2020).
//!
//! ```text
//!   diagnostic   result with a rule, a level, a place, and the calls through which it was inlined as a stack
//!   its notes    related locations; those of a round trip are a code flow, too, so that an editor can step through it
//! ```
//!
//! Nothing in it depends on the day or the machine: the same program gives the same bytes.

use serde_json::{Value, json};
use tfx_ir::diag::{Collected, Severity};
use tfx_ir::location::Place;

use super::Report;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const VERSION: &str = "2.1.0";

/// What a result is an instance of: the words that its message has, the rule's name, and what the rule says.
struct Rule {
    words: &'static str,
    id: &'static str,
    text: &'static str,
}

/// The first that fits counts; the last fits all.
const RULES: [Rule; 7] = [
    Rule {
        words: "makes the accelerator wait for the host",
        id: "round-trip",
        text: "A value leaves the accelerator, host code uses it, and the result goes back.",
    },
    Rule {
        words: "the accelerator stalls in",
        id: "order-stall",
        text: "An effect uses a value that left the accelerator, and by the order of effects what the accelerator needs next is sent after it.",
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
        text: "A value is copied one way in a loop, so that who sends may run ahead.",
    },
    Rule {
        words: "both sides compute this",
        id: "replicated",
        text: "The accelerator and the host compute the same, so that it need not be copied.",
    },
    Rule {
        words: "",
        id: "compile",
        text: "What else the compiler says of a program.",
    },
];

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
    let results: Vec<Value> = results.map(|said| result(said, &places)).collect();
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
    let fits = |rule: &&Rule| diagnostic.message.contains(rule.words);
    let rule = RULES
        .iter()
        .position(|rule| fits(&rule))
        .unwrap_or_default();
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
        result["stacks"] =
            json!([{"message": {"text": "the calls that were inlined"}, "frames": calls}]);
    }
    result
}

/// Whether a note is a leg of a round trip, and not the loop that it is in or advice.
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

/// The source, in which columns are counted.
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

    /// MLIR counts bytes, SARIF letters. Of another file than the source only the bytes are known.
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

/// A path as a relative or absolute URI reference: what a URI may not have is written in hexadecimal.
fn uri(file: &str) -> String {
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
