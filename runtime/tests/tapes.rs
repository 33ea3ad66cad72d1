//! Tapes, used like compiled code uses them.
//!
//! A random history of pushes and pops on several tapes that share values is compared with vectors,
//! and the numbers of boxes tell whether memory is shared and freed.

use std::ptr::{null, null_mut};

use tfx_runtime::ffi::{abi_box::*, abi_tape::*, abi_tensor::*};

/// A type of chunks, which must outlive them.
fn chunk_type(kinds: &'static [u8]) -> TfxBoxType {
    TfxBoxType {
        name: null(),
        kinds: kinds.as_ptr(),
        num_kinds: kinds.len() as u64,
    }
}

const NUMBERS: &[u8] = &[0, 2, 0];
const TENSORS: &[u8] = &[0, 2, 1];

/// A generator of random numbers: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

// A single test, since it counts the boxes of the whole process.
#[test]
fn tapes_are_values() {
    a_long_tape_takes_few_allocations();
    tapes_share_values_and_stay_independent();
    tensors_are_released_once();
}

fn a_long_tape_takes_few_allocations() {
    const COUNT: u64 = 1_000_000;
    let numbers = &chunk_type(NUMBERS);
    let mut tape = null_mut();
    // SAFETY: each tape is used once.
    unsafe {
        for number in 0..COUNT {
            tape = tfx_tape_push(tape, numbers, &number, 1);
        }
        assert!(tfx_boxes_alive() < COUNT / 500, "{}", tfx_boxes_alive());
        for number in (0..COUNT).rev() {
            let mut popped = 0;
            tape = tfx_tape_pop(tape, &mut popped, 1);
            assert_eq!(popped, number);
        }
        assert!(tape.is_null());
        assert_eq!(tfx_boxes_alive(), 0);
    }
}

/// A tape, and the vector of its values.
type Pair = (*mut TfxBox, Vec<[u64; 2]>);

fn tapes_share_values_and_stay_independent() {
    let numbers = &chunk_type(NUMBERS);
    let mut random = Random(7);
    let mut tapes: Vec<Pair> = vec![(null_mut(), Vec::new())];
    for step in 0..200_000 {
        let at = random.below(tapes.len() as u64) as usize;
        // SAFETY: a tape is used once, and retained for each further use.
        unsafe {
            match random.below(100) {
                0 if tapes.len() < 8 => {
                    let (tape, values) = &tapes[at];
                    let copied = (tfx_box_retain(*tape), values.clone());
                    tapes.push(copied);
                }
                1 if tapes.len() > 1 => tfx_box_release(tapes.swap_remove(at).0),
                2..45 => {
                    let (tape, values) = &mut tapes[at];
                    let Some(expected) = values.pop() else {
                        continue;
                    };
                    let mut popped = [0; 2];
                    *tape = tfx_tape_pop(*tape, popped.as_mut_ptr(), 2);
                    assert_eq!(popped, expected);
                    assert_eq!(tape.is_null(), values.is_empty());
                }
                _ => {
                    let (tape, values) = &mut tapes[at];
                    let value = [step, random.below(u64::MAX)];
                    *tape = tfx_tape_push(*tape, numbers, value.as_ptr(), 2);
                    values.push(value);
                }
            }
        }
    }
    let longest = tapes.iter().map(|(_, values)| values.len()).max();
    assert!(longest > Some(2000), "{longest:?}");
    for (tape, _) in tapes {
        // SAFETY: the last use of each tape.
        unsafe { tfx_box_release(tape) };
    }
    assert_eq!(tfx_boxes_alive(), 0);
}

fn tensors_are_released_once() {
    let tensors = &chunk_type(TENSORS);
    let mut tape = null_mut();
    // SAFETY: as above; the tape owns the tensors.
    unsafe {
        for number in 0..1000 {
            let tensor = tfx_scalar_i64(number) as u64;
            tape = tfx_tape_push(tape, tensors, &tensor, 1);
        }
        assert_eq!(tfx_tensors_alive(), 1000);
        let mut other = tfx_box_retain(tape);
        for number in (500..1000).rev() {
            let mut popped = 0;
            other = tfx_tape_pop(other, &mut popped, 1);
            let tensor = popped as *mut TfxTensor;
            assert_eq!(tfx_item_i64(tensor), number);
            tfx_tensor_release(tensor);
        }
        assert_eq!(tfx_tensors_alive(), 1000, "the first tape still has them");
        tfx_box_release(tape);
        assert_eq!(tfx_tensors_alive(), 500);
        tfx_box_release(other);
        assert_eq!((tfx_tensors_alive(), tfx_boxes_alive()), (0, 0));
    }
}
