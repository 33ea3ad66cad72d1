//! Builders for the operations of upstream dialects that passes make most.

use melior::ir::attribute::TypeAttribute;
use melior::ir::attribute::{
    BoolAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute,
};
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Attribute, Type};

use crate::{Block, Builder, Op, Value, symbols};

impl<'a> Builder<'a> {
    /// `arith.constant` of an attribute; its type is `ty`.
    pub fn constant(&mut self, value: impl Into<Attribute<'a>>, ty: Type<'a>) -> Value<'a> {
        self.op("arith.constant")
            .attribute("value", value)
            .result(ty)
            .value()
    }

    /// `arith.constant` of type `i1`.
    pub fn constant_bool(&mut self, value: bool) -> Value<'a> {
        let ty = IntegerType::new(self.context(), 1).into();
        self.constant(BoolAttribute::new(self.context(), value), ty)
    }

    /// `arith.constant` of type `index` or an integer type.
    pub fn constant_int(&mut self, value: i64, ty: Type<'a>) -> Value<'a> {
        self.constant(IntegerAttribute::new(ty, value), ty)
    }

    /// `cf.br`.
    pub fn br(&mut self, target: Block<'a>, arguments: &[Value<'a>]) -> Op<'a> {
        self.op("cf.br")
            .operands(arguments)
            .successor(target)
            .build()
    }

    /// `cf.cond_br`.
    pub fn cond_br(
        &mut self,
        condition: Value<'a>,
        (then, then_arguments): (Block<'a>, &[Value<'a>]),
        (otherwise, otherwise_arguments): (Block<'a>, &[Value<'a>]),
    ) -> Op<'a> {
        let segments = [&[condition][..], then_arguments, otherwise_arguments];
        self.op("cf.cond_br")
            .segments(&segments)
            .successor(then)
            .successor(otherwise)
            .build()
    }

    /// `func.func` with an empty body: a declaration until blocks are added. It has the builder's location.
    pub fn func(&mut self, name: &str, ty: FunctionType<'a>, private: bool) -> Op<'a> {
        let ty = TypeAttribute::new(ty.into());
        let func = self
            .op("func.func")
            .string(symbols::SYMBOL_NAME, name)
            .attribute("function_type", ty)
            .regions(1);
        let func = if private {
            func.string(symbols::SYMBOL_VISIBILITY, "private")
        } else {
            func
        };
        func.build()
    }

    /// `func.return`.
    pub fn func_return(&mut self, values: &[Value<'a>]) -> Op<'a> {
        self.op("func.return").operands(values).build()
    }

    /// `func.call`.
    pub fn call(&mut self, callee: &str, arguments: &[Value<'a>], results: &[Type<'a>]) -> Op<'a> {
        self.op("func.call")
            .symbol("callee", callee)
            .operands(arguments)
            .results(results)
            .build()
    }

    /// `scf.if` with two empty regions; a region that gets no block is an absent `else`.
    pub fn scf_if(&mut self, condition: Value<'a>, results: &[Type<'a>]) -> Op<'a> {
        self.op("scf.if")
            .operand(condition)
            .results(results)
            .regions(2)
            .build()
    }

    /// `scf.while` with two empty regions.
    pub fn scf_while(&mut self, initial: &[Value<'a>], results: &[Type<'a>]) -> Op<'a> {
        self.op("scf.while")
            .operands(initial)
            .results(results)
            .regions(2)
            .build()
    }

    /// `scf.condition`.
    pub fn scf_condition(&mut self, condition: Value<'a>, values: &[Value<'a>]) -> Op<'a> {
        self.op("scf.condition")
            .operand(condition)
            .operands(values)
            .build()
    }

    /// `scf.yield`.
    pub fn scf_yield(&mut self, values: &[Value<'a>]) -> Op<'a> {
        self.op("scf.yield").operands(values).build()
    }

    /// `scf.index_switch` with empty regions: the default's, then one for each case.
    pub fn scf_index_switch(
        &mut self,
        selector: Value<'a>,
        cases: &[i64],
        results: &[Type<'a>],
    ) -> Op<'a> {
        let attribute = DenseI64ArrayAttribute::new(self.context(), cases);
        let switch = self
            .op("scf.index_switch")
            .operand(selector)
            .attribute("cases", attribute);
        switch.results(results).regions(1 + cases.len()).build()
    }

    /// `cf.switch` on an integer of type `ty`.
    pub fn cf_switch(
        &mut self,
        selector: Value<'a>,
        (default, default_arguments): (Block<'a>, &[Value<'a>]),
        cases: &[(i64, Block<'a>, &[Value<'a>])],
    ) -> Op<'a> {
        let context = self.context();
        let values: Vec<String> = cases.iter().map(|(value, ..)| value.to_string()).collect();
        let values = format!(
            "dense<[{}]> : tensor<{}x{}>",
            values.join(", "),
            cases.len(),
            selector.ty()
        );
        let sizes: Vec<i32> = cases
            .iter()
            .map(|(.., arguments)| arguments.len() as i32)
            .collect();
        let operands: Vec<Value<'a>> = cases
            .iter()
            .flat_map(|(.., arguments)| arguments.iter().copied())
            .collect();
        let switch = self
            .op("cf.switch")
            .segments(&[&[selector], default_arguments, &operands])
            .successor(default);
        let switch = switch.attribute(
            "case_operand_segments",
            DenseI32ArrayAttribute::new(context, &sizes),
        );
        let switch = match Attribute::parse(context, &values) {
            Some(values) if !cases.is_empty() => switch.attribute("case_values", values),
            _ => switch,
        };
        cases
            .iter()
            .fold(switch, |switch, (_, block, _)| switch.successor(*block))
            .build()
    }
}
