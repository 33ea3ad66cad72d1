//! From the tree to a program of tfx: names, types, and one operation or two per node.
//!
//! ```text
//!   struct Model { .. }      tfx_host.struct @Model           let x = e;     tfx_host.var, store
//!   foreign fn rate(..);     func.func private @rate          x, x.w = e     load, field_ref, store
//!   fn step(..) { .. }       func.func private @step          a @ b          tfx_tensor.op "MatMul"
//!   fn main() { .. }         func.func @main                  while, break   blocks and branches
//! ```
//!
//! Everything that tfx removes is left to it: structs, variables, calls, early exits. So are the
//! shapes of tensors, except where the program declares them. The types are those of the IR. A
//! float that meets a tensor becomes one.

use std::collections::HashMap;
use std::iter::zip;

use melior::Context;
use melior::ir::attribute::FloatAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Location, Type, TypeLike};
use tfx::dialects::{comm, host, tensor, types};
use tfx::ir::{Block as IrBlock, Value};
use tfx::program::{Builder, FunctionBuilder, tensor_shape, tensor_type};
use tfx::{Error, Program, Source};

use crate::syntax::{At, Block, Expr, ExprKind, Item, Name, Signature, StatementKind, TypeName};

type Result<T> = std::result::Result<T, Error>;

/// The functions on each element of a tensor, and their operations.
const ELEMENTWISE: [(&str, &str); 4] =
    [("exp", "Exp"), ("log", "Log"), ("tanh", "Tanh"), ("relu", "Relu")];

/// The operators with their operations on ints, on floats, and on tensors.
const ARITHMETIC: [(&str, [&str; 3]); 4] = [
    ("+", ["arith.addi", "arith.addf", "AddV2"]),
    ("-", ["arith.subi", "arith.subf", "Sub"]),
    ("*", ["arith.muli", "arith.mulf", "Mul"]),
    ("/", ["arith.divsi", "arith.divf", "RealDiv"]),
];

/// The comparisons with their predicates in `arith.cmpi` and `arith.cmpf`.
const COMPARISONS: [(&str, i64, i64); 6] =
    [("==", 0, 1), ("!=", 1, 13), ("<", 2, 4), ("<=", 3, 5), (">", 4, 2), (">=", 5, 3)];

/// The declarations of the program.
struct Scope<'c, 'p> {
    source: &'p Source,
    builder: &'c Builder<'c>,
    int: Type<'c>,
    float: Type<'c>,
    bool: Type<'c>,
    /// A tensor of any shape.
    tensor: Type<'c>,
    structs: HashMap<&'p str, Vec<(&'p str, Type<'c>)>>,
    functions: HashMap<&'p str, (Vec<Type<'c>>, Vec<Type<'c>>)>,
}

/// The words of calc for the operations that messages of tfx advise.
const WORDS: &[(&str, &str)] =
    &[("tfx_comm.to_host", "to_host(..)"), ("tfx_comm.to_accelerator", "to_accelerator(..)")];

/// Compiles the items of a file.
///
/// # Errors
/// Names and types that do not fit, at their source locations.
pub(crate) fn compile<'c>(
    context: &'c Context,
    source: &Source,
    items: &[Item],
) -> Result<Program<'c>> {
    let builder = Builder::new(context, source.name()).with_words(WORDS);
    emit(&builder, source, items)?;
    builder.finish()
}

fn emit(builder: &Builder<'_>, source: &Source, items: &[Item]) -> Result<()> {
    let context = builder.context();
    let integer = |bits| IntegerType::new(context, bits).into();
    let (structs, functions) = (HashMap::new(), HashMap::new());
    let (int, float, bool) = (integer(64), Type::float32(context), integer(1));
    let tensor = Type::parse(context, "tensor<*xf32>").expect("the text of a type");
    let mut scope = Scope { source, builder, int, float, bool, tensor, structs, functions };
    for item in items {
        if let Item::Struct(name, _) = item {
            scope.structs.insert(&name.node, Vec::new());
        }
    }
    for item in items {
        match item {
            Item::Struct(name, fields) => scope.structure(name, fields)?,
            Item::Foreign(signature) | Item::Function(signature, _) => {
                let name = &signature.name;
                let parameters = signature.parameters.iter().map(|(_, ty)| scope.ty(ty));
                let results = signature.result.iter().map(|ty| scope.ty(ty));
                let types = (parameters.collect::<Result<_>>()?, results.collect::<Result<_>>()?);
                scope.functions.insert(&name.node, types);
            }
        }
    }
    for item in items {
        match item {
            Item::Struct(..) => {}
            Item::Foreign(signature) => {
                let (parameters, results) = &scope.functions[signature.name.node.as_str()];
                let location = scope.location(signature.name.offset);
                builder.declare(&signature.name.node, parameters, results, location);
            }
            Item::Function(signature, body) => scope.function(signature, body)?,
        }
    }
    Ok(())
}

