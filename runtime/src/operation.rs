//! Operations that the host runs by themselves, because their attributes are only known now.
//!
//! ```text
//! template: a GraphDef with one node, which lacks `axis`   ─┐
//! attributes of this run: axis = 1                          ├─► key ──► cache ──► loaded program ──► results
//! executor                                                 ─┘             │ not there
//!                                                                         └─► fill in, check against the registry, load
//! ```
//!
//! What a template and some attributes make is an ordinary program without channels, so both executors run it as they run any. Loading
//! one costs a session on TensorFlow; a loop whose attributes repeat loads each once. A program with state (a random generator) is not kept:
//! each run begins anew, like each run of a program does, and the numbers do not depend on what the cache holds.
//!
//! Cost of a run that finds its program: linear in the template, the attributes and the logarithm of the programs that are kept.
//! Not guaranteed: that two threads which miss at once load only one program.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use prost::Message;
use tfx_graphdef::{
    DataType, Use,
    element::from_number,
    proto::{AttrValue, FunctionDef, GraphDef, NodeDef, OpDef, op_def::ArgDef},
    resolve,
    resolve::Computed,
};
use tfx_interpreter::Tensor;

use crate::{
    executor::{ExecutorKind, Loaded},
    failure::Failure,
    image::Image,
    program::executor,
    stats,
};

/// How many programs are kept: some loops with some values of an attribute each. A TensorFlow session of one operation takes some 100 kB.
const CAPACITY: usize = 64;

/// What an operation is before its attributes are known.
#[derive(Clone, Copy, Debug)]
pub struct Template<'t> {
    /// The name of its program.
    pub name: &'t str,
    /// The serialized GraphDef; the node in its only function lacks some attributes.
    pub graph: &'t [u8],
    /// The number of inputs.
    pub arguments: usize,
    /// The number of results.
    pub results: usize,
}

/// Attributes with their names, in the order of the template's description.
pub type Attributes = Vec<(String, AttrValue)>;

/// Runs an operation with these attributes, on the executor of this process, to its end.
///
/// # Errors
/// Attributes that the operation does not take, and whatever goes wrong in it.
pub fn run(
    template: Template<'_>,
    attributes: Attributes,
    arguments: &[Tensor],
) -> Result<Vec<Tensor>, Failure> {
    let kind = executor()?;
    let key = key(kind, template, &attributes);
    let found = cache().find(&key);
    let kept = match found {
        Some(kept) => kept,
        None => {
            let kept = load(kind, template, attributes)?;
            if !kept.is_stateful {
                cache().keep(key, &kept);
            }
            kept
        }
    };
    stats::ran(&kept.image, kind.name());
    kept.program.run(arguments)
}

/// What tells programs apart.
fn key(kind: ExecutorKind, template: Template<'_>, attributes: &Attributes) -> Vec<u8> {
    let mut key = kind.to_string().into_bytes();
    for (_, value) in attributes {
        value
            .encode_length_delimited(&mut key)
            .expect("a vector has room");
    }
    key.extend(template.graph);
    key
}

/// A program that is ready.
#[derive(Clone)]
struct Kept {
    image: Arc<Image>,
    program: Arc<dyn Loaded>,
    is_stateful: bool,
}

fn load(
    kind: ExecutorKind,
    template: Template<'_>,
    attributes: Attributes,
) -> Result<Kept, Failure> {
    let damaged = |why: &str| {
        Failure::new(format!(
            "the template of operation '{}' is damaged: {why}",
            template.name
        ))
    };
    let mut graph =
        GraphDef::decode(template.graph).map_err(|error| damaged(&error.to_string()))?;
    let library = graph.library.as_mut();
    let function = library.and_then(|library| library.function.first_mut());
    let FunctionDef {
        signature: Some(signature),
        node_def: nodes,
        ..
    } = function.ok_or_else(|| damaged("it has no function"))?
    else {
        return Err(damaged("its function has no signature"));
    };
    let [node] = nodes.as_mut_slice() else {
        return Err(damaged("it is not one operation"));
    };
    let is_stateful = signature.is_stateful;
    fill_in(node, signature, attributes)?;
    let image = Arc::new(Image::new(
        template.name,
        graph.encode_to_vec(),
        template.arguments,
        template.results,
        Vec::new(),
    ));
    Ok(Kept {
        program: kind.executor().load(&image)?.into(),
        image,
        is_stateful,
    })
}

/// Gives a node the attributes that it lacks, checked as those are that a user writes.
fn fill_in(node: &mut NodeDef, signature: &OpDef, attributes: Attributes) -> Result<(), Failure> {
    node.attr.extend(attributes);
    let types = |arguments: &[ArgDef]| -> Vec<DataType> {
        arguments
            .iter()
            .map(|argument| from_number(argument.r#type))
            .collect()
    };
    let resolved = resolve(&Use {
        operation: &node.op,
        operands: &types(&signature.input_arg),
        results: &types(&signature.output_arg),
        attributes: &node.attr,
        computed: &Computed::new(),
    })
    .map_err(|error| Failure::new(error.to_string()))?;
    node.attr = resolved.attributes;
    Ok(())
}

/// The programs that were used last.
struct Cache {
    programs: BTreeMap<Vec<u8>, (u64, Kept)>,
    /// Counts uses, so that the oldest can be told.
    uses: u64,
}

static CACHE: Mutex<Cache> = Mutex::new(Cache::new());

fn cache() -> MutexGuard<'static, Cache> {
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cache {
    const fn new() -> Self {
        Cache {
            programs: BTreeMap::new(),
            uses: 0,
        }
    }

    fn find(&mut self, key: &[u8]) -> Option<Kept> {
        self.uses += 1;
        let (last_use, kept) = self.programs.get_mut(key)?;
        *last_use = self.uses;
        Some(kept.clone())
    }

    /// Keeps a program, in place of the one that was not used for the longest time where there is no room.
    fn keep(&mut self, key: Vec<u8>, kept: &Kept) {
        self.uses += 1;
        self.programs.insert(key, (self.uses, kept.clone()));
        if self.programs.len() > CAPACITY {
            let oldest = self
                .programs
                .iter()
                .min_by_key(|(_, (last_use, _))| *last_use);
            if let Some(key) = oldest.map(|(key, _)| key.clone()) {
                self.programs.remove(&key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl Loaded for Nothing {
        fn run(&self, _: &[Tensor]) -> Result<Vec<Tensor>, Failure> {
            Ok(Vec::new())
        }
    }

    #[test]
    fn the_cache_is_bounded_and_forgets_the_oldest() {
        let kept = Kept {
            image: Arc::new(Image::new("p", Vec::new(), 0, 0, Vec::new())),
            program: Arc::new(Nothing),
            is_stateful: false,
        };
        let key = |number: usize| number.to_le_bytes().to_vec();
        let mut cache = Cache::new();
        for number in 0..CAPACITY {
            cache.keep(key(number), &kept);
        }
        assert!(cache.find(&key(0)).is_some());
        cache.keep(key(CAPACITY), &kept);
        assert_eq!(cache.programs.len(), CAPACITY);
        assert!(cache.find(&key(0)).is_some(), "it was used");
        assert!(
            cache.find(&key(1)).is_none(),
            "it was not used for the longest time"
        );
    }
}
