//! The image of a program: its GraphDef and its channels, as a constant of the host's module.
//!
//! The C type is `TfxImage` of `docs/program-image.md`, section 2; the fields here are in its order.

use std::collections::HashMap;

use prost::Message;
use tfx_graphdef_mlir::channels::{Channel, Direction, channel_of, channels};
use tfx_graphdef_mlir::{Exporter, types};
use tfx_ir::diag::Diag;
use tfx_ir::{Op, location};

use crate::globals::{Field, Globals};

/// The symbol of each graph's image, by the graph's symbol.
pub(crate) type Images = HashMap<String, String>;

/// Exports every program of a module and writes its image.
pub(crate) fn emit<'a>(module: Op<'a>, globals: &mut Globals) -> Result<Images, Diag<'a>> {
    let exporter = Exporter::new(module);
    let mut images = Images::new();
    for &graph in exporter.programs() {
        let name = exporter.program_name(graph);
        let bytes = exporter.program(graph)?.encode_to_vec();
        let symbol = image(graph, &name, &bytes, globals);
        images.insert(graph.symbol_name().unwrap_or_default().to_owned(), symbol);
    }
    Ok(images)
}

fn image(graph: Op<'_>, name: &str, graphdef: &[u8], globals: &mut Globals) -> String {
    let declared = channels(graph);
    let places = places(graph);
    let rows: Vec<_> = declared
        .iter()
        .map(|channel| row(channel, &places, globals))
        .collect();
    let table = globals.array(&format!("tfx.channels.{name}"), &rows);
    let bytes = format!("tfx.graphdef.{name}");
    globals.bytes(&bytes, graphdef);
    let (inputs, results) = graph.signature();
    let symbol = format!("tfx.image.{name}");
    let fields = [
        Field::Address(globals.c_string(name)),
        Field::Address(bytes),
        Field::I64(graphdef.len() as i64),
        Field::I32(inputs.len() as i32),
        Field::I32(results.len() as i32),
        Field::I32(rows.len() as i32),
        table,
    ];
    globals.record(&symbol, &fields);
    symbol
}

fn row(channel: &Channel<'_>, places: &HashMap<u32, String>, globals: &mut Globals) -> Vec<Field> {
    // The exporter has refused a channel whose type TensorFlow does not have.
    let dtype = types::data_type(channel.r#type).map_or(0, |dtype| dtype as i32);
    vec![
        Field::I32(channel.id as i32),
        Field::I32(match channel.direction {
            Direction::ToHost => 0,
            Direction::ToGraph => 1,
        }),
        Field::I32(dtype),
        Field::I32(channel.capacity as i32),
        places
            .get(&channel.id)
            .map_or(Field::Null, |place| Field::Address(globals.c_string(place))),
    ]
}

/// Where the value of each channel comes from.
fn places(graph: Op<'_>) -> HashMap<u32, String> {
    let ends = graph
        .walk()
        .filter(|op| op.is("tfx_comm.send") || op.is("tfx_comm.recv"));
    ends.filter_map(|op| Some((channel_of(op), location::place(op.location())?.to_string())))
        .collect()
}
