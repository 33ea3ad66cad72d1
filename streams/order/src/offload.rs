//! The operations that a device runs for the host.
//!
//! ```text
//!   device ══► each operation ══► host       the times: at the host, on the device
//!                 p ──► b ──► ...            p stays at the host, or its tensor is copied to b
//!                 ... ──► a ──► p            the other direction
//! ```
//!
//! An operation takes one time at the host and another one on the device, and a tensor that the
//! other side uses is copied once. The division with the least sum of all times is a minimum cut of
//! a network (Stone, "Multiprocessor scheduling with the aid of network flow algorithms", 1977). A
//! tensor with several users has a node for each direction, so that its copy counts once.
//!
//! Of equal divisions, it is that with the fewest operations on the device.
//!
//! Cost: a maximum flow on three nodes for each operation; nearly linear for the graphs of models.
//!
//! Not guaranteed: the shortest time if host and device run at the same time; the sum is an upper
//! bound of it.

use tfx_memory::flow::{Network, UNBOUNDED};

/// The number of edges that the flow may visit: some seconds.
const FLOW_BUDGET: u64 = 500_000_000;

/// The largest time: sums of many do not overflow.
const MOST_TIME: u64 = 1 << 40;

/// An operation that may be at one of two sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Movable {
    /// The time at the host in nanoseconds.
    pub host: u64,
    /// The time on the device; none if the device cannot run it.
    pub device: Option<u64>,
}

/// A tensor, which is copied if the other side uses it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// The operation whose result it is; none if the host has it.
    pub producer: Option<usize>,
    /// The operations that use it.
    pub users: Vec<usize>,
    /// Set if the host uses it, too.
    pub is_used_by_host: bool,
    /// The time of a copy in nanoseconds.
    pub copy: u64,
}

/// A division of operations between the host and a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Division {
    /// For each operation, whether it is on the device.
    pub is_on_device: Vec<bool>,
    /// The sum of all times, those of the copies included.
    pub time: u64,
    /// The times of the copies.
    pub copies: u64,
}

/// Divides operations with the least sum of times. Returns none if the search takes too long.
pub fn offload(operations: &[Movable], tensors: &[Moved]) -> Option<Division> {
    let (device, host) = (0, 1);
    let node = |operation: usize| 2 + operation as u32;
    let extra = 2 + operations.len() as u32;
    let mut network = Network::new(extra as usize + 2 * tensors.len());
    for (index, operation) in operations.iter().enumerate() {
        network.add(device, node(index), operation.host.min(MOST_TIME));
        let time = operation.device.map_or(UNBOUNDED, |it| it.min(MOST_TIME));
        network.add(node(index), host, time);
    }
    for (index, tensor) in tensors.iter().enumerate() {
        let (from_host, to_host) = (extra + 2 * index as u32, extra + 2 * index as u32 + 1);
        let copy = tensor.copy.min(MOST_TIME);
        // The edge from a user on the device to a producer at the host is cut.
        let producer = tensor.producer.map_or(host, node);
        network.add(from_host, producer, copy);
        network.add(producer, to_host, copy);
        for user in tensor.users.iter().map(|user| node(*user)) {
            network.add(user, from_host, UNBOUNDED);
            network.add(to_host, user, UNBOUNDED);
        }
        if tensor.is_used_by_host {
            network.add(to_host, host, UNBOUNDED);
        }
    }
    let mut budget = FLOW_BUDGET;
    let time = network.maximum(device, host, &mut budget)?;
    let is_on_device = (0..operations.len()).map(|index| network.is_reached(node(index)));
    let is_on_device: Vec<bool> = is_on_device.collect();
    let copies = tensors
        .iter()
        .filter(|tensor| tensor.is_copied(&is_on_device));
    let copies = copies.map(|tensor| tensor.copy.min(MOST_TIME)).sum();
    Some(Division {
        is_on_device,
        time,
        copies,
    })
}

impl Moved {
    /// Returns whether a side uses the tensor that does not have it.
    fn is_copied(&self, is_on_device: &[bool]) -> bool {
        let here = self.producer.is_some_and(|producer| is_on_device[producer]);
        let mut users = self.users.iter().map(|user| is_on_device[*user]);
        (self.is_used_by_host && here) || users.any(|there| there != here)
    }
}
