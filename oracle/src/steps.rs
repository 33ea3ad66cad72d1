//! What each instruction does.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tfx_interpreter::kernels::{Kernel, Philox};
use tfx_interpreter::{Bool, DType, Tensor};
use tfx_ir::Op;
use tfx_runtime::format;

use crate::code::{Action, Code, Foreign, Instruction, Jump, Register};
use crate::library::FunctionId;
use crate::machine::{End, Machine, Wait};
use crate::taint::{Taint, Transfers};
use crate::translate::Fault;
use crate::value::{Closure, Existential, Number, Object, Reference, Value, fitted, text};

/// A call that runs.
struct Frame<'a> {
    code: Rc<Code<'a>>,
    next: usize,
    registers: Vec<Value<'a>>,
}

/// One thread of control.
#[derive(Default)]
pub(crate) struct Process<'a> {
    frames: Vec<Frame<'a>>,
    /// The program that it is the graph of; none for the host.
    program: Option<usize>,
    /// What it waits for before its next turn.
    pub(crate) wait: Option<Wait>,
    /// Once it is over.
    pub(crate) results: Option<Vec<Value<'a>>>,
    /// Why it cannot go on: a graph's failure ends the program only where the host waits for the graph.
    pub(crate) fault: Option<Fault<'a>>,
    /// Where each operation that draws random numbers is: by the address of its code, and its number there.
    generators: FxHashMap<(usize, usize), Philox>,
    /// What was received and flowed where, if that is asked.
    taint: Option<Box<Taint<'a>>>,
}

/// How a process goes on.
pub(crate) enum Flow {
    On,
    /// A message was sent or received.
    Message,
    Wait(Wait),
    End,
}

/// Calls that are inside each other: far more than a compiled program's stack holds.
const MAX_DEPTH: usize = 1 << 20;

impl<'a> Process<'a> {
    /// At the start of a function.
    pub(crate) fn new(
        code: Rc<Code<'a>>,
        arguments: Vec<Value<'a>>,
        program: Option<usize>,
    ) -> Self {
        let mut process = Process {
            program,
            ..Process::default()
        };
        process.push(code, arguments);
        process
    }

    /// Follows what it receives, from its start on.
    pub(crate) fn follow(&mut self) {
        let mut taint = Box::new(Taint::new());
        for frame in &self.frames {
            taint.enter(frame.code.registers, &[], &[], None);
        }
        self.taint = Some(taint);
    }

