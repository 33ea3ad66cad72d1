//! Conversion of the parser's tree.

use std::sync::Arc;

use ruff_python_ast as ruff;
use ruff_text_size::{Ranged, TextRange};

use crate::tree::*;

/// Converts a range of the parser.
pub(crate) fn span(range: TextRange) -> Span {
    Span {
        start: range.start().to_u32(),
        end: range.end().to_u32(),
    }
}

/// Converts a file.
pub(crate) fn module(module: ruff::ModModule) -> Module {
    Module {
        body: Convert.block(module.body),
    }
}

struct Convert;

impl Convert {
    fn block(&self, body: impl IntoIterator<Item = ruff::Stmt>) -> Vec<Stmt> {
        body.into_iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&self, stmt: ruff::Stmt) -> Stmt {
        use ruff::Stmt as S;
        let whole = span(stmt.range());
        let kind = match stmt {
            S::Assign(of) => StmtKind::Assign(self.exprs(of.targets), self.expr(*of.value)),
            S::AugAssign(of) => {
                StmtKind::AugAssign(self.expr(*of.target), binary(of.op), self.expr(*of.value))
            }
            S::AnnAssign(of) => StmtKind::AnnAssign(
                self.expr(*of.target),
                self.expr(*of.annotation),
                self.option(of.value),
            ),
            S::Return(of) => StmtKind::Return(self.option(of.value)),
            S::If(of) => {
                let mut arms = vec![(self.expr(*of.test), self.block(of.body))];
                let mut otherwise = Vec::new();
                for clause in of.elif_else_clauses {
                    let body = self.block(clause.body);
                    match clause.test {
                        Some(test) => arms.push((self.expr(test), body)),
                        None => otherwise = body,
                    }
                }
                StmtKind::If(arms, otherwise)
            }
            S::While(of) => StmtKind::While(
                self.expr(*of.test),
                self.block(of.body),
                self.block(of.orelse),
            ),
            S::For(of) if of.is_async => StmtKind::Other("async for"),
            S::For(of) => StmtKind::For(
                self.expr(*of.target),
                self.expr(*of.iter),
                self.block(of.body),
                self.block(of.orelse),
            ),
            S::Break(_) => StmtKind::Break,
            S::Continue(_) => StmtKind::Continue,
            S::Pass(_) => StmtKind::Pass,
            S::Expr(of) => StmtKind::Expr(self.expr(*of.value)),
            S::Assert(of) => StmtKind::Assert(self.expr(*of.test), self.option(of.msg)),
            S::Raise(of) => StmtKind::Raise(self.option(of.exc), of.cause.is_some()),
            S::FunctionDef(of) => StmtKind::Function(Arc::new(self.function(of))),
            S::ClassDef(of) => StmtKind::Class(Arc::new(self.class(of))),
            S::Import(of) => StmtKind::Import(of.names.into_iter().map(import).collect()),
            S::ImportFrom(of) => {
                let module = of.module.map(|name| name.to_string()).unwrap_or_default();
                let dots = ".".repeat(of.level as usize);
                let module = format!("{dots}{module}");
                let name = |alias: ruff::Alias| {
                    let member = alias.name.to_string();
                    let name = alias.asname.map(|name| name.to_string());
                    Import {
                        name: name.unwrap_or_else(|| member.clone()),
                        module: module.clone(),
                        member: Some(member),
                    }
                };
                StmtKind::Import(of.names.into_iter().map(name).collect())
            }
            S::Global(of) => StmtKind::Global(strings(of.names)),
            S::Nonlocal(of) => StmtKind::Nonlocal(strings(of.names)),
            S::Delete(_) => StmtKind::Other("del"),
            S::TypeAlias(_) => StmtKind::Other("type"),
            S::With(of) if of.is_async => StmtKind::Other("async with"),
            S::With(_) => StmtKind::Other("with"),
            S::Match(_) => StmtKind::Other("match"),
            S::Try(_) => StmtKind::Other("try"),
            S::IpyEscapeCommand(_) => StmtKind::Other("%"),
        };
        Stmt { span: whole, kind }
    }

