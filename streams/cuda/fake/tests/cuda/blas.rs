//! The cuBLAS of the fake driver: the rules of the library, and workspaces.

use std::sync::Arc;

use libloading::{Library, Symbol};
use tfx_cuda::ProductElement;
use tfx_cuda::driver::{Blas, BlasHandle, Context, DeviceMemory, Driver, Stream};

use crate::products::{SEEDS, blas, product};
use crate::support::Fake;

/// Issues a product on each of two streams. Returns whether both are computed.
fn both_run(driver: &Arc<Driver>, blas: &Arc<Blas>, is_shared: bool) -> bool {
    let context = Context::new(driver, 0).expect("a device");
    let product = product(ProductElement::F64, [1, 4, 4, 4], [false, false], 0);
    let memory = || DeviceMemory::new(&context, 128).expect("memory");
    let workspaces = [0, 1].map(|_| DeviceMemory::new(&context, 4096).expect("memory"));
    let streams = [0, 1].map(|_| Stream::new(&context).expect("a stream"));
    let mut handle = BlasHandle::new(blas, &context).expect("a handle");
    let mut used = Vec::new();
    for (index, stream) in streams.iter().enumerate() {
        let workspace = &workspaces[if is_shared { 0 } else { index }];
        handle.set_stream(stream, workspace).expect("a stream");
        let matrices = [memory(), memory(), memory()];
        let addresses = [0, 1, 2].map(|matrix| matrices[matrix].address());
        // A launch may already fail that is issued after the first product has failed.
        let _ = handle.multiply(&product, addresses);
        used.extend(matrices);
    }
    let is_complete = streams.iter().all(|stream| stream.synchronize().is_ok());
    drop((used, streams));
    is_complete
}

#[test]
fn a_shared_workspace_fails_for_some_seed() {
    let mut failed = 0;
    for seed in 0..SEEDS {
        let fake = Fake::new(1);
        fake.seed(seed);
        assert!(both_run(&fake.driver(), &blas(&fake), false), "{seed}");
        failed += u64::from(!both_run(&fake.driver(), &blas(&fake), true));
    }
    println!("{failed} of {SEEDS} orders find the shared workspace");
    assert!((1..=SEEDS).contains(&failed), "{failed}");
}

type Gemm = unsafe extern "C" fn(
    usize,
    i32,
    i32,
    i32,
    i32,
    i32,
    *const f32,
    *const f32,
    i32,
    i64,
    *const f32,
    i32,
    i64,
    *const f32,
    *mut f32,
    i32,
    i64,
    i32,
) -> i32;

/// The arguments of a call; the addresses are those of the operands in memory.
#[derive(Clone, Copy)]
struct Arguments {
    operations: [i32; 2],
    sizes: [i32; 3],
    leading: [i32; 3],
    strides: [i64; 3],
    addresses: [u64; 3],
    has_scalars: bool,
    batch: i32,
}

/// Returns a function of a library.
///
/// # Safety
///
/// The function has this type.
unsafe fn function<'l, T>(library: &'l Library, name: &str) -> Symbol<'l, T> {
    // SAFETY: by the contract.
    unsafe { library.get::<T>(name.as_bytes()) }.expect("the function")
}

/// Calls the product of a handle.
fn call(gemm: Gemm, handle: usize, arguments: Arguments) -> i32 {
    let scalar = 1f32;
    let scalar = match arguments.has_scalars {
        true => &raw const scalar,
        false => std::ptr::null(),
    };
    let [a, b, c] = arguments.addresses.map(|address| {
        std::ptr::without_provenance_mut::<f32>(usize::try_from(address).expect("an address"))
    });
    let ([first, second], [m, n, k]) = (arguments.operations, arguments.sizes);
    let ([lda, ldb, ldc], [sa, sb, sc]) = (arguments.leading, arguments.strides);
    let batch = arguments.batch;
    // SAFETY: the function has this signature, and the scalars are valid for the call.
    unsafe {
        gemm(
            handle, first, second, m, n, k, scalar, a, lda, sa, b, ldb, sb, scalar, c, ldc, sc,
            batch,
        )
    }
}

