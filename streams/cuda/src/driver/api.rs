//! The tables of functions, of the driver API and of cuBLAS.
//!
//! Objects of both are pointers that only the library follows, and may be used by any thread: those
//! of cuBLAS by one at a time. They are declared as integers of the size of a pointer, which are
//! passed in the same way.

use std::ffi::{c_char, c_void};

use libloading::Library;

/// A device, `CUdevice`.
pub(super) type Device = i32;
/// `CUcontext`, `CUstream`, `CUevent`, `CUmodule`, `CUfunction`, `CUgraph`, `CUgraphExec` or
/// `cublasHandle_t`.
pub(super) type Handle = usize;
/// An address of a device, `CUdeviceptr`.
pub(super) type Address = u64;
/// `cuGetErrorName` or `cuGetErrorString`.
pub(super) type TextOf = unsafe extern "C" fn(i32, *mut *const c_char) -> i32;

/// The type of a result: a code, unless another one is named.
macro_rules! result {
    () => {
        i32
    };
    ($type:ty) => {
        $type
    };
}

macro_rules! functions {
    ($table:ident: $($name:ident = $symbol:literal($($type:ty),*) $(-> $result:ty)?;)*) => {
        /// Pointers to the functions of a library, with their signatures.
        #[allow(non_snake_case, reason = "the names of the library")]
        pub(super) struct $table {
            $(pub(super) $name: unsafe extern "C" fn($($type),*) -> result!($($result)?),)*
        }

        impl $table {
            /// Finds all functions. The error is the name of the first one that is missing.
            ///
            /// # Safety
            ///
            /// The functions of the library have these signatures, and are not called after the
            /// library is unloaded.
            #[allow(non_snake_case, reason = "the names of the library")]
            pub(super) unsafe fn load(library: &Library) -> Result<Self, &'static str> {
                $(
                    // SAFETY: the function has this signature, by the contract.
                    let $name = unsafe {
                        library.get::<unsafe extern "C" fn($($type),*) -> result!($($result)?)>(
                            $symbol.as_bytes()
                        )
                    };
                    let $name = *$name.map_err(|_| $symbol)?;
                )*
                Ok(Self { $($name,)* })
            }
        }
    };
}

