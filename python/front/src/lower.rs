//! Lowering of the tree to control-flow graphs.
//!
//! The scopes are Python's: the names that a function binds are its variables everywhere in its
//! body; other names are those of the enclosing functions, then globals. Each comprehension has its
//! own targets. Evaluation is from left to right; each operand is evaluated once.
//!
//! The lowering recurses on the nesting of the source (`tfx_python_syntax::on_large_stack`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tfx_python_syntax::{
    Clause, Expr, ExprKind, FormatPart, Function, Keyword, Span, Stmt, StmtKind, UnaryOp,
};

use crate::hir::{Block, BlockId, Body, End, FileId, FunctionId, Instruction, Kind, Slot};

/// An error of the lowering.
#[derive(Clone, Debug)]
pub(crate) struct Unsupported {
    pub span: Span,
    pub message: String,
}

type Result<T = ()> = std::result::Result<T, Unsupported>;

/// Lowers a function and its inner functions, which are added to the bodies. Returns its number.
pub(crate) fn lower(
    function: &Arc<Function>,
    file: FileId,
    bodies: &mut Vec<Arc<Body>>,
) -> Result<FunctionId> {
    let mut lowerer = Lowerer {
        file,
        frames: Vec::new(),
        bodies,
    };
    lowerer.function(function)
}

struct Lowerer<'b> {
    file: FileId,
    /// The functions around the current one, and that one.
    frames: Vec<Frame>,
    bodies: &'b mut Vec<Arc<Body>>,
}

/// A function during its lowering.
#[derive(Default)]
struct Frame {
    slots: Vec<Option<String>>,
    /// The variables, and the targets of the comprehensions around the current expression.
    scopes: Vec<BTreeMap<String, Slot>>,
    captures: Vec<(Slot, Slot)>,
    captured: BTreeSet<Slot>,
    blocks: Vec<Block>,
    current: BlockId,
    /// The targets of `continue` and `break`.
    loops: Vec<(BlockId, BlockId)>,
}

fn unsupported<T>(span: Span, message: impl Into<String>) -> Result<T> {
    Err(Unsupported {
        span,
        message: message.into(),
    })
}

