//! Sessions of an editor, on the standard streams of the server.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longer than any reply takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program with a round trip.
const COPIES: &str = r#"func.func private @host(tensor<4xf32>) -> tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = func.call @host(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}"#;

struct Client {
    server: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    requests: u64,
}

impl Client {
    fn start() -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_tfx-lsp-server"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let input = server.stdin.take().expect("a pipe");
        let output = server.stdout.take().expect("a pipe");
        let (sender, messages) = channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut client = Self {
            server,
            input,
            messages,
            requests: 0,
        };
        let reply = client.request("initialize", json!({"capabilities": {}}));
        assert_eq!(reply["capabilities"]["hoverProvider"], true);
        client.notify("initialized", json!({}));
        client
    }

    fn send(&mut self, message: &Value) {
        self.send_bytes(message.to_string().as_bytes());
    }

    fn send_bytes(&mut self, message: &[u8]) {
        write!(self.input, "Content-Length: {}\r\n\r\n", message.len()).expect("it reads");
        self.input.write_all(message).expect("it reads");
        self.input.flush().expect("it reads");
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Returns the result of a request.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.wait(|message| message["id"] == id)["result"].clone()
    }

    /// Returns the next message that is expected; drops those before it.
    fn wait(&self, is_expected: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left).expect("a message");
            if is_expected(&message) {
                return message;
            }
        }
    }

    /// Returns the diagnostics of a version that contain at least one of a source.
    fn diagnostics(&self, uri: &str, version: u32, source: &str) -> Vec<Value> {
        let message = self.wait(|message| {
            let params = &message["params"];
            params["uri"] == uri
                && params["version"] == version
                && list(&params["diagnostics"])
                    .iter()
                    .any(|one| one["source"] == source)
        });
        list(&message["params"]["diagnostics"])
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "mlir", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn change(&mut self, uri: &str, version: u32, text: &str) {
        let params = json!({
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [{"text": text}],
        });
        self.notify("textDocument/didChange", params);
    }

    fn at(&mut self, what: &str, uri: &str, line: u32, character: u32) -> Value {
        let position = json!({"line": line, "character": character});
        let params = json!({"textDocument": {"uri": uri}, "position": position});
        self.request(&format!("textDocument/{what}"), params)
    }

    /// Ends the first child of the server by a signal, as a crash does.
    fn crash_the_mlir_server(&self) {
        let process = self.server.id();
        let children = format!("/proc/{process}/task/{process}/children");
        let children = std::fs::read_to_string(children).expect("Linux");
        let child = children.split_whitespace().next().expect("a child");
        let ended = Command::new("kill").args(["-KILL", child]).status();
        assert!(ended.expect("kill").success());
    }

    fn finish(mut self) -> ExitStatus {
        self.request("shutdown", json!(null));
        self.notify("exit", json!(null));
        self.server.wait().expect("it ends")
    }
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn read(output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim() {
            "" => break,
            header => {
                let (name, value) = header.split_once(": ").expect("a header");
                assert_eq!(name, "Content-Length");
                length = value.parse().expect("a length");
            }
        }
    }
    let mut message = vec![0; length];
    output.read_exact(&mut message).ok()?;
    Some(serde_json::from_slice(&message).expect("JSON"))
}

#[test]
fn a_session() {
    let mut client = Client::start();
    let uri = "file:///a%20folder/a.mlir";
    client.open(uri, COPIES);
    let diagnostics = client.diagnostics(uri, 1, "tfx");
    assert_eq!(diagnostics.len(), 1);
    let warning = &diagnostics[0];
    assert_eq!(
        (&warning["severity"], &warning["code"]),
        (&json!(2), &json!("round-trip"))
    );
    assert_eq!(
        warning["range"]["start"],
        json!({"line": 3, "character": 7})
    );
    let notes = list(&warning["relatedInformation"]);
    assert!(notes.len() >= 3 && notes.iter().all(|note| note["location"]["uri"] == uri));

    let hover = client.at("hover", uri, 2, 8);
    let words = hover["contents"]["value"].as_str().expect("a text");
    assert!(words.contains("tfx_tensor.op"), "{words}");
    let definition = client.at("definition", uri, 3, 23);
    assert_eq!(
        definition[0]["range"]["start"],
        json!({"line": 2, "character": 2})
    );
    let completion = client.at("completion", uri, 2, 7);
    let labels = list(&completion["items"]);
    assert!(labels.iter().any(|item| item["label"] == "tfx_tensor"));

    // A syntax error, and then a program without copies.
    client.change(uri, 2, "func.func @f() { return %x }");
    let diagnostics = client.diagnostics(uri, 2, "mlir");
    assert!(diagnostics.iter().all(|one| one["source"] == "mlir"));
    client.change(uri, 3, "func.func @f() { return }");
    let empty = client.wait(|message| message["params"]["version"] == 3);
    assert_eq!(empty["params"]["diagnostics"], json!([]));
    assert!(client.finish().success());
}

