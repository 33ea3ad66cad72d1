//! The extraction of texts in child processes.
//!
//! ```text
//!   submit(text) ──► waits DELAY ──► child: the text on its input, diagnostics on its output ──► done
//!        │                             ▲
//!        └── a newer text of the same document ends the child
//! ```
//!
//! One child runs at a time; documents that wait are analyzed in the order of their changes.
//!
//! The child splits the text where MLIR's server does. Each part is parsed with the lines before it
//! replaced by empty ones, so that its locations are those of the document. A part without an
//! operation of tfx is not a program of tfx, and is not extracted; diagnostics of the parser are
//! omitted, because MLIR's server reports them.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use melior::Context;
use serde_json::{Value, json};
use tfx::Source;
use tfx::diag::{Collected, Collector};
use tfx::ir::{Op, module};
use tfx::options::{CompileOptions, ExtractOptions};

use crate::diagnostics::Document;
use crate::documents::Text;

/// The time without an edit after which a text is analyzed: shorter than a pause in typing is felt,
/// longer than the time between two keys.
pub(crate) const DELAY: Duration = Duration::from_millis(200);

/// The separator of the parts of a split file, as in MLIR's server.
const SEPARATOR: &str = "// -----";

// -------------------------------------------------------------------------------------------------
// The parent.

/// The queue of texts, shared with the thread that runs the children.
#[derive(Clone)]
pub(crate) struct Analyses {
    shared: Arc<(Mutex<Queue>, Condvar)>,
    delay: Duration,
}

#[derive(Default)]
struct Queue {
    /// The texts that wait, and the times from which they may start; at most one for each document.
    waiting: Vec<(Instant, Text)>,
    running: Option<Running>,
}

/// The text that is analyzed now.
struct Running {
    uri: String,
    child: Child,
    is_cancelled: bool,
}

impl Running {
    fn cancel(&mut self) {
        self.is_cancelled = true;
        // It may have ended.
        let _ = self.child.kill();
    }
}

impl Analyses {
    /// Starts the thread. `arguments` are those of this process, which the children get too. `done`
    /// is called on the thread with each result that was not cancelled.
    pub(crate) fn start(
        arguments: &[OsString],
        delay: Duration,
        done: impl Fn(Text, Vec<Value>) + Send + 'static,
    ) -> io::Result<Self> {
        let analyses = Self {
            shared: Arc::default(),
            delay,
        };
        let (runner, arguments) = (analyses.clone(), arguments.to_vec());
        let name = "analyses".to_owned();
        thread::Builder::new().name(name).spawn(move || {
            loop {
                let (text, streams) = runner.next(&arguments);
                let result = match streams {
                    Ok(streams) => runner.analyze(&text, streams),
                    Err(error) => Some(vec![failed(&error.to_string())]),
                };
                if let Some(diagnostics) = result {
                    done(text, diagnostics);
                }
            }
        })?;
        Ok(analyses)
    }

    /// Analyzes a text instead of earlier ones of its document.
    pub(crate) fn submit(&self, text: Text) {
        let mut queue = self.lock();
        queue.cancel(&text.uri);
        queue.waiting.push((Instant::now() + self.delay, text));
        self.shared.1.notify_all();
    }

    /// Ends the analysis of a document.
    pub(crate) fn cancel(&self, uri: &str) {
        self.lock().cancel(uri);
    }

