//! The image of a program: its GraphDef and its channels, as a constant of the host's module.
//!
//! The C type is `TfxImage` of `docs/program-image.md`, section 2; the fields here are in its order.

use std::collections::HashMap;

use prost::Message;
use tfx_graphdef::naming::UniqueNames;
use tfx_graphdef_mlir::channels::{Channel, Direction, channel_of, channels};
use tfx_graphdef_mlir::{Exporter, types};
use tfx_ir::diag::Diag;
use tfx_ir::{Op, location};

use crate::globals::{Field, Globals};

/// The symbol of each graph's image, by the graph's symbol.
pub(crate) type Images = HashMap<String, String>;

/// Exports every program of a module and writes its image. Their names are taken from `names`.
pub(crate) fn emit<'a>(
    module: Op<'a>,
    names: &mut UniqueNames,
    globals: &mut Globals,
) -> Result<Images, Diag<'a>> {
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

/// The image of a program with so many inputs and results, and a row for each channel; its symbol.
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
    let places = places(graph);
    channels(graph)
        .iter()
        .map(|channel| row(channel, &places, globals))
        .collect()
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
