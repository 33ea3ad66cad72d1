//! The list of mutants, and the sources that contain them.
//!
//! ```text
//!   [[mutant]]                                if self.counted < limit { ... }
//!   name = "one-iteration-too-many"                           │
//!   kind = "off by one"                                       ▼
//!   file = "passes/sese/src/example.rs"       if (if crate::tfx_mutant::is(3) {
//!   find = "self.counted < limit"                 self.counted <= limit
//!   replace = "self.counted <= limit"         } else { self.counted < limit }) { ... }
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

use anyhow::{Context as _, Result, anyhow, ensure};
use serde::Deserialize;

/// A mutant: a small change to the source of a pass.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    /// The name.
    pub name: String,
    /// The kind of bug, such as "off by one".
    pub kind: String,
    /// The file, from the root of the sources.
    pub file: String,
    /// The original text.
    pub find: String,
    /// The text that replaces it.
    pub replace: String,
    /// An anchor that precedes the original text, if that text is not unique.
    pub after: Option<String>,
    /// The syntactic category of the text.
    #[serde(default, rename = "as")]
    pub form: Form,
    /// The programs request derivatives.
    #[serde(default)]
    pub derivatives: bool,
    /// The reason why no random program can kill the mutant, which is then expected to survive.
    pub survives: Option<String>,
}

/// The syntactic category of the original text and its replacement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// An expression; the replacement has the same type.
    #[default]
    Expression,
    /// A statement; the replacement may be empty.
    Statement,
    /// Any text. In the replacement, `ACTIVE` stands for the test of whether the mutant is active.
    Text,
}

/// The placeholder for the condition in a replacement of any text.
const PLACEHOLDER: &str = "ACTIVE";

/// The module with that test, which is added to each crate with a mutant.
const SWITCH: &str = include_str!("active.rs");

/// The name of that module.
const MODULE: &str = "tfx_mutant";

/// The contents of a file of mutants.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    mutant: Vec<Mutant>,
}

/// Reads all mutants of a folder, in the order of the file names. The number of a mutant is its
/// position, from 1.
///
/// # Errors
/// A file that cannot be read or has another form; two mutants with the same name.
pub fn read(folder: &Path) -> Result<Vec<Mutant>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<io::Result<Vec<_>>>()?;
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    paths.sort();
    let mut mutants: Vec<Mutant> = Vec::new();
    for path in paths {
        let named = || path.display().to_string();
        let list: List = toml::from_str(&read_text(&path)?).with_context(named)?;
        for mutant in list.mutant {
            let is_new = mutants.iter().all(|known| known.name != mutant.name);
            ensure!(
                is_new,
                "{}: two mutants have the name '{}'",
                named(),
                mutant.name
            );
            mutants.push(mutant);
        }
    }
    Ok(mutants)
}

fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| path.display().to_string())
}

/// Returns the mutated contents of the files that contain mutants, by path.
///
/// # Errors
/// Original texts that do not occur exactly once; mutants that overlap.
pub fn files(sources: &Path, mutants: &[Mutant]) -> Result<BTreeMap<String, String>> {
    let mut by_file: BTreeMap<&str, Vec<(usize, &Mutant)>> = BTreeMap::new();
    for (number, mutant) in (1..).zip(mutants) {
        by_file
            .entry(&mutant.file)
            .or_default()
            .push((number, mutant));
    }
    let mut files = BTreeMap::new();
    for (file, mutants) in by_file {
        let text = read_text(&sources.join(file))?;
        files.insert(file.to_owned(), with_mutants(&text, &mutants)?);
        let (folder, _) = file
            .split_once("src/")
            .with_context(|| format!("{file} is not a source file of a crate"))?;
        let root = format!("{folder}src/lib.rs");
        if let Entry::Vacant(place) = files.entry(root) {
            let text = read_text(&sources.join(place.key()))?;
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

/// Inserts numbered mutants into a text.
fn with_mutants(text: &str, mutants: &[(usize, &Mutant)]) -> Result<String> {
    let mut places: Vec<(Range<usize>, String)> = Vec::new();
    for &(number, mutant) in mutants {
        let place = place(text, mutant)
            .with_context(|| format!("mutant '{}' in {}", mutant.name, mutant.file))?;
        places.push((place, mutant.text(number)));
    }
    places.sort_by_key(|(place, _)| place.start);
    for pair in places.windows(2) {
        if pair[0].0.end > pair[1].0.start {
            return Err(anyhow!(
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

/// Returns the range of the original text of a mutant.
fn place(text: &str, mutant: &Mutant) -> Result<Range<usize>> {
    let once = |searched: &str| {
        let mut found = text.match_indices(searched).map(|(start, _)| start);
        match (found.next(), found.next()) {
            (None, _) => Err(anyhow!("'{searched}' does not occur")),
            (Some(_), Some(_)) => Err(anyhow!("'{searched}' occurs more than once")),
            (Some(start), None) => Ok(start),
        }
    };
    let start = match &mutant.after {
        None => once(&mutant.find)?,
        Some(before) => {
            let from = once(before)? + before.len();
            let found = text[from..].find(&mutant.find);
            from + found.with_context(|| format!("'{}' does not occur", mutant.find))?
        }
    };
    Ok(start..start + mutant.find.len())
}

impl Mutant {
    /// Returns the text that replaces the original text.
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
            derivatives: false,
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
            text.ok().as_deref(),
            Some(
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

    /// Each mutant of the repository matches its source.
    #[test]
    fn the_mutants_match_the_sources() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mutants = read(&root.join("fuzz/mutants")).expect("the lists can be read");
        assert!(mutants.len() >= 100, "{}", mutants.len());
        files(&root, &mutants).expect("each text is there once");
    }
}
