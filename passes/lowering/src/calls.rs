//! The state of the lowering of host code, and the building blocks of runtime calls.
//!
//! ```text
//!   call            func.call @tfx_..., and its declaration
//!   boxed, item     a scalar as a tensor of rank 0, and back
//!   array           handles in an array on the stack
//!   location, text  addresses of constants
//! ```

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use melior::Context;
use melior::ir::r#type::IntegerType;
use melior::ir::{Location, Type};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::{builtin, func, llvm};
use tfx_ir::{Builder, Op, Value, location};

use crate::declarations::Declarations;
use crate::generated::Generated;
use crate::globals::{Bytes, Field, Globals};
use crate::images::Images;
use crate::kinds::{from_stored, is_handle, stored_type, to_stored};
use crate::memory::{element_address, load, pointer, stack_slots};
use crate::{reserved, runtime};

/// The symbol of the description of each eager operation.
pub(crate) type Operations<'a> = HashMap<Op<'a>, String>;

/// Lowers the operations of functions to calls, and collects the constants and declarations that
/// these refer to.
pub(crate) struct Calls<'a> {
    pub(crate) context: &'a Context,
    /// The type of addresses.
    pub(crate) pointer: Type<'a>,
    pub(crate) globals: Globals,
    /// The module, to which thunks are added.
    pub(crate) module: builtin::Module<'a>,
    pub(crate) declarations: Declarations<'a>,
    pub(crate) generated: Generated<'a>,
    pub(crate) images: Images,
    pub(crate) operations: Operations<'a>,
    /// The functions of the runtime that are called.
    used: BTreeSet<&'static str>,
}

impl<'a> Calls<'a> {
    pub(crate) fn new(
        module: builtin::Module<'a>,
        images: Images,
        operations: Operations<'a>,
        globals: Globals,
    ) -> Self {
        let context = module.context();
        Self {
            context,
            pointer: pointer(context),
            globals,
            module,
            declarations: Declarations::of(module.op()),
            generated: Generated::default(),
            images,
            operations,
            used: BTreeSet::new(),
        }
    }

    /// Returns a declaration of each function of the module that a constant refers to.
    pub(crate) fn referenced_functions(&self) -> &[String] {
        &self.generated.referenced
    }

    /// Returns the declarations of the called functions of the runtime and all constants as text,
    /// and the bytes that are not in the text.
    pub(crate) fn into_parts(self) -> (String, Bytes) {
        let mut text = String::new();
        // The program may declare a function of C as well.
        let is_declared = |name: &str| {
            !reserved::is_of_runtime(name)
                && (self.module.children()).any(|op| op.symbol_name() == Some(name))
        };
        let functions = runtime::FUNCTIONS.iter();
        let used = functions.filter(|(name, _)| self.used.contains(name));
        for (name, ty) in used.filter(|(name, _)| !is_declared(name)) {
            writeln!(text, "func.func private @{name}{ty}")
                .expect("writing to a string does not fail");
        }
        let (constants, bytes) = self.globals.into_parts();
        (text + &constants, bytes)
    }

    /// Calls a function of the runtime.
    pub(crate) fn call(
        &mut self,
        builder: &mut Builder<'a>,
        name: &'static str,
        operands: &[Value<'a>],
    ) -> func::Call<'a> {
        self.used.insert(name);
        let (_, ty) = runtime::FUNCTIONS
            .iter()
            .find(|(known, _)| *known == name)
            .expect("the table has every function");
        let (_, result) = ty
            .rsplit_once(" -> ")
            .expect("a function type has an arrow");
        let results: Vec<_> = (result != "()")
            .then(|| Type::parse(self.context, result))
            .flatten()
            .into_iter()
            .collect();
        func::Call::build(builder, &results, name, operands)
    }

    /// Calls a function of the runtime that returns a value.
    pub(crate) fn call_value(
        &mut self,
        builder: &mut Builder<'a>,
        name: &'static str,
        operands: &[Value<'a>],
    ) -> Value<'a> {
        self.call(builder, name, operands).result(0)
    }

