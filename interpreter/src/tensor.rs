//! Tensors: an element type, a shape, and reference-counted elements.
//!
//! ```text
//! Tensor { dtype, shape, data } -- data --> up to 16 bytes, in the tensor itself
//!                                      \--> Arc<[Block]>   64-byte aligned, row-major, shared between clones
//!                                      \--> Arc<dyn Elements>   the same, in memory of another owner; never written
//!                                      \--> Arc<[bytes]>   strings
//!                                      \--> resource       the number of a channel
//!                                      \--> Arc<List>      a list of tensors, in a tensor of rank 0
//! ```
//!
//! A clone costs one atomic increment, and scalars of a loop need no allocation. A tensor whose
//! elements are not shared can be written in place, which kernels do with an input at its last use.
//! `bytemuck` converts elements to numbers, so there is no unsafe code here, except for results of
//! machine code ([`unwritten`]).

mod unwritten;

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use smallvec::SmallVec;

use crate::{
    half::{Bf16, F16},
    list::List,
};

pub use unwritten::Unwritten;

/// The dimensions, outermost first.
pub type Shape = SmallVec<[usize; 4]>;

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum DType {
    F16,
    Bf16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    Bool,
    String,
    /// A channel, inside a graph.
    Resource,
    /// A list of tensors, inside a graph.
    Variant,
}

/// Each element type with TensorFlow's `DataType` number, the size in bytes (0: not plain bytes),
/// and the name that users write.
const DTYPES: &[(DType, i32, usize, &str)] = &[
    (DType::F32, 1, 4, "f32"),
    (DType::F64, 2, 8, "f64"),
    (DType::I32, 3, 4, "i32"),
    (DType::U8, 4, 1, "ui8"),
    (DType::I16, 5, 2, "i16"),
    (DType::I8, 6, 1, "i8"),
    (DType::String, 7, 0, "string"),
    (DType::I64, 9, 8, "i64"),
    (DType::Bool, 10, 1, "i1"),
    (DType::Bf16, 14, 2, "bf16"),
    (DType::U16, 17, 2, "ui16"),
    (DType::F16, 19, 2, "f16"),
    (DType::Resource, 20, 0, "resource"),
    (DType::Variant, 21, 0, "variant"),
    (DType::U32, 22, 4, "ui32"),
    (DType::U64, 23, 8, "ui64"),
];

impl DType {
    /// Returns the element type of a number of TensorFlow's `DataType`; `None` if this crate does
    /// not support it.
    pub fn from_tensorflow(number: i32) -> Option<Self> {
        let row = DTYPES.iter().find(|row| row.1 == number)?;
        Some(row.0)
    }

    fn row(self) -> &'static (DType, i32, usize, &'static str) {
        DTYPES
            .iter()
            .find(|row| row.0 == self)
            .expect("every element type has a row")
    }

    /// Returns TensorFlow's `DataType` number.
    pub fn tensorflow(self) -> i32 {
        self.row().1
    }

    /// Returns the bytes of one element; 0 for strings, resources and lists, which are not plain
    /// bytes.
    pub fn size(self) -> usize {
        match self {
            DType::I8 | DType::U8 | DType::Bool => 1,
            DType::I16 | DType::U16 | DType::F16 | DType::Bf16 => 2,
            DType::F32 | DType::I32 | DType::U32 => 4,
            DType::F64 | DType::I64 | DType::U64 => 8,
            DType::String | DType::Resource | DType::Variant => 0,
        }
    }

    /// Returns whether a graph and its host can exchange tensors of these elements.
    pub fn crosses(self) -> bool {
        !matches!(self, DType::Resource | DType::Variant)
    }

    /// Returns the name that users write: `f32`, `i64`, `i1`, `ui8`.
    pub fn name(self) -> &'static str {
        self.row().3
    }
}

