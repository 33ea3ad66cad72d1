//! The messages about copies, and the notes that show their paths.
//!
//! A diagnostic points at the source location of the copied value. Each leg of a round trip has a
//! note. The notes after those name the loop and possible changes: the equivalent graph operation,
//! moving the copy out of the loop, or marking it as intentional.

use melior::ir::r#type::IntegerType;
use melior::ir::{Location, Type};
use tfx_dialects::foreign::STANDARD_OUTPUT;
use tfx_dialects::host::{self, HostOp};
use tfx_dialects::transfer::Transfer;
use tfx_dialects::{comm, tensor};
use tfx_ir::ops::{func, scf};
use tfx_ir::size::Size;
use tfx_ir::trip_count::trip_count;
use tfx_ir::{Op, Value, location};

use crate::dependences::{Node, field_of};
use crate::diagnostics::Message;
use crate::flow::RoundTrip;
use crate::foreign::{self, Foreign};
use crate::program::{
    Program, common_loop, is_branch, is_conditional, is_loop, loops_around, source_value,
};
use crate::stalls::Stall;

/// The number of nested loops that notes name.
const LOOPS: usize = 3;

/// A round trip that ends with `send`.
pub(crate) fn round_trip<'a>(
    program: &Program<'a>,
    send: comm::Send<'a>,
    trip: &RoundTrip<'a>,
    foreign: &Foreign<'a>,
) -> Message<'a> {
    let around = trip.here.and_then(|here| common_loop(send.op(), here));
    let in_branch = |around| {
        let here = trip.here.is_some_and(|here| is_conditional(here, around));
        here || is_conditional(send.op(), around)
    };
    let often = match around {
        Some(around) if in_branch(around) => " in some iterations of this loop",
        Some(_) => " in every iteration of this loop",
        None => "",
    };
    let mut message = Message::new(format!(
        "{} stalls the accelerator{often}: a value leaves the accelerator, host code uses it, and the result is copied back",
        subject(send)
    ));
    let receive = trip.receive;
    let amount = comm::Recv::cast(receive).map(|receive| amount(Transfer::Recv(receive)));
    message.note(
        receive.location(),
        format!(
            "this value is copied to the host{}",
            amount.unwrap_or_default()
        ),
    );
    steps(&mut message, trip, foreign);
    if let Some((user, purpose)) = user_in_graph(program, send) {
        message.note(
            user.location(),
            format!("its result is copied back to the accelerator {purpose}"),
        );
    }
    match around {
        Some(_) => loops(&mut message, around),
        None => {
            if let Some(around) = loops_around(send.op()).next() {
                let text = "it is copied back in each iteration of this loop";
                message.note(around.location(), format!("{text}{}", count(around)));
            }
        }
    }
    fixes(&mut message, send, trip, foreign);
    message.note(
        source_value(send).1,
        "if this copy is intentional, mark it with tfx_comm.to_host and tfx_comm.to_accelerator",
    );
    message
}

/// An order stall.
pub(crate) fn order_stall<'a>(
    program: &Program<'a>,
    stall: &Stall<'a>,
    foreign: &Foreign<'a>,
) -> Message<'a> {
    let often = match stall.conditional {
        true => "some iterations",
        false => "every iteration",
    };
    let mut message = Message::new(format!(
        "the accelerator stalls in {often} of this loop, because effects keep their order: the host receives this value, an effect uses it, and only then is the next value sent{}",
        amount(Transfer::Recv(stall.receive))
    ));
    message.note(
        stall.effect.location(),
        format!("this effect waits for the value: {}", effect(stall.effect)),
    );
    let when = match stall.wraps {
        true => " in the next iteration",
        false => "",
    };
    message.note(
        source_value(stall.send).1,
        format!(
            "{} is copied to the accelerator{when} after that effect",
            subject(stall.send)
        ),
    );
    if let Some((user, purpose)) = user_in_graph(program, stall.send) {
        message.note(
            user.location(),
            format!("the accelerator waits for it {purpose}"),
        );
    }
    loops(&mut message, Some(stall.around));
    message.note(stall.effect.location(), reordering(stall, foreign));
    to_host_marker(&mut message, stall.receive);
    message
}

