//! Native code of graph functions: `docs/program-image.md`, section 2.
//!
//! The code of a function takes the addresses of its arguments, of its results and of its working
//! memory. It is compiled for one element type and one rank of each argument, and for some of the
//! sizes; each call checks these, and computes the others:
//!
//! ```text
//! argument f32[s0, 64]      call with f32[1437, 64]      s0 = 1437
//! result   f32[10 s0]                                    14370 elements
//! ```
//!
//! A call that the code is not compiled for, or in which an operation fails, gives up: the
//! interpreter runs the function. The working memory is kept for later calls, one for each call
//! that runs at the same time.
//!
//! The code has loops whose iterations may run on several threads: it passes a function for some of
//! them, a *task*, to [`TfxRun::parallel`], with the length of a part. Each thread has memory for
//! the tasks that it runs.

use std::{
    cell::RefCell,
    ffi::{c_char, c_void},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering},
    },
};

use tfx_interpreter::{DType, Shape, Tensor, Unwritten, program::NativeFunction};

use super::{abi_tensor::dtype, guard::slice, guard::text};
use crate::{
    failure::Failure,
    injection,
    parallel::{self, Job},
    stats,
};

/// Some iterations of a loop of native code, `first..last`. `memory` is aligned to 64 bytes, and
/// no other thread uses it.
pub type TfxTask =
    unsafe extern "C" fn(context: *mut c_void, first: i64, last: i64, memory: *mut u8);

/// The run of native code.
#[repr(C)]
pub struct TfxRun {
    /// The code ends soon if this byte is not zero.
    pub cancelled: *const u8,
    /// Calls `task(context, first, last, ...)` for consecutive parts of `0..count`, on several
    /// threads at once, and returns when all have ended. Each part has `part` iterations, apart
    /// from the last one. Each call has `memory` bytes. Parts are left out if the run is cancelled
    /// or out of memory.
    pub parallel: unsafe extern "C" fn(
        run: *const TfxRun,
        task: TfxTask,
        context: *mut c_void,
        count: i64,
        part: i64,
        memory: i64,
    ),
}

/// The type of a tensor.
#[repr(C)]
pub struct TfxTensorType {
    /// The element type: TensorFlow's DataType number.
    pub dtype: i32,
    /// The number of dimensions.
    pub rank: i32,
    /// The sizes. A negative one, `-1 - i`, is the size `i` of [`TfxNative::sizes`].
    pub dims: *const i64,
}

/// A size: a constant times symbols. A symbol is the size of a dimension of an argument: of the
/// first one that is this symbol alone.
#[repr(C)]
pub struct TfxSize {
    /// The constant.
    pub factor: i64,
    /// The number of symbols.
    pub num_symbols: i32,
    /// The symbols, each as often as it is a factor.
    pub symbols: *const i64,
}

/// A part of the working memory.
#[repr(C)]
pub struct TfxPart {
    /// The size of the part in units.
    pub units: i64,
    /// The size of a unit in bytes, by its position in [`TfxNative::sizes`].
    pub size: i32,
}

/// The code for one size of vector registers.
#[repr(C)]
pub struct TfxVersion {
    /// The size in bytes: 16; 32, for processors of the level x86-64-v3; 64, for those of the level
    /// x86-64-v4.
    pub vector_bytes: i32,
    /// The code. It reads the arguments, writes all elements of the results, and may write to the
    /// working memory. `sizes` has the values of [`TfxNative::sizes`], then the offsets of
    /// [`TfxNative::parts`] in bytes. It returns 0, or another number if it has given up: then the
    /// results are arbitrary.
    pub code: Option<
        unsafe extern "C" fn(
            args: *const *const u8,
            results: *const *mut u8,
            memory: *mut u8,
            run: *const TfxRun,
            sizes: *const i64,
        ) -> i32,
    >,
}

/// The code of a function, as in [`TfxVersion::code`].
type Code = unsafe extern "C" fn(
    *const *const u8,
    *const *mut u8,
    *mut u8,
    *const TfxRun,
    *const i64,
) -> i32;

/// The native code of a function of a graph.
#[repr(C)]
pub struct TfxNative {
    /// The name of the function in the GraphDef.
    pub function: *const c_char,
    /// The number of versions of the code.
    pub num_versions: i32,
    /// The versions. The one for the widest registers that the processor has is called. If there is
    /// none for this processor, the native executor refuses the program.
    pub versions: *const TfxVersion,
    /// The size of the working memory in bytes, without its parts; it is aligned to 64 bytes.
    pub memory: i64,
    /// The number of arguments.
    pub num_args: i32,
    /// The number of results.
    pub num_results: i32,
    /// The types of the arguments.
    pub args: *const TfxTensorType,
    /// The types of the results.
    pub results: *const TfxTensorType,
    /// The number of sizes.
    pub num_sizes: i32,
    /// The sizes that the code takes; the last ones are those of the parts.
    pub sizes: *const TfxSize,
    /// The number of parts.
    pub num_parts: i32,
    /// The parts of the working memory that follow the first one, each aligned to 64 bytes.
    pub parts: *const TfxPart,
}

