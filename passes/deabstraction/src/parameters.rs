//! The names that users see for parameters and results: the attribute `tfx.name`.

use melior::Context;
use melior::ir::attribute::{DictionaryAttribute, StringAttribute};
use melior::ir::{Attribute, Identifier};
use tfx_ir::attribute;

/// The attribute of a parameter or a result that names it on the command line.
const NAME: &str = "tfx.name";

/// Returns the name in the attributes of a parameter or a result.
pub(crate) fn name(attributes: Attribute<'_>) -> Option<&str> {
    let name = DictionaryAttribute::try_from(attributes)
        .ok()?
        .element_by_name(NAME)?;
    attribute::text(name)
}

/// Returns the attributes with another name.
pub(crate) fn renamed<'a>(
    context: &'a Context,
    attributes: Attribute<'a>,
    name: &str,
) -> Attribute<'a> {
    let Ok(dictionary) = DictionaryAttribute::try_from(attributes) else {
        return attributes;
    };
    let others = (0..dictionary.len()).filter_map(|index| dictionary.element(index).ok());
    let mut all: Vec<_> = others
        .filter(|(key, _)| attribute::name(*key) != NAME)
        .collect();
    all.push((
        Identifier::new(context, NAME),
        StringAttribute::new(context, name).into(),
    ));
    DictionaryAttribute::new(context, &all).into()
}
