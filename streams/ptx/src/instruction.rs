//! The parser of instructions.
//!
//! ```text
//!   @!%p1 st.global.v2.b32 [%rd1+8], {%r1, %r2};
//!   ─┬─── ────────┬─────── ──┬─────  ───┬──────
//!    │          opcode    address     sources
//!   BranchIf over the instruction
//! ```
//!
//! [`crate::opcode`] lists the opcodes. A register has the width of the type, except that
//! loads, stores and conversions of integers allow wider ones; this is what assemblers check.

use crate::body::Body;
use crate::error::{ParseError, Refusal};
use crate::lexer::Token;
use crate::model::{
    Argument, Binary, Call, Comparison, Conversion, Op, SINK, Slot, Space, Ternary, Type, Unary,
    Vector,
};
use crate::opcode::{
    Modifiers, binary, compared, conversion, modifiers, refusal, space_of, ternary, unary,
};

/// The number of barriers of a block.
const BARRIERS: u64 = 16;

impl<'t> Body<'_, 't> {
    /// Parses an instruction after `@`: a branch over it.
    pub(crate) fn predicated(&mut self) -> Result<(), ParseError> {
        let line = self.parser.cursor.line();
        self.parser.cursor.take();
        let is_negated = self.parser.cursor.take_symbol('!');
        let predicate = self.source(Type::Predicate)?;
        let Token::Word(opcode) = self.parser.cursor.peek() else {
            return Err(self.parser.cursor.expected("an instruction"));
        };
        let index = self.function.ops.len();
        let is_branch = matches!(opcode, "bra" | "bra.uni");
        let op = Op::BranchIf {
            predicate,
            value: is_branch != is_negated,
            target: 0,
        };
        self.push(op, line);
        if is_branch {
            self.parser.cursor.take();
            return self.branch(index, line);
        }
        self.instruction(opcode)?;
        let end = self.function.ops.len() as u32;
        if let Op::BranchIf { target, .. } = &mut self.function.ops[index] {
            *target = end;
        }
        Ok(())
    }

    /// Parses an instruction, up to its semicolon.
    pub(crate) fn instruction(&mut self, opcode: &'t str) -> Result<(), ParseError> {
        let line = self.parser.cursor.line();
        let refusal = self.error(refusal(opcode));
        self.parser.cursor.take();
        let parts: Vec<&str> = opcode.split('.').collect();
        let op = match self.operation(&parts, line)? {
            Parsed::Op(op) => op,
            Parsed::Done => return Ok(()),
            Parsed::Unknown => return Err(refusal),
        };
        self.push(op, line);
        self.parser.cursor.symbol(';', "';'")
    }

    fn operation(&mut self, parts: &[&str], line: u32) -> Result<Parsed, ParseError> {
        if let Some((op, ty)) = binary(parts) {
            return self.binary(op, ty).map(Parsed::Op);
        }
        if let Some((op, ty)) = unary(parts) {
            return self.unary(op, ty).map(Parsed::Op);
        }
        if let Some((op, ty)) = ternary(parts) {
            return self.ternary(op, ty).map(Parsed::Op);
        }
        let op = match parts {
            ["ld" | "st", ..] => return self.access(parts),
            ["mov", ty] => match Type::parse(ty).filter(|ty| ty.bits() != 8) {
                Some(ty) => self.moved(ty)?,
                None => return Ok(Parsed::Unknown),
            },
            ["setp", comparison, ty] => match compared(comparison, ty) {
                Some((op, ty)) => self.comparison(op, ty)?,
                None => return Ok(Parsed::Unknown),
            },
            ["selp", ty] => match Type::parse(ty).filter(|ty| ty.bits() > 8) {
                Some(ty) => self.select(ty)?,
                None => return Ok(Parsed::Unknown),
            },
            ["cvt", rest @ .., to, from] => match conversion(rest, to, from) {
                Some(conversion) => self.conversion(conversion)?,
                None => return Ok(Parsed::Unknown),
            },
            ["bfi", ty @ ("b32" | "b64")] => self.insert(ty)?,
            ["cvta", space, "u64"] => match space_of(space) {
                Some(space) => self.generic(space, true)?,
                None => return Ok(Parsed::Unknown),
            },
            ["cvta", "to", space, "u64"] => match space_of(space) {
                Some(space) => self.generic(space, false)?,
                None => return Ok(Parsed::Unknown),
            },
            ["bar", "sync"] | ["barrier", "sync"] | ["barrier", "sync", "aligned"] => {
                let id = self
                    .parser
                    .cursor
                    .bounded(BARRIERS - 1, "as the number of a barrier")?;
                Op::Barrier { id: id as u8 }
            }
            ["ret"] | ["ret", "uni"] => Op::Return,
            ["exit"] => Op::Exit,
            ["trap"] => Op::Trap,
            ["bra"] | ["bra", "uni"] => {
                let index = self.function.ops.len();
                self.push(Op::Branch { target: 0 }, line);
                self.branch(index, line)?;
                return Ok(Parsed::Done);
            }
            ["brx", "idx"] | ["brx", "idx", "uni"] => self.branch_table()?,
            ["call"] | ["call", "uni"] => self.call(line)?,
            _ => return Ok(Parsed::Unknown),
        };
        Ok(Parsed::Op(op))
    }
}

