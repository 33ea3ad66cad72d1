//! The tokens of PTX text.
//!
//! ```text
//!   @%p1 bra $L__BB0_2;    // comment      @  %p1  bra  $L__BB0_2  ;
//!   ld.param.b64 %rd3, [x+8];              ld.param.b64  %rd3  ,  [  x  +  8  ]  ;
//! ```
//!
//! An opcode with its modifiers is one word, and so is a directive with its dot. Constants of
//! floating-point numbers are written with their bits: `0f3F800000` and `0d3FF0000000000000`.
//! Cost: linear in the text.

use crate::error::{ParseError, Refusal};

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// A name, a directive, or an opcode with its modifiers.
    Word(&'t str),
    Integer(u64),
    /// The bits of a number of 32 bits.
    Single(u32),
    /// The bits of a number of 64 bits.
    Double(u64),
    Symbol(char),
    /// A string, or a decimal fraction: they occur only in directives that are ignored.
    Other(&'t str),
    End,
}

/// A token and its line, counted from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexeme<'t> {
    pub(crate) token: Token<'t>,
    pub(crate) line: u32,
}

/// Splits a text into tokens, with [`Token::End`] as the last one.
pub(crate) fn lex(text: &str) -> Result<Vec<Lexeme<'_>>, ParseError> {
    let mut lexer = Lexer {
        text,
        position: 0,
        line: 1,
    };
    let mut lexemes = Vec::with_capacity(text.len() / 4);
    loop {
        lexer.skip_blanks()?;
        let line = lexer.line;
        let token = lexer.token()?;
        lexemes.push(Lexeme { token, line });
        if token == Token::End {
            return Ok(lexemes);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    position: usize,
    line: u32,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.position..]
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    /// Takes the bytes for which a condition holds. They are of ASCII.
    fn take_while(&mut self, condition: impl Fn(u8) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.bytes().position(|byte| !condition(byte));
        let taken = &rest[..end.unwrap_or(rest.len())];
        self.position += taken.len();
        taken
    }

    fn error(&self, expected: &'static str) -> ParseError {
        let found = self.rest().chars().next();
        ParseError {
            line: self.line,
            refusal: Refusal::Syntax {
                expected,
                found: found.map_or("end of text".to_string(), String::from),
            },
        }
    }

    /// Skips spaces and comments.
    fn skip_blanks(&mut self) -> Result<(), ParseError> {
        loop {
            let rest = self.rest();
            if rest.starts_with("//") {
                self.position += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let end = rest
                    .find("*/")
                    .ok_or_else(|| self.error("the end of a comment"))?;
                self.skip(end + 2);
            } else if let Some(b' ' | b'\t' | b'\r' | b'\n') = self.byte() {
                self.skip(1);
            } else {
                return Ok(());
            }
        }
    }

    /// Skips bytes, and counts their lines.
    fn skip(&mut self, bytes: usize) {
        let skipped = &self.rest()[..bytes];
        self.line += skipped.bytes().filter(|byte| *byte == b'\n').count() as u32;
        self.position += bytes;
    }

    fn token(&mut self) -> Result<Token<'t>, ParseError> {
        match self.byte() {
            None => Ok(Token::End),
            Some(b'0'..=b'9') => self.number(),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'%' | b'.') => Ok(self.word()),
            Some(b'"') => self.string(),
            Some(byte @ b',' | byte @ b';' | byte @ b':' | byte @ b'@' | byte @ b'!')
            | Some(byte @ b'{' | byte @ b'}' | byte @ b'[' | byte @ b']' | byte @ b'(')
            | Some(byte @ b')' | byte @ b'<' | byte @ b'>' | byte @ b'+' | byte @ b'-')
            | Some(byte @ b'=' | byte @ b'|') => {
                self.position += 1;
                Ok(Token::Symbol(char::from(byte)))
            }
            Some(_) => Err(self.error("a token")),
        }
    }

    fn word(&mut self) -> Token<'t> {
        let start = self.position;
        self.position += 1;
        self.take_while(|byte| byte.is_ascii_alphanumeric() || b"_$.".contains(&byte));
        Token::Word(&self.text[start..self.position])
    }

    fn string(&mut self) -> Result<Token<'t>, ParseError> {
        let rest = &self.rest()[1..];
        let end = rest
            .find('"')
            .ok_or_else(|| self.error("the end of a string"))?;
        self.skip(end + 2);
        Ok(Token::Other(&rest[..end]))
    }

    fn number(&mut self) -> Result<Token<'t>, ParseError> {
        let start = self.position;
        let text = self.take_while(|byte| byte.is_ascii_alphanumeric());
        if self.byte() == Some(b'.') {
            self.position += 1;
            self.take_while(|byte| byte.is_ascii_alphanumeric());
            return Ok(Token::Other(&self.text[start..self.position]));
        }
        parse_number(text).ok_or_else(|| {
            self.position = start;
            self.error("a number")
        })
    }
}

fn parse_number<'t>(text: &str) -> Option<Token<'t>> {
    let hexadecimal = |digits: &str, count: usize| {
        let is_valid = digits.len() == count && digits.bytes().all(|b| b.is_ascii_hexdigit());
        is_valid
            .then(|| u64::from_str_radix(digits, 16).ok())
            .flatten()
    };
    if let Some(digits) = text.strip_prefix("0f").or_else(|| text.strip_prefix("0F")) {
        return hexadecimal(digits, 8).map(|bits| Token::Single(bits as u32));
    }
    if let Some(digits) = text.strip_prefix("0d").or_else(|| text.strip_prefix("0D")) {
        return hexadecimal(digits, 16).map(Token::Double);
    }
    let text = text.strip_suffix('U').unwrap_or(text);
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        // A number that starts with 0 is octal in PTX, and is not emitted.
        None if text.len() > 1 && text.starts_with('0') => return None,
        None => (text, 10),
    };
    u64::from_str_radix(digits, radix).ok().map(Token::Integer)
}
