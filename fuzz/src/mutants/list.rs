//! The list of mutants, and the sources that contain them.
//!
//! ```text
//!   [[mutant]]                                         if self.counted < limit { ... }
//!   name = "one-iteration-too-many"
//!   kind = "off by one"                         ──►    if (if crate::tfx_mutant::is(3) { self.counted <= limit }
//!   file = "passes/sese/src/example.rs"                    else { self.counted < limit }) { ... }
//!   find = "self.counted < limit"
//!   replace = "self.counted <= limit"
//! ```
//!
//! One build contains all mutants, each behind a test of whether it is active (*mutant schemata*:
//! Untch, Offutt, Harrold, "Mutation Analysis Using Mutant Schemata", 1993). `fuzz/mutants/*.toml`
//! lists them. The original text must occur exactly once in its file, or be the first occurrence
//! after an anchor that occurs exactly once. A source change that removes the text is therefore an
//! error, instead of a mutant that silently does nothing.
//!
//! Cost: one text search per mutant.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::path::Path;
use std::{fs, io};

use serde::Deserialize;

/// A mutant: a small change to the source of a pass.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    /// What it is called.
    pub name: String,
    /// What kind of mistake it is.
    pub kind: String,
    /// The file, from the root of the sources.
    pub file: String,
    /// The text that is there.
    pub find: String,
    /// The text that should not be there.
    pub replace: String,
    /// What stands somewhere before the text, where the text alone is there several times.
    pub after: Option<String>,
    /// What the text is.
    #[serde(default, rename = "as")]
    pub form: Form,
    /// Why no random program can find it.
    pub survives: Option<String>,
}

/// What a text is in the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// An expression; the replacement has the same type.
    #[default]
    Expression,
    /// A statement; the replacement may be nothing.
    Statement,
    /// Anything. In the replacement, `FAULT` asks whether the mutant is on.
    Text,
}

/// What stands for the condition in a replacement of any text.
const PLACEHOLDER: &str = "FAULT";

/// The module that answers it, in each crate that has a mutant.
const SWITCH: &str = include_str!("active.rs");

/// The name of that module.
const MODULE: &str = "tfx_mutant";

/// What a file of mutants is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    mutant: Vec<Mutant>,
}

/// All mutants of a folder, in the order of the names of its files. The number of one is its place, from 1 on.
///
/// # Errors
/// A file that cannot be read, or says something else, and two mutants of one name.
pub fn read(folder: &Path) -> Result<Vec<Mutant>, String> {
    let failed = |path: &Path, why: String| format!("{}: {why}", path.display());
    let entries = fs::read_dir(folder).and_then(|entries| {
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        paths.collect::<io::Result<Vec<_>>>()
    });
    let mut paths = entries.map_err(|error| failed(folder, error.to_string()))?;
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    paths.sort();
    let mut mutants: Vec<Mutant> = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|error| failed(&path, error.to_string()))?;
        let list: List = toml::from_str(&text).map_err(|error| failed(&path, error.to_string()))?;
        for mutant in list.mutant {
            if mutants.iter().any(|known| known.name == mutant.name) {
                return Err(failed(
                    &path,
                    format!("two mutants are called '{}'", mutant.name),
                ));
            }
            mutants.push(mutant);
        }
    }
    Ok(mutants)
}

/// The files that have mutants, by their path, with all of them.
///
/// # Errors
/// Texts that are not there, or not once, and mutants that overlap.
pub fn files(sources: &Path, mutants: &[Mutant]) -> Result<BTreeMap<String, String>, String> {
    let mut by_file: BTreeMap<&str, Vec<(usize, &Mutant)>> = BTreeMap::new();
    for (number, mutant) in (1..).zip(mutants) {
        by_file
            .entry(&mutant.file)
            .or_default()
            .push((number, mutant));
    }
    let mut files = BTreeMap::new();
    for (file, mutants) in by_file {
        let path = sources.join(file);
        let text =
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        files.insert(file.to_owned(), with_mutants(&text, &mutants)?);
        let (folder, _) = file
            .split_once("src/")
            .ok_or_else(|| format!("{file} is no source of a crate"))?;
        let root = format!("{folder}src/lib.rs");
        if let Entry::Vacant(place) = files.entry(root) {
            let path = sources.join(place.key());
            let text = fs::read_to_string(&path)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            place.insert(text);
        }
        files.insert(format!("{folder}src/{MODULE}.rs"), SWITCH.to_owned());
    }
    let end = format!("\nmod {MODULE};\n");
    for (name, text) in &mut files {
        if name.ends_with("src/lib.rs") {
            text.push_str(&end);
        }
    }
    Ok(files)
}