#[test]
fn the_fake_checks_what_the_library_requires() {
    let fake = Fake::new(2);
    let driver = fake.driver();
    let [context, other] = [0, 1].map(|device| Context::new(&driver, device).expect("a device"));
    let workspace = DeviceMemory::new(&context, 4096).expect("memory");
    let memory = DeviceMemory::new(&context, 3 * 256).expect("memory");
    // SAFETY: the initializers of the library have no preconditions.
    let library = unsafe { Library::new(&fake.file) }.expect("the library");
    // SAFETY: the functions have these signatures, with an address for a pointer.
    let (gemm, create_stream, create, set_stream, set_workspace, set_mode) = unsafe {
        type Create = unsafe extern "C" fn(*mut usize) -> i32;
        type CreateStream = unsafe extern "C" fn(*mut usize, u32) -> i32;
        type SetStream = unsafe extern "C" fn(usize, usize) -> i32;
        type SetWorkspace = unsafe extern "C" fn(usize, u64, usize) -> i32;
        type SetMode = unsafe extern "C" fn(usize, i32) -> i32;
        (
            *function::<Gemm>(&library, "cublasSgemmStridedBatched"),
            function::<CreateStream>(&library, "cuStreamCreate"),
            function::<Create>(&library, "cublasCreate_v2"),
            function::<SetStream>(&library, "cublasSetStream_v2"),
            function::<SetWorkspace>(&library, "cublasSetWorkspace_v2"),
            function::<SetMode>(&library, "cublasSetMathMode"),
        )
    };
    let (mut handle, mut stream, mut foreign) = (0, 0, 0);
    let start = memory.address();
    let correct = Arguments {
        operations: [0, 1],
        sizes: [2, 3, 4],
        leading: [2, 3, 2],
        strides: [8, 12, 6],
        addresses: [start, start + 256, start + 512],
        has_scalars: true,
        batch: 2,
    };
    // SAFETY: the pointers are valid for the calls.
    unsafe {
        other.synchronize().expect("the context is current now");
        assert_eq!(create_stream(&raw mut foreign, 1), 0);
        context.synchronize().expect("the context is current now");
        assert_eq!(create_stream(&raw mut stream, 1), 0);
        assert_eq!(create(std::ptr::null_mut()), 7);
        assert_eq!(create(&raw mut handle), 0);
        assert_eq!(call(gemm, handle, correct), 15, "no stream");
        assert_eq!(set_stream(handle, 1), 7, "no such stream");
        assert_eq!(set_stream(1, stream), 1, "no such handle");
        assert_eq!(set_stream(handle, foreign), 7, "another device");
        assert_eq!(set_stream(handle, stream), 0);
        assert_eq!(set_workspace(handle, workspace.address(), 4096), 0);
        let unaligned = set_workspace(handle, workspace.address() + 8, 4088);
        assert_eq!(unaligned, 7);
        assert_eq!(set_workspace(handle, workspace.address(), 4097), 7);
        assert_eq!(set_mode(handle, 0), 0);
        assert_eq!(set_mode(handle, 3), 15, "TF32");
    }
    assert_eq!(call(gemm, 1, correct), 1, "no such handle");
    assert_eq!(call(gemm, handle, correct), 0);
    type Change = fn(&mut Arguments);
    let wrong: [(&str, Change); 15] = [
        ("an operation", |it| it.operations[0] = 3),
        ("no rows", |it| it.sizes[0] = 0),
        ("rows below zero", |it| it.sizes[0] = -1),
        ("columns below zero", |it| it.sizes[1] = -1),
        ("steps below zero", |it| it.sizes[2] = -1),
        ("no batch", |it| it.batch = 0),
        ("rows of a", |it| it.leading[0] = 1),
        ("rows of the transposed b", |it| it.leading[1] = 2),
        ("rows of c", |it| it.leading[2] = 1),
        ("results that overlap", |it| it.strides[2] = 5),
        ("a stride below zero", |it| it.strides[0] = -8),
        ("no address", |it| it.addresses[1] = 0),
        ("alignment", |it| it.addresses[1] += 2),
        ("the result is a factor", |it| {
            it.addresses[2] = it.addresses[0];
        }),
        ("no scalars", |it| it.has_scalars = false),
    ];
    for (name, change) in wrong {
        let mut arguments = correct;
        change(&mut arguments);
        assert_eq!(call(gemm, handle, arguments), 7, "{name}");
    }
    context.synchronize().expect("one correct product");
    // An address of no memory is found when the product runs.
    let mut arguments = correct;
    arguments.addresses[0] = start + (1 << 30);
    call(gemm, handle, arguments);
    let error = context.synchronize().expect_err("an illegal address");
    assert_eq!(error.code, 700);
}

#[test]
fn a_handle_has_streams_and_workspaces_of_its_device() {
    let fake = Fake::new(2);
    let driver = fake.driver();
    let contexts = [0, 1].map(|device| Context::new(&driver, device).expect("a device"));
    let streams = contexts
        .each_ref()
        .map(|it| Stream::new(it).expect("a stream"));
    let memory = contexts
        .each_ref()
        .map(|it| DeviceMemory::new(it, 4096).expect("memory"));
    let mut handle = BlasHandle::new(&blas(&fake), &contexts[0]).expect("a handle");
    assert!(handle.set_stream(&streams[1], &memory[0]).is_err());
    assert!(handle.set_stream(&streams[0], &memory[1]).is_err());
    assert_eq!(handle.set_stream(&streams[0], &memory[0]), Ok(()));
    assert_eq!(fake.count("cublasSetStream"), 1, "the others are not made");
}
