//! Tensors in NumPy's `.npy` files.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufReader, BufWriter, ErrorKind, Read, Write},
    path::{Path, PathBuf},
};

use npyz::{DType as FileType, Endianness, NpyFile, Order, TypeChar, TypeStr, WriterBuilder};
use tfx_interpreter::{Bool, DType, Element, Tensor};

use crate::failure::{Failure, reason};

/// The element types of files, with NumPy's letter and size.
const TYPES: &[(DType, TypeChar, u64)] = &[
    (DType::F32, TypeChar::Float, 4),
    (DType::F64, TypeChar::Float, 8),
    (DType::I8, TypeChar::Int, 1),
    (DType::I16, TypeChar::Int, 2),
    (DType::I32, TypeChar::Int, 4),
    (DType::I64, TypeChar::Int, 8),
    (DType::U8, TypeChar::Uint, 1),
    (DType::U16, TypeChar::Uint, 2),
    (DType::U32, TypeChar::Uint, 4),
    (DType::U64, TypeChar::Uint, 8),
    (DType::Bool, TypeChar::Bool, 1),
];

/// Reads a file in row-major or column-major order, and in any byte order.
pub fn read(path: &Path) -> Result<Tensor, Failure> {
    let failed =
        |problem: String| Failure::new(format!("cannot read '{}': {problem}", path.display()));
    let file = File::open(path).map_err(|error| failed(reason(&error)))?;
    let metadata = file.metadata().map_err(|error| failed(reason(&error)))?;
    if metadata.is_dir() {
        return Err(failed("it is a folder".into()));
    }
    let mut reader = BufReader::new(file);
    if metadata.is_file() {
        return decode(&mut reader, metadata.len(), failed);
    }
    // The size of a pipe is unknown before its end.
    let mut bytes = Vec::new();
    let read = reader.read_to_end(&mut bytes);
    read.map_err(|error| failed(reason(&error)))?;
    decode(&mut &bytes[..], bytes.len() as u64, failed)
}

/// Reads an array from a file of `length` bytes.
fn decode(
    reader: &mut impl Read,
    length: u64,
    failed: impl Fn(String) -> Failure + Copy,
) -> Result<Tensor, Failure> {
    let array = NpyFile::new(&mut *reader)
        .map_err(|error| failed(format!("it is not a .npy file: {error}")))?;
    let (dtype, size) = element_type(&array).map_err(failed)?;
    let shape: Vec<usize> = array.shape().iter().map(|&size| size as usize).collect();
    let bytes = array
        .shape()
        .iter()
        .try_fold(size, |product, &size| product.checked_mul(size));
    // A damaged header must not cause an allocation that exceeds the file.
    if bytes.is_none_or(|bytes| bytes > length) {
        return Err(failed("it is shorter than its header declares".into()));
    }
    let truncated = |error: std::io::Error| {
        failed(match error.kind() {
            ErrorKind::UnexpectedEof => "it is shorter than its header declares".into(),
            _ => reason(&error),
        })
    };
    let is_column_major = array.order() == Order::Fortran;
    macro_rules! elements {
        ($($variant:ident => $rust:ty),*) => {
            match dtype {
                $(DType::$variant => array.into_vec::<$rust>().map_err(truncated).and_then(|values| {
                    tensor(&shape, is_column_major, &values).map_err(|error| failed(error.to_string()))
                }),)*
                DType::Bool => array.into_vec::<bool>().map_err(truncated).and_then(|values| {
                    let values: Vec<Bool> = values.into_iter().map(Bool::from).collect();
                    tensor(&shape, is_column_major, &values).map_err(|error| failed(error.to_string()))
                }),
                DType::F16
                | DType::Bf16
                | DType::String
                | DType::Resource
                | DType::Variant => {
                    Err(failed("its element type is not supported".into()))
                }
            }
        };
    }
    let tensor = elements!(F32 => f32, F64 => f64, I8 => i8, I16 => i16, I32 => i32, I64 => i64, U8 => u8, U16 => u16, U32 => u32, U64 => u64)?;
    let trailing = io::copy(reader, &mut io::sink()).map_err(|error| failed(reason(&error)))?;
    if trailing > 0 {
        return Err(failed(format!(
            "{trailing} more bytes follow its array; a file must contain one array"
        )));
    }
    Ok(tensor)
}

/// The element type of a file and its size.
fn element_type<R: Read>(array: &NpyFile<R>) -> Result<(DType, u64), String> {
    let description = array.dtype();
    let FileType::Plain(text) = &description else {
        return Err("it holds records, not an array of numbers".into());
    };
    TYPES
        .iter()
        .find(|(_, letter, size)| *letter == text.type_char() && *size == text.size_field())
        .map(|&(dtype, _, size)| (dtype, size))
        .ok_or_else(|| {
            let name = match (text.type_char(), text.size_field()) {
                (TypeChar::Float, 2) => ", that is f16",
                // NumPy has no bf16: libraries save it as bytes without a type.
                (TypeChar::RawData, 2) => ", perhaps bf16",
                _ => "",
            };
            format!(
                "its elements have NumPy's type {}{name}, which programs do not support in files",
                description.descr()
            )
        })
}

/// Returns a tensor from elements in the order of a file.
fn tensor<T: Element>(
    shape: &[usize],
    is_column_major: bool,
    values: &[T],
) -> Result<Tensor, tfx_interpreter::TensorError> {
    if !is_column_major {
        return Tensor::from_slice(shape, values);
    }
    let mut ordered = Vec::with_capacity(values.len());
    let mut counter = vec![0; shape.len()];
    for _ in 0..values.len() {
        let position = counter
            .iter()
            .zip(shape)
            .rev()
            .fold(0, |position, (&index, &size)| position * size + index);
        ordered.push(values[position]);
        for dimension in (0..shape.len()).rev() {
            counter[dimension] += 1;
            if counter[dimension] < shape[dimension] {
                break;
            }
            counter[dimension] = 0;
        }
    }
    Tensor::from_slice(shape, &ordered)
}

