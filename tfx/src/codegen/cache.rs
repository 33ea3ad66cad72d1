//! Objects that are compiled already, in a folder.
//!
//! ```text
//! unit ──text──> digest ──┐
//! target, level, version ─┴─> key ──> $TFX_CACHE/3f/3f81...   sha256 of the object, object
//! ```
//!
//! The key is a digest of all that the object depends on, so a file never becomes wrong. A file
//! whose content does not have its digest, because the machine or the disk failed, counts as
//! missing. Files are written completely under another name and then renamed: any number of
//! processes may use a folder at once, and each file may be deleted at any time.
//!
//! A cache has a bound. The process that goes over it deletes the files that were used least
//! recently, to [`KEPT`] of the bound.
//!
//! Cost: a read of the object; and after objects were added, a look at all files of the folder.
//!
//! Not guaranteed: an object is in the cache after it was compiled. A folder that cannot be written
//! makes programs start slower, and nothing else.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::SystemTime;
use std::{env, fmt, fs, io};

use sha2::{Digest as _, Sha256};

/// The environment variable with the folder of the cache; empty for no cache.
const VARIABLE: &str = "TFX_CACHE";

/// The bytes that the files of a cache take at most: thousands of programs.
const MAX_BYTES: u64 = 256 << 20;

/// The part of the bound that is kept when files are deleted, so that the next process does not
/// have to delete again.
const KEPT: (u64, u64) = (3, 4);

/// The length of a SHA-256.
const DIGEST: usize = 32;

/// The permissions of the folder: code of others must not come into it.
const PRIVATE: u32 = 0o700;

/// A cache of compiled code in a folder.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    max_bytes: u64,
}

/// The name of an object in a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key([u8; DIGEST]);

impl Key {
    /// Returns the key of what the parts describe.
    pub(crate) fn new(parts: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            // With its length, so that parts cannot run into each other.
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Key(hasher.finalize().into())
    }

    fn path(self, folder: &Path) -> PathBuf {
        let name = self.to_string();
        folder.join(&name[..2]).join(name)
    }
}

/// Writes the key in hexadecimal digits.
impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = self.0.iter();
        bytes.try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// Reads what is written by `Display`.
impl FromStr for Key {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, NotAKey> {
        let mut bytes = [0; DIGEST];
        if text.len() != 2 * DIGEST || !text.is_ascii() {
            return Err(NotAKey);
        }
        for (index, byte) in bytes.iter_mut().enumerate() {
            let digits = &text[2 * index..2 * index + 2];
            *byte = u8::from_str_radix(digits, 16).map_err(|_| NotAKey)?;
        }
        Ok(Key(bytes))
    }
}

/// A text that is not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a key of the cache")]
pub(crate) struct NotAKey;

impl Cache {
    /// Returns the cache of the user: in the folder that `TFX_CACHE` names, else in `tfx` in
    /// `XDG_CACHE_HOME` or `~/.cache`. `None` if `TFX_CACHE` is empty, or if the user has no
    /// folder.
    pub fn of_user() -> Option<Self> {
        let set = |name: &str| env::var_os(name);
        let filled = |name: &str| set(name).filter(|value: &OsString| !value.is_empty());
        if let Some(folder) = set(VARIABLE) {
            return (!folder.is_empty()).then(|| Self::at(folder));
        }
        let folder = filled("XDG_CACHE_HOME").map(PathBuf::from);
        let folder = folder.or_else(|| Some(PathBuf::from(filled("HOME")?).join(".cache")))?;
        // The XDG specification: relative paths are ignored.
        folder.is_absolute().then(|| Self::at(folder.join("tfx")))
    }