/// An instruction that is parsed.
enum Parsed {
    /// The operation, before the semicolon.
    Op(Op),
    /// It is added, and the semicolon is parsed.
    Done,
    /// It is not in the subset.
    Unknown,
}

/// The type of the result of a product in twice the width.
fn doubled(ty: Type) -> Type {
    match ty.bits() {
        16 => Type::B32,
        _ => Type::B64,
    }
}

/// Operations on registers.
impl Body<'_, '_> {
    fn binary(&mut self, op: Binary, ty: Type) -> Result<Op, ParseError> {
        let result = if op == Binary::MulWide {
            doubled(ty)
        } else {
            ty
        };
        let d = self.result(result)?;
        self.comma()?;
        let a = self.source(ty)?;
        self.comma()?;
        let is_shift = matches!(op, Binary::ShiftLeft | Binary::ShiftRight);
        let b = self.source(if is_shift { Type::U32 } else { ty })?;
        Ok(Op::Binary { op, ty, d, a, b })
    }

    fn unary(&mut self, op: Unary, ty: Type) -> Result<Op, ParseError> {
        let is_count = matches!(op, Unary::Ones | Unary::LeadingZeros);
        let d = self.result(if is_count { Type::U32 } else { ty })?;
        self.comma()?;
        let a = self.source(ty)?;
        Ok(Op::Unary { op, ty, d, a })
    }

    fn ternary(&mut self, op: Ternary, ty: Type) -> Result<Op, ParseError> {
        let (result, second, third) = match op {
            Ternary::MulWideAdd => (doubled(ty), ty, doubled(ty)),
            Ternary::Extract => (ty, Type::U32, Type::U32),
            _ => (ty, ty, ty),
        };
        let d = self.result(result)?;
        self.comma()?;
        let a = self.source(ty)?;
        self.comma()?;
        let b = self.source(second)?;
        self.comma()?;
        let c = self.source(third)?;
        Ok(Op::Ternary { op, ty, d, a, b, c })
    }

    fn insert(&mut self, ty: &str) -> Result<Op, ParseError> {
        let ty = if ty == "b32" { Type::B32 } else { Type::B64 };
        let d = self.result(ty)?;
        let mut sources = [SINK; 4];
        for (source, ty) in sources.iter_mut().zip([ty, ty, Type::U32, Type::U32]) {
            self.comma()?;
            *source = self.source(ty)?;
        }
        let sources = Box::new(sources);
        Ok(Op::Insert { ty, d, sources })
    }

    fn comparison(&mut self, op: Comparison, ty: Type) -> Result<Op, ParseError> {
        let d = self.result(Type::Predicate)?;
        self.comma()?;
        let a = self.source(ty)?;
        self.comma()?;
        let b = self.source(ty)?;
        Ok(Op::Compare { op, ty, d, a, b })
    }

    fn select(&mut self, ty: Type) -> Result<Op, ParseError> {
        let d = self.result(ty)?;
        self.comma()?;
        let a = self.source(ty)?;
        self.comma()?;
        let b = self.source(ty)?;
        self.comma()?;
        let predicate = self.source(Type::Predicate)?;
        Ok(Op::Select { d, a, b, predicate })
    }

