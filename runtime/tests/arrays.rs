//! Arrays, used like compiled code uses them.

use std::ptr::null;

use tfx_runtime::ffi::{abi_array::*, abi_box::*, abi_tensor::*};

/// A type of arrays, which must outlive them.
fn array_type(kinds: &'static [u8]) -> TfxBoxType {
    TfxBoxType {
        name: null(),
        kinds: kinds.as_ptr(),
        num_kinds: kinds.len() as u64,
    }
}

// A single test, since it counts the boxes of the whole process.
#[test]
fn arrays_are_values() {
    elements_are_owned_once_each();
    only_a_shared_array_is_copied();
}

fn elements_are_owned_once_each() {
    let tensors = &array_type(&[1]);
    // SAFETY: the array holds the tensor as often as it has elements.
    unsafe {
        for count in [0, 1, 5] {
            let tensor = tfx_scalar_i64(7);
            let value = tensor as u64;
            let array = tfx_array_fill(tensors, &value, 1, count, null());
            tfx_tensor_release(tensor);
            assert_eq!(tfx_tensors_alive(), u64::from(count > 0));
            tfx_box_release(array);
            assert_eq!((tfx_tensors_alive(), tfx_boxes_alive()), (0, 0));
        }
    }
}

fn only_a_shared_array_is_copied() {
    let numbers = &array_type(&[0]);
    // SAFETY: each array is used once, and retained for each further use.
    unsafe {
        let value = [3, 4];
        let array = tfx_array_fill(numbers, value.as_ptr(), 2, 3, null());
        assert_eq!(tfx_array_own(array), array);
        let other = tfx_array_own(tfx_box_retain(array));
        assert_ne!(other, array);
        assert_eq!(tfx_boxes_alive(), 2);
        tfx_box_release(array);
        tfx_box_release(other);
        assert_eq!(tfx_boxes_alive(), 0);
    }
}
