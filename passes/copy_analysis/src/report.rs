//! The words: what is said about a copy, and the notes that show its way.
//!
//! A warning stands where the user wrote the value that is copied. Each leg of a round trip has a note; then come the loop, and what one may
//! do about it: write what the graph can do, take it out of the loop, or say that it is meant.

use melior::ir::r#type::IntegerType;
use melior::ir::{Location, Type};
use tfx_dialects::foreign::STANDARD_OUTPUT;
use tfx_dialects::{host, tensor};
use tfx_ir::ops::{func, scf};
use tfx_ir::size::Size;
use tfx_ir::trip_count::trip_count;
use tfx_ir::{Op, Value, location};

use crate::flow::{Node, Trip, field_of};
use crate::foreign::{self, Foreign};
use crate::program::{Program, common_loop, is_conditional, loops_around, value_of, written};
use crate::said::Message;
use crate::stalls::Stall;

/// How many loops around each other are shown.
const LOOPS: usize = 3;

/// A round trip that ends with `send`.
pub(crate) fn round_trip<'a>(
    program: &Program<'a>,
    send: Op<'a>,
    trip: &Trip<'a>,
    foreign: &Foreign<'a>,
) -> Message<'a> {
    let receive = trip.receive;
    let around = trip.here.and_then(|here| common_loop(send, here));
    let in_branch = |around| {
        let here = trip.here.is_some_and(|here| is_conditional(here, around));
        here || is_conditional(send, around)
    };
    let trips = match around {
        Some(around) if in_branch(around) => " in some trips of this loop",
        Some(_) => " in every trip of this loop",
        None => "",
    };
    let mut message = Message::new(format!(
        "{} makes the accelerator wait for the host{trips}: a value leaves the accelerator, host code uses it, and the result goes back",
        subject(send)
    ));
    message.note(
        receive.location(),
        format!("this value is copied to the host{}", amount(receive)),
    );
    steps(&mut message, trip, foreign);
    if let Some((user, purpose)) = user_in_graph(program, send) {
        message.note(
            user.location(),
            format!("its result is copied back to the accelerator {purpose}"),
        );
    }
    match around {
        Some(around) => loops(&mut message, around),
        None => {
            if let Some(around) = loops_around(send).next() {
                message.note(around.location(), copied_back_in(around));
            }
        }
    }
    fixes(&mut message, send, trip, foreign);
    message.note(
        written(send).1,
        "if this copy is meant, mark it with tfx_comm.to_host and tfx_comm.to_accelerator",
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
        "the accelerator stalls in {often} of this loop, by the order of effects: the host receives this value, an effect uses it, and only then the next value is sent{}",
        amount(stall.receive)
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
        written(stall.send).1,
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
    loops(&mut message, stall.around);
    message.note(stall.effect.location(), untangle(stall, foreign));
    message.note(
        stall.receive.location(),
        "if this copy is meant, mark it with tfx_comm.to_host",
    );
    message
}

/// An operation with effects, to a user.
fn effect(op: Op<'_>) -> String {
    match op.name() {
        host::Abort::NAME | host::Assert::NAME => "the program may abort here".to_owned(),
        _ => describe(op),
    }
}

/// What may be written instead, so that the send need not wait for the effect.
fn untangle<'a>(stall: &Stall<'a>, foreign: &Foreign<'a>) -> String {
    let sent = written(stall.send).0.defining_op();
    let effect = Some(stall.effect).filter(|op| op.is_unused());
    let ordered = [effect, sent].map(|op| op.and_then(|op| ordered(op, foreign)));
    let [Some(effect), Some(sent)] = ordered else {
        if let Some(callee) = sent.filter(|op| op.isa::<func::Call>()).and_then(callee) {
            return format!(
                "have a thread call '@{callee}' ahead, by {PREFETCH}, or have this effect in fewer iterations, or after the loop"
            );
        }
        return "have this effect in fewer iterations, or after the loop".to_owned();
    };
    match (&effect.state, &sent.state) {
        (Some(_), Some(_)) => format!(
            "{} has a state of its own and would run ahead if nothing else in this loop kept the order, such as an abort, an assert, a division that may fail or an effect without a state",
            sent.name
        ),
        _ => {
            let unnamed = [&effect, &sent]
                .into_iter()
                .filter(|one| one.state.is_none());
            let names: Vec<&str> = unnamed.map(|one| one.name.as_str()).collect();
            format!(
                "name the state of {} with tfx.state, if {} and {} do not share one: then {} runs ahead, and further ahead on a thread of its own, by {PREFETCH}",
                names.join(" and that of "),
                effect.name,
                sent.name,
                sent.name
            )
        }
    }
}

