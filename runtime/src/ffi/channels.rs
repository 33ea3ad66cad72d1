//! Channels between a graph on TensorFlow and its host that need no run of the session for a
//! message: the functions of `runtime/shim/channels.cpp`.
//!
//! The shim is C++ against TensorFlow's own headers, so it is used only with the TensorFlow version
//! that it was compiled for. `scripts/setup tensorflow` puts it into the folder of TensorFlow's
//! library.
//!
//! Contract of the unsafe code: a channel lives until [`Channel`] is dropped, which is after the
//! run of the session that was fed its address. TensorFlow borrows tensors that are sent, as it
//! does those that are fed; the receiver owns tensors that are received.

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    ptr::null_mut,
    sync::OnceLock,
    time::Duration,
};

use libloading::Library;
use tfx_channel::Tried;
use tfx_interpreter::{DType, Tensor};
use tfx_tensorflow::{Counted, Status, c_functions, library::beside};

use super::tensorflow::{self, CHANNELS};
use crate::{failure::Failure, injection};

/// The file of the shim.
const SHIM: &str = "libtfx_channels.so";

/// The shim's opaque type.
enum RawChannel {}

c_functions! {
    version = "tfx_channels_tensorflow": fn() -> *const c_char;
    new = "tfx_channel_new": fn(c_int, usize) -> *mut RawChannel;
    delete = "tfx_channel_delete": fn(*mut RawChannel);
    send = "tfx_channel_send": fn(*mut RawChannel, *mut c_void, bool) -> c_int;
    receive = "tfx_channel_receive": fn(*mut RawChannel, *mut *mut c_void, bool) -> c_int;
    close = "tfx_channel_close": fn(*mut RawChannel, bool);
    waits = "tfx_channel_waits": fn(*mut RawChannel, *mut u64, *mut u64);
}

/// Returns the functions of the shim, which the first call loads; or the reason why there are none.
fn shim() -> Result<&'static Functions, Failure> {
    static LOADED: OnceLock<Result<Functions, Failure>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(Failure::clone)
}

/// Loads TensorFlow and the shim, and returns the reason if they cannot be loaded.
pub fn available() -> Result<(), Failure> {
    shim().map(|_| ())
}

fn load() -> Result<Functions, Failure> {
    let failed = |error: libloading::Error| Failure::new(error.to_string());
    let version = tensorflow::load()?.version();
    let path = beside(SHIM);
    // SAFETY: loading registers an operation and its kernel with TensorFlow, which is loaded.
    let library = unsafe { Library::new(&path) }.map_err(failed)?;
    // The shim is never unloaded: TensorFlow keeps its kernel.
    let functions = Functions::load(Box::leak(Box::new(library))).map_err(failed)?;
    // SAFETY: the shim's constant string.
    let its_version = unsafe { CStr::from_ptr((functions.version)()) };
    if its_version.to_bytes() == version.as_bytes() {
        return Ok(functions);
    }
    let its_version = its_version.to_string_lossy();
    let path = path.display();
    Err(Failure::new(format!(
        "'{path}' was compiled for TensorFlow {its_version}, but TensorFlow {version} is loaded"
    )))
}

/// A channel of one start of a program.
pub struct Channel {
    functions: &'static Functions,
    raw: *mut RawChannel,
    _counted: Counted,
}

// SAFETY: the shim guards a channel with a lock.
unsafe impl Send for Channel {}
// SAFETY: as above.
unsafe impl Sync for Channel {}

impl Channel {
    /// Creates an empty channel; `None` without the shim.
    pub fn new(dtype: DType, capacity: usize) -> Option<Self> {
        let functions = shim().ok()?;
        Some(Channel {
            functions,
            // SAFETY: the function takes any numbers.
            raw: unsafe { (functions.new)(dtype.tensorflow(), capacity.max(1)) },
            _counted: Counted::new(&CHANNELS),
        })
    }

    /// Returns the channel's address, which the graph is fed.
    pub fn address(&self) -> Tensor {
        Tensor::scalar(self.raw as i64)
    }

    /// Sends a value. If the channel is full, calls `waiting` with the function that blocks.
    pub fn send(
        &self,
        tensor: &Tensor,
        waiting: impl FnOnce(&dyn Fn() -> Tried<(), ()>) -> Tried<(), ()>,
    ) -> Result<Tried<(), ()>, Status> {
        injection::point("exchange").map_err(tensorflow::status)?;
        let value = tensorflow::lend(tensor)?;
        // SAFETY: the channel and the tensor live through the call; the shim counts its own use of
        // the elements.
        let send = |wait| tried(unsafe { (self.functions.send)(self.raw, value.as_raw(), wait) });
        Ok(match send(false) {
            Tried::MustWait(()) => waiting(&|| send(true)),
            done => done,
        })
    }

    /// Receives the next value. If the channel is empty, calls `waiting` with the function that
    /// blocks.
    pub fn receive(
        &self,
        waiting: impl FnOnce(&mut dyn FnMut() -> Tried<(), ()>) -> Tried<(), ()>,
    ) -> Result<Tried<Tensor, ()>, Status> {
        injection::point("exchange").map_err(tensorflow::status)?;
        let mut raw = null_mut();
        // SAFETY: the channel and the place for the tensor live through the call.
        let mut receive =
            |wait| tried(unsafe { (self.functions.receive)(self.raw, &mut raw, wait) });
        let done = match receive(false) {
            Tried::MustWait(()) => waiting(&mut || receive(true)),
            done => done,
        };
        Ok(match done {
            Tried::Done(()) => {
                let library = tensorflow::load().map_err(tensorflow::status)?;
                // SAFETY: the shim transfers the tensor, and other users only read it.
                let value = unsafe { tfx_tensorflow::Tensor::from_raw(library, raw) };
                Tried::Done(tensorflow::receive(value)?)
            }
            Tried::MustWait(()) => Tried::MustWait(()),
            Tried::Closed => Tried::Closed,
        })
    }

    /// Ends sending, and wakes the host's threads that wait; `discard` ends receiving as well.
    pub fn close(&self, discard: bool) {
        // SAFETY: the channel lives.
        unsafe { (self.functions.close)(self.raw, discard) }
    }

    /// Returns how often the graph waited, and how long.
    pub fn waits(&self) -> (u64, Duration) {
        let (mut times, mut nanoseconds) = (0, 0);
        // SAFETY: the channel and the two places live through the call.
        unsafe { (self.functions.waits)(self.raw, &mut times, &mut nanoseconds) };
        (times, Duration::from_nanos(nanoseconds))
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        // SAFETY: created by `new`; the shim counts the graph's own use of the channel.
        unsafe { (self.functions.delete)(self.raw) }
    }
}

/// Returns the shim's number as a [`Tried`].
fn tried(number: c_int) -> Tried<(), ()> {
    match number {
        0 => Tried::Done(()),
        1 => Tried::MustWait(()),
        _ => Tried::Closed,
    }
}
