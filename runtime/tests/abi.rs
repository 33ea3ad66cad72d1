//! The C ABI, used like host code uses it. Actions that end the process run in a child process:
//! this test binary, with a variable that selects the action.

mod support;

use std::{
    ffi::{CStr, CString, c_char, c_void},
    os::unix::process::ExitStatusExt,
    process::{Command, Output},
    ptr::{null, null_mut},
    sync::atomic::{AtomicI64, Ordering},
    time::{Duration, Instant},
};

use support::*;
use tfx_commands::{CommandList, Detail};
use tfx_runtime::{
    DType, Direction, Image,
    ffi::{
        abi_entry::*, abi_image::*, abi_native::*, abi_program::*, abi_schedule::*, abi_tensor::*,
        dlpack::*, guard::tfx_set_failure_handler,
    },
};

use tfx_schedule::{Builder, Device, Names, Space, write};

/// The signal of `abort`.
const SIGABRT: i32 = 6;

/// The environment variable that selects the action of a child process.
const ACTION: &str = "TFX_TEST_ACTION";

/// Returns the command of a child process with an action on an executor.
fn child_command(action: &str, executor: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this binary"));
    command
        .args(["--exact", "actions", "--nocapture", "--test-threads=1"])
        .env(ACTION, action)
        .env("TFX_EXECUTOR", executor);
    command
}