impl std::fmt::Display for DType {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A boolean as one byte. TensorFlow's kernels write 0 and 1; any other byte counts as true.
#[derive(Clone, Copy, Default, Zeroable, Pod)]
#[repr(transparent)]
pub struct Bool(u8);

impl Bool {
    /// Returns whether it is true.
    pub fn get(self) -> bool {
        self.0 != 0
    }
}

impl From<bool> for Bool {
    fn from(value: bool) -> Self {
        Bool(u8::from(value))
    }
}

impl PartialEq for Bool {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl std::fmt::Debug for Bool {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(formatter)
    }
}

/// A Rust type that is an element type.
pub trait Element: Pod + PartialEq + std::fmt::Debug + Send + Sync {
    /// The element type.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($rust:ty => $dtype:ident),* $(,)?) => {
        $(impl Element for $rust {
            const DTYPE: DType = DType::$dtype;
        })*
    };
}

elements! {
    f32 => F32, f64 => F64, i8 => I8, i16 => I16, i32 => I32, i64 => I64,
    u8 => U8, u16 => U16, u32 => U32, u64 => U64, Bool => Bool,
    F16 => F16, Bf16 => Bf16,
}

/// The reason why a tensor does not match the caller's expectation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TensorError {
    /// The elements are of another type.
    #[error("expected a tensor of {expected}, got a tensor of {found}")]
    DType {
        /// The element type of the tensor.
        found: DType,
        /// The expected element type.
        expected: DType,
    },
    /// The number of elements or bytes does not match the shape.
    #[error("expected {expected} elements for a tensor of shape {}, got {found}", shape_text(.shape))]
    Count {
        /// The shape.
        shape: Shape,
        /// The elements of the shape.
        expected: usize,
        /// The given elements.
        found: usize,
    },
    /// One element was expected.
    #[error("expected a scalar, got a tensor of shape {}", shape_text(.0))]
    NotScalar(Shape),
    /// The elements are not plain, so that there is no zero.
    #[error("a tensor of {0} has no plain elements")]
    NotPlain(DType),
    /// The shape needs more memory than a machine can address.
    #[error("a tensor of shape {} is too large", shape_text(.0))]
    TooLarge(Shape),
}

/// Returns a shape as TensorFlow writes it: `[2,3]`.
pub fn shape_text(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("[{}]", sizes.join(","))
}

/// The alignment of elements: that of Eigen, and of SIMD code in foreign functions.
pub const ALIGNMENT: usize = 64;

/// The size in bytes from which sharing external memory costs less than a copy.
pub const WORTH_SHARING: usize = 4096;

/// The alignment of external memory that is used in place: that of `malloc`, and so of large arrays
/// of NumPy. No kernel needs more.
const SHARED_ALIGNMENT: usize = 16;

/// Returns whether these elements can be used in place, and should be.
pub fn is_shareable(bytes: &[u8]) -> bool {
    bytes.len() >= WORTH_SHARING && bytes.as_ptr().addr().is_multiple_of(SHARED_ALIGNMENT)
}

/// The size in bytes from which memory is reserved before it is used: a graph that requests more
/// than is available fails with an error, where an ordinary allocation ends the process.
const LARGE: usize = 1 << 30;