/// A text with mutants, which have numbers.
fn with_mutants(text: &str, mutants: &[(usize, &Mutant)]) -> Result<String, String> {
    let mut places: Vec<(Range<usize>, String)> = Vec::new();
    for &(number, mutant) in mutants {
        let place = place(text, mutant)
            .map_err(|why| format!("mutant '{}' in {}: {why}", mutant.name, mutant.file))?;
        places.push((place, mutant.text(number)));
    }
    places.sort_by_key(|(place, _)| place.start);
    for pair in places.windows(2) {
        if pair[0].0.end > pair[1].0.start {
            return Err(format!(
                "two mutants overlap: one replaces '{}', the other '{}'",
                &text[pair[0].0.clone()],
                &text[pair[1].0.clone()]
            ));
        }
    }
    let (mut new, mut done) = (String::with_capacity(2 * text.len()), 0);
    for (place, replacement) in places {
        new.push_str(&text[done..place.start]);
        new.push_str(&replacement);
        done = place.end;
    }
    new.push_str(&text[done..]);
    Ok(new)
}

/// Where a mutant is.
fn place(text: &str, mutant: &Mutant) -> Result<Range<usize>, String> {
    let once = |wanted: &str| {
        let mut found = text.match_indices(wanted).map(|(start, _)| start);
        match (found.next(), found.next()) {
            (None, _) => Err(format!("'{wanted}' is not there")),
            (Some(_), Some(_)) => Err(format!("'{wanted}' is there more than once")),
            (Some(start), None) => Ok(start),
        }
    };
    let start = match &mutant.after {
        None => once(&mutant.find)?,
        Some(before) => {
            let from = once(before)? + before.len();
            let found = text[from..].find(&mutant.find);
            from + found.ok_or_else(|| format!("'{}' is not there", mutant.find))?
        }
    };
    Ok(start..start + mutant.find.len())
}

impl Mutant {
    /// What stands there in the end.
    fn text(&self, number: usize) -> String {
        let condition = format!("crate::{MODULE}::is({number})");
        let Mutant { find, replace, .. } = self;
        match self.form {
            Form::Expression => format!("(if {condition} {{ {replace} }} else {{ {find} }})"),
            Form::Statement => format!("if {condition} {{ {replace} }} else {{ {find} }}"),
            Form::Text => replace.replace(PLACEHOLDER, &condition),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(find: &str, replace: &str, after: Option<&str>) -> Mutant {
        Mutant {
            name: "a mutant".to_owned(),
            kind: "off by one".to_owned(),
            file: "src/a.rs".to_owned(),
            find: find.to_owned(),
            replace: replace.to_owned(),
            after: after.map(str::to_owned),
            form: Form::Expression,
            survives: None,
        }
    }

    #[test]
    fn a_mutant_keeps_the_original_code() {
        let (one, other) = (
            mutant("a < b", "a <= b", None),
            mutant("c", "d", Some("then")),
        );
        let text = with_mutants("if a < b { c } then { c }", &[(1, &one), (2, &other)]);
        assert_eq!(
            text.as_deref(),
            Ok(
                "if (if crate::tfx_mutant::is(1) { a <= b } else { a < b }) { c } \
                 then { (if crate::tfx_mutant::is(2) { d } else { c }) }"
            )
        );
    }

    #[test]
    fn the_original_text_must_be_unique() {
        for text in ["x", "a < b; a < b"] {
            assert!(with_mutants(text, &[(1, &mutant("a < b", "", None))]).is_err());
        }
        let (one, other) = (mutant("a < b", "", None), mutant("b;", "", None));
        assert!(with_mutants("a < b;", &[(1, &one), (2, &other)]).is_err());
    }

    /// Each one that the repository has fits its sources.
    #[test]
    fn the_mutants_match_the_sources() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mutants = read(&root.join("fuzz/mutants")).expect("the lists can be read");
        assert!(mutants.len() >= 100, "{}", mutants.len());
        files(&root, &mutants).expect("each text is there once");
    }
}
