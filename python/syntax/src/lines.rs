//! Lines and columns of byte offsets.

use crate::Span;

/// The starts of the lines of a text.
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    /// Finds the lines of a text.
    pub fn new(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(index, _)| index as u32 + 1));
        Self {
            starts: starts.collect(),
        }
    }

    /// Returns the line and the column of the start of a span, each from 1. Columns count bytes.
    pub fn place(&self, span: Span) -> (usize, usize) {
        let line = self.starts.partition_point(|&start| start <= span.start);
        let start = self.starts[line.saturating_sub(1)];
        (line.max(1), (span.start - start) as usize + 1)
    }

    /// Returns the text of a line, without its end.
    pub fn text<'t>(&self, text: &'t str, line: usize) -> &'t str {
        let start = self.starts.get(line.saturating_sub(1)).copied();
        let rest = start.and_then(|start| text.get(start as usize..));
        let line = rest.and_then(|rest| rest.lines().next());
        line.unwrap_or_default()
    }
}
