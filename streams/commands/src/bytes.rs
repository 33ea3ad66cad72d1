//! Numbers and texts as bytes: LEB128, and lengths before their contents.

use crate::decode::DecodeError;

/// Writes bytes.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    pub(crate) fn slice(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn list<T>(&mut self, list: &[T], mut element: impl FnMut(&mut Self, &T)) {
        self.number(list.len() as u64);
        list.iter().for_each(|item| element(self, item));
    }
}

/// Reads bytes.
#[derive(Debug)]
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    position: usize,
}

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    pub(crate) fn error(&self, expected: &'static str) -> DecodeError {
        DecodeError::Invalid {
            position: self.position,
            expected,
        }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.position == self.bytes.len()
    }

    pub(crate) fn byte(&mut self) -> Result<u8, DecodeError> {
        let byte = self.bytes.get(self.position).copied();
        let byte = byte.ok_or(self.error("more bytes"))?;
        self.position += 1;
        Ok(byte)
    }

    pub(crate) fn number(&mut self) -> Result<u64, DecodeError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let low = u64::from(byte & 0x7f);
            if shift == 63 && low > 1 {
                break;
            }
            number |= low << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.error("a number of 64 bits"))
    }

    pub(crate) fn small(&mut self) -> Result<u32, DecodeError> {
        let number = self.number()?;
        u32::try_from(number).map_err(|_| self.error("a number of 32 bits"))
    }

    /// Returns a length that the bytes left can hold, so that damaged input allocates little.
    pub(crate) fn length(&mut self) -> Result<usize, DecodeError> {
        let length = self.number()?;
        let left = (self.bytes.len() - self.position) as u64;
        match length <= left {
            true => Ok(length as usize),
            false => Err(self.error("a length within the bytes")),
        }
    }

    pub(crate) fn slice(&mut self) -> Result<&'b [u8], DecodeError> {
        let length = self.length()?;
        let slice = &self.bytes[self.position..][..length];
        self.position += length;
        Ok(slice)
    }

    pub(crate) fn text(&mut self) -> Result<String, DecodeError> {
        let bytes = self.slice()?.to_vec();
        String::from_utf8(bytes).map_err(|_| self.error("a text in UTF-8"))
    }

    pub(crate) fn list<T>(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let length = self.length()?;
        (0..length).map(|_| element(self)).collect()
    }
}
