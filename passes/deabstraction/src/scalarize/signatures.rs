//! Signatures of functions, and fields of classes.

use melior::ir::attribute::ArrayAttribute;
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Type};
use tfx_dialects::host;
use tfx_ir::Op;
use tfx_ir::diag::Diagnostic;

use super::Scalarizer;
use crate::aggregates::leaf_names;
use crate::layout::{elements, fields};
use crate::parameters;

/// A type with its leaves.
type Exploded<'a> = (Type<'a>, Vec<Type<'a>>);

impl<'a> Scalarizer<'a> {
    /// Explodes the types of parameters and results, with their attributes.
    pub(super) fn signature(&mut self, func: Op<'a>) -> Result<(), Diagnostic<'a>> {
        let (inputs, results) = func.signature();
        let inputs = self.explode(func, &inputs)?;
        let results = self.explode(func, &results)?;
        let is_flat = |(ty, leaves): &Exploded<'a>| leaves[..] == [*ty];
        if inputs.iter().chain(&results).all(is_flat) {
            return Ok(());
        }
        self.explode_attributes(func, "arg_attrs", &inputs)?;
        self.explode_attributes(func, "res_attrs", &results)?;
        let flat = |list: &[Exploded<'a>]| {
            list.iter()
                .flat_map(|(_, leaves)| leaves.clone())
                .collect::<Vec<_>>()
        };
        let ty = FunctionType::new(func.context(), &flat(&inputs), &flat(&results));
        func.set_function_type(ty);
        Ok(())
    }

    fn explode(
        &mut self,
        func: Op<'a>,
        types: &[Type<'a>],
    ) -> Result<Vec<Exploded<'a>>, Diagnostic<'a>> {
        let one = |ty: &Type<'a>| Ok((*ty, self.layouts.leaves(*ty, func.location())?));
        types.iter().map(one).collect()
    }

    fn explode_attributes(
        &mut self,
        func: Op<'a>,
        name: &str,
        list: &[Exploded<'a>],
    ) -> Result<(), Diagnostic<'a>> {
        let attributes: Vec<_> = elements(func, name).collect();
        if attributes.len() != list.len() {
            return Ok(());
        }
        let mut exploded: Vec<Attribute<'a>> = Vec::new();
        for ((ty, leaves), attribute) in list.iter().zip(attributes) {
            match parameters::name(attribute) {
                Some(name) if leaves[..] != [*ty] => {
                    let names = leaf_names(&mut self.layouts, *ty, name, func.location())?;
                    let renamed = |name| parameters::renamed(func.context(), attribute, name);
                    exploded.extend(names.iter().map(|name| renamed(name)));
                }
                _ => exploded.extend(leaves.iter().map(|_| attribute)),
            }
        }
        func.set_attribute(name, ArrayAttribute::new(func.context(), &exploded));
        Ok(())
    }

    /// Explodes the fields of a class: `p: @Point` becomes `p.x` and `p.y`.
    pub(super) fn class(&mut self, class: host::Class<'a>) -> Result<(), Diagnostic<'a>> {
        if !class.type_params().is_empty() {
            return Ok(());
        }
        let (mut names, mut types) = (Vec::new(), Vec::new());
        for (name, ty) in fields(class.op(), &[]) {
            let leaves = self.layouts.leaves(ty, class.location())?;
            names.extend(leaf_names(&mut self.layouts, ty, &name, class.location())?);
            types.extend(leaves);
        }
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        class.set_field_names(&names);
        class.set_field_types(&types);
        Ok(())
    }
}
