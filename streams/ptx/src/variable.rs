//! The parser of variables, of their initial content, and of declarations in memory.
//!
//! ```text
//!   .global .align 8 .u64 p[2] = {7, generic(table)+4};
//!           ───┬──── ─┬── ┬ ┬     ┬  ───────┬────────
//!          alignment type │ size  │     generic address of another variable
//!                        name   number
//! ```

use crate::error::{ParseError, Refusal};
use crate::lexer::Token;
use crate::memory::{CONST_LIMIT, GLOBAL_LIMIT, GLOBAL_VARIABLES, SHARED_LIMIT, generic};
use crate::model::{Space, Type, low};
use crate::parse::Parser;

/// The largest alignment, in bytes: that of the start of the memory of each space.
const ALIGN_LIMIT: u64 = 1024;
/// A variable of a module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub(crate) space: Space,
    /// The address in its space.
    pub(crate) address: u64,
    pub(crate) bytes: u64,
}

/// A declaration in memory: the type of its elements, its name and its size.
pub(crate) struct Declaration<'t> {
    pub(crate) name: &'t str,
    pub(crate) ty: Type,
    pub(crate) is_array: bool,
    pub(crate) bytes: u64,
    pub(crate) align: u64,
}

/// Declarations.
impl<'t> Parser<'t> {
    /// Parses a declaration after the directive of its space, up to its size, which is at most
    /// `limit` bytes.
    pub(crate) fn declaration(&mut self, limit: u64) -> Result<Declaration<'t>, ParseError> {
        let align = match self.cursor.take_word(".align") {
            true => Some(self.align()?),
            false => None,
        };
        let ty = self.ty()?;
        if ty == Type::Predicate {
            return Err(self
                .cursor
                .expected("a type with a size in memory before this"));
        }
        self.pointer_attributes()?;
        let name = self.cursor.name()?;
        let is_array = self.cursor.take_symbol('[');
        let mut bytes = ty.bytes() as u64;
        if is_array {
            let unit = "elements of a variable";
            bytes *= u64::from(self.cursor.bounded(limit, unit)?);
            self.cursor.symbol(']', "']'")?;
        }
        if bytes > limit {
            let unit = "bytes of variables of a state space";
            return Err(self.cursor.error(Refusal::TooLarge { limit, unit }));
        }
        Ok(Declaration {
            name,
            ty,
            is_array,
            bytes,
            align: align.unwrap_or(ty.bytes() as u64).max(ty.bytes() as u64),
        })
    }

    fn align(&mut self) -> Result<u64, ParseError> {
        let unit = "bytes as an alignment";
        let align = u64::from(self.cursor.bounded(ALIGN_LIMIT, unit)?);
        match align.is_power_of_two() {
            true => Ok(align),
            false => Err(self.cursor.expected("a power of two before this")),
        }
    }

    /// Parses a type.
    pub(crate) fn ty(&mut self) -> Result<Type, ParseError> {
        let Token::Word(word) = self.cursor.peek() else {
            return Err(self.cursor.expected("a type"));
        };
        let ty = word.strip_prefix('.').and_then(Type::parse);
        let ty = ty.ok_or_else(|| self.cursor.expected("a type of the subset"))?;
        self.cursor.take();
        Ok(ty)
    }

    /// Skips what the declaration of a parameter says about the memory that it points to.
    fn pointer_attributes(&mut self) -> Result<(), ParseError> {
        if !self.cursor.take_word(".ptr") {
            return Ok(());
        }
        for space in [".global", ".const", ".shared", ".local"] {
            self.cursor.take_word(space);
        }
        if self.cursor.take_word(".align") {
            self.align()?;
        }
        Ok(())
    }

    /// Parses a variable, from the directive of its space. One in a body belongs to the module.
    pub(crate) fn variable(&mut self, space: Space) -> Result<(), ParseError> {
        self.cursor.take();
        let (used, limit) = match space {
            Space::Const => (self.constant.len() as u64, CONST_LIMIT),
            Space::Shared => (self.shared_bytes, SHARED_LIMIT),
            _ => (self.global.len() as u64, GLOBAL_LIMIT),
        };
        let declaration = self.declaration(limit)?;
        let start = used.next_multiple_of(declaration.align);
        let end = start + declaration.bytes;
        if end > limit {
            let unit = "bytes of variables of a state space";
            return Err(self.cursor.error(Refusal::TooLarge { limit, unit }));
        }
        let base = if space == Space::Global {
            GLOBAL_VARIABLES
        } else {
            0
        };
        let variable = Variable {
            space,
            address: base + start,
            bytes: declaration.bytes,
        };
        let name = declaration.name;
        if self.variables.insert(name, variable).is_some() || self.function_names.contains_key(name)
        {
            return Err(self.cursor.error(Refusal::Duplicate(name.to_string())));
        }
        match space {
            Space::Const => self.constant.resize(end as usize, 0),
            Space::Shared => self.shared_bytes = end,
            _ => self.global.resize(end as usize, 0),
        }
        if self.cursor.take_symbol('=') {
            self.initializer(space, start as usize, &declaration)?;
        }
        self.cursor.symbol(';', "';'")
    }

    /// Parses the initial content of a variable, and stores it.
    fn initializer(
        &mut self,
        space: Space,
        start: usize,
        declaration: &Declaration<'t>,
    ) -> Result<(), ParseError> {
        let size = declaration.ty.bytes();
        let count = declaration.bytes as usize / size;
        let in_braces = declaration.is_array;
        if in_braces {
            self.cursor.symbol('{', "'{'")?;
        }
        for index in 0..count {
            if in_braces && self.cursor.peek() == Token::Symbol('}') {
                break;
            }
            if index > 0 {
                self.cursor.symbol(',', "','")?;
            }
            let value = self.initial_value(declaration.ty)?.to_le_bytes();
            let bank = match space {
                Space::Const => &mut self.constant,
                Space::Global => &mut self.global,
                _ => return Err(self.cursor.expected("no initial content")),
            };
            bank[start + index * size..][..size].copy_from_slice(&value[..size]);
        }
        if in_braces {
            self.cursor.symbol('}', "'}'")?;
        }
        Ok(())
    }

    /// Parses a number, or the address of a variable.
    fn initial_value(&mut self, ty: Type) -> Result<u64, ParseError> {
        match self.cursor.peek() {
            Token::Word("generic") => {
                self.cursor.take();
                self.cursor.symbol('(', "'('")?;
                let (variable, address) = self.variable_address(ty)?;
                self.cursor.symbol(')', "')'")?;
                let offset = self.cursor.offset()?;
                let address = generic(variable.space, address);
                Ok(address.wrapping_add_signed(i64::from(offset)))
            }
            Token::Word(_) => Ok(self.variable_address(ty)?.1),
            _ => self.constant(ty),
        }
    }

    /// Parses the name of a variable and an offset: the address in its space.
    fn variable_address(&mut self, ty: Type) -> Result<(Variable, u64), ParseError> {
        let error =
            |parser: &Self, name: &str| parser.cursor.error(Refusal::Unknown(name.to_string()));
        let name = self.cursor.name()?;
        let variable = self.variables.get(name).copied();
        let variable = variable.ok_or_else(|| error(self, name))?;
        if ty.bits() != 64 {
            return Err(error(self, name));
        }
        let offset = self.cursor.offset()?;
        Ok((
            variable,
            variable.address.wrapping_add_signed(i64::from(offset)),
        ))
    }

    /// Parses a number of a type.
    pub(crate) fn constant(&mut self, ty: Type) -> Result<u64, ParseError> {
        let found = self.cursor.expected("a number of the type");
        let bits = ty.bits();
        match self.cursor.peek() {
            Token::Single(value) if bits == 32 => {
                self.cursor.take();
                Ok(u64::from(value))
            }
            Token::Double(value) if bits == 64 => {
                self.cursor.take();
                Ok(value)
            }
            Token::Integer(_) | Token::Symbol('-') if !ty.is_float() => {
                let value = self.cursor.signed()?;
                match ty {
                    Type::Predicate => Ok(u64::from(value != 0)),
                    _ if value >= -(1 << (bits - 1)) && value < 1 << bits => {
                        Ok(low(value as u64, bits))
                    }
                    _ => Err(found),
                }
            }
            _ => Err(found),
        }
    }
}
