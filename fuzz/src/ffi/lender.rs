//! A lender of tensors to the runtime by DLPack, with descriptions that may be invalid.
//!
//! Contract: a tensor that the runtime accepts must lie in the lent memory, since DLPack makes that
//! the responsibility of the lender. [`lend`] therefore does not lend tensors whose sizes and
//! strides exceed its memory. Everything else may be invalid: the device, the type, the number of
//! dimensions, the sizes, NULL for memory or sizes.

use std::ffi::c_void;
use std::ptr;

use tfx::runtime::Failure;
use tfx::runtime::ffi::dlpack::{self, DLDataType, DLDevice, DLManagedTensor, DLTensor};
use tfx_interpreter::Tensor;

/// The contents of the structure.
#[derive(Clone, Debug)]
pub(crate) struct Description {
    pub(crate) device: i32,
    pub(crate) code: u8,
    pub(crate) bits: u8,
    pub(crate) lanes: u16,
    pub(crate) ndim: i32,
    /// `None` for NULL.
    pub(crate) shape: Option<Vec<i64>>,
    /// `None` for NULL.
    pub(crate) strides: Option<Vec<i64>>,
    pub(crate) byte_offset: u64,
    pub(crate) has_memory: bool,
}

/// A cache line. The alignment permits using the memory without a copy.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; LINE]);

const LINE: usize = 64;
/// The number of lent lines: smaller tensors are copied, larger ones take long.
const LINES: usize = 256;
/// The size of the lent memory.
const MEMORY: usize = LINES * LINE;

/// The maximal number of bytes of a tensor.
const MOST_COPIED: i128 = 1 << 24;

/// The structure, the memory it points to, and the number of returns.
struct Lender {
    managed: DLManagedTensor,
    memory: Vec<Line>,
    description: Description,
    returned: usize,
}

unsafe extern "C" fn release(managed: *mut DLManagedTensor) {
    // SAFETY: the context is the lender, which outlives the tensor.
    unsafe { (*(*managed).manager_ctx.cast::<Lender>()).returned += 1 }
}

impl Description {
    /// Returns whether the described tensor lies in the lent memory, or could not lie in any
    /// memory.
    fn is_honest(&self) -> bool {
        let (Some(shape), true) = (&self.shape, self.has_memory) else {
            return true;
        };
        if shape.iter().any(|&size| size <= 0) {
            return true;
        }
        let size = i128::from(self.bits / 8);
        let (mut low, mut high, mut stride) = (0i128, 0i128, 1i128);
        for (dimension, &count) in shape.iter().enumerate().rev() {
            let own = match &self.strides {
                Some(strides) => strides.get(dimension).map_or(0, |&stride| stride.into()),
                None => stride,
            };
            // This number of elements exceeds any memory, whatever the strides; the runtime must
            // detect that.
            let Some(next) = stride.checked_mul(count.into()) else {
                return true;
            };
            stride = next;
            let far = own.saturating_mul(i128::from(count) - 1);
            (low, high) = (low + far.min(0), high + far.max(0));
        }
        let bytes = stride.saturating_mul(size);
        if bytes > isize::MAX as i128 {
            return true;
        }
        let end = i128::from(self.byte_offset) + (high + 1).saturating_mul(size);
        let start = i128::from(self.byte_offset) + low.saturating_mul(size);
        // With strides of zero, a small memory describes a large tensor, which is then copied.
        bytes <= MOST_COPIED && start >= 0 && end <= MEMORY as i128
    }
}

/// Lends a tensor, passes the result of the import to `used`, and returns how often the tensor was
/// returned, which must be once, or `None` if it is not lent.
pub(crate) fn lend(
    description: Description,
    used: impl FnOnce(Result<Tensor, Failure>),
) -> Option<usize> {
    if !description.is_honest() {
        return None;
    }
    let mut memory = vec![Line([0; LINE]); LINES];
    for (number, line) in memory.iter_mut().enumerate() {
        line.0.fill((number % 2) as u8);
    }
    let mut lender = Box::new(Lender {
        managed: DLManagedTensor {
            dl_tensor: DLTensor {
                data: ptr::null_mut(),
                device: DLDevice {
                    device_type: description.device,
                    device_id: 0,
                },
                ndim: description.ndim,
                dtype: DLDataType {
                    code: description.code,
                    bits: description.bits,
                    lanes: description.lanes,
                },
                shape: ptr::null_mut(),
                strides: ptr::null_mut(),
                byte_offset: description.byte_offset,
            },
            manager_ctx: ptr::null_mut(),
            deleter: Some(release),
        },
        memory,
        description,
        returned: 0,
    });
    let pointer = |list: &mut Option<Vec<i64>>| match list {
        Some(list) => list.as_mut_ptr(),
        None => ptr::null_mut(),
    };
    let lender: *mut Lender = &raw mut *lender;
    // SAFETY: the lender stays in its box until the end of this function, and `used` has dropped
    // the tensor by then. The described tensor lies in the memory.
    unsafe {
        let lender = &mut *lender;
        let tensor = &mut lender.managed.dl_tensor;
        tensor.shape = pointer(&mut lender.description.shape);
        tensor.strides = pointer(&mut lender.description.strides);
        if lender.description.has_memory {
            tensor.data = lender.memory.as_mut_ptr().cast::<c_void>();
        }
        lender.managed.manager_ctx = (&raw mut *lender).cast();
        let imported = dlpack::import(&raw mut lender.managed);
        used(imported);
        Some(lender.returned)
    }
}
