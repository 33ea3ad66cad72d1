//! Boxes, used like compiled code uses them: they release the values in their slots once, in chains
//! of any length and on several threads.

use std::{ptr::null, thread};

use tfx_runtime::ffi::{abi_box::*, abi_tensor::*};

/// A type of boxes, which must outlive them.
fn box_type(kinds: &'static [u8]) -> TfxBoxType {
    TfxBoxType {
        name: null(),
        kinds: kinds.as_ptr(),
        num_kinds: kinds.len() as u64,
    }
}

/// Returns the address of a slot. The slots follow a header of three words, as in compiled code.
fn slot(of: *mut TfxBox, index: usize) -> *mut u64 {
    const HEADER_WORDS: usize = 3;
    // SAFETY: the tests access existing slots only.
    unsafe { of.cast::<u64>().add(HEADER_WORDS + index) }
}

// A single test, since it counts the boxes of the whole process.
#[test]
fn boxes_release_the_values_in_their_slots() {
    let node = &box_type(&[0, 1, 2]);
    let (array_type, leaf) = (&box_type(&[2]), &box_type(&[]));
    // SAFETY: slots have values of the kinds of the type, and each owner releases its box once.
    unsafe {
        // A chain of a million nodes that share a tensor.
        let tensor = tfx_scalar_f32(1.0);
        let mut list: *mut TfxBox = std::ptr::null_mut();
        for number in 0..1_000_000 {
            let next = list;
            list = tfx_box_new(node, 3);
            assert_eq!(*slot(list, 1), 0, "slots are zeros");
            *slot(list, 0) = number;
            *slot(list, 1) = tfx_tensor_retain(tensor) as u64;
            *slot(list, 2) = next as u64;
        }
        tfx_tensor_release(tensor);
        assert_eq!((tfx_boxes_alive(), tfx_tensors_alive()), (1_000_000, 1));
        tfx_box_release(tfx_box_retain(list));
        assert_eq!(tfx_boxes_alive(), 1_000_000);
        tfx_box_release(list);
        assert_eq!((tfx_boxes_alive(), tfx_tensors_alive()), (0, 0));

        // An array: further slots have the last kind. Values with other owners are not freed.
        let shared = tfx_box_new(leaf, 0);
        let array = tfx_box_new(array_type, 5);
        for index in 0..4 {
            *slot(array, index) = tfx_box_retain(shared) as u64;
        }
        tfx_box_release(array);
        assert_eq!(tfx_boxes_alive(), 1);

        // Many threads count one box.
        let address = shared as u64;
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(move || {
                    for _ in 0..10_000 {
                        tfx_box_release(tfx_box_retain(address as *mut TfxBox));
                    }
                });
            }
        });
        assert_eq!(tfx_boxes_alive(), 1);
        tfx_box_release(shared);
        assert_eq!(tfx_boxes_alive(), 0);

        // NULL is the placeholder of a value that a path does not define.
        assert!(tfx_box_retain(std::ptr::null_mut()).is_null());
        tfx_box_release(std::ptr::null_mut());
    }
}
