//! cuBLAS: products of matrices.
//!
//! ```text
//!   libcublas.so ──► Blas ── BlasHandle (of a context) ── set stream, set workspace, product
//! ```
//!
//! The library is loaded at run time, and allocates on the context that is current. A handle has
//! one stream and one workspace at a time, and is used by one thread at a time. To set the stream
//! resets the workspace to memory of the library, which all streams of the handle share: so the
//! workspace is always set after the stream. Products on two streams may run at the same time, and
//! need two workspaces. A graph keeps the address of the workspace that was set when the product
//! was captured.
//!
//! Scalars are read from memory of the host during a call: the default mode of pointers.
//!
//! Source: cuBLAS Library, User Guide, sections 2.1 (streams, graphs, results that are the same in
//! each run), 2.4.7 (`cublasSetStream`), 2.4.8 (`cublasSetWorkspace`) and 2.8.
//!
//! Not done: tensor cores with TF32, which round factors to 10 bits: the default mode has none.

use std::ffi::CStr;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::Arc;

use libloading::Library;

use super::api::{BlasApi, GemmStridedBatched, Handle};
use super::{BlasError, BlasLoadError, Context, CudaError, DeviceMemory, Stream};
use crate::product::{Matrix, Product, ProductElement};

/// The libraries that are looked for, the newest first.
const LIBRARIES: [&str; 4] = [
    "libcublas.so.13",
    "libcublas.so.12",
    "libcublas.so.11",
    "libcublas.so",
];
/// `CUBLAS_DEFAULT_MATH`: no factor is rounded to fewer bits.
const DEFAULT_MATH: i32 = 0;
/// `CUBLAS_OP_N`.
const AS_STORED: i32 = 0;
/// `CUBLAS_OP_T`.
const TRANSPOSED: i32 = 1;
/// The compute capability from which a workspace is [`LARGE_WORKSPACE`], and the bytes of
/// workspaces: those that the guide recommends.
const LARGE_FROM: i32 = 9;
const LARGE_WORKSPACE: u64 = 32 << 20;
const SMALL_WORKSPACE: u64 = 4 << 20;

/// The loaded library.
pub struct Blas {
    api: BlasApi,
}

impl std::fmt::Debug for Blas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blas").finish_non_exhaustive()
    }
}

impl Blas {
    /// Loads the library of a file, or of a name that the loader of the system finds.
    ///
    /// # Errors
    ///
    /// The library cannot be loaded, or has no function of a name.
    pub fn load(file: &Path) -> Result<Arc<Self>, BlasLoadError> {
        // SAFETY: the initializers of cuBLAS have no preconditions.
        let library = unsafe { Library::new(file) };
        let library = library.map_err(|error| BlasLoadError::Library {
            file: file.to_path_buf(),
            reason: error.to_string(),
        })?;
        let library = ManuallyDrop::new(library);
        // SAFETY: the library is cuBLAS, whose signatures the table has, and is never unloaded.
        let api = unsafe { BlasApi::load(&library) };
        let api = api.map_err(|symbol| BlasLoadError::Symbol {
            file: file.to_path_buf(),
            symbol,
        })?;
        Ok(Arc::new(Self { api }))
    }

    /// Loads the newest library that the loader of the system finds and that can be used.
    pub fn find() -> Option<Arc<Self>> {
        LIBRARIES
            .iter()
            .find_map(|name| Self::load(Path::new(name)).ok())
    }

    /// Turns the status of a call into a value.
    fn check(&self, call: &'static str, code: i32) -> Result<(), BlasError> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the function has no preconditions.
        let text = unsafe { (self.api.cublasGetStatusString)(code) };
        let text = match text.is_null() {
            true => String::new(),
            // SAFETY: the library returns a constant string.
            false => unsafe { CStr::from_ptr(text) }
                .to_string_lossy()
                .into_owned(),
        };
        Err(BlasError::status(call, code, text))
    }
}

/// A handle of the library for a device.
#[derive(Debug)]
pub struct BlasHandle {
    blas: Arc<Blas>,
    context: Arc<Context>,
    handle: Handle,
}

impl Drop for BlasHandle {
    fn drop(&mut self) {
        let _ = self.context.enter();
        // SAFETY: the handle was created, and this is its only release.
        unsafe { (self.blas.api.cublasDestroy)(self.handle) };
    }
}

impl BlasHandle {
    /// Creates a handle, which allocates memory: no stream captures.
    ///
    /// # Errors
    ///
    /// The context cannot be used, or a call of the library fails.
    pub fn new(blas: &Arc<Blas>, context: &Arc<Context>) -> Result<Self, BlasError> {
        context.enter()?;
        let mut handle = 0;
        // SAFETY: the pointer is valid for the call, and a context is current.
        let code = unsafe { (blas.api.cublasCreate)(&raw mut handle) };
        blas.check("cublasCreate", code)?;
        let created = Self {
            blas: Arc::clone(blas),
            context: Arc::clone(context),
            handle,
        };
        // SAFETY: the handle exists.
        let code = unsafe { (blas.api.cublasSetMathMode)(handle, DEFAULT_MATH) };
        blas.check("cublasSetMathMode", code)?;
        Ok(created)
    }

