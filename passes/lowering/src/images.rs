//! The images of programs: constants with the GraphDef and the channels of each program.
//!
//! The C type is `TfxImage` of `docs/program-image.md`, section 2; the fields are in its order.

use std::collections::HashMap;

use prost::Message;
use tfx_dialects::comm::CommOp;
use tfx_graphdef::naming::UniqueNames;
use tfx_graphdef_mlir::channels::{Channel, channels};
use tfx_graphdef_mlir::{Exporter, types};
use tfx_ir::diag::Diagnostic;
use tfx_ir::{Op, location};

use crate::globals::{Field, Globals};

/// The symbols of the images, by the symbols of the graphs.
pub(crate) type Images = HashMap<String, String>;

/// Exports each program of a module and emits its image, under an unused name.
pub(crate) fn emit<'a>(
    module: Op<'a>,
    names: &mut UniqueNames,
    globals: &mut Globals,
) -> Result<Images, Diagnostic<'a>> {
    let exporter = Exporter::new(module);
    let mut images = Images::new();
    for &graph in exporter.programs() {
        let name = names.take(&exporter.program_name(graph));
        let bytes = exporter.program(graph)?.encode_to_vec();
        let (inputs, results) = graph.signature();
        let rows = rows(graph, globals);
        let symbol = image(&name, &bytes, [inputs.len(), results.len()], &rows, globals);
        images.insert(graph.symbol_name().unwrap_or_default().to_owned(), symbol);
    }
    Ok(images)
}

/// Emits the image of a program with these numbers of inputs and results and a row for each
/// channel, and returns its symbol.
pub(crate) fn image(
    name: &str,
    graphdef: &[u8],
    [inputs, results]: [usize; 2],
    rows: &[Vec<Field>],
    globals: &mut Globals,
) -> String {
    let table = globals.array(&format!("tfx.channels.{name}"), rows);
    let bytes = format!("tfx.graphdef.{name}");
    globals.bytes(&bytes, graphdef);
    let symbol = format!("tfx.image.{name}");
    let fields = [
        Field::Address(globals.c_string(name)),
        Field::Address(bytes),
        Field::I64(graphdef.len() as i64),
        Field::I32(inputs as i32),
        Field::I32(results as i32),
        Field::I32(rows.len() as i32),
        table,
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
