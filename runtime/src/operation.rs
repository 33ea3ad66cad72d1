//! Eager operations, which the host runs because their attributes are known only at run time.
//!
//! ```text
//! template: a GraphDef with one node, which lacks `axis`   ─┐
//! attributes of this run: axis = 1                          ├─► key ──► cache ──► program ──► results
//! executor                                                 ─┘             │ miss
//!                                                                         └─► complete, check, load
//! ```
//!
//! A completed template is an ordinary program without channels, which both executors run. On
//! TensorFlow, loading costs a session; a loop with repeating attributes loads each program once. A
//! program with state (a random number generator) is not cached: each run starts with fresh state,
//! as with any program, and its numbers do not depend on the cache.
//!
//! A cache hit is linear in the template and the attributes, and logarithmic in the size of the
//! cache. Two threads that miss at the same time may both load a program.

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

/// The size of the cache: several loops with several values of an attribute each. A TensorFlow
/// session of one operation takes about 100 kB.
const CAPACITY: usize = 64;

/// An operation without the attributes of a run.
#[derive(Clone, Copy, Debug)]
pub struct Template<'t> {
    /// The name of the program.
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

/// Runs an operation with the given attributes to its end, on the executor of this process.
///
/// # Errors
/// Attributes that the operation does not accept; a failure of the run.
pub fn run(
    template: Template<'_>,
    attributes: Attributes,
    arguments: &[Tensor],
) -> Result<Vec<Tensor>, Failure> {
    let kind = executor()?;
    let key = key(kind, template, &attributes);
    let found = cache().find(&key);
    let cached = match found {
        Some(cached) => cached,
        None => {
            let cached = load(kind, template, attributes)?;
            if !cached.is_stateful {
                cache().insert(key, &cached);
            }
            cached
        }
    };
    stats::count_run(&cached.image, kind.name());
    cached.program.run(arguments)
}

/// Returns the key of a program in the cache.
fn key(kind: ExecutorKind, template: Template<'_>, attributes: &Attributes) -> Vec<u8> {
    let mut key = kind.to_string().into_bytes();
    for (_, value) in attributes {
        value
            .encode_length_delimited(&mut key)
            .expect("a vector grows");
    }
    key.extend(template.graph);
    key
}

/// A loaded program.
#[derive(Clone)]
struct CachedProgram {
    image: Arc<Image>,
    program: Arc<dyn Loaded>,
    is_stateful: bool,
}

/// Completes a template, and loads the program.
fn load(
    kind: ExecutorKind,
    template: Template<'_>,
    attributes: Attributes,
) -> Result<CachedProgram, Failure> {
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
    complete(node, signature, attributes)?;
    let image = Arc::new(Image::new(
        template.name,
        graph.encode_to_vec(),
        template.arguments,
        template.results,
        Vec::new(),
    ));
    Ok(CachedProgram {
        program: kind.executor().load(&image)?.into(),
        image,
        is_stateful,
    })
}

/// Adds the missing attributes to a node, and checks them like attributes in a source program.
fn complete(node: &mut NodeDef, signature: &OpDef, attributes: Attributes) -> Result<(), Failure> {
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

/// The most recently used programs.
struct Cache {
    programs: BTreeMap<Vec<u8>, (u64, CachedProgram)>,
    /// The number of uses, as a clock.
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

    fn find(&mut self, key: &[u8]) -> Option<CachedProgram> {
        self.uses += 1;
        let (last_use, cached) = self.programs.get_mut(key)?;
        *last_use = self.uses;
        Some(cached.clone())
    }

    /// Adds a program. A full cache evicts the least recently used one.
    fn insert(&mut self, key: Vec<u8>, cached: &CachedProgram) {
        self.uses += 1;
        self.programs.insert(key, (self.uses, cached.clone()));
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
    fn the_cache_is_bounded_and_evicts_the_least_recently_used() {
        let cached = CachedProgram {
            image: Arc::new(Image::new("p", Vec::new(), 0, 0, Vec::new())),
            program: Arc::new(Nothing),
            is_stateful: false,
        };
        let key = |number: usize| number.to_le_bytes().to_vec();
        let mut cache = Cache::new();
        for number in 0..CAPACITY {
            cache.insert(key(number), &cached);
        }
        assert!(cache.find(&key(0)).is_some());
        cache.insert(key(CAPACITY), &cached);
        assert_eq!(cache.programs.len(), CAPACITY);
        assert!(cache.find(&key(0)).is_some(), "it was used recently");
        assert!(
            cache.find(&key(1)).is_none(),
            "it is the least recently used"
        );
    }
}
