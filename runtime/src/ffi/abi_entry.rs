//! The entry function in host code, and `main` of an executable: `docs/program-image.md`, section
//! 5.

use std::{
    ffi::{OsString, c_char, c_int, c_void},
    os::unix::ffi::OsStringExt,
    sync::Arc,
};

use tfx_interpreter::{Bool, DType, Tensor};

use super::{
    abi_image::{Images, TfxImage},
    abi_tensor::{TfxTensor, dtype},
    guard::{guarded, slice, text},
    output,
};
use crate::{
    entry::{self, Entry, Parameter, Request, RunOptions},
    executor::ExecutorKind,
    failure::Failure,
};

/// An input or result of the entry function.
#[repr(C)]
pub struct TfxParameter {
    /// The name that `--input` and `--output` use.
    pub name: *const c_char,
    /// 0: a scalar, passed by value. Else a tensor.
    pub is_tensor: i32,
    /// TensorFlow's DataType number.
    pub dtype: i32,
    /// The number of dimensions; -1: unranked.
    pub rank: i32,
    /// The sizes of the dimensions; -1: any size.
    pub dims: *const i64,
    /// `file:line:col`.
    pub location: *const c_char,
}

/// The entry function of a compiled module.
#[repr(C)]
pub struct TfxEntry {
    /// The name.
    pub name: *const c_char,
    /// `file:line:col`.
    pub location: *const c_char,
    /// The number of inputs.
    pub num_parameters: i32,
    /// The number of results.
    pub num_results: i32,
    /// The inputs.
    pub parameters: *const TfxParameter,
    /// The results.
    pub results: *const TfxParameter,
    /// Calls the function; `slots` has the address of each argument, then of each result.
    pub call: extern "C-unwind" fn(slots: *mut *mut c_void),
    /// The number of images.
    pub num_images: i32,
    /// The images of all programs of the module.
    pub images: *const *const TfxImage,
}

/// A function of compiled code that a process can call.
#[derive(Clone, Debug)]
pub struct CompiledFunction {
    /// The name.
    pub name: String,
    /// `file:line:col`.
    pub location: Option<String>,
    /// The inputs.
    pub parameters: Vec<Parameter>,
    /// The results.
    pub results: Vec<Parameter>,
    call: extern "C-unwind" fn(slots: *mut *mut c_void),
    images: Arc<Images>,
}

impl CompiledFunction {
    /// Reads the description of a function.
    ///
    /// # Safety
    /// `entry` is NULL or a description as in the contract, whose code outlives the result.
    pub unsafe fn from_raw(entry: *const TfxEntry) -> Result<CompiledFunction, Failure> {
        // SAFETY: the contract promises each pointer together with its count.
        unsafe {
            let raw = entry
                .as_ref()
                .ok_or_else(|| Failure::new("the module has no entry function"))?;
            let parameters = slice(raw.parameters, raw.num_parameters.into());
            let results = slice(raw.results, raw.num_results.into());
            let read = |parameters: &[TfxParameter]| {
                parameters
                    .iter()
                    .map(|raw| Parameter::from_raw(raw))
                    .collect::<Result<Vec<_>, _>>()
            };
            Ok(CompiledFunction {
                name: text(raw.name).unwrap_or_default(),
                location: text(raw.location),
                parameters: read(parameters)?,
                results: read(results)?,
                call: raw.call,
                images: Arc::new(Images::new(slice(raw.images, raw.num_images.into()))),
            })
        }
    }

    /// Checks that an executor can run all programs of the module.
    ///
    /// # Errors
    /// An operation that it lacks, at its source location.
    pub fn check(&self, kind: ExecutorKind) -> Result<(), Failure> {
        for image in self.images.copies() {
            kind.executor().check(&image?)?;
        }
        Ok(())
    }

    /// Calls the function with a tensor per parameter, of its type, and returns a tensor per
    /// result. A failure unwinds to the activation, or ends the process.
    pub fn call(&self, arguments: Vec<Tensor>) -> Vec<Tensor> {
        call_with_slots(self.call, &self.parameters, arguments, &self.results)
    }
}

impl Entry<'_> {
    /// Reads the description of an entry function.
    ///
    /// # Safety
    /// As for [`CompiledFunction::from_raw`].
    pub unsafe fn from_raw(entry: *const TfxEntry) -> Result<Entry<'static>, Failure> {
        // SAFETY: as promised by the caller.
        let function = unsafe { CompiledFunction::from_raw(entry) }?;
        let checked = function.clone();
        Ok(Entry {
            check: Box::new(move |kind| checked.check(kind)),
            name: function.name.clone(),
            location: function.location.clone(),
            parameters: function.parameters.clone(),
            results: function.results.clone(),
            call: Box::new(move |arguments| Ok(function.call(arguments))),
        })
    }
}

