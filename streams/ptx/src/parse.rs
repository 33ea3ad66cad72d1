//! The parser of modules: directives and the signatures of functions.
//!
//! ```text
//!   module    = { ".version" … | ".target" … | linkage variable | linkage function }
//!   variable  = (".global" | ".const" | ".shared") ".align" n type name "[" n "]" "=" init ";"
//!   function  = (".entry" | ".func" "(" result ")") name "(" parameters ")" (body | ";")
//! ```
//!
//! The grammar is that of the PTX ISA, version 8, restricted to what LLVM's backend emits. A name
//! is declared before it is used, so that one pass suffices; only labels and the bodies of
//! functions may follow their uses. Cost: linear in the text.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use crate::body::Body;
use crate::cursor::Cursor;
use crate::error::{ParseError, Refusal};
use crate::lexer::{Token, lex};
use crate::memory::PARAM_LIMIT;
use crate::model::{Entry, Function, Module, Parameter, Space};
use crate::variable::Variable;

/// The most threads of a block on any hardware.
pub(crate) const THREAD_LIMIT: u64 = 1024;

/// The state of the parser of a module.
pub(crate) struct Parser<'t> {
    pub(crate) cursor: Cursor<'t>,
    pub(crate) functions: Vec<Function>,
    /// The indices of functions and kernels.
    pub(crate) function_names: HashMap<&'t str, u32>,
    pub(crate) variables: HashMap<&'t str, Variable>,
    /// The lines of the first calls of functions.
    pub(crate) called: BTreeMap<u32, u32>,
    /// The initial content of the variables in the global and the constant space.
    pub(crate) global: Vec<u8>,
    pub(crate) constant: Vec<u8>,
    pub(crate) shared_bytes: u64,
}

impl Module {
    /// Parses a module.
    ///
    /// # Errors
    ///
    /// The text is damaged, or has something that is not in the subset of this crate.
    pub fn parse(text: &str) -> Result<Module, ParseError> {
        let mut parser = Parser {
            cursor: Cursor::new(lex(text)?),
            functions: Vec::new(),
            function_names: HashMap::new(),
            variables: HashMap::new(),
            called: BTreeMap::new(),
            global: Vec::new(),
            constant: Vec::new(),
            shared_bytes: 0,
        };
        parser.module()?;
        parser.finish()
    }
}

impl<'t> Parser<'t> {
    fn module(&mut self) -> Result<(), ParseError> {
        let mut is_external = false;
        loop {
            let token = self.cursor.peek();
            match token {
                Token::End => return Ok(()),
                Token::Word(".extern") => is_external = true,
                Token::Word(".visible" | ".weak") => {}
                Token::Word(".global" | ".const" | ".shared") if is_external => {
                    return Err(self.directive(".extern"));
                }
                _ => is_external = false,
            }
            match token {
                Token::Word(".extern" | ".visible" | ".weak") => drop(self.cursor.take()),
                _ => self.statement()?,
            }
        }
    }

    fn directive(&self, name: &str) -> ParseError {
        self.cursor.error(Refusal::Directive(name.to_string()))
    }

    fn statement(&mut self) -> Result<(), ParseError> {
        let Token::Word(word) = self.cursor.peek() else {
            return Err(self.cursor.expected("a directive"));
        };
        match word {
            ".version" | ".target" | ".file" | ".loc" => self.cursor.skip_line(),
            ".address_size" => return self.address_size(),
            ".section" => return self.section(),
            ".global" => return self.variable(Space::Global),
            ".const" => return self.variable(Space::Const),
            ".shared" => return self.variable(Space::Shared),
            ".entry" => return self.function(true),
            ".func" => return self.function(false),
            _ => return Err(self.directive(word)),
        }
        Ok(())
    }

    fn address_size(&mut self) -> Result<(), ParseError> {
        self.cursor.take();
        match self.cursor.take_integer(64) {
            true => Ok(()),
            false => Err(self.cursor.expected("64")),
        }
    }

    /// Skips a section of debug information.
    fn section(&mut self) -> Result<(), ParseError> {
        self.cursor.take();
        self.cursor.take();
        self.cursor.symbol('{', "'{'")?;
        self.cursor.skip_braces()
    }

    /// Checks that all functions that are called have bodies.
    fn finish(self) -> Result<Module, ParseError> {
        for (&function, &line) in &self.called {
            let function = &self.functions[function as usize];
            if !function.is_defined {
                let refusal = Refusal::Undefined(function.name.clone());
                return Err(ParseError { line, refusal });
            }
        }
        let functions = self.functions.iter().enumerate();
        let entries: Vec<Entry> = functions
            .filter(|(_, function)| function.is_entry && function.is_defined)
            .map(|(index, function)| entry(index, function))
            .collect();
        let names = entries.iter().enumerate();
        let names = names.map(|(index, entry)| (entry.name.clone(), index));
        Ok(Module {
            names: names.collect(),
            entries,
            functions: self.functions,
            global: (!self.global.is_empty()).then(|| Mutex::new(self.global)),
            constant: self.constant,
            shared_bytes: self.shared_bytes as usize,
        })
    }
}

fn entry(index: usize, function: &Function) -> Entry {
    let parameters = function.parameters.iter();
    Entry {
        name: function.name.clone(),
        function: index as u32,
        sizes: parameters.clone().map(|p| p.bytes as usize).collect(),
        offsets: parameters.map(|p| p.offset as usize).collect(),
    }
}

