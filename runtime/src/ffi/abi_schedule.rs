//! Schedules of graph functions: `docs/program-image.md`, section 2.

use std::{ffi::c_char, sync::Arc};

use tfx_interpreter::{DType, Shape};

use super::{
    abi_native::TfxTensorType,
    abi_tensor::dtype,
    guard::{slice, text},
};
use crate::{
    failure::Failure,
    schedule::{Function, Schedule},
};

/// A function of the GraphDef whose arguments and results have known shapes.
#[repr(C)]
pub struct TfxFunction {
    /// The name in the command list.
    pub symbol: *const c_char,
    /// The name in the GraphDef.
    pub name: *const c_char,
    /// The number of arguments.
    pub num_args: i32,
    /// The number of results.
    pub num_results: i32,
    /// The types of the arguments.
    pub args: *const TfxTensorType,
    /// The types of the results.
    pub results: *const TfxTensorType,
}

/// A function of the GraphDef as a schedule: its kernels run on several streams.
#[repr(C)]
pub struct TfxSchedule {
    /// The function.
    pub function: *const TfxFunction,
    /// The command list. Its external buffers are the arguments and the results of the function.
    pub commands: *const u8,
    /// The size of the command list in bytes.
    pub commands_size: u64,
    /// The number of kernels.
    pub num_kernels: i32,
    /// The kernels that the list names. The operands of each are its arguments, then its results.
    pub kernels: *const TfxFunction,
}

/// Returns the description of a schedule.
///
/// # Safety
/// `raw` is a description as in the contract.
pub(super) unsafe fn read(raw: &TfxSchedule) -> Result<Arc<Schedule>, Failure> {
    // SAFETY: the contract promises one function, and each pointer together with its count.
    let (own, commands, kernels) = unsafe {
        (
            slice(raw.function, 1),
            slice(raw.commands, raw.commands_size as i64),
            slice(raw.kernels, raw.num_kernels.into()),
        )
    };
    let [own] = own else {
        return Err(Failure::new("a schedule has no function"));
    };
    // SAFETY: as promised by the caller.
    let kernels = kernels.iter().map(|kernel| unsafe { function(kernel) });
    Ok(Arc::new(Schedule {
        // SAFETY: as promised by the caller.
        function: unsafe { function(own) }?,
        commands: commands.to_vec(),
        kernels: kernels.collect::<Result<_, _>>()?,
    }))
}

/// # Safety
/// `raw` is a description as in the contract.
unsafe fn function(raw: &TfxFunction) -> Result<Function, Failure> {
    let unnamed = || Failure::new("a function of a schedule has no name");
    // SAFETY: the contract promises strings, and types together with their counts.
    unsafe {
        Ok(Function {
            symbol: text(raw.symbol).ok_or_else(unnamed)?,
            name: text(raw.name).ok_or_else(unnamed)?,
            arguments: types(raw.args, raw.num_args)?,
            results: types(raw.results, raw.num_results)?,
        })
    }
}

/// # Safety
/// `types` points to `count` types as in the contract.
unsafe fn types(types: *const TfxTensorType, count: i32) -> Result<Vec<(DType, Shape)>, Failure> {
    // SAFETY: as promised by the caller.
    let types = unsafe { slice(types, count.into()) };
    let read = |raw: &TfxTensorType| {
        // SAFETY: the contract promises `rank` sizes.
        let sizes = unsafe { slice(raw.dims, raw.rank.into()) };
        let shape = sizes.iter().map(|size| usize::try_from(*size));
        let shape = shape.collect::<Result<Shape, _>>();
        let unknown = |_| Failure::new("a function of a schedule has an unknown size");
        Ok((dtype(raw.dtype)?, shape.map_err(unknown)?))
    };
    types.iter().map(read).collect()
}
