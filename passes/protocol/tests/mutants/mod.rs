//! Mutants of partitioned programs: each kind changes one operation.

use melior::ir::Attribute;
use melior::ir::attribute::{ArrayAttribute, IntegerAttribute};
use tfx_dialects::{comm, host, tensor};
use tfx_ir::ops::arith::CmpIPredicate;
use tfx_ir::ops::{Structured, arith, func, scf};
use tfx_ir::{Builder, Definition, Mapping, Op, Region, Value};

/// A kind of mutation.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Applies the variant at the operation; returns false if there is no such variant.
    pub(crate) mutate: for<'a> fn(op: Op<'a>, variant: usize) -> bool,
    /// The number of variants at each operation.
    pub(crate) variants: usize,
}

const fn kind(
    name: &'static str,
    variants: usize,
    mutate: for<'a> fn(Op<'a>, usize) -> bool,
) -> Kind {
    Kind {
        name,
        mutate,
        variants,
    }
}

pub(crate) const KINDS: [Kind; 22] = [
    kind("send erased", 1, |op, _| is_send(op) && erase(op)),
    kind("receive erased", 1, |op, _| is_receive(op) && erase(op)),
    kind("event duplicated", 1, |op, _| {
        is_transfer(op) && duplicate(op)
    }),
    kind("order of two events exchanged", 1, |op, _| {
        is_event(op) && swap(op)
    }),
    kind("wrong channel", 3, |op, variant| {
        is_transfer(op) && wrong_channel(op, variant)
    }),
    kind("stale value sent", 3, |op, variant| {
        is_send(op) && stale_operand(op, 0, variant)
    }),
    kind("stale value as input", 3, |op, variant| {
        op.isa::<comm::Start>()
            && (0..op.num_operands())
                .nth(variant)
                .is_some_and(|at| stale_operand(op, at, 0))
    }),
    kind("event hoisted out of its region", 1, |op, _| {
        is_transfer(op) && leave(op, true)
    }),
    kind("event sunk behind its region", 1, |op, _| {
        is_transfer(op) && leave(op, false)
    }),
    kind("event moved into a region", 4, |op, variant| {
        is_transfer(op) && sink(op, variant)
    }),
    kind("finish erased", 1, |op, _| {
        op.isa::<comm::Finish>() && erase(op)
    }),
    kind("terminate erased", 1, |op, _| {
        op.isa::<comm::Terminate>() && erase(op)
    }),
    kind("end duplicated", 1, |op, _| is_end(op) && duplicate(op)),
    kind("condition negated", 1, |op, _| has_flag(op) && negate(op)),
    kind("stale condition", 3, |op, variant| {
        (has_flag(op) || op.isa::<scf::IndexSwitch>()) && stale_operand(op, 0, variant)
    }),
    kind("branches exchanged", 1, |op, _| {
        Structured::cast(op).is_some_and(Structured::is_branch) && exchange(op)
    }),
    kind("trip count changed", 3, |op, variant| {
        op.isa::<scf::For>() && stale_operand(op, variant, 0)
            || variant < 2 && arith::CmpI::cast(op).is_some_and(|op| compare_otherwise(op, variant))
    }),
    kind("constant changed", 1, |op, _| {
        op.isa::<arith::Constant>() && next_constant(op)
    }),
    kind("stale iteration argument", 3, |op, variant| {
        op.isa::<scf::While>() && op.num_operands() > variant && stale_operand(op, variant, 0)
            || op.isa::<scf::Yield>()
                && op.num_operands() > variant
                && stale_operand(op, variant, 0)
    }),
    kind("wrong case", 1, |op, _| {
        scf::IndexSwitch::cast(op).is_some_and(wrong_case)
    }),
    kind("wrong type or direction", 4, |op, variant| {
        tensor::Graph::cast(op).is_some_and(|graph| {
            redeclare(
                graph,
                variant / 2,
                ["f32> f64>", "to_host to_graph"][variant % 2],
            )
        })
    }),
    kind("invalid capacity", 2, |op, variant| {
        tensor::Graph::cast(op)
            .is_some_and(|graph| redeclare(graph, variant, "> , capacity = 3000000000>"))
    }),
];

fn is_send(op: Op<'_>) -> bool {
    op.isa::<comm::Send>()
}

fn is_receive(op: Op<'_>) -> bool {
    op.isa::<comm::Recv>()
}

fn is_transfer(op: Op<'_>) -> bool {
    is_send(op) || is_receive(op)
}

fn is_end(op: Op<'_>) -> bool {
    op.isa::<comm::Finish>() || op.isa::<comm::Terminate>()
}

