//! The words of a source language, for messages about its programs.
//!
//! ```text
//!   module attributes {tfx.words = {"tfx_comm.to_host" = "to_host(..)"}}
//!
//!   note: .. mark it with tfx_comm.to_host     ──>     note: .. mark it with to_host(..)
//! ```
//!
//! Messages advise operations and attributes of tfx. Users of a front end write its language, and
//! have never seen these. The words are a part of the program, so they stay with the IR that a
//! front end writes to a file.
//!
//! Algorithm: each name of an operation or an attribute in a message is one word with dots; those
//! in the list are replaced. The list is sorted. Cost: `O(m log n)` for messages of `m` words.
//!
//! Not guaranteed: that each message is in the words of the source. Messages about the IR itself,
//! such as those of MLIR's verifier, are for the author of the front end.

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::attribute::{Attribute, DictionaryAttribute, StringAttribute};
use melior::ir::{Identifier, Module};
use tfx_ir::diag::Collected;
use tfx_ir::{Op, attribute, location, module};

use crate::error::Error;

/// The module attribute with the words.
const WORDS: &str = "tfx.words";

/// The words of a program's source language, by the names in the IR.
#[derive(Debug, Default)]
pub(crate) struct Words(BTreeMap<String, String>);

impl Words {
    /// Returns the words of a program.
    ///
    /// # Errors
    /// The attribute has another form.
    pub(crate) fn of(module: Op<'_>) -> Result<Self, Error> {
        let Some(attribute) = module.attribute(WORDS) else {
            return Ok(Self::default());
        };
        let wrong = || {
            let form = "a dictionary of strings, such as {tfx_comm.to_host = \"to_host\"}";
            let message = format!("'{WORDS}' expects {form}");
            Error::at(location::place(module.location()), message)
        };
        let dictionary = DictionaryAttribute::try_from(attribute).map_err(|_| wrong())?;
        let mut words = BTreeMap::new();
        for (name, word) in (0..dictionary.len()).filter_map(|index| dictionary.element(index).ok())
        {
            let word = attribute::text(word).ok_or_else(wrong)?;
            let name = name.as_string_ref().as_str().map_err(|_| wrong())?;
            words.insert(name.to_owned(), word.to_owned());
        }
        Ok(Self(words))
    }

    /// Makes them the words of a program, in place of others.
    pub(crate) fn set(words: &[(&str, &str)], context: &Context, program: &Module<'_>) {
        let entries: Vec<(Identifier<'_>, Attribute<'_>)> = words
            .iter()
            .map(|(name, word)| {
                let word = StringAttribute::new(context, word).into();
                (Identifier::new(context, name), word)
            })
            .collect();
        let dictionary = DictionaryAttribute::new(context, &entries);
        module::as_op(program).set_attribute(WORDS, dictionary);
    }

    /// Puts the words into messages.
    pub(crate) fn apply(&self, messages: &mut [Collected]) {
        if self.0.is_empty() {
            return;
        }
        for message in messages {
            message.message = self.text(&message.message);
            self.apply(&mut message.notes);
        }
    }

    fn text(&self, message: &str) -> String {
        let is_inner = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
        let mut text = String::new();
        let mut rest = message;
        while let Some(start) = rest.find(is_inner) {
            let (before, from) = rest.split_at(start);
            let end = from.find(|c| !is_inner(c)).unwrap_or(from.len());
            // A period may end a sentence.
            let name = from[..end].trim_end_matches('.');
            text += before;
            text += self.0.get(name).map_or(name, String::as_str);
            text += &from[name.len()..end];
            rest = &from[end..];
        }
        text + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_are_replaced() {
        let words = [("tfx_comm.to_host", "fetch(x)"), ("tfx_ad.stop", "stop")];
        let words = words.map(|(name, word)| (name.to_owned(), word.to_owned()));
        let words = Words(BTreeMap::from(words));
        let message = "é: tfx_comm.to_host, 'tfx_ad.stop' or my_tfx_ad.stop; not tfx_comm.to_hosts. \
                       Write tfx_ad.stop.x or tfx_ad.stop.";
        assert_eq!(
            words.text(message),
            "é: fetch(x), 'stop' or my_tfx_ad.stop; not tfx_comm.to_hosts. \
             Write tfx_ad.stop.x or stop."
        );
    }
}
