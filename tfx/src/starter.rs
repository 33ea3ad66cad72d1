//! Starter projects: a program with foreign functions in C and in Rust, a Makefile, and a test.
//!
//! ```text
//!   NAME/ program.mlir   host/observe.c   rate/Cargo.toml, src/lib.rs   tests/   Makefile   README.md
//! ```
//!
//! The files are those of `starter/`, with the name in place of `@NAME@`. They are written into a
//! temporary folder next to the destination, which is then renamed: a project is complete, or it
//! does not exist. A test of `tfxc new` builds and runs the project.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::files::TemporaryFolder;

/// The text that stands for the name of the project.
const NAME: &str = "@NAME@";

/// The longest name: that of a file.
const LONGEST_NAME: usize = 100;

/// The permissions of a folder: read for all, write for the owner.
const FOLDER_MODE: u32 = 0o755;

/// The names of the project's Makefile targets and of its folders, which the executable would hide.
const TAKEN: [&str; 9] = [
    "build", "clean", "help", "host", "program", "rate", "report", "run", "tests",
];

const FILES: [(&str, &str); 9] = [
    (".gitignore", include_str!("starter/gitignore.in")),
    ("Makefile", include_str!("starter/Makefile.in")),
    ("README.md", include_str!("starter/README.md.in")),
    ("host/observe.c", include_str!("starter/observe.c.in")),
    ("program.mlir", include_str!("starter/program.mlir.in")),
    ("rate/Cargo.toml", include_str!("starter/Cargo.toml.in")),
    ("rate/src/lib.rs", include_str!("starter/lib.rs.in")),
    ("tests/lit.cfg.py", include_str!("starter/lit.cfg.py.in")),
    (
        "tests/program.test",
        include_str!("starter/program.test.in"),
    ),
];

/// Creates a project in a new folder, whose last part is the name of the project.
///
/// # Errors
/// The name has other characters than letters, digits, `-` and `_`; the folder exists, or cannot be
/// written.
pub fn create(folder: &Path) -> Result<(), Error> {
    let name = name(folder)?;
    if folder.symlink_metadata().is_ok() {
        let message = format!(
            "cannot create '{}': it exists; choose another name",
            folder.display()
        );
        return Err(Error::new(ErrorKind::Argument, message));
    }
    let parent = match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let temporary =
        TemporaryFolder::new_in(parent).map_err(|error| Error::file("write", folder, &error))?;
    let project = temporary.path().join(name);
    for (file, text) in FILES {
        write(&project.join(file), &text.replace(NAME, name))?;
    }
    let mode = fs::Permissions::from_mode(FOLDER_MODE);
    let renamed = fs::set_permissions(&project, mode).and_then(|()| fs::rename(&project, folder));
    renamed.map_err(|error| Error::file("write", folder, &error))
}

fn name(folder: &Path) -> Result<&str, Error> {
    let name = folder.file_name().and_then(|name| name.to_str());
    let is_inner = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_valid = |name: &&str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.len() <= LONGEST_NAME
            && name.chars().all(is_inner)
    };
    let Some(name) = name.filter(is_valid) else {
        let message = format!(
            "'{}' is not a name for a project: expected a letter, and then letters, digits, '-' or '_'",
            folder.display()
        );
        return Err(Error::new(ErrorKind::Argument, message));
    };
    if TAKEN.contains(&name) {
        let message = format!("the project has a file or a target '{name}'; choose another name");
        return Err(Error::new(ErrorKind::Argument, message));
    }
    Ok(name)
}

fn write(path: &PathBuf, text: &str) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| Error::file("write", path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        for good in ["a", "my-project_2", "some/where/p"] {
            assert!(name(Path::new(good)).is_ok(), "{good}");
        }
        for bad in [
            "", ".", "..", "/", "1a", "-a", "a b", "ä", "a/..", "run", "host",
        ] {
            assert!(name(Path::new(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_failure_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("p");
        create(&folder).unwrap();
        assert!(create(&folder).is_err());
        assert!(create(&parent.path().join("missing/p")).is_err());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
        for (file, _) in FILES {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            assert!(!text.contains(NAME) && !text.is_empty(), "{file}");
        }
    }
}
