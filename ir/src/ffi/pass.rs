//! Passes and pipelines: registration, and the callbacks of a pass.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use melior::dialect::DialectRegistry;
use mlir_sys::*;

use super::declarations::*;
use super::op;
use super::text::{collect, str, string_ref};
use crate::options::{OptionKind, OptionSpec, Options};
use crate::pass::{Pass, PassContext};
use crate::pipeline::{InvalidOptions, PipelineError};

/// Adds the pass `P` to MLIR's registry.
pub(crate) fn register_pass<P: Pass>() {
    let specs = P::Options::specs();
    let options: Vec<TfxPassOption> = specs.iter().map(pass_option).collect();
    let table = TfxPassTable {
        name: string_ref(P::NAME),
        argument: string_ref(P::ARGUMENT),
        description: string_ref(P::DESCRIPTION),
        anchor: string_ref(P::ANCHOR.op_name()),
        options: options.as_ptr(),
        num_options: options.len() as isize,
        create: create_state::<P>,
        destroy: destroy_state::<P>,
        dependent_dialects: dependent_dialects::<P>,
        configure: configure::<P>,
        run: run::<P>,
    };
    // SAFETY: the table's strings are copied by the call; the callbacks are static.
    unsafe { tfxRegisterPass(&table) }
}

fn pass_option(spec: &OptionSpec) -> TfxPassOption {
    TfxPassOption {
        name: string_ref(spec.name),
        description: string_ref(&spec.help),
        default_value: string_ref(&spec.default),
        kind: match spec.kind {
            OptionKind::Text => 0,
            OptionKind::Flag => 1,
            OptionKind::List => 2,
        },
    }
}

/// One instance of a pass: MLIR clones passes for threads, and each clone has its own.
struct State<P: Pass> {
    pass: P,
    options: P::Options,
}

unsafe extern "C" fn create_state<P: Pass>() -> *mut c_void {
    let state = State::<P> {
        pass: P::default(),
        options: P::Options::default(),
    };
    Box::into_raw(Box::new(state)) as *mut c_void
}

unsafe extern "C" fn destroy_state<P: Pass>(state: *mut c_void) {
    // SAFETY: made by `create_state` for the same `P`, and destroyed once, by ~RustPass.
    drop(unsafe { Box::from_raw(state as *mut State<P>) });
}

unsafe extern "C" fn dependent_dialects<P: Pass>(target: MlirDialectRegistry) {
    let registry = DialectRegistry::new();
    P::dialects(&registry);
    // SAFETY: both registries are live; the entries are copied.
    unsafe { tfxRegistryAppend(target, registry.to_raw()) }
}

unsafe extern "C" fn configure<P: Pass>(
    state: *mut c_void,
    values: *const MlirStringRef,
    num_values: isize,
    error: MlirStringCallback,
    error_data: *mut c_void,
) -> bool {
    // SAFETY: the state is of `P` and used by one thread at a time; there are `num_values` values,
    // alive during the call.
    let (state, values) = unsafe {
        let values = if num_values == 0 {
            &[]
        } else {
            std::slice::from_raw_parts(values, num_values as usize)
        };
        (&mut *(state as *mut State<P>), values)
    };
    let mut options = P::Options::default();
    for (spec, value) in P::Options::specs().iter().zip(values) {
        if let Err(why) = options.set(spec.name, str(*value)) {
            let message = format!("option '{}' of pass '{}': {why}", spec.name, P::ARGUMENT);
            if let Some(error) = error {
                // SAFETY: the callback reads the text during the call.
                unsafe { error(string_ref(&message), error_data) };
            }
            return false;
        }
    }
    state.options = options;
    true
}

unsafe extern "C" fn run<P: Pass>(state: *mut c_void, raw: MlirOperation) -> bool {
    // SAFETY: as in `configure`.
    let state = unsafe { &mut *(state as *mut State<P>) };
    let op = op(raw);
    let cx = PassContext::new::<P>(op, &state.options);
    match catch_unwind(AssertUnwindSafe(|| {
        crate::pass::run_watched(&mut state.pass, op, &cx)
    })) {
        Ok(result) => result.is_ok(),
        Err(payload) => {
            crate::pass::report_panic(P::ARGUMENT, op, panic_message(&*payload));
            false
        }
    }
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&'static str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

/// Returns the text of a pipeline for its options.
pub(crate) type PipelineText = Box<dyn Fn(&str) -> Result<String, InvalidOptions> + Send + Sync>;

pub(crate) fn register_pipeline(name: &str, description: &str, text: PipelineText) {
    // The registry lives as long as the process.
    let pipeline: &'static PipelineText = Box::leak(Box::new(text));
    let data = std::ptr::from_ref(pipeline).cast();
    // SAFETY: the strings are copied by the call; the data is never freed and may be shared by
    // threads.
    unsafe {
        tfxRegisterPipeline(
            string_ref(name),
            string_ref(description),
            pipeline_text,
            data,
        )
    }
}

unsafe extern "C" fn pipeline_text(
    pipeline: *const c_void,
    options: MlirStringRef,
    give: MlirStringCallback,
    give_data: *mut c_void,
) -> bool {
    // SAFETY: given by `register_pipeline`.
    let text = unsafe { &*pipeline.cast::<PipelineText>() };
    let options = str(options);
    let result = catch_unwind(AssertUnwindSafe(|| text(options)));
    let result =
        result.unwrap_or_else(|payload| Err(InvalidOptions(panic_message(&*payload).to_owned())));
    let (Ok(given) | Err(InvalidOptions(given))) = &result;
    if let Some(give) = give {
        // SAFETY: the callback copies the text during the call.
        unsafe { give(string_ref(given), give_data) };
    }
    result.is_ok()
}

pub(crate) fn is_pass_registered(argument: &str) -> bool {
    // SAFETY: the string is read during the call.
    unsafe { tfxIsPassRegistered(string_ref(argument)) }
}

pub(crate) fn run_pipeline(op: MlirOperation, text: &str, verify: bool) -> (bool, String) {
    // SAFETY: a live operation; the callback gets the buffer of `collect`.
    collect(|callback, data| unsafe {
        tfxRunPipeline(op, string_ref(text), verify, callback, data)
    })
}

/// Only inside of the run of a pass, on an operation that the pass may change.
pub(crate) fn run_nested_pipeline(op: MlirOperation, text: &str) -> (bool, String) {
    // SAFETY: a live operation; a pass runs on this thread; the callback gets the buffer of
    // `collect`.
    collect(|callback, data| unsafe { tfxRunNestedPipeline(op, string_ref(text), callback, data) })
}

/// Returns the pipeline with all options of its passes.
pub(crate) fn print_pipeline(text: &str) -> Result<String, PipelineError> {
    let ((ok, printed), errors) = collect(|error, error_data| {
        // SAFETY: both callbacks get buffers of `collect`.
        collect(|print, data| unsafe {
            tfxPrintPipeline(string_ref(text), print, data, error, error_data)
        })
    });
    if ok {
        Ok(printed)
    } else {
        Err(PipelineError::Syntax(errors))
    }
}
