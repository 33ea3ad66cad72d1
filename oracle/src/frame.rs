//! A running call: its registers, and computations on them.

use std::cell::RefCell;
use std::rc::Rc;

use smallvec::SmallVec;
use tfx_interpreter::kernels::Kernel;
use tfx_interpreter::{Bool, DType, Tensor};

use crate::code::{Action, Code, Instruction, Jump, Register};
use crate::dual;
use crate::error::Error;
use crate::value::{Closure, Existential, Object, Reference, Value};

/// A running call.
pub(crate) struct Frame<'a> {
    pub(crate) code: Rc<Code<'a>>,
    /// The next instruction.
    pub(crate) next: usize,
    registers: Vec<Value<'a>>,
}

impl<'a> Frame<'a> {
    /// Creates a call at the start of a function.
    pub(crate) fn new(code: Rc<Code<'a>>, arguments: Vec<Value<'a>>) -> Self {
        let mut registers = vec![Value::Undefined; code.registers];
        for (&register, argument) in code.parameters.iter().zip(arguments) {
            registers[register as usize] = argument;
        }
        Frame {
            code,
            next: 0,
            registers,
        }
    }

    pub(crate) fn get(&self, register: Register) -> &Value<'a> {
        &self.registers[register as usize]
    }

    pub(crate) fn all(&self, registers: &[Register]) -> Vec<Value<'a>> {
        registers
            .iter()
            .map(|&register| self.get(register).clone())
            .collect()
    }

    fn operands(&self, instruction: &Instruction<'a>) -> SmallVec<[Value<'a>; 3]> {
        let registers = instruction.operands.iter();
        registers
            .map(|&register| self.get(register).clone())
            .collect()
    }

    pub(crate) fn set(
        &mut self,
        instruction: &Instruction<'a>,
        values: impl IntoIterator<Item = Value<'a>>,
    ) {
        for (&register, value) in instruction.results.iter().zip(values) {
            self.registers[register as usize] = value;
        }
    }

    pub(crate) fn jump(&mut self, jump: &Jump, payload: &[Value<'a>]) {
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

    /// Returns the selecting number, and the payload if it is the tag of an enum.
    pub(crate) fn selector(&self, register: Register) -> Result<(u64, Rc<[Value<'a>]>), Error> {
        let none = || Rc::from([]);
        match self.get(register) {
            Value::Integer(bits) => Ok((*bits, none())),
            Value::Case(tag, payload) => Ok((*tag as u64, payload.clone())),
            Value::Tensor(tensor) if tensor.dtype() == DType::Bool => {
                let truth = tensor.item::<Bool>()?;
                Ok((u64::from(truth.get()), none()))
            }
            Value::Tensor(tensor) => {
                // A negative index is out of bounds, as one that is too large.
                let index = tensor.item::<i32>()?;
                Ok((i64::from(index) as u64, none()))
            }
            other => Err(Error::expected(
                "an integer, an enum or a tensor",
                other.kind(),
            )),
        }
    }

    pub(crate) fn program(&self, register: Option<&Register>) -> Option<usize> {
        match self.get(*register?) {
            Value::Program(number) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn tensors(&self, instruction: &Instruction<'a>) -> Result<Vec<Tensor>, Error> {
        let registers = instruction.operands.iter();
        let tensors = registers.map(|&register| self.get(register).tensor().cloned());
        tensors.collect()
    }

    /// Executes operations whose only effects are on variables.
    pub(crate) fn compute(
        &mut self,
        action: &Action<'a>,
        instruction: &Instruction<'a>,
    ) -> Result<SmallVec<[Value<'a>; 1]>, Error> {
        let operand = |index: usize| self.get(instruction.operands[index]);
        let is_undefined = |register: &Register| self.get(*register).is_undefined();
        let is_dual = |register: &Register| matches!(self.get(*register), Value::Dual(_));
        let one = |value| Ok([value].into_iter().collect());
        match action {
            Action::Constant(value) => one(value.clone()),
            Action::Copy => one(operand(0).clone()),
            Action::Stop => one(operand(0).primal()),
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
                    return Err(Error::expected("a variable", operand(1).kind()));
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
                other => Err(Error::expected("a struct", other.kind())),
            },
            Action::ArraySet => match (operand(1), operand(2)) {
                (Value::Undefined, _) | (_, Value::Undefined) => one(Value::Undefined),
                (Value::List(values), index) => {
                    let index = array_index(index, values.len())?;
                    let mut values = values.to_vec();
                    values[index] = operand(0).clone();
                    one(Value::list(values))
                }
                (other, _) => Err(Error::expected("an array", other.kind())),
            },
            Action::ArrayFill => match operand(1) {
                Value::Undefined => one(Value::Undefined),
                count => {
                    let count = count.bits()? as i64;
                    let length = usize::try_from(count)
                        .map_err(|_| format!("an array cannot have {count} elements"))?;
                    one(Value::list(vec![operand(0).clone(); length]))
                }
            },
            Action::Select => match operand(0) {
                Value::Undefined => one(Value::Undefined),
                condition => one(operand(if condition.truth()? { 1 } else { 2 }).clone()),
            },
            Action::Message(number, compute) => {
                let mut values = self.operands(instruction);
                let undefined = values.iter_mut().filter(|value| value.is_undefined());
                undefined.for_each(|value| *value = number.any());
                compute(&values)
            }
            Action::Push => match operand(1) {
                Value::Undefined => one(Value::Undefined),
                Value::Tape(tape) => one(Value::Tape(tape.push(operand(0).clone()))),
                other => Err(Error::expected("a tape", other.kind())),
            },
            Action::IntoList(kernel, any) => {
                let mut values = self.operands(instruction);
                if let Some(element) = values.last_mut().filter(|element| element.is_undefined()) {
                    *element = Value::Tensor(any.clone());
                }
                if values.iter().any(Value::is_undefined) {
                    return Ok(undefined(instruction));
                }
                apply(kernel, instruction, &values)
            }
            _ if instruction.operands.iter().any(is_undefined) => Ok(undefined(instruction)),
            Action::Compute(compute) if instruction.operands.iter().any(is_dual) => {
                dual::compute(instruction.op, &self.operands(instruction), compute)
            }
            Action::Compute(compute) => compute(&self.operands(instruction)),
            Action::Kernel(kernel @ (Kernel::Single(_) | Kernel::Pure(_))) => {
                apply(kernel, instruction, &self.operands(instruction))
            }
            Action::Computed(template) => template.run(&self.all(&instruction.operands)),
            _ => self.part(action, instruction),
        }
    }

    /// Reads a part of a composite value.
    fn part(
        &self,
        action: &Action<'a>,
        instruction: &Instruction<'a>,
    ) -> Result<SmallVec<[Value<'a>; 1]>, Error> {
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
            (Action::Pop, Value::Tape(tape)) => {
                let (rest, value) = tape.pop()?;
                Ok([Value::Tape(rest), value].into_iter().collect())
            }
            (Action::TapeLength, Value::Tape(tape)) => one(Value::Integer(tape.length())),
            (Action::Tag, Value::Case(tag, _)) => one(Value::Integer(*tag as u64)),
            (Action::Payload(case), Value::Case(tag, payload)) => match tag == case {
                true => Ok(payload.iter().cloned().collect()),
                false => Ok(undefined(instruction)),
            },
            (Action::ArrayCount, Value::List(values)) => one(Value::Integer(values.len() as u64)),
            (Action::ArrayGet, Value::List(values)) => {
                one(values[array_index(operand(1), values.len())?].clone())
            }
            (_, other) => {
                let name = instruction.op.name();
                Err(format!("invalid operand of '{name}': {}", other.kind()).into())
            }
        }
    }
}

/// Runs a kernel on operands, of which some may be dual numbers.
fn apply<'a>(
    kernel: &Kernel,
    instruction: &Instruction<'a>,
    operands: &[Value<'a>],
) -> Result<SmallVec<[Value<'a>; 1]>, Error> {
    let run = |values: &[Value<'a>]| {
        let inputs = values.iter().map(|value| value.tensor().cloned());
        run(kernel, inputs.collect::<Result<_, _>>()?)
    };
    if operands.iter().any(|value| matches!(value, Value::Dual(_))) {
        return dual::compute(instruction.op, operands, &run);
    }
    run(operands)
}

/// Runs a kernel whose results depend on the inputs alone.
fn run<'a>(kernel: &Kernel, mut inputs: Vec<Tensor>) -> Result<SmallVec<[Value<'a>; 1]>, Error> {
    let outputs = kernel.compute(&mut inputs).transpose()?;
    Ok(outputs.into_iter().flatten().map(Value::Tensor).collect())
}

/// Returns the position that an index of an array means.
fn array_index(index: &Value<'_>, count: usize) -> Result<usize, Error> {
    let index = index.bits()? as i64;
    let position = usize::try_from(index).ok();
    let message = || format!("the index {index} is outside of an array of {count}");
    let position = position.filter(|position| *position < count);
    position.ok_or_else(|| message().into())
}

fn undefined<'a>(instruction: &Instruction<'a>) -> SmallVec<[Value<'a>; 1]> {
    let results = instruction.results.iter();
    results.map(|_| Value::Undefined).collect()
}