/// Runs an action in a child process on an executor.
fn child(action: &str, executor: &str) -> Output {
    tensorflow().ok();
    let mut command = child_command(action, executor);
    within_time(move || command.output().expect("the child runs"))
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Checks the exit code and the errors of a child process.
fn check_end(action: &str, executor: &str, code: i32, expected: &str) {
    let output = child(action, executor);
    let text = stderr(&output);
    let end = (output.status.code(), text.as_str());
    assert_eq!(end, (Some(code), expected), "{executor}: {action}");
}

/// A program that receives a divisor and sends the quotient.
fn divider() -> RawImage {
    let function =
        Function::parse("d(x: i32, channel_0: resource, channel_1: resource) -> (r: i32 = q:z:0)")
            .nodes([
                receive("by", "channel_0", DType::I32),
                located(
                    binary("q", "FloorDiv", "x", "by:components:0"),
                    "p.mlir:7:3",
                ),
                send("send", "channel_1", "q:z:0", DType::I32),
            ])
            .keep(&["by", "send"]);
    let channels = vec![to_graph(0, DType::I32), to_host(1, DType::I32)];
    RawImage::new(&image(channels, [function]))
}

/// An image in host code, with the data that it points to.
struct RawImage {
    image: TfxImage,
    _name: CString,
    _bytes: Vec<u8>,
    _channels: Vec<TfxChannel>,
}

impl RawImage {
    fn new(image: &Image) -> Self {
        let (name, bytes) = (
            CString::new(image.name.as_str()).expect("a name"),
            image.bytes.to_vec(),
        );
        let raw = |channel: &tfx_runtime::Channel| TfxChannel {
            id: channel.id,
            direction: i32::from(channel.direction == Direction::ToGraph),
            dtype: channel.dtype.tensorflow(),
            capacity: channel.capacity as i32,
            location: null(),
        };
        let channels: Vec<TfxChannel> = image.channels.iter().map(raw).collect();
        let image = TfxImage {
            name: name.as_ptr(),
            graphdef: bytes.as_ptr(),
            graphdef_size: bytes.len() as u64,
            num_args: image.arguments as i32,
            num_results: image.results as i32,
            num_channels: channels.len() as i32,
            channels: channels.as_ptr(),
            num_natives: 0,
            natives: null(),
            num_schedules: 0,
            schedules: null(),
        };
        RawImage {
            image,
            _name: name,
            _bytes: bytes,
            _channels: channels,
        }
    }

    fn start(&self, arguments: &[*mut TfxTensor]) -> *mut TfxProgram {
        // SAFETY: the image and the handles live through the call.
        unsafe { tfx_program_start(&self.image, arguments.as_ptr(), LOCATION.as_ptr()) }
    }
}

/// A program that calls a function, which doubles a number as a node, and triples it as native
/// code.
fn multiplier() -> RawImage {
    let double = Function::parse("double(a: i32) -> (r: i32 = sum:z:0)")
        .nodes([binary("sum", "AddV2", "a", "a")]);
    let attributes = [
        ("f", function_attr("double")),
        ("Tin", types_attr(&[DType::I32])),
        ("Tout", types_attr(&[DType::I32])),
    ];
    let call = located(
        node("call", "PartitionedCall", &["x"], &attributes),
        "p.mlir:2:3",
    );
    let main = Function::parse("main(x: i32) -> (r: i32 = call:output:0)").nodes([call]);
    RawImage::new(&image(Vec::new(), [main, double]))
}

unsafe extern "C" fn triple(
    arguments: *const *const u8,
    results: *const *mut u8,
    memory: *mut u8,
    run: *const TfxRun,
    _: *const i64,
) -> i32 {
    // SAFETY: the description of the code promises one number each, and 65 bytes of memory.
    unsafe {
        assert_eq!(*(*run).cancelled, 0);
        assert_eq!(memory.addr() % 64, 0);
        memory.write_bytes(7, 65);
        *(*results).cast::<i32>() = *(*arguments).cast::<i32>() * 3;
    }
    0
}

/// Triples the numbers of a vector, of which it keeps a copy in the part of its memory. Gives up if
/// the first one is 0.
unsafe extern "C" fn triple_all(
    arguments: *const *const u8,
    results: *const *mut u8,
    memory: *mut u8,
    _: *const TfxRun,
    sizes: *const i64,
) -> i32 {
    // SAFETY: the description of the code promises as many numbers as the first size, and a part of
    // the memory for these after 65 bytes.
    unsafe {
        let [count, unit, offset] = *sizes.cast::<[i64; 3]>();
        assert_eq!((unit, offset), (count, 128));
        let part = memory.add(128).cast::<i32>();
        for index in 0..count as usize {
            *part.add(index) = *(*arguments).cast::<i32>().add(index) * 3;
            *(*results).cast::<i32>().add(index) = *part.add(index);
        }
        i32::from(count > 0 && *part == 0)
    }
}

/// The iterations of a loop that is split.
const ITERATIONS: i64 = 1000;

/// Triples a number by tasks of 7 iterations, which count each other's iterations.
unsafe extern "C" fn triple_in_tasks(
    arguments: *const *const u8,
    results: *const *mut u8,
    _: *mut u8,
    run: *const TfxRun,
    _: *const i64,
) -> i32 {
    // SAFETY: the contract of native code; the context is what the task expects.
    unsafe {
        let counted = AtomicI64::new(0);
        let context = (&raw const counted).cast_mut().cast();
        ((*run).parallel)(run, count_iterations, context, ITERATIONS, 7, 100);
        ((*run).parallel)(run, count_iterations, context, 0, 7, 100);
        assert_eq!(counted.into_inner(), ITERATIONS);
        *(*results).cast::<i32>() = *(*arguments).cast::<i32>() * 3;
    }
    0
}

unsafe extern "C" fn count_iterations(
    context: *mut c_void,
    first: i64,
    last: i64,
    memory: *mut u8,
) {
    assert_eq!(first % 7, 0);
    assert_eq!(last, ITERATIONS.min(first + 7));
    // SAFETY: the context is a counter, and there are 100 bytes of memory.
    unsafe {
        assert_eq!(memory.addr() % 64, 0);
        memory.write_bytes(first as u8, 100);
        let counted: *const AtomicI64 = context.cast_const().cast();
        (*counted).fetch_add(last - first, Ordering::Relaxed);
        assert_eq!(*memory.add(99), first as u8);
    }
}

/// Asks for more memory than there is.
unsafe extern "C" fn too_large_tasks(
    _: *const *const u8,
    _: *const *mut u8,
    _: *mut u8,
    run: *const TfxRun,
    _: *const i64,
) -> i32 {
    // SAFETY: no task runs.
    unsafe { ((*run).parallel)(run, count_iterations, null_mut(), ITERATIONS, 7, i64::MAX) };
    0
}

type Code = unsafe extern "C" fn(
    *const *const u8,
    *const *mut u8,
    *mut u8,
    *const TfxRun,
    *const i64,
) -> i32;

/// Code for all processors, and a version for none.
fn versions(code: Code) -> [TfxVersion; 2] {
    [(1 << 20, None), (16, Some(code))]
        .map(|(vector_bytes, code)| TfxVersion { vector_bytes, code })
}

/// The description of code of `double` without anything that it needs.
fn no_native() -> TfxNative {
    TfxNative {
        function: c"double".as_ptr(),
        num_versions: 0,
        versions: null(),
        memory: 65,
        num_args: 1,
        num_results: 1,
        args: null(),
        results: null(),
        num_sizes: 0,
        sizes: null(),
        num_parts: 0,
        parts: null(),
    }
}

const LOCATION: &CStr = c"host.mlir:1:1";

#[test]
fn a_program_runs_through_the_abi() {
    let image = divider();
    // SAFETY: handles are used and released as in the contract.
    unsafe {
        let x = tfx_scalar_i32(12);
        let program = image.start(&[x]);
        tfx_tensor_release(x);
        let by = tfx_scalar_i32(4);
        tfx_program_send(program, 0, by, LOCATION.as_ptr());
        tfx_tensor_release(by);
        let quotient = tfx_program_recv(program, 1, LOCATION.as_ptr());
        assert_eq!(tfx_item_i32(quotient), 3);
        tfx_tensor_release(quotient);
        let mut result = null_mut();
        tfx_program_finish(program, &mut result, LOCATION.as_ptr());
        assert_eq!(tfx_item_i32(result), 3);
        tfx_tensor_release(result);
        let again = tfx_scalar_i32(1);
        let waiting = image.start(&[again]);
        tfx_program_terminate(waiting, LOCATION.as_ptr());
        tfx_tensor_release(again);
    }
}

#[test]
fn tensors_are_created_and_read() {
    // SAFETY: handles are used and released as in the contract.
    unsafe {
        let tensor = tfx_tensor_new(1, 2, [2, 3].as_ptr());
        assert_eq!(tfx_tensor_data(tensor) as usize % 64, 0);
        tfx_tensor_data(tensor).cast::<f32>().add(5).write(2.5);
        assert_eq!(
            (
                tfx_tensor_dtype(tensor),
                tfx_tensor_rank(tensor),
                tfx_tensor_num_elements(tensor)
            ),
            (1, 2, 6)
        );
        assert_eq!(tfx_tensor_dim(tensor, 1), 3);
        let exported = tfx_tensor_to_dlpack(tensor);
        tfx_tensor_release(tensor);
        assert_eq!(
            (*exported).dl_tensor.dtype,
            DLDataType {
                code: 2,
                bits: 32,
                lanes: 1
            }
        );
        // Strides of the transposed matrix.
        (*exported).dl_tensor.shape.write(3);
        (*exported).dl_tensor.shape.add(1).write(2);
        let mut strides = [1i64, 3];
        (*exported).dl_tensor.strides = strides.as_mut_ptr();
        let copied = tfx_tensor_from_dlpack(exported);
        let values = std::slice::from_raw_parts(tfx_tensor_data(copied).cast::<f32>(), 6);
        assert_eq!(values, [0.0, 0.0, 0.0, 0.0, 0.0, 2.5]);
        assert_eq!(
            (tfx_tensor_dim(copied, 0), tfx_tensor_dim(copied, 1)),
            (3, 2)
        );
        tfx_tensor_release(tfx_tensor_retain(copied));
        tfx_tensor_release(copied);
        let text = tfx_tensor_string(b"abc".as_ptr(), 3);
        assert_eq!(
            (tfx_tensor_text_size(text), *tfx_tensor_text(text)),
            (3, b'a')
        );
        tfx_tensor_release(text);
        assert!(tfx_item_i1(tfx_scalar_i1(true)));
    }
}

/// A tensor of another library, with the number of calls of its deleter.
#[repr(align(64))]
struct Lender {
    floats: [f32; 2048],
    shape: [i64; 2],
    managed: DLManagedTensor,
    deleted: usize,
}

unsafe extern "C" fn count_deletion(managed: *mut DLManagedTensor) {
    // SAFETY: the tensor is that of a lender.
    unsafe { (*(*managed).manager_ctx.cast::<Lender>()).deleted += 1 };
}

/// A tensor of floats without memory and sizes.
fn managed(ndim: i32, byte_offset: u64) -> DLManagedTensor {
    DLManagedTensor {
        dl_tensor: DLTensor {
            data: null_mut(),
            device: DLDevice {
                device_type: 1,
                device_id: 0,
            },
            ndim,
            dtype: DLDataType {
                code: 2,
                bits: 32,
                lanes: 1,
            },
            shape: null_mut(),
            strides: null_mut(),
            byte_offset,
        },
        manager_ctx: null_mut(),
        deleter: Some(count_deletion),
    }
}

#[test]
fn aligned_elements_of_other_libraries_are_shared() {
    // The number of rows of 16 floats, the offset in bytes, and whether they are shared.
    let cases = [
        (100, 0, true),
        (100, 64, true),
        (100, 16, true),
        (100, 8, false),
        (2, 0, false),
    ];
    for (rows, offset, is_shared) in cases {
        let mut lender = Box::new(Lender {
            floats: std::array::from_fn(|index| index as f32),
            shape: [rows, 16],
            managed: managed(2, offset),
            deleted: 0,
        });
        let lender: *mut Lender = &mut *lender;
        // SAFETY: the lender outlives the tensor; handles are released as in the contract.
        unsafe {
            (*lender).managed.manager_ctx = lender.cast();
            (*lender).managed.dl_tensor.data = (&raw mut (*lender).floats).cast();
            (*lender).managed.dl_tensor.shape = (&raw mut (*lender).shape).cast();
            let tensor = tfx_tensor_from_dlpack(&raw mut (*lender).managed);
            let data = tfx_tensor_data(tensor).cast::<f32>();
            let lent = (&raw mut (*lender).floats)
                .cast::<f32>()
                .byte_add(offset as usize);
            assert_eq!(data == lent, is_shared, "{rows} {offset}");
            assert_eq!((*lender).deleted, usize::from(!is_shared));
            assert_eq!(data as usize % if is_shared { 16 } else { 64 }, 0);
            assert_eq!(*data.add(17), 17.0 + offset as f32 / 4.0);
            tfx_tensor_release(tensor);
            assert_eq!((*lender).deleted, 1);
        }
    }
}

#[test]
fn invalid_shapes_are_rejected() {
    use tfx_runtime::ffi::dlpack::import;
    let cases: [(&[i64], i32, bool, &str); 6] = [
        (&[2, -3], 2, true, "a dimension of size -3"),
        (&[1 << 40, 1 << 40], 2, true, "exceeds the address space"),
        (&[0, 1 << 62, 4], 3, true, "exceeds the address space"),
        (&[2], 1, false, "elements, but no memory"),
        (&[], 1, true, "has 1 dimensions, but no valid list"),
        (&[], -1, true, "has -1 dimensions, but no valid list"),
    ];
    for (sizes, ndim, has_memory, expected) in cases {
        let mut shape = sizes.to_vec();
        let mut lender = Box::new(Lender {
            floats: [0.0; 2048],
            shape: [0, 0],
            managed: managed(ndim, 0),
            deleted: 0,
        });
        let lender: *mut Lender = &mut *lender;
        // SAFETY: the lender outlives the tensor, and elements of rejected tensors are not read.
        unsafe {
            let tensor = &mut (*lender).managed.dl_tensor;
            if has_memory {
                tensor.data = (&raw mut (*lender).floats).cast();
            }
            if !sizes.is_empty() {
                tensor.shape = shape.as_mut_ptr();
            }
            (*lender).managed.manager_ctx = lender.cast();
            let rejected = import(&raw mut (*lender).managed).err();
            let rejected = rejected.map(|failure| failure.to_string());
            let rejected = rejected.unwrap_or_default();
            assert!(rejected.contains(expected), "{sizes:?}: {rejected}");
            assert_eq!((*lender).deleted, 1);
        }
    }
}

/// `@half(x: f32, flag: i1) -> (y: f32, z: tensor<?xf32>)`, as in compiled code.
extern "C-unwind" fn half(slots: *mut *mut c_void) {
    // SAFETY: called with a slot per parameter and result.
    unsafe {
        let x = (*slots).cast::<f32>().read();
        assert!((*slots.add(1)).cast::<bool>().read());
        (*slots.add(2)).cast::<f32>().write(x / 2.0);
        (*slots.add(3))
            .cast::<*mut TfxTensor>()
            .write(tfx_tensor_from_bytes(
                1,
                1,
                [2].as_ptr(),
                [x, x].as_ptr().cast(),
            ));
    }
}

fn main_of_half(arguments: &[&str]) -> i32 {
    let parameter = |name: &'static CStr, is_tensor: i32, dtype: i32, rank: i32| TfxParameter {
        name: name.as_ptr(),
        is_tensor,
        dtype,
        rank,
        dims: [-1i64].as_ptr(),
        location: c"p.mlir:1:2".as_ptr(),
    };
    let parameters = [parameter(c"x", 0, 1, 0), parameter(c"flag", 0, 10, 0)];
    let results = [parameter(c"y", 0, 1, 0), parameter(c"z", 1, 1, 1)];
    let entry = TfxEntry {
        name: c"half".as_ptr(),
        location: null(),
        num_parameters: 2,
        num_results: 2,
        parameters: parameters.as_ptr(),
        results: results.as_ptr(),
        call: half,
        num_images: 0,
        images: null(),
    };
    let owned: Vec<CString> = ["program"]
        .iter()
        .chain(arguments)
        .map(|&text| CString::new(text).expect("a string"))
        .collect();
    let mut pointers: Vec<*mut c_char> =
        owned.iter().map(|text| text.as_ptr().cast_mut()).collect();
    // SAFETY: everything lives through the call.
    unsafe { tfx_main(pointers.len() as i32, pointers.as_mut_ptr(), &entry) }
}