    pub(crate) fn integer(&self, builder: &mut Builder<'a>, bits: u32, value: i64) -> Value<'a> {
        builder.constant_int(value, IntegerType::new(self.context, bits).into())
    }

    pub(crate) fn address(&self, builder: &mut Builder<'a>, field: &Field) -> Value<'a> {
        match field {
            Field::Address(symbol) => llvm::AddressOf::build(builder, self.pointer, symbol).res(),
            _ => llvm::Zero::build(builder, self.pointer).res(),
        }
    }

    /// Returns the address of the source location of `op` as text, before `op`.
    pub(crate) fn location(&mut self, op: Op<'a>) -> Value<'a> {
        let field = self.location_field(op.location());
        self.address(&mut Builder::before(op), &field)
    }

    /// Returns a source location as a constant of text.
    pub(crate) fn location_field(&mut self, location: Location<'a>) -> Field {
        location::place(location).map_or(Field::Null, |place| {
            Field::Address(self.globals.c_string(&place.to_string()))
        })
    }

    /// Returns the address and the size of a text, before `op`.
    pub(crate) fn text(&mut self, op: Op<'a>, text: &str) -> (Value<'a>, Value<'a>) {
        let symbol = self.globals.shared_bytes(text.as_bytes().to_vec());
        let mut builder = Builder::before(op);
        (
            self.address(&mut builder, &Field::Address(symbol)),
            self.integer(&mut builder, 64, text.len() as i64),
        )
    }

    /// Returns a new tensor of rank 0 with a scalar. An error is reported at `op`.
    pub(crate) fn boxed(
        &mut self,
        builder: &mut Builder<'a>,
        op: Op<'a>,
        scalar: Value<'a>,
    ) -> Result<Value<'a>, Diagnostic<'a>> {
        let scalar = to_stored(builder, scalar);
        let name = runtime::scalar_function("tfx_scalar_", scalar.ty())
            .ok_or_else(|| no_scalar(op, scalar.ty()))?;
        Ok(self.call_value(builder, name, &[scalar]))
    }

    /// Returns the scalar of a type in a tensor.
    pub(crate) fn item(
        &mut self,
        builder: &mut Builder<'a>,
        op: Op<'a>,
        tensor: Value<'a>,
        ty: Type<'a>,
    ) -> Result<Value<'a>, Diagnostic<'a>> {
        let stored = stored_type(ty, self.context);
        let name =
            runtime::scalar_function("tfx_item_", stored).ok_or_else(|| no_scalar(op, ty))?;
        let item = self.call_value(builder, name, &[tensor]);
        Ok(from_stored(builder, item, ty))
    }

    /// Returns a handle that the runtime returned as a value of a type: the handle, or the scalar
    /// in it.
    pub(crate) fn unboxed(
        &mut self,
        builder: &mut Builder<'a>,
        op: Op<'a>,
        handle: Value<'a>,
        ty: Type<'a>,
    ) -> Result<Value<'a>, Diagnostic<'a>> {
        if is_handle(ty) {
            return Ok(handle);
        }
        let item = self.item(builder, op, handle, ty)?;
        self.release(builder, &[handle]);
        Ok(item)
    }

    /// Returns the values as handles, and the handles that were created for scalars.
    pub(crate) fn handles(
        &mut self,
        op: Op<'a>,
        values: &[Value<'a>],
    ) -> Result<(Vec<Value<'a>>, Vec<Value<'a>>), Diagnostic<'a>> {
        let mut created = Vec::new();
        let mut handles = Vec::with_capacity(values.len());
        for &value in values {
            if is_handle(value.ty()) || value.ty() == self.pointer {
                handles.push(value);
            } else {
                let boxed = self.boxed(&mut Builder::before(op), op, value)?;
                created.push(boxed);
                handles.push(boxed);
            }
        }
        Ok((handles, created))
    }

    /// Returns the address of an array of handles on the stack.
    pub(crate) fn array(&mut self, op: Op<'a>, handles: &[Value<'a>]) -> Value<'a> {
        let array = self.empty_array(op, handles.len());
        let mut builder = Builder::before(op);
        for (index, &handle) in handles.iter().enumerate() {
            let element = self.element(&mut builder, array, index);
            llvm::Store::build(&mut builder, handle, element);
        }
        array
    }

    /// Returns the address of an uninitialized array of handles on the stack; null for none.
    pub(crate) fn empty_array(&mut self, op: Op<'a>, size: usize) -> Value<'a> {
        match size {
            0 => self.address(&mut Builder::before(op), &Field::Null),
            _ => stack_slots(op, self.pointer, size),
        }
    }

    /// Returns the address of an element of an array of handles.
    pub(crate) fn element(
        &self,
        builder: &mut Builder<'a>,
        array: Value<'a>,
        index: usize,
    ) -> Value<'a> {
        element_address(builder, array, self.pointer, index)
    }

    /// Returns the results of `op` from an array of handles that the runtime has filled.
    pub(crate) fn results_in(
        &mut self,
        op: Op<'a>,
        array: Value<'a>,
    ) -> Result<Vec<Value<'a>>, Diagnostic<'a>> {
        let mut builder = Builder::before(op);
        let mut values = Vec::with_capacity(op.num_results());
        for (index, result) in op.results().enumerate() {
            let element = self.element(&mut builder, array, index);
            let handle = load(&mut builder, element, self.pointer);
            values.push(self.unboxed(&mut builder, op, handle, result.ty())?);
        }
        Ok(values)
    }

    pub(crate) fn release(&mut self, builder: &mut Builder<'a>, handles: &[Value<'a>]) {
        for &handle in handles {
            self.call(builder, "tfx_tensor_release", &[handle]);
        }
    }
}

fn no_scalar<'a>(op: Op<'a>, ty: Type<'a>) -> Diagnostic<'a> {
    diag::error(
        op.location(),
        format!(
            "a scalar of type {ty} cannot be exchanged with a graph or printed; use i1, i8, i16, i32, i64, index, f32 or f64"
        ),
    )
}
