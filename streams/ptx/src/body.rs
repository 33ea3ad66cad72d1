//! The parser of the bodies of functions: declarations, scopes and labels.
//!
//! ```text
//!   {  .reg .b32 %r<3>;              slots 15, 16, 17
//!      @%p1 bra $L1;                 BranchIf { target: ? }     ◄─┐ set at the end of the body,
//!      { .param .b32 param0; … }     a scope, for one call        │ when all labels are known
//!   $L1:                             the index of the next instruction
//!   }
//! ```
//!
//! A constant gets a slot of its own, as a register does ([`crate::model`]).

use std::collections::HashMap;

use crate::error::{ParseError, Refusal};
use crate::lexer::Token;
use crate::memory::{FRAME_ALIGN, LOCAL_LIMIT};
use crate::model::{Function, Op, Parameter, RESERVED, SPECIAL, Slot, Space, Type, low};
use crate::parse::Parser;

/// The most registers and constants of a function: more than kernels have that LLVM emits, and few
/// enough that a damaged text cannot exhaust the memory.
const SLOT_LIMIT: u64 = 1 << 20;
/// The content of registers and local variables before they are written.
pub(crate) const UNWRITTEN: u8 = 0xa5;

/// The meaning of a name in a body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Name {
    /// A register, and its width in bits.
    Register(Slot, u32),
    /// A variable in the parameter space.
    Param(Param),
    /// The offset of a local variable in the frame, and its size.
    Local(u32, u32),
}

/// A variable in the parameter space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Param {
    pub(crate) parameter: Parameter,
    /// It is the result of the function, or belongs to a call.
    pub(crate) is_writable: bool,
}

/// The registers with a common prefix, such as `%r<11>`.
struct Range<'t> {
    prefix: &'t str,
    count: u32,
    first: Slot,
    bits: u32,
}

/// The names that are declared between braces.
#[derive(Default)]
struct Scope<'t> {
    names: HashMap<&'t str, Name>,
    ranges: Vec<Range<'t>>,
}