extern "C" fn embedder(message: *const c_char, data: *mut c_void) {
    // SAFETY: the runtime passes a string, and the installed data.
    let (message, data) = unsafe { (CStr::from_ptr(message), *data.cast::<i32>()) };
    eprintln!("embedder {data}: {}", message.to_string_lossy());
    std::process::exit(7);
}

/// A foreign function that panics. It cannot unwind into its caller.
extern "C" fn panics() {
    panic!("a foreign function has a bug");
}

/// Not a test, but the actions of child processes.
#[test]
fn actions() {
    let Ok(action) = std::env::var(ACTION) else {
        return;
    };
    let image = divider();
    let mut data = 5;
    // SAFETY: handles are used as in the contract; the process ends before they could be released.
    unsafe {
        match action.as_str() {
            "fails" | "fails embedded in a process" => {
                if action != "fails" {
                    tfx_set_failure_handler(Some(embedder), (&raw mut data).cast());
                }
                let other = image.start(&[tfx_scalar_i32(1)]);
                assert!(!other.is_null());
                let program = image.start(&[tfx_scalar_i32(12)]);
                tfx_program_send(program, 0, tfx_scalar_i32(0), LOCATION.as_ptr());
                tfx_program_recv(program, 1, LOCATION.as_ptr());
            }
            "aborts" => tfx_abort(b"stop".as_ptr(), 4, LOCATION.as_ptr()),
            "asserts" => {
                tfx_assert(true, b"good".as_ptr(), 4, LOCATION.as_ptr());
                tfx_assert(false, b"bad".as_ptr(), 3, LOCATION.as_ptr());
            }
            "terminates twice" | "receives after the end" | "finishes after the end" => {
                let program = image.start(&[tfx_scalar_i32(12)]);
                tfx_program_terminate(program, c"host.mlir:2:2".as_ptr());
                match action.as_str() {
                    "terminates twice" => tfx_program_terminate(program, LOCATION.as_ptr()),
                    "receives after the end" => {
                        tfx_program_recv(program, 1, LOCATION.as_ptr());
                    }
                    _ => tfx_program_finish(program, &mut null_mut(), LOCATION.as_ptr()),
                }
            }
            "exits" => {
                assert!(!image.start(&[tfx_scalar_i32(12)]).is_null());
                std::process::exit(3);
            }
            "exits from a thread" => {
                assert!(!image.start(&[tfx_scalar_i32(12)]).is_null());
                let waiting = image.start(&[tfx_scalar_i32(12)]) as usize;
                let thread = std::thread::spawn(|| std::process::exit(3));
                // The process ends while this thread waits. Its wake-up must not report a failure.
                tfx_program_recv(waiting as *mut TfxProgram, 1, LOCATION.as_ptr());
                let _ = thread.join();
            }
            "panics" => {
                assert!(!image.start(&[tfx_scalar_i32(12)]).is_null());
                panics();
            }
            "misuses" => {
                tfx_item_f32(tfx_tensor_string(b"abc".as_ptr(), 3));
            }
            "passes no elements" => {
                tfx_tensor_from_bytes(1, 1, [3].as_ptr(), null());
            }
            "passes no sizes" => {
                tfx_tensor_new(1, 1, null());
            }
            "prints" => {
                let values = [tfx_scalar_f32(0.5), tfx_scalar_i64(3)];
                tfx_print(b"a {} b {}".as_ptr(), 9, values.as_ptr(), 2);
                std::process::exit(main_of_half(&["3", "true", "--stats"]));
            }
            "calls native code of another processor" => {
                let mut image = multiplier();
                let versions = versions(triple);
                let native = TfxNative {
                    num_versions: 1,
                    versions: versions.as_ptr(),
                    ..no_native()
                };
                image.image.num_natives = 1;
                image.image.natives = &raw const native;
                let program = image.start(&[tfx_scalar_i32(5)]);
                let mut result = null_mut();
                tfx_program_finish(program, &raw mut result, LOCATION.as_ptr());
                std::process::exit(tfx_item_i32(result));
            }
            "runs a damaged schedule" | "runs a schedule with a race" => {
                let commands = match action.as_str() {
                    "runs a damaged schedule" => b"tfxs".to_vec(),
                    _ => race(),
                };
                let function = TfxFunction {
                    symbol: c"triple".as_ptr(),
                    name: c"f".as_ptr(),
                    num_args: 0,
                    num_results: 0,
                    args: null(),
                    results: null(),
                };
                let schedule = TfxSchedule {
                    function: &raw const function,
                    commands: commands.as_ptr(),
                    commands_size: commands.len() as u64,
                    num_kernels: 0,
                    kernels: null(),
                    ptx: null(),
                    device_codes: null(),
                };
                let mut image = multiplier();
                image.image.num_schedules = 1;
                image.image.schedules = &raw const schedule;
                let program = image.start(&[tfx_scalar_i32(5)]);
                let mut result = null_mut();
                tfx_program_finish(program, &raw mut result, LOCATION.as_ptr());
                std::process::exit(tfx_item_i32(result));
            }
            "runs a schedule with a malformed product"
            | "runs a schedule with a product of another type" => {
                let function = TfxFunction {
                    symbol: c"triple".as_ptr(),
                    name: c"f".as_ptr(),
                    num_args: 0,
                    num_results: 0,
                    args: null(),
                    results: null(),
                };
                let matrix = |parameter| TfxMatrix {
                    parameter,
                    is_transposed: 0,
                    leading: 4,
                    stride: 16,
                };
                let is_malformed = action == "runs a schedule with a malformed product";
                let product = TfxProduct {
                    dtype: if is_malformed { 1 } else { 3 },
                    batch: 1,
                    rows: 4,
                    columns: 4,
                    depth: 4,
                    a: matrix(0),
                    b: matrix(1),
                    // The launch has three parameters.
                    c: matrix(3),
                };
                let parameters = [0i64, 0, 1, 0, 2, 0];
                let launch = TfxLaunch {
                    entry: c"e".as_ptr(),
                    threads: 16,
                    num_parameters: 3,
                    parameters: parameters.as_ptr(),
                    product: &raw const product,
                };
                let code = TfxDeviceCode {
                    num_launches: 1,
                    launches: &raw const launch,
                };
                let commands = race();
                let schedule = TfxSchedule {
                    function: &raw const function,
                    commands: commands.as_ptr(),
                    commands_size: commands.len() as u64,
                    num_kernels: 1,
                    kernels: &raw const function,
                    ptx: c"".as_ptr(),
                    device_codes: &raw const code,
                };
                let mut image = multiplier();
                image.image.num_schedules = 1;
                image.image.schedules = &raw const schedule;
                let program = image.start(&[tfx_scalar_i32(5)]);
                let mut result = null_mut();
                tfx_program_finish(program, &raw mut result, LOCATION.as_ptr());
                std::process::exit(tfx_item_i32(result));
            }
            "calls native code"
            | "calls native code of another shape"
            | "calls native code with tasks"
            | "calls native code with large tasks" => {
                let sizes = [i64::from(action == "calls native code of another shape")];
                let scalar = TfxTensorType {
                    dtype: DType::I32.tensorflow(),
                    rank: sizes[0] as i32,
                    dims: sizes.as_ptr(),
                };
                let versions = versions(match action.as_str() {
                    "calls native code with tasks" => triple_in_tasks,
                    "calls native code with large tasks" => too_large_tasks,
                    _ => triple,
                });
                let native = TfxNative {
                    num_versions: 2,
                    versions: versions.as_ptr(),
                    args: &raw const scalar,
                    results: &raw const scalar,
                    ..no_native()
                };
                let mut image = multiplier();
                image.image.num_natives = 1;
                image.image.natives = &raw const native;
                let program = image.start(&[tfx_scalar_i32(5)]);
                let mut result = null_mut();
                tfx_program_finish(program, &raw mut result, LOCATION.as_ptr());
                std::process::exit(tfx_item_i32(result));
            }
            "calls native code of unknown sizes" | "calls native code that gives up" => {
                let unknown = -1;
                let vector = TfxTensorType {
                    dtype: DType::I32.tensorflow(),
                    rank: 1,
                    dims: &raw const unknown,
                };
                let symbol = 0;
                let sizes = [(); 2].map(|()| TfxSize {
                    factor: 1,
                    num_symbols: 1,
                    symbols: &raw const symbol,
                });
                let part = TfxPart { units: 4, size: 1 };
                let versions = versions(triple_all);
                let native = TfxNative {
                    num_versions: 2,
                    versions: versions.as_ptr(),
                    args: &raw const vector,
                    results: &raw const vector,
                    num_sizes: 2,
                    sizes: sizes.as_ptr(),
                    num_parts: 1,
                    parts: &raw const part,
                    ..no_native()
                };
                let mut image = multiplier();
                image.image.num_natives = 1;
                image.image.natives = &raw const native;
                let first = i64::from(action != "calls native code that gives up");
                // The calls share working memory, as far as it is large enough.
                for count in [0, 3, 1, 70] {
                    let argument = tfx_tensor_new(3, 1, &raw const count);
                    let elements = tfx_tensor_data(argument).cast::<i32>();
                    for index in 0..count {
                        *elements.add(index as usize) = (first + index) as i32;
                    }
                    let program = image.start(&[argument]);
                    let mut result = null_mut();
                    tfx_program_finish(program, &raw mut result, LOCATION.as_ptr());
                    let elements = tfx_tensor_data(result).cast::<i32>();
                    for index in 0..count {
                        let factor = 2 + first;
                        let expected = ((first + index) * factor) as i32;
                        assert_eq!(*elements.add(index as usize), expected);
                    }
                }
                std::process::exit(10);
            }
            "lacks an argument" => std::process::exit(main_of_half(&["3"])),
            _ => panic!("there is no action {action}"),
        }
    }
}

