//! All unsafe code of the crate: the C ABI of host code, and the shim of TensorFlow.
//!
//! ```text
//! abi_tensor     TfxTensor: handles, scalars, elements      contract: docs/program-image.md,
//! dlpack         tensors of other libraries                 sections 2 to 7, and
//! abi_box        TfxBox: objects, closures, arrays          include/tfx_runtime.h
//! abi_array      arrays that are filled or changed
//! abi_tape       tapes: stacks of the values that derivatives need
//! abi_image      TfxImage, kept for later starts
//! abi_native     TfxNative: native code of graph functions
//! abi_schedule   TfxSchedule: graph functions that run on streams
//! abi_program    TfxProgram: start, send, recv, ...
//! abi_queue      TfxQueue: results that a thread computes ahead
//! abi_operation  TfxOperation: eager operations
//! abi_entry      TfxEntry, tfx_main
//! abi_function   calls of foreign functions of the embedding process
//! compiled       the same functions for compiled code in memory, whose references are counted apart
//! objects        the objects that the end of an activation frees
//! guard          failures and panics of these functions, and the pointers that they receive
//! exit           C's exit handlers
//! output         standard output, shared with foreign functions
//! signals        actions before a signal ends the process
//! tensorflow     sessions and tensors of TensorFlow, without unsafe code
//! channels       the channels that the shim adds to them
//! ```
//!
//! Contract of the ABI: pointers and handles are as the header specifies. A failure that host code
//! cannot handle unwinds to the activation of the thread, and ends the process if there is none.
//! The modules state what else they rely on.

// The documentation of C functions is that of the generated header.
#![allow(clippy::missing_safety_doc)]

pub mod abi_array;
pub mod abi_box;
pub mod abi_entry;
pub mod abi_function;
pub mod abi_image;
pub mod abi_native;
pub mod abi_operation;
pub mod abi_program;
pub mod abi_queue;
pub mod abi_schedule;
pub mod abi_tape;
pub mod abi_tensor;
pub mod channels;
mod compiled;
pub mod dlpack;
pub(crate) mod exit;
pub mod guard;
pub(crate) mod objects;
pub mod output;
pub mod signals;
mod stack;
pub mod tensorflow;

/// Returns the functions of the ABI by name, for a JIT that resolves their addresses in compiled
/// code.
pub fn symbols() -> Vec<(&'static str, *const ())> {
    macro_rules! addresses {
        ($($module:ident::{$($name:ident),* $(,)?}),* $(,)?) => {
            vec![$($((stringify!($name), $module::$name as *const ()),)*)*]
        };
    }
    addresses! {
        compiled::{
            tfx_tensor_retain, tfx_tensor_release, tfx_tensor_from_bytes, tfx_tensor_from_strings, tfx_tensor_string, tfx_tensor_new, tfx_tensor_splat,
            tfx_scalar_i1, tfx_scalar_i8, tfx_scalar_i16, tfx_scalar_i32, tfx_scalar_i64, tfx_scalar_f32, tfx_scalar_f64,
            tfx_tensor_adopt, tfx_box_new, tfx_box_retain, tfx_box_release, tfx_box_adopt,
        },
        abi_tensor::{
            tfx_tensor_dtype, tfx_tensor_rank, tfx_tensor_dim, tfx_tensor_num_elements, tfx_tensor_data, tfx_tensor_text, tfx_tensor_text_size,
            tfx_item_i1, tfx_item_i8, tfx_item_i16, tfx_item_i32, tfx_item_i64, tfx_item_f32, tfx_item_f64,
            tfx_check_tensor,
        },
        abi_box::{tfx_closure_code, tfx_boxes_alive, tfx_tensors_alive},
        abi_array::{tfx_array_fill, tfx_array_own},
        abi_tape::{tfx_tape_push, tfx_tape_pop, tfx_tape_length},
        dlpack::{tfx_tensor_to_dlpack, tfx_tensor_from_dlpack},
        abi_program::{
            tfx_program_start, tfx_program_start_deferred, tfx_program_recv, tfx_program_send, tfx_program_finish, tfx_program_terminate,
            tfx_print, tfx_assert, tfx_assert_values, tfx_check, tfx_check_index, tfx_abort, tfx_abort_values,
        },
        abi_queue::{tfx_queue_open, tfx_queue_next, tfx_queue_close},
        abi_operation::{tfx_operation_run},
        abi_entry::{tfx_main},
        abi_function::{tfx_foreign_call, tfx_function_call},
        guard::{tfx_enter, tfx_poll, tfx_set_failure_handler},
    }
}
