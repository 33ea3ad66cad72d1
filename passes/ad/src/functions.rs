//! Functions that are added to a program.

use melior::ir::Location;
use melior::ir::r#type::FunctionType;
use tfx_dialects::types::is_generic;
use tfx_ir::ops::func;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Block, Builder, Op, Value};

/// Returns the block with the symbols of a program.
pub(crate) fn block_of<'a>(program: &SymbolTable<'a>) -> Block<'a> {
    let block = program.owner().region(0).entry();
    block.expect("a module has a block")
}

/// Returns the functions with a body whose types are known.
pub(crate) fn functions<'p, 'a>(
    program: &'p SymbolTable<'a>,
) -> impl Iterator<Item = Op<'a>> + use<'p, 'a> {
    let functions = program.ops().filter(|op| op.isa::<func::Func>());
    functions.filter(|op| !op.is_declaration() && !is_generic(*op))
}

/// Adds a private function with the body `body`, which ends with a return of `results`.
pub(crate) fn add_function<'a>(
    target: Block<'a>,
    name: &str,
    body: Block<'a>,
    results: &[Value<'a>],
    location: Location<'a>,
) -> Op<'a> {
    func::Return::build(&mut Builder::at_end(body, location), results);
    let parameters: Vec<_> = body.arguments().map(|argument| argument.ty()).collect();
    let results: Vec<_> = results.iter().map(|result| result.ty()).collect();
    let mut builder = Builder::at_end(target, location);
    let ty = FunctionType::new(builder.context(), &parameters, &results);
    let function = builder.func(name, ty, true);
    body.move_to_end(function.region(0));
    function
}
