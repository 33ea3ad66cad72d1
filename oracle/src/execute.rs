//! The execution of instructions.

use std::cell::Cell;
use std::rc::Rc;

use tfx_interpreter::kernels::Kernel;

use crate::code::{Action, Foreign, Instruction, Jump, Register};
use crate::effects::{call_foreign, message_of, printed};
use crate::error::{Error, Failure};
use crate::machine::{End, Flow, Machine, Process};
use crate::translate;
use crate::value::{FunctionId, Number, Queue, Value, fitted};

/// The maximal depth of calls: far more than a compiled program's stack holds.
const MAX_DEPTH: usize = 1 << 20;

impl<'a> Process<'a> {
    /// Executes one instruction.
    pub(crate) fn execute(&mut self, machine: &mut Machine<'_, 'a>) -> Result<Flow, End<'a>> {
        let Some(frame) = self.frames.last_mut() else {
            return Ok(Flow::End);
        };
        let code = frame.code.clone();
        let instruction = &code.instructions[frame.next];
        frame.next += 1;
        let failed = |error: Error| End::Failed(Failure::new(instruction.op, error));
        match &instruction.action {
            Action::Jump(jump) => self.jump(instruction, None, jump, &[]),
            Action::Switch(cases, otherwise) => {
                let selector = instruction.operands[0];
                let (number, payload) = frame.selector(selector).map_err(failed)?;
                let case = cases.iter().find(|(known, _)| *known == number);
                let jump = case.map_or(otherwise, |(_, jump)| jump);
                self.jump(instruction, Some(selector), jump, &payload);
            }
            Action::Return => return Ok(self.leave(instruction)),
            Action::Unreachable => {
                return Err(failed("control reaches an unreachable operation".into()));
            }
            Action::Call(function) => {
                let arguments = frame.all(&instruction.operands);
                return self.enter(machine, instruction, *function, None, arguments);
            }
            Action::Apply => {
                let values = frame.all(&instruction.operands);
                let Value::Closure(closure) = &values[0] else {
                    return Err(failed(Error::expected("a closure", values[0].kind())));
                };
                let captures = closure.captures.iter().cloned();
                let arguments = captures.chain(values[1..].iter().cloned()).collect();
                let function = closure.function;
                return self.enter(machine, instruction, function, Some(&values[0]), arguments);
            }
            Action::DynamicCall(method) => {
                let values = frame.all(&instruction.operands);
                let (ty, receiver) = match &values[0] {
                    Value::Existential(existential) => (existential.ty, existential.value.clone()),
                    Value::Object(object) => (object.ty, values[0].clone()),
                    other => {
                        return Err(failed(Error::expected("an object", other.kind())));
                    }
                };
                let found = machine.library.dynamic(ty, method);
                let (function, is_flat) =
                    found.ok_or_else(|| failed(format!("{ty} has no method '{method}'").into()))?;
                // After scalarization, methods take the leaves of the receiver.
                let receiver = match receiver {
                    Value::List(leaves) if is_flat => leaves.to_vec(),
                    whole => vec![whole],
                };
                let arguments = receiver.into_iter().chain(values[1..].iter().cloned());
                let arguments = arguments.collect();
                return self.enter(machine, instruction, function, Some(&values[0]), arguments);
            }
            Action::Prefetch(function) => {
                let queue = Value::Queue(Rc::new(Queue {
                    function: *function,
                    arguments: frame.all(&instruction.operands),
                    is_closed: Cell::new(false),
                }));
                frame.set(instruction, [queue]);
                machine.open_queues += 1;
                if let Some(taint) = &mut self.taint {
                    taint.computed(instruction, &[], &[]);
                }
            }
            Action::Next => {
                let value = frame.get(instruction.operands[0]).clone();
                let queue = open_queue(&value).map_err(failed)?;
                self.ahead.push(self.frames.len());
                let (function, arguments) = (queue.function, queue.arguments.clone());
                return self.enter(machine, instruction, function, Some(&value), arguments);
            }
            Action::Close => {
                let value = frame.get(instruction.operands[0]).clone();
                open_queue(&value).map_err(failed)?.is_closed.set(true);
                machine.open_queues -= 1;
            }
            Action::Start(function, numbers) => {
                let types = machine.library.op(*function).signature().0;
                let inputs = frame.all(&instruction.operands).into_iter().zip(numbers);
                let inputs = inputs
                    .zip(types)
                    .map(|((value, number), ty)| fitted(value, *number, ty));
                let inputs: Result<_, _> = inputs.collect();
                let program = machine.start(*function, inputs.map_err(End::Misfit)?)?;
                frame.set(instruction, [Value::Program(program)]);
            }
            Action::Send { .. }
            | Action::Receive { .. }
            | Action::Finish(_)
            | Action::Terminate => {
                return self.communicate(machine, instruction);
            }
            Action::Kernel(Kernel::Random(initial, compute)) => {
                let place = (Rc::as_ptr(&code) as usize, frame.next);
                let generator = self
                    .generators
                    .entry(place)
                    .or_insert_with(|| initial.clone());
                let mut inputs = frame.tensors(instruction).map_err(failed)?;
                let outputs = compute(generator, &mut inputs).map_err(|why| failed(why.into()))?;
                frame.set(instruction, outputs.into_iter().map(Value::Tensor));
                if let Some(taint) = &mut self.taint {
                    taint.computed(instruction, &[], &[]);
                }
            }
            Action::Print(format, numbers) => {
                let values = frame.all(&instruction.operands);
                let line = printed(format, &values, numbers).map_err(failed)?;
                machine.world.printed(&line).map_err(failed)?;
                machine.trace.push(line);
            }
            Action::Assert(message, numbers) => {
                let holds = frame.get(instruction.operands[0]).bits().map_err(failed)? != 0;
                if !holds {
                    let values = frame.all(&instruction.operands[1..]);
                    let message = message_of(message, &values, numbers).map_err(failed)?;
                    let message = format!("assertion failed: {message}");
                    return Err(End::Aborted(instruction.op, message));
                }
            }
            Action::Abort(message, numbers) => {
                let values = frame.all(&instruction.operands);
                let message = message_of(message, &values, numbers).map_err(failed)?;
                return Err(End::Aborted(instruction.op, message));
            }
            Action::Foreign(foreign) => {
                let arguments = frame.all(&instruction.operands);
                return self.foreign(machine, instruction, foreign, arguments);
            }
            action => {
                let results = frame.compute(action, instruction).map_err(failed)?;
                if let Some(taint) = &mut self.taint {
                    let values = frame.all(&instruction.operands);
                    taint.computed(instruction, &values, &results);
                }
                if let Some(counter) = &mut self.counter {
                    counter.computed(instruction, frame, &results);
                }
                frame.set(instruction, results);
            }
        }
        Ok(Flow::Continue)
    }

    fn enter(
        &mut self,
        machine: &mut Machine<'_, 'a>,
        instruction: &Instruction<'a>,
        function: FunctionId,
        receiver: Option<&Value<'a>>,
        arguments: Vec<Value<'a>>,
    ) -> Result<Flow, End<'a>> {
        if self.frames.len() >= MAX_DEPTH {
            let message = format!("calls nest deeper than {MAX_DEPTH}");
            return Err(End::Failed(Failure::new(instruction.op, message)));
        }
        let op = machine.library.op(function);
        if op.is_declaration() {
            let (inputs, results) = op.signature();
            let foreign = Foreign {
                name: op.symbol_name().unwrap_or_default(),
                arguments: inputs.into_iter().map(Number::of).collect(),
                results: results.into(),
            };
            return self.foreign(machine, instruction, &foreign, arguments);
        }
        let code = translate::code(machine.library, function).map_err(End::Failed)?;
        if let Some(taint) = &mut self.taint {
            let count = arguments.len();
            let (labels, chosen_by) = taint.arguments(instruction, receiver, count);
            taint.enter(code.registers, &code.parameters, &labels, chosen_by);
        }
        if let Some(counter) = &mut self.counter {
            counter.enter(function, machine.library);
        }
        self.push(code, arguments);
        Ok(Flow::Continue)
    }

    fn foreign(
        &mut self,
        machine: &mut Machine<'_, 'a>,
        instruction: &Instruction<'a>,
        foreign: &Foreign<'a>,
        arguments: Vec<Value<'a>>,
    ) -> Result<Flow, End<'a>> {
        let recorded = self.ahead.is_empty();
        let results = call_foreign(machine, foreign, arguments, recorded)
            .map_err(|error| End::Failed(Failure::new(instruction.op, error)))?;
        self.returned();
        if let Some(frame) = self.frames.last_mut() {
            frame.set(instruction, results);
        }
        if let Some(taint) = &mut self.taint {
            taint.foreign(instruction, machine.library.symbol(foreign.name));
        }
        Ok(Flow::Continue)
    }

    fn jump(
        &mut self,
        instruction: &Instruction<'a>,
        selector: Option<Register>,
        jump: &Jump,
        payload: &[Value<'a>],
    ) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        frame.jump(jump, payload);
        if let Some(taint) = &mut self.taint {
            let target = frame.code.instructions[frame.next].op;
            taint.jump(instruction, selector, jump, target);
        }
    }

    /// Handles the return of a call: that of a queue, if it was the outermost of one.
    fn returned(&mut self) {
        if self.ahead.last() == Some(&self.frames.len()) {
            self.ahead.pop();
        }
    }

    fn leave(&mut self, instruction: &Instruction<'a>) -> Flow {
        let Some(ended) = self.frames.pop() else {
            return Flow::End;
        };
        let results = ended.all(&instruction.operands);
        if let Some(counter) = &mut self.counter {
            counter.leave(instruction.op, &results);
        }
        self.returned();
        match self.frames.last_mut() {
            Some(caller) => {
                let code = caller.code.clone();
                let call = &code.instructions[caller.next - 1];
                caller.set(call, results);
                if let Some(taint) = &mut self.taint {
                    taint.leave(&instruction.operands, &call.results);
                }
                Flow::Continue
            }
            None => {
                self.results = Some(results);
                Flow::End
            }
        }
    }
}

/// Returns the queue of a value, unless it is closed.
fn open_queue<'v, 'a>(value: &'v Value<'a>) -> Result<&'v Queue<'a>, Error> {
    match value {
        Value::Queue(queue) if queue.is_closed.get() => Err("the queue is already closed".into()),
        Value::Queue(queue) => Ok(queue),
        other => Err(Error::expected("a queue", other.kind())),
    }
}
