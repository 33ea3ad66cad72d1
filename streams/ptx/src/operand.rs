//! The parser of operands: registers, constants, names of variables and addresses.
//!
//! ```text
//!   %r1   5   0f3F800000     a slot: that of the register, or that of the constant
//!   [%rd1+8]                 a slot and an offset
//!   [x_param_1]              the slot with the start of the frame's parameters, and an offset
//!   [table+4]                the slot of the constant address of a variable
//! ```

use crate::body::{Body, Name, Param};
use crate::error::{ParseError, Refusal};
use crate::lexer::Token;
use crate::model::{Address, LOCAL_BASE, PARAM_BASE, RESERVED, SINK, Slot, Space, Type};

/// Operands.
impl<'t> Body<'_, 't> {
    /// Returns the variable in the parameter space with a name.
    pub(crate) fn find_param(&self, name: &str) -> Result<Param, ParseError> {
        match self.find(name) {
            Some(Name::Param(param)) => Ok(param),
            _ => Err(self.unknown(name)),
        }
    }

    /// Returns whether a name is that of a register.
    pub(crate) fn is_register(&self, name: &str) -> bool {
        matches!(self.find(name), Some(Name::Register(..)))
    }

    /// Returns the slot of a constant.
    pub(crate) fn constant(&mut self, value: u64) -> Result<Slot, ParseError> {
        if let Some(&slot) = self.constants.get(&value) {
            return Ok(slot);
        }
        let slot = self.add_slot(value)?;
        self.constants.insert(value, slot);
        Ok(slot)
    }

    /// Parses a register: its slot, and its width in bits.
    pub(crate) fn register(&mut self) -> Result<(Slot, u32), ParseError> {
        let Token::Word(name) = self.parser.cursor.peek() else {
            return Err(self.parser.cursor.expected("a register"));
        };
        match self.find(name) {
            Some(Name::Register(slot, bits)) => {
                self.parser.cursor.take();
                Ok((slot, bits))
            }
            _ => Err(self.unknown(name)),
        }
    }

    /// Parses a register for a result: `_`, or one that is at least as wide as the type, and as
    /// wide if `is_exact`. Its width is that of the type for `_`.
    pub(crate) fn target(&mut self, ty: Type, is_exact: bool) -> Result<(Slot, u32), ParseError> {
        if self.parser.cursor.take_word("_") {
            return Ok((SINK, ty.bits()));
        }
        let error = self.width_error(ty);
        let (slot, bits) = self.register()?;
        match fits(bits, ty, is_exact) && slot as usize >= RESERVED {
            true => Ok((slot, bits)),
            false => Err(error),
        }
    }

    /// Parses a register for a result, as wide as the type.
    pub(crate) fn result(&mut self, ty: Type) -> Result<Slot, ParseError> {
        self.target(ty, true).map(|(slot, _)| slot)
    }

    /// Parses a source: a constant, or a register that is as wide as the type.
    pub(crate) fn source(&mut self, ty: Type) -> Result<Slot, ParseError> {
        self.operand(ty, true)
    }

    /// Parses a source: a constant, or a register that is at least as wide as the type.
    pub(crate) fn wide_source(&mut self, ty: Type) -> Result<Slot, ParseError> {
        self.operand(ty, ty.is_float())
    }

    /// Parses a source: a constant, or a register of the type's width, or of at least that width.
    pub(crate) fn operand(&mut self, ty: Type, is_exact: bool) -> Result<Slot, ParseError> {
        let error = self.width_error(ty);
        let Token::Word(_) = self.parser.cursor.peek() else {
            let value = self.parser.constant(ty)?;
            return self.constant(value);
        };
        let (slot, bits) = self.register()?;
        match fits(bits, ty, is_exact) {
            true => Ok(slot),
            false => Err(error),
        }
    }

    fn width_error(&self, ty: Type) -> ParseError {
        let operand = match self.parser.cursor.peek() {
            Token::Word(word) => word.to_string(),
            _ => String::new(),
        };
        self.error(Refusal::Width {
            operand,
            bits: ty.bits(),
        })
    }

    pub(crate) fn comma(&mut self) -> Result<(), ParseError> {
        self.parser.cursor.symbol(',', "','")
    }

    /// Parses the name of a variable and an offset, which is inside the variable or at its end.
    pub(crate) fn variable(&mut self) -> Result<Place, ParseError> {
        let name = self.parser.cursor.name()?;
        let meaning = self.find(name);
        let (space, base, start, bytes, is_writable) = match meaning {
            Some(Name::Register(..)) => return Err(self.unknown(name)),
            Some(Name::Param(Param {
                parameter: p,
                is_writable,
            })) => {
                let (start, bytes) = (u64::from(p.offset), u64::from(p.bytes));
                (Space::Param, Some(PARAM_BASE), start, bytes, is_writable)
            }
            Some(Name::Local(offset, bytes)) => (
                Space::Local,
                Some(LOCAL_BASE),
                u64::from(offset),
                u64::from(bytes),
                true,
            ),
            None => {
                let variable = self.parser.variables.get(name);
                let variable = variable.ok_or_else(|| self.unknown(name))?;
                let is_writable = variable.space != Space::Const;
                (
                    variable.space,
                    None,
                    variable.address,
                    variable.bytes,
                    is_writable,
                )
            }
        };
        let offset = i64::from(self.parser.cursor.offset()?);
        let is_inside = u64::try_from(offset).is_ok_and(|offset| offset <= bytes);
        if !is_inside {
            return Err(self.error(Refusal::Address(name.to_string())));
        }
        Ok(Place {
            space,
            base,
            start: start + offset.unsigned_abs(),
            bytes: bytes - offset.unsigned_abs(),
            is_writable,
        })
    }

    /// Parses an address of `bytes` bytes in brackets.
    pub(crate) fn address(
        &mut self,
        space: Space,
        bytes: usize,
        is_store: bool,
    ) -> Result<Address, ParseError> {
        self.parser.cursor.symbol('[', "'['")?;
        let address = self.address_inside(space, bytes, is_store)?;
        self.parser.cursor.symbol(']', "']'")?;
        Ok(address)
    }

    fn address_inside(
        &mut self,
        space: Space,
        bytes: usize,
        is_store: bool,
    ) -> Result<Address, ParseError> {
        let Token::Word(name) = self.parser.cursor.peek() else {
            let value = self.parser.constant(Type::U64)?;
            let base = self.constant(value)?;
            return Ok(Address {
                space,
                base,
                offset: 0,
            });
        };
        let refusal = self.error(Refusal::Address(name.to_string()));
        if let Some(Name::Register(..)) = self.find(name) {
            let base = self.source(Type::B64)?;
            // A store by an address could change the parameters of the function.
            if space == Space::Param && is_store {
                return Err(refusal);
            }
            let offset = self.parser.cursor.offset()?;
            return Ok(Address {
                space,
                base,
                offset,
            });
        }
        let place = self.variable()?;
        let fits = bytes as u64 <= place.bytes && (place.is_writable || !is_store);
        if place.space != space || !fits {
            return Err(refusal);
        }
        match place.base {
            Some(base) => Ok(Address {
                space,
                base,
                offset: place.start as i32,
            }),
            None => Ok(Address {
                space,
                base: self.constant(place.start)?,
                offset: 0,
            }),
        }
    }
}

/// Returns whether a register of `bits` bits is one for values of a type: as wide, or at least as
/// wide and not a predicate.
fn fits(bits: u32, ty: Type, is_exact: bool) -> bool {
    match is_exact {
        true => bits == ty.bits(),
        false => bits >= ty.bits() && bits > 1,
    }
}

/// The position of a variable, or inside it.
pub(crate) struct Place {
    pub(crate) space: Space,
    /// The slot to which the start is relative, if there is one.
    pub(crate) base: Option<Slot>,
    pub(crate) start: u64,
    /// The bytes from the start to the end of the variable.
    bytes: u64,
    is_writable: bool,
}