    /// Ends the child that runs, before this process ends.
    pub(crate) fn stop(&self) {
        let mut queue = self.lock();
        queue.waiting.clear();
        if let Some(running) = &mut queue.running {
            running.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next text whose time has come, and starts its child.
    fn next(&self, arguments: &[OsString]) -> (Text, io::Result<(ChildStdin, ChildStdout)>) {
        let mut queue = self.lock();
        loop {
            // Texts have equal delays, so the first is the next.
            let Some((start, _)) = queue.waiting.first() else {
                let woken = self.shared.1.wait(queue);
                queue = woken.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = start.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let (_, text) = queue.waiting.remove(0);
                let streams = queue.start(&text, arguments);
                return (text, streams);
            }
            let woken = self.shared.1.wait_timeout(queue, left);
            queue = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns the result of the child that runs, or `None` if it was cancelled.
    fn analyze(&self, text: &Text, streams: (ChildStdin, ChildStdout)) -> Option<Vec<Value>> {
        let (mut input, mut output) = streams;
        // The child reads all of its input before it writes.
        let written = input.write_all(text.text.as_bytes());
        drop(input);
        let mut printed = Vec::new();
        let read = output.read_to_end(&mut printed);
        let mut running = self.lock().running.take()?;
        let status = running.child.wait();
        if running.is_cancelled {
            return None;
        }
        let diagnostics = serde_json::from_slice(&printed).ok();
        Some(diagnostics.unwrap_or_else(|| {
            let reason = match (status, written.and(read.map(drop))) {
                (Ok(status), _) if !status.success() => status.to_string(),
                (Err(error), _) | (_, Err(error)) => error.to_string(),
                _ => "no output".to_owned(),
            };
            vec![failed(&reason)]
        }))
    }
}

impl Queue {
    fn start(
        &mut self,
        text: &Text,
        arguments: &[OsString],
    ) -> io::Result<(ChildStdin, ChildStdout)> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(arguments)
            .arg(format!("--analyze={}", text.uri))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let streams = child.stdin.take().zip(child.stdout.take());
        self.running = Some(Running {
            uri: text.uri.clone(),
            child,
            is_cancelled: false,
        });
        streams.ok_or_else(|| io::Error::other("the child has no streams"))
    }

    fn cancel(&mut self, uri: &str) {
        self.waiting.retain(|(_, waiting)| waiting.uri != uri);
        if let Some(running) = &mut self.running
            && running.uri == uri
        {
            running.cancel();
        }
    }
}

/// Returns the diagnostic for an analysis that did not end normally.
fn failed(reason: &str) -> Value {
    let position = json!({"line": 0, "character": 0});
    json!({
        "range": {"start": position, "end": position},
        "severity": 1,
        "source": "tfx",
        "message": format!("internal error: the analysis of this text failed ({reason})"),
    })
}

// -------------------------------------------------------------------------------------------------
// The child.

/// Prints the diagnostics of the text on standard input.
pub(crate) fn child(uri: &str, options: &ExtractOptions) -> ExitCode {
    let mut text = String::new();
    if let Err(error) = io::stdin().read_to_string(&mut text) {
        eprintln!("error: cannot read standard input: {error}");
        return ExitCode::FAILURE;
    }
    let document = Document::new(uri, &text);
    let diagnostics = parts(&text).flat_map(|part| {
        let found = diagnostics(&Source::new(uri, part), options);
        let converted = found.iter().map(|error| document.convert(error));
        converted.collect::<Vec<_>>()
    });
    let diagnostics = Value::Array(diagnostics.collect());
    match tfx::files::print(diagnostics.to_string()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Splits a text at the separators. Each part has its lines at their numbers.
fn parts(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut line = 0;
    text.split(SEPARATOR).map(move |part| {
        let before = "\n".repeat(line);
        line += part.matches('\n').count();
        before + part
    })
}

/// Returns the diagnostics of the extraction of a program. The parser's are not among them.
fn diagnostics(source: &Source, options: &ExtractOptions) -> Vec<Collected> {
    let context = Context::new();
    tfx::prepare(&context);
    let program = match source.parse(&context) {
        Ok(program) => program,
        Err(error) => {
            let collector = Collector::new(&context);
            let is_accepted = module::parse(&context, source.text(), source.name()).is_some();
            drop(collector);
            return match is_accepted {
                // An error of tfx, such as in the list of foreign files.
                true => error.into_diagnostics(),
                false => Vec::new(),
            };
        }
    };
    if !has_own_operations(module::as_op(program.module())) {
        return Vec::new();
    }
    let options = CompileOptions {
        extract: options.clone(),
        ..CompileOptions::default()
    };
    match program.with_options(options).extract() {
        Ok(extraction) => extraction.diagnostics,
        Err(error) => error.into_diagnostics(),
    }
}

/// Returns whether a module contains an operation of a dialect of tfx.
fn has_own_operations(module: Op<'_>) -> bool {
    module.walk().any(|op| op.name().starts_with("tfx_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_keep_their_lines() {
        let text = "a\nb\n// -----\nc\n  // ----- d\ne";
        let of = |text| parts(text).collect::<Vec<_>>();
        assert_eq!(of(text), ["a\nb\n", "\n\n\nc\n  ", "\n\n\n\n d\ne"]);
        assert_eq!(of(""), [""]);
    }

    #[test]
    fn only_programs_of_tfx_are_extracted() {
        let of = |text: &str| diagnostics(&Source::new("a", text), &ExtractOptions::default());
        let copies = r#"
            func.func private @host(tensor<4xf32>) -> tensor<4xf32>
            func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
              %a = tfx_tensor.op "Neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
              %b = func.call @host(%a) : (tensor<4xf32>) -> tensor<4xf32>
              %c = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
              return %c : tensor<4xf32>
            }"#;
        assert_eq!(of(copies).len(), 1);
        assert_eq!(of(&format!("{copies} }}")).len(), 0);
        assert_eq!(of("func.func @f() { return }").len(), 0);
    }
}
