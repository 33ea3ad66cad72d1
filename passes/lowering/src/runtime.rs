//! The functions of the runtime and of C's mathematical library that compiled code calls.

use melior::ir::Type;

use crate::kinds::Kind;
use crate::ownership::Count;

/// The functions with their types, as `docs/program-image.md` lists them.
pub(crate) const FUNCTIONS: &[(&str, &str)] = &[
    ("tfx_box_new", "(!llvm.ptr, i64) -> !llvm.ptr"),
    ("tfx_box_retain", "(!llvm.ptr) -> !llvm.ptr"),
    ("tfx_box_release", "(!llvm.ptr) -> ()"),
    (
        "tfx_array_fill",
        "(!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr) -> !llvm.ptr",
    ),
    ("tfx_array_own", "(!llvm.ptr) -> !llvm.ptr"),
    (
        "tfx_tape_push",
        "(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr",
    ),
    ("tfx_tape_pop", "(!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr"),
    ("tfx_tape_length", "(!llvm.ptr, i64) -> i64"),
    ("tfx_tensor_retain", "(!llvm.ptr) -> !llvm.ptr"),
    ("tfx_tensor_release", "(!llvm.ptr) -> ()"),
    (
        "tfx_tensor_from_bytes",
        "(i32, i32, !llvm.ptr, !llvm.ptr) -> !llvm.ptr",
    ),
    (
        "tfx_tensor_from_strings",
        "(i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> !llvm.ptr",
    ),
    (
        "tfx_tensor_splat",
        "(!llvm.ptr, i32, !llvm.ptr) -> !llvm.ptr",
    ),
    ("tfx_tensor_new", "(i32, i32, !llvm.ptr) -> !llvm.ptr"),
    ("tfx_tensor_data", "(!llvm.ptr) -> !llvm.ptr"),
    ("tfx_tensor_string", "(!llvm.ptr, i64) -> !llvm.ptr"),
    ("tfx_scalar_i1", "(i1 {llvm.zeroext}) -> !llvm.ptr"),
    ("tfx_scalar_i8", "(i8 {llvm.signext}) -> !llvm.ptr"),
    ("tfx_scalar_i16", "(i16 {llvm.signext}) -> !llvm.ptr"),
    ("tfx_scalar_i32", "(i32) -> !llvm.ptr"),
    ("tfx_scalar_i64", "(i64) -> !llvm.ptr"),
    ("tfx_scalar_f32", "(f32) -> !llvm.ptr"),
    ("tfx_scalar_f64", "(f64) -> !llvm.ptr"),
    ("tfx_item_i1", "(!llvm.ptr) -> i1"),
    ("tfx_item_i8", "(!llvm.ptr) -> i8"),
    ("tfx_item_i16", "(!llvm.ptr) -> i16"),
    ("tfx_item_i32", "(!llvm.ptr) -> i32"),
    ("tfx_item_i64", "(!llvm.ptr) -> i64"),
    ("tfx_item_f32", "(!llvm.ptr) -> f32"),
    ("tfx_item_f64", "(!llvm.ptr) -> f64"),
    (
        "tfx_program_start",
        "(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> !llvm.ptr",
    ),
    (
        "tfx_program_start_deferred",
        "(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> !llvm.ptr",
    ),
    (
        "tfx_program_recv",
        "(!llvm.ptr, i32, !llvm.ptr) -> !llvm.ptr",
    ),
    (
        "tfx_program_send",
        "(!llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> ()",
    ),
    (
        "tfx_program_finish",
        "(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()",
    ),
    ("tfx_program_terminate", "(!llvm.ptr, !llvm.ptr) -> ()"),
    (
        "tfx_operation_run",
        "(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()",
    ),
    (
        "tfx_queue_open",
        "(!llvm.ptr, !llvm.ptr, i32, i32, i32, !llvm.ptr) -> !llvm.ptr",
    ),
    ("tfx_queue_next", "(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()"),
    ("tfx_queue_close", "(!llvm.ptr, !llvm.ptr) -> ()"),
    ("tfx_print", "(!llvm.ptr, i64, !llvm.ptr, i32) -> ()"),
    (
        "tfx_assert",
        "(i1 {llvm.zeroext}, !llvm.ptr, i64, !llvm.ptr) -> ()",
    ),
    (
        "tfx_check",
        "(i1 {llvm.zeroext}, !llvm.ptr, i64, !llvm.ptr) -> ()",
    ),
    ("tfx_check_index", "(i64, i64, !llvm.ptr) -> ()"),
    (
        "tfx_check_tensor",
        "(!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> ()",
    ),
    ("tfx_abort", "(!llvm.ptr, i64, !llvm.ptr) -> ()"),
    (
        "tfx_assert_values",
        "(i1 {llvm.zeroext}, !llvm.ptr, i64, !llvm.ptr, i32, !llvm.ptr) -> ()",
    ),
    (
        "tfx_abort_values",
        "(!llvm.ptr, i64, !llvm.ptr, i32, !llvm.ptr) -> ()",
    ),
    // Only in code for calls within a process.
    ("tfx_foreign_call", "(!llvm.ptr) -> ()"),
    ("tfx_poll", "(!llvm.ptr) -> ()"),
    ("tfx_enter", "(!llvm.ptr) -> ()"),
    ("tfx_tensor_adopt", "(!llvm.ptr) -> ()"),
    ("tfx_box_adopt", "(!llvm.ptr) -> ()"),
    // C's mathematical library.
    ("expm1", "(f64) -> f64"),
    ("expm1f", "(f32) -> f32"),
    ("log1p", "(f64) -> f64"),
    ("log1pf", "(f32) -> f32"),
];

/// Returns the function that retains or releases values of a kind.
pub(crate) fn counting_function(count: Count, kind: Kind) -> &'static str {
    match (count, kind) {
        (Count::Retain, Kind::Box) => "tfx_box_retain",
        (Count::Release, Kind::Box) => "tfx_box_release",
        (Count::Retain, _) => "tfx_tensor_retain",
        (Count::Release, _) => "tfx_tensor_release",
    }
}

/// Returns the function for a scalar type whose name starts with `prefix`.
pub(crate) fn scalar_function(prefix: &str, ty: Type<'_>) -> Option<&'static str> {
    let name = format!("{prefix}{ty}");
    let mut names = FUNCTIONS.iter().map(|&(known, _)| known);
    names.find(|&known| known == name)
}