/// Writes a file completely or not at all: writes a temporary file in the same folder and renames
/// it. Pipes and devices are written directly.
pub fn write(path: &Path, tensor: &Tensor) -> Result<(), Failure> {
    let failed = |error: std::io::Error| unwritable(path, &reason(&error));
    if is_special(path) {
        let mut file = OpenOptions::new().write(true).open(path).map_err(failed)?;
        return encode(&mut file, tensor).map_err(failed);
    }
    let mut file = temporary(path).map_err(failed)?;
    encode(file.as_file_mut(), tensor).map_err(failed)?;
    set_permissions(file.path()).map_err(failed)?;
    file.persist(target(path))
        .map_err(|error| failed(error.error))?;
    Ok(())
}

/// Checks before a program runs that [`write()`] can create its file.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(unwritable(path, "it is a folder"));
    }
    if is_special(path) {
        return Ok(());
    }
    temporary(path)
        .map(drop)
        .map_err(|error| unwritable(path, &reason(&error)))
}

fn unwritable(path: &Path, problem: &str) -> Failure {
    Failure::new(format!("cannot write '{}': {problem}", path.display()))
}

/// Returns whether a path is a pipe or a device, which must not be replaced by a file.
fn is_special(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Returns the target of a link, so that the link is kept.
fn target(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Creates a temporary file in the folder of a path.
fn temporary(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let path = target(path);
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))
}

/// Sets the permissions of an ordinary new file; a temporary file is private.
#[cfg(unix)]
fn set_permissions(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    /// Readable by all, writable by the owner: the result of the usual mask.
    const MODE: u32 = 0o644;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(MODE))
}

#[cfg(not(unix))]
fn set_permissions(_: &Path) -> std::io::Result<()> {
    Ok(())
}

fn encode(file: &mut File, tensor: &Tensor) -> std::io::Result<()> {
    let Some(&(_, letter, size)) = TYPES.iter().find(|(dtype, ..)| *dtype == tensor.dtype()) else {
        return Err(std::io::Error::other(format!(
            "a .npy file cannot contain elements of type {}",
            tensor.dtype()
        )));
    };
    let order = if size == 1 {
        Endianness::Irrelevant
    } else {
        Endianness::Little
    };
    let description: TypeStr = format!("{}{}{size}", order.to_str(), letter.to_str())
        .parse()
        .map_err(std::io::Error::other)?;
    let description = FileType::Plain(description);
    let shape: Vec<u64> = tensor.shape().iter().map(|&size| size as u64).collect();
    macro_rules! elements {
        ($($variant:ident => $rust:ty),*) => {
            match tensor.dtype() {
                $(DType::$variant => put(file, description, &shape, tensor.values::<$rust>().unwrap_or(&[]).iter().copied()),)*
                _ => put(file, description, &shape, tensor.values::<Bool>().unwrap_or(&[]).iter().map(|value| value.get())),
            }
        };
    }
    elements!(F32 => f32, F64 => f64, I8 => i8, I16 => i16, I32 => i32, I64 => i64, U8 => u8, U16 => u16, U32 => u32, U64 => u64)
}

fn put<T: npyz::Serialize>(
    file: &mut File,
    description: FileType,
    shape: &[u64],
    values: impl Iterator<Item = T>,
) -> std::io::Result<()> {
    let mut buffered = BufWriter::new(file);
    let mut writer = npyz::WriteOptions::new()
        .dtype(description)
        .shape(shape)
        .writer(&mut buffered)
        .begin_nd()?;
    writer.extend(values)?;
    writer.finish()?;
    buffered.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.npy");
        let tensors = [
            Tensor::from_slice(&[2, 2], &[1.5f32, 2.0, -3.0, f32::NAN]),
            Tensor::from_slice(&[0, 3], &[0i64; 0]),
            Tensor::from_slice(
                &[3],
                &[Bool::from(true), Bool::from(false), Bool::from(true)],
            ),
            Ok(Tensor::scalar(7u8)),
        ];
        for tensor in tensors {
            let tensor = tensor.expect("a tensor");
            write(&path, &tensor).expect("written");
            assert_eq!(read(&path).expect("read"), tensor);
        }
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("a folder").count(),
            1,
            "no temporary file is left"
        );
    }

    #[test]
    fn column_major_is_transposed() {
        let transposed = tensor(&[2, 3], true, &[1, 4, 2, 5, 3, 6]).expect("a tensor");
        assert_eq!(transposed.values::<i32>(), Ok(&[1, 2, 3, 4, 5, 6][..]));
    }

    #[test]
    fn bad_files_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.npy");
        let missing = read(&path).expect_err("missing");
        assert!(missing.message.contains("cannot read"), "{missing}");
        std::fs::write(&path, b"no array").expect("written");
        let wrong = read(&path).expect_err("no array");
        assert!(wrong.message.contains("not a .npy file"), "{wrong}");
        write(
            &path,
            &Tensor::from_slice(&[100], &[1.0f64; 100]).expect("a tensor"),
        )
        .expect("written");
        let bytes = std::fs::read(&path).expect("read");
        std::fs::write(&path, &bytes[..bytes.len() - 400]).expect("written");
        let short = read(&path).expect_err("cut");
        assert!(short.message.contains("shorter"), "{short}");
    }
}