/// Functions.
impl<'t> Parser<'t> {
    fn function(&mut self, is_entry: bool) -> Result<(), ParseError> {
        self.cursor.take();
        let mut function = Function {
            is_entry,
            ..Function::default()
        };
        let mut names = Vec::new();
        if !is_entry && self.cursor.take_symbol('(') {
            let mut size = 0;
            let (name, result) = self.parameter(&mut size)?;
            self.cursor.symbol(')', "')'")?;
            function.result = Some(result);
            function.param_bytes = size;
            names.push((name, result, true));
        }
        let name = self.cursor.name()?;
        function.name = name.to_string();
        self.parameters(&mut function, &mut names)?;
        self.limits(&mut function)?;
        function.is_defined = self.cursor.peek() == Token::Symbol('{');
        let index = self.declare(name, function)?;
        match self.cursor.take_symbol('{') {
            true => self.body(index, names),
            false => self.cursor.symbol(';', "'{' or ';'"),
        }
    }

    fn parameters(
        &mut self,
        function: &mut Function,
        names: &mut Vec<(&'t str, Parameter, bool)>,
    ) -> Result<(), ParseError> {
        if !self.cursor.take_symbol('(') {
            return Ok(());
        }
        while !self.cursor.take_symbol(')') {
            if !function.parameters.is_empty() {
                self.cursor.symbol(',', "',' or ')'")?;
            }
            let (name, parameter) = self.parameter(&mut function.param_bytes)?;
            function.parameters.push(parameter);
            names.push((name, parameter, false));
        }
        Ok(())
    }

    /// Parses a declaration in the parameter space, which gets the next bytes after `size`.
    fn parameter(&mut self, size: &mut u32) -> Result<(&'t str, Parameter), ParseError> {
        if !self.cursor.take_word(".param") {
            return Err(self.cursor.expected("'.param'"));
        }
        self.parameter_variable(size)
    }

    /// Parses a declaration after `.param`.
    pub(crate) fn parameter_variable(
        &mut self,
        size: &mut u32,
    ) -> Result<(&'t str, Parameter), ParseError> {
        let declaration = self.declaration(PARAM_LIMIT)?;
        let offset = u64::from(*size).next_multiple_of(declaration.align);
        let end = offset + declaration.bytes;
        if end > PARAM_LIMIT {
            return Err(self.cursor.error(Refusal::TooLarge {
                limit: PARAM_LIMIT,
                unit: "bytes of parameters",
            }));
        }
        *size = end as u32;
        let parameter = Parameter {
            offset: offset as u32,
            bytes: declaration.bytes as u32,
            align: declaration.align as u32,
        };
        Ok((declaration.name, parameter))
    }

    /// Parses directives about the number of threads and registers.
    fn limits(&mut self, function: &mut Function) -> Result<(), ParseError> {
        while let Token::Word(word) = self.cursor.peek() {
            match word {
                ".reqntid" => {
                    self.cursor.take();
                    function.required = Some(self.dimensions()?);
                }
                ".maxntid" => {
                    self.cursor.take();
                    let dimensions = self.dimensions()?;
                    function.threads = Some(dimensions.map(u64::from).iter().product());
                }
                ".minnctapersm" | ".maxnreg" => {
                    self.cursor.take();
                    self.cursor.integer()?;
                }
                ".noreturn" => drop(self.cursor.take()),
                _ => return Err(self.directive(word)),
            }
        }
        Ok(())
    }

    /// Parses one to three numbers of threads.
    fn dimensions(&mut self) -> Result<[u32; 3], ParseError> {
        let mut dimensions = [1; 3];
        for (index, dimension) in dimensions.iter_mut().enumerate() {
            if index > 0 && !self.cursor.take_symbol(',') {
                break;
            }
            *dimension = self.cursor.bounded(THREAD_LIMIT, "threads of a block")?;
        }
        Ok(dimensions)
    }

    /// Adds a function, or the body of one that is declared.
    fn declare(&mut self, name: &'t str, function: Function) -> Result<u32, ParseError> {
        let duplicate = self.cursor.error(Refusal::Duplicate(name.to_string()));
        let Some(&index) = self.function_names.get(name) else {
            if self.variables.contains_key(name) {
                return Err(duplicate);
            }
            let index = self.functions.len() as u32;
            self.function_names.insert(name, index);
            self.functions.push(function);
            return Ok(index);
        };
        let old = &mut self.functions[index as usize];
        let is_same = old.is_entry == function.is_entry
            && old.parameters == function.parameters
            && old.result == function.result;
        if !is_same || old.is_defined && function.is_defined {
            return Err(duplicate);
        }
        if function.is_defined {
            *old = function;
        }
        Ok(index)
    }

    /// Parses the body of a function, after its opening brace.
    fn body(
        &mut self,
        index: u32,
        names: Vec<(&'t str, Parameter, bool)>,
    ) -> Result<(), ParseError> {
        let function = std::mem::take(&mut self.functions[index as usize]);
        // A call of the function itself needs its signature.
        self.functions[index as usize] = Function {
            name: function.name.clone(),
            is_entry: function.is_entry,
            is_defined: true,
            parameters: function.parameters.clone(),
            result: function.result,
            ..Function::default()
        };
        self.functions[index as usize] = Body::parse(self, function, names)?;
        Ok(())
    }
}
