//! Extracted programs: graphs and channels as data, and reports of copies.

use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::ptr::null;
use std::sync::Arc;

use tfx::Source;
use tfx::diag::Collected;
use tfx::program::{Extraction, Graph};
use tfx::report::{Format, Report, Traffic};

use super::buffer::TfxBuffer;
use super::diagnostics::TfxDiagnostics;
use super::error::TfxError;
use super::guard::{
    Enumeration, Failed, Out, c_string, destroy, guarded, pointer, read, required, value,
};

/// The format of a report.
#[allow(clippy::enum_variant_names, reason = "the names are those in C")]
#[derive(Clone, Copy)]
#[repr(C)]
pub enum TfxReportFormat {
    /// Text for a terminal.
    TfxReportFormatTable = 0,
    /// An HTML page.
    TfxReportFormatHtml = 1,
    /// SARIF 2.1.0.
    TfxReportFormatSarif = 2,
}

use TfxReportFormat::*;

impl Enumeration for TfxReportFormat {
    const VALUES: &'static [Self] = &[
        TfxReportFormatTable,
        TfxReportFormatHtml,
        TfxReportFormatSarif,
    ];
}

/// Returns the format that C names.
pub(super) fn format(raw: MaybeUninit<TfxReportFormat>) -> Result<Format, Failed> {
    Ok(match value(raw, "format")? {
        TfxReportFormatTable => Format::Table,
        TfxReportFormatHtml => Format::Html,
        TfxReportFormatSarif => Format::Sarif,
    })
}

/// The graphs of an extracted program, and its copies. Does not refer to the program.
pub struct TfxExtraction {
    graphs: Vec<TfxGraph>,
    diagnostics: TfxDiagnostics,
    collected: Vec<Collected>,
    traffic: Vec<Traffic>,
    source: Arc<Source>,
}

impl TfxExtraction {
    pub(super) fn new(extraction: Extraction<'_>, source: &Arc<Source>) -> Self {
        Self {
            graphs: extraction.graphs.iter().map(TfxGraph::new).collect(),
            diagnostics: TfxDiagnostics::new(extraction.diagnostics.clone(), source),
            collected: extraction.diagnostics,
            traffic: extraction.traffic,
            source: Arc::clone(source),
        }
    }
}

/// A graph that a host function starts. It belongs to its extraction.
pub struct TfxGraph {
    name: CString,
    inputs: Vec<CString>,
    results: Vec<CString>,
    channels: Vec<Channel>,
}

struct Channel {
    id: u32,
    to_host: bool,
    ty: CString,
}

impl TfxGraph {
    fn new(graph: &Graph<'_>) -> Self {
        let text = |ty: &melior::ir::Type<'_>| c_string(ty.to_string());
        let channel = |channel: &tfx::program::Channel<'_>| Channel {
            id: channel.id,
            to_host: channel.to_host,
            ty: text(&channel.ty),
        };
        Self {
            name: c_string(&graph.name),
            inputs: graph.inputs.iter().map(text).collect(),
            results: graph.results.iter().map(text).collect(),
            channels: graph.channels.iter().map(channel).collect(),
        }
    }
}

/// Returns the warnings and remarks, which live as long as the extraction, and must not be
/// destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxExtractionGetDiagnostics(
    extraction: *const TfxExtraction,
) -> *const TfxDiagnostics {
    // SAFETY: by the contract of the module.
    unsafe { read(extraction, null(), |of| Some(&raw const of.diagnostics)) }
}

/// Returns the number of graphs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxExtractionGetNumGraphs(extraction: *const TfxExtraction) -> usize {
    // SAFETY: by the contract of the module.
    unsafe { read(extraction, 0, |of| Some(of.graphs.len())) }
}

/// Returns a graph, in program order, or NULL. It lives as long as the extraction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxExtractionGetGraph(
    extraction: *const TfxExtraction,
    index: usize,
) -> *const TfxGraph {
    let graph = |of: &TfxExtraction| of.graphs.get(index).map(std::ptr::from_ref);
    // SAFETY: by the contract of the module.
    unsafe { read(extraction, null(), graph) }
}

/// Formats a report of the copies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxExtractionReport(
    extraction: *const TfxExtraction,
    format: MaybeUninit<TfxReportFormat>,
    report: *mut *mut TfxBuffer,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (result, of) = unsafe {
            (
                Out::new(report, "report")?,
                required(extraction, "extraction")?,
            )
        };
        let report = Report::new(&of.source, of.collected.clone(), of.traffic.clone());
        result.set(TfxBuffer::new(report.text(self::format(format)?)));
        Ok(())
    })
}

/// Destroys an extraction. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxExtractionDestroy(extraction: *mut TfxExtraction) {
    // SAFETY: by the contract of the module.
    unsafe { destroy(extraction) }
}

/// Returns the symbol of a graph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxGraphGetName(graph: *const TfxGraph) -> *const c_char {
    // SAFETY: by the contract of the module.
    unsafe { read(graph, null(), |of| Some(of.name.as_ptr())) }
}

/// Returns the number of program inputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxGraphGetNumInputs(graph: *const TfxGraph) -> usize {
    // SAFETY: by the contract of the module.
    unsafe { read(graph, 0, |of| Some(of.inputs.len())) }
}

/// Returns the type of a program input as MLIR prints it, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxGraphGetInput(graph: *const TfxGraph, index: usize) -> *const c_char {
    let input = |of: &TfxGraph| Some(pointer(of.inputs.get(index).map(CString::as_c_str)));
    // SAFETY: by the contract of the module.
    unsafe { read(graph, null(), input) }
}

/// Returns the number of results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxGraphGetNumResults(graph: *const TfxGraph) -> usize {
    // SAFETY: by the contract of the module.
    unsafe { read(graph, 0, |of| Some(of.results.len())) }
}

/// Returns the type of a result as MLIR prints it, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxGraphGetResult(graph: *const TfxGraph, index: usize) -> *const c_char {
    let result = |of: &TfxGraph| Some(pointer(of.results.get(index).map(CString::as_c_str)));
    // SAFETY: by the contract of the module.
    unsafe { read(graph, null(), result) }
}

/// Returns the number of channels between a graph and its host.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxGraphGetNumChannels(graph: *const TfxGraph) -> usize {
    // SAFETY: by the contract of the module.
    unsafe { read(graph, 0, |of| Some(of.channels.len())) }
}

/// Returns the number of a channel, which is unique in its graph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxGraphGetChannelId(graph: *const TfxGraph, index: usize) -> u32 {
    let id = |of: &TfxGraph| of.channels.get(index).map(|channel| channel.id);
    // SAFETY: by the contract of the module.
    unsafe { read(graph, 0, id) }
}

/// Returns true if the graph sends and the host receives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxGraphIsChannelToHost(graph: *const TfxGraph, index: usize) -> bool {
    let to_host = |of: &TfxGraph| of.channels.get(index).map(|channel| channel.to_host);
    // SAFETY: by the contract of the module.
    unsafe { read(graph, false, to_host) }
}

/// Returns the type of the messages of a channel as MLIR prints it, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxGraphGetChannelType(
    graph: *const TfxGraph,
    index: usize,
) -> *const c_char {
    let ty = |of: &TfxGraph| of.channels.get(index).map(|channel| channel.ty.as_ptr());
    // SAFETY: by the contract of the module.
    unsafe { read(graph, null(), ty) }
}