functions! { Api:
    cuInit = "cuInit"(u32);
    cuDriverGetVersion = "cuDriverGetVersion"(*mut i32);
    cuGetErrorName = "cuGetErrorName"(i32, *mut *const c_char);
    cuGetErrorString = "cuGetErrorString"(i32, *mut *const c_char);
    cuDeviceGetCount = "cuDeviceGetCount"(*mut i32);
    cuDeviceGet = "cuDeviceGet"(*mut Device, i32);
    cuDeviceGetName = "cuDeviceGetName"(*mut c_char, i32, Device);
    cuDeviceGetAttribute = "cuDeviceGetAttribute"(*mut i32, i32, Device);
    cuDeviceCanAccessPeer = "cuDeviceCanAccessPeer"(*mut i32, Device, Device);
    cuDevicePrimaryCtxRetain = "cuDevicePrimaryCtxRetain"(*mut Handle, Device);
    cuDevicePrimaryCtxRelease = "cuDevicePrimaryCtxRelease_v2"(Device);
    cuCtxGetCurrent = "cuCtxGetCurrent"(*mut Handle);
    cuCtxSetCurrent = "cuCtxSetCurrent"(Handle);
    cuCtxSynchronize = "cuCtxSynchronize"();
    cuCtxEnablePeerAccess = "cuCtxEnablePeerAccess"(Handle, u32);
    cuStreamCreate = "cuStreamCreate"(*mut Handle, u32);
    cuStreamDestroy = "cuStreamDestroy_v2"(Handle);
    cuStreamSynchronize = "cuStreamSynchronize"(Handle);
    cuStreamQuery = "cuStreamQuery"(Handle);
    cuStreamWaitEvent = "cuStreamWaitEvent"(Handle, Handle, u32);
    cuStreamBeginCapture = "cuStreamBeginCapture_v2"(Handle, u32);
    cuStreamEndCapture = "cuStreamEndCapture"(Handle, *mut Handle);
    cuEventCreate = "cuEventCreate"(*mut Handle, u32);
    cuEventDestroy = "cuEventDestroy_v2"(Handle);
    cuEventRecord = "cuEventRecord"(Handle, Handle);
    cuEventQuery = "cuEventQuery"(Handle);
    cuEventSynchronize = "cuEventSynchronize"(Handle);
    cuEventElapsedTime = "cuEventElapsedTime"(*mut f32, Handle, Handle);
    cuMemAlloc = "cuMemAlloc_v2"(*mut Address, usize);
    cuMemFree = "cuMemFree_v2"(Address);
    cuMemHostAlloc = "cuMemHostAlloc"(*mut *mut c_void, usize, u32);
    cuMemFreeHost = "cuMemFreeHost"(*mut c_void);
    cuMemcpyHtoDAsync = "cuMemcpyHtoDAsync_v2"(Address, *const c_void, usize, Handle);
    cuMemcpyDtoHAsync = "cuMemcpyDtoHAsync_v2"(*mut c_void, Address, usize, Handle);
    cuMemcpyDtoDAsync = "cuMemcpyDtoDAsync_v2"(Address, Address, usize, Handle);
    cuMemcpyPeerAsync = "cuMemcpyPeerAsync"(Address, Handle, Address, Handle, usize, Handle);
    cuMemsetD8Async = "cuMemsetD8Async"(Address, u8, usize, Handle);
    cuMemsetD16Async = "cuMemsetD16Async"(Address, u16, usize, Handle);
    cuMemsetD32Async = "cuMemsetD32Async"(Address, u32, usize, Handle);
    cuModuleLoadDataEx = "cuModuleLoadDataEx"(
        *mut Handle, *const c_void, u32, *mut i32, *mut *mut c_void
    );
    cuModuleUnload = "cuModuleUnload"(Handle);
    cuModuleGetFunction = "cuModuleGetFunction"(*mut Handle, Handle, *const c_char);
    cuLaunchKernel = "cuLaunchKernel"(
        Handle, u32, u32, u32, u32, u32, u32, u32, Handle, *mut *mut c_void, *mut *mut c_void
    );
    cuGraphInstantiateWithFlags = "cuGraphInstantiateWithFlags"(*mut Handle, Handle, u64);
    cuGraphLaunch = "cuGraphLaunch"(Handle, Handle);
    cuGraphExecDestroy = "cuGraphExecDestroy"(Handle);
    cuGraphDestroy = "cuGraphDestroy"(Handle);
}

/// `cublasSgemmStridedBatched` and `cublasDgemmStridedBatched`, with the type of the elements.
pub(super) type GemmStridedBatched<T> = unsafe extern "C" fn(
    Handle,
    i32,
    i32,
    i32,
    i32,
    i32,
    *const T,
    *const T,
    i32,
    i64,
    *const T,
    i32,
    i64,
    *const T,
    *mut T,
    i32,
    i64,
    i32,
) -> i32;

functions! { BlasApi:
    cublasCreate = "cublasCreate_v2"(*mut Handle);
    cublasDestroy = "cublasDestroy_v2"(Handle);
    cublasSetStream = "cublasSetStream_v2"(Handle, Handle);
    cublasSetWorkspace = "cublasSetWorkspace_v2"(Handle, *mut c_void, usize);
    cublasSetMathMode = "cublasSetMathMode"(Handle, i32);
    cublasGetStatusString = "cublasGetStatusString"(i32) -> *const c_char;
    cublasSgemmStridedBatched = "cublasSgemmStridedBatched"(
        Handle, i32, i32, i32, i32, i32, *const f32, *const f32, i32, i64, *const f32, i32, i64,
        *const f32, *mut f32, i32, i64, i32
    );
    cublasDgemmStridedBatched = "cublasDgemmStridedBatched"(
        Handle, i32, i32, i32, i32, i32, *const f64, *const f64, i32, i64, *const f64, i32, i64,
        *const f64, *mut f64, i32, i64, i32
    );
}
