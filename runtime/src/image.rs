//! The description of a program: `docs/program-image.md`, section 2.

use std::{
    any::Any,
    borrow::Cow,
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use prost::Message;
use tfx_graphdef::proto::GraphDef;
use tfx_interpreter::{
    DType,
    program::{NativeFunction, Natives},
};

use crate::{failure::Failure, ffi::abi_native::Native, schedule::Schedule};

/// The direction of the values of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The graph sends, the host receives.
    ToHost,
    /// The host sends, the graph receives.
    ToGraph,
}

/// One channel of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The number in the program.
    pub id: i32,
    /// The direction of the values.
    pub direction: Direction,
    /// The element type of the values.
    pub dtype: DType,
    /// The maximal number of messages in the channel; at least 1.
    pub capacity: usize,
    /// `file:line:col` of the value that is sent.
    pub location: Option<String>,
}

/// The native code of a program.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct NativeCode {
    /// By the name of the function in the GraphDef.
    pub(crate) functions: BTreeMap<String, Arc<Native>>,
    /// There is no code of some function for this processor: each version needs vector registers of
    /// at least this number of bytes.
    pub(crate) needs_vectors: Option<i32>,
}

/// One program: its graph and its interface to the host.
#[derive(Debug)]
pub struct Image {
    /// The name of the program in the graph.
    pub name: String,
    /// The serialized GraphDef.
    pub bytes: Cow<'static, [u8]>,
    /// The number of inputs.
    pub arguments: usize,
    /// The number of results.
    pub results: usize,
    /// The channels, in the order of the declaration.
    pub channels: Vec<Channel>,
    /// The native code of functions of the GraphDef.
    pub(crate) natives: NativeCode,
    /// The functions of the GraphDef that run on several streams.
    pub(crate) schedules: Vec<Arc<Schedule>>,
    graph: OnceLock<Result<GraphDef, Failure>>,
    caches: Mutex<Vec<Arc<dyn Any + Send + Sync>>>,
}

impl Image {
    /// Creates an image from a serialized GraphDef.
    pub fn new(
        name: impl Into<String>,
        bytes: impl Into<Cow<'static, [u8]>>,
        arguments: usize,
        results: usize,
        channels: Vec<Channel>,
    ) -> Self {
        Image {
            name: name.into(),
            bytes: bytes.into(),
            arguments,
            results,
            channels,
            natives: NativeCode::default(),
            schedules: Vec::new(),
            graph: OnceLock::new(),
            caches: Mutex::default(),
        }
    }

    /// Adds the native code of functions.
    pub(crate) fn with_natives(mut self, natives: NativeCode) -> Self {
        self.natives = natives;
        self
    }

    /// Adds the schedules of functions.
    pub(crate) fn with_schedules(mut self, schedules: Vec<Arc<Schedule>>) -> Self {
        self.schedules = schedules;
        self
    }

    /// Returns the graph, which the first call decodes.
    pub fn graph(&self) -> Result<&GraphDef, Failure> {
        let decode = || {
            GraphDef::decode(&*self.bytes).map_err(|error| {
                Failure::new(format!(
                    "the image of program '{}' is damaged: {error}",
                    self.name
                ))
            })
        };
        self.graph
            .get_or_init(decode)
            .as_ref()
            .map_err(Failure::clone)
    }

    /// Checks that there is native code for this processor, or none at all.
    pub(crate) fn check_natives(&self) -> Result<(), Failure> {
        match self.natives.needs_vectors {
            Some(bytes) => Err(Failure::new(format!(
                "the native code of program '{}' needs vector registers of {bytes} bytes, which this processor does not have; build it without '--native-vectors', or run it with '--executor embedded'",
                self.name
            ))),
            None => Ok(()),
        }
    }

    /// Returns the position of a channel in the declaration.
    pub fn channel_position(&self, id: i32) -> Option<usize> {
        self.channels.iter().position(|channel| channel.id == id)
    }

    /// Returns the data of type `T` that an executor keeps with the image for later starts. The
    /// first call creates it; it is dropped with the image.
    pub(crate) fn cache<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut caches = self.caches.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = caches.iter().cloned().filter_map(|any| any.downcast().ok());
        if let Some(cache) = found.next() {
            return cache;
        }
        drop(found);
        let cache = Arc::new(T::default());
        caches.push(cache.clone());
        cache
    }
}

impl Natives for Image {
    fn find(&self, function: &str) -> Option<Arc<dyn NativeFunction>> {
        let native = Arc::clone(self.natives.functions.get(function)?);
        Some(native)
    }
}
