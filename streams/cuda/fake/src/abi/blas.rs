//! cuBLAS: handles, and products of matrices.
//!
//! The library is also one of cuBLAS. A handle starts with a workspace of its own, as there, and
//! gets it again when its stream is set. What is stricter: a handle is not created while a stream
//! captures, a product needs a stream, a workspace is memory of the device, the result overlaps no
//! factor, and the scalars are in memory of the host.

use std::ffi::{CStr, c_char, c_void};

use serde_json::{Value, json};

use super::copies::issue;
use super::{enter, put, usable};
use crate::blas::{
    ALLOC_FAILED, EXECUTION_FAILED, Handle, INVALID_VALUE, Matrix, NOT_INITIALIZED, NOT_SUPPORTED,
    Product,
};
use crate::codes::Code;
use crate::queue::Work;

/// The bytes of the workspace that a handle starts with.
const WORKSPACE: usize = 1 << 12;
/// `CUBLAS_OP_N` and `CUBLAS_OP_T`.
const OPERATIONS: [i32; 2] = [0, 1];

#[unsafe(no_mangle)]
unsafe extern "C" fn cublasCreate_v2(handle: *mut usize) -> Code {
    enter("cublasCreate", Value::Null, |state| {
        let device = usable(state).map_err(|_| NOT_INITIALIZED)?;
        if handle.is_null() {
            return Err(INVALID_VALUE);
        }
        if state
            .streams
            .values()
            .any(|stream| stream.captured.is_some())
        {
            return Err(ALLOC_FAILED);
        }
        let limit = state.settings.memory;
        let address = state
            .memory
            .allocate(device, WORKSPACE, limit, &mut state.random)
            .map_err(|_| ALLOC_FAILED)?;
        let number = state.handle();
        // SAFETY: by the contract of the module.
        unsafe { put(handle, number) }?;
        let own = (address, WORKSPACE as u64);
        let created = Handle {
            device,
            stream: None,
            workspace: own,
            own,
        };
        state.blas.insert(number, created);
        Ok(json!({ "address": address, "bytes": WORKSPACE, "device": device }))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cublasDestroy_v2(handle: usize) -> Code {
    enter("cublasDestroy", Value::Null, |state| {
        let removed = state.blas.remove(&handle).ok_or(NOT_INITIALIZED)?;
        let address = removed.own.0;
        state.memory.free(address)?;
        Ok(json!({ "address": address }))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cublasSetStream_v2(handle: usize, stream: usize) -> Code {
    enter("cublasSetStream", json!({ "stream": stream }), |state| {
        let device = state.blas(handle)?.device;
        let of_stream = state.stream(stream).map_err(|_| INVALID_VALUE)?.device;
        if of_stream != device {
            return Err(INVALID_VALUE);
        }
        let own = state.blas(handle)?;
        own.stream = Some(stream);
        own.workspace = own.own;
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cublasSetWorkspace_v2(
    handle: usize,
    workspace: *mut c_void,
    bytes: usize,
) -> Code {
    let workspace = (workspace.addr() as u64, bytes as u64);
    enter("cublasSetWorkspace", json!({ "bytes": bytes }), |state| {
        let device = state.blas(handle)?.device;
        state.check_workspace(device, workspace)?;
        state.blas(handle)?.workspace = workspace;
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cublasSetMathMode(handle: usize, mode: i32) -> Code {
    enter("cublasSetMathMode", json!({ "mode": mode }), |state| {
        state.blas(handle)?;
        // Other modes allow other results.
        (mode == 0).then_some(Value::Null).ok_or(NOT_SUPPORTED)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cublasGetStatusString(code: Code) -> *const c_char {
    let text: &CStr = match code {
        0 => c"success",
        NOT_INITIALIZED => c"the library was not initialized",
        ALLOC_FAILED => c"the resource allocation failed",
        INVALID_VALUE => c"an unsupported value or parameter was passed to the function",
        EXECUTION_FAILED => c"the function failed to launch on the GPU",
        NOT_SUPPORTED => c"the functionality requested is not supported",
        _ => c"unknown status",
    };
    text.as_ptr()
}

/// The arguments of a product.
struct Arguments {
    call: &'static str,
    size: u64,
    handle: usize,
    /// `transa` and `transb`.
    operations: [i32; 2],
    /// `m`, `n`, `k` and the size of the batch.
    sizes: [i32; 4],
    scalars: Option<[f64; 2]>,
    /// The address, the leading dimension and the stride of each matrix.
    matrices: [(u64, i32, i64); 3],
}

impl Arguments {
    /// Checks the arguments, and issues the product.
    fn issue(self) -> Code {
        enter(self.call, json!({ "sizes": self.sizes }), |state| {
            let handle = state.blas(self.handle)?.clone();
            let stream = handle.stream.ok_or(NOT_SUPPORTED)?;
            let own = state.stream(stream).map_err(|_| INVALID_VALUE)?;
            let device = own.device;
            if usable(state).map_err(|_| EXECUTION_FAILED)? != device {
                return Err(INVALID_VALUE);
            }
            let product = self.product(&handle, state.handle() as u64)?;
            // The memory may have been released since it was set.
            state.check_workspace(device, product.workspace)?;
            let mut line = accesses(&product).ok_or(INVALID_VALUE)?;
            line["stream"] = json!(stream);
            line["device"] = json!(device);
            issue(state, stream, Work::StartProduct(product.clone()))?;
            issue(state, stream, Work::EndProduct(product))?;
            Ok(line)
        })
    }

    fn product(&self, handle: &Handle, number: u64) -> Result<Product, Code> {
        let mut sizes = [0; 4];
        for (size, given) in sizes.iter_mut().zip(self.sizes) {
            // An empty product does nothing, and is not needed.
            let given = usize::try_from(given).ok().filter(|given| *given > 0);
            *size = given.ok_or(INVALID_VALUE)?;
        }
        let [m, n, k, batch] = sizes;
        let [alpha, beta] = self.scalars.ok_or(INVALID_VALUE)?;
        if self.operations.iter().any(|it| !OPERATIONS.contains(it)) {
            return Err(INVALID_VALUE);
        }
        let is_transposed = self.operations.map(|operation| operation == OPERATIONS[1]);
        let matrix = |index: usize, [rows, columns]: [usize; 2], is_transposed: bool| {
            let (address, leading, stride) = self.matrices[index];
            let stored = match is_transposed {
                true => [columns, rows],
                false => [rows, columns],
            };
            let leading = usize::try_from(leading).map_err(|_| INVALID_VALUE)?;
            let is_aligned = address.is_multiple_of(self.size);
            if leading < stored[0] || address == 0 || !is_aligned || stride < 0 {
                return Err(INVALID_VALUE);
            }
            Ok(Matrix {
                address,
                stored,
                is_transposed,
                leading,
                stride,
            })
        };
        let product = Product {
            size: self.size,
            batch,
            depth: k,
            alpha,
            beta,
            a: matrix(0, [m, k], is_transposed[0])?,
            b: matrix(1, [k, n], is_transposed[1])?,
            c: matrix(2, [m, n], false)?,
            workspace: handle.workspace,
            number,
        };
        let one = product.c.range(1, self.size).ok_or(INVALID_VALUE)?;
        let stride = product.c.stride.unsigned_abs().checked_mul(self.size);
        let is_apart = batch == 1 || stride.is_some_and(|stride| stride >= one[1]);
        is_apart.then_some(product).ok_or(INVALID_VALUE)
    }
}

/// Returns the memory of a product for its line of the trace; none if the result overlaps another
/// operand.
fn accesses(product: &Product) -> Option<Value> {
    let range = |matrix: &Matrix| matrix.range(product.batch, product.size);
    let (a, b, c) = (range(&product.a)?, range(&product.b)?, range(&product.c)?);
    let scratch = [product.workspace.0, product.workspace.1];
    let is_apart = |other: [u64; 2]| c[0] >= other[0] + other[1] || other[0] >= c[0] + c[1];
    if ![a, b, scratch].into_iter().all(is_apart) {
        return None;
    }
    let reads = match product.beta == 0.0 {
        true => vec![a, b],
        false => vec![a, b, c],
    };
    Some(json!({ "reads": reads, "writes": [c], "scratch": [scratch] }))
}

macro_rules! gemm {
    ($name:ident, $type:ty) => {
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, reason = "the signature of cuBLAS")]
        unsafe extern "C" fn $name(
            handle: usize,
            transa: i32,
            transb: i32,
            m: i32,
            n: i32,
            k: i32,
            alpha: *const $type,
            a: *const $type,
            lda: i32,
            stride_a: i64,
            b: *const $type,
            ldb: i32,
            stride_b: i64,
            beta: *const $type,
            c: *mut $type,
            ldc: i32,
            stride_c: i64,
            batch: i32,
        ) -> Code {
            let scalars = match alpha.is_null() || beta.is_null() {
                true => None,
                // SAFETY: both are valid for a read, by the contract of the module.
                false => Some([alpha, beta].map(|scalar| f64::from(unsafe { *scalar }))),
            };
            let arguments = Arguments {
                call: stringify!($name),
                size: size_of::<$type>() as u64,
                handle,
                operations: [transa, transb],
                sizes: [m, n, k, batch],
                scalars,
                matrices: [
                    (a.addr() as u64, lda, stride_a),
                    (b.addr() as u64, ldb, stride_b),
                    (c.addr() as u64, ldc, stride_c),
                ],
            };
            arguments.issue()
        }
    };
}

gemm!(cublasSgemmStridedBatched, f32);
gemm!(cublasDgemmStridedBatched, f64);