impl<'c, 'p> Scope<'c, 'p> {
    fn error<T>(&self, offset: usize, message: impl Into<String>) -> Result<T> {
        Err(Error::at(Some(self.source.place(offset)), message))
    }

    fn location(&self, offset: usize) -> Location<'c> {
        self.builder.location_of(&self.source.place(offset))
    }

    fn ty(&self, name: &TypeName) -> Result<Type<'c>> {
        match name {
            TypeName::Tensor(shape) => Ok(tensor_type(self.float, shape)),
            TypeName::Named(At { node, offset }) => match node.as_str() {
                "int" => Ok(self.int),
                "float" => Ok(self.float),
                "bool" => Ok(self.bool),
                name if self.structs.contains_key(name) => Ok(self.struct_type(name)),
                _ => self.error(*offset, format!("there is no type '{node}'")),
            },
        }
    }

    fn struct_type(&self, name: &str) -> Type<'c> {
        let text = format!("!tfx_host.struct<@{name}>");
        Type::parse(self.builder.context(), &text).expect("the text of a type")
    }

    /// The name of a type in calc.
    fn name(&self, ty: Type<'_>) -> String {
        if let Some(types::HostType::Struct { declaration, .. }) = types::host_type(ty) {
            return declaration.to_owned();
        }
        let Some(shape) = tensor_shape(ty) else {
            let scalars = [(self.int, "int"), (self.float, "float"), (self.bool, "bool")];
            let name = scalars.into_iter().find(|(known, _)| *known == ty);
            return name.map_or("a tensor of floats", |(_, name)| name).to_owned();
        };
        let size = |size: &Option<u64>| size.map_or("?".to_owned(), |size| size.to_string());
        format!("float[{}]", shape.iter().map(size).collect::<Vec<_>>().join(", "))
    }

    fn structure(&mut self, name: &'p Name, fields: &'p [(Name, TypeName)]) -> Result<()> {
        let fields = fields.iter().map(|(name, ty)| Ok((name.node.as_str(), self.ty(ty)?)));
        let fields = fields.collect::<Result<Vec<_>>>()?;
        let (names, types): (Vec<_>, Vec<_>) = fields.iter().copied().unzip();
        let mut declarations = self.builder.declarations(self.location(name.offset));
        host::Struct::build(&mut declarations, &name.node, &[], &names, &types);
        self.structs.insert(&name.node, fields);
        Ok(())
    }

    fn function(&self, signature: &Signature, body: &Block) -> Result<()> {
        let name = &signature.name;
        let (parameters, results) = &self.functions[name.node.as_str()];
        let named = zip(&signature.parameters, parameters);
        let named =
            named.map(|((name, _), ty)| (name.node.as_str(), *ty, self.location(name.offset)));
        let returned: Vec<_> = results.iter().map(|ty| ("result", *ty)).collect();
        let (named, location) = (named.collect::<Vec<_>>(), self.location(name.offset));
        let function = self.builder.function(&name.node, &named, &returned, location);
        if name.node != "main" {
            function.make_private();
        }
        let variables = vec![Vec::new()];
        let mut code = Code { scope: self, function, variables, loops: Vec::new(), results };
        for (argument, (name, _)) in zip(code.function.arguments(), &signature.parameters) {
            code.declare(&name.node, argument);
        }
        code.block(body)?;
        if !code.function.is_terminated() {
            if !results.is_empty() {
                let message = "this function may end without a result; return one";
                return self.error(name.offset, message);
            }
            code.function.ret(&[]);
        }
        Ok(())
    }
}

