//! Boxes as compiled code uses them: what they hold is freed with them, once, however long the chain and however many threads there are.

use std::{ptr::null, thread};

use tfx_runtime::ffi::{abi_box::*, abi_tensor::*};

/// A type of boxes, which lives as long as they do: in a test, until its end.
fn box_type(kinds: &'static [u8]) -> TfxBoxType {
    TfxBoxType {
        name: null(),
        kinds: kinds.as_ptr(),
        num_kinds: kinds.len() as u64,
    }
}

/// The slots of a box follow a header of three words, as compiled code knows.
fn slot(of: *mut TfxBox, index: usize) -> *mut u64 {
    const HEADER_WORDS: usize = 3;
    // SAFETY: the tests ask for slots that there are.
    unsafe { of.cast::<u64>().add(HEADER_WORDS + index) }
}

// One test, since it counts what the whole process holds.
#[test]
fn boxes_free_what_they_hold() {
    let node = &box_type(&[0, 1, 2]);
    let (array_type, leaf) = (&box_type(&[2]), &box_type(&[]));
    // SAFETY: slots are given values of the kinds that the type says, and every owner lets go once.
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

        // An array: the last kind goes on. What it shares with others lives on.
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

        // Nothing is a value that a path does not have.
        assert!(tfx_box_retain(std::ptr::null_mut()).is_null());
        tfx_box_release(std::ptr::null_mut());
    }
}