/// The operation by which a thread calls a function ahead.
const PREFETCH: &str = host::Prefetch::NAME;

fn callee(op: Op<'_>) -> Option<&str> {
    op.symbol("callee")
}

/// What the user calls what is taken from a queue.
fn taken_from(next: Op<'_>) -> String {
    let opened = next.operand(0).defining_op();
    match opened.and_then(callee) {
        Some(callee) => format!("the next result of '@{callee}'"),
        None => "the next result of a queue".to_owned(),
    }
}

/// An effect whose order with others a program may leave open.
struct Ordered {
    name: String,
    state: Option<String>,
}

fn ordered<'a>(op: Op<'a>, foreign: &Foreign<'a>) -> Option<Ordered> {
    match op.name() {
        host::Print::NAME => Some(Ordered {
            name: "the print".to_owned(),
            state: Some(STANDARD_OUTPUT.to_owned()),
        }),
        host::Next::NAME => Some(Ordered {
            name: taken_from(op),
            state: foreign.states_of(op).first().map(ToString::to_string),
        }),
        func::Call::NAME if foreign.declares(op) => Some(Ordered {
            name: format!("'@{}'", op.symbol("callee")?),
            state: foreign.states_of(op).first().map(ToString::to_string),
        }),
        _ => None,
    }
}

/// For the modes that look at single copies.
pub(crate) fn to_accelerator<'a>(program: &Program<'a>, send: Op<'a>) -> Message<'a> {
    let mut message = Message::new(format!(
        "{} is copied from the host to the accelerator{}",
        subject(send),
        amount(send)
    ));
    if let Some((user, purpose)) = user_in_graph(program, send) {
        message.note(user.location(), format!("it is copied {purpose}"));
    }
    if let Some(around) = loops_around(send).next() {
        loops(&mut message, around);
    }
    hoist(&mut message, send);
    message.note(
        written(send).1,
        "if this copy is meant, mark it with tfx_comm.to_accelerator",
    );
    message
}

/// For the modes that look at single copies.
pub(crate) fn to_host<'a>(receive: Op<'a>, foreign: &Foreign<'a>) -> Message<'a> {
    let mut message = Message::new(format!(
        "a value is copied from the accelerator to the host{}",
        amount(receive)
    ));
    if let Some(first) = first_use(value_of(receive)) {
        message.note(
            first.location(),
            format!("host code uses it here: {}", describe_use(first, foreign)),
        );
    }
    if let Some(around) = loops_around(receive).next() {
        loops(&mut message, around);
    }
    message.note(
        receive.location(),
        "if this copy is meant, mark it with tfx_comm.to_host",
    );
    message
}

impl<'a> Message<'a> {
    pub(crate) fn new(text: String) -> Self {
        Message {
            text,
            notes: Vec::new(),
        }
    }

    /// Notes stand where something was written: the calls are those of the message.
    pub(crate) fn note(&mut self, location: Location<'a>, text: impl Into<String>) {
        self.notes
            .push((location::call_chain(location).0, text.into()));
    }
}

