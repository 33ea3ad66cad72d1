//! Reading and building `#tfx_comm.channel`.
//!
//! ```
//! use melior::{Context, ir::{Attribute, Type}};
//! use tfx_dialects::channels::Channel;
//!
//! let context = Context::new();
//! tfx_dialects::load(&context);
//! let attribute = Attribute::parse(&context, "#tfx_comm.channel<3, to_host, tensor<2xf32>>").unwrap();
//! let channel = Channel::of(attribute).unwrap();
//! assert_eq!((channel.id, channel.to_host, channel.capacity), (3, true, 0));
//! let wider = Channel { capacity: 2, ..channel };
//! assert_eq!(wider.attribute().to_string(), "#tfx_comm.channel<3, to_host, tensor<2xf32>, capacity = 2>");
//! assert_eq!(Channel::of(wider.attribute()), Some(wider));
//! assert_eq!(Channel::of(Attribute::unit(&context)), None);
//! ```

use melior::ir::attribute::ArrayAttribute;
use melior::ir::{Attribute, Type};

use crate::ffi;

/// A channel of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel<'c> {
    /// Its number, unique in the graph.
    pub id: u32,
    /// The graph sends and the host receives; otherwise the host sends and the graph receives.
    pub to_host: bool,
    /// The type of a message: a tensor, or a scalar.
    pub ty: Type<'c>,
    /// The channel capacity; 0 leaves it to the runtime.
    pub capacity: u32,
}

impl<'c> Channel<'c> {
    /// Returns the channel of an attribute, if it declares one.
    pub fn of(attribute: Attribute<'c>) -> Option<Self> {
        ffi::read_channel(attribute)
    }

    /// Returns the attribute that declares it.
    pub fn attribute(self) -> Attribute<'c> {
        ffi::channel(self)
    }

    /// Returns the channels of the `channels` attribute of a graph, in its order; none if an
    /// element is something else.
    pub fn all(attribute: Attribute<'c>) -> Option<Vec<Self>> {
        let array = ArrayAttribute::try_from(attribute).ok()?;
        (0..array.len())
            .map(|index| Self::of(array.element(index).ok()?))
            .collect()
    }
}
