//! Objects of the functions to differentiate, as variables for their fields.
//!
//! ```text
//!   %o = new(%a, %b)                           %o.w = var; store %a;  %o.b = var; store %b
//!   %r = member_ref %o["w"]; load %r    ──►    load %o.w
//!   call @step(%o, %x)                         call @step(%o.w, %o.b, %x)       inout parameters
//! ```
//!
//! Deabstraction then removes the variables, so a derivative goes through a field as through any
//! variable: a load sees the last store, and a store is the end of the former value.
//!
//! # Algorithm
//!
//! The instances of a class are replaced in all functions, or in none. They are replaced if it is
//! known at each use of an object, at compile time, which parameter or `new` it comes from: an
//! object is only passed to functions with a body, and its fields are accessed. Two parameters of a
//! function are then different objects, since no call passes one twice.
//!
//! The object that a request passes is known to no other parameter of the function. Nothing else
//! can access it while the function runs: foreign functions cannot, but by closures, so the
//! function calls none if there are such closures. It gets the values of the fields, and
//! `answer.rs` stores the new ones afterwards. The tangent of the object is the tuple of the
//! tangents of its fields.
//!
//! Cost: linear in the functions and in the fields.
//!
//! # Non-guarantees
//!
//! An object that is stored, returned, selected by a branch, converted to an existential, captured
//! by a closure or passed to a foreign function stays an object, which has no derivative: an error,
//! if the result depends on a parameter by it, with a note that names the place.

use melior::Context;
use melior::ir::attribute::TypeAttribute;
use melior::ir::r#type::{FunctionType, TupleType};
use melior::ir::{Location, Type, TypeLike};
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::foreign::PURE;
use tfx_dialects::host;
use tfx_dialects::types::{
    HostType, class_of, host_type, reference, substitute, type_arguments, walk_types,
};
use tfx_ir::ops::func;
use tfx_ir::symbols::{SymbolTable, for_each_symbol};
use tfx_ir::{Block, Builder, Op, Value};

use crate::aggregates::{all_leaves, cases, parts};
use crate::tangent::{is_differentiable, tangent};

/// The instances of classes in the functions to differentiate.
#[derive(Debug, Default)]
pub(crate) struct Objects<'a> {
    /// The classes whose instances stay objects, by type, each with a place and the reason.
    obstacles: FxHashMap<Type<'a>, (Location<'a>, &'static str)>,
}

/// A field of a class.
pub(crate) struct Field<'a> {
    pub(crate) name: &'a str,
    pub(crate) ty: Type<'a>,
}

/// Returns the fields of the instances of a type; none if it is not a class.
pub(crate) fn fields<'a>(ty: Type<'a>, symbols: &SymbolTable<'a>) -> Option<Vec<Field<'a>>> {
    let class = symbols.get(class_of(ty)?).and_then(host::Class::cast)?;
    let parameters = class.type_params().into_iter();
    let arguments: Vec<_> = parameters.zip(type_arguments(ty)).collect();
    let fields = class.field_names().into_iter().zip(class.field_types());
    let fields = fields.map(|(name, ty)| Field {
        name,
        ty: substitute(ty, &arguments),
    });
    Some(fields.collect())
}

/// Returns the types of the leaves of fields.
pub(crate) fn leaves_of<'a>(fields: &[Field<'a>], symbols: &SymbolTable<'a>) -> Vec<Type<'a>> {
    let types: Vec<_> = fields.iter().map(|field| field.ty).collect();
    all_leaves(&types, symbols)
}

/// Returns the type of the tangent of an object with these fields; none if no field has one.
pub(crate) fn tangent_of<'a>(
    context: &'a Context,
    fields: &[Field<'a>],
    symbols: &SymbolTable<'a>,
) -> Option<Type<'a>> {
    let types = fields.iter();
    let types = types.filter_map(|field| tangent(context, field.ty, symbols));
    let types: Vec<_> = types.collect();
    let leaves = leaves_of(fields, symbols);
    let has_tangent = leaves.into_iter().any(is_differentiable);
    has_tangent.then(|| TupleType::new(context, &types).into())
}

