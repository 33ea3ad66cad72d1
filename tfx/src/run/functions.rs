//! Foreign functions that are functions of this process.
//!
//! ```text
//!   functions.add("f", |x: Tensor, n: i64| -> Result<f32, MyError> { ... })
//!                            │
//!             Function<(Tensor, i64)>: types of the arguments and results, and the call
//!                            │ bind: compared with the declaration func.func private @f
//!             runtime: ForeignFunction, called by compiled code through slots
//! ```

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::fmt;

use melior::ir::Type;
use tfx_interpreter::Bool;
use tfx_ir::location;
use tfx_ir::module;
use tfx_ir::ops::func;
use tfx_runtime::entry::{Parameter, type_text};
use tfx_runtime::ffi::abi_function::{ForeignCall, ForeignError, ForeignFunction};
use tfx_runtime::{DType, Tensor};

use crate::error::{Error, ErrorKind};
use crate::interpret::parameter;
use crate::program::Program;

/// A type that a foreign function receives and returns: a tensor, a number, a boolean or a string.
pub trait ForeignValue: Sized {
    /// The element type of a scalar; `None` for a tensor of any element type.
    const SCALAR: Option<DType>;

    /// Returns a value that compiled code passes.
    ///
    /// # Errors
    /// The tensor has another element type or shape.
    fn from_tensor(tensor: &Tensor) -> Result<Self, ForeignError>;

    /// Returns the value as compiled code receives it.
    fn into_tensor(self) -> Tensor;
}

impl ForeignValue for Tensor {
    const SCALAR: Option<DType> = None;

    fn from_tensor(tensor: &Tensor) -> Result<Self, ForeignError> {
        Ok(tensor.clone())
    }

    fn into_tensor(self) -> Tensor {
        self
    }
}

macro_rules! scalars {
    ($($rust:ty: $dtype:ident),*) => {$(
        impl ForeignValue for $rust {
            const SCALAR: Option<DType> = Some(DType::$dtype);

            fn from_tensor(tensor: &Tensor) -> Result<Self, ForeignError> {
                Ok(tensor.item::<$rust>()?)
            }

            fn into_tensor(self) -> Tensor {
                Tensor::scalar(self)
            }
        }
    )*};
}

scalars!(i8: I8, i16: I16, i32: I32, i64: I64, f32: F32, f64: F64);

impl ForeignValue for bool {
    const SCALAR: Option<DType> = Some(DType::Bool);

    fn from_tensor(tensor: &Tensor) -> Result<Self, ForeignError> {
        Ok(tensor.item::<Bool>()?.get())
    }

    fn into_tensor(self) -> Tensor {
        Tensor::scalar(Bool::from(self))
    }
}

/// Text in UTF-8, the type `!tfx_host.string`.
impl ForeignValue for String {
    const SCALAR: Option<DType> = Some(DType::String);

    fn from_tensor(tensor: &Tensor) -> Result<Self, ForeignError> {
        match tensor.strings()? {
            [text] => Ok(String::from_utf8(text.to_vec())?),
            texts => Err(format!("expected a string, but got {} of them", texts.len()).into()),
        }
    }

    fn into_tensor(self) -> Tensor {
        Tensor::from_strings(&[], vec![self.into_bytes()]).unwrap_or_default()
    }
}

/// The return type of a foreign function: nothing, a value, a tuple of values, or a `Result` of one
/// of these.
pub trait Results {
    /// The types of the values, as [`ForeignValue::SCALAR`].
    fn types() -> Vec<Option<DType>>;

    /// Returns a tensor per value.
    ///
    /// # Errors
    /// The error of the function.
    fn into_tensors(self) -> Result<Vec<Tensor>, ForeignError>;
}

impl<T: ForeignValue> Results for T {
    fn types() -> Vec<Option<DType>> {
        vec![T::SCALAR]
    }

    fn into_tensors(self) -> Result<Vec<Tensor>, ForeignError> {
        Ok(vec![self.into_tensor()])
    }
}

impl<R: Results, E: Into<Box<dyn StdError + Send + Sync>>> Results for Result<R, E> {
    fn types() -> Vec<Option<DType>> {
        R::types()
    }

    fn into_tensors(self) -> Result<Vec<Tensor>, ForeignError> {
        self.map_err(Into::into)?.into_tensors()
    }
}

/// A closure or function whose arguments have the types in the tuple `A`.
pub trait Function<A>: Send + Sync + 'static {
    /// The types of the arguments, as [`ForeignValue::SCALAR`].
    fn arguments() -> Vec<Option<DType>>;

    /// The types of the results.
    fn results() -> Vec<Option<DType>>;

    /// Calls the function with a tensor per argument.
    ///
    /// # Errors
    /// The error of the function; an argument of another type.
    fn call(&self, arguments: &[Tensor]) -> Result<Vec<Tensor>, ForeignError>;
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),*))*) => {$(
        impl<$($name: ForeignValue,)* R: Results, F> Function<($($name,)*)> for F
        where
            F: Fn($($name),*) -> R + Send + Sync + 'static,
        {
            fn arguments() -> Vec<Option<DType>> {
                vec![$($name::SCALAR),*]
            }

            fn results() -> Vec<Option<DType>> {
                R::types()
            }

            fn call(&self, _arguments: &[Tensor]) -> Result<Vec<Tensor>, ForeignError> {
                self($($name::from_tensor(&_arguments[$index])?),*).into_tensors()
            }
        }
    )*};
}

tuples! {
    ()
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, G 5)
    (A 0, B 1, C 2, D 3, E 4, G 5, H 6)
    (A 0, B 1, C 2, D 3, E 4, G 5, H 6, I 7)
}

