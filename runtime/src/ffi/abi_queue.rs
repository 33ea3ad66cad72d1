//! Queues in host code: `docs/program-image.md`, section 4.
//!
//! The handle of a queue is a number, and no address: what uses one that was closed is told so.

use std::{
    collections::HashMap,
    ffi::c_char,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use super::{
    abi_tensor::{TfxTensor, tfx_tensor_release, tfx_tensor_retain},
    fail, guarded, slice, text,
};
use crate::{failure::Failure, queue::Queue};

/// A queue of results that a thread computes ahead. Opaque to C.
pub struct TfxQueue {
    _opaque: [u8; 0],
}

/// One call: takes as many arguments as the queue was opened with, which stay the queue's, and writes the results, which the caller owns.
pub type TfxQueueCall =
    Option<unsafe extern "C" fn(args: *const *mut TfxTensor, results: *mut *mut TfxTensor)>;

/// Tensors that are released together.
struct Handles(Vec<*mut TfxTensor>);

// SAFETY: a tensor may be used and released on any thread.
unsafe impl Send for Handles {}

impl Drop for Handles {
    fn drop(&mut self) {
        // SAFETY: each is NULL or a handle that is owned.
        let release = |&handle: &*mut TfxTensor| unsafe { tfx_tensor_release(handle) };
        self.0.iter().for_each(release);
    }
}

type Open = HashMap<usize, Arc<Queue<Handles>>>;

fn open() -> MutexGuard<'static, Open> {
    static OPEN: OnceLock<Mutex<Open>> = OnceLock::new();
    let open = OPEN.get_or_init(Mutex::default);
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

fn closed() -> Failure {
    Failure::new("a queue is used that was closed before")
}

/// Opens a queue: a thread of its own makes the call again and again, and pauses while `depth` results wait. The arguments stay the caller's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_queue_open(
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
        // SAFETY: the contract promises so many handles.
        let args = unsafe { slice(args, num_args.into()) };
        // SAFETY: each of them is a handle that the caller holds.
        let retained = args
            .iter()
            .map(|&handle| unsafe { tfx_tensor_retain(handle) });
        let args = Handles(retained.collect());
        let count = usize::try_from(num_results).unwrap_or(0);
        let queue = Queue::open(usize::try_from(depth).unwrap_or(1), move || {
            let args = &args;
            let mut results = Handles(vec![std::ptr::null_mut(); count]);
            // SAFETY: the contract promises that the call reads so many arguments and writes so many results.
            unsafe { call(args.0.as_ptr(), results.0.as_mut_ptr()) };
            Ok(results)
        })?;
        let handle = HANDLES.fetch_add(1, Relaxed);
        open().insert(handle, Arc::new(queue));
        Ok(std::ptr::without_provenance_mut(handle))
    })
}

/// Writes the results of the next call, which the caller owns; waits for it. A call that failed ends the process here, as it would have without the queue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_queue_next(
    queue: *mut TfxQueue,
    results: *mut *mut TfxTensor,
    location: *const c_char,
) {
    guarded(location, || {
        let found = open().get(&queue.addr()).cloned().ok_or_else(closed)?;
        match found.next() {
            Ok(mut taken) => {
                for (index, handle) in std::mem::take(&mut taken.0).into_iter().enumerate() {
                    // SAFETY: the contract promises room for every result.
                    unsafe { results.add(index).write(handle) };
                }
                Ok(())
            }
            Err(failure) => {
                // SAFETY: the contract promises a text or NULL.
                let location = unsafe { text(location) };
                let note = "the result of that call is taken here";
                fail(&failure.note(location.as_deref(), note))
            }
        }
    })
}

/// Closes a queue: waits until its thread has ended, and releases the results that nobody took.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_queue_close(queue: *mut TfxQueue, location: *const c_char) {
    guarded(location, || {
        let closed = open().remove(&queue.addr()).ok_or_else(closed)?;
        drop(closed);
        Ok(())
    })
}