/// Returns a command list that fills bytes on two streams at the same time.
fn race() -> Vec<u8> {
    let mut b = Builder::new();
    let cpu = b.device(Device::Cpu);
    b.begin_part("main");
    let streams = [b.stream(cpu), b.stream(cpu)];
    let bytes = b.buffer(1, Space::Pageable);
    for stream in streams {
        let value = b.value();
        b.fill(Detail::Fill(vec![0]), stream, write(bytes, value));
    }
    b.end_part(Names::default());
    CommandList::new(b.finish().expect("a schedule")).encode()
}

#[test]
fn a_malformed_product_of_a_schedule_is_an_error() {
    let malformed = "host.mlir:1:1: error: a launch of a schedule is damaged: matrix 'c' is parameter 3, but the launch has 3\n";
    check_end(
        "runs a schedule with a malformed product",
        "native",
        1,
        malformed,
    );
    let other = "host.mlir:1:1: error: a product of a schedule is damaged\n";
    check_end(
        "runs a schedule with a product of another type",
        "native",
        1,
        other,
    );
}

#[test]
fn a_schedule_is_verified_before_the_program_runs() {
    check_end("runs a damaged schedule", "embedded", 10, "");
    let damaged = "host.mlir:1:1: error: the schedule of function 'f' is damaged: expected a command list of version 1\n";
    check_end("runs a damaged schedule", "native", 1, damaged);
    let race = "host.mlir:1:1: error: the schedule of function 'f' is damaged: the command list is not correct: V1: unordered accesses of bytes 0..1 of buffer 0 in part 'main': the write at command 0 on stream 0 and the write at command 1 on stream 1; record an event on stream 0 after command 0, and wait for it on stream 1 before command 1\n";
    check_end("runs a schedule with a race", "native", 1, race);
}

