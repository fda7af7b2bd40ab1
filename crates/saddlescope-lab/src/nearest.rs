//! The known name that a mistyped one most likely stands for.

/// No name is longer, so nothing longer resembles one.
const LONGEST: usize = 64;

/// The known name that is most likely meant: a few letters off, or one begins the other.
pub fn nearest<'a, N: AsRef<str>>(found: &str, known: &'a [N]) -> Option<&'a str> {
    let length = found.chars().count();
    if length > LONGEST {
        return None;
    }
    let found = found.to_lowercase();
    let names = || known.iter().map(AsRef::as_ref);
    let distance = |name: &str| strsim::damerau_levenshtein(&found, &name.to_lowercase());
    let near = names().map(|name| (distance(name), name)).min();
    let typo = near.filter(|(letters, _)| *letters <= (length / 3).max(1) && *letters < length);
    let begins = |name: &&str| name.starts_with(&found) || found.starts_with(name);
    typo.map(|(_, name)| name).or_else(|| names().find(begins).filter(|_| length >= 2))
}