    fn function(&self, of: ruff::StmtFunctionDef) -> Function {
        let decorators = of.decorator_list.into_iter();
        Function {
            name: of.name.to_string(),
            span: span(of.name.range()),
            decorators: decorators.map(|of| self.expr(of.expression)).collect(),
            parameters: self.parameters(*of.parameters),
            returns: self.option(of.returns),
            is_async: of.is_async,
            is_generator: of.body.iter().any(yields),
            body: self.block(of.body),
        }
    }

    fn class(&self, of: ruff::StmtClassDef) -> Class {
        let decorators = of.decorator_list.into_iter();
        let bases = of.arguments.map(|arguments| arguments.args);
        let bases = bases.unwrap_or_default().into_vec();
        Class {
            name: of.name.to_string(),
            span: span(of.name.range()),
            decorators: decorators.map(|of| self.expr(of.expression)).collect(),
            bases: self.exprs(bases),
            body: self.block(of.body),
        }
    }

    fn parameters(&self, of: ruff::Parameters) -> Parameters {
        let one = |of: ruff::Parameter, default| Parameter {
            name: of.name.to_string(),
            span: span(of.name.range()),
            annotation: self.option(of.annotation),
            default,
        };
        let with_default = |of: ruff::ParameterWithDefault| {
            let default = self.option(of.default);
            one(of.parameter, default)
        };
        let positional_only = of.posonlyargs.len();
        let positional = of.posonlyargs.into_iter().chain(of.args);
        Parameters {
            positional: positional.map(with_default).collect(),
            positional_only,
            rest: of.vararg.map(|of| one(*of, None)),
            keyword_only: of.kwonlyargs.into_iter().map(with_default).collect(),
            keywords: of.kwarg.map(|of| one(*of, None)),
        }
    }

    fn exprs(&self, exprs: impl IntoIterator<Item = ruff::Expr>) -> Vec<Expr> {
        exprs.into_iter().map(|expr| self.expr(expr)).collect()
    }

    fn option(&self, expr: Option<Box<ruff::Expr>>) -> Option<Expr> {
        expr.map(|expr| self.expr(*expr))
    }