fn to_host_marker<'a>(message: &mut Message<'a>, receive: comm::Recv<'a>) {
    let text = match location::is_derived(receive.location()) {
        true => {
            "if this copy is intentional, mark the opposite copy of the function with \
             tfx_comm.to_accelerator"
        }
        false => "if this copy is intentional, mark it with tfx_comm.to_host",
    };
    message.note(receive.location(), text);
}

/// Describes an effect.
fn effect(op: Op<'_>) -> String {
    match HostOp::cast(op) {
        Some(HostOp::Abort(_) | HostOp::Assert(_)) => "the program may abort here".to_owned(),
        _ => describe(op),
    }
}

/// Suggests a change after which the send does not wait for the effect.
fn reordering<'a>(stall: &Stall<'a>, foreign: &Foreign<'a>) -> String {
    let sent = source_value(stall.send).0.defining_op();
    let effect = Some(stall.effect).filter(|op| op.is_unused());
    let reorderable = [effect, sent].map(|op| op.and_then(|op| Reorderable::of(op, foreign)));
    let [Some(effect), Some(sent)] = reorderable else {
        if let Some(call) = sent.and_then(func::Call::cast) {
            return format!(
                "call '@{}' ahead on a separate thread, with {PREFETCH}, or run this effect in fewer iterations, or after the loop",
                call.callee()
            );
        }
        return "run this effect in fewer iterations, or after the loop".to_owned();
    };
    if effect.state.is_some() && sent.state.is_some() {
        return format!(
            "{} has a state of its own, but something else in this loop keeps it from running ahead: an abort, an assert, a division that may fail, or an effect without a state",
            sent.name
        );
    }
    let unnamed = [&effect, &sent]
        .into_iter()
        .filter(|one| one.state.is_none());
    let names: Vec<&str> = unnamed.map(|one| one.name.as_str()).collect();
    format!(
        "name the state of {} with tfx.state, if {} and {} do not share a state: then {} runs ahead, and with {PREFETCH} even further, on a separate thread",
        names.join(" and that of "),
        effect.name,
        sent.name,
        sent.name
    )
}

const PREFETCH: &str = host::Prefetch::NAME;

/// Names the result that is taken from a queue.
fn taken_from(next: host::Next<'_>) -> String {
    let prefetch = next.queue().defining_op().and_then(host::Prefetch::cast);
    match prefetch {
        Some(prefetch) => format!("the next result of '@{}'", prefetch.callee()),
        None => "the next result of a queue".to_owned(),
    }
}

/// An effect that may be reordered with effects on other states.
struct Reorderable {
    name: String,
    state: Option<String>,
}

impl Reorderable {
    fn of<'a>(op: Op<'a>, foreign: &Foreign<'a>) -> Option<Self> {
        let state = || foreign.states_of(op).first().map(ToString::to_string);
        if let Some(call) = func::Call::cast(op) {
            return foreign.is_called_by(call).then(|| Self {
                name: format!("'@{}'", call.callee()),
                state: state(),
            });
        }
        match HostOp::cast(op)? {
            HostOp::Print(_) => Some(Self {
                name: "the print".to_owned(),
                state: Some(STANDARD_OUTPUT.to_owned()),
            }),
            HostOp::Next(next) => Some(Self {
                name: taken_from(next),
                state: state(),
            }),
            _ => None,
        }
    }
}