macro_rules! result_tuples {
    ($(($($name:ident $index:tt),*))*) => {$(
        impl<$($name: ForeignValue),*> Results for ($($name,)*) {
            fn types() -> Vec<Option<DType>> {
                vec![$($name::SCALAR),*]
            }

            fn into_tensors(self) -> Result<Vec<Tensor>, ForeignError> {
                Ok(vec![$(self.$index.into_tensor()),*])
            }
        }
    )*};
}

result_tuples! {
    ()
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
}

/// The types of arguments or results, as [`ForeignValue::SCALAR`].
type Scalars = Vec<Option<DType>>;

/// A function before it is compared with its declaration.
struct Unbound {
    /// The types of the arguments and results; `None` if the function takes any.
    types: Option<(Scalars, Scalars)>,
    call: Box<ForeignCall>,
}

/// The foreign functions of a program that are functions of this process, by name.
#[derive(Default)]
pub struct ForeignFunctions(BTreeMap<String, Unbound>);

impl fmt::Debug for ForeignFunctions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

impl ForeignFunctions {
    /// Returns an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a closure or function, which compiled code calls by the name of a foreign function. It
    /// may run on several threads at once. An error that it returns, or a panic, ends the call of
    /// compiled code. It replaces an earlier function of that name.
    pub fn add<A>(&mut self, name: impl Into<String>, function: impl Function<A>) -> &mut Self {
        fn types<A, F: Function<A>>(_: &F) -> (Scalars, Scalars) {
            (F::arguments(), F::results())
        }
        let unbound = Unbound {
            types: Some(types(&function)),
            call: Box::new(move |arguments| function.call(arguments)),
        };
        self.0.insert(name.into(), unbound);
        self
    }

    /// Adds a function whose types are known only at run time: it receives a tensor per argument,
    /// and must return a tensor per declared result.
    pub fn add_dynamic(
        &mut self,
        name: impl Into<String>,
        function: impl Fn(&[Tensor]) -> Result<Vec<Tensor>, ForeignError> + Send + Sync + 'static,
    ) -> &mut Self {
        let unbound = Unbound {
            types: None,
            call: Box::new(function),
        };
        self.0.insert(name.into(), unbound);
        self
    }

    /// Compares the functions with their declarations in a program. Compiled code refers to the
    /// functions in the list, whose addresses must not change.
    pub(super) fn bind(self, program: &Program<'_>) -> Result<Vec<ForeignFunction>, Error> {
        let functions = module::as_op(program.module()).children();
        let declared = functions
            .filter_map(func::Func::cast)
            .filter(|function| function.is_declaration());
        let mut declared: BTreeMap<_, _> = declared
            .map(|function| (function.sym_name(), function))
            .collect();
        let bind = |(name, unbound): (String, Unbound)| match declared.remove(name.as_str()) {
            Some(declaration) => bound(name, unbound, declaration),
            None => {
                let message = format!(
                    "the program declares no foreign function '@{name}'; declare it with 'func.func private @{name}(...)'"
                );
                Err(Error::new(ErrorKind::Argument, message))
            }
        };
        self.0.into_iter().map(bind).collect()
    }
}

/// Why a parameter or result of some type is refused.
const IN_RUST: &str = "a foreign function in Rust can neither take nor return";

/// Compares the declared parameters or results with those of a function. Returns what the function
/// has and what is declared, if they differ. A tensor also takes a scalar, as a tensor of rank 0.
fn difference(declared: &[Parameter], found: &[Option<DType>]) -> Option<(String, String)> {
    let fits = |(parameter, scalar): (&Parameter, &Option<DType>)| {
        let is_scalar = !parameter.is_tensor || parameter.dtype == DType::String;
        scalar.is_none_or(|dtype| is_scalar && dtype == parameter.dtype)
    };
    if declared.len() == found.len() && declared.iter().zip(found).all(fits) {
        return None;
    }
    let name =
        |scalar: &Option<DType>| scalar.map_or("a tensor".to_owned(), |dtype| dtype.to_string());
    let list = |names: Vec<String>| format!("({})", names.join(", "));
    let declared = list(declared.iter().map(type_text).collect());
    Some((list(found.iter().map(name).collect()), declared))
}

/// Compares a function with its declaration.
fn bound(
    name: String,
    unbound: Unbound,
    declaration: func::Func<'_>,
) -> Result<ForeignFunction, Error> {
    let (inputs, results) = declaration.signature();
    let place = location::place(declaration.location());
    let location = place.as_ref().map(ToString::to_string);
    let table = |types: Vec<Type<'_>>, base: &str| -> Result<Vec<_>, Error> {
        let of = |(index, ty)| {
            let name = format!("{base}{index}");
            parameter(declaration.op(), name, ty, location.clone(), IN_RUST)
        };
        types.into_iter().enumerate().map(of).collect()
    };
    let parameters: Vec<_> = table(inputs, "arg")?;
    let results: Vec<_> = table(results, "result")?;
    if let Some((taken, returned)) = &unbound.types {
        for (declared, found, verb) in [
            (&parameters, taken, "takes"),
            (&results, returned, "returns"),
        ] {
            if let Some((found, expected)) = difference(declared, found) {
                let message = format!(
                    "the Rust function for '@{name}' {verb} {found}, but its declaration has {expected}"
                );
                return Err(Error::at(place, message));
            }
        }
    }
    Ok(ForeignFunction {
        name,
        location,
        parameters,
        results,
        call: unbound.call,
    })
}