#[test]
fn a_failing_graph_ends_the_process() {
    for executor in executors() {
        let expected = "p.mlir:7:3: error: Integer division by zero (operation FloorDiv)\n\
                        host.mlir:1:1: note: the host communicates with the graph here\n";
        check_end("fails", &executor.to_string(), 1, expected);
    }
    let output = child("fails embedded in a process", "embedded");
    assert_eq!(output.status.code(), Some(7));
    assert!(
        stderr(&output).starts_with("embedder 5: p.mlir:7:3: error:"),
        "{}",
        stderr(&output)
    );
}

/// Only the native executor runs native code, and only for arguments of its types. Where the code
/// gives up, the function runs.
#[test]
fn native_code_replaces_a_function() {
    check_end("calls native code", "embedded", 10, "");
    check_end("calls native code", "native", 15, "");
    check_end("calls native code of another shape", "native", 10, "");
    check_end("calls native code of another processor", "embedded", 10, "");
    let needs = "host.mlir:1:1: error: the native code of program 'main' needs vector registers of 1048576 bytes, which this processor does not have; build it without '--native-vectors', or run it with '--executor embedded'\n";
    check_end("calls native code of another processor", "native", 1, needs);
    check_end("calls native code of unknown sizes", "native", 10, "");
    check_end("calls native code that gives up", "native", 10, "");
    check_end("calls native code with tasks", "native", 15, "");
    let memory = "p.mlir:2:3: error: a tensor of shape [9223372036854775807] is too large (operation PartitionedCall)\nhost.mlir:1:1: note: the host communicates with the graph here\n";
    check_end("calls native code with large tasks", "native", 1, memory);
}

