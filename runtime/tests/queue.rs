//! Queues of results that a thread computes ahead: order, depth, closing, and failing calls.

use std::{
    ptr::{null, null_mut},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use tfx_runtime::Failure;
use tfx_runtime::ffi::{abi_queue::*, abi_tensor::*};
use tfx_runtime::queue::Queue;

/// Enough time for a thread with a bug to show it, on an idle machine.
const MOMENT: Duration = Duration::from_millis(30);
/// Far more time than a thread needs for a test.
const LONG: Duration = Duration::from_secs(20);

/// Returns a queue of 0, 1, 2, ... and the number of started calls.
fn numbers(depth: usize) -> (Queue<usize>, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let queue = Queue::open(depth, move || Ok(counted.fetch_add(1, SeqCst)));
    (queue.expect("it opens"), calls)
}

fn wait_until(mut holds: impl FnMut() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < LONG, "it never holds");
        thread::yield_now();
    }
}

#[test]
fn results_come_in_order() {
    let (queue, _) = numbers(3);
    for number in 0..10_000 {
        assert_eq!(queue.next(), Ok(number));
    }
    queue.close();
}

#[test]
fn the_depth_limits_the_calls() {
    for depth in 1..4 {
        let (queue, calls) = numbers(depth);
        for taken in 0..5 {
            wait_until(|| calls.load(SeqCst) == taken + depth);
            thread::sleep(MOMENT);
            assert_eq!(calls.load(SeqCst), taken + depth);
            assert_eq!(queue.next(), Ok(taken));
        }
        queue.close();
    }
}

#[test]
fn a_full_queue_closes_and_drops_its_results() {
    let alive = Arc::new(());
    let given = Arc::clone(&alive);
    let queue = Queue::open(2, move || Ok(Arc::clone(&given))).expect("it opens");
    wait_until(|| Arc::strong_count(&alive) == 4);
    queue.close();
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[test]
fn an_empty_queue_closes_after_the_running_call() {
    let (go, wait) = mpsc::channel::<()>();
    let ended = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&ended);
    let begun = Arc::new(AtomicUsize::new(0));
    let began = Arc::clone(&begun);
    let queue = Queue::open(2, move || {
        began.fetch_add(1, SeqCst);
        let _ = wait.recv();
        Ok(counted.fetch_add(1, SeqCst))
    });
    let queue = queue.expect("it opens");
    wait_until(|| begun.load(SeqCst) == 1);
    let closes = Arc::clone(&begun);
    let closing = thread::spawn(move || {
        closes.fetch_add(1, SeqCst);
        queue.close();
    });
    wait_until(|| begun.load(SeqCst) == 2);
    thread::sleep(MOMENT);
    assert!(!closing.is_finished(), "the call still runs");
    go.send(()).expect("the call waits");
    drop(go);
    closing.join().expect("it closes");
    assert_eq!(ended.load(SeqCst), 1, "no other call starts");
}

#[test]
fn next_waits_for_the_call() {
    let (go, wait) = mpsc::channel::<usize>();
    let wait = Mutex::new(wait);
    let queue = Queue::open(1, move || {
        let next = wait.lock().map(|wait| wait.recv());
        Ok(next.ok().and_then(Result::ok).unwrap_or_default())
    });
    let queue = Arc::new(queue.expect("it opens"));
    let taker = Arc::clone(&queue);
    let taking = thread::spawn(move || taker.next());
    thread::sleep(MOMENT);
    assert!(!taking.is_finished(), "there is nothing to take");
    go.send(7).expect("the call waits");
    assert_eq!(taking.join().expect("it takes"), Ok(7));
    drop(go);
}

#[test]
fn a_failure_takes_the_place_of_its_result() {
    let mut calls = 0;
    let queue = Queue::open(2, move || {
        calls += 1;
        match calls {
            3 => Err(Failure::new("no more data")),
            _ => Ok(calls),
        }
    });
    let queue = queue.expect("it opens");
    assert_eq!(queue.next(), Ok(1));
    thread::sleep(MOMENT);
    assert_eq!(queue.next(), Ok(2), "results before it are taken first");
    assert_eq!(queue.next(), Err(Failure::new("no more data")));
    assert_eq!(queue.next(), Err(Failure::new("no more data")));
    queue.close();
}

#[test]
fn a_failure_that_is_not_taken_is_ignored() {
    let queue = Queue::<()>::open(2, || Err(Failure::new("no data"))).expect("it opens");
    thread::sleep(MOMENT);
    queue.close();
}

#[test]
fn a_panic_is_a_failure() {
    let queue = Queue::<()>::open(1, || panic!("out of luck")).expect("it opens");
    let failure = queue.next().expect_err("it panics");
    assert!(failure.message.contains("out of luck"), "{failure}");
}

/// Returns twice the argument, and the number of calls.
unsafe extern "C-unwind" fn twice(args: *const *mut TfxTensor, results: *mut *mut TfxTensor) {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    // SAFETY: the queue is opened with one argument and two results.
    unsafe {
        results.write(tfx_scalar_f32(2.0 * tfx_item_f32(*args)));
        let calls = CALLS.fetch_add(1, SeqCst);
        results.add(1).write(tfx_scalar_i32(calls as i32));
    }
}

// A single test, since it counts the tensors of the whole process.
#[test]
fn compiled_code_owns_the_results() {
    // SAFETY: arguments are borrowed, results are owned.
    unsafe {
        let argument = tfx_scalar_f32(1.5);
        let queue = tfx_queue_open(Some(twice), &raw const argument, 1, 2, 3, null());
        tfx_tensor_release(argument);
        for call in 0..100 {
            let mut results = [null_mut(); 2];
            tfx_queue_next(queue, results.as_mut_ptr(), null());
            let [double, number] = results;
            assert_eq!((tfx_item_f32(double), tfx_item_i32(number)), (3.0, call));
            tfx_tensor_release(double);
            tfx_tensor_release(number);
        }
        tfx_queue_close(queue, null());
        assert_eq!(tfx_runtime::ffi::abi_box::tfx_tensors_alive(), 0);
    }
}
