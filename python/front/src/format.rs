//! Text of values, as CPython makes it: `repr`, `str`, and the format specifications.
//!
//! A float has the fewest digits that identify it, as in CPython since 3.1; Rust's formatting finds
//! the same digits. Specifications follow the grammar of Python's documentation:
//! `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`.

use std::fmt::Write;

use crate::value::Leaf;

/// The text of a boolean.
pub(crate) fn bool(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// `repr` of a float.
pub(crate) fn float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let text = format!("{value:e}");
    let (shortest, exponent) = text.split_once('e').expect("an exponent is written");
    let exponent: i32 = exponent.parse().expect("the exponent is a number");
    // Of two shortest texts that are equally near, CPython takes the even one, as a number of
    // decimal places does.
    let places = shortest
        .split_once('.')
        .map_or(0, |(_, places)| places.len());
    let same = |text: &String| text.parse() == Ok(value);
    if (-4..16).contains(&exponent) {
        let decimals = usize::try_from(places as i32 - exponent).unwrap_or(0);
        let even = Some(format!("{value:.decimals$}")).filter(same);
        let plain = even.unwrap_or_else(|| format!("{value}"));
        return match plain.contains('.') {
            true => plain,
            false => format!("{plain}.0"),
        };
    }
    let even = Some(format!("{value:.places$e}")).filter(same);
    let digits = even.as_deref().and_then(|even| even.split_once('e'));
    let digits = digits.map_or(shortest, |(digits, _)| digits);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// `repr` of a string.
pub(crate) fn repr(text: &str) -> String {
    let quote = match text.contains('\'') && !text.contains('"') {
        true => '"',
        false => '\'',
    };
    let mut out = String::new();
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if (c as u32) < 32 || c as u32 == 127 => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// Compares two strings by an operator of Python.
pub(crate) fn compare_strings(op: &str, a: &str, b: &str) -> bool {
    match op {
        "==" => a == b,
        "!=" => a != b,
        // The order of code points is that of the bytes of UTF-8.
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        _ => a >= b,
    }
}

/// `round(x, digits)`: the decimal that is nearest to the exact value, half to even.
pub(crate) fn round(value: f64, digits: i64) -> f64 {
    if !value.is_finite() || value == 0.0 || digits > 323 {
        return value;
    }
    if digits >= 0 {
        // The exact value is rounded, and then the nearest float is found.
        let text = format!("{value:.*}", digits as usize);
        return text.parse().unwrap_or(value);
    }
    if digits < -308 {
        return 0.0f64.copysign(value);
    }
    let scale = 10f64.powi(-digits as i32);
    let scaled = value / scale;
    let mut rounded = scaled.round();
    if (rounded - scaled).abs() == 0.5 {
        rounded = 2.0 * (scaled / 2.0).round();
    }
    rounded * scale
}

/// The reason why a format specification is wrong, as CPython words it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FormatError(String);

impl std::fmt::Display for FormatError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for FormatError {}

/// A format specification.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Specification {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    coerces_zero: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    grouping: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

impl Specification {
    /// Parses a specification.
    pub(crate) fn parse(text: &str) -> Result<Self, FormatError> {
        let mut of = Specification::default();
        let chars: Vec<char> = text.chars().collect();
        let mut at = 0;
        let is_align = |c: char| "<>=^".contains(c);
        if chars.len() > 1 && is_align(chars[1]) {
            (of.fill, of.align) = (Some(chars[0]), Some(chars[1]));
            at = 2;
        } else if !chars.is_empty() && is_align(chars[0]) {
            of.align = Some(chars[0]);
            at = 1;
        }
        let next = |at: usize| chars.get(at).copied();
        if let Some(c @ ('+' | '-' | ' ')) = next(at) {
            of.sign = Some(c);
            at += 1;
        }
        if next(at) == Some('z') {
            of.coerces_zero = true;
            at += 1;
        }
        if next(at) == Some('#') {
            of.alternate = true;
            at += 1;
        }
        if next(at) == Some('0') {
            of.zero = true;
            at += 1;
        }
        let number = |at: &mut usize| {
            let start = *at;
            while chars.get(*at).is_some_and(char::is_ascii_digit) {
                *at += 1;
            }
            let digits: String = chars[start..*at].iter().collect();
            (!digits.is_empty()).then(|| digits.parse::<usize>().unwrap_or(usize::MAX))
        };
        of.width = number(&mut at).unwrap_or(0);
        if let Some(c @ (',' | '_')) = next(at) {
            of.grouping = Some(c);
            at += 1;
        }
        if next(at) == Some('.') {
            at += 1;
            let Some(precision) = number(&mut at) else {
                return Err(FormatError("Format specifier missing precision".to_owned()));
            };
            of.precision = Some(precision);
        }
        of.kind = next(at);
        if at + 1 < chars.len() || of.width > 10_000 || of.precision.is_some_and(|p| p > 1_000) {
            return Err(FormatError(format!("Invalid format specifier '{text}'")));
        }
        Ok(of)
    }

    /// Checks that the specification fits a type.
    pub(crate) fn check(&self, leaf: &Leaf) -> Result<(), FormatError> {
        let (kinds, name) = match leaf {
            Leaf::Str => ("s", "str"),
            Leaf::Float => ("eEfFgG%n", "float"),
            _ => ("bdoxXeEfFgG%c", "int"),
        };
        let wrong = |message: &str| Err(FormatError(message.to_owned()));
        match self.kind {
            Some(kind) if !kinds.contains(kind) || kind == 'n' => wrong(&format!(
                "Unknown format code '{kind}' for object of type '{name}'"
            )),
            _ if *leaf == Leaf::Str && self.sign.is_some() => {
                wrong("Sign not allowed in string format specifier")
            }
            _ if *leaf == Leaf::Str && (self.align == Some('=')) => {
                wrong("'=' alignment not allowed in string format specifier")
            }
            Some('c') => wrong("the format code 'c' is not compiled"),
            Some('b' | 'o' | 'x' | 'X' | 'd') | None
                if self.precision.is_some() && !matches!(leaf, Leaf::Str | Leaf::Float) =>
            {
                wrong("Precision not allowed in integer format specifier")
            }
            _ => Ok(()),
        }
    }

    /// Formats a string.
    pub(crate) fn string(&self, text: &str) -> String {
        let cut: String = match self.precision {
            Some(precision) => text.chars().take(precision).collect(),
            None => text.to_owned(),
        };
        let fill = match (self.fill, self.zero) {
            (Some(fill), _) => fill,
            (None, true) => '0',
            _ => ' ',
        };
        pad(&cut, fill, self.align.unwrap_or('<'), self.width)
    }

    /// Formats an integer.
    pub(crate) fn int(&self, value: i64) -> String {
        let size = value.unsigned_abs();
        let (digits, prefix, group) = match self.kind {
            Some('b') => (format!("{size:b}"), "0b", 4),
            Some('o') => (format!("{size:o}"), "0o", 4),
            Some('x') => (format!("{size:x}"), "0x", 4),
            Some('X') => (format!("{size:X}"), "0X", 4),
            None | Some('d') => (size.to_string(), "", 3),
            _ => return self.float(value as f64),
        };
        let prefix = if self.alternate { prefix } else { "" };
        self.number(value < 0, prefix, &digits, "", group)
    }

    /// Formats a float.
    pub(crate) fn float(&self, value: f64) -> String {
        let kind = self.kind;
        let upper = matches!(kind, Some('E' | 'F' | 'G'));
        let percent = kind == Some('%');
        let mut value = if percent { value * 100.0 } else { value };
        if !value.is_finite() {
            let text = if value.is_nan() { "nan" } else { "inf" };
            let text = if upper {
                text.to_uppercase()
            } else {
                text.to_owned()
            };
            let rest = if percent { "%" } else { "" };
            let is_negative = value < 0.0;
            // Zeros do not fill these.
            return self.number(is_negative, "", &text, rest, 0);
        }
        let precision = self.precision;
        let render = |value: f64| match kind {
            Some('f' | 'F' | '%') => fixed(value, precision.unwrap_or(6), self.alternate),
            Some('e' | 'E') => scientific(value, precision.unwrap_or(6), self.alternate),
            Some('g' | 'G') => general(value, precision.unwrap_or(6).max(1), self.alternate, false),
            _ => match precision {
                Some(precision) => general(value, precision.max(1), self.alternate, true),
                None => float(value),
            },
        };
        let mut text = render(value.abs());
        if self.coerces_zero && text.bytes().all(|b| !b.is_ascii_digit() || b == b'0') {
            value = value.abs();
        }
        if upper {
            text = text.to_uppercase();
        }
        if percent {
            text.push('%');
        }
        let end = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        let (whole, rest) = text.split_at(end);
        self.number(value.is_sign_negative(), "", whole, rest, 3)
    }

    /// Adds the sign, the separators of groups and the padding.
    fn number(
        &self,
        negative: bool,
        prefix: &str,
        whole: &str,
        rest: &str,
        group: usize,
    ) -> String {
        let sign = match (negative, self.sign) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(' ')) => " ",
            _ => "",
        };
        let zero_filled = self.zero && self.align.is_none()
            || self.align == Some('=')
                && (self.fill == Some('0') || self.zero && self.fill.is_none());
        let mut digits = whole.to_owned();
        let taken = sign.len() + prefix.len() + rest.chars().count();
        if let (Some(separator), 1..) = (self.grouping, group) {
            // Zeros that fill the width are in groups, too.
            while zero_filled && grouped(&digits, separator, group).len() + taken < self.width {
                digits.insert(0, '0');
            }
            digits = grouped(&digits, separator, group);
            if zero_filled && digits.starts_with(separator) {
                digits.insert(0, '0');
            }
        }
        let body = format!("{digits}{rest}");
        let align = match (self.align, self.zero) {
            (Some(align), _) => align,
            (None, true) => '=',
            _ => '>',
        };
        let fill = match (self.fill, self.zero) {
            (Some(fill), _) => fill,
            (None, true) => '0',
            _ => ' ',
        };
        if align == '=' {
            let width = self.width.saturating_sub(sign.len() + prefix.len());
            return format!("{sign}{prefix}{}", pad(&body, fill, '>', width));
        }
        pad(&format!("{sign}{prefix}{body}"), fill, align, self.width)
    }
}

