//! The words: what is said about a copy, and the notes that show its way.
//!
//! A warning stands where the user wrote the value that is copied. Where that was inlined, it stands in the callee, with a note for each
//! call.

use melior::ir::r#type::IntegerType;
use melior::ir::{Location, Type};
use tfx_ir::size::Size;
use tfx_ir::trips::trip_count;
use tfx_ir::{Op, Value, location};

use crate::copy_analysis::{Program, loops_around};
use crate::flow::{Node, field_of};

/// A warning that is still to be given its severity.
pub(crate) struct Warning<'a> {
    pub(crate) location: Location<'a>,
    pub(crate) message: String,
    pub(crate) notes: Vec<(Location<'a>, String)>,
}

/// How many steps of a chain are shown: enough to see the way, few enough to be read.
const STEPS: usize = 4;

/// `chain` leads from what was received to what `send` sends.
pub(crate) fn round_trip<'a>(
    program: &Program<'a>,
    send: Op<'a>,
    chain: &[Node<'a>],
) -> Warning<'a> {
    let value = send.operand(0);
    let trips = if loops_around(send).next().is_some() {
        " in every trip of this loop"
    } else {
        ""
    };
    let message = format!(
        "{} makes the accelerator wait for the host{trips}: a value leaves the accelerator, host code uses it, and the result goes back",
        subject(value, send)
    );
    let mut warning = Warning::at(send.location(), message);
    if let Some(receive) = chain.first().and_then(receive_of) {
        warning.note(
            receive.location(),
            format!(
                "this value is copied to the host{}",
                amount(receive, receive.result(0))
            ),
        );
    }
    steps(&mut warning, chain);
    if let Some((user, purpose)) = user_in_graph(program, send) {
        warning.note(
            user.location(),
            format!("its result is copied back to the accelerator {purpose}"),
        );
    }
    if let Some(around) = loops_around(send).next() {
        warning.note(around.location(), loop_note(around));
    }
    let held = chain.iter().find_map(|node| match node {
        Node::Op(op) => memory(*op),
        _ => None,
    });
    if let Some((owner, advice)) = held {
        warning.note(owner.location(), advice);
    }
    warning.note(
        send.location(),
        "if this copy is meant, mark it with tfx_comm.to_host and tfx_comm.to_accelerator",
    );
    warning
}

/// For the modes that look at single copies.
pub(crate) fn to_accelerator<'a>(program: &Program<'a>, send: Op<'a>) -> Warning<'a> {
    let value = send.operand(0);
    let message = format!(
        "{} is copied from the host to the accelerator{}",
        subject(value, send),
        amount(send, value)
    );
    let mut warning = Warning::at(send.location(), message);
    if let Some((user, purpose)) = user_in_graph(program, send) {
        warning.note(user.location(), format!("it is copied {purpose}"));
    }
    if let Some(around) = loops_around(send).next() {
        warning.note(around.location(), loop_note(around));
    }
    warning.note(
        send.location(),
        "if this copy is meant, mark it with tfx_comm.to_accelerator",
    );
    warning
}

/// For the modes that look at single copies.
pub(crate) fn to_host<'a>(receive: Op<'a>) -> Warning<'a> {
    let value = receive.result(0);
    let message = format!(
        "a value is copied from the accelerator to the host{}",
        amount(receive, value)
    );
    let mut warning = Warning::at(receive.location(), message);
    if let Some(first) = first_use(value) {
        warning.note(
            first.location(),
            format!("host code uses it here: {}", describe(first)),
        );
    }
    if let Some(around) = loops_around(receive).next() {
        warning.note(around.location(), loop_note(around));
    }
    warning.note(
        receive.location(),
        "if this copy is meant, mark it with tfx_comm.to_host",
    );
    warning
}

impl<'a> Warning<'a> {
    fn at(location: Location<'a>, message: String) -> Self {
        let (written, calls) = unfold(location);
        let notes = calls
            .into_iter()
            .map(|call| (call, "inlined here".to_owned()))
            .collect();
        Warning {
            location: written,
            message,
            notes,
        }
    }

    fn note(&mut self, location: Location<'a>, text: impl Into<String>) {
        self.notes.push((unfold(location).0, text.into()));
    }
}

/// The place that the user wrote, and the calls through which it was inlined, the innermost first.
fn unfold(location: Location<'_>) -> (Location<'_>, Vec<Location<'_>>) {
    let (mut at, mut calls) = (location, Vec::new());
    while at.is_call_site() {
        calls.push(at.call_site_caller());
        at = at.call_site_callee();
    }
    // The callee's chain was found last, and is the innermost.
    calls.reverse();
    (at, calls)
}

