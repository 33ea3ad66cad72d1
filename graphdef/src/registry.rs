//! The operations that TensorFlow 2.21 knows.
//!
//! ```text
//! ops.pb: | len | name "Abs" ... | len | name "Add" ... |  sorted by name
//!            ^ one pass over the lengths makes the index; a definition is decoded when it is first asked for
//! ```
//!
//! The data is part of the binary. Indexing 1799 operations reads a few bytes of each; a program that uses twenty
//! operations decodes twenty. Lookup is a binary search; a suggestion compares with every name and is made only for an error.
//!
//! Not promised: that a kernel exists for an operation on some device. The registry says what a graph may contain.

use std::sync::{LazyLock, OnceLock};

use prost::{
    Message,
    encoding::{decode_key, decode_varint},
};

use crate::proto::OpDef;

/// The `OpList`; `data/README.md` says where it comes from.
static OPERATIONS: &[u8] = include_bytes!("../data/ops.pb");

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry {
    entries: index(OPERATIONS),
});

/// All operations, by name.
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
    /// The registry. The first call indexes it.
    pub fn get() -> &'static Self {
        &REGISTRY
    }

    /// The definition of an operation: its arguments, results, attributes, and whether it is stateful.
    pub fn lookup(&self, name: &str) -> Option<&OpDef> {
        let position = self
            .entries
            .binary_search_by(|entry| entry.name.cmp(name))
            .ok()?;
        let entry = &self.entries[position];
        Some(entry.decoded.get_or_init(|| decode(entry.encoded)))
    }

    /// The name that a user who wrote `name` probably meant, if any is near.
    pub fn suggest(&self, name: &str) -> Option<&'static str> {
        // Operations with an underscore are TensorFlow's own.
        let private = name.starts_with('_');
        nearest(
            name,
            self.names()
                .filter(|known| known.starts_with('_') == private),
        )
    }

    /// The names of all operations, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.entries.iter().map(|entry| entry.name)
    }
}

/// The candidate nearest to `name` by edit distance without regard to case, where it is near enough to be a slip.
///
/// Of equally near ones the first wins. Costs the product of the lengths for each candidate.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    /// At most one letter in this many may be wrong, or the names have nothing to do with each other.
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

/// Splits the first field off a message. Field 1 of `OpList` is an operation, and field 1 of that is its name.
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
