//! Queues in host code: `docs/program-image.md`, section 4.
//!
//! The handle of a queue is a number, not an address, so a use of a closed queue is detected.

use std::{
    collections::HashMap,
    ffi::c_char,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use super::{
    abi_tensor::TfxTensor,
    guard::{fail, guarded, slice, text},
};
use crate::{activation, failure::Failure, queue::Queue};

/// A queue of results that a thread computes ahead. Opaque to C.
pub struct TfxQueue {
    _opaque: [u8; 0],
}

/// The function that a queue calls: borrows the arguments of the queue, and writes results that the
/// caller owns.
pub type TfxQueueCall =
    Option<unsafe extern "C-unwind" fn(args: *const *mut TfxTensor, results: *mut *mut TfxTensor)>;

/// Owned handles, which may be NULL.
struct Handles(Vec<*mut TfxTensor>);

// SAFETY: any thread may use and release a tensor.
unsafe impl Send for Handles {}

impl Drop for Handles {
    fn drop(&mut self) {
        // SAFETY: each is NULL or an owned handle.
        let release = |&handle: &*mut TfxTensor| unsafe { TfxTensor::release(handle) };
        self.0.iter().for_each(release);
    }
}

type Open = HashMap<usize, Arc<Queue<Handles>>>;

fn open() -> MutexGuard<'static, Open> {
    static OPEN: OnceLock<Mutex<Open>> = OnceLock::new();
    let open = OPEN.get_or_init(Mutex::default);
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An open queue of an activation. Dropping it closes the queue, unless compiled code has done so.
struct OpenQueue(usize);

impl Drop for OpenQueue {
    fn drop(&mut self) {
        let closed = open().remove(&self.0);
        drop(closed);
    }
}

fn closed() -> Failure {
    Failure::new("this queue was closed before")
}

/// Opens a queue: a separate thread repeats the call, and pauses while `depth` results wait. The
/// arguments are borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_queue_open(
    call: TfxQueueCall,
    args: *const *mut TfxTensor,
    num_args: i32,
    num_results: i32,
    depth: i32,
    location: *const c_char,
) -> *mut TfxQueue {
    static HANDLES: AtomicUsize = AtomicUsize::new(1);
    guarded(location, || {
        let call = call.ok_or_else(|| Failure::new("the function of a queue is NULL"))?;
        // SAFETY: the contract promises `num_args` handles.
        let args = unsafe { slice(args, num_args.into()) };
        // SAFETY: the caller holds each handle.
        let retained = args
            .iter()
            .map(|&handle| unsafe { TfxTensor::retain(handle) });
        let args = Handles(retained.collect());
        let count = usize::try_from(num_results).unwrap_or(0);
        let queue = Queue::open(usize::try_from(depth).unwrap_or(1), move || {
            let args = &args;
            let mut results = Handles(vec![std::ptr::null_mut(); count]);
            // SAFETY: the contract promises that the call reads `num_args` arguments and writes
            // `num_results` results.
            unsafe { call(args.0.as_ptr(), results.0.as_mut_ptr()) };
            Ok(results)
        })?;
        let handle = HANDLES.fetch_add(1, Relaxed);
        open().insert(handle, Arc::new(queue));
        if let Some(activation) = activation::current() {
            activation.open(handle, OpenQueue(handle));
        }
        Ok(std::ptr::without_provenance_mut(handle))
    })
}

/// Waits for the results of the next call, and writes them; the caller owns them. A failed call
/// ends the process here, as it does without the queue.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_queue_next(
    queue: *mut TfxQueue,
    results: *mut *mut TfxTensor,
    location: *const c_char,
) {
    guarded(location, || {
        let found = open().get(&queue.addr()).cloned().ok_or_else(closed)?;
        match found.next() {
            Ok(mut taken) => {
                for (index, handle) in std::mem::take(&mut taken.0).into_iter().enumerate() {
                    // SAFETY: the contract promises a place for each result.
                    unsafe { results.add(index).write(handle) };
                }
                Ok(())
            }
            Err(failure) => {
                // SAFETY: the contract promises a string or NULL.
                let location = unsafe { text(location) };
                let note = "the result of the call is taken here";
                fail(&failure.note(location.as_deref(), note))
            }
        }
    })
}

/// Closes a queue: waits for the end of its thread, and releases the results that were not taken.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_queue_close(queue: *mut TfxQueue, location: *const c_char) {
    guarded(location, || {
        let closed = open().remove(&queue.addr()).ok_or_else(closed)?;
        if let Some(activation) = activation::current() {
            activation.close(queue.addr());
        }
        drop(closed);
        Ok(())
    })
}
