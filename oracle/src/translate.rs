//! Translates a function's IR to instructions.
//!
//! ```text
//!   %r = scf.if %c -> i32 {         0: switch r0: 0 -> 3, otherwise -> 1
//!     %a = arith.addi ...           1: r1 = addi ...
//!     scf.yield %a                  2: r3 := r1, to 5
//!   } else { ... }                  3: ...
//! ```
//!
//! Blocks and regions become one list with jumps, so execution is the same before and after
//! structuring. Attributes are read, names are resolved and kernels are built here, once: the
//! host's operations in `host.rs`, those of graphs in `graph.rs`, regions and branches in
//! `control.rs`, control flow by functions in `functional.rs`. A work list replaces recursion on
//! nesting, so depth costs no stack. Linear in the function.

mod control;
mod functional;
mod graph;
mod host;
mod tape;

use std::rc::Rc;

use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::{Type, TypeLike};
use rustc_hash::FxHashMap;
use tfx_dialects::ad::AdOp;
use tfx_dialects::host::{Enum, HostOp};
use tfx_dialects::tensor::TensorOp;
use tfx_dialects::types::{HostType, host_type};
use tfx_graphdef_mlir::types;
use tfx_ir::ops::scf::ScfOp;
use tfx_ir::ops::{arith, index};
use tfx_ir::{Block, Op, Value as IrValue};

use crate::code::{Action, Code, Instruction, Jump, Register};
use crate::error::Failure;
use crate::library::{Function, Library};
use crate::scalar;
use crate::value::{FunctionId, Number, Value};

/// Returns the code of a function, which is translated at the first request.
pub(crate) fn code<'a>(library: &Library<'a>, id: FunctionId) -> Result<Rc<Code<'a>>, Failure<'a>> {
    if let Some(code) = library.code(id) {
        return Ok(code);
    }
    let code = Rc::new(translate(library, &library.definition(id))?);
    library.set_code(id, code.clone());
    Ok(code)
}

/// Translates a function with a body.
fn translate<'a>(library: &Library<'a>, function: &Function<'a>) -> Result<Code<'a>, Failure<'a>> {
    let mut translation = Translation {
        library,
        function,
        code: Code {
            instructions: Vec::new(),
            registers: 0,
            parameters: Vec::new(),
        },
        places: Vec::new(),
        registers: FxHashMap::default(),
        labels: FxHashMap::default(),
        work: Vec::new(),
    };
    let region = function.op.region(0);
    let Some(entry) = region.entry() else {
        return Err(Failure::new(function.op, "it has no body"));
    };
    translation.code.parameters = translation.of_all(entry.arguments());
    let blocks: Vec<_> = region.blocks().collect();
    for block in blocks.into_iter().rev() {
        let label = translation.label_of(block);
        translation.push(block, label, Ending::Function);
    }
    translation.run()?;
    Ok(translation.finish())
}

