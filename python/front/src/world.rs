//! The files of a program: their functions, classes and host functions, and what names mean.
//!
//! A file is read on its own: `import`, `from`, `def`, `class` and constants give its names a
//! meaning, so tools need no Python. They read the modules next to a file, too
//! ([`World::of_folder`]). An embedding that has a Python process replaces the meaning of names by
//! what they are bound to there ([`World::bind`]).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tfx::runtime::DType;
use tfx_python_syntax::{self as syntax, Expr, ExprKind, Function, Lines, Span, StmtKind, UnaryOp};

use crate::error::{Error, Place};
use crate::hir::{Body, FileId, FunctionId, Kind};
use crate::lower;
use crate::value::{Constant, TensorType, Value, dtype_of_name};

/// All files of a program.
#[derive(Debug, Default)]
pub struct World {
    pub(crate) files: Vec<File>,
    pub(crate) bodies: Vec<Arc<Body>>,
    pub(crate) classes: Vec<Class>,
    pub(crate) hosts: Vec<Host>,
    pub(crate) captured: Vec<Captured>,
    /// The folder with the modules that files import; none if an embedding binds their names.
    folder: Option<PathBuf>,
}

/// A file.
#[derive(Debug)]
pub(crate) struct File {
    pub path: String,
    pub text: String,
    pub lines: Lines,
    pub globals: BTreeMap<String, Global>,
    /// The functions of the file by their lines, those in classes and functions included.
    pub functions: BTreeMap<usize, Arc<Function>>,
    pub classes: BTreeMap<usize, Arc<syntax::Class>>,
    /// The functions that are lowered.
    lowered: BTreeMap<Span, Global>,
}

/// The meaning of a global name.
#[derive(Clone, Debug)]
pub enum Global {
    /// A function of the program.
    Function(usize),
    /// A class of the program.
    Class(usize),
    /// A function with `@tfx.host`.
    Host(usize),
    /// A value that a call reads when it starts.
    Captured(usize),
    /// A constant of a file that is read on its own.
    Constant(Constant),
    /// A function of tfx or a builtin, by its full name.
    Builtin(String),
    /// A module, by its full name.
    Module(String),
    /// An element type.
    DType(DType),
    /// Something that a program cannot use, with the reason.
    Unusable(Option<Span>, String),
}

/// A class with `@tfx.struct`.
#[derive(Debug)]
pub(crate) struct Class {
    pub name: String,
    pub file: FileId,
    pub fields: Vec<Field>,
    pub methods: BTreeMap<String, Global>,
}

/// A field of a class.
#[derive(Debug)]
pub(crate) struct Field {
    pub name: String,
    pub annotation: Annotation,
    pub default: Option<Expr>,
}

/// A host function.
#[derive(Debug)]
pub(crate) struct Host {
    pub name: String,
    pub file: FileId,
    /// Names, types and default values.
    pub parameters: Vec<(String, Annotation, Option<Expr>)>,
    pub returns: Annotation,
}

/// A value of the process that a program reads.
#[derive(Debug)]
pub(crate) struct Captured {
    pub name: String,
    pub ty: Value<()>,
}

/// The meaning of an annotation.
#[derive(Clone, Debug, PartialEq)]
pub enum Annotation {
    /// No annotation, or one that says nothing.
    Any,
    /// `None`.
    None,
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `float`.
    Float,
    /// `str`.
    Str,
    /// A tensor of an element type.
    Tensor(DType, Vec<Size>),
    /// A class of the program.
    Class(usize),
    /// A tuple.
    Tuple(Vec<Annotation>),
}

/// The size of a dimension in an annotation.
#[derive(Clone, Debug, PartialEq)]
pub enum Size {
    /// `None`.
    Any,
    /// A number.
    Static(u64),
    /// A name: equal names are equal sizes.
    Named(String),
}

