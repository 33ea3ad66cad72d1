//! Faults: places of the sources, and what stands there wrongly.
//!
//! ```text
//!   [[fault]]                                          if self.counted < limit { ... }
//!   name = "one-trip-too-many"
//!   kind = "off by one"                         ──►    if (if crate::tfx_mutant::is(3) { self.counted <= limit }
//!   file = "passes/sese/src/example.rs"                    else { self.counted < limit }) { ... }
//!   find = "self.counted < limit"
//!   replace = "self.counted <= limit"
//! ```
//!
//! All faults are in one build, each behind a question whether it is the one that is on (*mutant schemata*: Untch, Offutt, Harrold, "Mutation Analysis
//! Using Mutant Schemata", 1993). `fuzz/faults/*.toml` list them. A text has to occur once, or once after another text, so that a change of the
//! sources is found here and not by a fault that is none any more.
//!
//! Cost: one search for each fault.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::path::Path;
use std::{fs, io};

use serde::Deserialize;

/// A fault.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
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
    /// Anything. In the replacement, `FAULT` asks whether the fault is on.
    Text,
}

/// What stands for the question in a replacement of any text.
const QUESTION: &str = "FAULT";

/// The module that answers it, in each crate that has a fault.
const ANSWER: &str = include_str!("mutants/answer.rs");

/// The name of that module.
const MODULE: &str = "tfx_mutant";

/// What a file of faults is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    fault: Vec<Fault>,
}

/// All faults of a folder, in the order of the names of its files. The number of one is its place, from 1 on.
///
/// # Errors
/// A file that cannot be read, or says something else, and two faults of one name.
pub fn read(folder: &Path) -> Result<Vec<Fault>, String> {
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
    let mut faults: Vec<Fault> = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|error| failed(&path, error.to_string()))?;
        let list: List = toml::from_str(&text).map_err(|error| failed(&path, error.to_string()))?;
        for fault in list.fault {
            if faults.iter().any(|known| known.name == fault.name) {
                return Err(failed(
                    &path,
                    format!("two faults are called '{}'", fault.name),
                ));
            }
            faults.push(fault);
        }
    }
    Ok(faults)
}

/// The files that have faults, by their path, with all of them.
///
/// # Errors
/// Texts that are not there, or not once, and faults that overlap.
pub fn files(sources: &Path, faults: &[Fault]) -> Result<BTreeMap<String, String>, String> {
    let mut by_file: BTreeMap<&str, Vec<(usize, &Fault)>> = BTreeMap::new();
    for (number, fault) in (1..).zip(faults) {
        by_file
            .entry(&fault.file)
            .or_default()
            .push((number, fault));
    }
    let mut files = BTreeMap::new();
    for (file, faults) in by_file {
        let path = sources.join(file);
        let text =
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        files.insert(file.to_owned(), with_faults(&text, &faults)?);
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
        files.insert(format!("{folder}src/{MODULE}.rs"), ANSWER.to_owned());
    }
    let end = format!("\nmod {MODULE};\n");
    for (name, text) in &mut files {
        if name.ends_with("src/lib.rs") {
            text.push_str(&end);
        }
    }
    Ok(files)
}

/// A text with faults, which have numbers.
fn with_faults(text: &str, faults: &[(usize, &Fault)]) -> Result<String, String> {
    let mut places: Vec<(Range<usize>, String)> = Vec::new();
    for &(number, fault) in faults {
        let place = place(text, fault)
            .map_err(|why| format!("fault '{}' in {}: {why}", fault.name, fault.file))?;
        places.push((place, fault.text(number)));
    }
    places.sort_by_key(|(place, _)| place.start);
    for pair in places.windows(2) {
        if pair[0].0.end > pair[1].0.start {
            return Err(format!(
                "two faults overlap: one replaces '{}', the other '{}'",
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

/// Where a fault is.
fn place(text: &str, fault: &Fault) -> Result<Range<usize>, String> {
    let once = |wanted: &str| {
        let mut found = text.match_indices(wanted).map(|(start, _)| start);
        match (found.next(), found.next()) {
            (None, _) => Err(format!("'{wanted}' is not there")),
            (Some(_), Some(_)) => Err(format!("'{wanted}' is there more than once")),
            (Some(start), None) => Ok(start),
        }
    };
    let start = match &fault.after {
        None => once(&fault.find)?,
        Some(before) => {
            let from = once(before)? + before.len();
            let found = text[from..].find(&fault.find);
            from + found.ok_or_else(|| format!("'{}' is not there", fault.find))?
        }
    };
    Ok(start..start + fault.find.len())
}

impl Fault {
    /// What stands there in the end.
    fn text(&self, number: usize) -> String {
        let question = format!("crate::{MODULE}::is({number})");
        let Fault { find, replace, .. } = self;
        match self.form {
            Form::Expression => format!("(if {question} {{ {replace} }} else {{ {find} }})"),
            Form::Statement => format!("if {question} {{ {replace} }} else {{ {find} }}"),
            Form::Text => replace.replace(QUESTION, &question),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(find: &str, replace: &str, after: Option<&str>) -> Fault {
        Fault {
            name: "a fault".to_owned(),
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
    fn faults_stand_beside_what_is_right() {
        let (one, other) = (
            fault("a < b", "a <= b", None),
            fault("c", "d", Some("then")),
        );
        let text = with_faults("if a < b { c } then { c }", &[(1, &one), (2, &other)]);
        assert_eq!(
            text.as_deref(),
            Ok(
                "if (if crate::tfx_mutant::is(1) { a <= b } else { a < b }) { c } \
                 then { (if crate::tfx_mutant::is(2) { d } else { c }) }"
            )
        );
    }

    #[test]
    fn a_text_has_to_be_there_once() {
        for text in ["x", "a < b; a < b"] {
            assert!(with_faults(text, &[(1, &fault("a < b", "", None))]).is_err());
        }
        let (one, other) = (fault("a < b", "", None), fault("b;", "", None));
        assert!(with_faults("a < b;", &[(1, &one), (2, &other)]).is_err());
    }

    /// Each one that the repository has fits its sources.
    #[test]
    fn the_faults_fit_the_sources() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let faults = read(&root.join("fuzz/faults")).expect("the lists can be read");
        assert!(faults.len() >= 100, "{}", faults.len());
        files(&root, &faults).expect("each text is there once");
    }
}
