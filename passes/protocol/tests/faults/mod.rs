//! Faults: each kind changes one thing at one place of a partitioned program.

use melior::ir::Attribute;
use melior::ir::attribute::{ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute};
use tfx_ir::{Builder, Definition, Mapping, Op, Region, Value};

/// What is changed, and what for.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Changes the program at `op` in the way of that number. Says whether there is such a way.
    pub(crate) inject: for<'a> fn(op: Op<'a>, way: usize) -> bool,
    /// How many ways there are to try at each operation.
    pub(crate) ways: usize,
}

const fn kind(name: &'static str, ways: usize, inject: for<'a> fn(Op<'a>, usize) -> bool) -> Kind {
    Kind { name, inject, ways }
}

pub(crate) const KINDS: [Kind; 22] = [
    kind("send dropped", 1, |op, _| is_send(op) && erase(op)),
    kind("receive dropped", 1, |op, _| is_receive(op) && erase(op)),
    kind("event duplicated", 1, |op, _| {
        is_transfer(op) && duplicate(op)
    }),
    kind("order of two events swapped", 1, |op, _| {
        is_event(op) && swap(op)
    }),
    kind("wrong channel", 3, |op, way| {
        is_transfer(op) && wrong_channel(op, way)
    }),
    kind("stale value sent", 3, |op, way| {
        is_send(op) && stale_operand(op, 0, way)
    }),
    kind("stale value as input", 3, |op, way| {
        op.is("tfx_comm.start")
            && (0..op.num_operands())
                .nth(way)
                .is_some_and(|at| stale_operand(op, at, 0))
    }),
    kind("event moved before its region", 1, |op, _| {
        is_transfer(op) && leave(op, true)
    }),
    kind("event moved behind its region", 1, |op, _| {
        is_transfer(op) && leave(op, false)
    }),
    kind("event moved into a region", 4, |op, way| {
        is_transfer(op) && sink(op, way)
    }),
    kind("finish dropped", 1, |op, _| {
        op.is("tfx_comm.finish") && erase(op)
    }),
    kind("terminate dropped", 1, |op, _| {
        op.is("tfx_comm.terminate") && erase(op)
    }),
    kind("end duplicated", 1, |op, _| is_end(op) && duplicate(op)),
    kind("condition negated", 1, |op, _| {
        matches!(op.name(), "scf.if" | "scf.condition") && negate(op)
    }),
    kind("stale condition", 3, |op, way| {
        matches!(op.name(), "scf.if" | "scf.condition" | "scf.index_switch")
            && stale_operand(op, 0, way)
    }),
    kind("branches exchanged", 1, |op, _| {
        matches!(op.name(), "scf.if" | "scf.index_switch") && exchange(op)
    }),
    kind("trip count changed", 3, |op, way| {
        op.is("scf.for") && stale_operand(op, way, 0)
            || way < 2 && op.is("arith.cmpi") && compare_otherwise(op, way)
    }),
    kind("constant changed", 1, |op, _| {
        op.is("arith.constant") && next_constant(op)
    }),
    kind("loop-carried value stale", 3, |op, way| {
        op.is("scf.while") && op.num_operands() > way && stale_operand(op, way, 0)
            || op.is("scf.yield") && op.num_operands() > way && stale_operand(op, way, 0)
    }),
    kind("wrong case", 1, |op, _| {
        op.is("scf.index_switch") && wrong_case(op)
    }),
    kind("wrong type or direction", 4, |op, way| {
        op.is("tfx_tensor.graph")
            && redeclare(op, way / 2, ["f32> f64>", "to_host to_graph"][way % 2])
    }),
    kind("capacity that there is not", 2, |op, way| {
        op.is("tfx_tensor.graph") && redeclare(op, way, "> , capacity = 3000000000>")
    }),
];

fn is_send(op: Op<'_>) -> bool {
    op.is("tfx_comm.send")
}

fn is_receive(op: Op<'_>) -> bool {
    op.is("tfx_comm.recv")
}

fn is_transfer(op: Op<'_>) -> bool {
    is_send(op) || is_receive(op)
}

fn is_end(op: Op<'_>) -> bool {
    op.is("tfx_comm.finish") || op.is("tfx_comm.terminate")
}

fn is_event(op: Op<'_>) -> bool {
    is_transfer(op) || is_end(op)
}

fn is_control(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        "scf.if" | "scf.index_switch" | "scf.while" | "scf.for"
    )
}

/// What took part in the results is a value that is never written.
fn erase(op: Op<'_>) -> bool {
    let mut builder = Builder::before(op);
    let values: Vec<Value<'_>> = op
        .results()
        .map(|result| builder.op("tfx_host.undef").result(result.ty()).value())
        .collect();
    op.replace_with(&values);
    true
}

fn duplicate(op: Op<'_>) -> bool {
    Builder::after(op).clone_op(op, &mut Mapping::new());
    true
}

/// With the next event or control flow of the same block.
fn swap(op: Op<'_>) -> bool {
    let next =
        std::iter::successors(op.next(), |op| op.next()).find(|&op| is_event(op) || is_control(op));
    next.is_some_and(|next| {
        op.move_after(next);
        true
    })
}

fn wrong_channel(op: Op<'_>, way: usize) -> bool {
    let channel = op.integer("channel").unwrap_or_default();
    let other = [channel + 1, channel - 1, channel + 2][way];
    if other < 0 {
        return false;
    }
    let ty = melior::ir::r#type::IntegerType::new(op.context(), 32);
    op.set_attribute("channel", IntegerAttribute::new(ty.into(), other));
    true
}

