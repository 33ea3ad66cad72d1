//! Channels between a graph on TensorFlow and its host, without a run of the session for each message: the functions of `runtime/shim/channels.cpp`.
//!
//! The shim is C++ against TensorFlow's own headers, so it is used with the very TensorFlow that it was compiled for, and with no other. It lies beside
//! TensorFlow's library, where `scripts/setup tensorflow` puts it.
//!
//! Contract of the unsafe code: a channel lives until [`Channel`] is dropped, which is after the run of the session that was fed its address; tensors that are
//! sent are lent as those that are fed are, and tensors that are received are ours.

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    ptr::null_mut,
    sync::OnceLock,
    time::Duration,
};

use libloading::Library;
use tfx_channel::Tried;
use tfx_graphdef::{c_functions, library::beside, opaque};
use tfx_interpreter::{DType, Tensor};

use super::tensorflow::{CHANNELS, Counted, Status, Value, version};
use crate::fault;

/// The file of the shim.
const SHIM: &str = "libtfx_channels.so";

opaque!(RawChannel);

c_functions! {
    tensorflow = "tfx_channels_tensorflow": fn() -> *const c_char;
    new = "tfx_channel_new": fn(c_int, usize) -> *mut RawChannel;
    delete = "tfx_channel_delete": fn(*mut RawChannel);
    send = "tfx_channel_send": fn(*mut RawChannel, *mut c_void, bool) -> c_int;
    receive = "tfx_channel_receive": fn(*mut RawChannel, *mut *mut c_void, bool) -> c_int;
    close = "tfx_channel_close": fn(*mut RawChannel, bool);
    waits = "tfx_channel_waits": fn(*mut RawChannel, *mut u64, *mut u64);
}

/// The functions of the shim, found and loaded at the first call; or why there are none.
fn shim() -> Result<&'static Functions, &'static str> {
    static LOADED: OnceLock<Result<Functions, String>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(String::as_str)
}

/// Whether there are such channels in this process, or why not; loads TensorFlow and the shim.
pub fn available() -> Result<(), &'static str> {
    shim().map(|_| ())
}

fn load() -> Result<Functions, String> {
    let version = version().map_err(|failure| failure.message)?;
    let path = beside(SHIM);
    // SAFETY: loading registers an operation and its kernel with TensorFlow, which is loaded.
    let library = unsafe { Library::new(&path) }.map_err(|error| error.to_string())?;
    // It is never unloaded: TensorFlow has its kernel.
    let functions = Functions::load(Box::leak(Box::new(library)));
    let functions = functions.map_err(|error| error.to_string())?;
    // SAFETY: the string is the shim's, and ends with a zero.
    let its_version = unsafe { CStr::from_ptr((functions.tensorflow)()) };
    if its_version.to_bytes() == version.as_bytes() {
        return Ok(functions);
    }
    let its_version = its_version.to_string_lossy();
    let path = path.display();
    Err(format!(
        "'{path}' was made for TensorFlow {its_version}, and this is TensorFlow {version}"
    ))
}

/// A channel of one start of a program.
pub struct Channel {
    functions: &'static Functions,
    raw: *mut RawChannel,
    _counted: Counted,
}

// SAFETY: the shim guards a channel with a lock of its own.
unsafe impl Send for Channel {}
// SAFETY: as above.
unsafe impl Sync for Channel {}

impl Channel {
    /// An empty channel; `None` where there is no shim.
    pub fn new(dtype: DType, capacity: usize) -> Option<Self> {
        let functions = shim().ok()?;
        Some(Channel {
            functions,
            // SAFETY: it needs nothing.
            raw: unsafe { (functions.new)(dtype.tensorflow(), capacity.max(1)) },
            _counted: Counted::new(&CHANNELS),
        })
    }

    /// What the graph is given, that it finds the channel.
    pub fn address(&self) -> Tensor {
        Tensor::scalar(self.raw as i64)
    }

    /// Sends a value; where there is no room, `waiting` is given what waits.
    pub fn send(
        &self,
        tensor: &Tensor,
        waiting: impl FnOnce(&dyn Fn() -> Tried<(), ()>) -> Tried<(), ()>,
    ) -> Result<Tried<(), ()>, Status> {
        fault::point("exchange").map_err(super::tensorflow::on_purpose)?;
        let value = Value::lend(tensor)?;
        // SAFETY: the channel lives, and so does the tensor, whose elements the shim counts as its own from then on.
        let send = |wait| tried(unsafe { (self.functions.send)(self.raw, value.raw(), wait) });
        Ok(match send(false) {
            Tried::MustWait(()) => waiting(&|| send(true)),
            done => done,
        })
    }

    /// The next value; where there is none, `waiting` is given what waits.
    pub fn receive(
        &self,
        waiting: impl FnOnce(&mut dyn FnMut() -> Tried<(), ()>) -> Tried<(), ()>,
    ) -> Result<Tried<Tensor, ()>, Status> {
        fault::point("exchange").map_err(super::tensorflow::on_purpose)?;
        let mut raw = null_mut();
        // SAFETY: the channel lives, and the place is there for what is received.
        let mut receive =
            |wait| tried(unsafe { (self.functions.receive)(self.raw, &mut raw, wait) });
        let done = match receive(false) {
            Tried::MustWait(()) => waiting(&mut || receive(true)),
            done => done,
        };
        Ok(match done {
            // SAFETY: the tensor was made for us.
            Tried::Done(()) => Tried::Done(unsafe { Value::received(raw) }?.tensor()?),
            Tried::MustWait(()) => Tried::MustWait(()),
            Tried::Closed => Tried::Closed,
        })
    }

    /// Takes nothing more from now on, and wakes the host's threads that wait; to `discard` it is to give nothing more, either.
    pub fn close(&self, discard: bool) {
        // SAFETY: the channel lives.
        unsafe { (self.functions.close)(self.raw, discard) }
    }

    /// How often the graph waited, and how long.
    pub fn waits(&self) -> (u64, Duration) {
        let (mut times, mut nanoseconds) = (0, 0);
        // SAFETY: the channel lives, and so do the two places.
        unsafe { (self.functions.waits)(self.raw, &mut times, &mut nanoseconds) };
        (times, Duration::from_nanos(nanoseconds))
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        // SAFETY: made by `new`; what the graph still has of it, it counts itself.
        unsafe { (self.functions.delete)(self.raw) }
    }
}

/// `Tried` of the shim.
fn tried(number: c_int) -> Tried<(), ()> {
    match number {
        0 => Tried::Done(()),
        1 => Tried::MustWait(()),
        _ => Tried::Closed,
    }
}
