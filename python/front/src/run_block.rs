//! The evaluation of one block of a function, on any target.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tfx_python_syntax::Span;

use crate::evaluate::{DERIVATIVES, Evaluator, Val};
use crate::hir::{BlockId, Body, End, Instruction, Kind, Slot};
use crate::target::{Result, Stop, Target};
use crate::value::{Capture, Closure, Value};

/// The values of the slots, with the places of their definitions.
pub(crate) type State<V> = BTreeMap<Slot, (Value<V>, Span)>;

/// The end of a block.
pub(crate) enum Outcome<V> {
    Jump(BlockId),
    /// A boolean, and the blocks.
    Branch(Value<V>, BlockId, BlockId),
    Return(Value<V>, Span),
}

/// Evaluates a block. The state is that at its start, and then that at its end.
pub(crate) fn run_block<T: Target>(
    target: &mut T,
    body: &Body,
    block: BlockId,
    state: &mut State<T::V>,
) -> Result<Option<Outcome<T::V>>> {
    let number = block;
    let block = &body.blocks[block as usize];
    for (index, instruction) in block.instructions.iter().enumerate() {
        target.set_span(body.file, instruction.span);
        let value = match &instruction.kind {
            Kind::Read => read(
                target,
                body,
                instruction.operands[0],
                instruction.span,
                state,
            )?,
            kind => {
                let mut operands = Vec::new();
                let mut late = BTreeSet::new();
                let leaves = matches!(kind, Kind::Call(..)) && !is_derivative(instruction, state);
                for &slot in &instruction.operands {
                    let value = fetch(target, body, slot, instruction.span, state)?;
                    operands.push(match leaves {
                        // A closure that leaves the function takes its variables with it.
                        true => {
                            late_slots(&value, &mut late);
                            settle(value, state, &mut Vec::new())
                        }
                        false => value,
                    });
                }
                let mut evaluator = Evaluator {
                    target: &mut *target,
                    file: body.file,
                    span: instruction.span,
                };
                let value = evaluator.instruction(instruction, operands)?;
                // A closure that comes back has the values of its variables at this time. It would
                // miss later assignments.
                if has_captures(&value)
                    && let Some(slot) = late
                        .into_iter()
                        .find(|slot| is_assigned_after(body, *slot, number, index))
                {
                    let name = body.slots[slot as usize].as_deref().unwrap_or_default();
                    return evaluator.fail(format!(
                        "'{name}' is assigned again, and a function that reads it comes back from this call; pass it as a parameter"
                    ));
                }
                value
            }
        };
        state.insert(instruction.result, (value, instruction.span));
    }
    Ok(match block.end {
        End::Unreachable => None,
        End::Jump(block) => Some(Outcome::Jump(block)),
        End::Branch(slot, then, otherwise) => {
            let value = fetch(target, body, slot, Span::default(), state)?;
            Some(Outcome::Branch(value, then, otherwise))
        }
        End::Return(slot, span) => {
            target.set_span(body.file, span);
            let value = fetch(target, body, slot, span, state)?;
            Some(Outcome::Return(settle(value, state, &mut Vec::new()), span))
        }
        End::Raise(slot, span) => {
            target.set_span(body.file, span);
            let value = fetch(target, body, slot, span, state)?;
            let mut evaluator = Evaluator {
                target: &mut *target,
                file: body.file,
                span,
            };
            let (class, message) = match value {
                Value::Exception(class, message) => (class, message.map(|of| *of)),
                Value::Builtin(class) if crate::world::EXCEPTIONS.contains(&class.as_str()) => {
                    (class, None)
                }
                other => {
                    let name = evaluator.describe(&other);
                    return evaluator.fail(format!(
                        "'raise' needs one of Python's exceptions, not {name}"
                    ));
                }
            };
            evaluator.raise(&class, message)?
        }
    })
}

/// Returns whether an instruction makes the derivative of a function, which stays in the function
/// around it.
fn is_derivative<V>(instruction: &Instruction, state: &State<V>) -> bool {
    let callee = instruction.operands.first().and_then(|of| state.get(of));
    let Some((Value::Builtin(name), _)) = callee else {
        return false;
    };
    let name = name.strip_prefix("tfx.");
    name.is_some_and(|name| DERIVATIVES.contains(&name))
}

/// Returns the value of a temporary.
fn fetch<T: Target>(
    target: &T,
    body: &Body,
    slot: Slot,
    span: Span,
    state: &State<T::V>,
) -> Result<Val<T>> {
    match state.get(&slot) {
        Some((Value::Conflict(conflict), _)) => Err(conflict_error(target, body, slot, conflict)),
        Some((value, _)) => Ok(value.clone()),
        None => Err(Stop::Error(
            span,
            "internal error: a slot has no value".to_owned(),
        )),
    }
}

/// Reads a variable: it must be bound, and have one type.
fn read<T: Target>(
    target: &mut T,
    body: &Body,
    slot: Slot,
    span: Span,
    state: &mut State<T::V>,
) -> Result<Val<T>> {
    let name = body.slots[slot as usize].as_deref().unwrap_or_default();
    let is_captured = body.captures.iter().any(|&(_, own)| own == slot);
    let class = if is_captured {
        "NameError"
    } else {
        "UnboundLocalError"
    };
    let message = match is_captured {
        true => format!(
            "cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
        ),
        false => {
            format!("cannot access local variable '{name}' where it is not associated with a value")
        }
    };
    match state.get(&slot).cloned() {
        Some((Value::Conflict(conflict), _)) => Err(conflict_error(target, body, slot, &conflict)),
        Some((Value::Maybe(flag, value), place)) => {
            target.check(&flag, class, &message);
            if let Value::Conflict(conflict) = value.as_ref() {
                return Err(conflict_error(target, body, slot, conflict));
            }
            state.insert(slot, ((*value).clone(), place));
            Ok(*value)
        }
        Some((Value::Unbound, _)) | None => {
            let mut evaluator = Evaluator {
                target,
                file: body.file,
                span,
            };
            let message = evaluator.string(&message);
            evaluator.raise(class, Some(message))
        }
        Some((value, _)) => Ok(value),
    }
}

