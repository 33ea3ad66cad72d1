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
//! The connection ends when MLIR's server exits: after the notification `exit`, or at the end of
//! the editor's output. The exit code is that of MLIR's server. If MLIR's server crashes, a new one
//! is started with the same initialization and the open documents; requests without a reply get an
//! error.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufReader};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
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
const INTERNAL_ERROR: i32 = -32603;

/// The number of crashes of MLIR's server after which the session ends: a server that crashes again
/// and again helps nobody.
const MOST_CRASHES: usize = 10;

/// The identifier of the request that initializes a new server.
const RESTART: &str = "tfx-lsp-server: restart";

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
    let (mut server, input, mut output) = start_server(arguments)?;
    let (to_server, from_client) = channel::<Message>();
    let (to_client, from_server) = channel::<Vec<u8>>();
    let shared = Arc::new(Shared {
        documents: Mutex::default(),
        published: Condvar::new(),
        is_pretty: cli.pretty || cli.lit_test,
        to_client: Mutex::new(Some(to_client)),
        requests: Mutex::default(),
        input: Mutex::new(Some(input)),
    });

    let delay = if cli.lit_test { Duration::ZERO } else { DELAY };
    let results = Arc::clone(&shared);
    let analyses = Analyses::start(arguments, delay, move |text, diagnostics| {
        results.analyzed(&text, diagnostics);
    })?;

    let writer = spawn("to client", move || write_output(&from_server))?;
    let inputs = Arc::clone(&shared);
    spawn("to server", move || inputs.write_input(&from_client))?;
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

    let mut crashes = 0;
    let status = loop {
        shared.forward_replies(&mut BufReader::new(output));
        let status = server.wait()?;
        crashes += 1;
        if status.code().is_some() || crashes > MOST_CRASHES {
            break status;
        }
        eprintln!("tfx-lsp-server: the MLIR server crashed ({status}) and is started again");
        let input;
        (server, input, output) = start_server(arguments)?;
        // This thread reads the replies, for which the new server may wait.
        let restarted = Arc::clone(&shared);
        spawn("restart", move || restarted.restart(input))?;
    };
    analyses.stop();
    shared.close();
    // The thread ends with its queue.
    let _ = writer.join();
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

/// A message of the client.
struct Message {
    bytes: Vec<u8>,
    parsed: Value,
}

/// The requests of the client, as far as a new server needs them.
#[derive(Default)]
struct Requests {
    /// The request with which the client started.
    initialize: Option<Value>,
    /// The identifiers of requests without a reply, by their text.
    open: BTreeMap<String, Value>,
}

/// The state that the threads share.
struct Shared {
    documents: Mutex<Documents>,
    /// Notified when diagnostics have been published.
    published: Condvar,
    is_pretty: bool,
    /// The output queue, until the connection ends.
    to_client: Mutex<Option<Sender<Vec<u8>>>>,
    requests: Mutex<Requests>,
    /// The input of MLIR's server, until the client's messages end.
    input: Mutex<Option<ChildStdin>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn send(&self, message: Vec<u8>) {
        if let Some(queue) = &*lock(&self.to_client) {
            // The writer ends before its queue only if the client is gone.
            let _ = queue.send(message);
        }
    }

    fn close(&self) {
        *lock(&self.to_client) = None;
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
            if parsed["id"] == RESTART {
                continue;
            }
            if let Some(id) = parsed.get("id").filter(|_| parsed["method"].is_null()) {
                lock(&self.requests).open.remove(&id.to_string());
            }
            let mut documents = lock(&self.documents);
            let instead = documents.upstream(&parsed);
            self.send(instead.map_or(message, |instead| self.print(&instead)));
            drop(documents);
            self.published.notify_all();
        }
    }

    /// Remembers a request that is written to MLIR's server.
    fn note_request(&self, message: Value) {
        let Some(id) = message.get("id").filter(|_| message["method"].is_string()) else {
            return;
        };
        let mut requests = lock(&self.requests);
        requests.open.insert(id.to_string(), id.clone());
        if message["method"] == "initialize" {
            requests.initialize = Some(message);
        }
    }

    /// Brings a new server into the state of the one that crashed. Requests that were written to
    /// that one and have no reply get an error.
    fn restart(&self, mut input: ChildStdin) {
        // Messages of the client wait meanwhile.
        let mut current = lock(&self.input);
        let mut requests = lock(&self.requests);
        for id in std::mem::take(&mut requests.open).into_values() {
            let error =
                json!({"code": INTERNAL_ERROR, "message": "MLIR's language server crashed"});
            self.send(self.print(&json!({"jsonrpc": "2.0", "id": id, "error": error})));
        }
        let mut messages = Vec::new();
        if let Some(mut initialize) = requests.initialize.clone() {
            initialize["id"] = RESTART.into();
            messages.push(initialize);
            messages.push(json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
        }
        drop(requests);
        let mut documents = lock(&self.documents);
        let (opened, report) = documents.reopen();
        messages.extend(opened);
        if let Some(report) = report {
            self.send(self.print(&report));
        }
        drop(documents);
        // After the client's last message, the new server has to end, too.
        if current.is_some() {
            for message in messages {
                // A further crash is handled where the replies are read.
                let _ = frames::write(&mut input, message.to_string().as_bytes());
            }
            *current = Some(input);
        }
    }

    /// Writes the messages for MLIR's server, and closes its input when the queue ends.
    fn write_input(&self, messages: &Receiver<Message>) {
        for Message { bytes, parsed } in messages {
            if let Some(input) = &mut *lock(&self.input) {
                self.note_request(parsed);
                // If the server has ended, the thread that reads from it handles that.
                let _ = frames::write(input, &bytes);
            }
        }
        *lock(&self.input) = None;
    }

    /// Publishes the result of an analysis.
    fn analyzed(&self, text: &Text, diagnostics: Vec<Value>) {
        let mut documents = lock(&self.documents);
        if let Some(message) = documents.analyzed(text, diagnostics) {
            self.send(self.print(&message));
        }
        drop(documents);
        self.published.notify_all();
    }

    /// Waits until all diagnostics of a text are published.
    fn wait_for(&self, text: &Text) {
        let waited =
            self.published
                .wait_timeout_while(lock(&self.documents), TEST_WAIT, |documents| {
                    !documents.is_settled(text)
                });
        drop(waited);
    }
}

/// The messages of the editor.
struct Client {
    shared: Arc<Shared>,
    analyses: Analyses,
    to_server: Sender<Message>,
    /// Each text waits for its diagnostics.
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
        let change = lock(&self.shared.documents).client(&parsed);
        let message = Message {
            bytes: message,
            parsed,
        };
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
