//! The driver below the executor: the order of commands, and errors of devices.

use std::ffi::c_void;

use libloading::Library;
use tfx_cuda::driver::{Context, DeviceMemory, Driver, Event, Module, PinnedMemory, Stream};

use crate::support::Fake;

const COUNT: u32 = 1000;
const BYTES: u64 = 4 * COUNT as u64;
const SEEDS: u64 = 40;

/// Doubles words of four bytes.
pub(crate) const DOUBLE: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry double(.param .u64 from, .param .u64 to)
{
    .reg .pred %p<1>;
    .reg .b32 %r<5>;
    .reg .b64 %a<3>;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mad.lo.u32 %r3, %r1, %r2, %r0;
    setp.ge.u32 %p0, %r3, 1000;
    @%p0 bra END;
    ld.param.u64 %a0, [from];
    ld.param.u64 %a1, [to];
    mul.wide.u32 %a2, %r3, 4;
    add.u64 %a0, %a0, %a2;
    add.u64 %a1, %a1, %a2;
    ld.global.u32 %r4, [%a0];
    add.u32 %r4, %r4, %r4;
    st.global.u32 [%a1], %r4;
END:
    ret;
}
";

/// Uploads on a stream, and doubles on another. Returns whether the result is correct.
fn upload_and_double(driver: &std::sync::Arc<Driver>, has_wait: bool) -> bool {
    let context = Context::new(driver, 0).expect("a device");
    let [first, second] = [0, 1].map(|_| Stream::new(&context).expect("a stream"));
    let [from, to] = [0, 1].map(|_| DeviceMemory::new(&context, BYTES).expect("memory"));
    let [input, output] = [0, 1].map(|_| PinnedMemory::new(&context, BYTES).expect("memory"));
    let double = Module::new(&context, DOUBLE).expect("PTX");
    let double = double.function("double").expect("the entry");
    let numbers = (0..COUNT).flat_map(u32::to_le_bytes);
    let numbers: Vec<u8> = numbers.collect();
    input.write(0, &numbers).expect("in range");
    first
        .upload((&from, 0), (&input, 0), BYTES)
        .expect("a copy");
    let event = Event::new(&context).expect("an event");
    if has_wait {
        first.record(&event).expect("a record");
        second.wait(&event).expect("a wait");
    }
    let blocks = COUNT.div_ceil(256);
    second
        .launch(&double, blocks, &[from.address(), to.address()])
        .expect("a launch");
    second
        .download((&output, 0), (&to, 0), BYTES)
        .expect("a copy");
    second.synchronize().expect("no error");
    let mut bytes = vec![0; numbers.len()];
    output.read(0, &mut bytes).expect("in range");
    context.synchronize().expect("no error");
    let doubled = (0..COUNT).flat_map(|number| (2 * number).to_le_bytes());
    bytes == doubled.collect::<Vec<u8>>()
}

#[test]
fn a_missing_wait_is_wrong_for_some_seed() {
    let fake = Fake::new(1);
    let driver = fake.driver();
    let correct = |has_wait: bool| {
        let seeds = (0..SEEDS).filter(|seed| {
            fake.seed(*seed);
            upload_and_double(&driver, has_wait)
        });
        seeds.count() as u64
    };
    assert_eq!(correct(true), SEEDS);
    let without = correct(false);
    println!("{without} of {SEEDS} orders are right without the wait");
    assert!((1..SEEDS).contains(&without), "{without}");
    fake.assert_empty("after the runs");
}

#[test]
fn a_wait_is_for_the_record_before_it() {
    let fake = Fake::new(1);
    let driver = fake.driver();
    for seed in 0..SEEDS {
        fake.seed(seed);
        let context = Context::new(&driver, 0).expect("a device");
        let [first, second] = [0, 1].map(|_| Stream::new(&context).expect("a stream"));
        let memory = DeviceMemory::new(&context, 8).expect("memory");
        let output = PinnedMemory::new(&context, 8).expect("memory");
        let event = Event::new(&context).expect("an event");
        first.fill8((&memory, 0), 1, 8).expect("a fill");
        first.record(&event).expect("a record");
        second.wait(&event).expect("a wait");
        // The event is recorded again by the stream that waits for it.
        second
            .download((&output, 0), (&memory, 0), 8)
            .expect("a copy");
        second.record(&event).expect("a record");
        first.wait(&event).expect("a wait");
        first.fill8((&memory, 0), 2, 8).expect("a fill");
        context.synchronize().expect("no error");
        let mut bytes = [0; 8];
        output.read(0, &mut bytes).expect("in range");
        assert_eq!(bytes, [1; 8], "{seed}");
    }
}

#[test]
fn a_kernel_beyond_its_memory_makes_the_device_unusable() {
    let fake = Fake::new(2);
    let driver = fake.driver();
    let context = Context::new(&driver, 0).expect("a device");
    let stream = Stream::new(&context).expect("a stream");
    let memory = DeviceMemory::new(&context, BYTES - 4).expect("memory");
    let double = Module::new(&context, DOUBLE).expect("PTX");
    let double = double.function("double").expect("the entry");
    let addresses = [memory.address(); 2];
    let _ = stream.launch(&double, 4, &addresses);
    let error = stream.synchronize().expect_err("an illegal address");
    assert_eq!((error.call, error.code), ("cuStreamSynchronize", 700));
    let error = stream.query().expect_err("the device is unusable");
    assert_eq!(error.name, "CUDA_ERROR_ILLEGAL_ADDRESS");
    assert!(DeviceMemory::new(&context, 8).is_err());
    let other = Context::new(&driver, 1).expect("the other device");
    let memory = DeviceMemory::new(&other, 8).expect("memory of the other device");
    let stream = Stream::new(&other).expect("a stream of the other device");
    stream.fill8((&memory, 0), 1, 8).expect("a fill");
    assert_eq!(stream.synchronize(), Ok(()));
    let double = Module::new(&other, DOUBLE).expect("PTX");
    let double = double.function("double").expect("the entry");
    let host = [0u64; 8];
    let _ = stream.launch(&double, 1, &[host.as_ptr().addr() as u64; 2]);
    let error = stream.synchronize().expect_err("an address of the host");
    assert_eq!(error.code, 700);
}