impl Annotation {
    /// The type of a value with this annotation; none if the annotation does not say it.
    pub(crate) fn ty(&self, world: &World) -> Option<Value<()>> {
        Some(match self {
            Annotation::Any => return None,
            Annotation::None => Value::None,
            Annotation::Bool => Value::Bool((), None),
            Annotation::Int => Value::Int((), None),
            Annotation::Float => Value::Float((), None),
            Annotation::Str => Value::Str((), None),
            Annotation::Tensor(dtype, sizes) => {
                let size = |size: &Size| match size {
                    Size::Static(size) => Some(*size),
                    _ => None,
                };
                let shape = sizes.iter().map(size).collect();
                Value::Tensor(
                    (),
                    TensorType {
                        dtype: *dtype,
                        shape,
                    },
                )
            }
            Annotation::Class(class) => {
                let fields = world.classes[*class].fields.iter();
                let fields = fields.map(|field| field.annotation.ty(world));
                Value::Struct(*class, fields.collect::<Option<_>>()?)
            }
            Annotation::Tuple(parts) => {
                let parts = parts.iter().map(|part| part.ty(world));
                Value::Tuple(parts.collect::<Option<_>>()?)
            }
        })
    }
}

impl World {
    /// Returns a program without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a program without files, which reads the modules of a folder that its files import.
    pub fn of_folder(folder: &Path) -> Self {
        World {
            folder: Some(folder.to_owned()),
            ..Self::default()
        }
    }

    /// Adds a file, and returns its number. A file that was added before keeps its number.
    ///
    /// # Errors
    /// Text that is not Python.
    pub fn add_file(&mut self, path: &str, text: &str) -> Result<usize, Error> {
        if let Some(file) = self.files.iter().position(|file| file.path == path) {
            return Ok(file);
        }
        let lines = Lines::new(text);
        let parsed = syntax::parse(text);
        let id = self.files.len();
        self.files.push(File {
            path: path.to_owned(),
            text: text.to_owned(),
            lines,
            globals: BTreeMap::new(),
            functions: BTreeMap::new(),
            classes: BTreeMap::new(),
            lowered: BTreeMap::new(),
        });
        let module = match parsed {
            Ok(module) => module,
            Err(error) => {
                let error = self.error(id, error.span, format!("SyntaxError: {}", error.message));
                self.files.pop();
                return Err(error);
            }
        };
        syntax::on_large_stack(|| self.read(id, module.body));
        Ok(id)
    }

    /// Returns an error at a place of a file.
    pub(crate) fn error(&self, file: FileId, span: Span, message: String) -> Error {
        Error {
            place: Some(self.place(file, span)),
            message,
            calls: Vec::new(),
        }
    }

    /// Returns the place of a span.
    pub(crate) fn place(&self, file: FileId, span: Span) -> Place {
        let of = &self.files[file];
        let (line, column) = of.lines.place(span);
        Place {
            file: of.path.clone(),
            line,
            column,
            text: of.lines.text(&of.text, line).to_owned(),
        }
    }

    /// Returns a line of a file.
    pub fn line(&self, path: &str, line: usize) -> Option<&str> {
        let file = self.files.iter().find(|file| file.path == path)?;
        Some(file.lines.text(&file.text, line))
    }

    /// Returns the path of a file.
    pub fn path(&self, file: usize) -> &str {
        &self.files[file].path
    }

    /// Returns the meaning of a global name of a file, if it has one there.
    pub fn global(&self, file: usize, name: &str) -> Option<&Global> {
        self.files[file].globals.get(name)
    }

    /// Returns why a global name of a file cannot be used, if it cannot.
    pub fn reason(&self, file: usize, name: &str) -> Option<Error> {
        match self.global(file, name)? {
            Global::Unusable(Some(span), message) => Some(self.error(file, *span, message.clone())),
            Global::Unusable(None, message) => Some(Error {
                place: None,
                message: message.clone(),
                calls: Vec::new(),
            }),
            _ => None,
        }
    }

    /// Returns the functions of a file with `@tfx.program`, by name.
    pub fn programs(&self, file: usize) -> Vec<(String, usize)> {
        let of = &self.files[file];
        let is_program = |of: &Expr| {
            let name = dotted(of);
            matches!(name.as_deref(), Some("tfx.program" | "program"))
        };
        let functions = of.functions.values();
        let programs = functions.filter(|of| of.decorators.iter().any(is_program));
        let found = programs.filter_map(|function| match of.globals.get(&function.name)? {
            Global::Function(id) => Some((function.name.clone(), *id)),
            _ => None,
        });
        found.collect()
    }