/// A copy to the accelerator, for the modes that report single copies.
pub(crate) fn to_accelerator<'a>(program: &Program<'a>, send: comm::Send<'a>) -> Message<'a> {
    let mut message = Message::new(format!(
        "{} is copied from the host to the accelerator{}",
        subject(send),
        amount(Transfer::Send(send))
    ));
    if let Some((user, purpose)) = user_in_graph(program, send) {
        message.note(user.location(), format!("it is copied {purpose}"));
    }
    loops(&mut message, loops_around(send.op()).next());
    hoist(&mut message, send);
    let (value, location) = source_value(send);
    let text = match location::is_derived(value.location()) {
        true => {
            "if this copy is intentional, mark the opposite copy of the function with \
             tfx_comm.to_host"
        }
        false => "if this copy is intentional, mark it with tfx_comm.to_accelerator",
    };
    message.note(location, text);
    message
}

/// A copy to the host, for the modes that report single copies.
pub(crate) fn to_host<'a>(receive: comm::Recv<'a>, foreign: &Foreign<'a>) -> Message<'a> {
    let what = match location::is_derived(receive.location()) {
        true => DERIVATIVE,
        false => "a value",
    };
    let amount = amount(Transfer::Recv(receive));
    let mut message = Message::new(format!(
        "{what} is copied from the accelerator to the host{amount}"
    ));
    if let Some(first) = first_use(receive.value()) {
        message.note(
            first.location(),
            format!("host code uses it here: {}", describe_use(first, foreign)),
        );
    }
    loops(&mut message, loops_around(receive.op()).next());
    to_host_marker(&mut message, receive);
    message
}

/// A one-way copy in the loop `around`.
pub(crate) fn one_way<'a>(transfer: Transfer<'a>, around: Op<'a>) -> Message<'a> {
    let amount = amount(transfer);
    let mut message = Message::new(match transfer {
        Transfer::Recv(_) => format!(
            "a value is copied to the host{amount}: the accelerator may run ahead, and values that the host has not received stay in memory"
        ),
        Transfer::Send(send) => format!(
            "{} is copied to the accelerator{amount}: the host may run ahead, and values that the accelerator has not received stay in memory",
            subject(send)
        ),
    });
    loops(&mut message, Some(around));
    message
}

/// A value that no operation of the source computes: the derivative of one does.
const DERIVATIVE: &str = "a value of the derivative of this operation";

/// Names the value that is sent.
pub(crate) fn subject(send: comm::Send<'_>) -> String {
    let (value, location) = source_value(send);
    if location::is_derived(value.location()) {
        return DERIVATIVE.to_owned();
    }
    if let Some(name) = location::name(location) {
        return format!("'{name}'");
    }
    let Some(producer) = value.defining_op() else {
        return match is_boolean(value) {
            true => "this condition".to_owned(),
            false => "this iteration argument".to_owned(),
        };
    };
    if let Some(call) = func::Call::cast(producer) {
        return format!("the result of '@{}'", call.callee());
    }
    if let Some(operation) = tensor::Op::cast(producer) {
        return format!("the result of \"{}\"", operation.tf_name());
    }
    let text = match HostOp::cast(producer) {
        Some(HostOp::Next(next)) => return taken_from(next),
        Some(HostOp::Load(load)) => return place(load.reference()),
        Some(HostOp::DynamicCall(call)) => {
            return format!("the result of method \"{}\"", call.method());
        }
        Some(HostOp::ArrayGet(_)) => "an element of an array",
        Some(HostOp::Apply(_)) => "the result of this closure",
        _ if is_boolean(value) => "this condition",
        _ if location::is_made(location) => "the decision of this branch",
        _ if is_branch(producer) => "the value of this branch",
        _ if is_loop(producer) => "the value of this loop",
        _ => "this value",
    };
    text.to_owned()
}

fn is_boolean(value: Value<'_>) -> bool {
    IntegerType::try_from(value.ty()).is_ok_and(|ty| ty.width() == 1)
}

/// Returns the size and the frequency of a copy, in parentheses.
fn amount(transfer: Transfer<'_>) -> String {
    let often = match loops_around(transfer.op()).next() {
        Some(around) if is_conditional(transfer.op(), around) => ", in some iterations",
        Some(_) => ", every iteration",
        None => "",
    };
    format!(" ({}{often})", size(transfer.value().ty()))
}

