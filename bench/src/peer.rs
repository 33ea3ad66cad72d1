//! Upstream's passes in a separate process, which can be stopped: a pass cannot be cancelled, and
//! some upstream passes take hours.
//!
//! ```text
//!   this process                              tfx-bench peer PIPELINE SIZE CLOCK
//!     size of the text, the text  ──stdin──►    parse
//!                                 ◄─stdout──    "ready"
//!     "run"                       ──stdin──►    clone, run
//!                                 ◄─stdout──    a `Sample`, as JSON
//!                                 ◄─stdout──    first run: operations of the result, as JSON
//! ```
//!
//! The process ends when its standard input is closed, even during a run, so it does not outlive
//! the benchmark.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use serde::de::DeserializeOwned;
use tfx_ir::diag::Collector;
use tfx_ir::module;

use crate::clock::Clock;
use crate::harness::{self, Contender, Sample};

/// The subcommand of a process that [`serve`]s.
pub(crate) const COMMAND: &str = "peer";
const READY: &str = "ready";
const RUN: &str = "run";

/// A process that parses a program and runs a pipeline on clones of it.
pub(crate) struct Peer {
    name: &'static str,
    process: Child,
    requests: ChildStdin,
    answers: Receiver<String>,
    has_run: bool,
}

impl Peer {
    /// Starts the process, which parses a program.
    pub(crate) fn start(
        contender: &Contender,
        text: &str,
        size: usize,
        clock: Clock,
    ) -> Result<Self> {
        let program = std::env::current_exe()?;
        let mut process = Command::new(program)
            .args([COMMAND, contender.pipeline, &size.to_string(), clock.name()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context(contender.name)?;
        let requests = process.stdin.take().context("a process has no input")?;
        let output = process.stdout.take().context("a process has no output")?;
        let (sender, answers) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            lines.map(|line| sender.send(line)).all(|sent| sent.is_ok())
        });
        let mut peer = Self {
            name: contender.name,
            process,
            requests,
            answers,
            has_run: false,
        };
        peer.request(&format!("{}\n{text}", text.len()))?;
        match peer.answers.recv() {
            Ok(line) if line == READY => Ok(peer),
            _ => Err(anyhow!("{}: a shape does not parse", contender.name)),
        }
    }

    /// Runs the pipeline once; returns `None` if that takes longer than `limit`, after which the
    /// process must not be used.
    pub(crate) fn run(&mut self, limit: Duration) -> Result<Option<Sample>> {
        self.request(&format!("{RUN}\n"))?;
        let Some(mut sample) = self.answer::<Sample>(limit)? else {
            return Ok(None);
        };
        if !self.has_run {
            sample.operations = self.answer(limit)?.flatten();
        }
        self.has_run = true;
        Ok(Some(sample))
    }

    fn request(&mut self, text: &str) -> Result<()> {
        let sent = self.requests.write_all(text.as_bytes());
        let sent = sent.and_then(|()| self.requests.flush());
        sent.context(self.name)
    }

    fn answer<A: DeserializeOwned>(&self, limit: Duration) -> Result<Option<A>> {
        match self.answers.recv_timeout(limit) {
            Ok(line) => serde_json::from_str(&line)
                .map(Some)
                .map_err(|_| anyhow!("{}: {line}", self.name)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                Err(anyhow!("{}: its process has ended", self.name))
            }
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Both fail only if the process has ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The arguments of the process.
#[derive(Args)]
pub(crate) struct Settings {
    pipeline: String,
    size: usize,
    clock: Clock,
}

/// Runs the process.
pub(crate) fn serve(settings: &Settings) -> Result<()> {
    let (sender, requests) = channel();
    thread::spawn(move || {
        // Nobody waits for a run that is in progress.
        let _ = read(&sender);
        std::process::exit(0);
    });
    let text = requests.recv()?;
    let context = harness::context();
    let _kept = Collector::new(&context);
    let original =
        module::parse(&context, &text, "bench.mlir").context("a shape does not parse")?;
    print_line(READY)?;
    for round in 0.. {
        if requests.recv().is_err() {
            break;
        }
        let sample = harness::run_once(&original, &settings.pipeline, round == 0, settings.clock);
        let (sample, copy) = match sample {
            Ok(sample) => sample,
            Err(why) => return print_line(&format!("{why:#}")),
        };
        print_line(&json(&sample)?)?;
        if round == 0 {
            print_line(&json(&harness::count_canonical(&copy, settings.size))?)?;
        }
    }
    Ok(())
}

fn read(sender: &Sender<String>) -> std::io::Result<()> {
    let mut input = std::io::stdin().lock();
    let mut line = String::new();
    input.read_line(&mut line)?;
    let size = line.trim().parse().map_err(std::io::Error::other)?;
    let mut text = vec![0; size];
    input.read_exact(&mut text)?;
    let text = String::from_utf8(text).map_err(std::io::Error::other)?;
    let sent = sender.send(text);
    for line in input.lines() {
        if sent.is_err() || sender.send(line?).is_err() {
            break;
        }
    }
    Ok(())
}

fn json<T: serde::Serialize>(value: &T) -> Result<String> {
    Ok(serde_json::to_string(value)?)
}

fn print_line(line: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}")?;
    Ok(output.flush()?)
}
