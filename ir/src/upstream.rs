//! Shorthands for the upstream operations that passes build most.

use melior::dialect::DialectHandle;
use melior::ir::attribute::{BoolAttribute, IntegerAttribute};
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Attribute, Type};

use crate::ops::{arith, cf, func, scf};
use crate::{Block, Builder, Op, Value, ffi};

/// Returns the dialect `math`, for the registries of passes that create its operations.
pub fn math() -> DialectHandle {
    ffi::math_dialect()
}

/// Returns the dialect `nvvm`, for the registries of passes that create its operations.
pub fn nvvm() -> DialectHandle {
    ffi::nvvm_dialect()
}

impl<'a> Builder<'a> {
    /// Builds `arith.constant` of an attribute of type `ty`.
    pub fn constant(&mut self, value: impl Into<Attribute<'a>>, ty: Type<'a>) -> Value<'a> {
        arith::Constant::build(self, ty, value.into()).result()
    }

    /// Builds `arith.constant` of type `i1`.
    pub fn constant_bool(&mut self, value: bool) -> Value<'a> {
        let ty = IntegerType::new(self.context(), 1).into();
        self.constant(BoolAttribute::new(self.context(), value), ty)
    }

    /// Builds `arith.constant` of type `index` or an integer type.
    pub fn constant_int(&mut self, value: i64, ty: Type<'a>) -> Value<'a> {
        self.constant(IntegerAttribute::new(ty, value), ty)
    }

    /// Builds `cf.br`.
    pub fn br(&mut self, target: Block<'a>, arguments: &[Value<'a>]) -> Op<'a> {
        cf::Branch::build(self, arguments, target).op()
    }

    /// Builds `cf.cond_br`.
    pub fn cond_br(
        &mut self,
        condition: Value<'a>,
        (then, then_arguments): (Block<'a>, &[Value<'a>]),
        (otherwise, otherwise_arguments): (Block<'a>, &[Value<'a>]),
    ) -> Op<'a> {
        let branch = cf::CondBranch::build(
            self,
            condition,
            then_arguments,
            otherwise_arguments,
            then,
            otherwise,
        );
        branch.op()
    }

    /// Builds `func.func` without a block, which is a declaration.
    pub fn func(&mut self, name: &str, ty: FunctionType<'a>, private: bool) -> Op<'a> {
        let func = func::Func::build(self, name, ty);
        if private {
            func.set_sym_visibility(Some("private"));
        }
        func.op()
    }

    /// Builds `func.call`.
    pub fn call(&mut self, callee: &str, arguments: &[Value<'a>], results: &[Type<'a>]) -> Op<'a> {
        func::Call::build(self, results, callee, arguments).op()
    }

    /// Builds `scf.if`; a region without a block is an absent `else`.
    pub fn scf_if(&mut self, condition: Value<'a>, results: &[Type<'a>]) -> Op<'a> {
        scf::If::build(self, results, condition).op()
    }

    /// Builds `scf.while`.
    pub fn scf_while(&mut self, initial: &[Value<'a>], results: &[Type<'a>]) -> Op<'a> {
        scf::While::build(self, results, initial).op()
    }

    /// Builds `scf.condition`.
    pub fn scf_condition(&mut self, condition: Value<'a>, values: &[Value<'a>]) -> Op<'a> {
        scf::Condition::build(self, condition, values).op()
    }

    /// Builds `scf.yield`.
    pub fn scf_yield(&mut self, values: &[Value<'a>]) -> Op<'a> {
        scf::Yield::build(self, values).op()
    }

    /// Builds `scf.index_switch`.
    pub fn scf_index_switch(
        &mut self,
        selector: Value<'a>,
        cases: &[i64],
        results: &[Type<'a>],
    ) -> Op<'a> {
        scf::IndexSwitch::build(self, results, selector, cases, cases.len()).op()
    }

    /// Builds `cf.switch`.
    pub fn cf_switch(
        &mut self,
        selector: Value<'a>,
        (default, default_arguments): (Block<'a>, &[Value<'a>]),
        cases: &[(i64, Block<'a>, &[Value<'a>])],
    ) -> Op<'a> {
        let sizes: Vec<i32> = cases
            .iter()
            .map(|(.., values)| values.len() as i32)
            .collect();
        let operands: Vec<_> = cases
            .iter()
            .flat_map(|(.., values)| values.iter().copied())
            .collect();
        let blocks: Vec<_> = cases.iter().map(|&(_, block, _)| block).collect();
        let switch = cf::Switch::build(
            self,
            selector,
            default_arguments,
            &operands,
            &sizes,
            default,
            &blocks,
        );
        if !cases.is_empty() {
            let values: Vec<String> = cases.iter().map(|(value, ..)| value.to_string()).collect();
            let text = format!(
                "dense<[{}]> : tensor<{}x{}>",
                values.join(", "),
                cases.len(),
                selector.ty()
            );
            switch.set_case_values(Attribute::parse(self.context(), &text));
        }
        switch.op()
    }
}
