//! Parameters that a run begins with, out of a safetensors file: a snapshot of another run, or anybody's weights.

use saddlescope::array::Values;
use saddlescope::{Blocks, tensors};
use saddlescope_spec::problem::Input;
use sha2::{Digest, Sha256};

/// The parameters in the file `path`, and what the record of a run keeps of it; or what is wrong with `start.file`.
pub fn read(path: &str, blocks: &Blocks) -> Result<(Vec<f64>, Input), String> {
    let bytes = std::fs::read(path)
        .map_err(|error| format!("is \"{path}\", which cannot be read: {error}"))?;
    let theta = decode(&bytes, blocks)
        .map_err(|error| format!("is \"{path}\", which does not fit: {error}"))?;
    let digest = Sha256::digest(&bytes).into();
    Ok((theta, Input { name: "start.file".to_owned(), digest }))
}

/// Every block under its name and in its shape, and no other.
fn decode(bytes: &[u8], blocks: &Blocks) -> Result<Vec<f64>, String> {
    let (arrays, _) = tensors::decode(bytes).map_err(|error| error.to_string())?;
    if let Some(array) = arrays.iter().find(|array| blocks.get(&array.name).is_none()) {
        return Err(format!("the model has no `{}`", array.name));
    }
    let mut theta = vec![0.0; blocks.len()];
    for block in blocks {
        let Some(array) = arrays.iter().find(|array| array.name == block.name) else {
            return Err(format!("`{}` is missing", block.name));
        };
        if array.shape != block.shape {
            let (found, expected) = (shape(&array.shape), shape(&block.shape));
            return Err(format!("`{}` is {found} there, and {expected} in the model", block.name));
        }
        let entries = &mut theta[block.range()];
        match &array.values {
            Values::F64(values) => entries.copy_from_slice(values),
            Values::F32(values) => {
                entries.iter_mut().zip(values).for_each(|(entry, &value)| *entry = value.into());
            }
            Values::U64(_) => return Err(format!("`{}` holds whole numbers", block.name)),
        }
        if let Some(place) = entries.iter().position(|entry| !entry.is_finite()) {
            let name = blocks.parameter_name(block.range().start + place);
            return Err(format!("{name} is {}", entries[place]));
        }
    }
    Ok(theta)
}

fn shape(extents: &[usize]) -> String {
    let parts: Vec<String> = extents.iter().map(ToString::to_string).collect();
    if parts.is_empty() { "a single number".to_owned() } else { parts.join(" x ") }
}

#[cfg(test)]
mod tests {
    use saddlescope::array::Array;
    use saddlescope::tensors::Notes;

    use super::*;
    use crate::{Architecture, Scales, Start, Transformer};

    fn arrays(of: &Architecture) -> (Vec<Array>, Vec<f64>) {
        let model = Transformer::new(of.clone()).unwrap();
        let theta = model.start(Start::Layers, &Scales::default(), 2);
        (tensors::parameters(&model.blocks, &theta), theta)
    }

    fn read_back(arrays: &[Array], of: &Architecture) -> Result<Vec<f64>, String> {
        let model = Transformer::new(of.clone()).unwrap();
        decode(&tensors::encode(arrays, &Notes::new()).unwrap(), &model.blocks)
    }

    #[test]
    fn what_was_written_is_read_whatever_the_order() {
        let of = Architecture::small(7, 5);
        let (mut arrays, theta) = arrays(&of);
        assert!(arrays.iter().any(|array| array.name == "blocks.0.attn.W_Q"));
        arrays.reverse();
        assert_eq!(read_back(&arrays, &of).unwrap(), theta);
    }

    #[test]
    fn what_belongs_to_another_model_is_refused_by_name() {
        let of = Architecture::small(7, 5);
        let (arrays, _) = arrays(&of);
        let other = |of: Architecture| read_back(&arrays, &of).unwrap_err();
        assert_eq!(
            other(Architecture { heads: 4, ..of.clone() }),
            "`blocks.0.attn.W_Q` is 2 x 32 x 16 there, and 4 x 32 x 8 in the model"
        );
        assert_eq!(other(Architecture { blocks: 2, ..of.clone() }), "`blocks.1.ln1.w` is missing");
        assert_eq!(
            other(Architecture { tied: true, ..of.clone() }),
            "the model has no `unembed.W_U`"
        );
        let mut broken = arrays.clone();
        broken[0].values = vec![f64::NAN; 7 * 32].into();
        assert_eq!(read_back(&broken, &of).unwrap_err(), "embed.W_E[0,0] is NaN");
        assert!(decode(b"no tensors", &Transformer::new(of).unwrap().blocks).is_err());
    }
}
