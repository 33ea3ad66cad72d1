//! The objects on the heap that an activation has created: handles of tensors, and boxes.
//!
//! ```text
//!   compiled code, unwound     box ──► tensor          freed: only frames of compiled code and
//!                              box ◄─► box             boxes like these refer to them
//!   foreign code ──retained──► box ──► tensor          kept, with the owners that are left
//! ```
//!
//! Frames of compiled code own references that nobody releases if the frames are unwound. At the
//! end of an activation, no such frame is left, so every owner of an object is either foreign code
//! or a box. Each object counts the references of foreign code separately (`kept`): those that
//! foreign code has added through the C ABI. The sweep marks the boxes that foreign code keeps and
//! all that they refer to, corrects the counts of the marked objects, and frees all others. It also
//! frees cycles, which counts alone never free.
//!
//! Compiled code in memory calls the ABI through [`super::compiled`], which leaves `kept` as it is.
//! A result of a foreign function becomes a reference of compiled code by `tfx_tensor_adopt` or
//! `tfx_box_adopt`.
//!
//! Cost: linear in the number of objects that are left and in the slots of kept boxes.
//!
//! Not guaranteed: an activation in which foreign code has called a closure is not swept, because
//! the results of that call belong to foreign code without being counted.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI64, Ordering::Relaxed},
    },
};

use rustc_hash::FxHashSet;

use super::{
    abi_box::{self, TfxBox},
    abi_tensor::TfxTensor,
};
use crate::activation;

/// The objects of an activation that are not freed, by address.
#[derive(Default)]
pub(crate) struct Objects {
    tensors: Mutex<FxHashSet<usize>>,
    boxes: Mutex<FxHashSet<usize>>,
    /// Foreign code has called a closure.
    is_escaped: AtomicBool,
}

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tensor,
    Box,
}

/// The number of objects of a kind for which the first one reserves memory: those of most calls.
const FIRST_CAPACITY: usize = 14;

/// The membership of an object in an activation.
pub(super) struct Membership {
    objects: Arc<Objects>,
    /// The number of references of foreign code; less than 0 if compiled code has passed some on.
    kept: AtomicI64,
}

impl Membership {
    /// Returns the membership of a new object in the activation of this thread.
    pub(super) fn of_current() -> Option<Self> {
        activation::current_objects().map(|objects| Membership {
            objects,
            kept: AtomicI64::new(0),
        })
    }

    /// Adds references of foreign code, or removes them.
    pub(super) fn keep(&self, references: i64) {
        self.kept.fetch_add(references, Relaxed);
    }

    /// Returns the number of references of foreign code.
    pub(super) fn kept(&self) -> u64 {
        u64::try_from(self.kept.load(Relaxed)).unwrap_or(0)
    }

    /// Adds the object at an address.
    pub(super) fn add(&self, kind: Kind, address: usize) {
        let mut objects = self.objects.of(kind);
        if objects.capacity() == 0 {
            objects.reserve(FIRST_CAPACITY);
        }
        objects.insert(address);
    }

    /// Removes the object at an address, which is about to be freed.
    pub(super) fn remove(&self, kind: Kind, address: usize) {
        self.objects.of(kind).remove(&address);
    }
}

/// The references to the objects of an activation from the boxes that stay.
struct Marks {
    /// The number of references from boxes, for each object that is marked.
    references: HashMap<usize, u64>,
    tensors: FxHashSet<usize>,
    boxes: FxHashSet<usize>,
}

impl Objects {
    fn of(&self, kind: Kind) -> MutexGuard<'_, FxHashSet<usize>> {
        let set = match kind {
            Kind::Tensor => &self.tensors,
            Kind::Box => &self.boxes,
        };
        set.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that foreign code is about to call a closure.
    pub(super) fn escape(&self) {
        self.is_escaped.store(true, Relaxed);
    }

    /// Frees the objects that neither foreign code nor a box that it keeps refers to. No frame of
    /// compiled code, no program and no queue of the activation is left.
    pub(crate) fn sweep(&self) {
        let is_empty = |kind| self.of(kind).is_empty();
        if (is_empty(Kind::Tensor) && is_empty(Kind::Box)) || self.is_escaped.load(Relaxed) {
            return;
        }
        let mut marks = Marks {
            references: HashMap::new(),
            tensors: self.of(Kind::Tensor).clone(),
            boxes: self.of(Kind::Box).clone(),
        };
        marks.mark();
        marks.free();
    }
}

impl Marks {
    /// Counts the references from the boxes that foreign code keeps, directly or through others.
    fn mark(&mut self) {
        let is_kept = |&&address: &&usize| {
            // SAFETY: the set contains boxes that are not freed.
            unsafe { abi_box::membership(address as *const TfxBox) }.is_some_and(|of| of.kept() > 0)
        };
        let mut work: Vec<usize> = self.boxes.iter().filter(is_kept).copied().collect();
        let mut visited: FxHashSet<usize> = work.iter().copied().collect();
        while let Some(address) = work.pop() {
            // SAFETY: as above; foreign code that still runs does not write slots.
            for (_, target) in unsafe { abi_box::references(address as *const TfxBox) } {
                *self.references.entry(target).or_default() += 1;
                if self.boxes.contains(&target) && visited.insert(target) {
                    work.push(target);
                }
            }
        }
    }

    /// Leaves the marked objects with the owners that they still have, and frees the others.
    fn free(self) {
        let references = |address| self.references.get(&address).copied().unwrap_or(0);
        for &address in &self.boxes {
            let of = address as *mut TfxBox;
            let left = references(address);
            // SAFETY: the box is not freed; its owners are counted: nobody else has it.
            unsafe {
                match abi_box::membership(of).map_or(0, |membership| membership.kept()) + left {
                    0 => abi_box::free_alone(of, |kind, target| self.contains(kind, target)),
                    owners => abi_box::set_owners(of, owners),
                }
            }
        }
        for &address in &self.tensors {
            // SAFETY: as above.
            unsafe { TfxTensor::set_owners(address as *const TfxTensor, references(address)) };
        }
    }

    fn contains(&self, kind: Kind, address: usize) -> bool {
        match kind {
            Kind::Tensor => self.tensors.contains(&address),
            Kind::Box => self.boxes.contains(&address),
        }
    }
}