fn pad(text: &str, fill: char, align: char, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    let before = match align {
        '<' => 0,
        '^' => missing / 2,
        _ => missing,
    };
    let fills = |count: usize| fill.to_string().repeat(count);
    format!("{}{text}{}", fills(before), fills(missing - before))
}

fn grouped(digits: &str, separator: char, group: usize) -> String {
    let count = digits.len();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (count - index).is_multiple_of(group) {
            out.push(separator);
        }
        out.push(digit);
    }
    out
}

fn fixed(value: f64, precision: usize, alternate: bool) -> String {
    let mut text = format!("{value:.precision$}");
    if alternate && precision == 0 {
        text.push('.');
    }
    text
}

fn scientific(value: f64, precision: usize, alternate: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').expect("an exponent is written");
    let exponent: i32 = exponent.parse().expect("the exponent is a number");
    let dot = if alternate && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}{dot}e{sign}{:02}", exponent.abs())
}

/// The format `g`, or that of a precision without a type, which keeps `.0`.
fn general(value: f64, precision: usize, alternate: bool, keeps_zero: bool) -> String {
    let text = format!("{value:.*e}", precision - 1);
    let (_, exponent) = text.split_once('e').expect("an exponent is written");
    let exponent: i32 = exponent.parse().expect("the exponent is a number");
    let limit = precision as i32 - i32::from(keeps_zero);
    let is_plain = (-4..limit.max(i32::from(keeps_zero))).contains(&exponent)
        || (value == 0.0 && exponent == 0);
    let mut text = match is_plain {
        true => format!(
            "{value:.*}",
            (precision as i32 - 1 - exponent).max(0) as usize
        ),
        false => scientific(value, precision - 1, alternate),
    };
    if !alternate {
        let (mantissa, rest) = match text.split_once('e') {
            Some((mantissa, exponent)) => (mantissa.to_owned(), format!("e{exponent}")),
            None => (text, String::new()),
        };
        let trimmed = match mantissa.contains('.') {
            true => mantissa.trim_end_matches('0').trim_end_matches('.'),
            false => &mantissa,
        };
        text = format!("{trimmed}{rest}");
        if keeps_zero && rest.is_empty() && !text.contains('.') {
            text.push_str(".0");
        }
    } else if !text.contains('.') && is_plain {
        text.push('.');
    }
    text
}