/// Returns whether this much memory is available.
fn is_available(bytes: usize) -> bool {
    bytes < LARGE || Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// The unit of allocation.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C, align(64))]
struct Block([u8; ALIGNMENT]);

/// The size in bytes up to which a tensor stores its elements inline: the size of a pointer with a
/// length.
const SMALL: usize = 16;

/// The bytes of a small tensor. Words, so that they are aligned for every element type.
type Words = [u64; SMALL / size_of::<u64>()];

/// Elements in memory of another owner that lives as long as this value.
pub trait Elements: Send + Sync {
    /// Returns all of them, at an address that does not change.
    fn bytes(&self) -> &[u8];
}

#[derive(Clone)]
enum Data {
    Small(Words),
    Bytes(Arc<[Block]>),
    Foreign(Arc<dyn Elements>),
    Strings(Arc<[Vec<u8>]>),
    Resource(usize),
    List(Arc<List>),
}

/// A tensor. Cheap to clone.
#[derive(Clone)]
pub struct Tensor {
    dtype: DType,
    shape: Shape,
    data: Data,
}

impl Default for Tensor {
    /// A placeholder for a tensor that was moved out: no elements.
    fn default() -> Self {
        Tensor {
            dtype: DType::Resource,
            shape: Shape::new(),
            data: Data::Resource(usize::MAX),
        }
    }
}

/// Returns the number of elements of a shape; `None` if they exceed the address space at the size
/// of an element.
fn checked_elements(shape: &[usize], size: usize) -> Option<usize> {
    // A dimension of 0 makes the tensor empty however large the others are.
    if shape.contains(&0) {
        return Some(0);
    }
    let elements = shape
        .iter()
        .try_fold(1usize, |product, &dimension| product.checked_mul(dimension))?;
    let bytes = elements.checked_mul(size.max(1))?;
    // Rust's own limit for one allocation, less a block.
    (bytes <= isize::MAX as usize - ALIGNMENT).then_some(elements)
}

impl Tensor {
    /// Creates a tensor of zeros (empty strings).
    ///
    /// # Errors
    /// The elements are resources or lists, or do not fit into memory.
    pub fn zeros(dtype: DType, shape: &[usize]) -> Result<Self, TensorError> {
        if !dtype.crosses() {
            return Err(TensorError::NotPlain(dtype));
        }
        // A string is a vector of its own.
        let size = match dtype {
            DType::String => size_of::<Vec<u8>>(),
            _ => dtype.size(),
        };
        let elements = checked_elements(shape, size)
            .filter(|elements| is_available(elements * size))
            .ok_or_else(|| TensorError::TooLarge(shape.into()))?;
        let data = match dtype {
            DType::String => Data::Strings(vec![Vec::new(); elements].into()),
            _ if elements * size <= SMALL => Data::Small(Words::default()),
            _ => {
                let blocks = (elements * size).div_ceil(ALIGNMENT);
                Data::Bytes(bytemuck::zeroed_arc_slice(blocks))
            }
        };
        Ok(Tensor {
            dtype,
            shape: shape.into(),
            data,
        })
    }

    /// Creates a tensor whose elements all are the element of this one.
    ///
    /// # Errors
    /// This tensor has not one element, or the new one does not fit into memory.
    pub fn splat(&self, shape: &[usize]) -> Result<Self, TensorError> {
        if self.elements() != 1 {
            return Err(TensorError::NotScalar(self.shape().into()));
        }
        let mut tensor = Self::zeros(self.dtype, shape)?;
        if let Ok([string]) = self.strings() {
            let strings = vec![string.to_vec(); tensor.elements()];
            return Self::from_strings(shape, strings);
        }
        let element = self.bytes();
        if let Some(bytes) = tensor.bytes_mut()
            && element.iter().any(|byte| *byte != 0)
        {
            bytes
                .chunks_exact_mut(element.len())
                .for_each(|copy| copy.copy_from_slice(element));
        }
        Ok(tensor)
    }

    /// Creates a tensor whose elements `fill` writes into a zeroed slice.
    pub fn build<T: Element>(
        shape: &[usize],
        fill: impl FnOnce(&mut [T]),
    ) -> Result<Self, TensorError> {
        let mut tensor = Self::zeros(T::DTYPE, shape)?;
        if let Some(values) = tensor.values_mut::<T>() {
            fill(values);
        }
        Ok(tensor)
    }

    /// Creates a tensor with these elements.
    pub fn from_slice<T: Element>(shape: &[usize], values: &[T]) -> Result<Self, TensorError> {
        Self::check_count(shape, values.len())?;
        Self::build(shape, |elements: &mut [T]| elements.copy_from_slice(values))
    }

    /// Creates a tensor of plain elements from their bytes.
    pub fn from_bytes(dtype: DType, shape: &[usize], bytes: &[u8]) -> Result<Self, TensorError> {
        let mut tensor = Self::zeros(dtype, shape)?;
        let size = dtype.size().max(1);
        match tensor.bytes_mut() {
            Some(target) if target.len() == bytes.len() => target.copy_from_slice(bytes),
            _ => {
                return Err(TensorError::Count {
                    shape: shape.into(),
                    expected: tensor.elements(),
                    found: bytes.len() / size,
                });
            }
        }
        Ok(tensor)
    }

    /// Creates a tensor of plain elements in external memory, which must be shareable
    /// ([`is_shareable`]).
    pub fn from_elements(
        dtype: DType,
        shape: &[usize],
        elements: Arc<dyn Elements>,
    ) -> Result<Self, TensorError> {
        let expected = checked_elements(shape, dtype.size())
            .ok_or_else(|| TensorError::TooLarge(shape.into()))?;
        let bytes = elements.bytes();
        if dtype.size() == 0 || expected * dtype.size() != bytes.len() || !is_shareable(bytes) {
            return Err(TensorError::Count {
                shape: shape.into(),
                expected,
                found: bytes.len() / dtype.size().max(1),
            });
        }
        Ok(Tensor {
            dtype,
            shape: shape.into(),
            data: Data::Foreign(elements),
        })
    }

    /// Creates a tensor of strings.
    pub fn from_strings(shape: &[usize], strings: Vec<Vec<u8>>) -> Result<Self, TensorError> {
        Self::check_count(shape, strings.len())?;
        Ok(Tensor {
            dtype: DType::String,
            shape: shape.into(),
            data: Data::Strings(strings.into()),
        })
    }

    /// Creates a tensor of rank 0.
    pub fn scalar<T: Element>(value: T) -> Self {
        Self::build(&[], |elements: &mut [T]| elements[0] = value)
            .expect("one element fits in memory")
    }

    /// Creates a resource, identified by a number.
    pub fn resource(number: usize) -> Self {
        Tensor {
            dtype: DType::Resource,
            shape: Shape::new(),
            data: Data::Resource(number),
        }
    }

    fn check_count(shape: &[usize], found: usize) -> Result<(), TensorError> {
        let expected =
            checked_elements(shape, 1).ok_or_else(|| TensorError::TooLarge(shape.into()))?;
        if expected == found {
            return Ok(());
        }
        Err(TensorError::Count {
            shape: shape.into(),
            expected,
            found,
        })
    }

    /// Returns the element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Returns the number of elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns the number of bytes of the elements; for strings, of their texts.
    pub fn byte_size(&self) -> usize {
        match &self.data {
            Data::Strings(strings) => strings.iter().map(Vec::len).sum(),
            _ => self.elements() * self.dtype.size(),
        }
    }

    /// Returns the same tensor with its elements on the heap, at an address that is aligned to
    /// [`ALIGNMENT`] and stays when the tensor moves.
    pub fn aligned(mut self) -> Self {
        if let Data::Small(words) = &self.data {
            let mut block = Block::zeroed();
            block.0[..SMALL].copy_from_slice(bytemuck::bytes_of(words));
            self.data = Data::Bytes(Arc::new([block]));
        }
        self
    }

    /// Returns whether the elements are where [`Tensor::aligned`] puts them.
    pub fn is_aligned(&self) -> bool {
        matches!(self.data, Data::Bytes(_) | Data::Foreign(_))
    }

    /// Returns the elements as bytes; none for strings, resources and lists. Those of an aligned
    /// tensor stay at their address as long as it or a clone of it lives.
    pub fn bytes(&self) -> &[u8] {
        match &self.data {
            Data::Small(words) => &bytemuck::bytes_of(words)[..self.elements() * self.dtype.size()],
            Data::Bytes(blocks) => {
                &bytemuck::cast_slice(blocks)[..self.elements() * self.dtype.size()]
            }
            Data::Foreign(elements) => elements.bytes(),
            _ => &[],
        }
    }

    /// Returns the elements as writable bytes, if they are plain and not shared.
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        let size = self.elements() * self.dtype.size();
        match &mut self.data {
            Data::Small(words) => Some(&mut bytemuck::bytes_of_mut(words)[..size]),
            Data::Bytes(blocks) => {
                let blocks = Arc::get_mut(blocks)?;
                Some(&mut bytemuck::cast_slice_mut(blocks)[..size])
            }
            _ => None,
        }
    }

    /// Returns the elements.
    pub fn values<T: Element>(&self) -> Result<&[T], TensorError> {
        self.expect_dtype(T::DTYPE)?;
        Ok(bytemuck::cast_slice(self.bytes()))
    }

    /// Returns the writable elements, if they are of this type and not shared.
    pub fn values_mut<T: Element>(&mut self) -> Option<&mut [T]> {
        if self.dtype != T::DTYPE {
            return None;
        }
        self.bytes_mut().map(bytemuck::cast_slice_mut)
    }

    /// Returns the strings.
    pub fn strings(&self) -> Result<&[Vec<u8>], TensorError> {
        match &self.data {
            Data::Strings(strings) => Ok(strings),
            _ => Err(TensorError::DType {
                found: self.dtype,
                expected: DType::String,
            }),
        }
    }

    /// Returns the number of the resource.
    pub fn resource_number(&self) -> Result<usize, TensorError> {
        match self.data {
            Data::Resource(number) => Ok(number),
            _ => Err(TensorError::DType {
                found: self.dtype,
                expected: DType::Resource,
            }),
        }
    }

    /// Returns the list.
    pub fn list(&self) -> Result<&List, TensorError> {
        match &self.data {
            Data::List(list) => Ok(list),
            _ => Err(self.not_a_list()),
        }
    }

    /// Returns the list, for changes if this is its only owner.
    pub fn into_list(self) -> Result<Arc<List>, TensorError> {
        match self.data {
            Data::List(list) => Ok(list),
            _ => Err(self.not_a_list()),
        }
    }

    fn not_a_list(&self) -> TensorError {
        TensorError::DType {
            found: self.dtype,
            expected: DType::Variant,
        }
    }

    /// Returns the single element.
    pub fn item<T: Element>(&self) -> Result<T, TensorError> {
        match self.values::<T>()? {
            [value] => Ok(*value),
            _ => Err(TensorError::NotScalar(self.shape.clone())),
        }
    }

    /// Returns the elements of an `i32` or `i64` tensor, in which graphs pass shapes, axes and
    /// indices.
    pub fn integers(&self) -> Result<SmallVec<[i64; 4]>, TensorError> {
        match self.dtype {
            DType::I32 => Ok(self
                .values::<i32>()?
                .iter()
                .map(|&value| i64::from(value))
                .collect()),
            _ => Ok(self.values::<i64>()?.into()),
        }
    }

    /// Returns the same elements in another shape.
    pub fn reshaped(mut self, shape: &[usize]) -> Result<Self, TensorError> {
        Self::check_count(shape, self.elements())?;
        self.shape = shape.into();
        Ok(self)
    }

    /// Reinterprets the bytes as elements of another type; the shape must have as many bytes.
    pub fn reinterpreted(mut self, dtype: DType, shape: &[usize]) -> Result<Self, TensorError> {
        let expected = checked_elements(shape, dtype.size())
            .ok_or_else(|| TensorError::TooLarge(shape.into()))?;
        if dtype.size() == 0 || expected * dtype.size() != self.bytes().len() {
            return Err(TensorError::Count {
                shape: shape.into(),
                expected,
                found: self.elements(),
            });
        }
        self.dtype = dtype;
        self.shape = shape.into();
        Ok(self)
    }

    fn expect_dtype(&self, expected: DType) -> Result<(), TensorError> {
        if self.dtype == expected {
            return Ok(());
        }
        Err(TensorError::DType {
            found: self.dtype,
            expected,
        })
    }
}

