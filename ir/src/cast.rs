//! Casts of melior's attributes and types that fail without a message.
//!
//! melior's `try_from` prints its argument into the error, and MLIR prepares to print a whole
//! module to print one attribute, which takes 100 times as long as the cast. Code that does not
//! read the error uses this module.

use melior::ir::attribute::{
    ArrayAttribute, AttributeLike, BoolAttribute, DenseElementsAttribute, FloatAttribute,
    IntegerAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::r#type::{FunctionType, IntegerType, TupleType};
use melior::ir::{Attribute, Type, TypeLike};

/// A cast from a general attribute or type.
pub trait Cast<From>: Sized {
    /// Returns `None` if it is something else.
    fn cast(from: From) -> Option<Self>;
}

macro_rules! casts {
    ($($from:ident => { $($to:ident: $is:ident),* $(,)? })*) => { $($(
        impl<'c> Cast<$from<'c>> for $to<'c> {
            fn cast(from: $from<'c>) -> Option<Self> {
                from.$is().then(|| $to::try_from(from).ok())?
            }
        }
    )*)* };
}

casts! {
    Attribute => {
        ArrayAttribute: is_array,
        BoolAttribute: is_bool,
        DenseElementsAttribute: is_dense_elements,
        FloatAttribute: is_float,
        IntegerAttribute: is_integer,
        StringAttribute: is_string,
        TypeAttribute: is_type,
    }
    Type => {
        FunctionType: is_function,
        IntegerType: is_integer,
        TupleType: is_tuple,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use melior::Context;

    #[test]
    fn casts_find_their_own_and_nothing_else() {
        let context = Context::new();
        let attribute = |text| Attribute::parse(&context, text).expect("an attribute");
        assert!(ArrayAttribute::cast(attribute("[1]")).is_some());
        assert!(ArrayAttribute::cast(attribute("1 : i64")).is_none());
        assert!(BoolAttribute::cast(attribute("true")).is_some());
        assert!(IntegerAttribute::cast(attribute("7 : i32")).is_some());
        assert!(FloatAttribute::cast(attribute("0.5 : f32")).is_some());
        assert!(StringAttribute::cast(attribute("\"text\"")).is_some());
        assert!(TypeAttribute::cast(attribute("f32")).is_some());
        assert!(DenseElementsAttribute::cast(attribute("dense<1> : tensor<2xi8>")).is_some());
        let ty = |text| Type::parse(&context, text).expect("a type");
        assert!(TupleType::cast(ty("tuple<i1>")).is_some());
        assert!(TupleType::cast(ty("i1")).is_none());
        assert!(IntegerType::cast(ty("ui8")).is_some());
        assert!(IntegerType::cast(ty("index")).is_none());
        assert!(FunctionType::cast(ty("() -> ()")).is_some());
    }
}