impl Parameter {
    /// # Safety
    /// `raw` is a description as in the contract.
    unsafe fn from_raw(raw: &TfxParameter) -> Result<Self, Failure> {
        // SAFETY: the contract promises `rank` sizes.
        let sizes = unsafe { slice(raw.dims, raw.rank.into()) };
        let shape = (raw.rank >= 0).then(|| {
            sizes
                .iter()
                .map(|&size| usize::try_from(size).ok())
                .collect()
        });
        // SAFETY: the contract promises strings.
        let (name, location) = unsafe { (text(raw.name), text(raw.location)) };
        let name = name.unwrap_or_default();
        let dtype = dtype(raw.dtype).map_err(|failure| {
            Failure::new(format!("'{name}': {}", failure.message)).at(location.as_deref())
        })?;
        Ok(Parameter {
            name,
            is_tensor: raw.is_tensor != 0,
            dtype,
            shape,
            location,
        })
    }
}

/// The target of a slot: a handle, or a scalar in the first bytes.
type Cell = u64;

/// Calls the entry function. It borrows the handles of arguments, and returns owned handles.
fn call_with_slots(
    call: extern "C-unwind" fn(*mut *mut c_void),
    parameters: &[Parameter],
    arguments: Vec<Tensor>,
    results: &[Parameter],
) -> Vec<Tensor> {
    let mut cells: Vec<Cell> = vec![0; parameters.len() + results.len()];
    let mut handles = Vec::with_capacity(parameters.len());
    for ((cell, parameter), argument) in cells.iter_mut().zip(parameters).zip(arguments) {
        if parameter.is_tensor {
            let handle = TfxTensor::handle(argument);
            handles.push(handle);
            *cell = handle as Cell;
        } else {
            let bytes = argument.bytes();
            let mut scalar = cell.to_ne_bytes();
            scalar[..bytes.len()].copy_from_slice(bytes);
            *cell = Cell::from_ne_bytes(scalar);
        }
    }
    let start: *mut Cell = cells.as_mut_ptr();
    let mut slots: Vec<*mut c_void> = (0..cells.len())
        // SAFETY: the index is less than the length of `cells`.
        .map(|index| unsafe { start.add(index) }.cast())
        .collect();
    call(slots.as_mut_ptr());
    for handle in handles {
        // SAFETY: created above, and released once.
        unsafe { TfxTensor::release(handle) };
    }
    let read = |(cell, parameter): (&Cell, &Parameter)| {
        guarded(std::ptr::null(), || match parameter.is_tensor {
            // SAFETY: the contract promises an owned handle in the slot of a tensor.
            true => unsafe { TfxTensor::take(*cell as *mut TfxTensor) },
            false => Ok(scalar(parameter.dtype, cell.to_ne_bytes())),
        })
    };
    cells[parameters.len()..]
        .iter()
        .zip(results)
        .map(read)
        .collect()
}

/// Reads the contents of a slot: a handle, or a scalar in the first bytes.
///
/// # Safety
/// `slot` is the address of a value of the parameter.
pub(super) unsafe fn read_cell(parameter: &Parameter, slot: *const c_void) -> Cell {
    let size = match parameter.is_tensor {
        true => size_of::<Cell>(),
        false => parameter.dtype.size(),
    };
    let mut bytes = [0; size_of::<Cell>()];
    // SAFETY: as promised by the caller.
    bytes[..size].copy_from_slice(unsafe { slice(slot.cast::<u8>(), size as i64) });
    Cell::from_ne_bytes(bytes)
}

/// Writes a value to a slot: a new handle that foreign code owns, or a scalar.
///
/// # Safety
/// `slot` is the address of a place for a value of the parameter, whose type the value has.
pub(super) unsafe fn write_cell(parameter: &Parameter, slot: *mut c_void, value: Tensor) {
    // SAFETY: as promised by the caller.
    unsafe {
        if parameter.is_tensor {
            slot.cast::<*mut TfxTensor>()
                .write(TfxTensor::foreign_handle(value));
        } else {
            let bytes = value.bytes();
            slot.cast::<u8>().copy_from(bytes.as_ptr(), bytes.len());
        }
    }
}

/// Returns the scalar in the first bytes of a cell.
pub(super) fn scalar(dtype: DType, bytes: [u8; size_of::<Cell>()]) -> Tensor {
    if dtype == DType::Bool {
        return Tensor::scalar(Bool::from(bytes[0] & 1 != 0));
    }
    Tensor::from_bytes(dtype, &[], &bytes[..dtype.size()]).unwrap_or_default()
}

/// Implements `main` of an executable: reads the command line, runs the entry function, and prints
/// or writes its results. Returns the exit code.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_main(
    argc: c_int,
    argv: *mut *mut c_char,
    entry: *const TfxEntry,
) -> c_int {
    output::occupy_closed_files();
    guarded(std::ptr::null(), || {
        // SAFETY: `main` has `argc` strings, and the module describes its entry function.
        let (arguments, entry) = unsafe {
            let arguments = slice(argv.cast_const(), argc.into()).iter().skip(1);
            let bytes = |&argument: &*mut c_char| {
                OsString::from_vec(std::ffi::CStr::from_ptr(argument).to_bytes().to_vec())
            };
            (
                arguments.map(bytes).collect::<Vec<_>>(),
                Entry::from_raw(entry)?,
            )
        };
        match RunOptions::parse(arguments)? {
            Request::Help => output::write(&entry::usage(&entry)).map_err(|error| {
                Failure::new(format!("cannot print: {}", output::reason(&error)))
            })?,
            Request::Run(options) => entry::run(&entry, &options)?,
        }
        Ok(0)
    })
}