    /// Returns the names that a function and its inner functions read as globals.
    pub fn names_of(&self, function: usize) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut work = vec![function];
        while let Some(id) = work.pop() {
            let blocks = &self.bodies[id].blocks;
            for instruction in blocks.iter().flat_map(|block| &block.instructions) {
                match &instruction.kind {
                    Kind::Global(name) => {
                        names.insert(name.clone());
                    }
                    Kind::Function(inner) => work.push(*inner),
                    _ => {}
                }
            }
            let of = &self.bodies[id].function.parameters;
            for parameter in of.positional.iter().chain(&of.keyword_only) {
                if let Some(Expr {
                    kind: ExprKind::Name(name),
                    ..
                }) = &parameter.default
                {
                    names.insert(name.clone());
                }
            }
        }
        names
    }

    /// Returns the functions that are the methods of a class.
    pub fn methods_of(&self, class: usize) -> Vec<usize> {
        let methods = self.classes[class].methods.values();
        let id = |global: &Global| match global {
            Global::Function(id) => Some(*id),
            _ => None,
        };
        methods.filter_map(id).collect()
    }

    /// Returns the function or the class of a name whose decorators start on a line.
    pub fn find(&mut self, file: usize, name: &str, line: usize) -> Option<Global> {
        let of = &self.files[file];
        let functions = of.functions.range(line..);
        let function = functions.map(|(line, of)| (*line, &of.name));
        let classes = of.classes.range(line..).map(|(line, of)| (*line, &of.name));
        let found = function.chain(classes).filter(|(_, of)| *of == name);
        let line = found.map(|(line, _)| line).min()?;
        self.at_line(file, line)
    }

    /// Replaces the meaning of a global name of a file.
    pub fn bind(&mut self, file: usize, name: &str, global: Global) {
        self.files[file].globals.insert(name.to_owned(), global);
    }

    /// Returns the names that the functions of a file read as globals.
    pub fn global_names(&self, file: usize) -> BTreeSet<String> {
        let bodies = self.bodies.iter().filter(|body| body.file == file);
        let instructions = bodies
            .flat_map(|body| &body.blocks)
            .flat_map(|block| &block.instructions);
        let name = |kind: &Kind| match kind {
            Kind::Global(name) => Some(name.clone()),
            _ => None,
        };
        instructions.filter_map(|of| name(&of.kind)).collect()
    }

    /// Adds a value of the process.
    pub(crate) fn add_captured(&mut self, name: &str, ty: Value<()>) -> usize {
        self.captured.push(Captured {
            name: name.to_owned(),
            ty,
        });
        self.captured.len() - 1
    }

    /// Returns the function, the host function or the class whose `def` or `class` is on a line.
    pub fn at_line(&mut self, file: usize, line: usize) -> Option<Global> {
        if let Some(class) = self.files[file].classes.get(&line).cloned() {
            return Some(self.read_class(file, &class));
        }
        let function = self.files[file].functions.get(&line).cloned()?;
        Some(syntax::on_large_stack(|| {
            self.read_function(file, &function)
        }))
    }

    /// Returns the name of a class.
    pub fn class_name(&self, class: usize) -> String {
        self.classes[class].name.clone()
    }

    /// Returns the names of the fields of a class.
    pub fn field_names(&self, class: usize) -> Vec<String> {
        let fields = self.classes[class].fields.iter();
        fields.map(|field| field.name.clone()).collect()
    }

    /// Returns the annotations of the fields of a class.
    pub fn field_annotations(&self, class: usize) -> Vec<Annotation> {
        let fields = self.classes[class].fields.iter();
        fields.map(|field| field.annotation.clone()).collect()
    }

    /// Returns the path of the file of a function.
    pub fn path_of(&self, function: usize) -> &str {
        &self.files[self.bodies[function].file].path
    }

    /// Returns the text of the file of a function.
    pub fn text_of(&self, function: usize) -> &str {
        &self.files[self.bodies[function].file].text
    }

    /// Returns the name of a host function.
    pub fn host_name(&self, host: usize) -> &str {
        &self.hosts[host].name
    }

    /// Returns the annotations of the parameters of a function.
    pub fn parameters(&self, function: usize) -> Vec<(String, Annotation)> {
        let body = &self.bodies[function];
        let of = &body.function.parameters;
        let all = of.positional.iter().chain(&of.rest).chain(&of.keyword_only);
        all.map(|parameter| {
            let annotation = match &parameter.annotation {
                Some(annotation) => self.annotation(body.file, annotation),
                None => Annotation::Any,
            };
            (parameter.name.clone(), annotation)
        })
        .collect()
    }

    // ---- Reading a file -------------------------------------------------------------------------

    fn read(&mut self, file: FileId, body: Vec<syntax::Stmt>) {
        self.collect(file, &body);
        // Names first: annotations and functions may refer to what follows them.
        for stmt in &body {
            match &stmt.kind {
                StmtKind::Import(imports) => {
                    for import in imports {
                        let member = import.member.as_deref();
                        let global = match self.member_of_file(&import.module, member) {
                            Some(global) => global,
                            None => imported(&import.module, member),
                        };
                        self.bind(file, &import.name, global);
                    }
                }
                StmtKind::Assign(targets, value) => {
                    for target in targets {
                        if let ExprKind::Name(name) = &target.kind {
                            let global = self.constant_global(file, name, value);
                            self.bind(file, name, global);
                        }
                    }
                }
                StmtKind::AnnAssign(target, _, Some(value)) => {
                    if let ExprKind::Name(name) = &target.kind {
                        let global = self.constant_global(file, name, value);
                        self.bind(file, name, global);
                    }
                }
                _ => {}
            }
        }
        for stmt in &body {
            if let StmtKind::Class(class) = &stmt.kind {
                let global = self.read_class(file, class);
                self.bind(file, &class.name, global);
            }
        }
        for stmt in &body {
            if let StmtKind::Function(function) = &stmt.kind {
                let global = self.read_function(file, function);
                let known = |of: &Expr| {
                    let name = dotted(of);
                    let name = name.as_deref().map(|name| name.trim_start_matches("tfx."));
                    matches!(name, Some("program" | "host" | "prefetch"))
                };
                let global = match function.decorators.iter().find(|of| !known(of)) {
                    Some(decorator) => Global::Unusable(
                        Some(decorator.span),
                        format!("what this makes of '{}' is not known", function.name),
                    ),
                    None => global,
                };
                self.bind(file, &function.name, global);
            }
        }
        for stmt in &body {
            if let StmtKind::Assign(targets, value) = &stmt.kind
                && let Some(global) = self.prefetched(file, value)
            {
                for target in targets {
                    if let ExprKind::Name(name) = &target.kind {
                        self.bind(file, name, global.clone());
                    }
                }
            }
        }
    }

    /// Returns the host function whose results an expression prefetches.
    fn prefetched(&self, file: FileId, value: &Expr) -> Option<Global> {
        let ExprKind::Call(_, arguments, ..) = &value.kind else {
            return None;
        };
        let is_prefetch = matches!(dotted(value).as_deref(), Some("tfx.prefetch" | "prefetch"));
        let ExprKind::Name(function) = &arguments.first().filter(|_| is_prefetch)?.kind else {
            return None;
        };
        self.global(file, function).cloned()
    }

    /// Returns the meaning of a member of a module that is a file of the folder; none if it is not.
    fn member_of_file(&mut self, module: &str, member: Option<&str>) -> Option<Global> {
        let relative = module.trim_start_matches('.').replace('.', "/");
        let path = self.folder.as_ref()?.join(relative).with_extension("py");
        let text = std::fs::read_to_string(&path).ok()?;
        let member = member?;
        let unusable = |message| Some(Global::Unusable(None, message));
        let file = match self.add_file(&path.display().to_string(), &text) {
            Ok(file) => file,
            Err(error) => return unusable(error.message),
        };
        match self.global(file, member) {
            // Its place would be one of the other file.
            Some(Global::Unusable(_, message)) => unusable(message.clone()),
            Some(global) => Some(global.clone()),
            None => unusable(format!(
                "'{member}' of '{module}' is known only to the Python process"
            )),
        }
    }

    /// Finds the functions and classes of a file by their lines.
    fn collect(&mut self, file: FileId, body: &[syntax::Stmt]) {
        let mut work: Vec<&syntax::Stmt> = body.iter().collect();
        while let Some(stmt) = work.pop() {
            match &stmt.kind {
                StmtKind::Function(function) => {
                    let of = &mut self.files[file];
                    let (line, _) = of.lines.place(function.span);
                    of.functions.insert(line, Arc::clone(function));
                    work.extend(&function.body);
                }
                StmtKind::Class(class) => {
                    let of = &mut self.files[file];
                    let (line, _) = of.lines.place(class.span);
                    of.classes.insert(line, Arc::clone(class));
                    work.extend(&class.body);
                }
                StmtKind::If(arms, otherwise) => {
                    work.extend(arms.iter().flat_map(|(_, body)| body).chain(otherwise));
                }
                _ => {}
            }
        }
    }

    fn constant_global(&self, file: FileId, name: &str, value: &Expr) -> Global {
        match self.constant(file, value) {
            Some(constant) => Global::Constant(constant),
            None => Global::Unusable(
                Some(value.span),
                format!("the value of '{name}' is known only to the Python process"),
            ),
        }
    }

    /// Evaluates a constant scalar.
    pub(crate) fn constant(&self, file: FileId, expr: &Expr) -> Option<Constant> {
        Some(match &expr.kind {
            ExprKind::Int(Some(value)) => Constant::Int(*value),
            ExprKind::Float(value) => Constant::Float(value.to_bits()),
            ExprKind::Bool(value) => Constant::Bool(*value),
            ExprKind::Str(text) => Constant::Str(text.as_str().into()),
            ExprKind::Unary(UnaryOp::Minus, value) => match self.constant(file, value)? {
                Constant::Int(value) => Constant::Int(value.checked_neg()?),
                Constant::Float(bits) => Constant::Float((-f64::from_bits(bits)).to_bits()),
                _ => return None,
            },
            ExprKind::Name(name) => match self.global(file, name)? {
                Global::Constant(constant) => constant.clone(),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn read_function(&mut self, file: FileId, function: &Arc<Function>) -> Global {
        if let Some(global) = self.files[file].lowered.get(&function.span) {
            return global.clone();
        }
        let decorators: Vec<_> = function.decorators.iter().map(dotted).collect();
        let is_host = decorators
            .iter()
            .any(|of| matches!(of.as_deref(), Some("tfx.host" | "host")));
        let global = if is_host {
            self.read_host(file, function)
        } else {
            match lower::lower(function, file, &mut self.bodies) {
                Ok(id) => Global::Function(id),
                Err(error) => Global::Unusable(Some(error.span), error.message),
            }
        };
        self.files[file]
            .lowered
            .insert(function.span, global.clone());
        global
    }

    fn read_host(&mut self, file: FileId, function: &Arc<Function>) -> Global {
        if function.is_async {
            let message = "'async def' cannot be a host function; write 'def'";
            return Global::Unusable(Some(function.span), message.to_owned());
        }
        let of = &function.parameters;
        if let Some(rest) = of.rest.as_ref().or(of.keywords.as_ref()) {
            let message = format!(
                "'{}' collects arguments, which a host function cannot; name its parameters",
                rest.name
            );
            return Global::Unusable(Some(rest.span), message);
        }
        let mut parameters = Vec::new();
        for parameter in of.positional.iter().chain(&of.keyword_only) {
            let annotation = match &parameter.annotation {
                Some(annotation) => self.annotation(file, annotation),
                None => Annotation::Any,
            };
            parameters.push((
                parameter.name.clone(),
                annotation,
                parameter.default.clone(),
            ));
        }
        let returns = match &function.returns {
            Some(annotation) => self.annotation(file, annotation),
            None => Annotation::None,
        };
        if returns == Annotation::Any {
            let span = function.returns.as_ref().map(|of| of.span);
            let message = format!(
                "the result of the host function '{}' has a type that a program cannot use; write int, float, bool, str, Tensor[f32, 3], a tuple of these, or None",
                function.name
            );
            return Global::Unusable(span, message);
        }
        self.hosts.push(Host {
            name: function.name.clone(),
            file,
            parameters,
            returns,
        });
        Global::Host(self.hosts.len() - 1)
    }

    fn read_class(&mut self, file: FileId, class: &Arc<syntax::Class>) -> Global {
        if let Some(global) = self.files[file].lowered.get(&class.span) {
            return global.clone();
        }
        let decorators: Vec<_> = class.decorators.iter().map(dotted).collect();
        let is_struct =
            |of: &Option<String>| matches!(of.as_deref(), Some("tfx.struct" | "struct"));
        let protocols = class.bases.iter().map(dotted);
        let is_protocol = protocols
            .flatten()
            .any(|name| name == "Protocol" || name == "typing.Protocol");
        let unusable = |span: Span, message: String| Global::Unusable(Some(span), message);
        if is_protocol {
            return Global::Builtin("typing.Protocol".to_owned());
        }
        if let Some(other) = decorators.iter().position(|of| !is_struct(of)) {
            return unusable(
                class.decorators[other].span,
                format!("what this makes of '{}' is not known", class.name),
            );
        }
        if !decorators.iter().any(is_struct) {
            return unusable(
                class.span,
                format!(
                    "'{}' is a class of the host; write @tfx.struct before it, so that programs can use it",
                    class.name
                ),
            );
        }
        if let Some(base) = class.bases.first() {
            return unusable(
                base.span,
                format!(
                    "'{}' inherits, which is not compiled; use a field instead of a base",
                    class.name
                ),
            );
        }
        // A class may have fields of its own type's number only after it has one.
        let id = self.classes.len();
        self.classes.push(Class {
            name: class.name.clone(),
            file,
            fields: Vec::new(),
            methods: BTreeMap::new(),
        });
        let mut fields = Vec::new();
        for stmt in &class.body {
            if let StmtKind::AnnAssign(target, annotation, default) = &stmt.kind
                && let ExprKind::Name(name) = &target.kind
            {
                fields.push(Field {
                    name: name.clone(),
                    annotation: self.annotation(file, annotation),
                    default: default.clone(),
                });
            }
        }
        self.classes[id].fields = fields;
        self.files[file]
            .lowered
            .insert(class.span, Global::Class(id));
        let mut methods = BTreeMap::new();
        for stmt in &class.body {
            if let StmtKind::Function(function) = &stmt.kind {
                let global = match function.decorators.first() {
                    Some(decorator) => unusable(
                        decorator.span,
                        "a decorated method is not compiled; write a function".to_owned(),
                    ),
                    None => self.read_function(file, function),
                };
                methods.insert(function.name.clone(), global);
            }
        }
        self.classes[id].methods = methods;
        Global::Class(id)
    }

    /// Returns the meaning of an annotation.
    pub(crate) fn annotation(&self, file: FileId, expr: &Expr) -> Annotation {
        match &expr.kind {
            ExprKind::None => Annotation::None,
            ExprKind::Name(name) => match (name.as_str(), self.global(file, name)) {
                (_, Some(Global::Class(class))) => Annotation::Class(*class),
                (_, Some(_)) => Annotation::Any,
                ("int", None) => Annotation::Int,
                ("float", None) => Annotation::Float,
                ("bool", None) => Annotation::Bool,
                ("str", None) => Annotation::Str,
                _ => Annotation::Any,
            },
            ExprKind::Subscript(base, index) => self.subscript(file, base, index),
            _ => Annotation::Any,
        }
    }

    fn subscript(&self, file: FileId, base: &Expr, index: &Expr) -> Annotation {
        let parts = match &index.kind {
            ExprKind::Tuple(parts) => parts.as_slice(),
            _ => std::slice::from_ref(index),
        };
        let Some(name) = dotted(base) else {
            return Annotation::Any;
        };
        let last = name.rsplit('.').next().unwrap_or_default();
        if last == "tuple" || last == "Tuple" {
            let parts = parts.iter().map(|part| self.annotation(file, part));
            return Annotation::Tuple(parts.collect());
        }
        // Tensor[f32, "n", 64], or jaxtyping's Float32[Tensor, "n 64"].
        if last == "Tensor" {
            let Some((first, sizes)) = parts.split_first() else {
                return Annotation::Any;
            };
            let Some(dtype) = self.dtype(file, first) else {
                return Annotation::Any;
            };
            let sizes = sizes.iter().map(|size| match &size.kind {
                ExprKind::None => Some(Size::Any),
                ExprKind::Int(Some(size)) => u64::try_from(*size).ok().map(Size::Static),
                ExprKind::Str(name) => Some(named_size(name)),
                ExprKind::Name(_) => match self.constant(file, size)? {
                    Constant::Int(size) => u64::try_from(size).ok().map(Size::Static),
                    _ => None,
                },
                _ => None,
            });
            return match sizes.collect::<Option<Vec<_>>>() {
                Some(sizes) => Annotation::Tensor(dtype, sizes),
                None => Annotation::Any,
            };
        }
        let dtype = dtype_of_name(&last.to_ascii_lowercase());
        if let (Some(dtype), [_, shape]) = (dtype, parts)
            && let ExprKind::Str(text) = &shape.kind
        {
            let sizes = text.split_whitespace().map(named_size);
            return Annotation::Tensor(dtype, sizes.collect());
        }
        Annotation::Any
    }

    fn dtype(&self, file: FileId, expr: &Expr) -> Option<DType> {
        match &expr.kind {
            ExprKind::Name(name) => match self.global(file, name) {
                Some(Global::DType(dtype)) => Some(*dtype),
                Some(_) => None,
                None => dtype_of_name(name).filter(|_| name == "bool"),
            },
            ExprKind::Attribute(_, name) => dtype_of_name(name),
            _ => None,
        }
    }
}

fn named_size(text: &str) -> Size {
    match text.parse() {
        Ok(size) => Size::Static(size),
        Err(_) if text == "_" || text.is_empty() => Size::Any,
        Err(_) => Size::Named(text.to_owned()),
    }
}

/// Returns the text of a name with dots.
pub(crate) fn dotted(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.clone()),
        ExprKind::Attribute(value, name) => Some(format!("{}.{name}", dotted(value)?)),
        ExprKind::Call(function, ..) => dotted(function),
        _ => None,
    }
}

/// Returns the meaning of an imported name.
pub(crate) fn imported(module: &str, member: Option<&str>) -> Global {
    let Some(member) = member else {
        return Global::Module(module.to_owned());
    };
    if module == "tfx"
        && let Some(dtype) = dtype_of_name(member)
    {
        return Global::DType(dtype);
    }
    match module {
        "tfx" | "math" | "typing" | "dataclasses" => Global::Builtin(format!("{module}.{member}")),
        _ => Global::Unusable(
            None,
            format!("'{member}' of '{module}' runs on the host; call it in a @tfx.host function"),
        ),
    }
}

/// The builtins of Python that programs may use, and the exceptions.
pub(crate) const BUILTINS: &[&str] = &[
    "abs",
    "all",
    "any",
    "bool",
    "divmod",
    "enumerate",
    "float",
    "int",
    "isinstance",
    "len",
    "list",
    "max",
    "min",
    "pow",
    "print",
    "range",
    "repr",
    "reversed",
    "round",
    "str",
    "sum",
    "tuple",
    "zip",
];

/// The exceptions that programs may raise.
pub(crate) const EXCEPTIONS: &[&str] = &[
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BufferError",
    "EOFError",
    "Exception",
    "FloatingPointError",
    "IndexError",
    "KeyError",
    "LookupError",
    "MemoryError",
    "NameError",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "RecursionError",
    "ReferenceError",
    "RuntimeError",
    "StopIteration",
    "SystemError",
    "TimeoutError",
    "TypeError",
    "UnboundLocalError",
    "ValueError",
    "ZeroDivisionError",
];

/// Returns the function of a body with its number.
pub(crate) fn function_name(world: &World, id: FunctionId) -> &str {
    &world.bodies[id].function.name
}