    /// What was followed.
    pub(crate) fn transfers(&mut self) -> Transfers<'a> {
        let taint = self.taint.take();
        taint.map(|taint| taint.finish()).unwrap_or_default()
    }

    fn push(&mut self, code: Rc<Code<'a>>, arguments: Vec<Value<'a>>) {
        let mut registers = vec![Value::Undefined; code.registers];
        for (&register, argument) in code.parameters.iter().zip(arguments) {
            registers[register as usize] = argument;
        }
        self.frames.push(Frame {
            code,
            next: 0,
            registers,
        });
    }

    /// Whether it has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.frames.is_empty()
    }

    /// The operation that comes next.
    pub(crate) fn op(&self) -> Option<Op<'a>> {
        let frame = self.frames.last()?;
        Some(frame.code.instructions.get(frame.next)?.op)
    }

    /// Executes one instruction.
    pub(crate) fn step(&mut self, machine: &mut Machine<'_, 'a>) -> Result<Flow, End<'a>> {
        let Some(frame) = self.frames.last_mut() else {
            return Ok(Flow::End);
        };
        let code = frame.code.clone();
        let instruction = &code.instructions[frame.next];
        frame.next += 1;
        let failed = |message: String| {
            End::Failed(Fault {
                op: instruction.op,
                message,
            })
        };
        match &instruction.action {
            Action::Jump(jump) => {
                frame.jump(jump, &[]);
                if let Some(taint) = &mut self.taint {
                    taint.jump(instruction, None, jump, code.instructions[frame.next].op);
                }
            }
            Action::Switch(cases, otherwise) => {
                let (selector, payload) =
                    frame.selector(instruction.operands[0]).map_err(failed)?;
                let case = cases.iter().find(|(number, _)| *number == selector);
                let jump = case.map_or(otherwise, |(_, jump)| jump);
                frame.jump(jump, &payload);
                if let Some(taint) = &mut self.taint {
                    let selector = Some(instruction.operands[0]);
                    taint.jump(
                        instruction,
                        selector,
                        jump,
                        code.instructions[frame.next].op,
                    );
                }
            }
            Action::Return => return Ok(self.leave(instruction)),
            Action::Unreachable => {
                return Err(failed(
                    "control comes to what is marked as unreachable".to_owned(),
                ));
            }
            Action::Call(function) => {
                let arguments = frame.all(&instruction.operands);
                return self.enter(machine, instruction, *function, None, arguments);
            }
            Action::Apply => {
                let values = frame.all(&instruction.operands);
                let Value::Closure(closure) = &values[0] else {
                    return Err(failed(format!(
                        "a closure is wanted, not {}",
                        values[0].kind()
                    )));
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
                        return Err(failed(format!("an object is wanted, not {}", other.kind())));
                    }
                };
                let found = machine.library.dynamic(ty, method);
                let (function, is_flat) =
                    found.ok_or_else(|| failed(format!("{ty} has no method '{method}'")))?;
                // Once aggregates are taken apart, methods take the leaves of the receiver.
                let receiver = match receiver {
                    Value::List(leaves) if is_flat => leaves.to_vec(),
                    whole => vec![whole],
                };
                let arguments = receiver.into_iter().chain(values[1..].iter().cloned());
                let arguments = arguments.collect();
                return self.enter(machine, instruction, function, Some(&values[0]), arguments);
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
                let outputs =
                    compute(generator, &mut inputs).map_err(|why| failed(why.to_string()))?;
                frame.set(instruction, outputs.into_iter().map(Value::Tensor));
                if let Some(taint) = &mut self.taint {
                    taint.computed(instruction, &[], &[]);
                }
            }
            Action::Print(format, numbers) => {
                let values = frame.all(&instruction.operands);
                let line = printed(format, &values, numbers).map_err(failed)?;
                machine.world.printed(&line);
                machine.trace.push(line);
            }
            Action::Assert(message) => {
                let holds = frame.get(instruction.operands[0]).bits().map_err(failed)? != 0;
                if !holds {
                    let message = format!("assertion failed: {message}");
                    return Err(End::Aborted(instruction.op, message));
                }
            }
            Action::Abort(message) => {
                return Err(End::Aborted(instruction.op, (*message).to_owned()));
            }
            Action::Foreign(foreign) => {
                let values = frame.all(&instruction.operands);
                let results = call_foreign(machine, foreign, values).map_err(failed)?;
                frame.set(instruction, results);
                if let Some(taint) = &mut self.taint {
                    let declaration = machine.library.symbol(foreign.name);
                    taint.foreign(instruction, declaration);
                }
            }
            action => {
                let results = frame.compute(action, instruction).map_err(failed)?;
                if let Some(taint) = &mut self.taint {
                    let values = frame.all(&instruction.operands);
                    taint.computed(instruction, &values, &results);
                }
                frame.set(instruction, results);
            }
        }
        Ok(Flow::On)
    }

    fn enter(
        &mut self,
        machine: &mut Machine<'_, 'a>,
        instruction: &Instruction<'a>,
        function: FunctionId,
        receiver: Option<&Value<'a>>,
        arguments: Vec<Value<'a>>,
    ) -> Result<Flow, End<'a>> {
        let failed = |message: String| {
            End::Failed(Fault {
                op: instruction.op,
                message,
            })
        };
        if self.frames.len() >= MAX_DEPTH {
            return Err(failed(format!("calls nest deeper than {MAX_DEPTH}")));
        }
        let op = machine.library.op(function);
        if op.is_declaration() {
            let (inputs, results) = op.signature();
            let foreign = Foreign {
                name: op.symbol_name().unwrap_or_default(),
                arguments: inputs.into_iter().map(Number::of).collect(),
                results: results.into(),
            };
            let results = call_foreign(machine, &foreign, arguments).map_err(failed)?;
            if let Some(frame) = self.frames.last_mut() {
                frame.set(instruction, results);
            }
            if let Some(taint) = &mut self.taint {
                taint.foreign(instruction, Some(op));
            }
            return Ok(Flow::On);
        }
        let code = machine.library.code(function).map_err(End::Failed)?;
        if let Some(taint) = &mut self.taint {
            let count = arguments.len();
            let (labels, chosen_by) = taint.arguments(instruction, receiver, count);
            taint.enter(code.registers, &code.parameters, &labels, chosen_by);
        }
        self.push(code, arguments);
        Ok(Flow::On)
    }

    fn leave(&mut self, instruction: &Instruction<'a>) -> Flow {
        let Some(ended) = self.frames.pop() else {
            return Flow::End;
        };
        let results = ended.all(&instruction.operands);
        match self.frames.last_mut() {
            Some(caller) => {
                let code = caller.code.clone();
                let call = &code.instructions[caller.next - 1];
                caller.set(call, results);
                if let Some(taint) = &mut self.taint {
                    taint.leave(&instruction.operands, &call.results);
                }
                Flow::On
            }
            None => {
                self.results = Some(results);
                Flow::End
            }
        }
    }

    /// Sends, receives, finishes or terminates, or waits until it can.
    fn communicate(
        &mut self,
        machine: &mut Machine<'_, 'a>,
        instruction: &Instruction<'a>,
    ) -> Result<Flow, End<'a>> {
        let own = self.program;
        let Some(frame) = self.frames.last_mut() else {
            return Ok(Flow::End);
        };
        let program = match instruction.action {
            Action::Send { on_host: false, .. } | Action::Receive { on_host: false, .. } => own,
            Action::Send { .. } => frame.program(instruction.operands.last()),
            _ => frame.program(instruction.operands.first()),
        };
        let lost = || {
            End::Misfit(format!(
                "'{}' is not of a program that runs",
                instruction.op.name()
            ))
        };
        let number = program.ok_or_else(lost)?;
        if machine.programs[number].is_over {
            return Err(lost());
        }
        let wait = |frame: &mut Frame<'a>, wait| {
            frame.next -= 1;
            Ok(Flow::Wait(wait))
        };
        match &instruction.action {
            Action::Send {
                channel,
                on_host,
                number: scalar,
            } => {
                let found = machine.programs[number].channels.get_mut(channel);
                let found = found
                    .filter(|found| found.to_host != *on_host)
                    .ok_or_else(lost)?;
                if found.messages.len() >= found.capacity {
                    return wait(frame, Wait::Room(number, *channel));
                }
                let value = frame.get(instruction.operands[0]).clone();
                found.messages.push_back((value, *scalar));
                if let Some(taint) = &mut self.taint {
                    taint.sent(instruction);
                }
                Ok(Flow::Message)
            }
            Action::Receive {
                channel,
                on_host,
                ty,
            } => {
                let found = machine.programs[number].channels.get_mut(channel);
                let found = found
                    .filter(|found| found.to_host == *on_host)
                    .ok_or_else(lost)?;
                let Some((value, scalar)) = found.messages.pop_front() else {
                    return wait(frame, Wait::Message(number, *channel));
                };
                let value = fitted(value, scalar, *ty)
                    .map_err(|why| End::Misfit(format!("on channel {channel} {why}")))?;
                frame.set(instruction, [value]);
                if let Some(taint) = &mut self.taint {
                    taint.received(instruction);
                }
                Ok(Flow::Message)
            }
            Action::Finish(types) => {
                let program = &mut machine.programs[number];
                let Some(results) = machine.processes[program.process].results.clone() else {
                    return wait(frame, Wait::End(number));
                };
                program.is_over = true;
                let left = program
                    .channels
                    .values()
                    .filter(|channel| !channel.messages.is_empty());
                if left.count() > 0 {
                    let name = program.graph.symbol_name().unwrap_or_default();
                    return Err(End::Misfit(format!(
                        "'@{name}' is finished, and messages are left on its channels"
                    )));
                }
                let numbers = program.graph.signature().1.into_iter().map(Number::of);
                let results = results.into_iter().zip(numbers).zip(types);
                let results = results.map(|((value, number), ty)| fitted(value, number, *ty));
                let results: Result<Vec<_>, _> = results.collect();
                frame.set(instruction, results.map_err(End::Misfit)?);
                Ok(Flow::Message)
            }
            _ => {
                let program = &mut machine.programs[number];
                program.is_over = true;
                // Nothing that it would still do is seen.
                machine.processes[program.process].frames.clear();
                Ok(Flow::Message)
            }
        }
    }
}

