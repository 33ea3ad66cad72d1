//! Schedules of graph functions: `docs/program-image.md`, section 2.

use std::{ffi::c_char, sync::Arc};

use tfx_cuda::{Launch, LaunchOperand, Matrix, Product, ProductElement};
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

/// The number of `DT_FLOAT`.
const DT_FLOAT: i32 = 1;
/// The number of `DT_DOUBLE`.
const DT_DOUBLE: i32 = 2;

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

/// A matrix of a product, in row-major order.
#[repr(C)]
pub struct TfxMatrix {
    /// The number of the parameter of the launch that is its address.
    pub parameter: i64,
    /// 1 if the memory has the transposed matrix, and else 0.
    pub is_transposed: i64,
    /// The elements from a row in memory to the next one.
    pub leading: i64,
    /// The elements from a matrix of the batch to the next one.
    pub stride: i64,
}

/// The product of matrices that a launch is: `batch` times `rows` x `depth` by `depth` x `columns`.
#[repr(C)]
pub struct TfxProduct {
    /// The type of the elements: `DT_FLOAT` or `DT_DOUBLE`.
    pub dtype: i32,
    /// The number of products.
    pub batch: i64,
    /// The rows of `a` and `c`.
    pub rows: i64,
    /// The columns of `b` and `c`.
    pub columns: i64,
    /// The columns of `a`, which are the rows of `b`.
    pub depth: i64,
    /// The first factor.
    pub a: TfxMatrix,
    /// The second factor.
    pub b: TfxMatrix,
    /// The result, which is not transposed.
    pub c: TfxMatrix,
}

/// A launch of an entry of the code for devices.
#[repr(C)]
pub struct TfxLaunch {
    /// The name of the entry.
    pub entry: *const c_char,
    /// The number of threads.
    pub threads: i64,
    /// The number of parameters.
    pub num_parameters: i32,
    /// For each parameter, which is an address, the position of an operand and a distance in bytes.
    pub parameters: *const i64,
    /// The product that the entry computes, which a library may compute; `NULL` if it computes
    /// anything else.
    pub product: *const TfxProduct,
}

/// The code of a kernel for devices.
#[repr(C)]
pub struct TfxDeviceCode {
    /// The number of launches; -1 if the kernel has no code for devices.
    pub num_launches: i32,
    /// The launches, which run one after the other.
    pub launches: *const TfxLaunch,
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
    /// The kernels that the list names. The operands of each are its arguments, then its results,
    /// then its working memory, if it has any.
    pub kernels: *const TfxFunction,
    /// The code for CUDA devices, as PTX; `NULL` if there is none.
    pub ptx: *const c_char,
    /// The code of each kernel; `NULL` without `ptx`.
    pub device_codes: *const TfxDeviceCode,
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
    // SAFETY: the contract promises a string or null.
    let ptx = unsafe { text(raw.ptx) };
    let codes = match ptx {
        // SAFETY: the contract promises a code for each kernel.
        Some(_) => unsafe { slice(raw.device_codes, raw.num_kernels.into()) },
        None => &[],
    };
    // SAFETY: as promised by the caller.
    let codes = codes.iter().map(|code| unsafe { launches(code) });
    // SAFETY: as promised by the caller.
    let kernels = kernels.iter().map(|kernel| unsafe { function(kernel) });
    Ok(Arc::new(Schedule {
        ptx,
        launches: codes.collect::<Result<_, _>>()?,
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

/// Returns the launches of a kernel; none if it has no code for devices.
///
/// # Safety
/// `raw` is a description as in the contract.
unsafe fn launches(raw: &TfxDeviceCode) -> Result<Option<Vec<Launch>>, Failure> {
    if raw.num_launches < 0 {
        return Ok(None);
    }
    let damaged = || Failure::new("a launch of a schedule is damaged");
    // SAFETY: the contract promises each array together with its count.
    let launches = unsafe { slice(raw.launches, raw.num_launches.into()) }.iter();
    let read = |raw: &TfxLaunch| {
        // SAFETY: the contract promises two numbers for each parameter, a string, and one product
        // or null.
        let (numbers, entry, products) = unsafe {
            let count = i64::from(raw.num_parameters) * 2;
            (
                slice(raw.parameters, count),
                text(raw.entry),
                slice(raw.product, 1),
            )
        };
        let operands = numbers.chunks_exact(2).map(|pair| {
            Some(LaunchOperand {
                operand: usize::try_from(pair[0]).ok()?,
                offset: u64::try_from(pair[1]).ok()?,
            })
        });
        let product = products.first().map(product).transpose()?;
        let launch = Launch {
            entry: entry.ok_or_else(damaged)?,
            threads: u64::try_from(raw.threads).map_err(|_| damaged())?,
            operands: operands.collect::<Option<_>>().ok_or_else(damaged)?,
            product,
        };
        match launch.product.map(|it| it.check(launch.operands.len())) {
            Some(Err(error)) => Err(Failure::new(format!(
                "a launch of a schedule is damaged: {error}"
            ))),
            _ => Ok(launch),
        }
    };
    launches.map(read).collect::<Result<_, _>>().map(Some)
}

/// Returns the product of a launch, which is not checked yet.
fn product(raw: &TfxProduct) -> Result<Product, Failure> {
    let damaged = || Failure::new("a product of a schedule is damaged");
    let element = match raw.dtype {
        DT_FLOAT => ProductElement::F32,
        DT_DOUBLE => ProductElement::F64,
        _ => return Err(damaged()),
    };
    let size = |size: i64| u64::try_from(size).map_err(|_| damaged());
    let matrix = |raw: &TfxMatrix| {
        Ok::<_, Failure>(Matrix {
            parameter: usize::try_from(raw.parameter).map_err(|_| damaged())?,
            is_transposed: match raw.is_transposed {
                0 => false,
                1 => true,
                _ => return Err(damaged()),
            },
            leading: size(raw.leading)?,
            stride: size(raw.stride)?,
        })
    };
    Ok(Product {
        element,
        batch: size(raw.batch)?,
        rows: size(raw.rows)?,
        columns: size(raw.columns)?,
        depth: size(raw.depth)?,
        a: matrix(&raw.a)?,
        b: matrix(&raw.b)?,
        c: matrix(&raw.c)?,
    })
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
