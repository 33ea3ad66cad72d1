//! The ABI as compiled code in memory calls it: objects that it creates and references that it adds
//! are not counted as those of foreign code (`objects.rs`).
//!
//! The contracts are those of the functions of the ABI with the same names.

use std::ffi::c_void;

use super::{
    abi_box::{self, TfxBox, TfxBoxType},
    abi_tensor::{self, TfxTensor},
};

/// Makes a reference of foreign code one of compiled code: compiled code has received it as the
/// result of a foreign function.
pub(super) unsafe extern "C-unwind" fn tfx_tensor_adopt(tensor: *mut TfxTensor) {
    // SAFETY: NULL or a handle that the caller owns.
    unsafe { TfxTensor::keep(tensor, -1) }
}

/// Makes a reference of foreign code one of compiled code, see `tfx_tensor_adopt`.
pub(super) unsafe extern "C-unwind" fn tfx_box_adopt(r#box: *mut TfxBox) {
    // SAFETY: NULL or a box that the caller owns.
    unsafe { abi_box::keep(r#box, -1) }
}

pub(super) unsafe extern "C-unwind" fn tfx_tensor_retain(tensor: *mut TfxTensor) -> *mut TfxTensor {
    // SAFETY: as for the function of the ABI.
    unsafe { TfxTensor::retain(tensor) }
}

pub(super) unsafe extern "C-unwind" fn tfx_tensor_release(tensor: *mut TfxTensor) {
    // SAFETY: as for the function of the ABI.
    unsafe { TfxTensor::release(tensor) }
}

pub(super) unsafe extern "C-unwind" fn tfx_box_retain(r#box: *mut TfxBox) -> *mut TfxBox {
    // SAFETY: as for the function of the ABI.
    unsafe { abi_box::retain(r#box) }
}

pub(super) unsafe extern "C-unwind" fn tfx_box_release(r#box: *mut TfxBox) {
    // SAFETY: as for the function of the ABI.
    unsafe { abi_box::release_box(r#box) }
}

/// Defines functions that create an object by the function of the ABI, and adopt it.
macro_rules! creators {
    ($($adopt:ident: $module:ident::{$($name:ident($($argument:ident: $ty:ty),*) -> $object:ty;)*})*) => {
        $($(
            #[allow(unused_unsafe, reason = "some functions of the ABI are safe")]
            pub(super) unsafe extern "C-unwind" fn $name($($argument: $ty),*) -> *mut $object {
                // SAFETY: as for the function of the ABI, whose result is owned.
                unsafe {
                    let created = $module::$name($($argument),*);
                    $adopt(created);
                    created
                }
            }
        )*)*
    };
}

creators! {
    tfx_tensor_adopt: abi_tensor::{
        tfx_tensor_from_bytes(dtype: i32, rank: i32, dims: *const i64, data: *const c_void) -> TfxTensor;
        tfx_tensor_from_strings(rank: i32, dims: *const i64, bytes: *const u8, lengths: *const u64) -> TfxTensor;
        tfx_tensor_string(bytes: *const u8, size: u64) -> TfxTensor;
        tfx_tensor_new(dtype: i32, rank: i32, dims: *const i64) -> TfxTensor;
        tfx_tensor_splat(element: *const TfxTensor, rank: i32, dims: *const i64) -> TfxTensor;
        tfx_scalar_i1(value: bool) -> TfxTensor;
        tfx_scalar_i8(value: i8) -> TfxTensor;
        tfx_scalar_i16(value: i16) -> TfxTensor;
        tfx_scalar_i32(value: i32) -> TfxTensor;
        tfx_scalar_i64(value: i64) -> TfxTensor;
        tfx_scalar_f32(value: f32) -> TfxTensor;
        tfx_scalar_f64(value: f64) -> TfxTensor;
    }
    tfx_box_adopt: abi_box::{
        tfx_box_new(r#type: *const TfxBoxType, slots: u64) -> TfxBox;
    }
}
