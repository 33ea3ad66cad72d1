//! The test of each candidate: does the command show the bug?

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tfx::{Error, ErrorKind};

/// The polling interval for a running command: short compared with the time to start one.
const LOOK: Duration = Duration::from_millis(2);
/// The number that a shell adds to the signal that ended its command.
const SIGNALS: i32 = 128;

/// The condition under which a candidate is interesting.
#[derive(Debug)]
pub(crate) struct Test {
    /// The command and its arguments; `{}` stands for the file.
    pub(crate) command: Vec<String>,
    /// The text that it must print.
    pub(crate) expect: Option<String>,
    /// `true` if it must exceed its time limit.
    pub(crate) hangs: bool,
    /// The time limit.
    pub(crate) seconds: u64,
}

impl Test {
    /// Returns whether the command shows the bug on a file.
    ///
    /// # Errors
    /// The command cannot be run.
    pub(crate) fn is_shown_by(&self, file: &Path) -> Result<bool, Error> {
        let failed = |error: io::Error| {
            let command = self.command.join(" ");
            Error::new(ErrorKind::Tool, format!("cannot run '{command}': {error}"))
        };
        let folder = tempfile::tempdir().map_err(failed)?;
        let (output, errors) = (folder.path().join("out"), folder.path().join("err"));
        let (program, arguments) = self.command_on(file);
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(File::create(&output).map_err(failed)?)
            .stderr(File::create(&errors).map_err(failed)?)
            .spawn()
            .map_err(failed)?;
        let end = Instant::now() + Duration::from_secs(self.seconds);
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                break Some(status);
            }
            if Instant::now() >= end {
                child.kill().and_then(|()| child.wait()).map_err(failed)?;
                break None;
            }
            thread::sleep(LOOK);
        };
        Ok(match (&self.expect, status) {
            (_, None) => self.hangs,
            (_, Some(_)) if self.hangs => false,
            (None, Some(status)) => is_killed(status),
            (Some(text), Some(_)) => [output, errors].iter().any(|file| {
                let file = std::fs::read(file).unwrap_or_default();
                String::from_utf8_lossy(&file).contains(text)
            }),
        })
    }

    /// Returns the executable and its arguments.
    fn command_on(&self, file: &Path) -> (OsString, Vec<OsString>) {
        const FILE: &str = "{}";
        let named = self.command.iter().any(|word| word.contains(FILE));
        let name = file.to_string_lossy();
        let mut words: Vec<OsString> = self
            .command
            .iter()
            .map(|word| word.replace(FILE, &name).into())
            .collect();
        if !named {
            words.push(file.into());
        }
        let arguments = words.split_off(1);
        (words.remove(0), arguments)
    }

    /// Returns why a program is not interesting, as the end of a sentence.
    pub(crate) fn what_is_missing(&self) -> String {
        let command = self.command.join(" ");
        match &self.expect {
            Some(text) => format!("'{command}' does not print '{text}'"),
            None if self.hangs => format!("'{command}' ends within {} s", self.seconds),
            None => {
                format!(
                    "'{command}' is not killed by a signal; use --expect for a text that it prints"
                )
            }
        }
    }
}

/// Returns whether a signal ended the command, directly or in a shell.
fn is_killed(status: ExitStatus) -> bool {
    status.signal().is_some() || status.code().is_some_and(|code| code > SIGNALS)
}