    #[allow(
        clippy::boxed_local,
        reason = "the parts of the parser's tree are boxed"
    )]
    fn boxed(&self, expr: Box<ruff::Expr>) -> Box<Expr> {
        Box::new(self.expr(*expr))
    }

    fn expr(&self, expr: ruff::Expr) -> Expr {
        use ruff::Expr as E;
        let whole = span(expr.range());
        let kind = match expr {
            E::Name(of) => ExprKind::Name(of.id.to_string()),
            E::NumberLiteral(of) => match of.value {
                ruff::Number::Int(value) => ExprKind::Int(value.as_i64()),
                ruff::Number::Float(value) => ExprKind::Float(value),
                ruff::Number::Complex { .. } => ExprKind::Other("a complex number"),
            },
            E::BooleanLiteral(of) => ExprKind::Bool(of.value),
            E::NoneLiteral(_) => ExprKind::None,
            E::EllipsisLiteral(_) => ExprKind::Ellipsis,
            E::StringLiteral(of) => ExprKind::Str(of.value.to_str().to_owned()),
            E::BytesLiteral(_) => ExprKind::Other("bytes"),
            E::FString(of) => ExprKind::Format(self.format(&of.value)),
            E::TString(_) => ExprKind::Other("a template string"),
            E::Tuple(of) => ExprKind::Tuple(self.exprs(of.elts)),
            E::List(of) => ExprKind::List(self.exprs(of.elts)),
            E::Starred(of) => ExprKind::Starred(self.boxed(of.value)),
            E::BoolOp(of) => ExprKind::Logic(of.op == ruff::BoolOp::And, self.exprs(of.values)),
            E::UnaryOp(of) => {
                let op = match of.op {
                    ruff::UnaryOp::Invert => UnaryOp::Invert,
                    ruff::UnaryOp::Not => UnaryOp::Not,
                    ruff::UnaryOp::UAdd => UnaryOp::Plus,
                    ruff::UnaryOp::USub => UnaryOp::Minus,
                };
                ExprKind::Unary(op, self.boxed(of.operand))
            }
            E::BinOp(of) => {
                ExprKind::Binary(binary(of.op), self.boxed(of.left), self.boxed(of.right))
            }
            E::Compare(of) => {
                let rights = of.comparators.into_vec();
                let ops = of.ops.iter().copied().map(compare);
                let rest = ops.zip(rights.into_iter().map(|right| self.expr(right)));
                ExprKind::Compare(self.boxed(of.left), rest.collect())
            }
            E::Call(of) => {
                let function = self.boxed(of.func);
                let arguments = self.exprs(of.arguments.args.into_vec());
                let keywords = of.arguments.keywords.into_iter().map(|of| Keyword {
                    name: of.arg.map(|name| name.to_string()),
                    value: self.expr(of.value),
                });
                ExprKind::Call(function, arguments, keywords.collect())
            }
            E::Attribute(of) => ExprKind::Attribute(self.boxed(of.value), of.attr.to_string()),
            E::Subscript(of) => ExprKind::Subscript(self.boxed(of.value), self.boxed(of.slice)),
            E::Slice(of) => ExprKind::Slice(
                [of.lower, of.upper, of.step].map(|part| part.map(|part| self.boxed(part))),
            ),
            E::Lambda(of) => {
                let body = self.expr(*of.body);
                ExprKind::Lambda(Arc::new(Function {
                    name: "<lambda>".to_owned(),
                    span: whole,
                    decorators: Vec::new(),
                    parameters: of
                        .parameters
                        .map(|of| self.parameters(*of))
                        .unwrap_or_default(),
                    returns: None,
                    body: vec![Stmt {
                        span: body.span,
                        kind: StmtKind::Return(Some(body)),
                    }],
                    is_async: false,
                    is_generator: false,
                }))
            }
            E::If(of) => ExprKind::If(
                self.boxed(of.test),
                self.boxed(of.body),
                self.boxed(of.orelse),
            ),
            E::Named(of) => match *of.target {
                E::Name(name) => ExprKind::Named(name.id.to_string(), self.boxed(of.value)),
                _ => ExprKind::Other("':='"),
            },
            E::ListComp(of) => {
                ExprKind::Comprehension(true, self.boxed(of.elt), self.clauses(of.generators))
            }
            E::Generator(of) => {
                ExprKind::Comprehension(false, self.boxed(of.elt), self.clauses(of.generators))
            }
            E::Dict(_) | E::DictComp(_) => ExprKind::Other("a dict"),
            E::Set(_) | E::SetComp(_) => ExprKind::Other("a set"),
            E::Await(_) => ExprKind::Other("'await'"),
            E::Yield(_) | E::YieldFrom(_) => ExprKind::Other("'yield'"),
            E::IpyEscapeCommand(_) => ExprKind::Other("'%'"),
        };
        Expr { span: whole, kind }
    }

    fn clauses(&self, clauses: Vec<ruff::Comprehension>) -> Vec<Clause> {
        let clause = |of: ruff::Comprehension| Clause {
            target: self.expr(of.target),
            iter: match of.is_async {
                true => Expr {
                    span: span(of.range),
                    kind: ExprKind::Other("'async for'"),
                },
                false => self.expr(of.iter),
            },
            conditions: self.exprs(of.ifs),
        };
        clauses.into_iter().map(clause).collect()
    }

    fn format(&self, value: &ruff::FStringValue) -> Vec<FormatPart> {
        let mut parts = Vec::new();
        for part in value {
            match part {
                ruff::FStringPart::Literal(text) => {
                    parts.push(FormatPart::Text(text.as_str().to_owned()));
                }
                ruff::FStringPart::FString(string) => {
                    self.elements(&string.elements, &mut parts);
                }
            }
        }
        parts
    }

    fn elements(&self, elements: &ruff::InterpolatedStringElements, parts: &mut Vec<FormatPart>) {
        for element in elements.iter() {
            match element {
                ruff::InterpolatedStringElement::Literal(text) => {
                    parts.push(FormatPart::Text(text.value.to_string()));
                }
                ruff::InterpolatedStringElement::Interpolation(of) => {
                    let mut conversion = of.conversion.to_char();
                    let mut specification = Vec::new();
                    if let Some(of) = &of.format_spec {
                        self.elements(&of.elements, &mut specification);
                    }
                    if let Some(debug) = &of.debug_text {
                        parts.push(FormatPart::Text(debug.as_str().to_owned()));
                        // `{x=}` shows the representation, unless a format is given.
                        if conversion.is_none() && of.format_spec.is_none() {
                            conversion = Some('r');
                        }
                    }
                    let value = self.expr((*of.expression).clone());
                    parts.push(FormatPart::Value(value, conversion, specification));
                }
            }
        }
    }
}

