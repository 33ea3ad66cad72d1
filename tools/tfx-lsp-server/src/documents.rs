//! The open documents: their newest texts, and the diagnostics of both sources for these.
//!
//! ```text
//!   didOpen, didChange ──► text, a new generation ──► the analysis of this generation
//!   diagnostics of MLIR's server for its version ──┐
//!   diagnostics of the analysis ───────────────────┴─► publishDiagnostics
//! ```
//!
//! MLIR's diagnostics are published at once, and again with those of tfx when both are known for
//! the same text. The result of an outdated generation is dropped. A document whose text cannot be
//! determined (a change by ranges, which MLIR's server does not offer) is not analyzed.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Identifies one text of one document.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Hash)]
pub(crate) struct Generation(u64);

/// A text to analyze.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Text {
    pub(crate) uri: String,
    pub(crate) generation: Generation,
    pub(crate) text: String,
}

/// The effect of a message of the client on the analyses.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Change {
    /// A document has a new text.
    Text(Text),
    /// A document has no text that can be analyzed.
    Gone(String),
}

#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: BTreeMap<String, Document>,
    generations: u64,
    /// The document that changed last.
    last: Option<String>,
}

#[derive(Debug)]
struct Document {
    generation: Generation,
    /// The client's number for the text.
    version: Value,
    text: String,
    /// The parameters with which MLIR's server published its diagnostics of this text.
    upstream: Option<Value>,
    /// The diagnostics of the analysis.
    analysis: Option<Vec<Value>>,
}

impl Documents {
    /// Follows a message of the client.
    pub(crate) fn client(&mut self, message: &Value) -> Option<Change> {
        let params = &message["params"];
        let document = &params["textDocument"];
        let uri = document["uri"].as_str()?.to_owned();
        match message["method"].as_str()? {
            "textDocument/didOpen" => self.text(uri, &document["version"], &document["text"]),
            "textDocument/didChange" if self.open.contains_key(&uri) => {
                let changes = params["contentChanges"].as_array().map(Vec::as_slice);
                // As MLIR's server, which offers whole texts.
                let text = match changes {
                    Some([change]) if change["range"].is_null() => &change["text"],
                    _ => &Value::Null,
                };
                self.text(uri, &document["version"], text)
            }
            "textDocument/didClose" => {
                self.open.remove(&uri);
                Some(Change::Gone(uri))
            }
            _ => None,
        }
    }

    fn text(&mut self, uri: String, version: &Value, text: &Value) -> Option<Change> {
        let Some(text) = text.as_str() else {
            self.open.remove(&uri);
            return Some(Change::Gone(uri));
        };
        self.generations += 1;
        let generation = Generation(self.generations);
        let document = Document {
            generation,
            version: version.clone(),
            text: text.to_owned(),
            upstream: None,
            analysis: None,
        };
        self.last = Some(uri.clone());
        self.open.insert(uri.clone(), document);
        Some(Change::Text(Text {
            uri,
            generation,
            text: text.to_owned(),
        }))
    }

    /// Follows a message of MLIR's server. Returns the message to send instead, if it differs.
    pub(crate) fn upstream(&mut self, message: &Value) -> Option<Value> {
        if message["method"] != PUBLISH {
            return None;
        }
        let params = &message["params"];
        let document = self.open.get_mut(params["uri"].as_str()?)?;
        if params["version"] != document.version {
            return None;
        }
        document.upstream = Some(params.clone());
        document.merged()
    }

    /// Adds the result of an analysis. Returns the message to send, if there is one to send now.
    pub(crate) fn analyzed(&mut self, text: &Text, diagnostics: Vec<Value>) -> Option<Value> {
        let document = self.open.get_mut(&text.uri)?;
        if document.generation != text.generation {
            return None;
        }
        document.analysis = Some(diagnostics);
        document.merged()
    }

    /// Returns the messages after a crash of MLIR's server: those that open the documents in a new
    /// one, and a diagnostic for the client. The text that changed last may be the reason, and is
    /// not opened again until it changes.
    pub(crate) fn reopen(&mut self) -> (Vec<Value>, Option<Value>) {
        let suspect = self.last.take();
        let mut messages = Vec::new();
        let mut report = None;
        for (uri, document) in &mut self.open {
            document.upstream = None;
            if suspect.as_ref() == Some(uri) {
                let position = json!({"line": 0, "character": 0});
                let diagnostic = json!({
                    "range": {"start": position, "end": position},
                    "severity": 1,
                    "source": "tfx",
                    "message": "internal error: MLIR's language server crashed, perhaps on this text; it is used again after the next edit",
                });
                let params = json!({
                    "uri": uri,
                    "version": document.version,
                    "diagnostics": [diagnostic],
                });
                document.upstream = Some(params.clone());
                report = Some(json!({"jsonrpc": "2.0", "method": PUBLISH, "params": params}));
                continue;
            }
            let document = json!({
                "uri": uri,
                "languageId": "mlir",
                "version": document.version,
                "text": document.text,
            });
            messages.push(json!({
                "jsonrpc": "2.0",
                "method": "textDocument/didOpen",
                "params": {"textDocument": document},
            }));
        }
        (messages, report)
    }

    /// Returns whether nothing more will be published for this text.
    pub(crate) fn is_settled(&self, text: &Text) -> bool {
        let document = self.open.get(&text.uri);
        let document = document.filter(|document| document.generation == text.generation);
        document.is_none_or(|document| document.upstream.is_some() && document.analysis.is_some())
    }
}

/// The notification of diagnostics.
const PUBLISH: &str = "textDocument/publishDiagnostics";