/// Returns the size in bytes of the widest vector registers that native code uses on this
/// processor: 64, 32 or 16.
pub fn vector_bytes() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        let is_v3 = has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2") && has!("f16c");
        let is_v3 = is_v3 && has!("lzcnt") && has!("movbe");
        let is_v4 = is_v3 && has!("avx512f") && has!("avx512bw") && has!("avx512cd");
        if is_v4 && has!("avx512dq") && has!("avx512vl") {
            return 64;
        }
        if is_v3 {
            return 32;
        }
    }
    16
}

/// The alignment of the parts of the working memory, in bytes.
const ALIGNMENT: i64 = 64;

/// A size of a dimension: known, or the position of one that each call computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dimension {
    Known(usize),
    Computed(usize),
}

/// A type whose sizes may be unknown.
type Type = (DType, Vec<Dimension>);

/// A constant times symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Size {
    factor: i64,
    symbols: Vec<usize>,
}

impl Size {
    fn as_symbol(&self) -> Option<usize> {
        match self.symbols[..] {
            [symbol] if self.factor == 1 => Some(symbol),
            _ => None,
        }
    }

    /// Returns the value; `None` if it is out of range, or a symbol has no value.
    fn value(&self, symbols: &[Option<i64>]) -> Option<i64> {
        let mut factors = self.symbols.iter();
        factors.try_fold(self.factor, |product, &symbol| {
            product.checked_mul(symbols.get(symbol).copied().flatten()?)
        })
    }
}

/// The native code of a function, which the executor calls.
#[derive(Debug)]
pub(crate) struct Native {
    code: Code,
    memory: i64,
    arguments: Vec<Type>,
    results: Vec<Type>,
    sizes: Vec<Size>,
    /// Units, and the position of the size of a unit.
    parts: Vec<(i64, usize)>,
    /// Working memory of calls that have ended.
    pool: Mutex<Vec<Tensor>>,
}

impl PartialEq for Native {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.code, other.code)
            && self.memory == other.memory
            && self.arguments == other.arguments
            && self.results == other.results
            && self.sizes == other.sizes
            && self.parts == other.parts
    }
}

/// The code of a function for this processor.
pub(super) enum Found {
    Code(Arc<Native>),
    /// There is none: each version needs vector registers of at least this number of bytes.
    NeedsVectors(i32),
}

/// The sizes of one call.
#[derive(Debug)]
struct Layout {
    /// The sizes, then the offsets of the parts.
    sizes: Vec<i64>,
    /// The bytes of working memory.
    memory: usize,
    results: Vec<(DType, Shape)>,
}

impl Native {
    /// Returns the name of the function that an image describes, and its code for this processor.
    ///
    /// # Safety
    /// `raw` is a description as in the contract; its code exists as long as the result.
    pub(super) unsafe fn read(raw: &TfxNative) -> Result<(String, Found), Failure> {
        // SAFETY: the contract promises each pointer together with its count.
        unsafe {
            let Some(name) = text(raw.function) else {
                return Err(Failure::new("native code has no name"));
            };
            let widest = vector_bytes() as i32;
            let versions = slice(raw.versions, raw.num_versions.into());
            let version = versions
                .iter()
                .filter(|version| version.vector_bytes <= widest)
                .max_by_key(|version| version.vector_bytes);
            let Some(version) = version else {
                let widths = versions.iter().map(|version| version.vector_bytes);
                let least = widths.min().ok_or_else(|| {
                    Failure::new(format!("native code of '{name}' has no version"))
                })?;
                return Ok((name, Found::NeedsVectors(least)));
            };
            let Some(code) = version.code else {
                return Err(Failure::new("native code has no address"));
            };
            let size = |raw: &TfxSize| Size {
                factor: raw.factor,
                symbols: slice(raw.symbols, raw.num_symbols.into())
                    .iter()
                    .map(|&symbol| index(symbol))
                    .collect(),
            };
            let part = |raw: &TfxPart| (raw.units, index(raw.size.into()));
            let native = Native {
                code,
                memory: raw.memory,
                arguments: types(raw.args, raw.num_args)?,
                results: types(raw.results, raw.num_results)?,
                sizes: slice(raw.sizes, raw.num_sizes.into())
                    .iter()
                    .map(size)
                    .collect(),
                parts: slice(raw.parts, raw.num_parts.into())
                    .iter()
                    .map(part)
                    .collect(),
                pool: Mutex::default(),
            };
            Ok((name, Found::Code(Arc::new(native))))
        }
    }