fn strings(names: impl IntoIterator<Item = ruff::Identifier>) -> Vec<String> {
    names.into_iter().map(|name| name.to_string()).collect()
}

fn import(alias: ruff::Alias) -> Import {
    let module = alias.name.to_string();
    let first = module.split('.').next().unwrap_or_default().to_owned();
    match alias.asname {
        Some(name) => Import {
            name: name.to_string(),
            module,
            member: None,
        },
        // `import a.b` binds `a`.
        None => Import {
            name: first.clone(),
            module: first,
            member: None,
        },
    }
}

/// Returns whether a statement of a function makes it a generator.
fn yields(stmt: &ruff::Stmt) -> bool {
    use ruff::visitor::{Visitor, walk_expr, walk_stmt};
    struct Find(bool);
    impl<'a> Visitor<'a> for Find {
        fn visit_stmt(&mut self, stmt: &'a ruff::Stmt) {
            if !matches!(stmt, ruff::Stmt::FunctionDef(_) | ruff::Stmt::ClassDef(_)) {
                walk_stmt(self, stmt);
            }
        }
        fn visit_expr(&mut self, expr: &'a ruff::Expr) {
            match expr {
                ruff::Expr::Yield(_) | ruff::Expr::YieldFrom(_) => self.0 = true,
                ruff::Expr::Lambda(_) => {}
                _ => walk_expr(self, expr),
            }
        }
    }
    let mut find = Find(false);
    find.visit_stmt(stmt);
    find.0
}

fn binary(op: ruff::Operator) -> BinaryOp {
    use ruff::Operator as O;
    match op {
        O::Add => BinaryOp::Add,
        O::Sub => BinaryOp::Sub,
        O::Mult => BinaryOp::Mul,
        O::MatMult => BinaryOp::MatMul,
        O::Div => BinaryOp::Div,
        O::Mod => BinaryOp::Mod,
        O::Pow => BinaryOp::Pow,
        O::LShift => BinaryOp::LeftShift,
        O::RShift => BinaryOp::RightShift,
        O::BitOr => BinaryOp::Or,
        O::BitXor => BinaryOp::Xor,
        O::BitAnd => BinaryOp::And,
        O::FloorDiv => BinaryOp::FloorDiv,
    }
}

fn compare(op: ruff::CmpOp) -> CompareOp {
    use ruff::CmpOp as C;
    match op {
        C::Eq => CompareOp::Eq,
        C::NotEq => CompareOp::Ne,
        C::Lt => CompareOp::Lt,
        C::LtE => CompareOp::Le,
        C::Gt => CompareOp::Gt,
        C::GtE => CompareOp::Ge,
        C::Is => CompareOp::Is,
        C::IsNot => CompareOp::IsNot,
        C::In => CompareOp::In,
        C::NotIn => CompareOp::NotIn,
    }
}
