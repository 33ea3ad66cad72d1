//! The declarations that programs may use: each program contains those that it needs.
//!
//! ```text
//!   the program uses @measure ──> @measure uses @Sized ──> the default methods of @Sized, and its
//!                                                          witness tables for types that are used
//! ```

/// Structs, protocols and functions; each starts at the start of a line.
const ITEMS: &str = include_str!("prelude.mlir");

/// Returns the declarations that a program needs.
pub(crate) fn needed(program: &str) -> String {
    let items = items();
    let names: Vec<_> = items.iter().map(|item| symbols(item)).collect();
    let mut is_needed = vec![false; items.len()];
    let mut known: Vec<&str> = symbols(program);
    loop {
        let mut new = Vec::new();
        for (item, names) in names.iter().enumerate() {
            // The first name is the item's own. A witness table is not referenced by name: it is
            // needed for its type and its protocol.
            let is_used = match items[item].starts_with("tfx_host.witness_table") {
                true => {
                    let (protocol, ty) = table(items[item]);
                    known.contains(&protocol) && ty.is_none_or(|ty| known.contains(&ty))
                }
                false => known.contains(&names[0]),
            };
            if is_used && !std::mem::replace(&mut is_needed[item], true) {
                new.extend(names.iter().copied());
            }
        }
        if new.is_empty() {
            break;
        }
        known.extend(new);
    }
    let needed = items.iter().zip(is_needed).filter(|(_, needed)| *needed);
    needed.map(|(item, _)| *item).collect()
}

/// Returns the items, each up to the start of the next one.
fn items() -> Vec<&'static str> {
    let mut starts = vec![0];
    let lines = ITEMS.match_indices('\n').map(|(end, _)| end + 1);
    starts.extend(lines.filter(|&line| {
        ["func.func", "tfx_host."]
            .iter()
            .any(|start| ITEMS[line..].starts_with(start))
    }));
    starts.push(ITEMS.len());
    starts
        .windows(2)
        .map(|pair| &ITEMS[pair[0]..pair[1]])
        .collect()
}

/// Returns the names after `@`, in order.
fn symbols(text: &str) -> Vec<&str> {
    let name = |text: &'_ str| {
        let end = text.find(|character: char| !character.is_alphanumeric() && character != '_');
        end.unwrap_or(text.len())
    };
    let parts = text.split('@').skip(1);
    parts.map(|part| &part[..name(part)]).collect()
}

/// Returns the protocol of a witness table, and the declaration of its type, if any.
fn table(item: &str) -> (&str, Option<&str>) {
    let (head, tail) = item
        .split_once(" conforms ")
        .expect("a table says what its type conforms to");
    (symbols(tail)[0], symbols(head).get(1).copied())
}
