//! The table of functions.
//!
//! Objects of the driver are pointers that only the driver follows, and may be used by any thread.
//! They are declared as integers of the size of a pointer, which are passed in the same way.

use std::ffi::{c_char, c_void};

use libloading::Library;

/// A device, `CUdevice`.
pub(super) type Device = i32;
/// `CUcontext`, `CUstream`, `CUevent`, `CUmodule`, `CUfunction`, `CUgraph` or `CUgraphExec`.
pub(super) type Handle = usize;
/// An address of a device, `CUdeviceptr`.
pub(super) type Address = u64;
/// `cuGetErrorName` or `cuGetErrorString`.
pub(super) type TextOf = unsafe extern "C" fn(i32, *mut *const c_char) -> i32;

macro_rules! functions {
    ($($name:ident = $symbol:literal($($type:ty),*);)*) => {
        /// Pointers to the functions, with the signatures of the driver API.
        #[allow(non_snake_case, reason = "the names of the driver API")]
        pub(super) struct Api {
            $(pub(super) $name: unsafe extern "C" fn($($type),*) -> i32,)*
        }

        impl Api {
            /// Finds all functions. The error is the name of the first one that is missing.
            ///
            /// # Safety
            ///
            /// The functions of the library have these signatures, and are not called after the
            /// library is unloaded.
            #[allow(non_snake_case, reason = "the names of the driver API")]
            pub(super) unsafe fn load(library: &Library) -> Result<Self, &'static str> {
                $(
                    // SAFETY: the function has this signature, by the contract.
                    let $name = unsafe {
                        library.get::<unsafe extern "C" fn($($type),*) -> i32>($symbol.as_bytes())
                    };
                    let $name = *$name.map_err(|_| $symbol)?;
                )*
                Ok(Self { $($name,)* })
            }
        }
    };
}

functions! {
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
