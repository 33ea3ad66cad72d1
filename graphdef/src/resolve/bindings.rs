//! The values to which the attributes that describe operands and results are bound, and the origins
//! of these values.

use std::{collections::BTreeMap, ops::Range};

use super::{
    check,
    error::{OperationError, Origin, Side},
    kind::{Computed, Element, Kind, UNKNOWN},
};
use crate::{
    element::{dereferenced, from_number},
    proto::{
        AttrValue, DataType, OpDef,
        attr_value::Value,
        op_def::{ArgDef, AttrDef},
    },
};

enum Binding {
    Number(usize),
    Type(Option<(DataType, Origin)>),
    /// One entry for each element; `None` for elements that are not bound yet.
    Types(Vec<Option<(DataType, Origin)>>),
}

/// The bindings of one use of an operation.
pub(super) struct Bindings {
    pub(super) definition: &'static OpDef,
    bound: BTreeMap<&'static str, Binding>,
    written: Vec<&'static str>,
    attributes: BTreeMap<&'static str, &'static AttrDef>,
}

impl Bindings {
    /// Creates the bindings of the written attributes.
    pub(super) fn new(definition: &'static OpDef, written: &BTreeMap<String, AttrValue>) -> Self {
        let mut bindings = Self {
            definition,
            bound: BTreeMap::new(),
            written: Vec::new(),
            attributes: definition
                .attr
                .iter()
                .map(|attribute| (attribute.name.as_str(), attribute))
                .collect(),
        };
        for attribute in &definition.attr {
            let Some(value) = written
                .get(&attribute.name)
                .and_then(|value| value.value.as_ref())
            else {
                continue;
            };
            bindings.written.push(&attribute.name);
            let by_user = |number: i32| Some((from_number(number), Origin::Written));
            let binding = match value {
                Value::I(number) => Binding::Number(usize::try_from(*number).unwrap_or(0)),
                Value::Type(number) => Binding::Type(by_user(*number)),
                Value::List(list) if Kind::of(attribute) == Kind::list(Element::Type) => {
                    Binding::Types(list.r#type.iter().copied().map(by_user).collect())
                }
                _ => continue,
            };
            bindings.bound.insert(&attribute.name, binding);
        }
        bindings
    }

    /// Unifies the values of one side with their arguments. `ranges` has the positions of the
    /// values of each argument.
    pub(super) fn unify_side(
        &mut self,
        side: Side,
        types: &[DataType],
        ranges: &[Range<usize>],
    ) -> Result<(), OperationError> {
        for (argument, range) in self.arguments(side).iter().zip(ranges) {
            if !argument.number_attr.is_empty() {
                self.bound
                    .insert(&argument.number_attr, Binding::Number(range.len()));
            }
            if !argument.type_list_attr.is_empty() {
                // An empty list binds its attribute too.
                self.bound
                    .entry(&argument.type_list_attr)
                    .or_insert_with(|| Binding::Types(vec![None; range.len()]));
            }
            for (position, index) in range.clone().enumerate() {
                self.unify(side, argument, position, index, dereferenced(types[index]))?;
            }
        }
        Ok(())
    }

    /// Unifies the data type of one value, the `position`-th of its argument.
    fn unify(
        &mut self,
        side: Side,
        argument: &'static ArgDef,
        position: usize,
        index: usize,
        given: DataType,
    ) -> Result<(), OperationError> {
        if given == UNKNOWN {
            return Ok(());
        }
        let (attribute, element) = match (
            argument.type_list_attr.as_str(),
            argument.type_attr.as_str(),
        ) {
            ("", "") => return fixed(self.definition, side, argument, index, given),
            ("", attribute) => (attribute, None),
            (attribute, _) => (attribute, Some(position)),
        };
        let slot = match self.bound.entry(attribute).or_insert(Binding::Type(None)) {
            Binding::Type(slot) => slot,
            Binding::Types(slots) => &mut slots[position],
            Binding::Number(_) => unreachable!("no attribute is both a number and a type"),
        };
        match *slot {
            None => *slot = Some((given, Origin::of(side, index))),
            Some((bound, _)) if bound == given => {}
            Some((bound, by)) => {
                return Err(OperationError::Conflict {
                    operation: &self.definition.name,
                    side,
                    index,
                    given,
                    attribute,
                    element,
                    bound,
                    by,
                });
            }
        }
        Ok(())
    }

    /// Adds the attributes that are neither written nor computed, as they are bound or by default.
    pub(super) fn complete(
        &self,
        attributes: &mut BTreeMap<String, AttrValue>,
        computed: &Computed,
    ) -> Result<(), OperationError> {
        for attribute in &self.definition.attr {
            if attributes.contains_key(&attribute.name) || computed.contains_key(&attribute.name) {
                continue;
            }
            let value = match self.derived(attribute)? {
                Some(value) => value.into(),
                None => attribute.default_value.clone().ok_or_else(|| {
                    OperationError::MissingAttribute {
                        operation: &self.definition.name,
                        attribute: &attribute.name,
                        expected: Kind::of(attribute),
                    }
                })?,
            };
            attributes.insert(attribute.name.clone(), value);
        }
        Ok(())
    }

    /// Returns the value to which an attribute is bound; `None` if operands and results do not
    /// decide it.
    fn derived(&self, attribute: &'static AttrDef) -> Result<Option<Value>, OperationError> {
        let allowed =
            |(data_type, origin)| check::data_type(self.definition, attribute, data_type, origin);
        Ok(match self.bound.get(attribute.name.as_str()) {
            None | Some(Binding::Type(None)) => None,
            Some(Binding::Number(number)) => Some(Value::I(*number as i64)),
            Some(Binding::Type(Some(bound))) => {
                allowed(*bound)?;
                Some(Value::Type(bound.0 as i32))
            }
            Some(Binding::Types(elements)) => {
                let Some(elements) = elements.iter().copied().collect::<Option<Vec<_>>>() else {
                    return Ok(None);
                };
                elements.iter().copied().try_for_each(allowed)?;
                let types = elements.iter().map(|(data_type, _)| *data_type as i32);
                Some(Value::list(types.map(Value::Type).collect()))
            }
        })
    }

    /// Returns the arguments of one side.
    pub(super) fn arguments(&self, side: Side) -> &'static [ArgDef] {
        match side {
            Side::Operand => &self.definition.input_arg,
            Side::Result => &self.definition.output_arg,
        }
    }

    /// Returns the length for which an attribute stands, if it is known yet.
    pub(super) fn length(&self, attribute: &str) -> Option<usize> {
        match self.bound.get(attribute)? {
            Binding::Number(number) => Some(*number),
            Binding::Types(types) => Some(types.len()),
            Binding::Type(_) => None,
        }
    }

    /// Returns whether the attribute is written.
    pub(super) fn is_written(&self, attribute: &str) -> bool {
        self.written.contains(&attribute)
    }

    /// Returns the definition of an attribute that an argument names.
    pub(super) fn attribute(&self, name: &str) -> &'static AttrDef {
        self.attributes[name]
    }
}

/// Checks a value whose argument has a fixed data type.
fn fixed(
    definition: &'static OpDef,
    side: Side,
    argument: &'static ArgDef,
    index: usize,
    given: DataType,
) -> Result<(), OperationError> {
    let expected = dereferenced(from_number(argument.r#type));
    if given == expected {
        return Ok(());
    }
    Err(OperationError::FixedType {
        operation: &definition.name,
        side,
        index,
        argument: &argument.name,
        expected,
        given,
    })
}
