//! Writes the host's side: the function keeps its name and type and gets a new body, which starts
//! the program, finishes it, and terminates it before an abort.

use melior::ir::Location;
use tfx_dialects::{comm, tensor};
use tfx_ir::{Block, Builder, Op};

use crate::emit::{Ends, Sliced, Writer};
use crate::function::{BODY, OpId};
use crate::side::Side;

/// Replaces the body of `func` by the host's side. `graph` is the graph that it runs, if any.
pub(crate) fn emit_host<'a>(
    func: Op<'a>,
    graph: Option<tensor::Graph<'a>>,
    sliced: Sliced<'_, '_, 'a>,
) {
    let region = func.region(0);
    let old = region.entry().expect("a function that is split has a body");
    let new = region.add_block_like(old);

    let mut writer = Writer::new(sliced, Side::Host);
    for (&argument, value) in writer.function()[BODY]
        .arguments
        .iter()
        .zip(new.arguments())
    {
        writer.map(argument, value);
    }
    writer.write(
        new,
        &mut HostEnds {
            graph,
            running: false,
        },
    );
    old.erase();
}

struct HostEnds<'a> {
    graph: Option<tensor::Graph<'a>>,
    running: bool,
}

impl<'a> Ends<'a> for HostEnds<'a> {
    fn before_body_op(&mut self, writer: &mut Writer<'_, '_, 'a>, index: usize, block: Block<'a>) {
        let Some(graph) = self.graph else { return };
        let location = writer.op(writer.function()[BODY].ops[index]).location();
        if index == writer.sliced.plan.start {
            start(writer, graph, block, location);
            self.running = true;
        }
        if index == writer.sliced.plan.finish {
            finish(writer, block, location);
            self.running = false;
        }
    }

    fn before_abort(
        &mut self,
        writer: &mut Writer<'_, '_, 'a>,
        block: Block<'a>,
        location: Location<'a>,
    ) {
        if let Some(program) = writer.program.filter(|_| self.running) {
            comm::Terminate::build(&mut Builder::at_end(block, location), program);
        }
    }

    fn end(&mut self, writer: &mut Writer<'_, '_, 'a>, end: OpId, block: Block<'a>) {
        let operands = 0..writer.op(end).num_operands();
        writer.terminator(end, operands, block);
    }
}

fn start<'a>(
    writer: &mut Writer<'_, '_, 'a>,
    graph: tensor::Graph<'a>,
    block: Block<'a>,
    location: Location<'a>,
) {
    let inputs = writer.get_all(&writer.sliced.plan.inputs);
    let mut builder = Builder::at_end(block, location);
    writer.program = Some(comm::Start::build(&mut builder, graph.sym_name(), &inputs).program());
}

fn finish<'a>(writer: &mut Writer<'_, '_, 'a>, block: Block<'a>, location: Location<'a>) {
    let results = &writer.sliced.plan.results;
    let types = writer.types(results);
    let program = writer
        .program
        .expect("a program is started before it is finished");
    let mut builder = Builder::at_end(block, location);
    let finish = comm::Finish::build(&mut builder, &types, program);
    for (&result, value) in results.iter().zip(finish.results()) {
        writer.map(result, value);
    }
}