#[test]
fn the_host_ends_the_process() {
    let cases = [
        ("aborts", "host.mlir:1:1: error: stop\n"),
        ("asserts", "host.mlir:1:1: error: assertion failed: bad\n"),
        (
            "misuses",
            "error: expected a tensor of f32, got a tensor of string\n",
        ),
        (
            "passes no elements",
            "error: the elements of a tensor are NULL\n",
        ),
        ("passes no sizes", "error: the sizes of a tensor are NULL\n"),
        (
            "lacks an argument",
            "error: @half expects 2 scalar arguments, x (f32), flag (i1), but got 1\n",
        ),
    ];
    for (action, expected) in cases {
        check_end(action, "embedded", 1, expected);
    }
}

#[test]
fn a_program_ends_once() {
    for executor in executors() {
        for action in [
            "terminates twice",
            "receives after the end",
            "finishes after the end",
        ] {
            let expected = "host.mlir:1:1: error: program 'd' was terminated before\n\
                            host.mlir:2:2: note: it was terminated here\n";
            check_end(action, &executor.to_string(), 1, expected);
        }
    }
}

/// More programs end than handles are kept: each is freed once.
#[test]
fn many_programs_are_started_through_the_abi() {
    let image = divider();
    // SAFETY: handles are used and released as in the contract.
    unsafe {
        let (x, by) = (tfx_scalar_i32(12), tfx_scalar_i32(4));
        for _ in 0..1500 {
            let program = image.start(&[x]);
            tfx_program_send(program, 0, by, LOCATION.as_ptr());
            let quotient = tfx_program_recv(program, 1, LOCATION.as_ptr());
            tfx_tensor_release(quotient);
            let mut result = null_mut();
            tfx_program_finish(program, &mut result, LOCATION.as_ptr());
            tfx_tensor_release(result);
        }
        tfx_tensor_release(x);
        tfx_tensor_release(by);
    }
}