/// The code of a function.
struct Code<'c, 's> {
    scope: &'s Scope<'c, 's>,
    function: FunctionBuilder<'c>,
    /// The variables of each block around: name, reference, type.
    variables: Vec<Vec<(&'s str, Value<'c>, Type<'c>)>>,
    /// The loops around: where `continue` and `break` go.
    loops: Vec<(IrBlock<'c>, IrBlock<'c>)>,
    results: &'s [Type<'c>],
}

impl<'c, 's> Code<'c, 's> {
    fn error<T>(&self, offset: usize, message: impl Into<String>) -> Result<T> {
        self.scope.error(offset, message)
    }

    fn at(&mut self, offset: usize) -> &mut FunctionBuilder<'c> {
        let location = self.scope.location(offset);
        self.function.set_location(location);
        &mut self.function
    }

    fn declare(&mut self, name: &'s str, value: Value<'c>) {
        let variable = self.function.variable(value.ty());
        host::Store::build(&mut self.function, value, variable);
        let innermost = self.variables.last_mut().expect("a function is a block");
        innermost.push((name, variable, value.ty()));
    }

    fn block(&mut self, statements: &'s Block) -> Result<()> {
        self.variables.push(Vec::new());
        for statement in statements {
            if self.function.is_terminated() {
                return self.error(statement.offset, "this statement is never executed");
            }
            self.at(statement.offset);
            self.statement(&statement.node, statement.offset)?;
        }
        self.variables.pop();
        Ok(())
    }

    fn statement(&mut self, statement: &'s StatementKind, offset: usize) -> Result<()> {
        match statement {
            StatementKind::Let(name, value) => {
                let value = self.value(value)?;
                self.declare(&name.node, value);
            }
            StatementKind::Assign(target, value) => {
                let result = self.value(value)?;
                let (reference, ty) = self.place(target)?;
                let result = self.convert(result, ty, value.offset)?;
                host::Store::build(&mut self.function, result, reference);
            }
            StatementKind::Evaluate(value) => {
                self.expression(value)?;
            }
            StatementKind::If(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                let [first, second, after] = [(); 3].map(|()| self.function.add_block(&[]));
                self.function.cond_br(condition, (first, &[]), (second, &[]));
                self.branch(first, then, after)?;
                self.branch(second, otherwise, after)?;
                // If both branches leave, the block stays terminated, and nothing may follow.
                match after.predecessors().is_empty() {
                    true => after.erase(),
                    false => self.function.enter(after),
                }
            }
            StatementKind::While(condition, body) => {
                let [head, inside, done] = [(); 3].map(|()| self.function.add_block(&[]));
                self.function.br(head, &[]);
                self.function.enter(head);
                let condition = self.condition(condition)?;
                self.function.cond_br(condition, (inside, &[]), (done, &[]));
                self.loops.push((head, done));
                self.branch(inside, body, head)?;
                self.loops.pop();
                self.function.enter(done);
            }
            StatementKind::Break | StatementKind::Continue => {
                let Some(&(head, done)) = self.loops.last() else {
                    return self.error(offset, "there is no loop around this statement");
                };
                let leaves = matches!(statement, StatementKind::Break);
                self.function.br(if leaves { done } else { head }, &[]);
            }
            StatementKind::Return(value) => {
                if value.iter().len() != self.results.len() {
                    let message = format!("this function returns {} values", self.results.len());
                    return self.error(offset, message);
                }
                let values = zip(value, self.results).map(|(value, ty)| {
                    let result = self.value(value)?;
                    self.convert(result, *ty, value.offset)
                });
                let values = values.collect::<Result<Vec<_>>>()?;
                self.at(offset).ret(&values);
            }
            StatementKind::Print(format, values) => {
                let values = self.values(values)?;
                host::Print::build(self.at(offset), format, &values);
            }
        }
        Ok(())
    }

    /// Fills a block with statements, and continues at another one after them.
    fn branch(&mut self, block: IrBlock<'c>, body: &'s Block, next: IrBlock<'c>) -> Result<()> {
        self.function.enter(block);
        self.block(body)?;
        if !self.function.is_terminated() {
            self.function.br(next, &[]);
        }
        Ok(())
    }

    /// Returns the reference to a variable or to a field of one, and the type of the value.
    fn place(&mut self, target: &Expr) -> Result<(Value<'c>, Type<'c>)> {
        match &target.node {
            ExprKind::Name(name) => {
                let mut all = self.variables.iter().rev().flat_map(|block| block.iter().rev());
                match all.find(|(found, ..)| found == name) {
                    Some((_, reference, ty)) => Ok((*reference, *ty)),
                    None => self.error(target.offset, format!("there is no variable '{name}'")),
                }
            }
            ExprKind::Field(of, field) => {
                let (reference, ty) = self.place(of)?;
                let ty = self.field(ty, field)?;
                let function = self.at(field.offset);
                let result = types::reference(ty);
                let field = host::FieldRef::build(function, result, reference, &field.node);
                Ok((field.result(), ty))
            }
            _ => self.error(target.offset, "only a variable or a field of one can be assigned to"),
        }
    }

    /// Returns the type of a field.
    fn field(&self, of: Type<'c>, field: &Name) -> Result<Type<'c>> {
        let of = self.scope.name(of);
        let mut fields = self.scope.structs.get(of.as_str()).into_iter().flatten();
        match fields.find(|(name, _)| *name == field.node) {
            Some((_, ty)) => Ok(*ty),
            None => self.error(field.offset, format!("{of} has no field '{}'", field.node)),
        }
    }

    fn condition(&mut self, expr: &Expr) -> Result<Value<'c>> {
        let value = self.value(expr)?;
        self.convert(value, self.scope.bool, expr.offset)
    }

    /// Emits an expression that must have a value.
    fn value(&mut self, expr: &Expr) -> Result<Value<'c>> {
        match self.expression(expr)? {
            Some(value) => Ok(value),
            None => self.error(expr.offset, "this function returns no value"),
        }
    }

    fn values(&mut self, list: &[Expr]) -> Result<Vec<Value<'c>>> {
        list.iter().map(|expr| self.value(expr)).collect()
    }

    fn expression(&mut self, expr: &Expr) -> Result<Option<Value<'c>>> {
        let (offset, scope) = (expr.offset, self.scope);
        self.at(offset);
        Ok(Some(match &expr.node {
            ExprKind::Int(value) => self.function.constant_int(*value, scope.int),
            ExprKind::Float(value) => {
                let context = self.function.context();
                let value = FloatAttribute::new(context, scope.float, f64::from(*value));
                self.function.constant(value, scope.float)
            }
            ExprKind::Bool(value) => self.function.constant_bool(*value),
            ExprKind::Array(_) => {
                let mut elements = String::new();
                let shape = self.literal(expr, &mut elements)?;
                self.constant(&elements, tensor_type(scope.float, &shape))
            }
            ExprKind::Name(_) => {
                let (reference, _) = self.place(expr)?;
                host::Load::build(&mut self.function, reference).value()
            }
            ExprKind::Field(of, field) => {
                let aggregate = self.value(of)?;
                let ty = self.field(aggregate.ty(), field)?;
                host::Extract::build(self.at(offset), ty, aggregate, &field.node).result()
            }
            ExprKind::Call(name, arguments) => return self.call(name, arguments),
            ExprKind::Binary(operator, left, right) => {
                let operands = [self.value(left)?, self.value(right)?];
                self.at(offset);
                self.binary(operator, operands, offset)?
            }
        }))
    }

    fn scalar(&mut self, name: &str, operands: &[Value<'c>]) -> Value<'c> {
        self.function.scalar_op(name, operands).infer_results().value()
    }

    /// Emits an operation on tensors. The compiler infers the shape of the result, and checks those
    /// of the operands.
    fn graph(&mut self, name: &str, operands: &[Value<'c>]) -> Value<'c> {
        self.function.graph_op(name, operands, &[self.scope.tensor]).value()
    }

    fn constant(&mut self, elements: &str, ty: Type<'c>) -> Value<'c> {
        let text = format!("dense<{elements}> : {ty}");
        let elements = Attribute::parse(self.function.context(), &text);
        let elements = elements.expect("the text of an attribute");
        tensor::Const::build(&mut self.function, ty, elements).result()
    }

    /// Writes the elements of an array of literals as text, and returns its shape.
    fn literal(&self, expr: &Expr, text: &mut String) -> Result<Vec<Option<u64>>> {
        match &expr.node {
            ExprKind::Array(rows) => {
                let mut first = None;
                for row in rows {
                    text.push_str(if first.is_some() { ", " } else { "[" });
                    let shape = self.literal(row, text)?;
                    if *first.get_or_insert_with(|| shape.clone()) != shape {
                        return self.error(row.offset, "this row has another size than the first");
                    }
                }
                text.push_str(if first.is_some() { "]" } else { "[]" });
                Ok([Some(rows.len() as u64)].into_iter().chain(first.unwrap_or_default()).collect())
            }
            ExprKind::Float(value) => {
                text.push_str(&format!("{value:.9e}"));
                Ok(Vec::new())
            }
            _ => self.error(expr.offset, "the elements of an array are floats, such as 1.0"),
        }
    }

    fn binary(
        &mut self,
        operator: &str,
        operands: [Value<'c>; 2],
        offset: usize,
    ) -> Result<Value<'c>> {
        let [left, right] = operands.map(|operand| operand.ty());
        let scope = self.scope;
        let (is_int, is_float) = (left == scope.int, left == scope.float);
        let comparison = COMPARISONS.iter().find(|(name, ..)| *name == operator);
        let logic = [("&&", "arith.andi"), ("||", "arith.ori")];
        let logic = logic.iter().find(|(name, _)| *name == operator);
        if let Some((_, int, float)) = comparison
            && left == right
            && (is_int || is_float)
        {
            let (name, predicate) =
                if is_int { ("arith.cmpi", int) } else { ("arith.cmpf", float) };
            let compared = self.function.scalar_op(name, &operands);
            return Ok(compared.integer("predicate", 64, *predicate).infer_results().value());
        }
        if let Some((_, name)) = logic.filter(|_| left == right && left == scope.bool) {
            return Ok(self.scalar(name, &operands));
        }
        let arithmetic = ARITHMETIC.iter().find(|(name, _)| *name == operator);
        if let Some((_, [int, float, graph])) = arithmetic {
            if left == right && (is_int || is_float) {
                return Ok(self.scalar(if is_int { int } else { float }, &operands));
            }
            let operands = operands.map(|operand| self.tensor(operand));
            if operands.iter().all(|operand| operand.ty().is_tensor()) {
                return Ok(self.graph(graph, &operands));
            }
        }
        if operator == "@" && left.is_tensor() && right.is_tensor() {
            return Ok(self.graph("MatMul", &operands));
        }
        let (left, right) = (scope.name(left), scope.name(right));
        self.error(offset, format!("'{operator}' does not apply to {left} and {right}"))
    }

    /// Makes a float a tensor of rank 0.
    fn tensor(&mut self, value: Value<'c>) -> Value<'c> {
        match value.ty() == self.scope.float {
            true => tensor::FromScalar::build(&mut self.function, value).result(),
            false => value,
        }
    }

    /// Converts a value to an expected type. A tensor whose shape is not known is checked when the
    /// program runs, unless the compiler infers the shape.
    fn convert(&mut self, value: Value<'c>, ty: Type<'c>, offset: usize) -> Result<Value<'c>> {
        if value.ty() == ty {
            return Ok(value);
        }
        if !value.ty().is_tensor() || !ty.is_tensor() {
            let (expected, found) = (self.scope.name(ty), self.scope.name(value.ty()));
            return self.error(offset, format!("expected {expected}, but this is {found}"));
        }
        let context = self.function.context();
        let Some(shape) = tensor_shape(ty) else {
            return Ok(self.at(offset).graph_op("Identity", &[value], &[ty]).value());
        };
        let sizes = shape.iter().map(|size| size.map_or("-1".to_owned(), |size| size.to_string()));
        let sizes = format!("[{}]", sizes.collect::<Vec<_>>().join(", "));
        let sizes = Attribute::parse(context, &sizes).expect("the text of a list");
        let checked = self.at(offset).graph_op("EnsureShape", &[value], &[ty]);
        Ok(checked.attribute("shape", sizes).value())
    }

    fn call(&mut self, name: &Name, arguments: &[Expr]) -> Result<Option<Value<'c>>> {
        let mut values = self.values(arguments)?;
        let scope = self.scope;
        let function = scope.functions.get(name.node.as_str());
        let structure = scope.structs.get(name.node.as_str());
        let parameters = match (function, structure) {
            (Some((parameters, _)), _) => parameters.clone(),
            (_, Some(fields)) => fields.iter().map(|(_, ty)| *ty).collect(),
            _ => return self.builtin(name, arguments, &values).map(Some),
        };
        if values.len() != parameters.len() {
            let (expected, found) = (parameters.len(), values.len());
            let message = format!("'{}' takes {expected} arguments, and not {found}", name.node);
            return self.error(name.offset, message);
        }
        for ((value, ty), argument) in zip(zip(&mut values, parameters), arguments) {
            *value = self.convert(*value, ty, argument.offset)?;
        }
        let code = self.at(name.offset);
        let Some((_, results)) = function else {
            let ty = scope.struct_type(&name.node);
            return Ok(Some(host::MakeStruct::build(code, ty, &values).result()));
        };
        let call = code.call(&name.node, &values, results);
        Ok((!results.is_empty()).then(|| call.result(0)))
    }

    /// Calls a function that calc has itself.
    fn builtin(
        &mut self,
        name: &Name,
        arguments: &[Expr],
        values: &[Value<'c>],
    ) -> Result<Value<'c>> {
        self.at(name.offset);
        let scope = self.scope;
        let is_tensor = values.first().is_some_and(|value| value.ty().is_tensor());
        let elementwise = ELEMENTWISE.iter().find(|(function, _)| *function == name.node);
        if let (Some((_, operation)), [_], true) = (elementwise, values, is_tensor) {
            return Ok(self.graph(operation, values));
        }
        match (name.node.as_str(), values, is_tensor) {
            ("transpose", [value], true) => {
                let order = self.indices("[1, 0]", 2);
                return Ok(self.graph("Transpose", &[*value, order]));
            }
            ("mean" | "sum", [value], true) => {
                let (all, axis) = (self.indices("-1", 1), self.indices("0", 1));
                let vector = self.graph("Reshape", &[*value, all]);
                let operation = if name.node == "mean" { "Mean" } else { "Sum" };
                return Ok(self.graph(operation, &[vector, axis]));
            }
            ("item", [value], true) => {
                let value = self.convert(*value, tensor_type(scope.float, &[]), name.offset)?;
                let item = tensor::ToScalar::build(&mut self.function, scope.float, value);
                return Ok(item.result());
            }
            ("float", [value], false) if value.ty() == scope.int => {
                let converted = self.function.scalar_op("arith.sitofp", values);
                return Ok(converted.result(scope.float).value());
            }
            ("to_host", [value], _) => {
                return Ok(comm::ToHost::build(&mut self.function, *value).result());
            }
            ("to_accelerator", [value], _) => {
                return Ok(comm::ToAccelerator::build(&mut self.function, *value).result());
            }
            ("fill", [value, ..], false) if value.ty() == scope.float => {
                let sizes = arguments[1..].iter().map(|size| match &size.node {
                    ExprKind::Int(size) => Ok(Some(*size as u64)),
                    _ => self.error(size.offset, "the sizes of 'fill' are literals"),
                });
                let ty = tensor_type(scope.float, &sizes.collect::<Result<Vec<_>>>()?);
                let zeros = self.constant("0.0", ty);
                return self.binary("+", [zeros, *value], name.offset);
            }
            _ => {}
        }
        let types: Vec<_> = values.iter().map(|value| scope.name(value.ty())).collect();
        let message = format!("there is no function '{}' of ({})", name.node, types.join(", "));
        self.error(name.offset, message)
    }

    /// A constant vector of dimensions.
    fn indices(&mut self, elements: &str, count: u64) -> Value<'c> {
        let i32 = IntegerType::new(self.function.context(), 32).into();
        self.constant(elements, tensor_type(i32, &[Some(count)]))
    }
}