impl From<Arc<List>> for Tensor {
    fn from(list: Arc<List>) -> Self {
        Tensor {
            dtype: DType::Variant,
            shape: Shape::new(),
            data: Data::List(list),
        }
    }
}

impl From<List> for Tensor {
    fn from(list: List) -> Self {
        Arc::new(list).into()
    }
}

impl PartialEq for Tensor {
    fn eq(&self, other: &Self) -> bool {
        let same_data = match (&self.data, &other.data) {
            (
                Data::Small(_) | Data::Bytes(_) | Data::Foreign(_),
                Data::Small(_) | Data::Bytes(_) | Data::Foreign(_),
            ) => self.bytes() == other.bytes(),
            (Data::Strings(left), Data::Strings(right)) => left == right,
            (Data::Resource(left), Data::Resource(right)) => left == right,
            (Data::List(left), Data::List(right)) => Arc::ptr_eq(left, right) || left == right,
            _ => false,
        };
        self.dtype == other.dtype && self.shape == other.shape && same_data
    }
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}{}", self.dtype, shape_text(&self.shape))?;
        if let Data::List(list) = &self.data {
            return write!(formatter, " {list:?}");
        }
        macro_rules! show {
            ($($dtype:ident => $rust:ty),*) => {
                match self.dtype {
                    $(DType::$dtype => write!(formatter, " {:?}", self.values::<$rust>().unwrap_or(&[])),)*
                    DType::String | DType::Resource | DType::Variant => Ok(()),
                }
            };
        }
        show!(F32 => f32, F64 => f64, I8 => i8, I16 => i16, I32 => i32, I64 => i64,
              U8 => u8, U16 => u16, U32 => u32, U64 => u64, Bool => Bool, F16 => F16, Bf16 => Bf16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn element_types_are_those_of_tensorflow() {
        for &(dtype, number, size, name) in DTYPES {
            assert_eq!(DType::from_tensorflow(number), Some(dtype));
            assert_eq!(dtype.size(), size);
            let known = tfx_graphdef::element::from_number(number);
            let mlir = tfx_graphdef::element::display_name(known);
            assert_eq!(name, mlir.rsplit('.').next().unwrap_or(mlir));
        }
        let complex = 8;
        assert_eq!(DType::from_tensorflow(complex), None);
    }

    #[test]
    fn elements_are_aligned_and_shared() {
        let numbers = [1.0f32, 2.0, 3.0, 4.0, 5.0];
        let mut tensor = Tensor::from_slice(&[5], &numbers).expect("a tensor");
        assert_eq!(tensor.bytes().as_ptr() as usize % ALIGNMENT, 0);
        let other = tensor.clone();
        assert!(tensor.values_mut::<f32>().is_none(), "shared");
        drop(other);
        tensor.values_mut::<f32>().expect("not shared")[0] = 6.0;
        assert_eq!(tensor.values::<f32>(), Ok(&[6.0, 2.0, 3.0, 4.0, 5.0][..]));
        assert!(tensor.values::<i32>().is_err());
    }

    #[test]
    fn small_tensors_are_like_others() {
        let small = Tensor::from_slice(&[4], &[1i32, 2, 3, 4]).expect("a tensor");
        assert!(!small.is_aligned());
        let aligned = small.clone().aligned();
        assert!(aligned.is_aligned());
        assert_eq!(aligned.bytes().as_ptr() as usize % ALIGNMENT, 0);
        assert_eq!(small, aligned);
        let mut copy = small.clone();
        copy.values_mut::<i32>().expect("a copy of its own")[3] = 5;
        assert_eq!(small.values::<i32>(), Ok(&[1, 2, 3, 4][..]));
        assert_ne!(small, copy);
        let halves = small
            .reinterpreted(DType::I64, &[2])
            .expect("as many bytes");
        assert_eq!(
            halves.values::<i64>(),
            Ok(&[0x2_0000_0001, 0x4_0000_0003][..])
        );
        let empty = Tensor::zeros(DType::F64, &[0, 7]).expect("no elements");
        assert_eq!(empty.bytes(), [0u8; 0]);
    }

    #[test]
    fn counts_are_checked() {
        assert!(Tensor::from_slice(&[2, 2], &[1i32, 2, 3]).is_err());
        assert!(Tensor::zeros(DType::F64, &[usize::MAX, 2]).is_err());
        assert!(
            Tensor::zeros(DType::F64, &[1 << 52]).is_err(),
            "more than any machine has"
        );
        assert!(Tensor::zeros(DType::F64, &[usize::MAX, 2, 0]).is_ok());
        assert!(Tensor::from_bytes(DType::I16, &[2], &[1, 0, 2]).is_err());
        assert!(Tensor::from_slice(&[0], &[0.0f32; 0]).is_ok());
    }
}