    /// Returns the cache in a folder, which is created when an object is added.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            max_bytes: MAX_BYTES,
        }
    }

    /// Returns the object of a key.
    pub(crate) fn get(&self, key: Key) -> Option<Vec<u8>> {
        let path = key.path(&self.folder);
        let mut bytes = fs::read(&path).ok()?;
        if bytes.len() < DIGEST {
            return None;
        }
        let object = bytes.split_off(DIGEST);
        if bytes[..] != Sha256::digest(&object)[..] {
            return None;
        }
        // The file was used. If its time cannot be set, it may be deleted earlier than others.
        if let Ok(file) = fs::File::options().append(true).open(&path) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(object)
    }

    /// Adds objects, and keeps the bound. What cannot be written is not in the cache.
    pub(crate) fn add<'o>(&self, objects: impl IntoIterator<Item = (Key, &'o [u8])>) {
        let added = objects.into_iter().try_for_each(|(key, object)| {
            let path = key.path(&self.folder);
            let folder = path.parent().unwrap_or(&self.folder);
            fs::DirBuilder::new()
                .recursive(true)
                .mode(PRIVATE)
                .create(folder)?;
            let mut file = tempfile::Builder::new()
                .prefix(".new")
                .tempfile_in(folder)?;
            file.write_all(&Sha256::digest(object))?;
            file.write_all(object)?;
            file.persist(&path)?;
            Ok::<_, io::Error>(())
        });
        // A full disk: the files that are not needed are deleted all the same.
        let _ = added;
        self.bound();
    }

    /// Deletes the files that were used least recently, if there are too many.
    fn bound(&self) {
        let mut files: Vec<_> = entries(&self.folder)
            .flat_map(|folder| entries(&folder.path()))
            .filter_map(|file| {
                let metadata = file.metadata().ok().filter(|it| it.is_file())?;
                Some((metadata.modified().ok()?, file.path(), metadata.len()))
            })
            .collect();
        let mut bytes: u64 = files.iter().map(|(_, _, size)| size).sum();
        if bytes <= self.max_bytes {
            return;
        }
        files.sort_unstable();
        for (_, path, size) in files {
            if bytes <= self.max_bytes / KEPT.1 * KEPT.0 {
                break;
            }
            // Another process may have deleted it.
            let _ = fs::remove_file(path);
            bytes -= size;
        }
    }
}

/// Returns the entries of a folder; none if it cannot be read.
fn entries(folder: &Path) -> impl Iterator<Item = fs::DirEntry> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(max_bytes: u64) -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache {
            max_bytes,
            ..Cache::at(folder.path().join("new"))
        };
        (folder, cache)
    }

    fn key(name: &str) -> Key {
        Key::new(&[name.as_bytes()])
    }

    #[test]
    fn keys_differ_if_parts_do() {
        assert_ne!(Key::new(&[b"ab", b"c"]), Key::new(&[b"a", b"bc"]));
        assert_eq!(Key::new(&[b"ab", b"c"]), Key::new(&[b"ab", b"c"]));
    }

    #[test]
    fn a_key_is_read_as_it_is_written() {
        let written = key("a").to_string();
        assert_eq!(written.parse(), Ok(key("a")));
        assert_eq!(written[1..].parse::<Key>(), Err(NotAKey));
        assert_eq!(written.replace('a', "g").parse::<Key>(), Err(NotAKey));
        assert_eq!("ä".repeat(DIGEST).parse::<Key>(), Err(NotAKey));
    }

    #[test]
    fn an_object_is_found_again() {
        let (_folder, cache) = cache(MAX_BYTES);
        assert_eq!(cache.get(key("a")), None);
        cache.add([(key("a"), &b"object"[..]), (key("b"), &b""[..])]);
        assert_eq!(cache.get(key("a")).as_deref(), Some(&b"object"[..]));
        assert_eq!(cache.get(key("b")).as_deref(), Some(&b""[..]));
        assert_eq!(cache.get(key("c")), None);
    }

    #[test]
    fn a_damaged_file_is_missing_until_it_is_written_again() {
        let (_folder, cache) = cache(MAX_BYTES);
        cache.add([(key("a"), &b"object"[..])]);
        let path = key("a").path(&cache.folder);
        let mut bytes = fs::read(&path).expect("the file");
        bytes.pop();
        fs::write(&path, &bytes).expect("a shorter file");
        assert_eq!(cache.get(key("a")), None);
        fs::write(&path, b"short").expect("a file without a digest");
        assert_eq!(cache.get(key("a")), None);
        cache.add([(key("a"), &b"object"[..])]);
        assert_eq!(cache.get(key("a")).as_deref(), Some(&b"object"[..]));
    }

    #[test]
    fn the_least_recently_used_are_deleted() {
        let (_folder, cache) = cache(4 * 132);
        let object = [0; 100];
        let names = ["a", "b", "c", "d", "e"];
        for (age, name) in names.iter().enumerate() {
            cache.add([(key(name), &object[..])]);
            let path = key(name).path(&cache.folder);
            let file = fs::File::options()
                .append(true)
                .open(path)
                .expect("it is there");
            let hours = 100 - age as u64;
            let time = SystemTime::now() - std::time::Duration::from_secs(3600 * hours);
            if *name != "e" {
                file.set_modified(time).expect("its time");
            }
            if *name == "d" {
                cache.get(key("a")).expect("it is used");
            }
        }
        let left: Vec<_> = names
            .iter()
            .filter(|name| cache.get(key(name)).is_some())
            .collect();
        assert_eq!(left, [&"a", &"d", &"e"]);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_no_cache() {
        let (folder, _) = cache(MAX_BYTES);
        let file = folder.path().join("file");
        fs::write(&file, "").expect("a file");
        let cache = Cache::at(file);
        cache.add([(key("a"), &b"object"[..])]);
        assert_eq!(cache.get(key("a")), None);
    }
}
