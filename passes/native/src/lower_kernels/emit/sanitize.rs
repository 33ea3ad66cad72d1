//! Code whose memory accesses AddressSanitizer checks, for tests.
//!
//! ```text
//! func.func private @g.code(%arguments, %results, %memory, %run, %sizes)
//!   %x = memalign(64, 4 * %n)   copy %arguments[0] to %x         a copy of each argument
//!   %y = memalign(64, 40)                                        each result
//!   %b = memalign(64, 4 * %n)                                    each buffer of the working memory
//!   ...                                                          the code, with checks by LLVM
//!   copy %y to %results[0]   free %x, %y, %b
//! ```
//!
//! AddressSanitizer (Serebryany et al., USENIX ATC 2012) reports an access between allocations.
//! Ordinary code has one allocation for all buffers, and its arguments have a few bytes that belong
//! to no element. Therefore each buffer is an allocation of its own here, with exactly the bytes of
//! its elements, whose contents are arbitrary at first. The copies of elements are checked as well.
//! Tasks allocate and free the buffers that are theirs alone.
//!
//! LLVM adds the checks after its optimizations to functions with the attribute `sanitize_address`
//! (`target.h` of the code generation). The process needs AddressSanitizer's runtime.
//!
//! Not checked: that the places of buffers in the working memory do not overlap while both are
//! used, because the code does not use these places; random programs compare the results of
//! ordinary code for that.

use std::collections::HashMap;

use melior::dialect::llvm::r#type as llvm_type;
use tfx_ir::ops::llvm;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Builder, Value};

use super::{Emitter, Module};
use crate::element::Element;
use crate::extent::{Extent, count};
use crate::lower_kernels::code::{Code, index, pointer};
use crate::lower_kernels::memory::ALIGNMENT;
use crate::lower_kernels::plan::{Place, Plan};

/// The attribute of LLVM's functions that AddressSanitizer checks.
pub(super) const ATTRIBUTE: &str = "sanitize_address";

/// AddressSanitizer's own names of two functions of C. Foreign functions may have those of C, and
/// calls of those LLVM may remove.
const MEMALIGN: &str = "__interceptor_memalign";
const FREE: &str = "__interceptor_free";

/// The allocations of a call of the function of a graph.
#[derive(Debug, Default)]
pub(super) struct Allocated<'a> {
    /// The addresses of the buffers of the working memory.
    pub(super) buffers: HashMap<usize, Value<'a>>,
    /// The addresses that the caller has given for the results.
    results: Vec<Value<'a>>,
    all: Vec<Value<'a>>,
}

impl Plan {
    /// Lists the sizes of all buffers, each of which is allocated by itself.
    pub(in crate::lower_kernels) fn list_buffers(&mut self) {
        let buffers = (0..self.buffers.len()).map(|buffer| self.buffers.get(buffer).count.clone());
        let values = self.arguments.iter().chain(&self.results);
        let counts = buffers.chain(values.map(|(_, shape)| count(shape)));
        for count in counts.collect::<Vec<_>>() {
            self.list(&count);
        }
    }
}

impl<'a> Module<'a> {
    /// Declares AddressSanitizer's functions, unless the module does.
    pub(in crate::lower_kernels) fn declare_allocation(&self, symbols: &SymbolTable<'_>) {
        let context = self.location_context();
        let (pointer, index) = (pointer(context), index(context));
        let void = llvm_type::void(context);
        let functions = [
            (MEMALIGN, llvm_type::function(pointer, &[index; 2], false)),
            (FREE, llvm_type::function(void, &[pointer], false)),
        ];
        for (name, ty) in functions {
            if symbols.get(name).is_none() {
                let mut builder = Builder::at_end(self.block, self.location);
                llvm::LLVMFunc::build(&mut builder, name, ty);
            }
        }
    }
}

impl<'a> Emitter<'_, 'a> {
    /// Allocates all buffers of the function of a graph, and copies the arguments.
    pub(super) fn allocate_buffers(&mut self, code: &mut Code<'a>) {
        let plan = self.plan;
        let mut allocated = Allocated {
            results: self.results.clone(),
            ..Allocated::default()
        };
        for (position, (element, shape)) in plan.arguments.iter().enumerate() {
            let (given, count) = (self.arguments[position], count(shape));
            let copy = self.allocate(code, *element, &count);
            self.copy_elements(code, (*element, &count), given, copy);
            self.arguments[position] = copy;
            allocated.all.push(copy);
        }
        for (position, (element, shape)) in plan.results.iter().enumerate() {
            self.results[position] = self.allocate(code, *element, &count(shape));
            allocated.all.push(self.results[position]);
        }
        for buffer in 0..plan.buffers.len() {
            let described = plan.buffers.get(buffer);
            if described.place == Place::Arena {
                let address = self.allocate(code, described.element, &described.count);
                allocated.buffers.insert(buffer, address);
                allocated.all.push(address);
            }
        }
        self.allocated = Some(allocated);
    }

    /// Copies the results of the function of a graph to their places, and frees all buffers.
    pub(super) fn free_buffers(&mut self, code: &mut Code<'a>) {
        let Some(allocated) = self.allocated.take() else {
            return;
        };
        let plan = self.plan;
        for (position, (element, shape)) in plan.results.iter().enumerate() {
            let (own, given) = (self.results[position], allocated.results[position]);
            self.copy_elements(code, (*element, &count(shape)), own, given);
        }
        for address in allocated.all {
            free(code, address);
        }
    }

    /// Allocates memory for elements.
    fn allocate(&mut self, code: &mut Code<'a>, element: Element, count: &Extent) -> Value<'a> {
        let bytes = self.bytes(code, element, count);
        allocate(code, bytes)
    }
}

/// Allocates bytes.
pub(super) fn allocate<'a>(code: &mut Code<'a>, bytes: Value<'a>) -> Value<'a> {
    let (pointer, alignment) = (pointer(code.context()), code.index(ALIGNMENT as i64));
    let operands = [alignment, bytes];
    let call = llvm::Call::build(&mut code.builder, Some(pointer), &operands, &[], &[]);
    call.set_callee(Some(MEMALIGN));
    call.op().result(0)
}

/// Frees what [`allocate`] returned.
pub(super) fn free<'a>(code: &mut Code<'a>, address: Value<'a>) {
    let call = llvm::Call::build(&mut code.builder, None, &[address], &[], &[]);
    call.set_callee(Some(FREE));
}
