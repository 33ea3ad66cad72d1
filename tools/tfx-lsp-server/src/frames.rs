//! The messages of the Language Server Protocol in a stream of bytes.
//!
//! ```text
//!   standard     Content-Length: 17\r\n\r\n{"jsonrpc":"2.0"}
//!   delimited    {"jsonrpc":"2.0"}\n// -----\n       lines that start with // are comments
//! ```
//!
//! The contents are not parsed. A header without a valid length is skipped, as in MLIR's server.

use std::io::{self, BufRead, Read, Write};

use clap::ValueEnum;

/// The form of messages.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Style {
    /// A header with the length, as editors send it.
    Standard,
    /// Lines up to `// -----`.
    Delimited,
}

/// The longest message. A greater length is an error of the client, and would exhaust the memory;
/// MLIR's server has the same limit.
const LONGEST: u64 = 1 << 30;

/// The longest line of a header. A longer one is not a header.
const LONGEST_HEADER: u64 = 1 << 16;

/// Reads the contents of the next message; `None` at the end of the input.
///
/// # Errors
/// The input cannot be read, or ends within a message.
pub(crate) fn read(input: &mut impl BufRead, style: Style) -> io::Result<Option<Vec<u8>>> {
    match style {
        Style::Standard => read_standard(input),
        Style::Delimited => read_delimited(input),
    }
}

/// Writes a message with its header.
///
/// # Errors
/// The output cannot be written.
pub(crate) fn write(output: &mut impl Write, message: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", message.len())?;
    output.write_all(message)?;
    output.flush()
}

fn read_standard(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length: Option<u64> = None;
    loop {
        let mut line = Vec::new();
        if input.take(LONGEST_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
        match length {
            Some(length) if line.is_empty() && (1..=LONGEST).contains(&length) => {
                let mut message = Vec::new();
                if input.take(length).read_to_end(&mut message)? as u64 != length {
                    let reason = "the input ends within a message";
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, reason));
                }
                return Ok(Some(message));
            }
            Some(refused) if line.is_empty() => {
                eprintln!("tfx-lsp-server: a message of {refused} bytes is skipped");
                length = None;
            }
            _ => {}
        }
    }
}

fn read_delimited(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut message = Vec::new();
    loop {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            let is_blank = message.trim_ascii().is_empty();
            return Ok((!is_blank).then_some(message));
        }
        match line.trim_ascii() {
            b"// -----" if message.trim_ascii().is_empty() => message.clear(),
            b"// -----" => return Ok(Some(message)),
            comment if comment.starts_with(b"//") => {}
            _ => message.extend(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, style: Style) -> (Vec<String>, bool) {
        let mut input = text.as_bytes();
        let mut messages = Vec::new();
        loop {
            match read(&mut input, style) {
                Ok(Some(message)) => messages.push(String::from_utf8(message).unwrap()),
                Ok(None) => return (messages, true),
                Err(_) => return (messages, false),
            }
        }
    }

    #[test]
    fn headers_are_case_insensitive_and_others_are_ignored() {
        let text = "Content-Type: x\r\ncontent-length: 2\r\n\r\n{}Content-Length:3\n\n[1]";
        let messages = vec!["{}".to_owned(), "[1]".to_owned()];
        assert_eq!(all(text, Style::Standard), (messages, true));
    }

    #[test]
    fn impossible_lengths_are_skipped() {
        let good = "Content-Length: 2\r\n\r\n{}";
        for bad in ["0", "-1", "x", "1073741825", "99999999999999999999999"] {
            let text = format!("Content-Length: {bad}\r\n\r\n{good}");
            assert_eq!(
                all(&text, Style::Standard),
                (vec!["{}".to_owned()], true),
                "{bad}"
            );
        }
    }

    #[test]
    fn an_early_end_is_an_error() {
        assert_eq!(
            all("Content-Length: 5\r\n\r\n{}", Style::Standard),
            (vec![], false)
        );
        assert_eq!(all("Content-Length: 5", Style::Standard), (vec![], true));
    }

    #[test]
    fn delimiters_and_comments() {
        let text = "// a comment\n{\n}\n// -----\n// -----\n[\n// inner\n]";
        let messages = vec!["{\n}\n".to_owned(), "[\n]".to_owned()];
        assert_eq!(all(text, Style::Delimited), (messages, true));
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        write(&mut bytes, b"{}").unwrap();
        write(&mut bytes, b"[]").unwrap();
        let messages = vec!["{}".to_owned(), "[]".to_owned()];
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(all(&text, Style::Standard), (messages, true));
    }
}