/// The error for a variable whose definitions have different types.
fn conflict_error<T: Target>(
    target: &T,
    body: &Body,
    slot: Slot,
    conflict: &crate::value::Conflict,
) -> Stop {
    let name = body.slots[slot as usize].as_deref();
    let [a, b] = &conflict.types;
    let [first, second] = conflict.places;
    let place = target.world().place(body.file, second);
    let what = match name {
        Some(name) => format!("'{name}'"),
        None => "this value".to_owned(),
    };
    let at = format!("{}:{}", place.line, place.column);
    let advice = match (a.as_str(), b.as_str()) {
        ("int", "float") | ("float", "int") => "; write a float in both places, such as 0.0",
        ("bool", "int") | ("int", "bool") => "; write int(..)",
        ("function", "function") => {
            "; which function is called does not depend on data, use a branch around the calls"
        }
        (a, b) if a.starts_with("list[") && b.starts_with("list[") => {
            "; the length of a list does not depend on data, use a tensor"
        }
        (_, "None") | ("None", _) => {
            "; a variable has one type where paths meet, use a value of that type"
        }
        _ => {
            "; a variable has one type where paths meet, write a conversion, or use another variable"
        }
    };
    let message = match first == second {
        true => format!("{what} is {a} on one path and {b} on another{advice}"),
        false => format!("{what} is {a} here and {b} at {at}{advice}"),
    };
    Stop::Error(first, message)
}

/// Replaces variables that closures capture by their values.
fn settle<V: Clone>(
    value: Value<V>,
    state: &State<V>,
    around: &mut Vec<crate::hir::FunctionId>,
) -> Value<V> {
    value.map_closures(&mut |closure| {
        if !has_late(&closure) {
            return Value::Function(closure);
        }
        around.push(closure.id);
        let captures = closure.captures.iter().map(|capture| match capture {
            Capture::Late(slot) => match state.get(slot) {
                Some((Value::Function(of), _)) if around.contains(&of.id) => Capture::Itself(of.id),
                Some((value, _)) => Capture::Value(settle(value.clone(), state, around)),
                None => Capture::Value(Value::Unbound),
            },
            Capture::Value(value) => Capture::Value(settle(value.clone(), state, around)),
            Capture::Itself(id) => Capture::Itself(*id),
        });
        let captures = captures.collect();
        around.pop();
        let mut settled = |value: &Value<V>| settle(value.clone(), state, around);
        Value::Function(Arc::new(Closure {
            id: closure.id,
            defaults: closure.defaults.iter().map(&mut settled).collect(),
            captures,
            receiver: closure.receiver.as_ref().map(&mut settled),
        }))
    })
}

/// Adds the variables of the current function that the closures in a value read.
fn late_slots<V>(value: &Value<V>, out: &mut BTreeSet<Slot>) {
    match value {
        Value::Function(closure) => {
            for capture in &closure.captures {
                match capture {
                    Capture::Late(slot) => {
                        out.insert(*slot);
                    }
                    Capture::Value(value) => late_slots(value, out),
                    Capture::Itself(_) => {}
                }
            }
            closure.receiver.iter().for_each(|of| late_slots(of, out));
            closure.defaults.iter().for_each(|of| late_slots(of, out));
        }
        Value::Tuple(parts) | Value::List(parts) | Value::Struct(_, parts) => {
            parts.iter().for_each(|part| late_slots(part, out));
        }
        Value::Gradient(f, _) => late_slots(f, out),
        _ => {}
    }
}

/// Returns whether a value has a closure with captured variables.
fn has_captures<V>(value: &Value<V>) -> bool {
    match value {
        Value::Function(closure) => !closure.captures.is_empty(),
        Value::Tuple(parts) | Value::List(parts) | Value::Struct(_, parts) => {
            parts.iter().any(has_captures)
        }
        Value::Gradient(f, _) => has_captures(f),
        _ => false,
    }
}

/// Returns whether a variable may be assigned after an instruction.
fn is_assigned_after(body: &Body, slot: Slot, block: BlockId, index: usize) -> bool {
    let assigns = |block: BlockId, from: usize| {
        let later = body.blocks[block as usize].instructions.iter().skip(from);
        later.into_iter().any(|of| of.result == slot)
    };
    if assigns(block, index + 1) {
        return true;
    }
    let mut seen = BTreeSet::new();
    let mut work: Vec<BlockId> = body.blocks[block as usize].end.successors().collect();
    while let Some(next) = work.pop() {
        if seen.insert(next) {
            if assigns(next, 0) {
                return true;
            }
            work.extend(body.blocks[next as usize].end.successors());
        }
    }
    false
}

fn has_late<V>(closure: &Closure<V>) -> bool {
    let late = |value: &Value<V>| matches!(value, Value::Function(of) if has_late(of));
    let captured = closure.captures.iter().any(|capture| match capture {
        Capture::Late(_) => true,
        Capture::Value(value) => late(value),
        Capture::Itself(_) => false,
    });
    captured || closure.defaults.iter().any(late) || closure.receiver.iter().any(late)
}