    fn conversion(&mut self, conversion: Conversion) -> Result<Op, ParseError> {
        let (d, register) = self.target(conversion.to, conversion.to.is_float())?;
        self.comma()?;
        let a = self.wide_source(conversion.from)?;
        let register = register as u8;
        let conversion = Conversion {
            register,
            ..conversion
        };
        Ok(Op::Convert { conversion, d, a })
    }

    fn generic(&mut self, space: Space, to_generic: bool) -> Result<Op, ParseError> {
        let d = self.result(Type::U64)?;
        self.comma()?;
        let a = self.source(Type::U64)?;
        Ok(match to_generic {
            true => Op::ToGeneric { space, d, a },
            false => Op::FromGeneric { space, d, a },
        })
    }

    fn moved(&mut self, ty: Type) -> Result<Op, ParseError> {
        if self.parser.cursor.peek() == Token::Symbol('{') {
            return self.unpack(ty);
        }
        let d = self.result(ty)?;
        self.comma()?;
        match self.parser.cursor.peek() {
            Token::Symbol('{') => self.pack(ty, d),
            Token::Word(name) if !name.starts_with('%') && !self.is_register(name) => {
                self.address_of(ty, d)
            }
            _ => {
                let a = self.source(ty)?;
                Ok(Op::Move { d, a })
            }
        }
    }

    /// Parses the address of a variable.
    fn address_of(&mut self, ty: Type, d: Slot) -> Result<Op, ParseError> {
        let found = self.parser.cursor.expected("a value of the type");
        if !matches!(ty, Type::B64 | Type::U64) {
            return Err(found);
        }
        let place = self.variable()?;
        let start = self.constant(place.start)?;
        let (op, ty) = (Binary::Add, Type::U64);
        Ok(match place.base {
            Some(a) => Op::Binary {
                op,
                ty,
                d,
                a,
                b: start,
            },
            None => Op::Move { d, a: start },
        })
    }

    fn unpack(&mut self, ty: Type) -> Result<Op, ParseError> {
        let elements = self.elements(ty, true)?;
        self.comma()?;
        let a = self.source(ty)?;
        let elements = Box::new(elements);
        Ok(Op::Unpack { a, elements })
    }

    fn pack(&mut self, ty: Type, d: Slot) -> Result<Op, ParseError> {
        let elements = Box::new(self.elements(ty, false)?);
        Ok(Op::Pack { d, elements })
    }

    /// Parses two or four registers in braces, which together are as wide as a type.
    fn elements(&mut self, ty: Type, is_result: bool) -> Result<Vector, ParseError> {
        let found = self
            .parser
            .cursor
            .expected("2 or 4 elements of the type's width");
        let count = self.count_elements();
        let element = match (ty.bits(), count) {
            (64, 2) => Type::B32,
            (64, 4) | (32, 2) => Type::B16,
            _ => return Err(found),
        };
        self.vector(element, count, is_result, true)
    }

    /// Returns the number of operands between the next braces.
    fn count_elements(&self) -> u8 {
        let tokens = self.parser.cursor.ahead();
        let tokens = tokens.take_while(|token| *token != Token::Symbol('}'));
        let commas = tokens.filter(|token| *token == Token::Symbol(','));
        commas.take(4).count() as u8 + 1
    }

    /// Parses operands in braces, which are as wide as a type, or may be wider.
    fn vector(
        &mut self,
        ty: Type,
        count: u8,
        is_result: bool,
        is_exact: bool,
    ) -> Result<Vector, ParseError> {
        let is_exact = is_exact || ty.is_float();
        let mut vector = Vector {
            count,
            ty,
            registers: [ty.bits() as u8; 4],
            slots: [SINK; 4],
        };
        self.parser.cursor.symbol('{', "'{'")?;
        for index in 0..usize::from(count) {
            if index > 0 {
                self.comma()?;
            }
            if is_result {
                let (slot, bits) = self.target(ty, is_exact)?;
                vector.slots[index] = slot;
                vector.registers[index] = bits as u8;
            } else {
                vector.slots[index] = self.operand(ty, is_exact)?;
            }
        }
        self.parser.cursor.symbol('}', "'}'")?;
        Ok(vector)
    }
}

/// Accesses of memory.
impl Body<'_, '_> {
    fn access(&mut self, parts: &[&str]) -> Result<Parsed, ParseError> {
        let Some(modifiers) = modifiers(parts) else {
            return Ok(Parsed::Unknown);
        };
        let op = match parts {
            ["ld", ..] => self.load(&modifiers)?,
            _ => self.store(&modifiers)?,
        };
        Ok(Parsed::Op(op))
    }

