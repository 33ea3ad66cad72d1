//! A tensor that is lent to the runtime by DLPack, however wrong its description is.
//!
//! Contract: what is described and not refused must be in the memory that is lent, since DLPack leaves that to the lender. So [`lend`] does not lend what
//! has sizes and strides of other memory than its own. All else may be wrong: the device, the type, the number of dimensions, the sizes, NULL for memory or sizes.

use std::ffi::c_void;
use std::ptr;

use tfx::runtime::ffi::dlpack::{self, DLDataType, DLDevice, DLManagedTensor, DLTensor};
use tfx_interpreter::Tensor;

/// What the structure says.
#[derive(Clone, Debug)]
pub(crate) struct Description {
    pub(crate) device: i32,
    pub(crate) code: u8,
    pub(crate) bits: u8,
    pub(crate) lanes: u16,
    pub(crate) ndim: i32,
    /// None: NULL.
    pub(crate) shape: Option<Vec<i64>>,
    /// None: NULL.
    pub(crate) strides: Option<Vec<i64>>,
    pub(crate) byte_offset: u64,
    pub(crate) has_memory: bool,
}

/// Memory as arrays have it, aligned so that it may be used where it is.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; LINE]);

const LINE: usize = 64;
/// How much is lent, in lines: what is smaller is copied, what is larger takes long.
const LINES: usize = 256;
/// All that is lent.
const MEMORY: usize = LINES * LINE;

/// How many bytes a tensor may have.
const MOST_COPIED: i128 = 1 << 24;

/// The structure, what it points to, and how often it was given back.
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
    /// Whether all that it describes is in the memory that is lent, as far as it describes anything that memory could hold.
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
            // So many elements need no strides to be more than any memory; that must be seen.
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
        // Strides of zero make much of little, which then is copied.
        bytes <= MOST_COPIED && start >= 0 && end <= MEMORY as i128
    }
}

/// Lends a tensor, has `used` look at what the runtime makes of it, and says how often it was given back, which should be once; nothing where it is
/// not lent.
pub(crate) fn lend(
    description: Description,
    used: impl FnOnce(Result<Tensor, String>),
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
    // SAFETY: the lender is in its box until the end of this function, and `used` has dropped the tensor by then. What the structure describes is in the memory.
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
        used(imported.map_err(|failure| failure.to_string()));
        Some(lender.returned)
    }
}
