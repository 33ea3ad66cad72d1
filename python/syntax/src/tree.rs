//! The tree of a source file.

use std::sync::Arc;

/// A part of the text, as byte offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Span {
    /// The empty span at an offset.
    pub fn at(start: u32) -> Self {
        Span { start, end: start }
    }
}

/// A file.
#[derive(Clone, Debug)]
pub struct Module {
    /// The statements.
    pub body: Vec<Stmt>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The text of the statement.
    pub span: Span,
    /// The form.
    pub kind: StmtKind,
}

/// The form of a statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `a = b = value`.
    Assign(Vec<Expr>, Expr),
    /// `target op= value`.
    AugAssign(Expr, BinaryOp, Expr),
    /// `target: annotation = value`.
    AnnAssign(Expr, Expr, Option<Expr>),
    /// `return value`.
    Return(Option<Expr>),
    /// `if`, each `elif`, and `else`.
    If(Vec<(Expr, Vec<Stmt>)>, Vec<Stmt>),
    /// `while test: body`, `else`.
    While(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `for target in iter: body`, `else`.
    For(Expr, Expr, Vec<Stmt>, Vec<Stmt>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `pass`.
    Pass,
    /// An expression for its effects.
    Expr(Expr),
    /// `assert test, message`.
    Assert(Expr, Option<Expr>),
    /// `raise exception`; `true` if it has a cause.
    Raise(Option<Expr>, bool),
    /// `def`.
    Function(Arc<Function>),
    /// `class`.
    Class(Arc<Class>),
    /// `import`, `from .. import`.
    Import(Vec<Import>),
    /// `global`.
    Global(Vec<String>),
    /// `nonlocal`.
    Nonlocal(Vec<String>),
    /// Any other statement, by its keyword.
    Other(&'static str),
}

/// A name that an import binds.
#[derive(Clone, Debug)]
pub struct Import {
    /// The name that is bound.
    pub name: String,
    /// The module.
    pub module: String,
    /// The member of the module; none for the module itself.
    pub member: Option<String>,
}

/// A function or a lambda.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name; `<lambda>` for a lambda.
    pub name: String,
    /// The name in the text, or the lambda.
    pub span: Span,
    /// The decorators.
    pub decorators: Vec<Expr>,
    /// The parameters.
    pub parameters: Parameters,
    /// The annotation of the result.
    pub returns: Option<Expr>,
    /// The statements; a lambda has one `return`.
    pub body: Vec<Stmt>,
    /// `true` for an `async def`.
    pub is_async: bool,
    /// `true` for a generator: a `yield` is in its body.
    pub is_generator: bool,
}

/// The parameters of a function.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    /// Those that a position can bind; the first `positional_only` cannot be keywords.
    pub positional: Vec<Parameter>,
    /// The number of the first parameters, before a `/`.
    pub positional_only: usize,
    /// `*args`.
    pub rest: Option<Parameter>,
    /// Those after `*`.
    pub keyword_only: Vec<Parameter>,
    /// `**keywords`.
    pub keywords: Option<Parameter>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The text.
    pub span: Span,
    /// The annotation.
    pub annotation: Option<Expr>,
    /// The default value.
    pub default: Option<Expr>,
}

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// The name.
    pub name: String,
    /// The name in the text.
    pub span: Span,
    /// The decorators.
    pub decorators: Vec<Expr>,
    /// The base classes.
    pub bases: Vec<Expr>,
    /// The statements.
    pub body: Vec<Stmt>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The text of the expression.
    pub span: Span,
    /// The form.
    pub kind: ExprKind,
}

/// The form of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A name.
    Name(String),
    /// An integer; none if it does not fit 64 bits.
    Int(Option<i64>),
    /// A float.
    Float(f64),
    /// `True` or `False`.
    Bool(bool),
    /// `None`.
    None,
    /// `...`.
    Ellipsis,
    /// A string.
    Str(String),
    /// An f-string.
    Format(Vec<FormatPart>),
    /// A tuple.
    Tuple(Vec<Expr>),
    /// A list.
    List(Vec<Expr>),
    /// `*value`.
    Starred(Box<Expr>),
    /// `and` (`true`) or `or`.
    Logic(bool, Vec<Expr>),
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A chain of comparisons.
    Compare(Box<Expr>, Vec<(CompareOp, Expr)>),
    /// A call; a keyword without a name is `**value`.
    Call(Box<Expr>, Vec<Expr>, Vec<Keyword>),
    /// `value.name`.
    Attribute(Box<Expr>, String),
    /// `value[index]`.
    Subscript(Box<Expr>, Box<Expr>),
    /// `a:b:c` in a subscript.
    Slice([Option<Box<Expr>>; 3]),
    /// A lambda.
    Lambda(Arc<Function>),
    /// `a if test else b`, as test, a, b.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `name := value`.
    Named(String, Box<Expr>),
    /// A comprehension of a list (`true`) or a generator.
    Comprehension(bool, Box<Expr>, Vec<Clause>),
    /// Any other expression, by its name.
    Other(&'static str),
}

/// A keyword argument.
#[derive(Clone, Debug)]
pub struct Keyword {
    /// The name; none for `**value`.
    pub name: Option<String>,
    /// The value.
    pub value: Expr,
}

/// `for target in iter if condition`.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The target.
    pub target: Expr,
    /// The iterable.
    pub iter: Expr,
    /// The conditions.
    pub conditions: Vec<Expr>,
}

/// A part of an f-string.
#[derive(Clone, Debug)]
pub enum FormatPart {
    /// Text.
    Text(String),
    /// A value, its conversion (`s`, `r` or `a`), and its specification.
    Value(Expr, Option<char>, Vec<FormatPart>),
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `~`.
    Invert,
    /// `not`.
    Not,
    /// `+`.
    Plus,
    /// `-`.
    Minus,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of Python's operators")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    MatMul,
    Div,
    FloorDiv,
    Mod,
    Pow,
    LeftShift,
    RightShift,
    Or,
    Xor,
    And,
}

impl BinaryOp {
    /// The operator in the text.
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::MatMul => "@",
            BinaryOp::Div => "/",
            BinaryOp::FloorDiv => "//",
            BinaryOp::Mod => "%",
            BinaryOp::Pow => "**",
            BinaryOp::LeftShift => "<<",
            BinaryOp::RightShift => ">>",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::And => "&",
        }
    }

    /// The name of the method without its underscores: `add` for `__add__`.
    pub fn method(self) -> &'static str {
        match self {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::MatMul => "matmul",
            BinaryOp::Div => "truediv",
            BinaryOp::FloorDiv => "floordiv",
            BinaryOp::Mod => "mod",
            BinaryOp::Pow => "pow",
            BinaryOp::LeftShift => "lshift",
            BinaryOp::RightShift => "rshift",
            BinaryOp::Or => "or",
            BinaryOp::Xor => "xor",
            BinaryOp::And => "and",
        }
    }
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of Python's operators")]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Is,
    IsNot,
    In,
    NotIn,
}

impl CompareOp {
    /// The operator in the text.
    pub fn text(self) -> &'static str {
        match self {
            CompareOp::Eq => "==",
            CompareOp::Ne => "!=",
            CompareOp::Lt => "<",
            CompareOp::Le => "<=",
            CompareOp::Gt => ">",
            CompareOp::Ge => ">=",
            CompareOp::Is => "is",
            CompareOp::IsNot => "is not",
            CompareOp::In => "in",
            CompareOp::NotIn => "not in",
        }
    }
}
