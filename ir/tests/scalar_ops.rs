//! Compares the table of scalar operations with the registered operations.

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::utility::register_all_dialects;
use tfx_ir::module::operations_of;
use tfx_ir::scalar_ops::{INDEX_OPERATIONS, OPERATIONS, Support, arith_name, find};

fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

/// An operation that upstream adds fails here until it has a row. `tools/tfxc/tests/scalars.rs`
/// then requires code that runs it.
#[test]
fn every_operation_of_arith_and_math_has_a_row() {
    let context = context();
    let mut registered = operations_of(&context, "arith");
    registered.extend(operations_of(&context, "math"));
    let listed: Vec<_> = OPERATIONS.iter().map(|row| row.name.to_owned()).collect();
    assert!(registered.len() > 80, "the dialects are loaded");
    assert_eq!(registered, listed);
}

/// Operations of `index` that have no counterpart of the same form in `arith`: the host has them by
/// upstream's lowering.
const OF_INDEX_ALONE: [&str; 6] = [
    "index.bool.constant",
    "index.casts",
    "index.castu",
    "index.cmp",
    "index.constant",
    "index.sizeof",
];

#[test]
fn every_operation_of_index_is_one_of_arith_or_known() {
    let mut listed: Vec<_> = INDEX_OPERATIONS.iter().map(|(index, _)| *index).collect();
    listed.extend(OF_INDEX_ALONE);
    listed.sort_unstable();
    assert_eq!(operations_of(&context(), "index"), listed);
}

#[test]
fn rows_are_found() {
    for row in OPERATIONS {
        assert_eq!(find(row.name).map(|found| found.name), Some(row.name));
    }
    for &(index, arith) in INDEX_OPERATIONS {
        assert_eq!(arith_name(index), arith);
        assert_eq!(find(index).map(|found| found.name), Some(arith));
    }
    assert!(find("arith.nothing").is_none() && find("index.sizeof").is_none());
    assert!(matches!(
        find("math.cbrt").map(|row| row.support),
        Some(Support::Host(_))
    ));
}