/// The time limit from the call of `exit` to the end of the process, including TensorFlow's.
const SOON: Duration = Duration::from_secs(5);

#[test]
fn exits_and_panics_of_foreign_functions_end_the_process() {
    for executor in executors() {
        let since = Instant::now();
        check_end("exits", &executor.to_string(), 3, "");
        check_end("exits from a thread", &executor.to_string(), 3, "");
        let output = child("panics", &executor.to_string());
        assert_eq!(output.status.signal(), Some(SIGABRT), "{executor}");
        let text = stderr(&output);
        assert!(text.contains("a foreign function has a bug"), "{text}");
        assert!(since.elapsed() < SOON, "{executor}: {:?}", since.elapsed());
    }
}

#[test]
fn a_missing_tensorflow_is_named() {
    let mut command = child_command("fails", "tensorflow");
    command.env("TFX_TENSORFLOW_DIR", "/nowhere");
    let output = command.output().expect("the child runs");
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(
        text.starts_with(
            "host.mlir:1:1: error: TensorFlow cannot be loaded: /nowhere/lib/libtensorflow.so"
        ),
        "{text}"
    );
    for fix in [
        "make tensorflow",
        "TFX_TENSORFLOW_DIR",
        "--executor embedded",
    ] {
        assert!(text.contains(fix), "{text}");
    }
}

#[test]
fn an_entry_prints_its_results() {
    let output = child("prints", "embedded");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    assert!(text.contains("a 0.5 b 3\ny = 1.5\nz = [3. 3.]\n"), "{text}");
    assert!(
        stderr(&output).contains("messages between host and graph"),
        "{}",
        stderr(&output)
    );
}
