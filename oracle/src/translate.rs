//! From a function's IR to instructions.
//!
//! ```text
//!   %r = scf.if %c -> i32 {         0: switch r0: 0 -> 3, otherwise -> 1
//!     %a = arith.addi ...           1: r1 = addi ...
//!     scf.yield %a                  2: r3 := r1, to 5
//!   } else { ... }                  3: ...
//! ```
//!
//! Blocks and regions become one list with jumps, so running is the same before and after structuring. Attributes are read, names are
//! looked up and kernels are built here, once. A work list stands for the nesting, so its depth costs no stack. Linear in the function.

use melior::ir::Type;
use melior::ir::attribute::{DenseElementsAttribute, FloatAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use rustc_hash::FxHashMap;
use tfx_dialects::types::{HostType, host_type};
use tfx_graphdef::proto::{AttrValue, NodeDef, attr_value};
use tfx_graphdef_mlir::{operations, tensors, types};
use tfx_interpreter::kernels;
use tfx_ir::{Block, Op, Value as IrValue};

use crate::code::{Action, Code, Foreign, Instruction, Jump, Register};
use crate::computed::Template;
use crate::library::{Function, FunctionId, Library, strings, types_of};
use crate::scalar;
use crate::value::{Number, Value};

/// What cannot be run, and why.
#[derive(Clone, Debug)]
pub struct Fault<'a> {
    /// The operation.
    pub op: Op<'a>,
    /// What is wrong with it.
    pub message: String,
}

