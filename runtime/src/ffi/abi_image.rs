//! Program images in host code: `docs/program-image.md`, section 2.
//!
//! What an image says is copied when a program of it first starts, and kept for the next start, with what executors made of it: they prepare a program once.
//! Images are told apart by what is in them and not by where they are, since a JIT may unload one and put another in its place.

use std::{
    ffi::c_char,
    sync::{Arc, Mutex, PoisonError},
};

use super::{abi_tensor::dtype, slice, text};
use crate::{
    failure::Failure,
    image::{Channel, Direction, Image},
};

/// One channel of a program.
#[repr(C)]
pub struct TfxChannel {
    /// Its number in the program.
    pub id: i32,
    /// 0: to the host, 1: to the graph.
    pub direction: i32,
    /// TensorFlow's DataType number.
    pub dtype: i32,
    /// Messages in flight; at least 1.
    pub capacity: i32,
    /// `file:line:col` of the value that crosses.
    pub location: *const c_char,
}

/// One program.
#[repr(C)]
pub struct TfxImage {
    /// Its name in the graph.
    pub name: *const c_char,
    /// The serialized GraphDef.
    pub graphdef: *const u8,
    /// Its size in bytes.
    pub graphdef_size: u64,
    /// The number of inputs.
    pub num_args: i32,
    /// The number of results.
    pub num_results: i32,
    /// The number of channels.
    pub num_channels: i32,
    /// The channels.
    pub channels: *const TfxChannel,
}

/// How many images are kept: more than a program has graphs that start again and again, and few enough to look through.
const KEPT_IMAGES: usize = 64;

/// The most recently started first.
static KEPT: Mutex<Vec<Arc<Image>>> = Mutex::new(Vec::new());

/// The image that the compiler laid out.
///
/// # Safety
/// `image` is what the contract says.
pub(super) unsafe fn image(image: &TfxImage) -> Result<Arc<Image>, Failure> {
    // SAFETY: the contract promises each pointer together with its count.
    let (name, graph, channels) = unsafe {
        (
            text(image.name).ok_or_else(|| Failure::new("an image has no name"))?,
            slice(image.graphdef, image.graphdef_size as i64),
            channels(image)?,
        )
    };
    let count = |count: i32| usize::try_from(count).unwrap_or(0);
    let (arguments, results) = (count(image.num_args), count(image.num_results));
    let is_this = |kept: &Arc<Image>| {
        kept.name == name
            && (kept.arguments, kept.results) == (arguments, results)
            && kept.channels == channels
            && *kept.bytes == *graph
    };
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let found = match all.iter().position(is_this) {
        Some(position) => all.remove(position),
        None => Arc::new(Image::new(
            name,
            graph.to_vec(),
            arguments,
            results,
            channels,
        )),
    };
    all.insert(0, Arc::clone(&found));
    all.truncate(KEPT_IMAGES);
    Ok(found)
}

/// # Safety
/// `image` is what the contract says.
unsafe fn channels(image: &TfxImage) -> Result<Vec<Channel>, Failure> {
    let channel = |raw: &TfxChannel| {
        Ok(Channel {
            id: raw.id,
            direction: if raw.direction == 0 {
                Direction::ToHost
            } else {
                Direction::ToGraph
            },
            dtype: dtype(raw.dtype)?,
            capacity: usize::try_from(raw.capacity).unwrap_or(1).max(1),
            // SAFETY: the contract promises a text or NULL.
            location: unsafe { text(raw.location) },
        })
    };
    // SAFETY: the contract promises so many channels.
    let channels = unsafe { slice(image.channels, image.num_channels.into()) };
    channels.iter().map(channel).collect()
}
