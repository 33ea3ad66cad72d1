//! Locations: the places in them, and constructors.
//!
//! MLIR's locations are trees: `callsite(callee at caller)`, `fused[a, b]`, `"name"(child)`, and at
//! the leaves `file:line:col`. Diagnostics, reports and node names need *places*; a pass that
//! inlines needs call sites.

use std::fmt;

use melior::Context;
use melior::ir::Location;
use melior::ir::attribute::StringAttribute;

use crate::{attribute, ffi};

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The file as the front end named it.
    pub file: String,
    /// The line, from 1; 0 if unknown.
    pub line: usize,
    /// The column, from 1; 0 if unknown.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The module itself, which MLIR puts at line 0, has a file alone.
        if self.line == 0 {
            return formatter.write_str(&self.file);
        }
        write!(formatter, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Returns the best single place of a location: that of the innermost callee, or of the first fused
/// location that has one.
pub fn place(location: Location<'_>) -> Option<Place> {
    Places::of(location).next()
}

/// Returns the name of the innermost `loc("name")`, which front ends use for variables.
pub fn name(location: Location<'_>) -> Option<String> {
    let mut leaves = Leaves {
        stack: vec![location],
        names: Vec::new(),
    };
    while leaves.next().is_some() {}
    leaves.names.into_iter().next()
}

/// Returns the source location and the calls through which it was inlined, the innermost first. Of
/// a fused location, those of its first part.
pub fn call_chain(location: Location<'_>) -> (Location<'_>, Vec<Location<'_>>) {
    let (mut stack, mut chain) = (vec![location], Vec::new());
    while let Some(location) = stack.pop() {
        if location.is_call_site() {
            stack.push(location.call_site_caller());
            stack.push(location.call_site_callee());
        } else if location.is_name() && Places::of(location).next().is_some() {
            stack.push(location.name_child_location());
        } else if location.is_fused() && location.fused_num_locations() > 0 {
            stack.extend(ffi::fused_locations(location).first());
        } else {
            chain.push(location);
        }
    }
    let calls = chain.split_off(1);
    (chain[0], calls)
}

/// Returns the location of an inlined operation: `callee`, reached through a call at `caller`.
pub fn call_site<'a>(callee: Location<'a>, caller: Location<'a>) -> Location<'a> {
    Location::call_site(callee, caller)
}

/// Returns `location` with a name, such as that of a variable.
pub fn named<'a>(context: &'a Context, name: &str, location: Location<'a>) -> Location<'a> {
    Location::name(context, name, location)
}

/// Fuses the locations of the operations from which one was derived.
pub fn fused<'a>(context: &'a Context, locations: &[Location<'a>]) -> Location<'a> {
    match locations {
        [] => Location::unknown(context),
        [one] => *one,
        _ => ffi::fused_location(context, locations),
    }
}

/// The metadata of the location of a synthesized operation.
const MADE: &str = "tfx.made";

/// The metadata of the location of an operation of a derivative.
const DERIVED: &str = "tfx.derived";

/// Returns the location of an operation that the compiler synthesized, such as the negation of a
/// condition, for code at `location`. Diagnostics show the place and do not name the operation,
/// since it is not in the source.
pub fn made<'a>(context: &'a Context, location: Location<'a>) -> Location<'a> {
    marked(context, location, MADE)
}

/// Returns whether it is a location of [`made`], or of a copy of such an operation.
pub fn is_made(location: Location<'_>) -> bool {
    is_marked(location, MADE)
}

/// Returns the location of an operation that computes the derivative of the operation at
/// `location`. Diagnostics show the place and say that it is the derivative.
pub fn derived<'a>(context: &'a Context, location: Location<'a>) -> Location<'a> {
    marked(context, location, DERIVED)
}

/// Returns whether it is a location of [`derived`], or of a copy of such an operation.
pub fn is_derived(location: Location<'_>) -> bool {
    is_marked(location, DERIVED)
}

fn marked<'a>(context: &'a Context, location: Location<'a>, mark: &str) -> Location<'a> {
    match is_marked(location, mark) {
        true => location,
        false => {
            let mark = StringAttribute::new(context, mark).into();
            ffi::fused_location_with(context, location, mark)
        }
    }
}

fn is_marked(location: Location<'_>, mark: &str) -> bool {
    let mut location = location;
    while location.is_call_site() {
        location = location.call_site_callee();
    }
    let found = || ffi::fused_metadata(location).and_then(attribute::text);
    location.is_fused() && found() == Some(mark)
}

/// The places of a location: the place itself first, then the callers of call sites from the
/// innermost to the outermost. The places of fused locations follow in order.
pub struct Places<'a>(Leaves<'a>);

impl<'a> Places<'a> {
    /// Returns all places of `location`.
    pub fn of(location: Location<'a>) -> Self {
        Self(Leaves {
            stack: vec![location],
            names: Vec::new(),
        })
    }
}

impl Iterator for Places<'_> {
    type Item = Place;
    fn next(&mut self) -> Option<Place> {
        let leaf = self.0.next()?;
        Some(Place {
            file: attribute::name(leaf.file_line_col_range_filename()).to_owned(),
            line: leaf.file_line_col_range_start_line(),
            column: leaf.file_line_col_range_start_column(),
        })
    }
}

/// Walks the tree with an explicit stack: call chains are as long as inlining is deep.
struct Leaves<'a> {
    stack: Vec<Location<'a>>,
    names: Vec<String>,
}

impl<'a> Iterator for Leaves<'a> {
    type Item = Location<'a>;
    fn next(&mut self) -> Option<Location<'a>> {
        while let Some(location) = self.stack.pop() {
            if location.is_file_line_col_range() {
                return Some(location);
            } else if location.is_call_site() {
                self.stack.push(location.call_site_caller());
                self.stack.push(location.call_site_callee());
            } else if location.is_name() {
                let name = attribute::name(location.name_value());
                self.names.push(name.to_owned());
                self.stack.push(location.name_child_location());
            } else if location.is_fused() {
                self.stack
                    .extend(ffi::fused_locations(location).into_iter().rev());
            }
        }
        None
    }
}