/// What the user calls the value that is sent.
pub(crate) fn subject(send: Op<'_>) -> String {
    let (value, location) = written(send);
    if let Some(name) = location::name(location) {
        return format!("'{name}'");
    }
    let producer = value.defining_op();
    match producer.map(Op::name) {
        Some(func::Call::NAME) => {
            let callee = producer
                .and_then(|call| call.symbol("callee"))
                .unwrap_or_default();
            format!("the result of '@{callee}'")
        }
        Some(host::Next::NAME) => producer.map(taken_from).unwrap_or_default(),
        Some(tensor::Op::NAME) => {
            let operation = producer.and_then(|op| op.string("tf_name"));
            format!("the result of \"{}\"", operation.unwrap_or_default())
        }
        Some(host::Load::NAME) => {
            let reference = producer.map(|load| load.operand(0));
            reference.map(place).unwrap_or_default()
        }
        Some(host::ArrayGet::NAME) => "an element of an array".to_owned(),
        Some(host::Apply::NAME) => "the result of this closure".to_owned(),
        Some(host::DynamicCall::NAME) => {
            let method = producer.and_then(|call| call.string("method"));
            format!("the result of method \"{}\"", method.unwrap_or_default())
        }
        _ if IntegerType::try_from(value.ty()).is_ok_and(|ty| ty.width() == 1) => {
            "this condition".to_owned()
        }
        Some(_) if location::is_made(location) => "what this branch decides".to_owned(),
        Some(scf::If::NAME | scf::IndexSwitch::NAME) => "the value of this branch".to_owned(),
        Some(scf::For::NAME | scf::While::NAME) => "the value of this loop".to_owned(),
        None => "this value, which a loop carries,".to_owned(),
        Some(_) => "this value".to_owned(),
    }
}

/// How much is copied, and how often, in parentheses.
pub(crate) fn amount(transfer: Op<'_>) -> String {
    let often = match loops_around(transfer).next() {
        Some(around) if is_conditional(transfer, around) => ", in some trips",
        Some(_) => ", every trip",
        None => "",
    };
    format!(" ({}{often})", size(value_of(transfer).ty()))
}

/// The size of a value in words. Of several unknown dimensions no sentence can be made, so that is the type.
pub(crate) fn size(ty: Type<'_>) -> String {
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

/// The loop, and those around it.
pub(crate) fn loops<'a>(message: &mut Message<'a>, innermost: Op<'a>) {
    let all = std::iter::once(innermost).chain(loops_around(innermost));
    for (index, around) in all.take(LOOPS).enumerate() {
        let which = match index {
            0 => "in this loop",
            _ => "inside of this loop",
        };
        message.note(around.location(), format!("{which}{}", runs(around)));
    }
}

/// How often a loop runs, as a clause, if that can be seen.
fn runs(around: Op<'_>) -> String {
    match trip_count(around) {
        Some(1) => ", which runs once".to_owned(),
        Some(trips) => format!(", which runs {trips} times"),
        None => String::new(),
    }
}

fn copied_back_in(around: Op<'_>) -> String {
    format!(
        "it is copied back in each trip of this loop{}",
        runs(around)
    )
}

/// A note for each operation and each decision on the way, up to a limit.
fn steps<'a>(message: &mut Message<'a>, trip: &Trip<'a>, foreign: &Foreign<'a>) {
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
        message.note(location, "and so on, up to the copy back");
    }
}

fn step<'a>(node: &Node<'a>, foreign: &Foreign<'a>) -> Option<(Location<'a>, String)> {
    match *node {
        Node::Op(op) => Some((op.location(), describe_use(op, foreign))),
        Node::Runs(region) => {
            let owner = region.parent()?;
            Some((owner.location(), "it decides whether this runs".to_owned()))
        }
        _ => None,
    }
}

/// What may be written instead, so that nothing has to go back.
fn fixes<'a>(message: &mut Message<'a>, send: Op<'a>, trip: &Trip<'a>, foreign: &Foreign<'a>) {
    for node in &trip.steps {
        if let Node::Op(op) = *node
            && let Some(equivalent) = foreign::equivalent(op, foreign)
        {
            message.note(
                op.location(),
                format!("the graph can do this without the host: write {equivalent}"),
            );
        }
    }
    if let Some((owner, advice)) = trip.memory.and_then(memory) {
        message.note(owner.location(), advice);
    }
    hoist(message, send);
}