/// Another value of the same type that is there: the `way`-th that comes before.
fn stale_operand(op: Op<'_>, index: usize, way: usize) -> bool {
    if index >= op.num_operands() {
        return false;
    }
    let value = op.operand(index);
    let mut found = Vec::new();
    for place in std::iter::once(op).chain(op.ancestors()) {
        let before = std::iter::successors(place.prev(), |op| op.prev());
        found.extend(before.flat_map(|op| op.results()));
        found.extend(
            place
                .block()
                .into_iter()
                .flat_map(|block| block.arguments()),
        );
        if matches!(place.name(), "func.func" | "tfx_tensor.graph") {
            break;
        }
    }
    let other = found
        .into_iter()
        .filter(|&other| other.ty() == value.ty() && other != value)
        .nth(way);
    other.is_some_and(|other| {
        op.set_operand(index, other);
        true
    })
}

/// Out of the control flow around.
fn leave(op: Op<'_>, before: bool) -> bool {
    let Some(around) = op.parent().filter(|&around| is_control(around)) else {
        return false;
    };
    match before {
        true => op.move_before(around),
        false => op.move_after(around),
    }
    true
}

/// To the start of a region of the next or the last control flow in the block.
fn sink(op: Op<'_>, way: usize) -> bool {
    let control = match way < 2 {
        true => std::iter::successors(op.next(), |op| op.next()).find(|&op| is_control(op)),
        false => std::iter::successors(op.prev(), |op| op.prev()).find(|&op| is_control(op)),
    };
    let block = control
        .filter(|control| control.num_regions() > way % 2)
        .and_then(|control| control.region(way % 2).entry());
    let Some(first) = block.and_then(|block| block.first()) else {
        return false;
    };
    op.move_before(first);
    true
}

fn negate(op: Op<'_>) -> bool {
    let mut builder = Builder::before(op);
    let truth = builder.constant_bool(true);
    let not = builder
        .op("arith.xori")
        .operands(&[op.operand(0), truth])
        .result(truth.ty())
        .value();
    op.set_operand(0, not);
    true
}

/// What the first region does is done in the last, and the other way round.
fn exchange(op: Op<'_>) -> bool {
    let regions: Vec<Region<'_>> = op.regions().collect();
    let (Some(one), Some(other)) = (regions[0].entry(), regions[regions.len() - 1].entry()) else {
        return false;
    };
    if one == other {
        return false;
    }
    one.move_to_end(regions[regions.len() - 1]);
    other.move_to_end(regions[0]);
    true
}

fn compare_otherwise(op: Op<'_>, way: usize) -> bool {
    let predicate = op.integer("predicate").unwrap_or_default();
    // The neighbour that is one off at the border, or the opposite.
    let other = match way {
        0 => predicate ^ 1,
        _ => (predicate + 2) % 6,
    };
    let ty = melior::ir::r#type::IntegerType::new(op.context(), 64);
    op.set_attribute("predicate", IntegerAttribute::new(ty.into(), other));
    true
}

fn next_constant(op: Op<'_>) -> bool {
    let ty = op.result(0).ty();
    let Some(value) = op
        .integer("value")
        .filter(|_| op.boolean("value").is_none())
    else {
        return false;
    };
    op.set_attribute("value", IntegerAttribute::new(ty, value + 1));
    true
}

fn wrong_case(op: Op<'_>) -> bool {
    let cases = op
        .attribute("cases")
        .and_then(|cases| DenseI64ArrayAttribute::try_from(cases).ok())
        .expect("a switch has cases");
    let cases: Vec<i64> = (0..cases.len())
        .filter_map(|index| cases.element(index).ok())
        .map(|case| case + 1)
        .collect();
    op.set_attribute("cases", DenseI64ArrayAttribute::new(op.context(), &cases));
    !cases.is_empty()
}

/// Replaces one word by another in the declaration of a channel.
fn redeclare(graph: Op<'_>, index: usize, words: &str) -> bool {
    let channels = graph
        .attribute("channels")
        .and_then(|channels| ArrayAttribute::try_from(channels).ok());
    let Some(channels) = channels.filter(|channels| channels.len() > index) else {
        return false;
    };
    let (from, to) = words.split_once(' ').expect("two words");
    let mut all: Vec<Attribute<'_>> = (0..channels.len())
        .filter_map(|index| channels.element(index).ok())
        .collect();
    let text = all[index].to_string();
    let at = text.rfind(from);
    let Some(at) = at else { return false };
    let text = format!("{}{to}{}", &text[..at], &text[at + from.len()..]);
    let Some(attribute) = Attribute::parse(graph.context(), &text) else {
        return false;
    };
    all[index] = attribute;
    let array = ArrayAttribute::new(graph.context(), &all);
    graph.set_attribute("channels", array);
    true
}

/// Whether each operand is defined by something that was there before it. What the verifier of the IR would not have is no fault to test.
pub(crate) fn is_well_formed(module: Op<'_>) -> bool {
    module.walk().all(|op| {
        op.operands().all(|operand| {
            let place = match operand.definition() {
                Definition::Result(op, _) => op,
                Definition::Argument(block, _) => {
                    return block
                        .parent()
                        .is_some_and(|around| op.is_within(around) && holds(op, block));
                }
            };
            let block = place.block();
            let mut at = Some(op);
            while let Some(here) = at {
                if here.block() == block {
                    return place != here && place.is_before(here);
                }
                at = here.parent();
            }
            false
        })
    })
}

fn holds<'a>(op: Op<'a>, block: tfx_ir::Block<'a>) -> bool {
    std::iter::once(op)
        .chain(op.ancestors())
        .any(|place| place.block() == Some(block))
}