/// Describes the size of a value; by its type if several dimensions are unknown.
fn size(ty: Type<'_>) -> String {
    let Some(size) = Size::of(ty) else {
        return ty.to_string();
    };
    let bytes = match size.bytes {
        1 => "1 byte".to_owned(),
        bytes => format!("{bytes} bytes"),
    };
    match size.unknown_dimensions[..] {
        [] => bytes,
        [0] => format!("{bytes} x rows"),
        _ => ty.to_string(),
    }
}

/// Adds notes for a loop, if there is one, and the loops around it.
fn loops<'a>(message: &mut Message<'a>, innermost: Option<Op<'a>>) {
    let all = std::iter::successors(innermost, |inner| loops_around(*inner).next());
    for (index, around) in all.take(LOOPS).enumerate() {
        let which = match index {
            0 => "in this loop",
            _ => "inside of this loop",
        };
        message.note(around.location(), format!("{which}{}", count(around)));
    }
}

/// Returns the trip count of a loop as a clause, if it is known.
fn count(around: Op<'_>) -> String {
    match trip_count(around) {
        Some(1) => ", which runs once".to_owned(),
        Some(trips) => format!(", which runs {trips} times"),
        None => String::new(),
    }
}

/// Adds a note for each step of a path, up to a limit.
fn steps<'a>(message: &mut Message<'a>, trip: &RoundTrip<'a>, foreign: &Foreign<'a>) {
    for (index, node) in trip.steps.iter().enumerate() {
        let Some((location, text)) = step(node, foreign) else {
            continue;
        };
        let text = match index {
            0 => format!("host code uses it here: {text}"),
            _ => format!("and then here: {text}"),
        };
        message.note(location, text);
    }
    let more = trip.more.as_ref().and_then(|node| step(node, foreign));
    if let Some((location, _)) = more {
        message.note(location, "more uses follow, up to the copy back");
    }
}

fn step<'a>(node: &Node<'a>, foreign: &Foreign<'a>) -> Option<(Location<'a>, String)> {
    match *node {
        Node::Op(op) => Some((op.location(), describe_use(op, foreign))),
        Node::Executed(region) => {
            let owner = region.parent()?;
            Some((owner.location(), "it decides whether this runs".to_owned()))
        }
        _ => None,
    }
}

/// Adds notes for changes that remove a round trip.
fn fixes<'a>(
    message: &mut Message<'a>,
    send: comm::Send<'a>,
    trip: &RoundTrip<'a>,
    foreign: &Foreign<'a>,
) {
    for node in &trip.steps {
        if let Node::Op(op) = *node
            && let Some(equivalent) = foreign::equivalent(op, foreign)
        {
            message.note(
                op.location(),
                format!("the graph can compute this without the host: write {equivalent}"),
            );
        }
    }
    if let Some((owner, advice)) = trip.memory.and_then(memory) {
        message.note(owner.location(), advice);
    }
    hoist(message, send);
}

/// Adds a note if a value is sent in a loop that does not contain its definition.
fn hoist<'a>(message: &mut Message<'a>, send: comm::Send<'a>) {
    let defined_in = send.value().region().map(|region| region.parent());
    let outside = |around: &Op<'a>| {
        defined_in.is_some_and(|owner| owner.is_none_or(|op| !op.is_within(*around)))
    };
    if let Some(around) = loops_around(send.op()).next().filter(outside) {
        message.note(
            around.location(),
            "it is the same in each iteration of this loop: a use on the accelerator before the loop would copy it once",
        );
    }
}

