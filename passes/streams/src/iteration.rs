//! Iteration arguments that a pass adds to a loop.

use melior::ir::Type;
use tfx_ir::ops::scf;
use tfx_ir::{Builder, Value};

/// Adds iteration arguments to a loop whose block has them already, as its last ones: the value of
/// the first iteration, and that of the next one. The results stay those that it had.
pub(crate) fn extend<'a>(repeated: scf::For<'a>, added: &[(Value<'a>, Value<'a>)]) -> scf::For<'a> {
    let mut initial = repeated.init_args().to_vec();
    initial.extend(added.iter().map(|(start, _)| *start));
    let types: Vec<Type<'a>> = initial.iter().map(|value| value.ty()).collect();
    let op = repeated.op();
    let mut builder = Builder::before(op);
    let new = scf::For::build(
        &mut builder,
        &types,
        repeated.lower_bound(),
        repeated.upper_bound(),
        repeated.step(),
        &initial,
    );
    for (name, attribute) in op.attributes() {
        new.op().set_attribute(name, attribute);
    }
    let body = repeated.region().entry();
    if let Some(end) = body.and_then(|body| body.terminator()) {
        let mut next: Vec<Value<'a>> = end.operands().collect();
        next.extend(added.iter().map(|(_, next)| *next));
        scf::Yield::build(&mut Builder::before(end), &next);
        end.erase();
    }
    new.region().append_blocks_of(repeated.region());
    let results: Vec<Value<'a>> = new.op().results().take(op.num_results()).collect();
    op.replace_with(&results);
    new
}