/// What the user calls the value that is sent.
fn subject<'a>(value: Value<'a>, send: Op<'a>) -> String {
    if let Some(name) = location::name(send.location()) {
        return format!("'{name}'");
    }
    let producer = value.defining_op();
    match producer.map(Op::name) {
        Some("func.call") => {
            let callee = producer
                .and_then(|call| call.symbol("callee"))
                .unwrap_or_default();
            format!("the result of '@{callee}'")
        }
        Some("tfx_tensor.op") => {
            let operation = producer.and_then(|op| op.string("tf_name"));
            format!("the result of \"{}\"", operation.unwrap_or_default())
        }
        Some("tfx_host.load") => {
            let reference = producer.map(|load| load.operand(0));
            reference.map(place).unwrap_or_default()
        }
        Some("tfx_host.array_get") => "an element of an array".to_owned(),
        Some("tfx_host.apply") => "the result of this closure".to_owned(),
        Some("tfx_host.dynamic_call") => {
            let method = producer.and_then(|call| call.string("method"));
            format!("the result of method \"{}\"", method.unwrap_or_default())
        }
        _ if IntegerType::try_from(value.ty()).is_ok_and(|ty| ty.width() == 1) => {
            "this condition".to_owned()
        }
        Some("scf.if" | "scf.index_switch") => "the value of this branch".to_owned(),
        Some("scf.for" | "scf.while") => "the value of this loop".to_owned(),
        None => "this value, which a loop carries,".to_owned(),
        Some(_) => "this value".to_owned(),
    }
}

/// How much is copied, and how often, in parentheses.
fn amount<'a>(transfer: Op<'a>, value: Value<'a>) -> String {
    let often = if loops_around(transfer).next().is_some() {
        ", every trip"
    } else {
        ""
    };
    format!(" ({}{often})", size(value.ty()))
}

/// The size of a value in words. Of several unknown dimensions no sentence can be made, so that is the type.
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

fn loop_note(around: Op<'_>) -> String {
    match trip_count(around) {
        Some(1) => "in this loop, which runs once".to_owned(),
        Some(trips) => format!("in this loop, which runs {trips} times"),
        None => "in this loop".to_owned(),
    }
}

fn receive_of<'a>(node: &Node<'a>) -> Option<Op<'a>> {
    match node {
        Node::Value(value) => value.defining_op(),
        _ => None,
    }
}

/// A note for each operation and each decision on the way, up to a limit.
fn steps<'a>(warning: &mut Warning<'a>, chain: &[Node<'a>]) {
    let mut shown = 0;
    for node in chain {
        let (location, text) = match *node {
            Node::Op(op) => (op.location(), describe(op)),
            Node::Runs(region) => match region.parent() {
                Some(owner) => (owner.location(), "it decides whether this runs".to_owned()),
                None => continue,
            },
            Node::Value(_) | Node::Field(..) | Node::ReadsAny(_) | Node::WritesAny(_) => continue,
        };
        if shown == STEPS {
            warning.note(location, "and so on, up to the copy back");
            return;
        }
        let text = if shown == 0 {
            format!("host code uses it here: {text}")
        } else {
            format!("and then here: {text}")
        };
        warning.note(location, text);
        shown += 1;
    }
}

/// An operation of the host, to a user.
fn describe(op: Op<'_>) -> String {
    match op.name() {
        "func.call" => format!(
            "call of '@{}', which has no graph equivalent",
            op.symbol("callee").unwrap_or_default()
        ),
        "tfx_tensor.op" => format!(
            "\"{}\", which runs by itself on the host, because an attribute of it is not a constant",
            op.string("tf_name").unwrap_or_default()
        ),
        "tfx_host.print" => "it is printed".to_owned(),
        "tfx_host.store" => format!("it is stored in {}", place(op.operand(1))),
        "tfx_host.load" => format!("it is read from {}", place(op.operand(0))),
        "tfx_host.new" => "a class instance is made with it".to_owned(),
        "tfx_host.closure" => "a closure captures it".to_owned(),
        "tfx_host.array" => "an array is made with it".to_owned(),
        "tfx_host.array_get" => "it is read from an array".to_owned(),
        "tfx_host.erase" => "an existential is made with it".to_owned(),
        "tfx_host.apply" => "call of a closure that stays on the host".to_owned(),
        "tfx_host.dynamic_call" => format!(
            "call of method \"{}\", which only the run time can choose",
            op.string("method").unwrap_or_default()
        ),
        "scf.condition" => "it decides whether the loop goes on".to_owned(),
        "scf.if" | "scf.index_switch" => "it decides which branch is taken".to_owned(),
        name => format!("'{name}'"),
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
        "tfx_host.store" => op.operand(1),
        "tfx_host.load" => op.operand(0),
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
fn user_in_graph<'a>(program: &Program<'a>, send: Op<'a>) -> Option<(Op<'a>, &'static str)> {
    let receive = program.graph_receives.get(&send.integer("channel")?)?;
    let user = first_use(receive.result(0))?;
    Some(match user.name() {
        "scf.condition" => (user.parent()?, "to decide whether this loop goes on"),
        "scf.if" | "scf.index_switch" => (user, "to decide this branch"),
        _ => (user, "for this operation"),
    })
}

/// The use that was made first, which is the first in the program after partition.
fn first_use(value: Value<'_>) -> Option<Op<'_>> {
    value.uses().last().map(|found| found.owner)
}
