//! Mistakes by chance, in text and in bytes.

use tfx_oracle::Random;

/// The most mistakes in one input: a few are enough to be wrong, and with many nothing is read any more.
const MISTAKES: usize = 4;
/// The longest piece that one mistake takes away or repeats, in bytes.
const PIECE: usize = 24;

/// Numbers at which something ends.
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

/// Text with a few words or lines that are wrong. One in eight has none that is.
pub(super) fn text(random: &mut Random, text: &str) -> String {
    let mut text = text.to_owned();
    if random.chance(12) {
        return text;
    }
    for _ in 0..=random.below(MISTAKES) {
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

/// A line goes, comes twice, or changes places with another one.
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

/// A word becomes another word of the text, or a number at which something ends, or goes.
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
            // Mostly one of the same kind: a type for a type, a value for a value.
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

/// Words, and what is between them.
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

/// What a word stands for, as far as its first character tells.
fn kind(word: &str) -> char {
    match word.chars().next() {
        Some(first) if first.is_ascii_digit() => '0',
        Some(first) if first.is_alphabetic() => 'a',
        Some(first) => first,
        None => ' ',
    }
}

/// Bytes of which a few are wrong. One in eight has none that is.
pub(super) fn bytes(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    if random.chance(12) {
        return bytes;
    }
    for _ in 0..=random.below(MISTAKES) {
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
        // Files that were cut.
        _ => bytes.truncate(at),
    }
    bytes
}