    /// Takes working memory of a size from the pool, or new memory.
    fn working_memory(&self, size: usize) -> Result<Tensor, String> {
        let pooled = self
            .pool
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        match pooled.filter(|memory| memory.byte_size() >= size) {
            Some(memory) => Ok(memory),
            None => Tensor::zeros(DType::U8, &[size]).map_err(|error| error.to_string()),
        }
    }

    /// Computes the sizes of a call; `None` if the code is not compiled for its arguments.
    fn layout<'t>(
        &self,
        arguments: impl ExactSizeIterator<Item = (DType, &'t [usize])> + Clone,
    ) -> Option<Layout> {
        let has_type = |((actual, shape), (dtype, dims)): ((DType, &[usize]), &Type)| {
            actual == *dtype && shape.len() == dims.len()
        };
        let count = arguments.len();
        let types = arguments.zip(&self.arguments);
        if count != self.arguments.len() || !types.clone().all(has_type) {
            return None;
        }
        let dimensions = || {
            types
                .clone()
                .flat_map(|((_, shape), (_, dims))| dims.iter().zip(shape))
        };
        let mut symbols = Vec::new();
        for (dimension, &size) in dimensions() {
            if let Dimension::Computed(position) = *dimension
                && let Some(symbol) = self.sizes.get(position)?.as_symbol()
            {
                if symbols.len() <= symbol {
                    symbols.resize(symbol + 1, None);
                }
                symbols[symbol].get_or_insert(i64::try_from(size).ok()?);
            }
        }
        let values = self.sizes.iter().map(|size| size.value(&symbols));
        let mut sizes: Vec<i64> = values.collect::<Option<_>>()?;
        let size = |dimension: &Dimension| match *dimension {
            Dimension::Known(size) => Some(size),
            Dimension::Computed(position) => usize::try_from(*sizes.get(position)?).ok(),
        };
        if !dimensions().all(|(dimension, actual)| size(dimension) == Some(*actual)) {
            return None;
        }
        let results = self.results.iter().map(|(dtype, dims)| {
            let shape: Option<Shape> = dims.iter().map(size).collect();
            Some((*dtype, shape?))
        });
        let results = results.collect::<Option<_>>()?;
        let (mut memory, mut offsets) = (self.memory, Vec::new());
        for &(units, size) in &self.parts {
            memory = memory.checked_add(ALIGNMENT - 1)? / ALIGNMENT * ALIGNMENT;
            offsets.push(memory);
            memory = memory.checked_add(units.checked_mul(*sizes.get(size)?)?)?;
        }
        sizes.extend(offsets);
        let memory = usize::try_from(memory).ok()?;
        Some(Layout {
            sizes,
            memory,
            results,
        })
    }
}

/// Returns an index; a negative one is out of range.
fn index(index: i64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

/// # Safety
/// `types` points to `count` types as in the contract.
unsafe fn types(types: *const TfxTensorType, count: i32) -> Result<Vec<Type>, Failure> {
    // SAFETY: as promised by the caller.
    let types = unsafe { slice(types, count.into()) };
    let read = |raw: &TfxTensorType| {
        // SAFETY: the contract promises `rank` sizes.
        let sizes = unsafe { slice(raw.dims, raw.rank.into()) };
        let size = |&size: &i64| match usize::try_from(size) {
            Ok(size) => Dimension::Known(size),
            Err(_) => Dimension::Computed(index(-1 - size)),
        };
        Ok((dtype(raw.dtype)?, sizes.iter().map(size).collect()))
    };
    types.iter().map(read).collect()
}

impl NativeFunction for Native {
    fn run(
        &self,
        arguments: &[Tensor],
        cancelled: &AtomicBool,
    ) -> Result<Option<Vec<Tensor>>, String> {
        let types = arguments
            .iter()
            .map(|argument| (argument.dtype(), argument.shape()));
        let Some(layout) = self.layout(types) else {
            stats::NATIVE.count(false);
            return Ok(None);
        };
        let unwritten = |(dtype, shape): &(DType, Shape)| Unwritten::new(*dtype, shape);
        let results: Result<Vec<_>, _> = layout.results.iter().map(unwritten).collect();
        let mut results = results.map_err(|error| error.to_string())?;
        if injection::fills_results() {
            results.iter_mut().for_each(|result| result.fill(FILL));
        }
        let inputs: Vec<*const u8> = arguments
            .iter()
            .map(|tensor| tensor.bytes().as_ptr())
            .collect();
        let outputs: Vec<*mut u8> = results.iter_mut().map(Unwritten::as_mut_ptr).collect();
        // SAFETY: the arguments have the types that the code was compiled for, the results their
        // sizes, and nothing else refers to their elements.
        let ended = unsafe { self.call(&layout, &inputs, &outputs, cancelled) }?;
        match ended {
            Ended::GaveUp => return Ok(None),
            Ended::Cancelled => results.iter_mut().for_each(|result| result.fill(0)),
            Ended::Finished => {}
        }
        // SAFETY: code that has not given up has written all elements, unless tasks were left out:
        // the elements are written above then.
        let written = |result: Unwritten| unsafe { result.assume_written() };
        Ok(Some(results.into_iter().map(written).collect()))
    }
}

/// The end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Finished,
    /// The interpreter is to run the function.
    GaveUp,
    /// Tasks were left out: the results are arbitrary, and perhaps not written.
    Cancelled,
}

