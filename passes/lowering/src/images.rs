//! The images of programs: constants with the GraphDef and the channels of each program.
//!
//! The C type is `TfxImage` of `docs/program-image.md`, section 2; the fields are in its order.

use std::collections::{BTreeSet, HashMap, HashSet};

use melior::ir::Type;
use prost::Message;
use tfx_dialects::comm::CommOp;
use tfx_dialects::launches::{DeviceLaunch, DeviceMatrix, DeviceProduct, PTX};
use tfx_dialects::native::{Code, Part};
use tfx_dialects::schedules::{COMMANDS, SCHEDULE};
use tfx_dialects::stream::{Launch, Schedule};
use tfx_dialects::tensor;
use tfx_graphdef::naming::UniqueNames;
use tfx_graphdef_mlir::channels::{Channel, channels};
use tfx_graphdef_mlir::{Exporter, types};
use tfx_ir::attribute::{content, symbol, text};
use tfx_ir::diag::Diagnostic;
use tfx_ir::{Op, location};

use crate::globals::{Field, Globals, quote};

/// The symbols of the images, by the symbols of the graphs.
pub(crate) type Images = HashMap<String, String>;

/// Exports each program of a module and emits its image, under an unused name. Adds the functions
/// of native code to `codes`.
pub(crate) fn emit<'a>(
    module: Op<'a>,
    names: &mut UniqueNames,
    globals: &mut Globals,
    codes: &mut BTreeSet<String>,
) -> Result<Images, Diagnostic<'a>> {
    let exporter = Exporter::new(module);
    let graphs = module.collect(tensor::Graph::NAME);
    let graphs: HashMap<_, _> = graphs
        .into_iter()
        .filter_map(|graph| Some((graph.symbol_name()?, graph)))
        .collect();
    let schedules = module.children().filter_map(Schedule::cast);
    let schedules: HashMap<_, _> = schedules
        .map(|schedule| (schedule.sym_name(), schedule))
        .collect();
    let mut images = Images::new();
    // Several programs may call a graph.
    let mut described: HashMap<Op<'a>, Vec<Field>> = HashMap::new();
    for &graph in exporter.programs() {
        let name = names.take(&exporter.program_name(graph));
        let bytes = exporter.program(graph)?.encode_to_vec();
        let (inputs, results) = graph.signature();
        let rows = rows(graph, globals);
        let (mut natives, mut streamed) = (Vec::new(), Vec::new());
        for called in called(graph, &graphs) {
            streamed.extend(schedule(called, &exporter, &schedules, &graphs, globals));
            let Some(code) = Code::of(called) else {
                continue;
            };
            let fields = described
                .entry(called)
                .or_insert_with(|| native(&exporter.program_name(called), &code, globals));
            natives.push(fields.clone());
            codes.extend(code.versions.into_iter().map(|version| version.function));
        }
        let sizes = [inputs.len(), results.len()];
        let symbol = image(&name, &bytes, sizes, [&rows, &natives, &streamed], globals);
        images.insert(graph.symbol_name().unwrap_or_default().to_owned(), symbol);
    }
    Ok(images)
}

/// Returns the graphs that a graph calls, directly or not. Linear in these graphs.
fn called<'a>(graph: Op<'a>, graphs: &HashMap<&str, Op<'a>>) -> Vec<Op<'a>> {
    let mut found = vec![graph];
    let mut known = HashSet::from([graph]);
    let mut next = 0;
    while let Some(graph) = found.get(next) {
        next += 1;
        let calls = graph.walk().filter_map(tensor::Call::cast);
        let callees: Vec<_> = calls
            .filter_map(|call| graphs.get(call.callee()).copied())
            .collect();
        found.extend(callees.into_iter().filter(|callee| known.insert(*callee)));
    }
    found.split_off(1)
}

/// Returns the fields of the description of native code, `TfxNative`, and adds the functions of the
/// LLVM dialect whose addresses it has.
fn native(name: &str, code: &Code, globals: &mut Globals) -> Vec<Field> {
    let first = &code.versions[0].function;
    let mut types = |kind: &str, types: &[Vec<i64>]| {
        let rows: Vec<_> = types.iter().map(|ty| tensor_type(ty, globals)).collect();
        globals.array(&format!("tfx.{kind}.{first}"), &rows)
    };
    let (arguments, results) = (
        types("args", &code.arguments),
        types("results", &code.results),
    );
    let mut sizes = Vec::new();
    for size in &code.sizes {
        sizes.push(vec![
            Field::I64(size.factor),
            Field::I32(size.symbols.len() as i32),
            globals.sizes(&size.symbols),
        ]);
    }
    let sizes = globals.array(&format!("tfx.sizes.{first}"), &sizes);
    let part = |part: &Part| vec![Field::I64(part.units), Field::I32(part.size as i32)];
    let parts: Vec<_> = code.parts.iter().map(part).collect();
    let parts = globals.array(&format!("tfx.parts.{first}"), &parts);
    let mut versions = Vec::new();
    for version in &code.versions {
        versions.push(vec![
            Field::I32(version.vector_bytes as i32),
            Field::Address(entry(&version.function, globals)),
        ]);
    }
    vec![
        Field::Address(globals.c_string(name)),
        Field::I32(versions.len() as i32),
        globals.array(&format!("tfx.versions.{first}"), &versions),
        Field::I64(code.memory),
        Field::I32(code.arguments.len() as i32),
        Field::I32(code.results.len() as i32),
        arguments,
        results,
        Field::I32(code.sizes.len() as i32),
        sizes,
        Field::I32(code.parts.len() as i32),
        parts,
    ]
}