/// Builds the values of the fields of an object.
pub(crate) fn load_fields<'a>(
    builder: &mut Builder<'a>,
    object: Value<'a>,
    fields: &[Field<'a>],
) -> Vec<Value<'a>> {
    let mut values = Vec::new();
    for field in fields {
        let reference = field.reference(builder, object);
        values.push(host::Load::build(builder, reference).op().result(0));
    }
    values
}

impl<'a> Field<'a> {
    /// Builds the reference to the field of an object.
    pub(crate) fn reference(&self, builder: &mut Builder<'a>, object: Value<'a>) -> Value<'a> {
        host::MemberRef::build(builder, reference(self.ty), object, self.name).result()
    }
}

impl<'a> Objects<'a> {
    /// Replaces the objects in the functions of a module. `roots` are the functions to
    /// differentiate.
    pub(crate) fn replace(module: Op<'a>, roots: &[&str], program: &SymbolTable<'a>) -> Self {
        let symbols = SymbolTable::new(module);
        let mut objects = Objects::default();
        for op in module.walk() {
            objects.examine(op, &symbols);
        }
        let is_foreign = |op: &Op<'a>| {
            let callee = func::Call::cast(*op).and_then(|call| symbols.get(call.callee()));
            callee.is_some_and(|callee| callee.is_declaration() && callee.attribute(PURE).is_none())
        };
        let foreign = module.walk().find(is_foreign);
        for root in roots.iter().filter_map(|name| symbols.get(name)) {
            objects.examine_root(root, foreign, program);
        }
        let functions = symbols.ops().filter(|op| op.isa::<func::Func>());
        for function in functions.filter(|op| !op.is_declaration()) {
            objects.rewrite(function, program);
        }
        objects
    }

    /// Returns the fields of an object that is replaced.
    pub(crate) fn fields(&self, ty: Type<'a>, symbols: &SymbolTable<'a>) -> Option<Vec<Field<'a>>> {
        match self.obstacles.contains_key(&ty) {
            true => None,
            false => fields(ty, symbols),
        }
    }

    /// Returns why the instances of a type stay objects, with the place.
    pub(crate) fn obstacle(&self, ty: Type<'a>) -> Option<(Location<'a>, &'static str)> {
        self.obstacles.get(&ty).copied()
    }

    fn add(&mut self, ty: Type<'a>, location: Location<'a>, reason: &'static str) {
        self.obstacles.entry(ty).or_insert((location, reason));
    }

    /// Finds the uses and definitions of objects that are not known.
    fn examine(&mut self, op: Op<'a>, symbols: &SymbolTable<'a>) {
        for (index, operand) in op.operands().enumerate() {
            if class_of(operand.ty()).is_some()
                && let Some(reason) = unknown_use(op, index, symbols)
            {
                self.add(operand.ty(), op.location(), reason);
            }
        }
        for result in op.results() {
            let is_new = op.isa::<host::New>();
            self.examine_type(
                result.ty(),
                op.location(),
                is_new,
                "it is the result of this",
            );
        }
        let is_body = op.isa::<func::Func>();
        for (number, block) in op.regions().flat_map(|region| region.blocks()).enumerate() {
            for argument in block.arguments() {
                let is_parameter = is_body && number == 0;
                let location = match is_parameter {
                    true => op.location(),
                    false => argument.location(),
                };
                self.examine_type(argument.ty(), location, is_parameter, "a branch selects it");
            }
        }
        if !op.isa::<func::Call>() && !op.isa::<func::Func>() {
            for_each_symbol(op, |name| {
                let function = symbols.get(name).filter(|op| op.isa::<func::Func>());
                let types = function.map(|function| function.signature().0);
                for ty in types.into_iter().flatten() {
                    if class_of(ty).is_some() {
                        self.add(ty, op.location(), "its methods may be called from here");
                    }
                }
            });
        }
    }

    /// Finds the objects in a type. If `is_known`, an object of the type itself is known.
    fn examine_type(
        &mut self,
        ty: Type<'a>,
        location: Location<'a>,
        is_known: bool,
        reason: &'static str,
    ) {
        if host_type(ty).is_none() && !ty.is_tuple() {
            return;
        }
        walk_types(TypeAttribute::new(ty).into(), |inner| {
            let is_itself = inner == ty;
            if class_of(inner).is_some() && !(is_itself && is_known) {
                let reason = if is_itself {
                    reason
                } else {
                    "it is a part of this"
                };
                self.add(inner, location, reason);
            }
        });
    }

    /// Finds the objects that are parameters of a function to differentiate and that it may access
    /// in other ways. `foreign` is a call of a function without a body.
    fn examine_root(&mut self, root: Op<'a>, foreign: Option<Op<'a>>, program: &SymbolTable<'a>) {
        let (parameters, _) = root.signature();
        let mut seen = FxHashSet::default();
        for ty in parameters.iter().filter(|ty| class_of(**ty).is_some()) {
            if !seen.insert(*ty) {
                let reason = "two parameters may be the same object";
                self.add(*ty, root.location(), reason);
            }
        }
        let mut todo: Vec<_> = seen.into_iter().collect();
        todo.retain(|ty| !self.obstacles.contains_key(ty));
        let closure = parameters.iter().any(|ty| may_reach(*ty, None, program));
        for ty in todo {
            if closure {
                let reason = "another parameter is or contains a reference, a closure or an existential, which may access it";
                self.add(ty, root.location(), reason);
            } else if let Some(call) = foreign
                && is_captured(ty, program)
            {
                let reason = "a function that is called here may call a closure that accesses it";
                self.add(ty, call.location(), reason);
            }
        }
    }

    /// Replaces the objects in a function.
    fn rewrite(&self, function: Op<'a>, program: &SymbolTable<'a>) {
        let body = function.region(0).entry().expect("it has a body");
        let mut references: FxHashMap<Value<'a>, Vec<(&'a str, Value<'a>)>> = FxHashMap::default();
        let replaced = self.replace_parameters(function, body, &mut references, program);
        let mut erased = Vec::new();
        for op in function.walk().collect::<Vec<_>>() {
            if let Some(new) = host::New::cast(op) {
                let Some(fields) = self.fields(new.object().ty(), program) else {
                    continue;
                };
                let mut builder = Builder::before(op);
                let values = new.fields().to_vec();
                let variables = fields.iter().zip(values).map(|(field, value)| {
                    let variable = host::Var::build(&mut builder, reference(field.ty));
                    let variable = variable.op().result(0);
                    host::Store::build(&mut builder, value, variable);
                    (field.name, variable)
                });
                references.insert(new.object(), variables.collect());
                erased.push(op);
            } else if let Some(member) = host::MemberRef::cast(op) {
                if let Some(fields) = references.get(&member.object()) {
                    let mut fields = fields.iter();
                    let field = fields.find(|(name, _)| *name == member.field());
                    let (_, reference) = field.expect("the class has the field");
                    op.replace_with(&[*reference]);
                }
            } else if op.isa::<func::Call>() {
                let mut operands = Vec::new();
                for operand in op.operands() {
                    match references.get(&operand) {
                        Some(fields) => operands.extend(fields.iter().map(|(_, field)| *field)),
                        None => operands.push(operand),
                    }
                }
                op.set_operands(&operands);
            }
        }
        erased.into_iter().for_each(Op::erase);
        (0..replaced).for_each(|_| body.erase_argument(0));
    }

    /// Adds new parameters, with references to the fields of objects, after the old ones. Returns
    /// the number of the old ones, whose uses the caller replaces.
    fn replace_parameters(
        &self,
        function: Op<'a>,
        body: Block<'a>,
        references: &mut FxHashMap<Value<'a>, Vec<(&'a str, Value<'a>)>>,
        program: &SymbolTable<'a>,
    ) -> usize {
        let (parameters, results) = function.signature();
        let is_replaced = |ty: &Type<'a>| self.fields(*ty, program).is_some();
        if !parameters.iter().any(is_replaced) {
            return 0;
        }
        let old: Vec<_> = body.arguments().collect();
        let mut types = Vec::new();
        for (parameter, ty) in old.iter().zip(&parameters) {
            let mut add = |ty: Type<'a>| {
                types.push(ty);
                body.add_argument(ty, parameter.location())
            };
            match self.fields(*ty, program) {
                Some(fields) => {
                    let fields = fields.iter();
                    let fields = fields.map(|field| (field.name, add(reference(field.ty))));
                    references.insert(*parameter, fields.collect());
                }
                None => parameter.replace_all_uses_with(add(*ty)),
            }
        }
        let ty = FunctionType::new(function.context(), &types, &results);
        function.set_function_type(ty);
        function.remove_attribute(ARGUMENT_ATTRIBUTES);
        old.len()
    }
}

