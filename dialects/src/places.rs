//! Reading `#tfx_comm.place`.
//!
//! ```
//! use melior::{Context, ir::Attribute};
//! use tfx_dialects::places::Place;
//! use tfx_dialects::schedules::Device;
//!
//! let context = Context::new();
//! tfx_dialects::load(&context);
//! let attribute = Attribute::parse(&context, "#tfx_comm.place<cuda:1, \"norms\">").unwrap();
//! let place = Place::of(attribute).unwrap();
//! assert_eq!((place.device, place.role), (Device::Cuda(1), "norms"));
//! assert_eq!(place.to_string(), "cuda:1 (norms)");
//! assert_eq!(Place::of(Attribute::unit(&context)), None);
//! ```

use std::fmt;

use melior::ir::Attribute;

use crate::comm::Copy;
use crate::ffi;
use crate::schedules::Device;

/// A device, and a role of its streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place<'c> {
    /// The device.
    pub device: Device,
    /// The role; empty for the usual streams of the device.
    pub role: &'c str,
}

impl<'c> Place<'c> {
    /// Returns the place of an attribute, if it is one.
    pub fn of(attribute: Attribute<'c>) -> Option<Self> {
        ffi::read_place(attribute)
    }
}

/// Returns the accelerator that a copy names: that of its source, if both ends have one.
pub fn accelerator(copy: Copy<'_>) -> Option<Device> {
    let ends = [copy.source(), copy.destination()].map(Place::of);
    let mut devices = ends.into_iter().flatten().map(|place| place.device);
    devices.find(|device| device.is_accelerator())
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.role {
            "" => write!(f, "{}", self.device),
            role => write!(f, "{} ({role})", self.device),
        }
    }
}
