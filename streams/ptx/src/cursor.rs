//! A position in the tokens of a text.

use crate::error::{ParseError, Refusal};
use crate::lexer::{Lexeme, Token};

/// The tokens that are not parsed yet.
pub(crate) struct Cursor<'t> {
    lexemes: Vec<Lexeme<'t>>,
    next: usize,
}

impl<'t> Cursor<'t> {
    /// Starts at the first token. The last one is [`Token::End`].
    pub(crate) fn new(lexemes: Vec<Lexeme<'t>>) -> Self {
        Self { lexemes, next: 0 }
    }

    fn lexeme(&self, ahead: usize) -> Lexeme<'t> {
        let end = Lexeme {
            token: Token::End,
            line: self.lexemes.last().map_or(1, |lexeme| lexeme.line),
        };
        let lexeme = self.lexemes.get(self.next + ahead);
        lexeme.copied().unwrap_or(end)
    }

    /// Returns the next token.
    pub(crate) fn peek(&self) -> Token<'t> {
        self.lexeme(0).token
    }

    /// Returns the token after the next one.
    pub(crate) fn peek_second(&self) -> Token<'t> {
        self.lexeme(1).token
    }

    /// Returns the tokens that are not parsed yet.
    pub(crate) fn ahead(&self) -> impl Iterator<Item = Token<'t>> {
        let rest = self.lexemes.get(self.next..).unwrap_or_default();
        rest.iter().map(|lexeme| lexeme.token)
    }

    /// Returns the line of the next token.
    pub(crate) fn line(&self) -> u32 {
        self.lexeme(0).line
    }

    /// Takes the next token.
    pub(crate) fn take(&mut self) -> Token<'t> {
        let token = self.peek();
        self.next += 1;
        token
    }

    /// Returns an error at the next token.
    pub(crate) fn error(&self, refusal: Refusal) -> ParseError {
        ParseError {
            line: self.line(),
            refusal,
        }
    }

    /// Returns an error about the next token.
    pub(crate) fn expected(&self, expected: &'static str) -> ParseError {
        let found = match self.peek() {
            Token::Word(text) | Token::Other(text) => text.to_string(),
            Token::Integer(value) => value.to_string(),
            Token::Single(bits) => format!("0f{bits:08X}"),
            Token::Double(bits) => format!("0d{bits:016X}"),
            Token::Symbol(symbol) => symbol.to_string(),
            Token::End => "end of text".to_string(),
        };
        self.error(Refusal::Syntax { expected, found })
    }

    /// Takes a symbol if it is the next token.
    pub(crate) fn take_symbol(&mut self, symbol: char) -> bool {
        let is_next = self.peek() == Token::Symbol(symbol);
        self.next += usize::from(is_next);
        is_next
    }

    /// Takes a word if it is the next token.
    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let is_next = self.peek() == Token::Word(word);
        self.next += usize::from(is_next);
        is_next
    }

    /// Takes an integer if it is the next token.
    pub(crate) fn take_integer(&mut self, value: u64) -> bool {
        let is_next = self.peek() == Token::Integer(value);
        self.next += usize::from(is_next);
        is_next
    }

    /// Takes a symbol, which is described by `expected`.
    pub(crate) fn symbol(
        &mut self,
        symbol: char,
        expected: &'static str,
    ) -> Result<(), ParseError> {
        match self.take_symbol(symbol) {
            true => Ok(()),
            false => Err(self.expected(expected)),
        }
    }

    /// Takes a name: a word that is not a directive.
    pub(crate) fn name(&mut self) -> Result<&'t str, ParseError> {
        match self.peek() {
            Token::Word(name) if !name.starts_with('.') => {
                self.next += 1;
                Ok(name)
            }
            _ => Err(self.expected("a name")),
        }
    }

    /// Takes an integer without a sign.
    pub(crate) fn integer(&mut self) -> Result<u64, ParseError> {
        match self.peek() {
            Token::Integer(value) => {
                self.next += 1;
                Ok(value)
            }
            _ => Err(self.expected("an integer")),
        }
    }

    /// Takes an integer without a sign, of at most `limit` of `unit`.
    pub(crate) fn bounded(&mut self, limit: u64, unit: &'static str) -> Result<u32, ParseError> {
        let error = self.error(Refusal::TooLarge { limit, unit });
        let value = self.integer()?;
        match u32::try_from(value) {
            Ok(small) if value <= limit => Ok(small),
            _ => Err(error),
        }
    }

    /// Takes an integer with a sign.
    pub(crate) fn signed(&mut self) -> Result<i128, ParseError> {
        let is_negative = self.take_symbol('-');
        let value = i128::from(self.integer()?);
        Ok(if is_negative { -value } else { value })
    }

    /// Takes the offset after the name or register of an address: `+8`, `+-8`, `-8` or nothing.
    pub(crate) fn offset(&mut self) -> Result<i32, ParseError> {
        let error = self.error(Refusal::TooLarge {
            limit: u64::from(i32::MAX.unsigned_abs()),
            unit: "bytes as an offset",
        });
        let has_offset = self.take_symbol('+') || self.peek() == Token::Symbol('-');
        let offset = if has_offset { self.signed()? } else { 0 };
        i32::try_from(offset).map_err(|_| error)
    }

    /// Skips the tokens of the line of the next token.
    pub(crate) fn skip_line(&mut self) {
        let line = self.line();
        while self.line() == line && self.peek() != Token::End {
            self.next += 1;
        }
    }

    /// Skips everything up to a closing brace, after its opening brace.
    pub(crate) fn skip_braces(&mut self) -> Result<(), ParseError> {
        while !self.take_symbol('}') {
            if self.peek() == Token::End {
                return Err(self.expected("'}'"));
            }
            self.next += 1;
        }
        Ok(())
    }
}