impl Lowerer<'_> {
    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a function is lowered")
    }

    fn function(&mut self, function: &Arc<Function>) -> Result<FunctionId> {
        if function.is_async {
            return unsupported(
                function.span,
                "'async def' is not compiled; move it into a @tfx.host function",
            );
        }
        if function.is_generator {
            return unsupported(
                function.span,
                "a generator is not compiled; return a tuple, or move it into a @tfx.host function",
            );
        }
        if let Some(keywords) = &function.parameters.keywords {
            return unsupported(
                keywords.span,
                format!("'**{}' is not compiled; name the parameters", keywords.name),
            );
        }
        self.frames.push(Frame::default());
        self.frame().scopes.push(BTreeMap::new());
        let of = &function.parameters;
        let parameters: Vec<Slot> = of
            .positional
            .iter()
            .chain(&of.rest)
            .chain(&of.keyword_only)
            .map(|parameter| self.variable(&parameter.name))
            .collect();
        let mut names = BTreeSet::new();
        bound_names(&function.body, &mut names);
        for name in names {
            if !self.frame().scopes[0].contains_key(&name) {
                self.variable(&name);
            }
        }
        let entry = self.block();
        self.enter(entry);
        self.block_of(&function.body)?;
        let end = Span::at(function.body.last().map_or(0, |last| last.span.end));
        let none = self.emit(Kind::None, &[], end);
        self.end(End::Return(none, end));
        let frame = self.frames.pop().expect("a function is lowered");
        let live = liveness(&frame.blocks, &frame.captured);
        self.bodies.push(Arc::new(Body {
            function: Arc::clone(function),
            file: self.file,
            slots: frame.slots,
            parameters,
            captures: frame.captures,
            blocks: frame.blocks,
            live,
        }));
        Ok(self.bodies.len() - 1)
    }

    // ---- Blocks and slots -----------------------------------------------------------------------

    fn block(&mut self) -> BlockId {
        let frame = self.frame();
        frame.blocks.push(Block::default());
        frame.blocks.len() as BlockId - 1
    }

    fn enter(&mut self, block: BlockId) {
        self.frame().current = block;
    }

    /// Ends the current block. What follows is unreachable.
    fn end(&mut self, end: End) {
        let current = self.frame().current as usize;
        self.frame().blocks[current].end = end;
        let next = self.block();
        self.enter(next);
    }

    /// Ends the current block with a jump to a block, which is then the current one.
    fn continue_in(&mut self, block: BlockId) {
        self.end(End::Jump(block));
        self.enter(block);
    }

    fn temporary(&mut self) -> Slot {
        let slots = &mut self.frame().slots;
        slots.push(None);
        slots.len() as Slot - 1
    }

    /// Adds a variable to the innermost scope.
    fn variable(&mut self, name: &str) -> Slot {
        let frame = self.frame();
        let slot = frame.slots.len() as Slot;
        frame.slots.push(Some(name.to_owned()));
        let scope = frame.scopes.last_mut().expect("a function has a scope");
        scope.insert(name.to_owned(), slot);
        slot
    }

    fn emit_to(&mut self, result: Slot, kind: Kind, operands: &[Slot], span: Span) {
        let frame = self.frame();
        let current = frame.current as usize;
        frame.blocks[current].instructions.push(Instruction {
            result,
            kind,
            operands: operands.to_vec(),
            span,
        });
    }

    fn emit(&mut self, kind: Kind, operands: &[Slot], span: Span) -> Slot {
        let result = self.temporary();
        self.emit_to(result, kind, operands, span);
        result
    }

    /// Returns the slot of a name in a frame, which captures it if it is of an enclosing function.
    fn resolve(&mut self, level: usize, name: &str) -> Option<Slot> {
        let frame = &self.frames[level];
        if let Some(&slot) = frame.scopes.iter().rev().find_map(|scope| scope.get(name)) {
            return Some(slot);
        }
        let outer = self.resolve(level.checked_sub(1)?, name)?;
        self.frames[level - 1].captured.insert(outer);
        let frame = &mut self.frames[level];
        let slot = frame.slots.len() as Slot;
        frame.slots.push(Some(name.to_owned()));
        frame.scopes[0].insert(name.to_owned(), slot);
        frame.captures.push((outer, slot));
        Some(slot)
    }

    fn name(&mut self, name: &str, span: Span) -> Slot {
        match self.resolve(self.frames.len() - 1, name) {
            Some(slot) => self.emit(Kind::Read, &[slot], span),
            None => self.emit(Kind::Global(name.to_owned()), &[], span),
        }
    }

    /// Assigns to a variable of the current function.
    fn store(&mut self, name: &str, value: Slot, span: Span) {
        let scopes = &self.frame().scopes;
        let found = scopes.iter().rev().find_map(|scope| scope.get(name));
        let slot = *found.expect("a bound name is a variable");
        self.emit_to(slot, Kind::Copy, &[value], span);
    }

    // ---- Statements -----------------------------------------------------------------------------

    fn block_of(&mut self, body: &[Stmt]) -> Result {
        body.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Assign(targets, value) => {
                let value = self.expr(value)?;
                targets
                    .iter()
                    .try_for_each(|target| self.assign(target, value))
            }
            StmtKind::AugAssign(target, op, value) => {
                let ExprKind::Name(name) = &target.kind else {
                    return self.cannot_assign(target);
                };
                let old = self.name(name, target.span);
                let value = self.expr(value)?;
                let new = self.emit(Kind::InPlace(*op), &[old, value], span);
                self.assign(target, new)
            }
            StmtKind::AnnAssign(target, _, Some(value)) => {
                let value = self.expr(value)?;
                self.assign(target, value)
            }
            StmtKind::AnnAssign(_, _, None) | StmtKind::Pass => Ok(()),
            StmtKind::Return(value) => {
                let slot = match value {
                    Some(value) => self.expr(value)?,
                    None => self.emit(Kind::None, &[], span),
                };
                self.end(End::Return(slot, span));
                Ok(())
            }
            StmtKind::If(arms, otherwise) => {
                let done = self.block();
                for (test, body) in arms {
                    let (then, next) = (self.block(), self.block());
                    self.condition(test, then, next)?;
                    self.enter(then);
                    self.block_of(body)?;
                    self.end(End::Jump(done));
                    self.enter(next);
                }
                self.block_of(otherwise)?;
                self.continue_in(done);
                Ok(())
            }
            StmtKind::While(test, body, otherwise) => {
                let (head, inside, exhausted, done) =
                    (self.block(), self.block(), self.block(), self.block());
                self.continue_in(head);
                self.condition(test, inside, exhausted)?;
                self.enter(inside);
                self.loop_body(body, head, done)?;
                self.enter(exhausted);
                self.block_of(otherwise)?;
                self.continue_in(done);
                Ok(())
            }
            StmtKind::For(target, iter, body, otherwise) => {
                let iterable = self.expr(iter)?;
                let iterator = self.emit(Kind::Iter(false), &[iterable], iter.span);
                let (head, inside, exhausted, done) =
                    (self.block(), self.block(), self.block(), self.block());
                self.continue_in(head);
                let more = self.emit(Kind::HasNext, &[iterator], iter.span);
                self.end(End::Branch(more, inside, exhausted));
                self.enter(inside);
                let item = self.emit(Kind::Item, &[iterator], target.span);
                self.emit_to(iterator, Kind::Advance, &[iterator], iter.span);
                self.assign(target, item)?;
                self.loop_body(body, head, done)?;
                self.enter(exhausted);
                self.block_of(otherwise)?;
                self.continue_in(done);
                Ok(())
            }
            StmtKind::Break | StmtKind::Continue => {
                let Some(&(again, done)) = self.frame().loops.last() else {
                    return unsupported(span, "SyntaxError: outside of a loop");
                };
                let is_break = matches!(stmt.kind, StmtKind::Break);
                self.end(End::Jump(if is_break { done } else { again }));
                Ok(())
            }
            StmtKind::Expr(value) => {
                // A docstring, or `...`.
                if !matches!(value.kind, ExprKind::Str(_) | ExprKind::Ellipsis) {
                    self.expr(value)?;
                }
                Ok(())
            }
            StmtKind::Assert(test, message) => self.assert(test, message.as_ref(), span),
            StmtKind::Raise(Some(_), true) => unsupported(
                span,
                "'raise .. from ..' is not compiled; leave the cause out",
            ),
            StmtKind::Raise(Some(exception), false) => {
                let exception = self.expr(exception)?;
                self.end(End::Raise(exception, span));
                Ok(())
            }
            StmtKind::Raise(None, _) => unsupported(
                span,
                "'raise' without an exception needs 'try', which is not compiled",
            ),
            StmtKind::Function(function) => {
                if let Some(decorator) = function.decorators.first() {
                    return unsupported(
                        decorator.span,
                        "a decorated function inside of a program is not compiled; move it to the module",
                    );
                }
                let value = self.closure(function)?;
                self.store(&function.name, value, function.span);
                Ok(())
            }
            StmtKind::Class(class) => unsupported(
                class.span,
                "a class inside of a program is not compiled; move it to the module",
            ),
            StmtKind::Import(_) => unsupported(
                span,
                "'import' inside of a program is not compiled; move it to the start of the file",
            ),
            StmtKind::Global(_) => {
                unsupported(span, "programs cannot assign globals; return the value")
            }
            StmtKind::Nonlocal(_) => unsupported(
                span,
                "programs cannot assign variables of an enclosing function; return the value",
            ),
            StmtKind::Other(what) => unsupported(
                span,
                format!("'{what}' is not compiled; move it into a @tfx.host function"),
            ),
        }
    }

    fn loop_body(&mut self, body: &[Stmt], again: BlockId, done: BlockId) -> Result {
        self.frame().loops.push((again, done));
        self.block_of(body)?;
        self.frame().loops.pop();
        self.end(End::Jump(again));
        Ok(())
    }

    fn assert(&mut self, test: &Expr, message: Option<&Expr>, span: Span) -> Result {
        let is_constant = message.is_none_or(|of| matches!(of.kind, ExprKind::Str(_)));
        if is_constant && !has_branches(test) {
            // One boolean goes to the host, and no branch depends on it.
            let value = self.expr(test)?;
            let truth = self.emit(Kind::Truth, &[value], test.span);
            let text = match message {
                Some(message) => self.expr(message)?,
                None => self.emit(Kind::Str("".into()), &[], span),
            };
            self.emit(Kind::Assert, &[truth, text], span);
            return Ok(());
        }
        let (holds, fails) = (self.block(), self.block());
        self.condition(test, holds, fails)?;
        self.enter(fails);
        let class = self.emit(Kind::Global("AssertionError".to_owned()), &[], span);
        let mut operands = vec![class];
        if let Some(message) = message {
            operands.push(self.expr(message)?);
        }
        let flags = vec![false; operands.len() - 1];
        let exception = self.emit(Kind::Call(flags, Vec::new()), &operands, span);
        self.end(End::Raise(exception, span));
        self.enter(holds);
        Ok(())
    }

    fn assign(&mut self, target: &Expr, value: Slot) -> Result {
        match &target.kind {
            ExprKind::Name(name) => {
                self.store(name, value, target.span);
                Ok(())
            }
            ExprKind::Tuple(targets) | ExprKind::List(targets) => {
                let starred = |target: &Expr| matches!(target.kind, ExprKind::Starred(_));
                let star = targets.iter().position(starred);
                let kind = Kind::Unpack(targets.len(), star);
                let parts = self.emit(kind, &[value], target.span);
                for (index, part) in targets.iter().enumerate() {
                    let value = self.emit(Kind::TupleGet(index), &[parts], part.span);
                    match &part.kind {
                        ExprKind::Starred(part) => self.assign(part, value)?,
                        _ => self.assign(part, value)?,
                    }
                }
                Ok(())
            }
            _ => self.cannot_assign(target),
        }
    }

    fn cannot_assign(&self, target: &Expr) -> Result {
        let text = match &target.kind {
            ExprKind::Subscript(..) => {
                "tensors are immutable, and lists do not change in a program; write x = x.at[0].set(1.0)"
            }
            ExprKind::Attribute(_, name) => {
                return unsupported(
                    target.span,
                    format!(
                        "objects are immutable in a program; write replace(.., {name}=..), and return the object"
                    ),
                );
            }
            _ => "this is not assigned to in a program",
        };
        unsupported(target.span, text)
    }

    // ---- Expressions ----------------------------------------------------------------------------

    /// Evaluates a condition, and branches.
    fn condition(&mut self, test: &Expr, then: BlockId, otherwise: BlockId) -> Result {
        match &test.kind {
            ExprKind::Logic(is_and, parts) => {
                let (last, first) = parts.split_last().expect("an operator has operands");
                for part in first {
                    let next = self.block();
                    match is_and {
                        true => self.condition(part, next, otherwise)?,
                        false => self.condition(part, then, next)?,
                    }
                    self.enter(next);
                }
                self.condition(last, then, otherwise)
            }
            ExprKind::Unary(UnaryOp::Not, value) => self.condition(value, otherwise, then),
            // Each comparison has a type of its own: `0 < k < x.sum()`.
            ExprKind::Compare(left, rest) => {
                let mut left = self.expr(left)?;
                for (index, (op, right)) in rest.iter().enumerate() {
                    let right = self.expr(right)?;
                    let result = self.emit(Kind::Compare(*op), &[left, right], test.span);
                    let truth = self.emit(Kind::Truth, &[result], test.span);
                    left = right;
                    if index + 1 == rest.len() {
                        self.end(End::Branch(truth, then, otherwise));
                    } else {
                        let next = self.block();
                        self.end(End::Branch(truth, next, otherwise));
                        self.enter(next);
                    }
                }
                Ok(())
            }
            _ => {
                let value = self.expr(test)?;
                let truth = self.emit(Kind::Truth, &[value], test.span);
                self.end(End::Branch(truth, then, otherwise));
                Ok(())
            }
        }
    }

    fn expr(&mut self, expr: &Expr) -> Result<Slot> {
        let span = expr.span;
        Ok(match &expr.kind {
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Int(Some(value)) => self.emit(Kind::Int(*value), &[], span),
            ExprKind::Int(None) => self.emit(Kind::HugeInt, &[], span),
            ExprKind::Float(value) => self.emit(Kind::Float(*value), &[], span),
            ExprKind::Bool(value) => self.emit(Kind::Bool(*value), &[], span),
            ExprKind::None => self.emit(Kind::None, &[], span),
            ExprKind::Ellipsis => self.emit(Kind::Ellipsis, &[], span),
            ExprKind::Str(text) => self.emit(Kind::Str(text.as_str().into()), &[], span),
            ExprKind::Format(parts) => self.format(parts, span)?,
            ExprKind::Tuple(parts) => {
                let (operands, flags) = self.sequence(parts)?;
                self.emit(Kind::Tuple(flags), &operands, span)
            }
            ExprKind::List(parts) => {
                let (operands, flags) = self.sequence(parts)?;
                self.emit(Kind::List(flags), &operands, span)
            }
            ExprKind::Starred(_) => return unsupported(span, "'*' is not expected here"),
            ExprKind::Logic(is_and, parts) => self.logic(*is_and, parts, span)?,
            ExprKind::Unary(op, value) => {
                // The least integer is a literal with a sign.
                let operand = self.expr(value)?;
                self.emit(Kind::Unary(*op), &[operand], span)
            }
            ExprKind::Binary(op, ..) => self.binary(*op, expr)?,
            ExprKind::Compare(left, rest) => {
                let mut left = self.expr(left)?;
                let (result, done) = (self.temporary(), self.block());
                for (index, (op, right)) in rest.iter().enumerate() {
                    let right_value = self.expr(right)?;
                    let operands = [left, right_value];
                    self.emit_to(result, Kind::Compare(*op), &operands, span);
                    left = right_value;
                    if index + 1 < rest.len() {
                        let next = self.block();
                        let truth = self.emit(Kind::Truth, &[result], span);
                        self.end(End::Branch(truth, next, done));
                        self.enter(next);
                    }
                }
                self.continue_in(done);
                result
            }
            ExprKind::Call(function, arguments, keywords) => {
                self.call(function, arguments, keywords, span)?
            }
            ExprKind::Attribute(value, name) => {
                let value = self.expr(value)?;
                let span = Span {
                    start: span.end - name.len() as u32,
                    ..span
                };
                self.emit(Kind::Attribute(name.clone()), &[value], span)
            }
            ExprKind::Subscript(value, index) => {
                let value = self.expr(value)?;
                let index = self.expr(index)?;
                self.emit(Kind::Subscript, &[value, index], span)
            }
            ExprKind::Slice(parts) => {
                let mut operands = Vec::new();
                for part in parts {
                    operands.push(match part {
                        Some(part) => self.expr(part)?,
                        None => self.emit(Kind::None, &[], span),
                    });
                }
                self.emit(Kind::Slice, &operands, span)
            }
            ExprKind::Lambda(function) => self.closure(function)?,
            ExprKind::If(test, then, otherwise) => {
                let (yes, no, done) = (self.block(), self.block(), self.block());
                let result = self.temporary();
                self.condition(test, yes, no)?;
                for (block, value) in [(yes, then), (no, otherwise)] {
                    self.enter(block);
                    let value = self.expr(value)?;
                    self.emit_to(result, Kind::Copy, &[value], span);
                    self.end(End::Jump(done));
                }
                self.enter(done);
                result
            }
            ExprKind::Named(name, value) => {
                let value = self.expr(value)?;
                // The variable of a function, also inside of a comprehension.
                let slot = self.frame().scopes[0].get(name).copied();
                match slot {
                    Some(slot) => self.emit_to(slot, Kind::Copy, &[value], span),
                    None => self.store(name, value, span),
                }
                value
            }
            ExprKind::Comprehension(true, element, clauses) => {
                self.comprehension(element, clauses, span)?
            }
            ExprKind::Comprehension(false, ..) => {
                return unsupported(
                    span,
                    "a generator expression is compiled only as the argument of tuple, list, sum, min, max, any or all; write tuple(..)",
                );
            }
            ExprKind::Other(what) => {
                return unsupported(
                    span,
                    format!("{what} is not compiled; move it into a @tfx.host function"),
                );
            }
        })
    }

    /// Evaluates a chain of binary operators without recursion on its left operands.
    fn binary(&mut self, _: tfx_python_syntax::BinaryOp, expr: &Expr) -> Result<Slot> {
        let mut chain = Vec::new();
        let mut left = expr;
        while let ExprKind::Binary(op, inner, right) = &left.kind {
            chain.push((*op, right, left.span));
            left = inner;
        }
        let mut value = self.expr(left)?;
        for (op, right, span) in chain.into_iter().rev() {
            let right = self.expr(right)?;
            value = self.emit(Kind::Binary(op), &[value, right], span);
        }
        Ok(value)
    }

    fn logic(&mut self, is_and: bool, parts: &[Expr], span: Span) -> Result<Slot> {
        let (result, done) = (self.temporary(), self.block());
        for (index, part) in parts.iter().enumerate() {
            let value = self.expr(part)?;
            self.emit_to(result, Kind::Copy, &[value], span);
            if index + 1 < parts.len() {
                let next = self.block();
                let truth = self.emit(Kind::Truth, &[value], part.span);
                self.end(match is_and {
                    true => End::Branch(truth, next, done),
                    false => End::Branch(truth, done, next),
                });
                self.enter(next);
            }
        }
        self.continue_in(done);
        Ok(result)
    }

    fn sequence(&mut self, parts: &[Expr]) -> Result<(Vec<Slot>, Vec<bool>)> {
        let (mut operands, mut flags) = (Vec::new(), Vec::new());
        for part in parts {
            let (value, is_starred) = match &part.kind {
                ExprKind::Starred(value) => (value.as_ref(), true),
                _ => (part, false),
            };
            operands.push(self.expr(value)?);
            flags.push(is_starred);
        }
        Ok((operands, flags))
    }

    fn call(
        &mut self,
        function: &Expr,
        arguments: &[Expr],
        keywords: &[Keyword],
        span: Span,
    ) -> Result<Slot> {
        let callee = self.expr(function)?;
        let mut operands = vec![callee];
        let mut flags = Vec::new();
        if let ([argument], ExprKind::Name(name)) = (arguments, &function.kind)
            && let ExprKind::Comprehension(false, element, clauses) = &argument.kind
        {
            match name.as_str() {
                "tuple" | "list" | "sum" | "min" | "max" => {
                    operands.push(self.comprehension(element, clauses, argument.span)?);
                    flags.push(false);
                }
                "any" | "all" => return self.any_or_all(name == "any", element, clauses, span),
                _ => {
                    self.expr(argument)?;
                }
            }
        } else {
            let (values, stars) = self.sequence(arguments)?;
            operands.extend(values);
            flags = stars;
        }
        let mut names = Vec::new();
        for keyword in keywords {
            let Some(name) = &keyword.name else {
                return unsupported(
                    keyword.value.span,
                    "'**' in a call is not compiled; name the arguments",
                );
            };
            names.push(name.clone());
            operands.push(self.expr(&keyword.value)?);
        }
        // The place of a call of a method is that of its name.
        Ok(self.emit(Kind::Call(flags, names), &operands, span))
    }

    fn closure(&mut self, function: &Arc<Function>) -> Result<Slot> {
        let of = &function.parameters;
        let mut operands = Vec::new();
        for parameter in of.positional.iter().chain(&of.keyword_only) {
            if let Some(default) = &parameter.default {
                operands.push(self.expr(default)?);
            }
        }
        let id = self.function(function)?;
        Ok(self.emit(Kind::Function(id), &operands, function.span))
    }

    fn comprehension(&mut self, element: &Expr, clauses: &[Clause], span: Span) -> Result<Slot> {
        let list = self.emit(Kind::List(Vec::new()), &[], span);
        self.clauses(clauses, &mut |lowerer| {
            let value = lowerer.expr(element)?;
            lowerer.emit_to(list, Kind::Append, &[list, value], element.span);
            Ok(())
        })?;
        Ok(list)
    }

    /// Lowers `any(..)` or `all(..)`, which end at the first element that decides.
    fn any_or_all(
        &mut self,
        is_any: bool,
        element: &Expr,
        clauses: &[Clause],
        span: Span,
    ) -> Result<Slot> {
        let (result, done) = (self.temporary(), self.block());
        self.clauses(clauses, &mut |lowerer| {
            let (decides, next) = (lowerer.block(), lowerer.block());
            match is_any {
                true => lowerer.condition(element, decides, next)?,
                false => lowerer.condition(element, next, decides)?,
            }
            lowerer.enter(decides);
            lowerer.emit_to(result, Kind::Bool(is_any), &[], span);
            lowerer.end(End::Jump(done));
            lowerer.enter(next);
            Ok(())
        })?;
        self.emit_to(result, Kind::Bool(!is_any), &[], span);
        self.continue_in(done);
        Ok(result)
    }

    /// Lowers the loops of a comprehension, which are unrolled where their iterables are static.
    fn clauses(&mut self, clauses: &[Clause], body: &mut dyn FnMut(&mut Self) -> Result) -> Result {
        let Some((clause, rest)) = clauses.split_first() else {
            return body(self);
        };
        let iterable = self.expr(&clause.iter)?;
        let iterator = self.emit(Kind::Iter(true), &[iterable], clause.iter.span);
        self.frame().scopes.push(BTreeMap::new());
        let mut names = BTreeSet::new();
        target_names(&clause.target, &mut names);
        for name in names {
            self.variable(&name);
        }
        let (head, inside, done) = (self.block(), self.block(), self.block());
        self.continue_in(head);
        let more = self.emit(Kind::HasNext, &[iterator], clause.iter.span);
        self.end(End::Branch(more, inside, done));
        self.enter(inside);
        let item = self.emit(Kind::Item, &[iterator], clause.target.span);
        self.emit_to(iterator, Kind::Advance, &[iterator], clause.iter.span);
        self.assign(&clause.target, item)?;
        for condition in &clause.conditions {
            let next = self.block();
            self.condition(condition, next, head)?;
            self.enter(next);
        }
        self.clauses(rest, body)?;
        self.end(End::Jump(head));
        self.enter(done);
        self.frame().scopes.pop();
        Ok(())
    }

    fn format(&mut self, parts: &[FormatPart], span: Span) -> Result<Slot> {
        let mut operands = Vec::new();
        for part in parts {
            operands.push(match part {
                FormatPart::Text(text) => self.emit(Kind::Str(text.as_str().into()), &[], span),
                FormatPart::Value(value, conversion, specification) => {
                    let slot = self.expr(value)?;
                    let specification = self.format(specification, value.span)?;
                    let kind = Kind::Format(*conversion);
                    self.emit(kind, &[slot, specification], value.span)
                }
            });
        }
        Ok(self.emit(Kind::Concat, &operands, span))
    }
}