impl Document {
    /// Returns the notification with all diagnostics, if the analysis adds any.
    fn merged(&self) -> Option<Value> {
        let mut params = self.upstream.clone()?;
        let ours = self.analysis.as_ref().filter(|list| !list.is_empty())?;
        match params["diagnostics"].as_array_mut() {
            Some(list) => list.extend(ours.iter().cloned()),
            None => params["diagnostics"] = json!(ours),
        }
        Some(json!({"jsonrpc": "2.0", "method": PUBLISH, "params": params}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(documents: &mut Documents, version: i32, text: &str) -> Text {
        let document = json!({"uri": "file:///a", "version": version, "text": text});
        change(documents, "didOpen", json!({"textDocument": document}))
    }

    fn edit(documents: &mut Documents, version: i32, text: &str) -> Text {
        let params = json!({
            "textDocument": {"uri": "file:///a", "version": version},
            "contentChanges": [{"text": text}],
        });
        change(documents, "didChange", params)
    }

    fn change(documents: &mut Documents, what: &str, params: Value) -> Text {
        let message = json!({"method": format!("textDocument/{what}"), "params": params});
        match documents.client(&message) {
            Some(Change::Text(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    fn published(version: i32, list: Value) -> Value {
        json!({
            "jsonrpc": "2.0",
            "method": PUBLISH,
            "params": {"uri": "file:///a", "version": version, "diagnostics": list},
        })
    }

    #[test]
    fn both_orders_give_both_diagnostics() {
        let both = Some(published(1, json!(["mlir", "tfx"])));
        let mut documents = Documents::default();
        let text = open(&mut documents, 1, "x");
        assert_eq!(documents.upstream(&published(1, json!(["mlir"]))), None);
        assert!(!documents.is_settled(&text));
        assert_eq!(documents.analyzed(&text, vec![json!("tfx")]), both);
        assert!(documents.is_settled(&text));

        let text = edit(&mut documents, 1, "y");
        assert_eq!(documents.analyzed(&text, vec![json!("tfx")]), None);
        assert_eq!(documents.upstream(&published(1, json!(["mlir"]))), both);
    }

    #[test]
    fn outdated_results_are_dropped() {
        let mut documents = Documents::default();
        let old = open(&mut documents, 1, "x");
        let new = edit(&mut documents, 2, "y");
        assert_eq!(documents.upstream(&published(1, json!([]))), None);
        assert_eq!(documents.analyzed(&old, vec![json!("old")]), None);
        assert_eq!(documents.upstream(&published(2, json!([]))), None);
        let message = documents.analyzed(&new, vec![json!("new")]);
        assert_eq!(message, Some(published(2, json!(["new"]))));
    }

    #[test]
    fn nothing_is_sent_again_without_diagnostics_of_the_analysis() {
        let mut documents = Documents::default();
        let text = open(&mut documents, 1, "x");
        assert_eq!(documents.analyzed(&text, vec![]), None);
        assert_eq!(documents.upstream(&published(1, json!(["mlir"]))), None);
        assert!(documents.is_settled(&text));
    }

    #[test]
    fn closed_and_unknown_documents_have_no_text() {
        let mut documents = Documents::default();
        let text = open(&mut documents, 1, "x");
        let uri = json!({"textDocument": {"uri": "file:///a"}});
        let close = json!({"method": "textDocument/didClose", "params": uri});
        let gone = Some(Change::Gone("file:///a".to_owned()));
        assert_eq!(documents.client(&close), gone);
        assert_eq!(documents.analyzed(&text, vec![json!("tfx")]), None);
        let never_opened = json!({
            "method": "textDocument/didChange",
            "params": {"textDocument": {"uri": "file:///a"}, "contentChanges": [{"text": ""}]},
        });
        assert_eq!(documents.client(&never_opened), None);
    }

    #[test]
    fn changes_by_ranges_are_not_analyzed() {
        let mut documents = Documents::default();
        open(&mut documents, 1, "x");
        let change = json!({
            "method": "textDocument/didChange",
            "params": {
                "textDocument": {"uri": "file:///a", "version": 2},
                "contentChanges": [{"range": {}, "text": "y"}],
            },
        });
        let gone = Some(Change::Gone("file:///a".to_owned()));
        assert_eq!(documents.client(&change), gone);
    }

    #[test]
    fn a_crash_reopens_all_but_the_last_text() {
        let mut documents = Documents::default();
        open(&mut documents, 1, "x");
        let other = json!({"uri": "file:///b", "version": 7, "text": "y"});
        change(&mut documents, "didOpen", json!({"textDocument": other}));
        let (messages, report) = documents.reopen();
        assert_eq!(messages.len(), 1);
        let document = &messages[0]["params"]["textDocument"];
        assert_eq!(
            (&document["uri"], &document["text"]),
            (&json!("file:///a"), &json!("x"))
        );
        let report = report.unwrap();
        assert_eq!(report["params"]["uri"], "file:///b");
        assert_eq!(report["params"]["version"], 7);
        // A second crash without a change in between has another reason.
        let (messages, report) = documents.reopen();
        assert_eq!((messages.len(), report), (2, None));
    }

    #[test]
    fn any_json_is_accepted() {
        let mut documents = Documents::default();
        for message in [
            json!(null),
            json!([1]),
            json!({"method": 3}),
            json!({"method": "textDocument/didOpen"}),
            json!({"method": "textDocument/didOpen", "params": {"textDocument": {"uri": 1}}}),
        ] {
            assert_eq!(documents.client(&message), None);
            assert_eq!(documents.upstream(&message), None);
        }
    }
}
