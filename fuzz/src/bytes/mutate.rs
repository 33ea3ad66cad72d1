//! Random damage of text and of bytes.

use tfx_oracle::Random;

/// The maximal number of changes of one input: a few suffice, and with many nothing is read.
const MAX_CHANGES: usize = 4;
/// The maximal length of a piece that one change removes or repeats, in bytes.
const PIECE: usize = 24;

/// Numbers at the limits of ranges.
const NUMBERS: [&str; 10] = [
    "0",
    "-1",
    "1",
    "31",
    "64",
    "2147483648",
    "-9223372036854775808",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "1.0e400",
];

/// Returns a text with a few changed words or lines; about one text in eight is unchanged.
pub(super) fn text(random: &mut Random, text: &str) -> String {
    let mut text = text.to_owned();
    if random.chance(12) {
        return text;
    }
    for _ in 0..=random.below(MAX_CHANGES) {
        text = match random.below(5) {
            0 => with_lines(random, &text),
            1 => {
                let bytes = bytes_once(random, text.into_bytes());
                String::from_utf8_lossy(&bytes).into_owned()
            }
            _ => with_words(random, &text),
        };
    }
    text
}

/// Removes or duplicates a line, or swaps two lines.
fn with_lines(random: &mut Random, text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        return String::new();
    }
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(3) {
        0 => {
            lines.remove(one);
        }
        1 => lines.insert(other, lines[one]),
        _ => lines.swap(one, other),
    }
    lines.join("\n")
}

/// Replaces a word by another word of the text or by a number at a limit, or removes it.
fn with_words(random: &mut Random, text: &str) -> String {
    let words = words(text);
    if words.is_empty() {
        return String::new();
    }
    let at = random.below(words.len());
    let instead = match random.below(4) {
        0 => "",
        1 => random.pick(&NUMBERS),
        _ => {
            // Usually a word of the same kind: a type for a type, a value for a value.
            let kind = kind(words[at]);
            let alike: Vec<&str> = words
                .iter()
                .copied()
                .filter(|word| self::kind(word) == kind)
                .collect();
            alike[random.below(alike.len())]
        }
    };
    let mut changed = String::with_capacity(text.len());
    for (index, word) in words.iter().enumerate() {
        changed.push_str(if index == at { instead } else { word });
    }
    changed
}

/// Splits a text into words and the characters between them.
fn words(text: &str) -> Vec<&str> {
    let is_in_word =
        |character: char| character.is_alphanumeric() || "_.%@^!#$".contains(character);
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match is_in_word(first) {
            true => rest.find(|character| !is_in_word(character)),
            false => Some(first.len_utf8()),
        };
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        words.push(word);
        rest = after;
    }
    words
}

/// Returns the kind of a word, judged by its first character.
fn kind(word: &str) -> char {
    match word.chars().next() {
        Some(first) if first.is_ascii_digit() => '0',
        Some(first) if first.is_alphabetic() => 'a',
        Some(first) => first,
        None => ' ',
    }
}

/// Returns bytes with a few changes; about one input in eight is unchanged.
pub(super) fn bytes(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    if random.chance(12) {
        return bytes;
    }
    for _ in 0..=random.below(MAX_CHANGES) {
        bytes = bytes_once(random, bytes);
    }
    bytes
}

fn bytes_once(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.is_empty() {
        return vec![random.next_u64() as u8];
    }
    let at = random.below(bytes.len());
    let piece = at..(at + 1 + random.below(PIECE)).min(bytes.len());
    match random.below(6) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = *random.pick(&[0, 1, 0x7f, 0x80, 0xff]),
        2 => bytes.insert(at, random.next_u64() as u8),
        3 => {
            bytes.drain(piece);
        }
        4 => {
            let piece = bytes[piece].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, piece);
        }
        // A truncated file.
        _ => bytes.truncate(at),
    }
    bytes
}