fn is_event(op: Op<'_>) -> bool {
    is_transfer(op) || is_end(op)
}

fn is_control(op: Op<'_>) -> bool {
    Structured::cast(op).is_some()
}

/// Returns whether the first operand is a condition.
fn has_flag(op: Op<'_>) -> bool {
    op.isa::<scf::If>() || op.isa::<scf::Condition>()
}

/// Replaces the results by undefined values.
fn erase(op: Op<'_>) -> bool {
    let mut builder = Builder::before(op);
    let values: Vec<Value<'_>> = op
        .results()
        .map(|result| host::Undef::build(&mut builder, result.ty()).result())
        .collect();
    op.replace_with(&values);
    true
}

fn duplicate(op: Op<'_>) -> bool {
    Builder::after(op).clone_op(op, &mut Mapping::new());
    true
}

/// With the next event or structured operation of the same block.
fn swap(op: Op<'_>) -> bool {
    let next =
        std::iter::successors(op.next(), |op| op.next()).find(|&op| is_event(op) || is_control(op));
    next.is_some_and(|next| {
        op.move_after(next);
        true
    })
}

fn wrong_channel(op: Op<'_>, variant: usize) -> bool {
    let change = |channel: u32| match variant {
        0 => Some(channel + 1),
        1 => channel.checked_sub(1),
        _ => Some(channel + 2),
    };
    if let Some(send) = comm::Send::cast(op) {
        change(send.channel()).map(|channel| send.set_channel(channel))
    } else {
        comm::Recv::cast(op)
            .and_then(|recv| change(recv.channel()).map(|channel| recv.set_channel(channel)))
    }
    .is_some()
}

/// Replaces an operand by another value of its type: the one of that number among those defined
/// before, from the nearest on.
fn stale_operand(op: Op<'_>, index: usize, number: usize) -> bool {
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
        if place.isa::<func::Func>() || place.isa::<tensor::Graph>() {
            break;
        }
    }
    let other = found
        .into_iter()
        .filter(|&other| other.ty() == value.ty() && other != value)
        .nth(number);
    other.is_some_and(|other| {
        op.set_operand(index, other);
        true
    })
}

/// Out of the enclosing structured operation.
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

/// To the start of a region of the next or the previous structured operation in the block.
fn sink(op: Op<'_>, variant: usize) -> bool {
    let control = match variant < 2 {
        true => std::iter::successors(op.next(), |op| op.next()).find(|&op| is_control(op)),
        false => std::iter::successors(op.prev(), |op| op.prev()).find(|&op| is_control(op)),
    };
    let block = control
        .filter(|control| control.num_regions() > variant % 2)
        .and_then(|control| control.region(variant % 2).entry());
    let Some(first) = block.and_then(|block| block.first()) else {
        return false;
    };
    op.move_before(first);
    true
}

fn negate(op: Op<'_>) -> bool {
    let mut builder = Builder::before(op);
    let truth = builder.constant_bool(true);
    let negation = arith::XOrI::build(&mut builder, op.operand(0), truth);
    op.set_operand(0, negation.result());
    true
}

/// Exchanges the first and the last region.
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

fn compare_otherwise(comparison: arith::CmpI<'_>, variant: usize) -> bool {
    let predicate = comparison.predicate() as i64;
    // The predicate that differs at the bound, or another one.
    let other = match variant {
        0 => predicate ^ 1,
        _ => (predicate + 2) % 6,
    };
    CmpIPredicate::from_number(other).is_some_and(|other| {
        comparison.set_predicate(other);
        true
    })
}

fn next_constant(op: Op<'_>) -> bool {
    let ty = op.result(0).ty();
    let Some(value) = op
        .integer(arith::Constant::VALUE_ATTR)
        .filter(|_| op.boolean(arith::Constant::VALUE_ATTR).is_none())
    else {
        return false;
    };
    op.set_attribute(
        arith::Constant::VALUE_ATTR,
        IntegerAttribute::new(ty, value + 1),
    );
    true
}

fn wrong_case(switch: scf::IndexSwitch<'_>) -> bool {
    let cases: Vec<i64> = switch.cases().into_iter().map(|case| case + 1).collect();
    switch.set_cases(&cases);
    !cases.is_empty()
}

/// Replaces a word in the declaration of a channel.
fn redeclare(graph: tensor::Graph<'_>, index: usize, words: &str) -> bool {
    let channels = graph
        .channels()
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
    graph.set_channels(Some(array.into()));
    true
}

/// Returns whether each operand is defined before it is used: an invalid program is not a mutant.
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
