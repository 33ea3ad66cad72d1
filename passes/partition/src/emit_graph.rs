//! Writes the graph's side: a `tfx_tensor.graph` before the function, with its inputs, channels and
//! results.

use melior::ir::Attribute;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::r#type::FunctionType;
use tfx_dialects::channels::Channel;
use tfx_dialects::tensor;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Block, Builder, Op};

use crate::emit::{Ends, Sliced, Writer};
use crate::function::OpId;
use crate::place::Crossing;
use crate::side::Side;

/// Writes the graph of `func` under a free name.
pub(crate) fn emit_graph<'a>(
    func: Op<'a>,
    sliced: Sliced<'_, '_, 'a>,
    symbols: &mut SymbolTable<'a>,
) -> tensor::Graph<'a> {
    let mut writer = Writer::new(sliced, Side::Graph);
    let plan = sliced.plan;
    let [inputs, results] = [&plan.inputs, &plan.results].map(|values| writer.types(values));
    let ty = FunctionType::new(func.context(), &inputs, &results);

    let mut builder = Builder::before(func);
    let name = format!("{}.graph", func.symbol_name().unwrap_or_default());
    let graph = tensor::Graph::build(&mut builder, &name, ty);
    if !plan.crossings.is_empty() {
        graph.set_channels(Some(channels(&writer, &plan.crossings)));
    }
    symbols.insert(graph.op());

    let arguments: Vec<_> = plan
        .inputs
        .iter()
        .map(|&input| (writer.ty(input), writer.location(input)))
        .collect();
    let block = graph.body().add_block(&arguments);
    for (&input, argument) in plan.inputs.iter().zip(block.arguments()) {
        writer.map(input, argument);
    }
    writer.write(block, &mut GraphEnds);
    graph
}

/// Returns the channels, one for each crossing.
fn channels<'a>(writer: &Writer<'_, '_, 'a>, crossings: &[Crossing]) -> Attribute<'a> {
    let channels: Vec<Attribute<'a>> = (0..)
        .zip(crossings)
        .map(|(id, crossing)| Channel {
            id,
            to_host: crossing.receiver == Side::Host,
            ty: writer.ty(crossing.value),
            capacity: 0,
        })
        .map(Channel::attribute)
        .collect();
    let context = writer.op(crossings[0].before).context();
    ArrayAttribute::new(context, &channels).into()
}

struct GraphEnds;

impl<'a> Ends<'a> for GraphEnds {
    fn end(&mut self, writer: &mut Writer<'_, '_, 'a>, end: OpId, block: Block<'a>) {
        let results = writer.get_all(&writer.sliced.plan.results);
        let mut builder = Builder::at_end(block, writer.op(end).location());
        tensor::Return::build(&mut builder, &results);
    }
}