/// Translates a function with a body.
pub(crate) fn translate<'a>(
    library: &Library<'a>,
    function: &Function<'a>,
) -> Result<Code<'a>, Fault<'a>> {
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
        return Err(translation.fault(function.op, "it has no body"));
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

/// What the end of a block does.
#[derive(Clone, Copy)]
enum Ending<'a> {
    Function,
    /// Hands to the results of this operation, and goes on after it.
    Leave(Op<'a>, usize),
    /// The first region of a loop: goes on in the second, or after it.
    Condition(Op<'a>, usize, usize),
    /// The second region of a loop: goes on in the first.
    Again(Op<'a>, usize),
    /// The body of an `scf.for`: steps, and tests again.
    Step(For),
}

/// The registers and labels of an `scf.for`.
#[derive(Clone, Copy)]
struct For {
    /// The number of the trip, where its index stands among the arguments of the body.
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
    /// By label: the instruction there.
    places: Vec<usize>,
    registers: FxHashMap<IrValue<'a>, Register>,
    labels: FxHashMap<Block<'a>, usize>,
    work: Vec<Work<'a>>,
}

impl<'a> Translation<'_, 'a> {
    fn run(&mut self) -> Result<(), Fault<'a>> {
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

    /// Puts instructions where labels are.
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

    fn fault(&self, op: Op<'a>, message: impl Into<String>) -> Fault<'a> {
        Fault {
            op,
            message: message.into(),
        }
    }

    //===-- Registers, labels and jumps ---------------------------------------------------------------------------===//

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
        let operands = self.of_all(op.operands());
        let results = self.of_all(op.results());
        self.code.instructions.push(Instruction {
            op,
            action,
            operands,
            results,
        });
    }

    /// A switch on a register that is no operand.
    fn emit_on(&mut self, op: Op<'a>, operand: Register, action: Action<'a>) {
        self.code.instructions.push(Instruction {
            op,
            action,
            operands: [operand].into_iter().collect(),
            results: [].into_iter().collect(),
        });
    }

    //===-- Types -------------------------------------------------------------------------------------------------===//

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

    /// The position of a field of a struct, an object or a tuple.
    fn field(&self, op: Op<'a>, ty: Type<'a>, name: &str) -> Result<usize, Fault<'a>> {
        let declaration = match host_type(ty) {
            Some(HostType::Struct { declaration, .. } | HostType::Object { declaration, .. }) => {
                self.library.symbol(declaration)
            }
            _ => None,
        };
        let position = match declaration {
            Some(declaration) => {
                strings(declaration, "field_names").position(|known| known == name)
            }
            None => name.parse().ok(),
        };
        position.ok_or_else(|| self.fault(op, format!("there is no field '{name}'")))
    }

    /// The position of a case of an enum.
    fn case(&self, op: Op<'a>, ty: Type<'a>, name: &str) -> Result<usize, Fault<'a>> {
        let declaration = match host_type(ty) {
            Some(HostType::Enum { declaration, .. }) => self.library.symbol(declaration),
            _ => None,
        };
        let position = declaration.and_then(|declaration| {
            strings(declaration, "case_names").position(|known| known == name)
        });
        position.ok_or_else(|| self.fault(op, format!("there is no case '{name}'")))
    }

    fn callee(&self, op: Op<'a>, attribute: &str) -> Result<FunctionId, Fault<'a>> {
        let types = types_of(op, "type_args");
        let types = types.into_iter().map(|ty| self.concrete(ty)).collect();
        let name = op.symbol(attribute).unwrap_or_default();
        let found = self.library.named(name, types);
        found.ok_or_else(|| self.fault(op, format!("there is no function '@{name}'")))
    }

    //===-- Operations --------------------------------------------------------------------------------------------===//

    fn operation(&mut self, op: Op<'a>, ending: Ending<'a>) -> Result<(), Fault<'a>> {
        let action = match op.dialect() {
            "arith" | "math" | "index" => self.scalar(op),
            "tfx_host" => self.host(op)?,
            "tfx_tensor" | "tfx_comm" => self.graph(op, ending)?,
            "cf" | "scf" | "func" => self.control(op, ending)?,
            "tensor" => self.message(op),
            "ub" => Some(Action::Constant(Value::Undefined)),
            _ => None,
        };
        match action {
            Some(action) => self.emit(op, action),
            None if self.is_done(op) => {}
            None => {
                let message = format!("the reference interpreter does not know '{}'", op.name());
                return Err(self.fault(op, message));
            }
        }
        Ok(())
    }

    /// Whether an operation made its instructions by itself: those with regions, and those that end them.
    fn is_done(&self, op: Op<'a>) -> bool {
        matches!(
            op.name(),
            "scf.if"
                | "scf.index_switch"
                | "scf.while"
                | "scf.for"
                | "scf.execute_region"
                | "scf.yield"
                | "scf.condition"
                | "tfx_tensor.if"
                | "tfx_tensor.case"
                | "tfx_tensor.while"
                | "tfx_tensor.yield"
        )
    }

    fn scalar(&self, op: Op<'a>) -> Option<Action<'a>> {
        if op.is("arith.select") {
            return Some(Action::Select);
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

    fn host(&mut self, op: Op<'a>) -> Result<Option<Action<'a>>, Fault<'a>> {
        let operand_type = |index: usize| self.concrete(op.operand(index).ty());
        let field = op.string("field").unwrap_or_default();
        Ok(Some(match op.name().trim_start_matches("tfx_host.") {
            "make_struct" | "make_tuple" | "array" => Action::List,
            "extract" => Action::Element(self.field(op, operand_type(0), field)?),
            "insert" => Action::Insert(self.field(op, operand_type(1), field)?),
            "tuple_get" => Action::Element(op.integer("index").unwrap_or_default() as usize),
            "make_enum" => {
                let name = op.string("case_name").unwrap_or_default();
                Action::Case(self.case(op, self.concrete(op.result(0).ty()), name)?)
            }
            "enum_tag" => Action::Tag,
            "enum_payload" => {
                let name = op.string("case_name").unwrap_or_default();
                Action::Payload(self.case(op, operand_type(0), name)?)
            }
            "switch_enum" => self.switch_enum(op)?,
            "var" => Action::Variable,
            "load" => Action::Load,
            "store" => Action::Store,
            "field_ref" => match host_type(operand_type(0)) {
                Some(HostType::Ref(pointee)) => Action::Part(self.field(op, pointee, field)?),
                _ => return Ok(None),
            },
            "member_ref" => Action::Member(self.field(op, operand_type(0), field)?),
            "call" => self.call(op)?,
            "closure" => Action::Closure(self.callee(op, "callee")?),
            "apply" => Action::Apply,
            "witness_call" => {
                let conforming = op.type_attribute("conforming").map(|ty| self.concrete(ty));
                let protocol = op.symbol("protocol").unwrap_or_default();
                let method = op.string("method").unwrap_or_default();
                let found = conforming.and_then(|ty| self.library.method(ty, protocol, method));
                let why = "no witness table says how the type conforms";
                self.call_of(op, found.ok_or_else(|| self.fault(op, why))?)
            }
            "dynamic_call" => Action::DynamicCall(op.string("method").unwrap_or_default()),
            "array_get" => Action::ArrayGet,
            "array_count" => Action::ArrayCount,
            "new" => Action::New(self.concrete(op.result(0).ty())),
            "erase" => {
                let ty = op.type_attribute("conforming");
                Action::Erase(ty.map_or_else(|| operand_type(0), |ty| self.concrete(ty)))
            }
            "string" => {
                let text = op.string("value").unwrap_or_default();
                Action::Constant(Value::String(text.as_bytes().into()))
            }
            "print" => Action::Print(op.string("format").unwrap_or_default(), self.numbers(op)),
            "assert" => Action::Assert(op.string("message").unwrap_or_default()),
            "abort" => Action::Abort(op.string("message").unwrap_or_default()),
            "unreachable" => Action::Unreachable,
            "undef" => Action::Constant(Value::Undefined),
            _ => return Ok(None),
        }))
    }

    fn switch_enum(&mut self, op: Op<'a>) -> Result<Action<'a>, Fault<'a>> {
        let ty = self.concrete(op.operand(0).ty());
        let first = usize::from(op.attribute("has_default").is_some());
        let names: Vec<_> = strings(op, "case_names").collect();
        let mut cases = Vec::with_capacity(names.len());
        for (index, name) in names.into_iter().enumerate() {
            let tag = self.case(op, ty, name)? as u64;
            cases.push((tag, self.edge(op, index + first)));
        }
        // Without a default all cases are listed, so that any edge may stand for the others.
        let otherwise = self.edge(op, 0);
        Ok(Action::Switch(cases.into(), otherwise))
    }

    fn call(&self, op: Op<'a>) -> Result<Action<'a>, Fault<'a>> {
        let id = self.callee(op, "callee")?;
        Ok(self.call_of(op, id))
    }

    fn call_of(&self, op: Op<'a>, id: FunctionId) -> Action<'a> {
        let callee = self.library.op(id);
        match callee.is_declaration() {
            true => Action::Foreign(Foreign {
                name: callee.symbol_name().unwrap_or_default(),
                arguments: self.numbers(op),
                results: self.result_types(op).into(),
            }),
            false => Action::Call(id),
        }
    }

    fn graph(&mut self, op: Op<'a>, ending: Ending<'a>) -> Result<Option<Action<'a>>, Fault<'a>> {
        let on_host = |values: usize| op.num_operands() > values;
        let channel = || op.integer("channel").unwrap_or_default() as u32;
        Ok(Some(match op.name() {
            "tfx_tensor.op" => self.kernel(op)?,
            "tfx_tensor.const" => self.constant(op)?,
            "tfx_tensor.from_scalar" => {
                let number = self.number(op.operand(0));
                Action::Compute(Box::new(move |values| {
                    let tensor = values[0].to_tensor(number);
                    let tensor = tensor.ok_or("no tensor holds such a scalar")?;
                    Ok([Value::Tensor(tensor)].into_iter().collect())
                }))
            }
            "tfx_tensor.to_scalar" => {
                let number = self.number(op.result(0));
                Action::Compute(Box::new(move |values| match (&values[0], number) {
                    (Value::Tensor(tensor), Some(number)) => {
                        Ok([Value::of_tensor(tensor, number)?].into_iter().collect())
                    }
                    _ => Err("a tensor is wanted".to_owned()),
                }))
            }
            "tfx_tensor.if" => {
                let cases = vec![(0, op.region(1).entry())];
                self.choice(op, cases, op.region(0).entry());
                return Ok(None);
            }
            "tfx_tensor.case" => {
                let last = op.num_regions() - 1;
                let region = |index: usize| op.region(index).entry();
                let cases = (0..last).map(|index| (index as u64, region(index)));
                self.choice(op, cases.collect(), region(last));
                return Ok(None);
            }
            "tfx_tensor.while" => {
                self.repeat(op);
                return Ok(None);
            }
            "tfx_tensor.yield" => {
                self.end(op, ending);
                return Ok(None);
            }
            "tfx_tensor.return" => Action::Return,
            "tfx_tensor.call" => Action::Call(self.callee(op, "callee")?),
            "tfx_comm.to_host" | "tfx_comm.to_accelerator" => Action::Copy,
            "tfx_comm.start" => Action::Start(self.callee(op, "graph")?, self.numbers(op)),
            "tfx_comm.send" => Action::Send {
                channel: channel(),
                on_host: on_host(1),
                number: self.number(op.operand(0)),
            },
            "tfx_comm.recv" => Action::Receive {
                channel: channel(),
                on_host: on_host(0),
                ty: op.result(0).ty(),
            },
            "tfx_comm.finish" => Action::Finish(self.result_types(op)),
            "tfx_comm.terminate" => Action::Terminate,
            _ => return Ok(None),
        }))
    }

    fn constant(&self, op: Op<'a>) -> Result<Action<'a>, Fault<'a>> {
        let value = op
            .attribute("value")
            .ok_or_else(|| self.fault(op, "it has no value"))?;
        let tensor = tensors::tensor(value).map_err(|why| self.fault(op, why))?;
        let mut node = NodeDef {
            op: "Const".to_owned(),
            ..NodeDef::default()
        };
        let value = AttrValue {
            value: Some(attr_value::Value::Tensor(tensor)),
        };
        node.attr.insert("value".to_owned(), value);
        let tensor = kernels::constant(&node).map_err(|why| self.fault(op, why.to_string()))?;
        Ok(Action::Constant(Value::Tensor(tensor)))
    }

    fn kernel(&self, op: Op<'a>) -> Result<Action<'a>, Fault<'a>> {
        let (_, computed) = operations::split_operands(op);
        if !computed.is_empty() {
            let template = Template::new(op, |ty| self.concrete(ty));
            let template = template.map_err(|why| self.fault(op, why))?;
            return Ok(Action::Computed(template.into()));
        }
        let name = op.string(operations::NAME_ATTRIBUTE).unwrap_or_default();
        let resolved = operations::resolve_op_as(op, &str::to_owned, |ty| self.concrete(ty))
            .map_err(|fault| self.fault(op, fault.message))?;
        let node = NodeDef {
            op: name.to_owned(),
            attr: resolved.attributes,
            ..NodeDef::default()
        };
        if name == "Const" {
            let tensor = kernels::constant(&node).map_err(|why| self.fault(op, why.to_string()))?;
            return Ok(Action::Constant(Value::Tensor(tensor)));
        }
        // The one that is not chosen need not be set.
        if name == "SelectV2" && is_scalar(op.operand(0)) {
            let [one, other] = [1, 2].map(|index| op.operand(index).ty());
            if one == other && one == op.result(0).ty() {
                return Ok(Action::Select);
            }
        }
        if name == "Pack"
            && let Some(first) = op.operands().next()
            && is_scalar(first)
            && let Some(number) = Number::of(types::element_type(first.ty()))
        {
            return Ok(scalars_in(number, vec![op.num_operands()]));
        }
        match kernels::build(&node) {
            Ok(Some(kernel)) => Ok(Action::Kernel(kernel)),
            Ok(None) => Err(self.fault(
                op,
                format!("the reference interpreter has no kernel for the operation {name}"),
            )),
            Err(why) => Err(self.fault(op, why.to_string())),
        }
    }

    /// Scalars in a tensor, as `tfx-pack-scalars` makes messages of them.
    fn message(&self, op: Op<'a>) -> Option<Action<'a>> {
        match op.name() {
            "tensor.from_elements" => {
                let number = self.number(op.operands().next()?)?;
                let sizes = types::sizes(op.result(0).ty())?;
                let shape: Option<Vec<_>> =
                    sizes.into_iter().map(|size| Some(size? as usize)).collect();
                let shape = shape?;
                Some(scalars_in(number, shape))
            }
            "tensor.extract" => {
                let number = self.number(op.result(0))?;
                Some(Action::Compute(Box::new(move |values| {
                    let element = values[0].element(&values[1..], number)?;
                    Ok([element].into_iter().collect())
                })))
            }
            _ => None,
        }
    }

    fn control(&mut self, op: Op<'a>, ending: Ending<'a>) -> Result<Option<Action<'a>>, Fault<'a>> {
        Ok(Some(match op.name() {
            "func.return" => Action::Return,
            "func.call" => self.call(op)?,
            "cf.br" => Action::Jump(self.edge(op, 0)),
            "cf.cond_br" => Action::Switch([(0, self.edge(op, 1))].into(), self.edge(op, 0)),
            "cf.switch" => {
                let width = match Number::of(op.operand(0).ty()) {
                    Some(Number::Integer(width)) => width,
                    _ => return Ok(None),
                };
                let mut cases = Vec::new();
                for (index, case) in case_values(op).into_iter().enumerate() {
                    let case = crate::value::masked(case as u64, width);
                    cases.push((case, self.edge(op, index + 1)));
                }
                Action::Switch(cases.into(), self.edge(op, 0))
            }
            "cf.assert" => Action::Assert(op.string("msg").unwrap_or_default()),
            "scf.if" => {
                let cases = vec![(0, op.region(1).entry())];
                self.choice(op, cases, op.region(0).entry());
                return Ok(None);
            }
            "scf.index_switch" => {
                let cases = index_cases(op).into_iter().enumerate();
                let cases = cases.map(|(index, case)| (case as u64, op.region(index + 1).entry()));
                self.choice(op, cases.collect(), op.region(0).entry());
                return Ok(None);
            }
            "scf.execute_region" => {
                self.execute_region(op);
                return Ok(None);
            }
            "scf.while" => {
                self.repeat(op);
                return Ok(None);
            }
            "scf.for" => {
                self.count(op);
                return Ok(None);
            }
            "scf.yield" | "scf.condition" => {
                self.end(op, ending);
                return Ok(None);
            }
            _ => return Ok(None),
        }))
    }

    //===-- Regions -----------------------------------------------------------------------------------------------===//

    /// Goes to the region of a number, or past the operation where that is empty.
    fn choice(
        &mut self,
        op: Op<'a>,
        cases: Vec<(u64, Option<Block<'a>>)>,
        otherwise: Option<Block<'a>>,
    ) {
        let after = self.label();
        self.work.push(Work::Place(after));
        let mut enter = |block: Option<Block<'a>>| match block {
            Some(block) => {
                let label = self.label();
                self.push(block, label, Ending::Leave(op, after));
                self.plain(label)
            }
            None => self.plain(after),
        };
        let otherwise = enter(otherwise);
        let cases = cases
            .into_iter()
            .map(|(number, block)| (number, enter(block)));
        let switch = Action::Switch(cases.collect(), otherwise);
        let selector = self.register(op.operand(0));
        self.emit_on(op, selector, switch);
    }

    fn execute_region(&mut self, op: Op<'a>) {
        let after = self.label();
        self.work.push(Work::Place(after));
        let blocks: Vec<_> = op.region(0).blocks().collect();
        for block in blocks.into_iter().rev() {
            let label = self.label_of(block);
            self.push(block, label, Ending::Leave(op, after));
        }
    }

    /// `scf.while` and `tfx_tensor.while`.
    fn repeat(&mut self, op: Op<'a>) {
        let half = |region: usize| op.region(region).entry().expect("a loop has two regions");
        let labels = [self.label(), self.label(), self.label()];
        let jump = self.jump(labels[0], half(0).arguments(), op.operands());
        self.emit(op, Action::Jump(jump));
        self.work.push(Work::Place(labels[2]));
        self.push(half(1), labels[1], Ending::Again(op, labels[0]));
        self.push(
            half(0),
            labels[0],
            Ending::Condition(op, labels[1], labels[2]),
        );
    }

    /// `scf.for`: the index and what is carried are the arguments of the body; they go to the results where the index is at the end.
    fn count(&mut self, op: Op<'a>) {
        let body = op.region(0).entry().expect("a loop has a body");
        let width = match Number::of(op.operand(0).ty()) {
            Some(Number::Integer(width)) => width,
            _ => 64,
        };
        let is_unsigned = op.attribute("unsignedCmp").is_some();
        let [start, test, after] = [self.label(), self.label(), self.label()];
        let mut jump = self.jump(test, body.arguments().skip(1), op.operands().skip(3));
        let index = self.register(body.argument(0));
        let lower = self.register(op.operand(0));
        let moves = jump.moves.iter().copied().chain([(index, lower)]);
        jump.moves = moves.collect();
        self.emit(op, Action::Jump(jump));
        self.places[test] = self.code.instructions.len();
        let (goes_on, upper) = (self.fresh(), self.register(op.operand(1)));
        let less = Action::Compute(Box::new(move |values| {
            let (a, b) = (values[0].bits()?, values[1].bits()?);
            let less = match is_unsigned {
                true => a < b,
                false => crate::value::signed(a, width) < crate::value::signed(b, width),
            };
            Ok([Value::Integer(u64::from(less))].into_iter().collect())
        }));
        self.code.instructions.push(Instruction {
            op,
            action: less,
            operands: [index, upper].into_iter().collect(),
            results: [goes_on].into_iter().collect(),
        });
        let leaves = self.jump(after, op.results(), body.arguments().skip(1));
        let enters = self.plain(start);
        self.emit_on(op, goes_on, Action::Switch([(0, leaves)].into(), enters));
        let step = self.register(op.operand(2));
        self.work.push(Work::Place(after));
        self.push(body, start, Ending::Step(For { index, step, test }));
    }

    fn end(&mut self, op: Op<'a>, ending: Ending<'a>) {
        let yielded = |skip: usize| op.operands().skip(skip);
        match ending {
            Ending::Function => {}
            Ending::Leave(around, after) => {
                let jump = self.jump(after, around.results(), yielded(0));
                self.emit(op, Action::Jump(jump));
            }
            Ending::Again(around, before) => {
                let block = around.region(0).entry().expect("a loop has two regions");
                let jump = self.jump(before, block.arguments(), yielded(0));
                self.emit(op, Action::Jump(jump));
            }
            Ending::Condition(around, second, after) => {
                let half = |region: usize| around.region(region).entry();
                let body = half(1).expect("a loop has two regions");
                let flag = self.register(op.operand(0));
                // In a functional loop the condition yields no more than the decision: what is carried goes on as it is.
                let values: Vec<_> = match op.is("scf.condition") {
                    true => yielded(1).collect(),
                    false => half(0)
                        .expect("a loop has two regions")
                        .arguments()
                        .collect(),
                };
                let goes_on = self.jump(second, body.arguments(), values.iter().copied());
                let leaves = self.jump(after, around.results(), values.into_iter());
                self.emit_on(op, flag, Action::Switch([(0, leaves)].into(), goes_on));
            }
            Ending::Step(For { index, step, test }) => self.step(op, index, step, test),
        }
    }

    fn step(&mut self, op: Op<'a>, index: Register, step: Register, test: usize) {
        let around = op.parent().expect("a yield is in its loop");
        let body = around.region(0).entry().expect("a loop has a body");
        let width = match Number::of(body.argument(0).ty()) {
            Some(Number::Integer(width)) => width,
            _ => 64,
        };
        let next = self.fresh();
        let add = Action::Compute(Box::new(move |values| {
            let sum = values[0].bits()?.wrapping_add(values[1].bits()?);
            Ok([Value::Integer(crate::value::masked(sum, width))]
                .into_iter()
                .collect())
        }));
        self.code.instructions.push(Instruction {
            op,
            action: add,
            operands: [index, step].into_iter().collect(),
            results: [next].into_iter().collect(),
        });
        let mut jump = self.jump(test, body.arguments().skip(1), op.operands());
        jump.moves = jump.moves.iter().copied().chain([(index, next)]).collect();
        self.emit(op, Action::Jump(jump));
    }
}

/// Whether a tensor has rank 0.
fn is_scalar(value: IrValue<'_>) -> bool {
    types::sizes(value.ty()).is_some_and(|sizes| sizes.is_empty())
}

/// A message of scalars.
fn scalars_in<'a>(number: Number, shape: Vec<usize>) -> Action<'a> {
    let pack: scalar::Compute<'a> = Box::new(move |values| {
        let tensor = Value::of_scalars(values, number, &shape)?;
        Ok([tensor].into_iter().collect())
    });
    Action::Message(number, pack)
}

/// The cases of an `scf.index_switch`; `melior` reads no dense array.
fn index_cases(op: Op<'_>) -> Vec<i64> {
    let text = op.attribute("cases").map(|cases| cases.to_string());
    let text = text.unwrap_or_default();
    let list = text.trim_start_matches("array<i64").trim_end_matches('>');
    let list = list.trim_start_matches(": ");
    list.split(", ")
        .filter_map(|case| case.parse().ok())
        .collect()
}

/// The cases of a `cf.switch`.
fn case_values(op: Op<'_>) -> Vec<i64> {
    let Some(Ok(values)) = op
        .attribute("case_values")
        .map(DenseElementsAttribute::try_from)
    else {
        return Vec::new();
    };
    let width = IntegerType::try_from(op.operand(0).ty()).map_or(i64::BITS, |ty| ty.width());
    let number = |index| match width {
        1 => values.bool_element(index).map(i64::from).ok(),
        8 => values.i8_element(index).map(i64::from).ok(),
        16 => values.i16_element(index).map(i64::from).ok(),
        32 => values.i32_element(index).map(i64::from).ok(),
        _ => values.i64_element(index).ok(),
    };
    (0..values.len()).filter_map(number).collect()
}
