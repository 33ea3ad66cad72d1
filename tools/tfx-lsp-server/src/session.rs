//! One connection: the threads between the editor, MLIR's server and the analyses.
//!
//! ```text
//!   thread       reads                        writes
//!   main         messages of MLIR's server    output queue
//!   client       messages of the editor       input queue, texts to analyze
//!   to server    input queue                  input of MLIR's server
//!   to client    output queue                 standard output
//!   analyses     results of children          output queue
//! ```
//!
//! The queues are unbounded, so that no reader waits for a writer: an editor that does not read, or
//! a server that parses a large file, delays no other thread. The lock of the documents is held
//! while a message is put into the output queue; hence notifications are in the order of their
//! texts.
//!
//! The connection ends when MLIR's server ends: after the notification `exit`, or at the end of the
//! editor's output. The exit code is that of MLIR's server.

use std::ffi::OsString;
use std::io::{self, BufReader};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Cli;
use crate::analysis::{Analyses, DELAY};
use crate::documents::{Change, Documents, Text};
use crate::frames::{self, Style};

/// The time that a lit test waits for diagnostics: longer than any extraction on a busy machine.
const TEST_WAIT: Duration = Duration::from_secs(60);

/// The error codes of JSON-RPC.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// Serves one client until it disconnects. `arguments` are those of this process.
pub(crate) fn run(cli: &Cli, arguments: &[OsString]) -> ExitCode {
    match connect(cli, arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: the server cannot start: {error}");
            ExitCode::FAILURE
        }
    }
}

fn connect(cli: &Cli, arguments: &[OsString]) -> io::Result<ExitCode> {
    let (mut server, input, output) = start_server(arguments)?;
    let (to_server, from_client) = channel::<Vec<u8>>();
    let (to_client, from_server) = channel::<Vec<u8>>();
    let shared = Arc::new(Shared {
        documents: Mutex::default(),
        published: Condvar::new(),
        is_pretty: cli.pretty || cli.lit_test,
        to_client: Mutex::new(Some(to_client)),
    });

    let delay = if cli.lit_test { Duration::ZERO } else { DELAY };
    let results = Arc::clone(&shared);
    let analyses = Analyses::start(arguments, delay, move |text, diagnostics| {
        results.analyzed(&text, diagnostics);
    })?;

    let writer = spawn("to client", move || write_output(&from_server))?;
    spawn("to server", move || write_input(&from_client, input))?;
    let style = if cli.lit_test {
        Style::Delimited
    } else {
        cli.input_style
    };
    let client = Client {
        shared: Arc::clone(&shared),
        analyses: analyses.clone(),
        to_server,
        waits: cli.lit_test,
    };
    spawn("client", move || client.read(style))?;

    shared.forward_replies(&mut BufReader::new(output));
    analyses.stop();
    shared.close();
    // The thread ends with its queue.
    let _ = writer.join();
    let status = server.wait()?;
    Ok(match status.code() {
        Some(0) => ExitCode::SUCCESS,
        Some(_) => ExitCode::FAILURE,
        None => {
            eprintln!("error: the MLIR server ended ({status})");
            ExitCode::FAILURE
        }
    })
}