/// Returns the fields of the description of the schedule of a graph, `TfxSchedule`; none if the
/// graph has none.
fn schedule<'a>(
    graph: Op<'a>,
    exporter: &Exporter<'a>,
    schedules: &HashMap<&str, Schedule<'a>>,
    graphs: &HashMap<&str, Op<'a>>,
    globals: &mut Globals,
) -> Option<Vec<Field>> {
    let schedule = schedules.get(symbol(graph.attribute(SCHEDULE)?)?)?;
    let commands = content(schedule.op().attribute(COMMANDS)?)?;
    let launched = schedule.walk().filter_map(Launch::cast);
    let kernels: BTreeSet<&str> = launched.map(Launch::kernel).collect();
    let kernels = kernels
        .into_iter()
        .map(|kernel| graphs.get(kernel).copied());
    let kernels: Vec<Op<'a>> = kernels.collect::<Option<_>>()?;
    let name = schedule.sym_name();
    let code = schedule.op().attribute(PTX).and_then(text);
    let (code, launches) = match code {
        Some(code) => {
            let launches = kernels.iter().map(|kernel| device_code(*kernel, globals));
            let launches: Vec<_> = launches.collect();
            let launches = globals.array(&format!("tfx.launches.{name}"), &launches);
            (Field::Address(globals.c_string(code)), launches)
        }
        None => (Field::Null, Field::Null),
    };
    let kernels = kernels
        .into_iter()
        .map(|kernel| function(kernel, exporter, globals));
    let kernels = kernels.collect::<Option<Vec<_>>>()?;
    let own = function(graph, exporter, globals)?;
    let bytes = format!("tfx.commands.{name}");
    globals.bytes(&bytes, commands);
    Some(vec![
        globals.array(&format!("tfx.function.{name}"), &[own]),
        Field::Address(bytes),
        Field::I64(commands.len() as i64),
        Field::I32(kernels.len() as i32),
        globals.array(&format!("tfx.kernels.{name}"), &kernels),
        code,
        launches,
    ])
}

/// Returns the fields of the code of a kernel for devices, `TfxDeviceCode`.
fn device_code(kernel: Op<'_>, globals: &mut Globals) -> Vec<Field> {
    let Some(launches) = DeviceLaunch::of_kernel(kernel) else {
        return vec![Field::I32(-1), Field::Null];
    };
    let kernel = kernel.symbol_name().unwrap_or_default();
    let rows = launches.iter().enumerate().map(|(number, launch)| {
        let product = launch.product.as_ref().map(product).into_iter();
        let product: Vec<_> = product.collect();
        let parameters = launch.parameters.iter();
        let numbers: Vec<i64> = parameters
            .flat_map(|&(operand, offset)| [operand, offset])
            .collect();
        vec![
            Field::Address(globals.c_string(&launch.entry)),
            Field::I64(launch.threads),
            Field::I32(launch.parameters.len() as i32),
            globals.sizes(&numbers),
            globals.array(&format!("tfx.product.{kernel}.{number}"), &product),
        ]
    });
    let rows: Vec<_> = rows.collect();
    let symbol = format!("tfx.launches.{kernel}");
    vec![Field::I32(rows.len() as i32), globals.array(&symbol, &rows)]
}

/// Returns the fields of the product that a launch is, `TfxProduct`.
fn product(product: &DeviceProduct) -> Vec<Field> {
    let sizes = [product.batch, product.rows, product.columns, product.depth];
    let matrices = [product.a, product.b, product.c];
    let numbers = matrices.into_iter().flat_map(DeviceMatrix::numbers);
    let numbers = sizes.into_iter().chain(numbers).map(Field::I64);
    let element = Field::I32(product.element.data_type());
    [element].into_iter().chain(numbers).collect()
}