impl Native {
    /// Calls the code.
    ///
    /// # Safety
    /// The inputs and outputs are those that the layout is for: aligned, of the sizes of the
    /// arguments and results. Nothing else refers to the outputs.
    unsafe fn call(
        &self,
        layout: &Layout,
        inputs: &[*const u8],
        outputs: &[*mut u8],
        cancelled: &AtomicBool,
    ) -> Result<Ended, String> {
        let mut memory = self.working_memory(layout.memory)?;
        let working = writable(&mut memory);
        // An `AtomicBool` is a byte that is 0 for false.
        let flag: *const AtomicBool = cancelled;
        let running = Running {
            abi: TfxRun {
                cancelled: flag.cast::<AtomicU8>().cast(),
                parallel: run_parallel,
            },
            failed: Mutex::default(),
            has_skipped: AtomicBool::new(false),
        };
        // SAFETY: as promised by the caller; the working memory has its size, and nothing else
        // refers to it.
        let has_given_up = unsafe {
            (self.code)(
                inputs.as_ptr(),
                outputs.as_ptr(),
                working,
                (&raw const running).cast(),
                layout.sizes.as_ptr(),
            )
        };
        self.pool
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(memory);
        let failed = running.failed.into_inner();
        if let Some(reason) = failed.unwrap_or_else(PoisonError::into_inner) {
            return Err(reason);
        }
        stats::NATIVE.count(has_given_up == 0);
        Ok(if has_given_up != 0 {
            Ended::GaveUp
        } else if running.has_skipped.into_inner() {
            Ended::Cancelled
        } else {
            Ended::Finished
        })
    }
}

/// Native code for arguments of known types, on bytes that others allocate.
#[derive(Debug)]
pub(crate) struct OnBytes {
    native: Arc<Native>,
    layout: Layout,
    /// The bytes of each argument, and those of an element.
    arguments: Vec<[usize; 2]>,
    /// The bytes of each result, likewise.
    results: Vec<[usize; 2]>,
}

impl OnBytes {
    /// Prepares code for arguments of these types; none if it is not compiled for them.
    pub(crate) fn new(native: &Arc<Native>, arguments: &[(DType, Shape)]) -> Option<Self> {
        let layout = native.layout(arguments.iter().map(|(dtype, shape)| (*dtype, &shape[..])))?;
        let sizes = |types: &[(DType, Shape)]| {
            let sizes = types.iter().map(|(dtype, shape)| {
                let elements = shape
                    .iter()
                    .try_fold(1usize, |all, size| all.checked_mul(*size));
                Some([elements?.checked_mul(dtype.size())?, dtype.size()])
            });
            sizes.collect::<Option<Vec<_>>>()
        };
        Some(Self {
            native: Arc::clone(native),
            arguments: sizes(arguments)?,
            results: sizes(&layout.results)?,
            layout,
        })
    }

