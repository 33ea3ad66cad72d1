//! Run-time values.
//!
//! A struct, a tuple and an array are lists; an enum is a case with a list. Deabstraction replaces
//! a struct by its leaves, so a list is observed as its leaves, and the observable behaviour is the
//! same before and after.

use std::cell::RefCell;
use std::rc::Rc;

use melior::ir::{Type, TypeLike};
use tfx_graphdef_mlir::types;
use tfx_interpreter::{Bool, DType, Tensor, TensorError, tensor};
use tfx_runtime::format;

use crate::dual::Dual;
use crate::error::Error;
use crate::tape::Tape;

/// A function of a [`crate::Library`], with types for its type parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionId(pub(crate) usize);

/// A value. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub enum Value<'a> {
    /// A value that no behaviour may depend on: of `undef`, of an unset variable, of the payload of
    /// another case.
    #[default]
    Undefined,
    /// An integer of at most 64 bits or an index: zero above its width.
    Integer(u64),
    /// An `f32`.
    F32(f32),
    /// An `f64`.
    F64(f64),
    /// A tensor.
    Tensor(Tensor),
    /// A string of the host.
    String(Rc<[u8]>),
    /// A struct, a tuple or an array.
    List(Rc<[Value<'a>]>),
    /// An enum: the position of its case, and the payload.
    Case(usize, Rc<[Value<'a>]>),
    /// A reference to a variable or to a part of one.
    Reference(Reference<'a>),
    /// A function with its first arguments.
    Closure(Rc<Closure<'a>>),
    /// A class instance.
    Object(Rc<Object<'a>>),
    /// A value whose type is erased except for its conformances.
    Existential(Rc<Existential<'a>>),
    /// A started graph, by its number.
    Program(usize),
    /// A queue of the results of calls.
    Queue(Rc<Queue<'a>>),
    /// A stack of values that a derivative needs.
    Tape(Tape<'a>),
    /// A number or a tensor with its derivative.
    Dual(Rc<Dual<'a>>),
}

/// A memory cell that holds a value.
pub(crate) type Cell<'a> = Rc<RefCell<Value<'a>>>;

/// A variable, and the path to a part of it.
#[derive(Clone, Debug)]
pub struct Reference<'a> {
    pub(crate) cell: Cell<'a>,
    pub(crate) path: Rc<[usize]>,
}

impl<'a> Reference<'a> {
    pub(crate) fn load(&self) -> Value<'a> {
        let mut value = self.cell.borrow().clone();
        for &index in self.path.iter() {
            value = match &value {
                Value::List(values) => values[index].clone(),
                _ => Value::Undefined,
            };
        }
        value
    }

    pub(crate) fn store(&self, value: Value<'a>) -> Result<(), Error> {
        // The lists from the whole to the part, then back with one element replaced in each.
        let mut whole = vec![self.cell.borrow().clone()];
        for &index in self.path.iter() {
            let part = match &whole[whole.len() - 1] {
                Value::List(values) => values[index].clone(),
                _ => {
                    return Err("a part of a variable is set before the variable".into());
                }
            };
            whole.push(part);
        }
        let mut new = value;
        for (&index, list) in self.path.iter().zip(&whole).rev() {
            if let Value::List(values) = list {
                let mut values = values.to_vec();
                values[index] = new;
                new = Value::list(values);
            }
        }
        *self.cell.borrow_mut() = new;
        Ok(())
    }
}

/// A function with captured arguments.
#[derive(Debug)]
pub struct Closure<'a> {
    pub(crate) function: FunctionId,
    pub(crate) captures: Vec<Value<'a>>,
}

/// An object of a class.
#[derive(Debug)]
pub struct Object<'a> {
    pub(crate) ty: Type<'a>,
    pub(crate) fields: Vec<Cell<'a>>,
}

/// A queue of the results of calls of a function.
#[derive(Debug)]
pub struct Queue<'a> {
    pub(crate) function: FunctionId,
    pub(crate) arguments: Vec<Value<'a>>,
    pub(crate) is_closed: std::cell::Cell<bool>,
}

/// A value with its concrete type, which is erased in the program.
#[derive(Debug)]
pub struct Existential<'a> {
    pub(crate) ty: Type<'a>,
    pub(crate) value: Value<'a>,
}

/// The error for a scalar whose type is not the element type of any tensor.
pub(crate) const NO_TENSOR: &str = "no tensor has elements of the type of this scalar";

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// An integer of this many bits; an index has 64.
    Integer(u32),
    F32,
    F64,
}

impl Number {
    /// Returns the scalar type of a type; `None` for any other, and for those wider than 64 bits.
    pub(crate) fn of(ty: Type<'_>) -> Option<Self> {
        if ty.is_f32() {
            return Some(Number::F32);
        }
        if ty.is_f64() {
            return Some(Number::F64);
        }
        if !ty.is_integer() && !ty.is_index() {
            return None;
        }
        types::width(ty)
            .filter(|width| (1..=64).contains(width))
            .map(Number::Integer)
    }

    /// Returns an unlikely scalar, for one that may have any value.
    pub(crate) fn any<'a>(self) -> Value<'a> {
        const BITS: u64 = 0x5a5a_5a5a_5a5a_5a5a;
        self.of_bits(BITS)
    }

    /// Creates a scalar from its bits.
    pub(crate) fn of_bits<'a>(self, bits: u64) -> Value<'a> {
        match self {
            Number::Integer(width) => Value::Integer(masked(bits, width)),
            Number::F32 => Value::F32(f32::from_bits(bits as u32)),
            Number::F64 => Value::F64(f64::from_bits(bits)),
        }
    }

    /// Returns the element type of a tensor that holds it.
    pub(crate) fn dtype(self) -> Option<DType> {
        Some(match self {
            Number::Integer(1) => DType::Bool,
            Number::Integer(8) => DType::I8,
            Number::Integer(16) => DType::I16,
            Number::Integer(32) => DType::I32,
            Number::Integer(64) => DType::I64,
            Number::Integer(_) => return None,
            Number::F32 => DType::F32,
            Number::F64 => DType::F64,
        })
    }
}

/// Returns the lowest `width` bits.
pub(crate) fn masked(bits: u64, width: u32) -> u64 {
    bits & (u64::MAX >> (64 - width))
}

/// Returns the lowest `width` bits as a signed number.
pub(crate) fn signed(bits: u64, width: u32) -> i64 {
    ((bits << (64 - width)) as i64) >> (64 - width)
}

impl<'a> Value<'a> {
    /// Returns the value of a parameter of this type for a tensor.
    ///
    /// # Errors
    /// The tensor does not match the type.
    pub fn given(tensor: &Tensor, ty: Type<'a>) -> Result<Self, Error> {
        match (tensor.strings(), ty.is_tensor()) {
            (Ok([text]), false) => Ok(Value::String(text.as_slice().into())),
            _ => fitted(Value::Tensor(tensor.clone()), None, ty),
        }
    }

    /// Creates a list of values.
    pub(crate) fn list(values: impl Into<Rc<[Value<'a>]>>) -> Self {
        Value::List(values.into())
    }

    /// Returns the scalar in a tensor of one element.
    pub(crate) fn of_tensor(tensor: &Tensor, number: Number) -> Result<Self, Error> {
        if Some(tensor.dtype()) != number.dtype() {
            return Err(format!("a tensor of {} is read as another type", tensor.dtype()).into());
        }
        if tensor.elements() != 1 {
            return Err(TensorError::NotScalar(tensor.shape().into()).into());
        }
        let mut bytes = [0; 8];
        bytes[..tensor.bytes().len()].copy_from_slice(tensor.bytes());
        let mut bits = u64::from_le_bytes(bytes);
        if number == Number::Integer(1) {
            bits = u64::from(bits != 0);
        }
        Ok(number.of_bits(bits))
    }

    /// Returns the tensor of a shape that holds these scalars, row by row.
    pub(crate) fn of_scalars(
        values: &[Value<'a>],
        number: Number,
        shape: &[usize],
    ) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        for value in values {
            let scalar = value.to_tensor(Some(number)).ok_or(NO_TENSOR)?;
            bytes.extend_from_slice(scalar.bytes());
        }
        let dtype = number.dtype().ok_or(NO_TENSOR)?;
        let tensor = Tensor::from_bytes(dtype, shape, &bytes)?;
        Ok(Value::Tensor(tensor))
    }

    /// Returns the tensor.
    pub(crate) fn tensor(&self) -> Result<&Tensor, Error> {
        match self {
            Value::Tensor(tensor) => Ok(tensor),
            other => Err(Error::expected("a tensor", other.kind())),
        }
    }

    /// Returns the scalar at a position of a tensor.
    pub(crate) fn element(&self, indices: &[Value<'a>], number: Number) -> Result<Self, Error> {
        let tensor = self.tensor()?;
        let mut position = 0;
        for (index, &size) in indices.iter().zip(tensor.shape()) {
            let index = index.bits()? as usize;
            if index >= size {
                return Err(
                    format!("the index {index} is outside of a dimension of {size}").into(),
                );
            }
            position = position * size + index;
        }
        let size = tensor.dtype().size();
        let bytes = &tensor.bytes()[position * size..(position + 1) * size];
        let scalar = Tensor::from_bytes(tensor.dtype(), &[], bytes)?;
        Value::of_tensor(&scalar, number)
    }

    /// Returns the tensor of rank 0 that holds a scalar of this type; a tensor is unchanged.
    pub(crate) fn to_tensor(&self, number: Option<Number>) -> Option<Tensor> {
        Some(match (self, number) {
            (Value::Tensor(tensor), _) => tensor.clone(),
            (Value::F32(value), _) => Tensor::scalar(*value),
            (Value::F64(value), _) => Tensor::scalar(*value),
            (Value::Integer(bits), Some(Number::Integer(1))) => {
                Tensor::scalar(Bool::from(*bits != 0))
            }
            (Value::Integer(bits), Some(Number::Integer(width))) => {
                let dtype = Number::Integer(width).dtype()?;
                Tensor::from_bytes(dtype, &[], &bits.to_le_bytes()[..dtype.size()]).ok()?
            }
            (Value::String(bytes), _) => Tensor::from_strings(&[], vec![bytes.to_vec()]).ok()?,
            _ => return None,
        })
    }

    /// Returns the number that a decision is made by: a scalar, or a tensor of one.
    pub(crate) fn truth(&self) -> Result<bool, Error> {
        match self {
            Value::Tensor(tensor) => {
                let truth = tensor.item::<Bool>()?;
                Ok(truth.get())
            }
            scalar => Ok(scalar.bits()? != 0),
        }
    }

    /// Returns whether no behaviour may depend on it.
    pub(crate) fn is_undefined(&self) -> bool {
        matches!(self, Value::Undefined)
    }

    /// Returns the bits of an integer.
    pub(crate) fn bits(&self) -> Result<u64, Error> {
        match self {
            Value::Integer(bits) => Ok(*bits),
            other => Err(Error::expected("an integer", other.kind())),
        }
    }

    /// Returns a description of its kind.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Undefined => "a value that was never set",
            Value::Integer(_) => "an integer",
            Value::F32(_) | Value::F64(_) => "a float",
            Value::Tensor(_) => "a tensor",
            Value::String(_) => "a string",
            Value::List(_) => "a list",
            Value::Case(..) => "an enum",
            Value::Reference(_) => "a reference",
            Value::Closure(_) => "a closure",
            Value::Object(_) => "an object",
            Value::Existential(_) => "an existential",
            Value::Program(_) => "a program",
            Value::Queue(_) => "a queue",
            Value::Tape(_) => "a tape",
            Value::Dual(_) => "a dual number",
        }
    }
}

/// Returns the text of a value as the runtime prints it.
pub(crate) fn text(value: &Value<'_>, number: Option<Number>) -> String {
    match (value, value.to_tensor(number)) {
        (_, Some(tensor)) => format::tensor(&tensor),
        (Value::List(values), None) => {
            let texts: Vec<_> = values.iter().map(|value| text(value, None)).collect();
            texts.join(", ")
        }
        (Value::Integer(bits), None) => bits.to_string(),
        (other, None) => format!("<{}>", other.kind()),
    }
}

/// Converts a value that is sent or passed to type `ty`: a scalar to a tensor of rank 0, or the
/// reverse, since `tfx-legalize-graph` makes tensors of the scalars of a graph but not of its host.
///
/// # Errors
/// The value does not match the type.
pub(crate) fn fitted<'a>(
    value: Value<'a>,
    from: Option<Number>,
    ty: Type<'a>,
) -> Result<Value<'a>, Error> {
    let expected = Number::of(ty);
    match (&value, expected) {
        (Value::Undefined, _) => Ok(value),
        (Value::Tensor(tensor), Some(number)) if tensor.rank() == 0 => {
            Value::of_tensor(tensor, number)
        }
        (Value::Tensor(tensor), None) => check_tensor(tensor, ty).map(|()| value),
        (Value::Integer(_) | Value::F32(_) | Value::F64(_), None) if ty.is_tensor() => {
            let tensor = value.to_tensor(from).ok_or(NO_TENSOR)?;
            check_tensor(&tensor, ty).map(|()| Value::Tensor(tensor))
        }
        (Value::Integer(_), Some(Number::Integer(_)))
        | (Value::F32(_), Some(Number::F32))
        | (Value::F64(_), Some(Number::F64)) => match from == expected {
            true => Ok(value),
            false => Err(format!("expected {ty}, got a scalar of another type").into()),
        },
        (_, None) if !ty.is_tensor() => Ok(value),
        _ => Err(Error::expected(&ty.to_string(), value.kind())),
    }
}

/// Checks that a tensor has the element type and the sizes of a type.
fn check_tensor(tensor: &Tensor, ty: Type<'_>) -> Result<(), Error> {
    if !ty.is_tensor() {
        return Err(format!("expected {ty}, got a tensor").into());
    }
    let expected = types::data_type(ty).and_then(|number| DType::from_tensorflow(number as i32));
    let sizes = types::sizes(ty);
    let fits = sizes.is_none_or(|sizes| {
        let fits =
            |(size, &found): (&Option<u64>, &usize)| size.is_none_or(|size| size == found as u64);
        sizes.len() == tensor.rank() && sizes.iter().zip(tensor.shape()).all(fits)
    });
    if expected == Some(tensor.dtype()) && fits {
        return Ok(());
    }
    let (dtype, shape) = (tensor.dtype(), tensor::shape_text(tensor.shape()));
    Err(format!("expected {ty}, got a tensor of {dtype} with shape {shape}").into())
}