/// What a foreign function gives, and what is seen of it.
fn call_foreign<'a>(
    machine: &mut Machine<'_, 'a>,
    foreign: &Foreign<'a>,
    values: Vec<Value<'a>>,
) -> Result<Vec<Value<'a>>, String> {
    let pairs = || values.iter().zip(&foreign.arguments);
    let texts: Vec<_> = pairs()
        .map(|(value, number)| text(value, *number))
        .collect();
    let line = format!("@{}({})", foreign.name, texts.join(", "));
    machine.world.called(&line);
    machine.trace.push(line);
    let tensors: Option<Vec<_>> = pairs()
        .map(|(value, number)| value.to_tensor(*number))
        .collect();
    let tensors = tensors.ok_or_else(|| {
        format!("the interpreter hands no more than numbers, strings and tensors to the foreign function '@{}'", foreign.name)
    })?;
    let results = machine.world.call(foreign.name, tensors)?;
    let types = foreign.results.iter().copied();
    let results = results.into_iter().zip(types);
    let results = results.map(|(tensor, ty)| Value::given(&tensor, ty));
    results.collect()
}

fn printed(
    format: &str,
    values: &[Value<'_>],
    numbers: &[Option<Number>],
) -> Result<String, String> {
    let mut tensors = Vec::new();
    // The leaves of structs and tuples, which are what is printed of them.
    let mut work: Vec<_> = values.iter().zip(numbers.iter().copied()).rev().collect();
    while let Some((value, number)) = work.pop() {
        match (value, value.to_tensor(number)) {
            (_, Some(tensor)) => tensors.push(tensor),
            (Value::List(values), None) => {
                work.extend(values.iter().rev().map(|value| (value, None)))
            }
            (other, None) => return Err(format!("{} cannot be printed", other.kind())),
        }
    }
    Ok(format::message(format, &tensors))
}

impl<'a> Frame<'a> {
    fn get(&self, register: Register) -> &Value<'a> {
        &self.registers[register as usize]
    }

    fn all(&self, registers: &[Register]) -> Vec<Value<'a>> {
        registers
            .iter()
            .map(|&register| self.get(register).clone())
            .collect()
    }

    fn set(&mut self, instruction: &Instruction<'a>, values: impl IntoIterator<Item = Value<'a>>) {
        for (&register, value) in instruction.results.iter().zip(values) {
            self.registers[register as usize] = value;
        }
    }

    fn jump(&mut self, jump: &Jump, payload: &[Value<'a>]) {
        match *jump.moves {
            [] => {}
            [(to, from)] => self.registers[to as usize] = self.get(from).clone(),
            _ => {
                let values: SmallVec<[Value<'a>; 8]> = jump
                    .moves
                    .iter()
                    .map(|&(_, from)| self.get(from).clone())
                    .collect();
                for (&(to, _), value) in jump.moves.iter().zip(values) {
                    self.registers[to as usize] = value;
                }
            }
        }
        for (&register, value) in jump.payload.iter().zip(payload) {
            self.registers[register as usize] = value.clone();
        }
        self.next = jump.to;
    }

    /// The number that decides, and the payload where it is the tag of an enum.
    fn selector(&self, register: Register) -> Result<(u64, Rc<[Value<'a>]>), String> {
        let none = || Rc::from([]);
        match self.get(register) {
            Value::Integer(bits) => Ok((*bits, none())),
            Value::Case(tag, payload) => Ok((*tag as u64, payload.clone())),
            Value::Tensor(tensor) if tensor.dtype() == DType::Bool => {
                let truth = tensor.item::<Bool>().map_err(|why| why.to_string())?;
                Ok((u64::from(truth.get()), none()))
            }
            Value::Tensor(tensor) => {
                // A negative index is outside, as one that is too large.
                let index = tensor.item::<i32>().map_err(|why| why.to_string())?;
                Ok((i64::from(index) as u64, none()))
            }
            other => Err(format!("the way is chosen by {}", other.kind())),
        }
    }

    fn program(&self, register: Option<&Register>) -> Option<usize> {
        match self.get(*register?) {
            Value::Program(number) => Some(*number),
            _ => None,
        }
    }

    fn tensors(&self, instruction: &Instruction<'a>) -> Result<Vec<Tensor>, String> {
        let tensor = |&register: &Register| match self.get(register) {
            Value::Tensor(tensor) => Ok(tensor.clone()),
            other => Err(format!("a tensor is wanted, not {}", other.kind())),
        };
        instruction.operands.iter().map(tensor).collect()
    }

    /// What has no effect but on variables.
    fn compute(
        &mut self,
        action: &Action<'a>,
        instruction: &Instruction<'a>,
    ) -> Result<SmallVec<[Value<'a>; 1]>, String> {
        let operand = |index: usize| self.get(instruction.operands[index]);
        let one = |value| Ok([value].into_iter().collect());
        match action {
            Action::Constant(value) => one(value.clone()),
            Action::Copy => one(operand(0).clone()),
            Action::Variable => one(Value::Reference(Reference {
                cell: Rc::new(RefCell::new(Value::Undefined)),
                path: [].into(),
            })),
            Action::List => one(Value::list(self.all(&instruction.operands))),
            Action::Case(tag) => one(Value::Case(*tag, self.all(&instruction.operands).into())),
            Action::Closure(function) => one(Value::Closure(Rc::new(Closure {
                function: *function,
                captures: self.all(&instruction.operands),
            }))),
            Action::New(ty) => {
                let fields = self.all(&instruction.operands).into_iter();
                one(Value::Object(Rc::new(Object {
                    ty: *ty,
                    fields: fields.map(|value| Rc::new(RefCell::new(value))).collect(),
                })))
            }
            Action::Erase(ty) => one(Value::Existential(Rc::new(Existential {
                ty: *ty,
                value: operand(0).clone(),
            }))),
            Action::Store => {
                let Value::Reference(reference) = operand(1) else {
                    return Err(format!("a variable is wanted, not {}", operand(1).kind()));
                };
                reference.store(operand(0).clone())?;
                Ok(SmallVec::new())
            }
            Action::Insert(index) => match operand(1) {
                Value::List(values) => {
                    let mut values = values.to_vec();
                    values[*index] = operand(0).clone();
                    one(Value::list(values))
                }
                Value::Undefined => one(Value::Undefined),
                other => Err(format!("a struct is wanted, not {}", other.kind())),
            },
            Action::Select => match operand(0) {
                Value::Undefined => one(Value::Undefined),
                condition => one(operand(if condition.truth()? { 1 } else { 2 }).clone()),
            },
            Action::Message(number, compute) => {
                let values = self.all(&instruction.operands).into_iter();
                let values = values.map(|value| match value.is_undefined() {
                    true => number.any(),
                    false => value,
                });
                let values: SmallVec<[Value<'a>; 3]> = values.collect();
                compute(&values)
            }
            _ if instruction
                .operands
                .iter()
                .any(|&register| self.get(register).is_undefined()) =>
            {
                Ok(instruction
                    .results
                    .iter()
                    .map(|_| Value::Undefined)
                    .collect())
            }
            Action::Compute(compute) => {
                let values: SmallVec<[Value<'a>; 3]> = instruction
                    .operands
                    .iter()
                    .map(|&register| self.get(register).clone())
                    .collect();
                compute(&values)
            }
            Action::Kernel(kernel @ (Kernel::Single(_) | Kernel::Pure(_))) => {
                let outputs = kernel.compute(&mut self.tensors(instruction)?);
                let outputs = outputs.transpose().map_err(|why| why.to_string())?;
                Ok(outputs.into_iter().flatten().map(Value::Tensor).collect())
            }
            Action::Computed(template) => template.run(&self.all(&instruction.operands)),
            _ => self.part(action, instruction),
        }
    }

    /// What is read from a value that consists of others.
    fn part(
        &self,
        action: &Action<'a>,
        instruction: &Instruction<'a>,
    ) -> Result<SmallVec<[Value<'a>; 1]>, String> {
        let operand = |index: usize| self.get(instruction.operands[index]);
        let one = |value| Ok([value].into_iter().collect());
        match (action, operand(0)) {
            (Action::Load, Value::Reference(reference)) => one(reference.load()),
            (Action::Part(index), Value::Reference(reference)) => {
                let path = reference.path.iter().copied().chain([*index]);
                one(Value::Reference(Reference {
                    cell: reference.cell.clone(),
                    path: path.collect(),
                }))
            }
            (Action::Member(index), Value::Object(object)) => one(Value::Reference(Reference {
                cell: object.fields[*index].clone(),
                path: [].into(),
            })),
            (Action::Element(index), Value::List(values)) => one(values[*index].clone()),
            (Action::Tag, Value::Case(tag, _)) => one(Value::Integer(*tag as u64)),
            (Action::Payload(case), Value::Case(tag, payload)) => match tag == case {
                true => Ok(payload.iter().cloned().collect()),
                false => Ok(instruction
                    .results
                    .iter()
                    .map(|_| Value::Undefined)
                    .collect()),
            },
            (Action::ArrayCount, Value::List(values)) => one(Value::Integer(values.len() as u64)),
            (Action::ArrayGet, Value::List(values)) => {
                let index = operand(1).bits()? as i64;
                let found = usize::try_from(index)
                    .ok()
                    .and_then(|index| values.get(index));
                match found {
                    Some(value) => one(value.clone()),
                    None => Err(format!(
                        "the index {index} is outside of an array of {}",
                        values.len()
                    )),
                }
            }
            (_, other) => Err(format!(
                "'{}' takes {}",
                instruction.op.name(),
                other.kind()
            )),
        }
    }
}

impl<'a> Reference<'a> {
    fn load(&self) -> Value<'a> {
        let mut value = self.cell.borrow().clone();
        for &index in self.path.iter() {
            value = match &value {
                Value::List(values) => values[index].clone(),
                _ => Value::Undefined,
            };
        }
        value
    }

    fn store(&self, value: Value<'a>) -> Result<(), String> {
        // The lists from the whole to the part, then back with one element replaced in each.
        let mut whole = vec![self.cell.borrow().clone()];
        for &index in self.path.iter() {
            let part = match &whole[whole.len() - 1] {
                Value::List(values) => values[index].clone(),
                _ => {
                    return Err(
                        "a part of a variable is set, and the variable never was".to_owned()
                    );
                }
            };
            whole.push(part);
        }
        let mut new = value;
        for (&index, list) in self.path.iter().zip(&whole).rev() {
            if let Value::List(values) = list {
                let mut values = values.to_vec();
                values[index] = new;
                new = Value::list(values);
            }
        }
        *self.cell.borrow_mut() = new;
        Ok(())
    }
}