    fn load(&mut self, modifiers: &Modifiers) -> Result<Op, ParseError> {
        let &Modifiers { space, count, ty } = modifiers;
        let bytes = ty.bytes() * usize::from(count);
        if count > 1 {
            let elements = Box::new(self.vector(ty, count, true, false)?);
            self.comma()?;
            let address = self.address(space, bytes, false)?;
            return Ok(Op::LoadVector { address, elements });
        }
        let (d, register) = self.target(ty, ty.is_float())?;
        self.comma()?;
        let address = self.address(space, bytes, false)?;
        let register = register as u8;
        Ok(Op::Load {
            address,
            ty,
            register,
            d,
        })
    }

    fn store(&mut self, modifiers: &Modifiers) -> Result<Op, ParseError> {
        let &Modifiers { space, count, ty } = modifiers;
        let bytes = ty.bytes() * usize::from(count);
        let address = self.address(space, bytes, true)?;
        self.comma()?;
        if count > 1 {
            let elements = Box::new(self.vector(ty, count, false, false)?);
            return Ok(Op::StoreVector { address, elements });
        }
        let a = self.wide_source(ty)?;
        Ok(Op::Store { address, ty, a })
    }
}

/// Control flow.
impl<'t> Body<'_, 't> {
    /// Parses the label of a branch, and the semicolon.
    fn branch(&mut self, index: usize, line: u32) -> Result<(), ParseError> {
        let label = self.parser.cursor.name()?;
        self.branches.push((index, label, line));
        self.parser.cursor.symbol(';', "';'")
    }

    fn branch_table(&mut self) -> Result<Op, ParseError> {
        let index = self.source(Type::U32)?;
        self.comma()?;
        let name = self.parser.cursor.name()?;
        match self.tables.get(name) {
            Some(&table) => Ok(Op::BranchTable { index, table }),
            None => Err(self.unknown(name)),
        }
    }

    fn call(&mut self, line: u32) -> Result<Op, ParseError> {
        let results = self.call_operands()?;
        if !results.is_empty() {
            self.comma()?;
        }
        let name = self.parser.cursor.name()?;
        let arguments = match self.parser.cursor.take_symbol(',') {
            true => self.call_operands()?,
            false => Vec::new(),
        };
        let Some(&function) = self.parser.function_names.get(name) else {
            return Err(self.unknown(name));
        };
        self.parser.called.entry(function).or_insert(line);
        let call = self.bind(function, &results, &arguments)?;
        Ok(Op::Call(Box::new(call)))
    }

    /// Parses names of the parameter space in parentheses.
    fn call_operands(&mut self) -> Result<Vec<&'t str>, ParseError> {
        let mut names = Vec::new();
        if !self.parser.cursor.take_symbol('(') {
            return Ok(names);
        }
        while !self.parser.cursor.take_symbol(')') {
            if !names.is_empty() {
                self.comma()?;
            }
            names.push(self.parser.cursor.name()?);
        }
        Ok(names)
    }

    /// Finds the parameters of a function that the operands of a call are copied to and from.
    fn bind(
        &self,
        function: u32,
        results: &[&str],
        arguments: &[&str],
    ) -> Result<Call, ParseError> {
        let callee = &self.parser.functions[function as usize];
        let has_result = callee.result.is_some();
        let fits = callee.parameters.len() == arguments.len()
            && results.len() == usize::from(has_result)
            && !callee.is_entry;
        let mismatch = self.error(Refusal::Call(callee.name.clone()));
        if !fits {
            return Err(mismatch);
        }
        let operands = results.iter().chain(arguments);
        let parameters = callee.result.iter().chain(&callee.parameters);
        let mut copies = Vec::new();
        for (name, parameter) in operands.zip(parameters) {
            let operand = self.find_param(name)?;
            if operand.parameter.bytes != parameter.bytes || !operand.is_writable {
                return Err(mismatch);
            }
            copies.push(Argument {
                caller: operand.parameter.offset,
                callee: parameter.offset,
                bytes: parameter.bytes,
            });
        }
        let arguments = copies.split_off(usize::from(has_result));
        Ok(Call {
            function,
            arguments,
            result: copies.pop(),
        })
    }
}
