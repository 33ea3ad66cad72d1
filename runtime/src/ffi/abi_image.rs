//! Program images in host code: `docs/program-image.md`, section 2.
//!
//! ```text
//!   start(address) ──> is its module known to stay loaded? ──> the copy of the image
//!                          └─ no: compare with the copies ──> one with these contents, or a new one
//! ```
//!
//! The first start of a program copies its image. Later starts reuse the copy, and with it the data
//! that executors prepared. A JIT may unload an image and place another one at its address. So an
//! address stands for an image only as long as a [`CompiledFunction`](super::abi_entry) keeps the
//! module loaded; otherwise images are compared by their contents.
//!
//! Cost: constant if the module is known; otherwise linear in the image.

use std::{
    collections::BTreeMap,
    ffi::c_char,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    abi_native::{Found, Native, TfxNative},
    abi_schedule::{self, TfxSchedule},
    abi_tensor::dtype,
    guard::slice,
    guard::text,
};
use crate::{
    failure::Failure,
    image::{Channel, Direction, Image, NativeCode},
    schedule::Schedule,
};

/// One channel of a program.
#[repr(C)]
pub struct TfxChannel {
    /// The number in the program.
    pub id: i32,
    /// 0: to the host, 1: to the graph.
    pub direction: i32,
    /// TensorFlow's DataType number.
    pub dtype: i32,
    /// The maximal number of messages in the channel; at least 1.
    pub capacity: i32,
    /// `file:line:col` of the value that is sent.
    pub location: *const c_char,
}

/// One program.
#[repr(C)]
pub struct TfxImage {
    /// The name in the graph.
    pub name: *const c_char,
    /// The serialized GraphDef.
    pub graphdef: *const u8,
    /// The size of the GraphDef in bytes.
    pub graphdef_size: u64,
    /// The number of inputs.
    pub num_args: i32,
    /// The number of results.
    pub num_results: i32,
    /// The number of channels.
    pub num_channels: i32,
    /// The channels.
    pub channels: *const TfxChannel,
    /// The number of functions with native code.
    pub num_natives: i32,
    /// The functions of the GraphDef that have native code.
    pub natives: *const TfxNative,
    /// The number of functions with a schedule.
    pub num_schedules: i32,
    /// The functions of the GraphDef that run on several streams.
    pub schedules: *const TfxSchedule,
}

/// The maximal number of copies: more than the graphs that one program starts repeatedly, and few
/// enough for a linear search.
const MOST_COPIES: usize = 64;

/// The copies, the most recently started first.
static COPIES: Mutex<Vec<Arc<Image>>> = Mutex::new(Vec::new());

/// An image whose module stays loaded.
#[derive(Default)]
struct Loaded {
    /// The number of [`Images`] that contain it.
    owners: usize,
    /// Its copy, after the first start.
    copy: Option<Arc<Image>>,
}

/// The images whose modules stay loaded, by address.
static LOADED: Mutex<BTreeMap<usize, Loaded>> = Mutex::new(BTreeMap::new());