/// Describes an operation of the host.
pub(crate) fn describe(op: Op<'_>) -> String {
    if location::is_derived(op.location()) {
        return "the derivative of this operation".to_owned();
    }
    if let Some(call) = func::Call::cast(op) {
        return format!("call of '@{}'", call.callee());
    }
    if let Some(operation) = tensor::Op::cast(op) {
        return format!(
            "\"{}\", which the host runs by itself, because an attribute is not a constant",
            operation.tf_name()
        );
    }
    let text = match HostOp::cast(op) {
        Some(HostOp::Store(store)) => {
            return format!("it is stored in {}", place(store.reference()));
        }
        Some(HostOp::Load(load)) => return format!("it is read from {}", place(load.reference())),
        Some(HostOp::DynamicCall(call)) => {
            let method = call.method();
            return format!("call of method \"{method}\", which is chosen at run time");
        }
        Some(HostOp::Print(_)) => "it is printed",
        Some(HostOp::Assert(_) | HostOp::Abort(_)) => "the program may end with a message here",
        Some(HostOp::New(_)) => "it is stored in a new object",
        Some(HostOp::Closure(_)) => "a closure captures it",
        Some(HostOp::Array(_) | HostOp::ArraySet(_) | HostOp::ArrayFill(_)) => {
            "it is stored in an array"
        }
        Some(HostOp::ArrayGet(_)) => "it is read from an array",
        Some(HostOp::Erase(_)) => "it is stored in an existential",
        Some(HostOp::Apply(_)) => "call of a closure that stays on the host",
        _ if op.isa::<scf::Condition>() => "it is the condition of the loop",
        _ if is_branch(op) => "it decides which branch is taken",
        _ => return format!("'{}'", op.name()),
    };
    text.to_owned()
}

/// Describes an operation of the host, and the reason why the graph does not run it.
fn describe_use<'a>(op: Op<'a>, foreign: &Foreign<'a>) -> String {
    let text = describe(op);
    match func::Call::cast(op).filter(|_| foreign::equivalent(op, foreign).is_none()) {
        Some(call) if foreign.is_called_by(call) => {
            format!("{text}, which has no graph equivalent")
        }
        Some(_) => format!("{text}, which stays a call on the host"),
        None => text,
    }
}

/// Names the memory that a reference refers to.
fn place(reference: Value<'_>) -> String {
    match reference.defining_op().and_then(field_of) {
        Some((class, field)) => format!("field '{field}' of class '@{class}'"),
        None => "a variable that a closure shares".to_owned(),
    }
}

/// Returns the owner of the memory that an operation accesses, and how to avoid that memory.
fn memory(op: Op<'_>) -> Option<(Op<'_>, String)> {
    let reference = match HostOp::cast(op)? {
        HostOp::Store(store) => store.reference(),
        HostOp::Load(load) => load.reference(),
        _ => return None,
    };
    let owner = reference.defining_op().unwrap_or(op);
    let advice = match field_of(owner) {
        Some((class, field)) => format!(
            "class '@{class}' is stored on the host; as a struct it would be split, and '{field}' would stay on the accelerator"
        ),
        None => "a variable that a closure shares is stored on the host; passed to the closure and returned by it, the value would stay on the accelerator"
            .to_owned(),
    };
    Some((owner, advice))
}

/// Returns the operation of the graph that uses the value of `send`, and the purpose.
fn user_in_graph<'a>(
    program: &Program<'a>,
    send: comm::Send<'a>,
) -> Option<(Op<'a>, &'static str)> {
    let receive = program.graph_receives.get(&send.channel())?;
    let mut user = first_use(receive.value())?;
    // A synthesized operation is not in the source: its own user stands for it.
    while location::is_made(user.location()) && user.num_results() > 0 {
        user = first_use(user.result(0))?;
    }
    if user.isa::<scf::Condition>() {
        return Some((user.parent()?, "as the condition of this loop"));
    }
    Some(match is_branch(user) {
        _ if location::is_derived(user.location()) => {
            (user, "for the derivative of this operation")
        }
        true => (user, "to decide this branch"),
        false => (user, "for this operation"),
    })
}

/// Returns the oldest use, which is the first one in the program after partition.
fn first_use(value: Value<'_>) -> Option<Op<'_>> {
    value.uses().last().map(|found| found.owner)
}
