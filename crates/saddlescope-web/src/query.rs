//! The query of an address, in pairs.

use std::collections::BTreeMap;

const MOST: usize = 64;

/// Pairs of a query; of equal names the last counts. What is no text is left out.
pub(crate) fn pairs(query: &str) -> BTreeMap<String, String> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((decoded(name)?, decoded(value)?))
    };
    query.split('&').filter(|part| !part.is_empty()).take(MOST).filter_map(pair).collect()
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                let digit = |byte: u8| char::from(byte).to_digit(16);
                (digit(digits[0])? * 16 + digit(digits[1])?) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_decoded_and_nonsense_is_left_out() {
        let read =
            pairs("filter=end.loss%3C0.1%2C+arm%3Dflow&from=200&&bad=%zz&half=%4&odd=%ff&flag");
        let read: Vec<(&str, &str)> = read.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        let expected = [("filter", "end.loss<0.1, arm=flow"), ("flag", ""), ("from", "200")];
        assert_eq!(read, expected);
    }
}