/// Says so if what is sent in each trip of a loop comes from outside of it.
fn hoist<'a>(message: &mut Message<'a>, send: Op<'a>) {
    let outside = |around: &Op<'a>| {
        let made_in = value_of(send).region();
        made_in.is_some_and(|region| region.parent().is_none_or(|op| !op.is_within(*around)))
    };
    if let Some(around) = loops_around(send).next().filter(outside) {
        message.note(
            around.location(),
            "it is the same in each trip of this loop: use it on the accelerator before the loop, and it is copied once",
        );
    }
}

/// An operation of the host, to a user.
pub(crate) fn describe(op: Op<'_>) -> String {
    match op.name() {
        func::Call::NAME => format!("call of '@{}'", op.symbol("callee").unwrap_or_default()),
        tensor::Op::NAME => format!(
            "\"{}\", which runs by itself on the host, because an attribute of it is not a constant",
            op.string("tf_name").unwrap_or_default()
        ),
        host::Print::NAME => "it is printed".to_owned(),
        host::Store::NAME => format!("it is stored in {}", place(op.operand(1))),
        host::Load::NAME => format!("it is read from {}", place(op.operand(0))),
        host::New::NAME => "a class instance is made with it".to_owned(),
        host::Closure::NAME => "a closure captures it".to_owned(),
        host::Array::NAME => "an array is made with it".to_owned(),
        host::ArrayGet::NAME => "it is read from an array".to_owned(),
        host::Erase::NAME => "an existential is made with it".to_owned(),
        host::Apply::NAME => "call of a closure that stays on the host".to_owned(),
        host::DynamicCall::NAME => format!(
            "call of method \"{}\", which only the run time can choose",
            op.string("method").unwrap_or_default()
        ),
        scf::Condition::NAME => "it is the loop's condition".to_owned(),
        scf::If::NAME | scf::IndexSwitch::NAME => "it decides which branch is taken".to_owned(),
        name => format!("'{name}'"),
    }
}

/// An operation of the host, and why the graph does not run it, where that is not to be seen.
fn describe_use<'a>(op: Op<'a>, foreign: &Foreign<'a>) -> String {
    let what = describe(op);
    if !op.isa::<func::Call>() || foreign::equivalent(op, foreign).is_some() {
        return what;
    }
    match foreign.declares(op) {
        true => format!("{what}, which has no graph equivalent"),
        false => format!("{what}, which stays a call of the host"),
    }
}

/// What a reference refers to.
fn place(reference: Value<'_>) -> String {
    match reference.defining_op().and_then(field_of) {
        Some((class, field)) => format!("field '{field}' of class '@{class}'"),
        None => "a variable that a closure shares".to_owned(),
    }
}

/// What an operation keeps a value in on the host, and what to write so that it need not.
fn memory(op: Op<'_>) -> Option<(Op<'_>, String)> {
    let reference = match op.name() {
        host::Store::NAME => op.operand(1),
        host::Load::NAME => op.operand(0),
        _ => return None,
    };
    let owner = reference.defining_op().unwrap_or(op);
    Some(match field_of(owner) {
        Some((class, field)) => (
            owner,
            format!(
                "class '@{class}' lives on the host; as a struct it would be taken apart, and '{field}' would stay on the accelerator"
            ),
        ),
        None => (
            owner,
            "a variable that a closure shares lives on the host; passed to the closure and returned by it, the value would stay on the accelerator"
                .to_owned(),
        ),
    })
}

/// Where the graph uses what `send` sends, and what for.
pub(crate) fn user_in_graph<'a>(
    program: &Program<'a>,
    send: Op<'a>,
) -> Option<(Op<'a>, &'static str)> {
    let receive = program.graph_receives.get(&send.integer("channel")?)?;
    let mut user = first_use(receive.result(0))?;
    // What the compiler makes of it stands for what is made of that.
    while location::is_made(user.location()) && user.num_results() > 0 {
        user = first_use(user.result(0))?;
    }
    Some(match user.name() {
        scf::Condition::NAME => (user.parent()?, "as the condition of this loop"),
        scf::If::NAME | scf::IndexSwitch::NAME => (user, "to decide this branch"),
        _ => (user, "for this operation"),
    })
}

/// The use that was made first, which is the first in the program after partition.
fn first_use(value: Value<'_>) -> Option<Op<'_>> {
    value.uses().last().map(|found| found.owner)
}
