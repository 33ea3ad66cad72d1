//! Accesses to memory and internal functions, as operations of the LLVM dialect.

use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Location, Type};
use tfx_ir::ops::{builtin, func, llvm};
use tfx_ir::{Builder, Op, Region, Value};

/// Allocates `count` values of a type on the stack, in the entry block of the function around `op`,
/// so that a loop does not grow the stack.
pub(crate) fn stack_slots<'a>(op: Op<'a>, element: Type<'a>, count: usize) -> Value<'a> {
    let body = |op| {
        let func = func::Func::cast(op).map(func::Func::body);
        func.or_else(|| llvm::LLVMFunc::cast(op).map(llvm::LLVMFunc::body))
    };
    let body = op.ancestors().find_map(body);
    let entry = body.and_then(Region::entry);
    let entry = entry.expect("host code is in a function with a body");
    let mut builder = Builder::at_start(entry, op.location());
    let ty: Type<'a> = IntegerType::new(op.context(), 64).into();
    let size = IntegerAttribute::new(ty, count as i64).into();
    let size = llvm::Constant::build(&mut builder, ty, size).res();
    llvm::Alloca::build(&mut builder, pointer(op.context()), size, element).res()
}

/// Returns the type of addresses.
pub(crate) fn pointer(context: &Context) -> Type<'_> {
    melior::dialect::llvm::r#type::pointer(context, 0)
}

/// Loads a value of a type.
pub(crate) fn load<'a>(builder: &mut Builder<'a>, address: Value<'a>, ty: Type<'a>) -> Value<'a> {
    llvm::Load::build(builder, ty, address).res()
}

/// Returns the address of an element of an array.
pub(crate) fn element_address<'a>(
    builder: &mut Builder<'a>,
    array: Value<'a>,
    element: Type<'a>,
    index: usize,
) -> Value<'a> {
    let ty = pointer(builder.context());
    llvm::GEP::build(builder, ty, array, &[], &[index as i32], element).res()
}

/// Returns the linkage of functions that are not visible outside of the compiled module.
pub(crate) fn internal_linkage(context: &Context) -> Attribute<'_> {
    Attribute::parse(context, "#llvm.linkage<internal>").expect("the LLVM dialect is loaded")
}

/// Adds an internal function to a module, without a body.
pub(crate) fn internal_function<'a>(
    module: builtin::Module<'a>,
    location: Location<'a>,
    symbol: &str,
    ty: Type<'a>,
) -> llvm::LLVMFunc<'a> {
    let body = module.body_region().entry().expect("a module has a block");
    let function = llvm::LLVMFunc::build(&mut Builder::at_end(body, location), symbol, ty);
    function.set_linkage(Some(internal_linkage(module.context())));
    function
}