#[test]
fn invalid_ranges_are_errors_before_the_call() {
    let fake = Fake::new(1);
    let driver = fake.driver();
    let context = Context::new(&driver, 0).expect("a device");
    let stream = Stream::new(&context).expect("a stream");
    let memory = DeviceMemory::new(&context, 8).expect("memory");
    let pinned = PinnedMemory::new(&context, 8).expect("memory");
    for (start, bytes) in [(0, 9), (8, 1), (u64::MAX, 2)] {
        assert!(
            stream
                .upload((&memory, start), (&pinned, 0), bytes)
                .is_err()
        );
        assert!(
            stream
                .download((&pinned, start), (&memory, 0), bytes)
                .is_err()
        );
        assert!(stream.fill8((&memory, start), 0, bytes).is_err());
    }
    assert!(stream.fill32((&memory, 4), 0, 2).is_err());
    assert!(pinned.write(4, &[0; 5]).is_err());
    assert!(pinned.read(9, &mut []).is_err());
    let error = stream
        .fill16((&memory, 1), 0, 2)
        .expect_err("an odd address");
    assert_eq!(
        error.to_string(),
        "cuMemsetD16Async failed: CUDA_ERROR_INVALID_VALUE (invalid argument)"
    );
    assert_eq!(fake.count("cuMemcpyHtoDAsync"), 0);
}

/// Copies a pageable array to a device and changes it at once. Returns the first byte on the
/// device.
fn copy_pageable(library: &Library) -> u8 {
    type Copy = unsafe extern "C" fn(u64, *const c_void, usize, usize) -> i32;
    type Back = unsafe extern "C" fn(*mut c_void, u64, usize, usize) -> i32;
    let mut bytes = [1u8; 64];
    let mut back = [0u8; 64];
    let (mut context, mut stream, mut memory) = (0usize, 0usize, 0u64);
    // SAFETY: the functions have these signatures, and the arrays live until the stream is
    // complete.
    unsafe {
        let init = library
            .get::<unsafe extern "C" fn(u32) -> i32>(b"cuInit")
            .expect("it");
        let retain = library
            .get::<unsafe extern "C" fn(*mut usize, i32) -> i32>(b"cuDevicePrimaryCtxRetain")
            .expect("it");
        let set = library
            .get::<unsafe extern "C" fn(usize) -> i32>(b"cuCtxSetCurrent")
            .expect("it");
        let create = library
            .get::<unsafe extern "C" fn(*mut usize, u32) -> i32>(b"cuStreamCreate")
            .expect("it");
        let allocate = library
            .get::<unsafe extern "C" fn(*mut u64, usize) -> i32>(b"cuMemAlloc_v2")
            .expect("it");
        let copy = library.get::<Copy>(b"cuMemcpyHtoDAsync_v2").expect("it");
        let copy_back = library.get::<Back>(b"cuMemcpyDtoHAsync_v2").expect("it");
        let wait = library
            .get::<unsafe extern "C" fn(usize) -> i32>(b"cuStreamSynchronize")
            .expect("it");
        let results = [
            init(0),
            retain(&raw mut context, 0),
            set(context),
            create(&raw mut stream, 1),
            allocate(&raw mut memory, 64),
            copy(memory, bytes.as_ptr().cast(), 64, stream),
        ];
        assert_eq!(results, [0; 6]);
        bytes.fill(2);
        assert_eq!(copy_back(back.as_mut_ptr().cast(), memory, 64, stream), 0);
        assert_eq!(wait(stream), 0);
    }
    back[0]
}

#[test]
fn pageable_memory_is_read_late_and_staged_memory_is_not() {
    let fake = Fake::new(1);
    // SAFETY: the initializers of the library have no preconditions.
    let library = unsafe { Library::new(&fake.file) }.expect("the library");
    let late = (0..SEEDS).filter(|seed| {
        fake.seed(*seed);
        copy_pageable(&library) == 2
    });
    let late = late.count() as u64;
    println!("{late} of {SEEDS} copies read pageable memory late");
    assert!((1..SEEDS).contains(&late), "{late}");
    let driver = fake.driver();
    for seed in 0..SEEDS {
        fake.seed(seed);
        let context = Context::new(&driver, 0).expect("a device");
        let stream = Stream::new(&context).expect("a stream");
        let memory = DeviceMemory::new(&context, 64).expect("memory");
        let [staging, output] = [0, 1].map(|_| PinnedMemory::new(&context, 64).expect("memory"));
        let mut bytes = [1u8; 64];
        staging.write(0, &bytes).expect("in range");
        stream
            .upload((&memory, 0), (&staging, 0), 64)
            .expect("a copy");
        bytes.fill(2);
        stream
            .download((&output, 0), (&memory, 0), 64)
            .expect("a copy");
        stream.synchronize().expect("no error");
        output.read(0, &mut bytes).expect("in range");
        assert_eq!(bytes, [1; 64], "{seed}");
    }
}