/// The state of the parser of a body.
pub(crate) struct Body<'p, 't> {
    pub(crate) parser: &'p mut Parser<'t>,
    pub(crate) function: Function,
    scopes: Vec<Scope<'t>>,
    /// The slots of constants.
    pub(crate) constants: HashMap<u64, Slot>,
    /// The instructions that labels name.
    labels: HashMap<&'t str, u32>,
    /// The branches to labels: the index of the instruction, the label and the line.
    pub(crate) branches: Vec<(usize, &'t str, u32)>,
    pub(crate) tables: HashMap<&'t str, u32>,
    /// The targets of tables: the table, the label and the line.
    targets: Vec<(usize, &'t str, u32)>,
}

impl<'p, 't> Body<'p, 't> {
    /// Parses a body after its opening brace, up to the closing one.
    pub(crate) fn parse(
        parser: &'p mut Parser<'t>,
        function: Function,
        names: Vec<(&'t str, Parameter, bool)>,
    ) -> Result<Function, ParseError> {
        let mut body = Self {
            parser,
            function,
            scopes: vec![Scope::default()],
            constants: HashMap::new(),
            labels: HashMap::new(),
            branches: Vec::new(),
            tables: HashMap::new(),
            targets: Vec::new(),
        };
        body.function.initial = vec![0; RESERVED];
        for (name, parameter, is_writable) in names {
            let param = Param {
                parameter,
                is_writable,
            };
            body.declare(name, Name::Param(param))?;
        }
        while !body.scopes.is_empty() {
            body.statement()?;
        }
        let line = body.parser.cursor.line();
        body.push(Op::Return, line);
        body.finish()
    }

    /// Returns an error at the next token.
    pub(crate) fn error(&self, refusal: Refusal) -> ParseError {
        self.parser.cursor.error(refusal)
    }

    pub(crate) fn unknown(&self, name: &str) -> ParseError {
        self.error(Refusal::Unknown(name.to_string()))
    }

    /// Adds an instruction.
    pub(crate) fn push(&mut self, op: Op, line: u32) {
        self.function.ops.push(op);
        self.function.lines.push(line);
    }

    fn statement(&mut self) -> Result<(), ParseError> {
        if self.parser.cursor.take_symbol('{') {
            self.scopes.push(Scope::default());
            return Ok(());
        }
        if self.parser.cursor.take_symbol('}') {
            self.scopes.pop();
            return Ok(());
        }
        if self.parser.cursor.take_symbol(';') {
            return Ok(());
        }
        match self.parser.cursor.peek() {
            Token::Symbol('@') => self.predicated(),
            Token::Word(word) if word.starts_with('.') => self.directive(word),
            Token::Word(word) if self.is_label(word) => self.label(word),
            Token::Word(word) => self.instruction(word),
            _ => Err(self.parser.cursor.expected("an instruction")),
        }
    }

    /// Returns whether the next token is a label. An opcode with modifiers is not: they may have
    /// colons.
    fn is_label(&self, word: &str) -> bool {
        self.parser.cursor.peek_second() == Token::Symbol(':') && !word.contains('.')
    }

    fn label(&mut self, name: &'t str) -> Result<(), ParseError> {
        self.parser.cursor.take();
        self.parser.cursor.take();
        if self.parser.cursor.take_word(".branchtargets") {
            return self.table(name);
        }
        let target = self.function.ops.len() as u32;
        match self.labels.insert(name, target) {
            None => Ok(()),
            Some(_) => Err(self.error(Refusal::Duplicate(name.to_string()))),
        }
    }

    /// Parses the labels of a jump table.
    fn table(&mut self, name: &'t str) -> Result<(), ParseError> {
        let table = self.function.tables.len();
        self.function.tables.push(Vec::new());
        if self.tables.insert(name, table as u32).is_some() {
            return Err(self.error(Refusal::Duplicate(name.to_string())));
        }
        loop {
            let line = self.parser.cursor.line();
            let label = self.parser.cursor.name()?;
            self.targets.push((table, label, line));
            if !self.parser.cursor.take_symbol(',') {
                return self.parser.cursor.symbol(';', "',' or ';'");
            }
        }
    }

    /// Sets the targets of branches.
    fn finish(mut self) -> Result<Function, ParseError> {
        let labels = &self.labels;
        let find = |label: &str, line: u32| {
            let refusal = Refusal::Unknown(label.to_string());
            let target = labels.get(label).copied();
            target.ok_or(ParseError { line, refusal })
        };
        for (index, label, line) in self.branches {
            if let Op::Branch { target } | Op::BranchIf { target, .. } =
                &mut self.function.ops[index]
            {
                *target = find(label, line)?;
            }
        }
        for (table, label, line) in self.targets {
            self.function.tables[table].push(find(label, line)?);
        }
        Ok(self.function)
    }
}

/// Declarations.
impl<'t> Body<'_, 't> {
    /// Returns the meaning of a name.
    pub(crate) fn find(&self, name: &str) -> Option<Name> {
        let scopes = self.scopes.iter().rev();
        let mut found = scopes.filter_map(|scope| scope.find(name));
        found.next().or_else(|| special(name))
    }

    fn declare(&mut self, name: &'t str, meaning: Name) -> Result<(), ParseError> {
        let scope = self.scopes.last_mut();
        match scope.map(|scope| scope.names.insert(name, meaning)) {
            Some(None) => Ok(()),
            _ => Err(self.error(Refusal::Duplicate(name.to_string()))),
        }
    }

    fn directive(&mut self, word: &'t str) -> Result<(), ParseError> {
        match word {
            ".reg" => self.registers(),
            ".local" => self.local(),
            ".param" => self.param(),
            ".shared" => self.parser.variable(Space::Shared),
            ".loc" => {
                self.parser.cursor.skip_line();
                Ok(())
            }
            ".pragma" => {
                self.parser.cursor.take();
                self.parser.cursor.take();
                self.parser.cursor.symbol(';', "';'")
            }
            _ => Err(self.error(Refusal::Directive(word.to_string()))),
        }
    }

    fn registers(&mut self) -> Result<(), ParseError> {
        self.parser.cursor.take();
        let ty = self.parser.ty()?;
        loop {
            let name = self.parser.cursor.name()?;
            if self.parser.cursor.take_symbol('<') {
                let unit = "registers of a function";
                let count = self.parser.cursor.bounded(SLOT_LIMIT, unit)?;
                self.parser.cursor.symbol('>', "'>'")?;
                self.range(name, count, ty)?;
            } else {
                let slot = self.slot(ty.bits())?;
                self.declare(name, Name::Register(slot, ty.bits()))?;
            }
            if !self.parser.cursor.take_symbol(',') {
                return self.parser.cursor.symbol(';', "';'");
            }
        }
    }

    fn range(&mut self, prefix: &'t str, count: u32, ty: Type) -> Result<(), ParseError> {
        let first = self.function.initial.len() as Slot;
        for _ in 0..count {
            self.slot(ty.bits())?;
        }
        let range = Range {
            prefix,
            count,
            first,
            bits: ty.bits(),
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.ranges.push(range);
        }
        Ok(())
    }

    /// Adds a register. A predicate that is not written is false.
    fn slot(&mut self, bits: u32) -> Result<Slot, ParseError> {
        let content = u64::from_ne_bytes([UNWRITTEN; 8]);
        self.add_slot(if bits == 1 { 0 } else { low(content, bits) })
    }

    pub(crate) fn add_slot(&mut self, content: u64) -> Result<Slot, ParseError> {
        let slot = self.function.initial.len();
        if slot as u64 >= SLOT_LIMIT {
            return Err(self.error(Refusal::TooLarge {
                limit: SLOT_LIMIT,
                unit: "registers of a function",
            }));
        }
        self.function.initial.push(content);
        Ok(slot as Slot)
    }

    fn local(&mut self) -> Result<(), ParseError> {
        self.parser.cursor.take();
        let declaration = self.parser.declaration(LOCAL_LIMIT)?;
        let offset = u64::from(self.function.local_bytes).next_multiple_of(declaration.align);
        let end = offset + declaration.bytes;
        if end > LOCAL_LIMIT || declaration.align > FRAME_ALIGN {
            return Err(self.error(Refusal::TooLarge {
                limit: LOCAL_LIMIT,
                unit: "bytes of local memory, or a larger alignment than 128",
            }));
        }
        self.function.local_bytes = end as u32;
        let name = Name::Local(offset as u32, declaration.bytes as u32);
        self.declare(declaration.name, name)?;
        self.parser.cursor.symbol(';', "';'")
    }

    /// Parses a variable in the parameter space, for a call.
    fn param(&mut self) -> Result<(), ParseError> {
        self.parser.cursor.take();
        let mut size = self.function.param_bytes;
        let (name, parameter) = self.parser.parameter_variable(&mut size)?;
        self.function.param_bytes = size;
        let param = Param {
            parameter,
            is_writable: true,
        };
        self.declare(name, Name::Param(param))?;
        self.parser.cursor.symbol(';', "';'")
    }
}

impl Scope<'_> {
    fn find(&self, name: &str) -> Option<Name> {
        if let Some(&name) = self.names.get(name) {
            return Some(name);
        }
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: u32 = name[stem.len()..].parse().ok()?;
        let mut ranges = self.ranges.iter();
        // A prefix may itself end in digits.
        let range = ranges.find(|range| range.number(name, stem, number).is_some())?;
        let number = range.number(name, stem, number)?;
        Some(Name::Register(range.first + number, range.bits))
    }
}

impl Range<'_> {
    /// Returns the number of a register of the range.
    fn number(&self, name: &str, stem: &str, number: u32) -> Option<u32> {
        let number = match self.prefix == stem {
            true => number,
            false => name.strip_prefix(self.prefix)?.parse().ok()?,
        };
        (number < self.count).then_some(number)
    }
}

/// Returns a special register.
fn special(name: &str) -> Option<Name> {
    let (register, dimension) = name.rsplit_once('.')?;
    let dimension = ["x", "y", "z"].iter().position(|name| *name == dimension)?;
    let registers = ["%tid", "%ntid", "%ctaid", "%nctaid"];
    let register = registers.iter().position(|name| *name == register)?;
    let slot = 3 * register + dimension;
    debug_assert!(slot < SPECIAL);
    Some(Name::Register(slot as Slot, 32))
}
