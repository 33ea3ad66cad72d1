//! Products of matrices by cuBLAS.
//!
//! ```text
//!   launch with a product ── handle of the device ── stream and workspace of the lane ── product
//! ```
//!
//! A session has a handle for each device, and a workspace for each stream of the entry part, from
//! the first product on. The handle is set to the stream of a product if its last product was on
//! another one. So two products that run at the same time never share a workspace.
//!
//! A handle allocates memory, which is not allowed while a stream captures: what a list needs is
//! created before its capture.
//!
//! Cost: 4 MiB for each stream with products, and 32 MiB from compute capability 9 on, as the guide
//! of cuBLAS recommends.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use tfx_commands::Use;
use tfx_schedule::Command;

use crate::driver::{Blas, BlasError, BlasHandle, DeviceMemory, Stream};
use crate::error::Error;
use crate::issue::Issuer;
use crate::memory::Range;
use crate::plan::Ready;
use crate::product::ProductError;

/// A handle with the lane that it is set to.
#[derive(Debug)]
struct Handle {
    handle: BlasHandle,
    lane: Option<usize>,
}

/// The handles and workspaces of a session.
#[derive(Debug, Default)]
pub(crate) struct Products {
    /// By device. Declared first, and so dropped before the workspaces.
    handles: BTreeMap<usize, Handle>,
    /// By lane.
    workspaces: BTreeMap<usize, DeviceMemory>,
}

impl Products {
    /// Returns the handle of a device, set to a stream.
    pub(crate) fn handle(
        &mut self,
        blas: &Arc<Blas>,
        lane: usize,
        device: usize,
        stream: &Stream,
    ) -> Result<&mut BlasHandle, BlasError> {
        let context = stream.context();
        let own = match self.handles.entry(device) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Handle {
                handle: BlasHandle::new(blas, context)?,
                lane: None,
            }),
        };
        let workspace = match self.workspaces.entry(lane) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let bytes = BlasHandle::workspace_bytes(context)?;
                entry.insert(DeviceMemory::new(context, bytes)?)
            }
        };
        if own.lane != Some(lane) {
            // After an error, the handle has any workspace.
            own.lane = None;
            own.handle.set_stream(stream, workspace)?;
            own.lane = Some(lane);
        }
        Ok(&mut own.handle)
    }
}

impl Issuer<'_, '_, '_> {
    /// Issues a launch as a product of cuBLAS. Returns false if the launch is no product, or if
    /// there is no library.
    pub(crate) fn multiply(
        &mut self,
        command: &Command,
        lane: usize,
        ready: &Ready,
        ranges: &[(Range, Use)],
        addresses: &[u64],
    ) -> Result<bool, Error> {
        let plan = self.plan;
        let (Some(product), Some(blas)) = (&ready.product, &plan.blas) else {
            return Ok(false);
        };
        let kernel = || plan.name(command).to_string();
        for ((matrix, own, _), bytes) in product.matrices().into_iter().zip(product.bytes()) {
            let parameter = ready.operands.get(own.parameter);
            let is_inside = parameter.is_some_and(|parameter| {
                let end = parameter.offset.checked_add(bytes);
                let operand = ranges.get(parameter.operand);
                operand.is_some_and(|(range, _)| end.is_some_and(|end| end <= range.length))
            });
            if !is_inside {
                let error = ProductError::Bytes { matrix, bytes };
                return Err(Error::Product {
                    kernel: kernel(),
                    error,
                });
            }
        }
        let matrices = [product.a, product.b, product.c];
        let address = |at: usize| addresses.get(at).copied().unwrap_or_default();
        let addresses = matrices.map(|matrix| address(matrix.parameter));
        let handle = self.session.blas(blas, lane);
        let issued = handle.and_then(|handle| handle.multiply(product, addresses));
        issued.map_err(|error| Error::Blas {
            kernel: kernel(),
            error,
        })?;
        self.counts.blas_products += 1;
        Ok(true)
    }

    /// Creates the handles and workspaces of the products of a list without control flow.
    pub(crate) fn prepare_products(&mut self) -> Result<(), Error> {
        let plan = self.plan;
        let Some(blas) = &plan.blas else {
            return Ok(());
        };
        for (stream, kernel) in plan.streams_of_products() {
            // The lanes of the entry part are its streams.
            let prepared = self.session.blas(blas, stream.0 as usize);
            prepared.map_err(|error| Error::Blas {
                kernel: kernel.to_string(),
                error,
            })?;
        }
        Ok(())
    }
}