/// Returns whether the evaluation of an expression has branches.
fn has_branches(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Logic(..) | ExprKind::If(..) | ExprKind::Comprehension(..) => true,
        ExprKind::Compare(left, rest) => {
            rest.len() > 1 || has_branches(left) || rest.iter().any(|(_, of)| has_branches(of))
        }
        ExprKind::Unary(_, value) => has_branches(value),
        _ => false,
    }
}

/// Adds the names that statements bind in their function.
fn bound_names(body: &[Stmt], names: &mut BTreeSet<String>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Assign(targets, value) => {
                targets
                    .iter()
                    .for_each(|target| target_names(target, names));
                named(value, names);
            }
            StmtKind::AugAssign(target, _, value) => {
                target_names(target, names);
                named(value, names);
            }
            StmtKind::AnnAssign(target, _, value) => {
                target_names(target, names);
                value.iter().for_each(|value| named(value, names));
            }
            StmtKind::For(target, iter, body, otherwise) => {
                target_names(target, names);
                named(iter, names);
                bound_names(body, names);
                bound_names(otherwise, names);
            }
            StmtKind::While(test, body, otherwise) => {
                named(test, names);
                bound_names(body, names);
                bound_names(otherwise, names);
            }
            StmtKind::If(arms, otherwise) => {
                for (test, body) in arms {
                    named(test, names);
                    bound_names(body, names);
                }
                bound_names(otherwise, names);
            }
            StmtKind::Function(function) => {
                names.insert(function.name.clone());
            }
            StmtKind::Class(class) => {
                names.insert(class.name.clone());
            }
            StmtKind::Import(imports) => {
                names.extend(imports.iter().map(|import| import.name.clone()));
            }
            StmtKind::Return(Some(value)) | StmtKind::Expr(value) => named(value, names),
            StmtKind::Raise(Some(value), _) => named(value, names),
            StmtKind::Assert(test, message) => {
                named(test, names);
                message.iter().for_each(|message| named(message, names));
            }
            _ => {}
        }
    }
}

