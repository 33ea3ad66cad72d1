//! The operations of TensorFlow 2.21.
//!
//! ```text
//! ops.pb: | len | name "Abs" ... | len | name "Add" ... |  sorted by name
//!            ^ one pass over the lengths makes the index; a definition is decoded at its first lookup
//! ```
//!
//! The data is part of the binary. Indexing reads a few bytes of each of the 1799 operations, and a
//! program that uses twenty operations decodes twenty. A lookup is a binary search. A suggestion
//! compares the name with every other name, and is made only for an error.
//!
//! Not guaranteed: that a device has a kernel for an operation. The registry describes what a graph
//! may contain.

use std::sync::{LazyLock, OnceLock};

use prost::{
    Message,
    encoding::{decode_key, decode_varint},
};

use crate::proto::OpDef;

/// The serialized `OpList`; `data/README.md` describes its origin.
static OPERATIONS: &[u8] = include_bytes!("../data/ops.pb");

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry {
    entries: index(OPERATIONS),
});

/// The definitions of all operations, by name.
#[derive(Debug)]
pub struct Registry {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    name: &'static str,
    encoded: &'static [u8],
    decoded: OnceLock<OpDef>,
}

impl Registry {
    /// Returns the registry. The first call indexes it.
    pub fn get() -> &'static Self {
        &REGISTRY
    }

    /// Returns the definition of an operation: its arguments, results, attributes, and whether it
    /// is stateful.
    pub fn lookup(&self, name: &str) -> Option<&OpDef> {
        let position = self
            .entries
            .binary_search_by(|entry| entry.name.cmp(name))
            .ok()?;
        let entry = &self.entries[position];
        Some(entry.decoded.get_or_init(|| decode(entry.encoded)))
    }

    /// Returns the operation whose name is nearest to the misspelt `name`, if any is near.
    pub fn suggest(&self, name: &str) -> Option<&'static str> {
        // Operations with an underscore are internal to TensorFlow.
        let private = name.starts_with('_');
        nearest(
            name,
            self.names()
                .filter(|known| known.starts_with('_') == private),
        )
    }

    /// Returns the names of all operations, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.entries.iter().map(|entry| entry.name)
    }
}

/// Returns the candidate nearest to `name` by edit distance without regard to case, if it is near
/// enough to be a typing error.
///
/// Of equally near candidates the first one wins. The cost is the product of the lengths for each
/// candidate.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    /// One letter in this many may be wrong. Names with more differences are unrelated.
    const LETTERS_PER_SLIP: usize = 3;
    let lowered = name.to_lowercase();
    candidates
        .map(|candidate| {
            (
                strsim::osa_distance(&lowered, &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, _)| *distance <= name.len() / LETTERS_PER_SLIP)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Finds the messages of a serialized `OpList` without decoding them.
fn index(mut list: &'static [u8]) -> Vec<Entry> {
    let mut entries = Vec::new();
    while !list.is_empty() {
        let encoded = take_field(&mut list);
        let name =
            std::str::from_utf8(take_field(&mut { encoded })).expect("names in ops.pb are UTF-8");
        entries.push(Entry {
            name,
            encoded,
            decoded: OnceLock::new(),
        });
    }
    entries
}

/// Splits the first field off a message. Field 1 of `OpList` is an operation, and field 1 of an
/// operation is its name.
fn take_field(message: &mut &'static [u8]) -> &'static [u8] {
    let (tag, _) = decode_key(message).expect("ops.pb is a protobuf message");
    assert_eq!(tag, 1, "ops.pb is an OpList with names first");
    let length = decode_varint(message).expect("ops.pb is a protobuf message") as usize;
    let (field, rest) = message.split_at(length);
    *message = rest;
    field
}

fn decode(encoded: &[u8]) -> OpDef {
    OpDef::decode(encoded).expect("ops.pb holds operations")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::OpList;

    #[test]
    fn all_operations_load_and_agree_with_a_full_decoding() {
        let registry = Registry::get();
        let all = OpList::decode(OPERATIONS).unwrap().op;
        assert_eq!(all.len(), 1799);
        assert_eq!(registry.names().count(), all.len());
        for operation in &all {
            assert_eq!(registry.lookup(&operation.name), Some(operation));
        }
    }

    #[test]
    fn names_are_sorted_for_the_search() {
        assert!(Registry::get().entries.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn statefulness_is_known() {
        let registry = Registry::get();
        assert!(!registry.lookup("MatMul").unwrap().is_stateful);
        assert!(registry.lookup("QueueEnqueueV2").unwrap().is_stateful);
        assert!(registry.lookup("Matmul").is_none());
    }

    #[test]
    fn slips_get_a_suggestion_and_nonsense_gets_none() {
        let registry = Registry::get();
        assert_eq!(registry.suggest("MatMull"), Some("MatMul"));
        assert_eq!(registry.suggest("matmul"), Some("MatMul"));
        assert_eq!(registry.suggest("Sofmtax"), Some("Softmax"));
        assert_eq!(registry.suggest("Quaternion"), None);
        assert_eq!(registry.suggest(""), None);
    }
}