#[test]
fn several_documents_and_fast_edits() {
    let mut client = Client::start();
    let uris = ["file:///a.mlir", "file:///b.mlir", "file:///c.mlir"];
    for uri in uris {
        client.open(uri, "");
    }
    // Only the last text of each is analyzed.
    for version in 2..40 {
        for uri in uris {
            client.change(uri, version, &format!("// {version}\n{COPIES}"));
        }
    }
    for uri in uris {
        let diagnostics = client.diagnostics(uri, 39, "tfx");
        assert_eq!(diagnostics[0]["range"]["start"]["line"], 4);
    }
    client.notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uris[0]}}),
    );
    client.wait(|message| {
        message["params"] == json!({"uri": uris[0], "version": 39, "diagnostics": []})
    });
    assert!(client.finish().success());
}

#[test]
fn what_is_not_a_program_does_not_end_the_session() {
    let mut client = Client::start();
    for message in [
        &b"{"[..],
        b"[]",
        b"3",
        b"\xff\xfe",
        b"{\"jsonrpc\":\"1.0\"}",
    ] {
        client.send_bytes(message);
        let reply = client.wait(|message| message["id"].is_null() && message["error"].is_object());
        assert!(reply["error"]["code"].as_i64() < Some(-32000));
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    client.send_bytes(deep.as_bytes());
    client.wait(|message| message["error"].is_object());

    let uri = "file:///a.mlir";
    client.open(uri, "This is not MLIR: \u{1F600}\u{0}\u{1}");
    client.diagnostics(uri, 1, "mlir");
    let nest = 3000;
    let deep = format!(
        "func.func @f(%c: i1) {{\n{}{}return }}",
        "scf.if %c {\n".repeat(nest),
        "}\n".repeat(nest)
    );
    client.change(uri, 2, &deep);
    client.change("file:///never-opened.mlir", 1, COPIES);
    client.change(uri, 3, COPIES);
    client.diagnostics(uri, 3, "tfx");
    assert!(client.finish().success());
}

#[test]
fn a_large_program_does_not_delay_requests() {
    let mut client = Client::start();
    let (large, small) = ("file:///large.mlir", "file:///small.mlir");
    let mut text = COPIES.trim_end_matches('}').to_owned();
    text.truncate(text.find("  return").expect("a return"));
    let mut last = "%c".to_owned();
    for index in 0..5000 {
        text += &format!(
            "  %t{index} = func.call @host({last}) : (tensor<4xf32>) -> tensor<4xf32>\n  %u{index} = tfx_tensor.op \"Neg\"(%t{index}) : (tensor<4xf32>) -> tensor<4xf32>\n"
        );
        last = format!("%u{index}");
    }
    text += &format!("  return {last} : tensor<4xf32>\n}}\n");
    client.open(large, &text);
    client.open(small, COPIES);
    // While the analysis of the large program runs, or waits.
    let start = Instant::now();
    client.at("hover", small, 2, 8);
    assert!(start.elapsed() < PATIENCE / 4);
    // The edit ends the analysis of the large text.
    client.change(large, 2, COPIES);
    client.diagnostics(large, 2, "tfx");
    assert!(client.finish().success());
}

#[test]
fn a_crash_of_the_mlir_server_does_not_end_the_session() {
    let mut client = Client::start();
    let (first, second) = ("file:///a.mlir", "file:///b.mlir");
    client.open(first, COPIES);
    client.diagnostics(first, 1, "tfx");
    client.open(second, COPIES);
    client.diagnostics(second, 1, "tfx");

    client.crash_the_mlir_server();
    let message = client.wait(|message| {
        let diagnostics = list(&message["params"]["diagnostics"]);
        diagnostics.iter().any(|one| {
            let words = one["message"].as_str().unwrap_or_default();
            words.starts_with("internal error: MLIR's language server crashed")
        })
    });
    assert_eq!(message["params"]["uri"], second);
    // The other document is open again, and this one after its next change.
    client.diagnostics(first, 1, "tfx");
    let hover = client.at("hover", first, 2, 8);
    assert!(hover["contents"]["value"].is_string());
    client.change(second, 2, COPIES);
    client.diagnostics(second, 2, "tfx");
    assert!(client.at("hover", second, 2, 8)["contents"]["value"].is_string());
    assert!(client.finish().success());
}

#[test]
fn the_end_of_the_input_ends_the_server() {
    let Client {
        mut server,
        mut input,
        messages,
        ..
    } = Client::start();
    input
        .write_all(b"Content-Length: 10\r\n\r\n{")
        .expect("it reads");
    drop(input);
    assert!(!server.wait().expect("it ends").success());
    let end = messages.recv_timeout(PATIENCE);
    assert_eq!(end, Err(RecvTimeoutError::Disconnected));
}