    /// Returns the bytes of a workspace for a device.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn workspace_bytes(context: &Context) -> Result<u64, CudaError> {
        Ok(match context.major()? >= LARGE_FROM {
            true => LARGE_WORKSPACE,
            false => SMALL_WORKSPACE,
        })
    }

    /// Lets later products run on a stream, with a workspace of the same device. It lives until
    /// they are complete, and no product on another stream uses it before.
    ///
    /// # Errors
    ///
    /// A call of the library fails.
    pub fn set_stream(
        &mut self,
        stream: &Stream,
        workspace: &DeviceMemory,
    ) -> Result<(), BlasError> {
        const WORKSPACE: &str = "cublasSetWorkspace";
        let contexts = [stream.context().handle, workspace.context.handle];
        if contexts != [self.context.handle; 2] {
            let text = "a stream or a workspace of another device";
            return Err(BlasError::invalid(WORKSPACE, text));
        }
        self.context.enter()?;
        let api = &self.blas.api;
        // SAFETY: both exist.
        let code = unsafe { (api.cublasSetStream)(self.handle, stream.handle) };
        self.blas.check("cublasSetStream", code)?;
        let (Ok(address), Ok(bytes)) = (
            usize::try_from(workspace.address()),
            usize::try_from(workspace.size()),
        ) else {
            return Err(BlasError::invalid(WORKSPACE, "a size out of range"));
        };
        let start = std::ptr::without_provenance_mut(address);
        // SAFETY: the memory has so many bytes, and lives until the products are complete, by the
        // contract.
        let code = unsafe { (api.cublasSetWorkspace)(self.handle, start, bytes) };
        self.blas.check(WORKSPACE, code)
    }

    /// Issues a product of matrices at the addresses of `a`, `b` and `c`, on the stream that was
    /// set. The product is checked, and each matrix is within memory that lives until the product
    /// is complete.
    ///
    /// # Errors
    ///
    /// The context cannot be used, or the call of the library fails. A product that fails later is
    /// reported by a call of the driver.
    pub fn multiply(&mut self, product: &Product, addresses: [u64; 3]) -> Result<(), BlasError> {
        self.context.enter()?;
        let api = &self.blas.api;
        let (call, code) = match product.element {
            ProductElement::F32 => {
                let (call, gemm) = ("cublasSgemmStridedBatched", api.cublasSgemmStridedBatched);
                (call, self.gemm(gemm, product, addresses, [1f32, 0f32]))
            }
            ProductElement::F64 => {
                let (call, gemm) = ("cublasDgemmStridedBatched", api.cublasDgemmStridedBatched);
                (call, self.gemm(gemm, product, addresses, [1f64, 0f64]))
            }
        };
        match code {
            Some(code) => self.blas.check(call, code),
            None => Err(BlasError::invalid(call, "a size out of range")),
        }
    }

    /// Calls a function: `c' = alpha b' a' + beta c'`, in column-major order. Returns its status;
    /// none if a size is no number of its type.
    fn gemm<T>(
        &self,
        function: GemmStridedBatched<T>,
        product: &Product,
        [a, b, c]: [u64; 3],
        [alpha, beta]: [T; 2],
    ) -> Option<i32> {
        let int = |size: u64| i32::try_from(size).ok();
        let pointer = |address: u64| {
            let address = usize::try_from(address).ok()?;
            Some(std::ptr::without_provenance_mut::<T>(address))
        };
        let operation = |matrix: Matrix| match matrix.is_transposed {
            true => TRANSPOSED,
            false => AS_STORED,
        };
        let stride = |matrix: Matrix| i64::try_from(matrix.stride).ok();
        let Product {
            rows,
            columns,
            depth,
            batch,
            ..
        } = *product;
        let (first, second, result) = (product.b, product.a, product.c);
        let (m, n, k, batch) = (int(columns)?, int(rows)?, int(depth)?, int(batch)?);
        let leading = [
            int(first.leading)?,
            int(second.leading)?,
            int(result.leading)?,
        ];
        let strides = [stride(first)?, stride(second)?, stride(result)?];
        let [first_at, second_at, result_at] = [pointer(b)?, pointer(a)?, pointer(c)?];
        let (alpha, beta) = (&raw const alpha, &raw const beta);
        let operations = [operation(first), operation(second)];
        // SAFETY: the scalars are valid for the call, which reads them. The matrices are within
        // memory that lives until the product is complete, by the contract.
        Some(unsafe {
            function(
                self.handle,
                operations[0],
                operations[1],
                m,
                n,
                k,
                alpha,
                first_at,
                leading[0],
                strides[0],
                second_at,
                leading[1],
                strides[1],
                beta,
                result_at,
                leading[2],
                strides[2],
                batch,
            )
        })
    }
}