fn loaded() -> MutexGuard<'static, BTreeMap<usize, Loaded>> {
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The images of a module, which stays loaded as long as this value.
#[derive(Debug)]
pub(super) struct Images(&'static [*const TfxImage]);

// SAFETY: the images are constants of compiled code.
unsafe impl Send for Images {}
// SAFETY: as above.
unsafe impl Sync for Images {}

impl Images {
    /// Describes the images at these addresses.
    ///
    /// # Safety
    /// They are images as in the contract, whose module outlives the result.
    pub(super) unsafe fn new(images: &'static [*const TfxImage]) -> Self {
        let mut all = loaded();
        for image in images {
            all.entry(image.addr()).or_default().owners += 1;
        }
        Images(images)
    }

    /// Returns the copies of all images.
    pub(super) fn copies(&self) -> impl Iterator<Item = Result<Arc<Image>, Failure>> {
        // SAFETY: as promised by the caller of `new`.
        self.0.iter().map(|raw| unsafe { image(&**raw) })
    }
}

impl Drop for Images {
    fn drop(&mut self) {
        let mut all = loaded();
        for image in self.0 {
            if let Some(found) = all.get_mut(&image.addr()) {
                found.owners -= 1;
                if found.owners == 0 {
                    all.remove(&image.addr());
                }
            }
        }
    }
}

/// Returns the copy of an image, which the first call creates.
///
/// # Safety
/// `image` is an image as in the contract.
pub(super) unsafe fn image(image: &TfxImage) -> Result<Arc<Image>, Failure> {
    let address = std::ptr::from_ref(image).addr();
    let known = loaded().get(&address).and_then(|known| known.copy.clone());
    if let Some(copy) = known {
        return Ok(copy);
    }
    // SAFETY: as promised by the caller.
    let copy = unsafe { copy_of(image) }?;
    if let Some(known) = loaded().get_mut(&address) {
        known.copy = Some(Arc::clone(&copy));
    }
    Ok(copy)
}

/// Returns the copy with the contents of an image.
///
/// # Safety
/// `image` is an image as in the contract.
unsafe fn copy_of(image: &TfxImage) -> Result<Arc<Image>, Failure> {
    // SAFETY: the contract promises each pointer together with its count.
    let (name, graph, channels, natives, schedules) = unsafe {
        (
            text(image.name).ok_or_else(|| Failure::new("an image has no name"))?,
            slice(image.graphdef, image.graphdef_size as i64),
            channels(image)?,
            natives(image)?,
            schedules(image)?,
        )
    };
    let count = |count: i32| usize::try_from(count).unwrap_or(0);
    let (arguments, results) = (count(image.num_args), count(image.num_results));
    let is_copy = |copy: &Arc<Image>| {
        copy.name == name
            && (copy.arguments, copy.results) == (arguments, results)
            && copy.channels == channels
            && copy.natives == natives
            && copy.schedules == schedules
            && *copy.bytes == *graph
    };
    let mut all = COPIES.lock().unwrap_or_else(PoisonError::into_inner);
    let found = match all.iter().position(is_copy) {
        Some(position) => all.remove(position),
        None => {
            let image = Image::new(name, graph.to_vec(), arguments, results, channels);
            Arc::new(image.with_natives(natives).with_schedules(schedules))
        }
    };
    all.insert(0, Arc::clone(&found));
    all.truncate(MOST_COPIES);
    Ok(found)
}

/// # Safety
/// `image` is an image as in the contract.
unsafe fn natives(image: &TfxImage) -> Result<NativeCode, Failure> {
    // SAFETY: the contract promises `num_natives` descriptions.
    let natives = unsafe { slice(image.natives, image.num_natives.into()) };
    let mut code = NativeCode::default();
    for native in natives {
        // SAFETY: as promised by the contract.
        match unsafe { Native::read(native) }? {
            (name, Found::Code(native)) => {
                code.functions.insert(name, native);
            }
            (_, Found::NeedsVectors(bytes)) => code.needs_vectors = Some(bytes),
        }
    }
    Ok(code)
}

/// # Safety
/// `image` is an image as in the contract.
unsafe fn schedules(image: &TfxImage) -> Result<Vec<Arc<Schedule>>, Failure> {
    // SAFETY: the contract promises `num_schedules` descriptions.
    let schedules = unsafe { slice(image.schedules, image.num_schedules.into()) };
    // SAFETY: as promised by the contract.
    let schedules = schedules
        .iter()
        .map(|raw| unsafe { abi_schedule::read(raw) });
    schedules.collect()
}

/// # Safety
/// `image` is an image as in the contract.
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
            // SAFETY: the contract promises a string or NULL.
            location: unsafe { text(raw.location) },
        })
    };
    // SAFETY: the contract promises `num_channels` channels.
    let channels = unsafe { slice(image.channels, image.num_channels.into()) };
    channels.iter().map(channel).collect()
}