/// The attribute of a function with the attributes of its parameters, which do not matter here.
const ARGUMENT_ATTRIBUTES: &str = "arg_attrs";

/// Returns why an object that is an operand is not known; none if it is.
fn unknown_use<'a>(op: Op<'a>, index: usize, symbols: &SymbolTable<'a>) -> Option<&'static str> {
    if op.isa::<host::MemberRef>() {
        return None;
    }
    let Some(call) = func::Call::cast(op) else {
        return Some("it is used here other than by its fields, and by calls that pass it on");
    };
    let callee = symbols.get(call.callee());
    if callee.is_none_or(Op::is_declaration) {
        return Some("a function without a body gets it here");
    }
    let object = op.operand(index);
    let others = op.operands().enumerate();
    let is_twice = others
        .into_iter()
        .any(|(other, value)| other != index && value == object);
    is_twice.then_some("this call passes it twice")
}

/// Returns whether a closure of the program may access an object of a class.
fn is_captured<'a>(class: Type<'a>, program: &SymbolTable<'a>) -> bool {
    let functions = program.ops().filter(|op| op.isa::<func::Func>());
    let closures = functions.flat_map(Op::walk).filter_map(host::Closure::cast);
    let captures = closures.flat_map(|closure| closure.captures().to_vec());
    let types: FxHashSet<_> = captures.map(|value| value.ty()).collect();
    types
        .into_iter()
        .any(|ty| may_reach(ty, Some(class), program))
}

/// Returns whether code that has a value of a type may access an object of a class by it, or may
/// call code that is not known.
fn may_reach<'a>(ty: Type<'a>, class: Option<Type<'a>>, program: &SymbolTable<'a>) -> bool {
    let mut todo = vec![ty];
    let mut seen = FxHashSet::default();
    while let Some(ty) = todo.pop() {
        if Some(ty) == class {
            return true;
        }
        if !seen.insert(ty) {
            continue;
        }
        match host_type(ty) {
            // A reference may be one to a field.
            Some(
                HostType::Closure(_) | HostType::Any(_) | HostType::Queue(_) | HostType::Ref(_),
            ) => return true,
            Some(HostType::Array(inner)) => todo.push(inner),
            _ => {}
        }
        let parts = parts(ty, program).unwrap_or_default();
        todo.extend(parts.iter().map(|part| part.ty));
        let cases = cases(ty, program).unwrap_or_default();
        todo.extend(cases.iter().flat_map(|case| case.payload.iter().copied()));
        let fields = fields(ty, program).unwrap_or_default();
        todo.extend(fields.iter().map(|field| field.ty));
    }
    false
}
