//! Numbers in JSON, which has no words for what is not finite.
//!
//! What programs and the page read has `null` there, as everywhere in JSON. Files that are read again have words
//! ([`exact`]), so that every number comes back.

use std::cell::Cell;

use serde::Serializer;

use crate::prelude::*;

thread_local! {
    static EXACT: Cell<bool> = const { Cell::new(false) };
}

/// The value as JSON that keeps every number: `"inf"`, `"-inf"` and `"NaN"` where it is not finite.
pub fn exact(value: &impl Serialize) -> serde_json::Result<serde_json::Value> {
    EXACT.set(true);
    let value = serde_json::to_value(value);
    EXACT.set(false);
    value
}

/// A number as JSON has it.
struct Real(f64);

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.is_finite() || !EXACT.get() {
            true => serializer.serialize_f64(self.0),
            false => serializer.collect_str(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a number, or the word for one that is not finite")]
        enum Written {
            Number(f64),
            Word(Word),
        }
        #[derive(Deserialize)]
        enum Word {
            #[serde(rename = "NaN")]
            NaN,
            #[serde(rename = "inf")]
            Above,
            #[serde(rename = "-inf")]
            Below,
        }
        Ok(Self(match Written::deserialize(deserializer)? {
            Written::Number(number) => number,
            Written::Word(Word::NaN) => f64::NAN,
            Written::Word(Word::Above) => f64::INFINITY,
            Written::Word(Word::Below) => f64::NEG_INFINITY,
        }))
    }
}

/// For `#[serde(with)]` on a number.
pub mod real {
    use super::{Deserialize, Real, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        Real(*value).serialize(serializer)
    }

    pub fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Real::deserialize(from).map(|real| real.0)
    }
}

/// For `#[serde(with)]` on a list of numbers.
pub mod reals {
    use super::{Deserialize, Real, Serializer};

    pub fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|&value| Real(value)))
    }

    pub fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        Ok(Vec::<Real>::deserialize(from)?.into_iter().map(|real| real.0).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Numbers(#[serde(with = "real")] f64, #[serde(with = "reals")] Vec<f64>);

    #[test]
    fn files_keep_every_number_and_programs_read_null() {
        let numbers = Numbers(f64::NAN, vec![1.5, f64::INFINITY, f64::NEG_INFINITY, -0.0]);
        let text = serde_json::to_string(&numbers).unwrap();
        assert_eq!(text, "[null,[1.5,null,null,-0.0]]");
        let text = exact(&numbers).unwrap().to_string();
        assert_eq!(text, r#"["NaN",[1.5,"inf","-inf",-0.0]]"#);
        let Numbers(one, many) = serde_json::from_str(&text).unwrap();
        assert!(one.is_nan());
        assert_eq!(many, numbers.1);
        let wrong = serde_json::from_str::<Numbers>(r#"["much",[]]"#).err().unwrap();
        assert!(wrong.to_string().contains("expected a number"), "{wrong}");
    }
}