/// Adds the names of a target.
fn target_names(target: &Expr, names: &mut BTreeSet<String>) {
    match &target.kind {
        ExprKind::Name(name) => {
            names.insert(name.clone());
        }
        ExprKind::Tuple(parts) | ExprKind::List(parts) => {
            parts.iter().for_each(|part| target_names(part, names));
        }
        ExprKind::Starred(part) => target_names(part, names),
        _ => {}
    }
}

/// Adds the names that `:=` binds in an expression.
fn named(expr: &Expr, names: &mut BTreeSet<String>) {
    let mut work = vec![expr];
    while let Some(expr) = work.pop() {
        match &expr.kind {
            ExprKind::Named(name, value) => {
                names.insert(name.clone());
                work.push(value);
            }
            ExprKind::Tuple(parts) | ExprKind::List(parts) | ExprKind::Logic(_, parts) => {
                work.extend(parts);
            }
            ExprKind::Starred(of) | ExprKind::Unary(_, of) | ExprKind::Attribute(of, _) => {
                work.push(of);
            }
            ExprKind::Binary(_, a, b) | ExprKind::Subscript(a, b) => {
                work.extend([a.as_ref(), b.as_ref()])
            }
            ExprKind::Compare(left, rest) => {
                work.push(left);
                work.extend(rest.iter().map(|(_, of)| of));
            }
            ExprKind::Call(function, arguments, keywords) => {
                work.push(function);
                work.extend(arguments);
                work.extend(keywords.iter().map(|keyword| &keyword.value));
            }
            ExprKind::Slice(parts) => work.extend(parts.iter().flatten().map(|of| of.as_ref())),
            ExprKind::If(a, b, c) => work.extend([a.as_ref(), b.as_ref(), c.as_ref()]),
            ExprKind::Comprehension(_, element, clauses) => {
                work.push(element);
                for clause in clauses {
                    work.push(&clause.iter);
                    work.extend(&clause.conditions);
                }
            }
            ExprKind::Format(parts) => {
                for part in parts {
                    if let FormatPart::Value(value, ..) = part {
                        work.push(value);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns the slots that are live at the start of each block. Captured slots are live everywhere.
fn liveness(blocks: &[Block], captured: &BTreeSet<Slot>) -> Vec<BTreeSet<Slot>> {
    let mut predecessors = vec![Vec::new(); blocks.len()];
    for (index, block) in blocks.iter().enumerate() {
        for successor in block.end.successors() {
            predecessors[successor as usize].push(index);
        }
    }
    // Each slot is followed from its uses to its definitions.
    let mut live = vec![captured.clone(); blocks.len()];
    let mut uses: Vec<(usize, Slot)> = Vec::new();
    let mut defined: Vec<BTreeSet<Slot>> = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let mut own = BTreeSet::new();
        for instruction in &block.instructions {
            let fresh = instruction
                .operands
                .iter()
                .filter(|slot| !own.contains(*slot));
            uses.extend(fresh.map(|&slot| (index, slot)));
            own.insert(instruction.result);
        }
        let read = block.end.operand().filter(|slot| !own.contains(slot));
        uses.extend(read.map(|slot| (index, slot)));
        defined.push(own);
    }
    while let Some((block, slot)) = uses.pop() {
        if live[block].insert(slot) {
            for &predecessor in &predecessors[block] {
                if !defined[predecessor].contains(&slot) {
                    uses.push((predecessor, slot));
                }
            }
        }
    }
    live
}

impl End {
    /// Returns the blocks that may follow.
    pub(crate) fn successors(self) -> impl Iterator<Item = BlockId> {
        let both = match self {
            End::Jump(block) => [Some(block), None],
            End::Branch(_, then, otherwise) => [Some(then), Some(otherwise)],
            _ => [None, None],
        };
        both.into_iter().flatten()
    }

    fn operand(self) -> Option<Slot> {
        match self {
            End::Branch(slot, ..) | End::Return(slot, _) | End::Raise(slot, _) => Some(slot),
            _ => None,
        }
    }
}