fn start_server(arguments: &[OsString]) -> io::Result<(Child, ChildStdin, ChildStdout)> {
    let mut server = Command::new(std::env::current_exe()?)
        .args(arguments)
        .arg("--upstream")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    match (server.stdin.take(), server.stdout.take()) {
        (Some(input), Some(output)) => Ok((server, input, output)),
        _ => Err(io::Error::other("the child has no streams")),
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<thread::JoinHandle<()>> {
    thread::Builder::new().name(name.to_owned()).spawn(work)
}

/// The state that the threads share.
struct Shared {
    documents: Mutex<Documents>,
    /// Notified when diagnostics have been published.
    published: Condvar,
    is_pretty: bool,
    /// The output queue, until the connection ends.
    to_client: Mutex<Option<Sender<Vec<u8>>>>,
}

impl Shared {
    fn send(&self, message: Vec<u8>) {
        let queue = self.to_client.lock();
        if let Some(queue) = &*queue.unwrap_or_else(PoisonError::into_inner) {
            // The writer ends before its queue only if the client is gone.
            let _ = queue.send(message);
        }
    }

    fn close(&self) {
        let queue = self.to_client.lock();
        *queue.unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn print(&self, message: &Value) -> Vec<u8> {
        match self.is_pretty {
            // With a line break, as MLIR's server.
            true => format!("{message:#}\n").into_bytes(),
            false => message.to_string().into_bytes(),
        }
    }

    /// Forwards the messages of MLIR's server until its output ends.
    fn forward_replies(&self, output: &mut BufReader<ChildStdout>) {
        loop {
            let message = match frames::read(output, Style::Standard) {
                Ok(Some(message)) => message,
                Ok(None) => return,
                Err(error) => {
                    eprintln!("tfx-lsp-server: cannot read from the MLIR server: {error}");
                    return;
                }
            };
            let parsed = serde_json::from_slice::<Value>(&message).unwrap_or_default();
            let documents = self.documents.lock();
            let mut documents = documents.unwrap_or_else(PoisonError::into_inner);
            let instead = documents.upstream(&parsed);
            self.send(instead.map_or(message, |instead| self.print(&instead)));
            drop(documents);
            self.published.notify_all();
        }
    }

    /// Publishes the result of an analysis.
    fn analyzed(&self, text: &Text, diagnostics: Vec<Value>) {
        let documents = self.documents.lock();
        let mut documents = documents.unwrap_or_else(PoisonError::into_inner);
        if let Some(message) = documents.analyzed(text, diagnostics) {
            self.send(self.print(&message));
        }
        drop(documents);
        self.published.notify_all();
    }

    /// Waits until all diagnostics of a text are published.
    fn wait_for(&self, text: &Text) {
        let documents = self.documents.lock();
        let documents = documents.unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .published
            .wait_timeout_while(documents, TEST_WAIT, |documents| {
                !documents.is_settled(text)
            });
        drop(waited);
    }
}

/// The messages of the editor.
struct Client {
    shared: Arc<Shared>,
    analyses: Analyses,
    to_server: Sender<Vec<u8>>,
    /// Whether the diagnostics of each text are waited for.
    waits: bool,
}

impl Client {
    /// Forwards messages until the input ends. Then the queue to MLIR's server closes.
    fn read(self, style: Style) {
        let mut input = BufReader::new(io::stdin());
        loop {
            match frames::read(&mut input, style) {
                Ok(Some(message)) => {
                    if !self.forward(message) {
                        return;
                    }
                }
                Ok(None) => return,
                Err(error) => {
                    eprintln!("tfx-lsp-server: cannot read from the client: {error}");
                    return;
                }
            }
        }
    }

    /// Forwards a message, and follows changes of documents. Returns false if MLIR's server is
    /// gone.
    fn forward(&self, message: Vec<u8>) -> bool {
        let parsed = match checked(&message) {
            Ok(parsed) => parsed,
            Err(reply) => {
                self.shared.send(self.shared.print(&reply));
                return true;
            }
        };
        let documents = self.shared.documents.lock();
        let change = documents
            .unwrap_or_else(PoisonError::into_inner)
            .client(&parsed);
        drop(parsed);
        if self.to_server.send(message).is_err() {
            return false;
        }
        match change {
            Some(Change::Text(text)) if self.waits => {
                self.analyses.submit(text.clone());
                self.shared.wait_for(&text);
            }
            Some(Change::Text(text)) => self.analyses.submit(text),
            Some(Change::Gone(uri)) => self.analyses.cancel(&uri),
            None => {}
        }
        true
    }
}

/// Parses a message of the editor. MLIR's server ends at a message that is not one of JSON-RPC.
///
/// # Errors
/// The reply to something that is not a message.
fn checked(message: &[u8]) -> Result<Value, Value> {
    let refused = |code: i32, reason: String| json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": reason}});
    let parsed = serde_json::from_slice::<Value>(message)
        .map_err(|error| refused(PARSE_ERROR, format!("expected JSON: {error}")))?;
    let has_subject = parsed["method"].is_string() || parsed.get("id").is_some();
    if parsed["jsonrpc"] == "2.0" && has_subject {
        return Ok(parsed);
    }
    let reason = "expected a request, a notification or a response of JSON-RPC 2.0";
    Err(refused(INVALID_REQUEST, reason.to_owned()))
}

/// Writes the messages for MLIR's server, and closes its input when the queue ends.
fn write_input(messages: &Receiver<Vec<u8>>, mut input: ChildStdin) {
    for message in messages {
        // If the server has ended, the thread that reads from it ends the connection.
        if frames::write(&mut input, &message).is_err() {
            return;
        }
    }
}

/// Writes the messages for the editor.
fn write_output(messages: &Receiver<Vec<u8>>) {
    let mut output = io::stdout();
    for message in messages {
        if frames::write(&mut output, &message).is_err() {
            // The client is gone: the end of the process closes the input of MLIR's server, which
            // then ends, too.
            std::process::exit(1);
        }
    }
}