    /// Computes the results. Returns false if the code gives up, or the bytes have other sizes.
    ///
    /// # Errors
    /// The reason why it cannot run, such as a lack of memory.
    pub(crate) fn run(
        &self,
        arguments: &[&[u8]],
        results: &mut [&mut [u8]],
        cancelled: &AtomicBool,
    ) -> Result<bool, Failure> {
        let fits = |bytes: &[u8], [size, element]: &[usize; 2]| {
            bytes.len() == *size && bytes.as_ptr().addr().is_multiple_of(*element)
        };
        let inputs = arguments.iter().zip(&self.arguments);
        let outputs = results.iter().zip(&self.results);
        if arguments.len() != self.arguments.len()
            || results.len() != self.results.len()
            || !inputs.into_iter().all(|(bytes, size)| fits(bytes, size))
            || !outputs.into_iter().all(|(bytes, size)| fits(bytes, size))
        {
            return Ok(false);
        }
        let inputs: Vec<*const u8> = arguments.iter().map(|bytes| bytes.as_ptr()).collect();
        let outputs: Vec<*mut u8> = results.iter_mut().map(|bytes| bytes.as_mut_ptr()).collect();
        // SAFETY: the bytes are aligned and have the sizes, as was checked. The results are
        // borrowed for writing.
        let ended = unsafe { self.native.call(&self.layout, &inputs, &outputs, cancelled) };
        ended
            .map(|ended| ended != Ended::GaveUp)
            .map_err(Failure::new)
    }
}

/// The bytes of results, where a test looks for elements that the code does not write: numbers that
/// are not, and negative integers.
pub(crate) const FILL: u8 = 0xFF;

/// A run, as the code sees it, and the reason why one of its tasks could not run.
#[repr(C)]
struct Running {
    abi: TfxRun,
    failed: Mutex<Option<String>>,
    /// Tasks were left out, because the run was cancelled.
    has_skipped: AtomicBool,
}

/// The tasks of a loop.
struct Tasks {
    task: TfxTask,
    context: AtomicPtr<c_void>,
    count: i64,
    part: i64,
    memory: usize,
    /// The run that waits for the tasks.
    running: AtomicPtr<Running>,
}

/// The largest memory for tasks that a thread keeps, in bytes: the blocks and panels of most
/// kernels are smaller.
const MOST_KEPT: usize = 16 << 20;

thread_local! {
    /// The memory of the tasks of this thread.
    static MEMORY: RefCell<Tensor> = RefCell::new(Tensor::default());
}

impl Job for Tasks {
    fn part(&self, number: usize) {
        // SAFETY: the run exists until all parts have ended.
        let running = unsafe { &*self.running.load(Ordering::Relaxed) };
        // SAFETY: as above; the flag exists as long as the run.
        if unsafe { AtomicBool::from_ptr(running.abi.cancelled.cast_mut().cast()) }
            .load(Ordering::Relaxed)
        {
            running.has_skipped.store(true, Ordering::Relaxed);
            return;
        }
        let first = number as i64 * self.part;
        let last = self.count.min(first.saturating_add(self.part));
        let context = self.context.load(Ordering::Relaxed);
        MEMORY.with_borrow_mut(|memory| {
            if memory.byte_size() < self.memory {
                match Tensor::zeros(DType::U8, &[self.memory]) {
                    Ok(larger) => *memory = larger,
                    Err(error) => {
                        let failed = running.failed.lock();
                        let mut failed = failed.unwrap_or_else(PoisonError::into_inner);
                        failed.get_or_insert_with(|| error.to_string());
                        return;
                    }
                }
            }
            // SAFETY: the code has passed its own context, and the size of the memory that the task
            // needs; tasks do not start others.
            unsafe { (self.task)(context, first, last, writable(memory)) };
            if memory.byte_size() > MOST_KEPT {
                *memory = Tensor::default();
            }
        });
    }
}

/// Runs the tasks of a loop: [`TfxRun::parallel`].
///
/// # Safety
/// `run` is that of [`Native::run`], and the others are as described there.
unsafe extern "C" fn run_parallel(
    run: *const TfxRun,
    task: TfxTask,
    context: *mut c_void,
    count: i64,
    part: i64,
    memory: i64,
) {
    let parts = count.max(0) as usize;
    let parts = parts.div_ceil(part.max(1) as usize);
    let tasks = Tasks {
        task,
        context: AtomicPtr::new(context),
        count,
        part: part.max(1),
        memory: usize::try_from(memory).unwrap_or(usize::MAX),
        running: AtomicPtr::new(run.cast_mut().cast()),
    };
    match parts {
        // Without an allocation: small sizes that are not known at compile time are frequent.
        0 | 1 => (0..parts).for_each(|number| tasks.part(number)),
        _ => parallel::run(Arc::new(tasks), parts),
    }
}

/// Returns the address of the elements of a new tensor.
fn writable(tensor: &mut Tensor) -> *mut u8 {
    tensor
        .bytes_mut()
        .map_or(std::ptr::null_mut(), |bytes| bytes.as_mut_ptr())
}
