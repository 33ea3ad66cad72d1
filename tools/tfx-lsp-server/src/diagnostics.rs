//! Diagnostics of tfx as those of the Language Server Protocol.
//!
//! ```text
//!   Collected:  severity, file:line:col, message, notes
//!   LSP:        severity, range of a token in UTF-16, message, related information
//! ```
//!
//! A diagnostic appears in the open document. If its location is in another file
//! (`loc("f.py":1:2)`), the first of its callers in the document takes its place, or the first
//! line, and the location itself is related information. Notes without a location are appended to
//! the message.

use std::path::Path;

use serde_json::{Value, json};
use tfx::diag::{Collected, Severity};
use tfx::location::Place;
use tfx::report;

/// The source that editors show after the message.
const SOURCE: &str = "tfx";

/// The document that the diagnostics are for.
pub(crate) struct Document<'t> {
    /// Also the file in locations of the document.
    uri: &'t str,
    lines: Vec<&'t str>,
}

impl<'t> Document<'t> {
    pub(crate) fn new(uri: &'t str, text: &'t str) -> Self {
        let lines = text.split('\n').collect();
        Self { uri, lines }
    }

    /// Converts a diagnostic.
    pub(crate) fn convert(&self, diagnostic: &Collected) -> Value {
        let here = diagnostic
            .places
            .iter()
            .find(|place| place.file == self.uri);
        let elsewhere = diagnostic.place.iter().filter(|place| Some(*place) != here);
        let mut message = diagnostic.message.clone();
        let mut related: Vec<Value> = elsewhere
            .filter_map(|place| self.related(place, "the location of this diagnostic"))
            .collect();
        for note in &diagnostic.notes {
            let place = note.place.as_ref();
            match place.and_then(|place| self.related(place, &note.message)) {
                Some(note) => related.push(note),
                None => message += &format!("\nnote: {}", note.message),
            }
        }
        json!({
            "range": self.range(here),
            "severity": severity(diagnostic.severity),
            "code": report::code(diagnostic),
            "source": SOURCE,
            "message": message,
            "relatedInformation": related,
        })
    }

    fn related(&self, place: &Place, message: &str) -> Option<Value> {
        let uri = self.uri_of(&place.file)?;
        let range = match place.file == self.uri {
            true => self.range(Some(place)),
            // The columns of another file are bytes of an unknown line.
            false => at(place.line.saturating_sub(1), [0, 0]),
        };
        Some(json!({"location": {"uri": uri, "range": range}, "message": message}))
    }

    /// Returns the URI of a file that a location names, relative to the folder of the document.
    fn uri_of(&self, file: &str) -> Option<String> {
        if file == self.uri {
            return Some(file.to_owned());
        }
        if Path::new(file).is_absolute() {
            return Some(report::uri(file));
        }
        let (folder, _) = self.uri.rsplit_once('/')?;
        (folder.starts_with("file://") && !file.is_empty())
            .then(|| format!("{folder}/{}", report::uri(file)))
    }

    /// Returns the range of the token at a place.
    fn range(&self, place: Option<&Place>) -> Value {
        let Some(place) = place.filter(|place| place.line > 0) else {
            return at(0, [0, 0]);
        };
        let line = self.lines.get(place.line - 1).copied().unwrap_or_default();
        let token = report::token(line, place.column);
        let (before, token) = (&line[..token.start], &line[token]);
        let units = |text: &str| text.encode_utf16().count();
        let start = units(before);
        at(place.line - 1, [start, start + units(token)])
    }
}

fn at(line: usize, [start, end]: [usize; 2]) -> Value {
    let position = |character: usize| json!({"line": line, "character": character});
    json!({"start": position(start), "end": position(end)})
}

fn severity(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Remark | Severity::Note => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URI: &str = "file:///folder/a.mlir";

    fn place(file: &str, line: usize, column: usize) -> Place {
        let file = file.to_owned();
        Place { file, line, column }
    }

    fn converted(text: &str, places: Vec<Place>, notes: Vec<Collected>) -> Value {
        let error = Collected::error(places.first().cloned(), "wrong");
        let diagnostic = Collected {
            places,
            notes,
            ..error
        };
        Document::new(URI, text).convert(&diagnostic)
    }

    #[test]
    fn ranges_are_tokens_in_utf_16() {
        let of = |text: &str, line, column| {
            let value = converted(text, vec![place(URI, line, column)], vec![]);
            let range = &value["range"];
            assert_eq!(range["start"]["line"], range["end"]["line"]);
            let number = |value: &Value| value.as_u64().unwrap();
            let start = number(&range["start"]["character"]);
            (
                number(&range["start"]["line"]),
                start..number(&range["end"]["character"]),
            )
        };
        assert_eq!(of("\n  %x = foo.bar(%y)", 2, 8), (1, 7..14));
        assert_eq!(of("/*\u{1F600}*/ f()", 1, 10), (0, 7..8));
        assert_eq!(of("f", 1, 2), (0, 1..1));
        // Places that are not in the text.
        assert_eq!(of("\u{1F600}", 1, 3), (0, 0..2));
        assert_eq!(of("f", 9, 4), (8, 0..0));
        assert_eq!(of("f", 0, 0), (0, 0..0));
        assert_eq!(of("f", 1, 99), (0, 1..1));
    }

    #[test]
    fn locations_in_other_files_are_related_information() {
        let places = vec![place("f.py", 3, 1), place(URI, 2, 1)];
        let value = converted("a\nb", places, vec![]);
        assert_eq!(value["range"], at(1, [0, 1]));
        let related = &value["relatedInformation"];
        assert_eq!(related[0]["location"]["uri"], "file:///folder/f.py");
        assert_eq!(related[0]["location"]["range"], at(2, [0, 0]));
        let value = converted("a", vec![place("/x y.py", 3, 1)], vec![]);
        assert_eq!(value["range"], at(0, [0, 0]));
        let related = &value["relatedInformation"];
        assert_eq!(related[0]["location"]["uri"], "file:///x%20y.py");
    }

    #[test]
    fn notes_without_a_location_are_a_part_of_the_message() {
        let placed = Collected::error(Some(place(URI, 1, 1)), "here");
        let notes = vec![Collected::error(None, "reason"), placed];
        let value = converted("a", vec![place(URI, 1, 1)], notes);
        assert_eq!(value["message"], "wrong\nnote: reason");
        assert_eq!(value["relatedInformation"][0]["message"], "here");
    }
}
