//! Text: `print`, f-strings, and strings.
//!
//! The host makes text, by CPython's rules (`format.rs`). A value goes to the host, and nothing
//! comes back.

use std::sync::Arc;

use tfx_python_syntax::CompareOp;

use super::{Evaluator, Val};
use crate::format::{self, Specification};
use crate::target::{Foreign, Piece, Result, Target};
use crate::value::{Leaf, Value};

type Pieces<T> = (Vec<Piece>, Vec<(<T as Target>::V, Leaf)>);

impl<T: Target> Evaluator<'_, T> {
    pub(super) fn print(
        &mut self,
        positional: Vec<Val<T>>,
        keywords: Vec<(String, Val<T>)>,
    ) -> Result<Val<T>> {
        let (mut separator, mut end) = (Some(Arc::from(" ")), Some(Arc::from("\n")));
        for (name, value) in keywords {
            match (name.as_str(), value) {
                ("sep", Value::Str(_, text @ Some(_))) => separator = text,
                ("end", Value::Str(_, text @ Some(_))) => end = text,
                ("sep" | "end", Value::None) => {}
                ("flush", Value::Bool(..)) => {}
                _ => {
                    return self.fail(format!(
                        "'{name}' of print() is not compiled; use a @tfx.host function"
                    ));
                }
            }
        }
        let mut pieces: Pieces<T> = (Vec::new(), Vec::new());
        for (index, value) in positional.into_iter().enumerate() {
            if index > 0 {
                pieces.0.extend(separator.clone().map(Piece::Text));
            }
            self.pieces(value, false, &mut pieces)?;
        }
        pieces.0.extend(end.map(Piece::Text));
        let (pieces, operands) = pieces;
        self.target
            .foreign(Foreign::Print(joined(pieces)), &operands, &[]);
        Ok(Value::None)
    }

    /// `str(x)`, or `repr(x)`.
    pub(super) fn text_of(&mut self, value: Val<T>, is_repr: bool) -> Result<Val<T>> {
        if let (Value::Str(..), false) = (&value, is_repr) {
            return Ok(value);
        }
        let mut pieces: Pieces<T> = (Vec::new(), Vec::new());
        self.pieces(value, is_repr, &mut pieces)?;
        Ok(self.formatted(pieces))
    }

    fn formatted(&mut self, (pieces, operands): Pieces<T>) -> Val<T> {
        let pieces = joined(pieces);
        match pieces.as_slice() {
            [] => self.string(""),
            [Piece::Text(text)] => {
                let text = Arc::clone(text);
                self.string(&text)
            }
            _ => {
                let format = Foreign::Format(pieces);
                let results = self.target.foreign(format, &operands, &[Leaf::Str]);
                Value::Str(results[0].clone(), None)
            }
        }
    }

    /// Adds the pieces of the text of a value.
    fn pieces(&mut self, value: Val<T>, is_repr: bool, out: &mut Pieces<T>) -> Result<()> {
        let piece = if is_repr { Piece::Repr } else { Piece::Str };
        let text = |text: &str| Piece::Text(text.into());
        match value {
            Value::None => out.0.push(text("None")),
            Value::Ellipsis => out.0.push(text("Ellipsis")),
            Value::Bool(_, Some(value)) => out.0.push(text(format::bool(value))),
            Value::Int(_, Some(value)) => out.0.push(text(&value.to_string())),
            Value::Float(_, Some(bits)) => {
                out.0.push(text(&format::float(f64::from_bits(bits))));
            }
            Value::Str(_, Some(value)) => out.0.push(match is_repr {
                true => text(&format::repr(&value)),
                false => Piece::Text(value),
            }),
            Value::Bool(value, None) => {
                out.0.push(piece);
                out.1.push((value, Leaf::Bool));
            }
            Value::Int(value, None) => {
                out.0.push(piece);
                out.1.push((value, Leaf::Int));
            }
            Value::Float(value, None) => {
                out.0.push(piece);
                out.1.push((value, Leaf::Float));
            }
            Value::Str(value, None) => {
                out.0.push(piece);
                out.1.push((value, Leaf::Str));
            }
            Value::Tensor(value, ty) => {
                out.0.push(piece);
                out.1.push((value, Leaf::Tensor(ty)));
            }
            Value::Tuple(parts) => {
                out.0.push(text("("));
                let only = parts.len() == 1;
                self.list(parts, out)?;
                out.0.push(text(if only { ",)" } else { ")" }));
            }
            Value::List(parts) => {
                out.0.push(text("["));
                self.list(parts, out)?;
                out.0.push(text("]"));
            }
            Value::Struct(class, fields) => {
                let methods = &self.target.world().classes[class].methods;
                let own = ["__str__", "__repr__"]
                    .into_iter()
                    .filter(|name| !is_repr || *name == "__repr__")
                    .find(|name| methods.contains_key(*name));
                if let Some(name) = own {
                    let method = self.attribute(Value::Struct(class, fields), name)?;
                    let result = self.call(method, Vec::new(), Vec::new())?;
                    return self.pieces(result, false, out);
                }
                let names = self.target.world().field_names(class);
                let name = self.target.world().class_name(class);
                out.0.push(text(&format!("{name}(")));
                for (index, (name, field)) in names.iter().zip(fields).enumerate() {
                    let comma = if index > 0 { ", " } else { "" };
                    out.0.push(text(&format!("{comma}{name}=")));
                    self.pieces(field, true, out)?;
                }
                out.0.push(text(")"));
            }
            Value::Range(bounds) => {
                let [start, stop, step] = *bounds;
                out.0.push(text("range("));
                self.pieces(start, true, out)?;
                out.0.push(text(", "));
                self.pieces(stop, true, out)?;
                if super::constant_int(&step) != Some(1) {
                    if super::constant_int(&step).is_none() {
                        return self.fail("the text of a range whose step depends on data");
                    }
                    out.0.push(text(", "));
                    self.pieces(step, true, out)?;
                }
                out.0.push(text(")"));
            }
            Value::Exception(_, Some(message)) if !is_repr => {
                return self.pieces(*message, false, out);
            }
            other => {
                let name = self.describe(&other);
                return self.fail(format!("the text of {name} is not compiled"));
            }
        }
        Ok(())
    }

    fn list(&mut self, parts: Vec<Val<T>>, out: &mut Pieces<T>) -> Result<()> {
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                out.0.push(Piece::Text(", ".into()));
            }
            self.pieces(part, true, out)?;
        }
        Ok(())
    }

    /// A value in an f-string.
    pub(super) fn format(
        &mut self,
        value: Val<T>,
        conversion: Option<char>,
        specification: Val<T>,
    ) -> Result<Val<T>> {
        let Value::Str(_, Some(text)) = specification else {
            return self.not_constant("the format of a value must be a constant");
        };
        let value = match conversion {
            Some('a') => return self.fail("'!a' is not compiled; write !r"),
            Some(conversion) => self.text_of(value, conversion == 'r')?,
            None => value,
        };
        if text.is_empty() {
            return self.text_of(value, false);
        }
        let value = self.tensor_to_scalar(value)?;
        let specification = match Specification::parse(&text) {
            Ok(specification) => specification,
            Err(reason) => return self.fail(format!("ValueError: {reason}")),
        };
        let leaf = match value {
            Value::Bool(..) | Value::Int(..) => Leaf::Int,
            Value::Float(..) => Leaf::Float,
            Value::Str(..) => Leaf::Str,
            other => {
                let name = self.describe(&other);
                return self.fail(format!("TypeError: a format of {name}"));
            }
        };
        if let Err(reason) = specification.check(&leaf) {
            return self.fail(format!("ValueError: {reason}"));
        }
        // A boolean is formatted as an integer if a format is given.
        let value = self.as_int(value);
        let operand = match &value {
            Value::Int(value, _) | Value::Float(value, _) | Value::Str(value, _) => value.clone(),
            _ => unreachable!("a scalar or a string is formatted"),
        };
        Ok(self.formatted((vec![Piece::Format(text)], vec![(operand, leaf)])))
    }

    pub(super) fn concat(&mut self, parts: Vec<Val<T>>) -> Result<Val<T>> {
        let mut pieces: Pieces<T> = (Vec::new(), Vec::new());
        for part in parts {
            self.pieces(part, false, &mut pieces)?;
        }
        Ok(self.formatted(pieces))
    }

    pub(super) fn string_compare(
        &mut self,
        op: CompareOp,
        (a, c): (T::V, Option<Arc<str>>),
        (b, d): (T::V, Option<Arc<str>>),
    ) -> Val<T> {
        if let (Some(c), Some(d)) = (c, d) {
            return self.bool(format::compare_strings(op.text(), &c, &d));
        }
        let operands = [(a, Leaf::Str), (b, Leaf::Str)];
        let compare = Foreign::CompareStrings(op.text());
        let results = self.target.foreign(compare, &operands, &[Leaf::Bool]);
        Value::Bool(results[0].clone(), None)
    }
}

/// Joins pieces of constant text.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (joined.last_mut(), piece) {
            (_, Piece::Text(text)) if text.is_empty() => {}
            (Some(Piece::Text(before)), Piece::Text(text)) => {
                *before = format!("{before}{text}").into();
            }
            (_, piece) => joined.push(piece),
        }
    }
    joined
}