/// Returns the fields of the description of a graph with known shapes, `TfxFunction`.
fn function<'a>(
    graph: Op<'a>,
    exporter: &Exporter<'a>,
    globals: &mut Globals,
) -> Option<Vec<Field>> {
    let symbol = graph.symbol_name()?;
    let (inputs, results) = graph.signature();
    let counts = [inputs.len(), results.len()];
    let mut table = |kind: &str, values: Vec<Type<'a>>| {
        let row = |ty| {
            let mut row = vec![types::data_type(ty)? as i64];
            let sizes = types::sizes(ty)?.into_iter();
            let sizes = sizes.map(|size| i64::try_from(size?).ok());
            row.extend(sizes.collect::<Option<Vec<_>>>()?);
            Some(row)
        };
        let rows: Option<Vec<_>> = values.into_iter().map(row).collect();
        let rows: Vec<_> = rows?.iter().map(|row| tensor_type(row, globals)).collect();
        Some(globals.array(&format!("tfx.{kind}.{symbol}"), &rows))
    };
    let (arguments, returned) = (table("args", inputs)?, table("results", results)?);
    Some(vec![
        Field::Address(globals.c_string(symbol)),
        Field::Address(globals.c_string(&exporter.program_name(graph))),
        Field::I32(counts[0] as i32),
        Field::I32(counts[1] as i32),
        arguments,
        returned,
    ])
}

/// Adds the function of the LLVM dialect that calls native code, and returns its symbol.
fn entry(code: &str, globals: &mut Globals) -> String {
    let entry = format!("tfx.entry.{code}");
    let pointers = ["!llvm.ptr"; 5].join(", ");
    globals.function(&format!(
        "llvm.func internal @{}(%a: !llvm.ptr, %r: !llvm.ptr, %m: !llvm.ptr, %c: !llvm.ptr, \
         %s: !llvm.ptr) -> i32 {{\n  \
         %f = func.call @{}(%a, %r, %m, %c, %s) : ({pointers}) -> i32\n  \
         llvm.return %f : i32\n}}\n",
        quote(entry.as_bytes()),
        quote(code.as_bytes())
    ));
    entry
}

/// Returns the fields of a type: `TfxTensorType`.
fn tensor_type(ty: &[i64], globals: &mut Globals) -> Vec<Field> {
    let sizes = &ty[1..];
    vec![
        Field::I32(ty[0] as i32),
        Field::I32(sizes.len() as i32),
        globals.sizes(sizes),
    ]
}

/// Emits the image of a program with these numbers of inputs and results, a row for each channel
/// and one for each function with native code or a schedule, and returns its symbol.
pub(crate) fn image(
    name: &str,
    graphdef: &[u8],
    [inputs, results]: [usize; 2],
    [channels, natives, schedules]: [&[Vec<Field>]; 3],
    globals: &mut Globals,
) -> String {
    let table = globals.array(&format!("tfx.channels.{name}"), channels);
    let code = globals.array(&format!("tfx.natives.{name}"), natives);
    let streamed = globals.array(&format!("tfx.schedules.{name}"), schedules);
    let bytes = format!("tfx.graphdef.{name}");
    globals.bytes(&bytes, graphdef);
    let symbol = format!("tfx.image.{name}");
    let fields = [
        Field::Address(globals.c_string(name)),
        Field::Address(bytes),
        Field::I64(graphdef.len() as i64),
        Field::I32(inputs as i32),
        Field::I32(results as i32),
        Field::I32(channels.len() as i32),
        table,
        Field::I32(natives.len() as i32),
        code,
        Field::I32(schedules.len() as i32),
        streamed,
    ];
    globals.record(&symbol, &fields);
    symbol
}

fn rows(graph: Op<'_>, globals: &mut Globals) -> Vec<Vec<Field>> {
    let locations = locations(graph);
    channels(graph)
        .iter()
        .map(|channel| row(channel, &locations, globals))
        .collect()
}

fn row(
    channel: &Channel<'_>,
    locations: &HashMap<u32, String>,
    globals: &mut Globals,
) -> Vec<Field> {
    // The exporter has rejected types that TensorFlow does not have.
    let dtype = types::data_type(channel.ty).map_or(0, |dtype| dtype as i32);
    vec![
        Field::I32(channel.id as i32),
        Field::I32(if channel.to_host { 0 } else { 1 }),
        Field::I32(dtype),
        Field::I32(channel.capacity as i32),
        match locations.get(&channel.id) {
            Some(location) => Field::Address(globals.c_string(location)),
            None => Field::Null,
        },
    ]
}

/// Returns the source location of the send or receive on each channel.
fn locations(graph: Op<'_>) -> HashMap<u32, String> {
    let channel = |op| match CommOp::cast(op)? {
        CommOp::Send(send) => Some(send.channel()),
        CommOp::Recv(recv) => Some(recv.channel()),
        _ => None,
    };
    let ops = graph.walk();
    ops.filter_map(|op| Some((channel(op)?, location::place(op.location())?.to_string())))
        .collect()
}