/// The action at the end of a block.
#[derive(Clone, Copy)]
enum Ending<'a> {
    Function,
    /// Forwards to the results of this operation, and continues after it.
    Leave(Op<'a>, usize),
    /// The first region of a loop: continues in the second, or after it.
    Condition(Op<'a>, usize, usize),
    /// The second region of a loop: continues in the first.
    Again(Op<'a>, usize),
    /// The body of an `scf.for`: increments, and tests again.
    Step(For),
}

/// The registers and labels of an `scf.for`.
#[derive(Clone, Copy)]
struct For {
    /// The number of the iteration, in the position of the induction variable among the arguments
    /// of the body.
    index: Register,
    step: Register,
    test: usize,
}

enum Work<'a> {
    Ops(Option<Op<'a>>, Ending<'a>),
    Place(usize),
}

struct Translation<'l, 'a> {
    library: &'l Library<'a>,
    function: &'l Function<'a>,
    code: Code<'a>,
    /// By label: its instruction.
    places: Vec<usize>,
    registers: FxHashMap<IrValue<'a>, Register>,
    labels: FxHashMap<Block<'a>, usize>,
    work: Vec<Work<'a>>,
}

impl<'a> Translation<'_, 'a> {
    fn run(&mut self) -> Result<(), Failure<'a>> {
        while let Some(work) = self.work.pop() {
            match work {
                Work::Place(label) => self.places[label] = self.code.instructions.len(),
                Work::Ops(None, _) => {}
                Work::Ops(Some(op), ending) => {
                    self.work.push(Work::Ops(op.next(), ending));
                    self.operation(op, ending)?;
                }
            }
        }
        Ok(())
    }

    /// Replaces labels by instructions.
    fn finish(mut self) -> Code<'a> {
        let places = &self.places;
        let resolve = |jump: &mut Jump| jump.to = places[jump.to];
        for instruction in &mut self.code.instructions {
            match &mut instruction.action {
                Action::Jump(jump) => resolve(jump),
                Action::Switch(cases, otherwise) => {
                    cases.iter_mut().for_each(|(_, jump)| resolve(jump));
                    resolve(otherwise);
                }
                _ => {}
            }
        }
        self.code
    }

    // Registers, labels and jumps.

    fn fresh(&mut self) -> Register {
        self.code.registers += 1;
        self.code.registers as Register - 1
    }

    fn register(&mut self, value: IrValue<'a>) -> Register {
        if let Some(&register) = self.registers.get(&value) {
            return register;
        }
        let register = self.fresh();
        self.registers.insert(value, register);
        register
    }

    fn of_all<C: FromIterator<Register>>(
        &mut self,
        values: impl Iterator<Item = IrValue<'a>>,
    ) -> C {
        values.map(|value| self.register(value)).collect()
    }

    fn label(&mut self) -> usize {
        self.places.push(0);
        self.places.len() - 1
    }

    fn label_of(&mut self, block: Block<'a>) -> usize {
        if let Some(&label) = self.labels.get(&block) {
            return label;
        }
        let label = self.label();
        self.labels.insert(block, label);
        label
    }

    fn push(&mut self, block: Block<'a>, label: usize, ending: Ending<'a>) {
        self.work.push(Work::Ops(block.first(), ending));
        self.work.push(Work::Place(label));
    }

    fn jump(
        &mut self,
        to: usize,
        targets: impl Iterator<Item = IrValue<'a>>,
        values: impl Iterator<Item = IrValue<'a>>,
    ) -> Jump {
        let moves = targets
            .zip(values)
            .map(|(to, from)| (self.register(to), self.register(from)));
        Jump {
            moves: moves.collect(),
            payload: [].into(),
            to,
        }
    }

    fn plain(&self, to: usize) -> Jump {
        Jump {
            moves: [].into(),
            payload: [].into(),
            to,
        }
    }

    fn edge(&mut self, op: Op<'a>, successor: usize) -> Jump {
        let block = op.successor(successor);
        let label = self.label_of(block);
        let Some(operands) = op.successor_operands(successor) else {
            return self.plain(label);
        };
        let produced = operands.produced();
        let mut jump = self.jump(
            label,
            block.arguments().skip(produced),
            operands.values().into_iter(),
        );
        jump.payload = self.of_all(block.arguments().take(produced));
        jump
    }

    fn emit(&mut self, op: Op<'a>, action: Action<'a>) {
        let operands: Vec<_> = self.of_all(op.operands());
        let results: Vec<_> = self.of_all(op.results());
        self.emit_on(op, action, &operands, &results);
    }

    /// Emits an instruction on registers that need not be those of the operands and results.
    fn emit_on(
        &mut self,
        op: Op<'a>,
        action: Action<'a>,
        operands: &[Register],
        results: &[Register],
    ) {
        self.code.instructions.push(Instruction {
            op,
            action,
            operands: operands.into(),
            results: results.into(),
        });
    }

    // Types.

    fn concrete(&self, ty: Type<'a>) -> Type<'a> {
        self.library.concrete(ty, &self.function.types)
    }

    fn number(&self, value: IrValue<'a>) -> Option<Number> {
        Number::of(self.concrete(value.ty()))
    }

    fn numbers(&self, op: Op<'a>) -> Box<[Option<Number>]> {
        op.operands().map(|value| self.number(value)).collect()
    }

    fn result_types(&self, op: Op<'a>) -> Box<[Type<'a>]> {
        op.results()
            .map(|value| self.concrete(value.ty()))
            .collect()
    }

    /// Returns the position of a field of a struct, an object or a tuple.
    fn field(&self, op: Op<'a>, ty: Type<'a>, name: &str) -> Result<usize, Failure<'a>> {
        let declaration = match host_type(ty) {
            Some(HostType::Struct { declaration, .. } | HostType::Object { declaration, .. }) => {
                self.library.symbol(declaration)
            }
            _ => None,
        };
        let names = match declaration.and_then(HostOp::cast) {
            Some(HostOp::Struct(view)) => Some(view.field_names()),
            Some(HostOp::Class(view)) => Some(view.field_names()),
            _ => None,
        };
        let position = match names {
            Some(names) => names.iter().position(|known| *known == name),
            None => name.parse().ok(),
        };
        position.ok_or_else(|| Failure::new(op, format!("there is no field '{name}'")))
    }

    /// Returns the position of a case of an enum.
    fn case(&self, op: Op<'a>, ty: Type<'a>, name: &str) -> Result<usize, Failure<'a>> {
        let declaration = match host_type(ty) {
            Some(HostType::Enum { declaration, .. }) => self.library.symbol(declaration),
            _ => None,
        };
        let names = declaration.and_then(Enum::cast);
        let names = names.map(Enum::case_names).unwrap_or_default();
        let position = names.iter().position(|known| *known == name);
        position.ok_or_else(|| Failure::new(op, format!("there is no case '{name}'")))
    }

    fn callee(&self, op: Op<'a>, name: &str) -> Result<FunctionId, Failure<'a>> {
        let types = match HostOp::cast(op) {
            Some(HostOp::Call(call)) => call.type_args(),
            Some(HostOp::Closure(closure)) => closure.type_args().unwrap_or_default(),
            _ => Vec::new(),
        };
        let types = types.into_iter().map(|ty| self.concrete(ty)).collect();
        let found = self.library.named(name, types);
        found.ok_or_else(|| Failure::new(op, format!("there is no function '@{name}'")))
    }

    // Operations.

    fn operation(&mut self, op: Op<'a>, ending: Ending<'a>) -> Result<(), Failure<'a>> {
        let action = match op.dialect() {
            "arith" | "math" | "index" => match arith::Constant::cast(op) {
                Some(constant) if constant.result().ty().is_tensor() => {
                    Some(self.constant(op, constant.value())?)
                }
                _ => self.scalar(op),
            },
            "tfx_host" => match HostOp::cast(op) {
                Some(host) => self.host(host)?,
                None => None,
            },
            "tfx_tensor" | "tfx_comm" => self.graph(op, ending)?,
            "tfx_ad" => AdOp::cast(op).and_then(tape::action),
            "cf" | "scf" | "func" => self.control(op, ending)?,
            "tensor" => self.message(op),
            "ub" => Some(Action::Constant(Value::Undefined)),
            _ => None,
        };
        match action {
            Some(action) => self.emit(op, action),
            None if self.is_done(op) => {}
            None => {
                let message = format!("the reference interpreter does not support '{}'", op.name());
                return Err(Failure::new(op, message));
            }
        }
        Ok(())
    }

    /// Returns whether an operation emits its instructions by itself: those with regions, and their
    /// terminators.
    fn is_done(&self, op: Op<'a>) -> bool {
        ScfOp::cast(op).is_some()
            || matches!(
                TensorOp::cast(op),
                Some(
                    TensorOp::If(_)
                        | TensorOp::Case(_)
                        | TensorOp::While(_)
                        | TensorOp::Yield(_)
                        | TensorOp::Op(_)
                )
            )
    }

    fn scalar(&self, op: Op<'a>) -> Option<Action<'a>> {
        if op.isa::<arith::Select>() {
            return Some(Action::Select);
        }
        if op.isa::<index::SizeOf>() {
            return Some(Action::Constant(Value::Integer(types::INDEX_BITS.into())));
        }
        if let Some(attribute) = op.attribute("value").filter(|_| op.num_operands() == 0) {
            let number = Number::of(op.result(0).ty())?;
            return Some(Action::Constant(match number {
                Number::Integer(1) => Value::Integer(u64::from(match op.boolean("value") {
                    Some(truth) => truth,
                    None => op.integer("value")? != 0,
                })),
                Number::Integer(width) => {
                    let value = IntegerAttribute::try_from(attribute).ok()?.value();
                    Value::Integer(crate::value::masked(value as u64, width))
                }
                Number::F32 => Value::F32(FloatAttribute::try_from(attribute).ok()?.value() as f32),
                Number::F64 => Value::F64(FloatAttribute::try_from(attribute).ok()?.value()),
            }));
        }
        scalar::compute(op).map(Action::Compute)
    }
}
