//! Reference cases of the standard transformer: the values that an independent implementation can be held to.

use std::sync::Arc;

use saddlescope::descent::{AdamSettings, Optimiser, Rule};
use saddlescope_spec::prelude::*;
use saddlescope_spec::settings::{self, Field};
use serde_json::Value;

use crate::{Architecture, Fixed, Form, Reader, Training, Transformer};
use saddlescope_spec::cases::{Values, failed, values, whole};
use saddlescope_spec::measure::evaluated;

case_kinds! {
    loss_and_gradients(
        vocabulary, width, heads, blocks, feedforward, activation, norm, positions, context, tied, biases,
        embedding_factor, skip, formula, scales, tokens,
    ) -> (
        loss, loss_per_position, log_probabilities_last, "attention.*", "gradient_norm.*", "gradient_sum.*",
    ) = loss_and_gradients, "loss, gradients, predictions and attention at parameters given by a formula";
    adamw_course(
        vocabulary, width, heads, blocks, feedforward, activation, norm, positions, context, tied, biases,
        embedding_factor, skip, formula, scales, tokens, steps, rate, betas, epsilon, weight_decay, clip,
    ) -> (loss_before_steps, gradient_norm_before_steps, loss_after) = |case| course(case, adamw(case.inputs)?),
        "steps of AdamW with clipping on the same sequences";
    sgd_course(
        vocabulary, width, heads, blocks, feedforward, activation, norm, positions, context, tied, biases,
        embedding_factor, skip, formula, scales, tokens, steps, rate, momentum,
    ) -> (loss_before_steps, gradient_norm_before_steps, loss_after) = sgd_course,
        "steps of plain descent on the same sequences";
}

fn loss_and_gradients(case: &mut Case<'_>) -> Result<(), CaseError> {
    let found = Task::read(case.inputs)?.loss_and_gradients(case.wanted)?;
    set_found(case, found)
}

fn sgd_course(case: &mut Case<'_>) -> Result<(), CaseError> {
    case.ensure(case.number_or("momentum", 0.0)? == 0.0, "momentum", "0")?;
    course(case, Optimiser::Gd)
}

fn course(case: &mut Case<'_>, optimiser: Optimiser) -> Result<(), CaseError> {
    let found = Task::read(case.inputs)?.course(optimiser, case.inputs)?;
    set_found(case, found)
}

/// Sets what a case wants; an error where this transformer has no such value.
fn set_found(case: &mut Case<'_>, found: Values) -> Result<(), CaseError> {
    if let Some(name) = case.wanted.iter().find(|name| !found.contains_key(**name)) {
        let known: Vec<&str> = found.keys().map(String::as_str).collect();
        let message = format!("this transformer has no `{name}`; known: {}", known.join(", "));
        return Err(CaseError::Failed(message));
    }
    case.set_all(found)
}

/// How large the entries are that [`by_formula`] gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FormulaScales {
    /// Of weights of norms, around `norms_base`.
    pub norms: f64,
    /// Where those lie.
    pub norms_base: f64,
    /// Of slopes of heads, around `slopes_base`.
    pub slopes: f64,
    /// Where those lie.
    pub slopes_base: f64,
    /// Of all others, around 0.
    pub weights: f64,
}

/// Parameters that another program can write down as well: entry `i` of a block is
/// `base + scale sin(1 + 0.7 i + 1.3 b + 0.01 i^2)`, where `b` comes from the block's name. The quadratic phase
/// gives matrices their full rank.
pub fn by_formula(model: &Transformer, scales: &FormulaScales) -> Vec<f64> {
    let mut theta = Vec::with_capacity(model.blocks.len());
    for block in &model.blocks {
        let (base, scale) = if block.name.ends_with(".w") {
            (scales.norms_base, scales.norms)
        } else if block.name.ends_with(".slopes") {
            (scales.slopes_base, scales.slopes)
        } else {
            (0.0, scales.weights)
        };
        let weighted = |(k, byte): (usize, u8)| (k + 1) * usize::from(byte);
        let b = (block.name.bytes().enumerate().map(weighted).sum::<usize>() % 1009) as f64;
        theta.extend((0..block.len()).map(|i| {
            let i = i as f64;
            // In this order, so that other programs round alike.
            base + scale * (1.0 + 0.7 * i + 1.3 * b + 0.01 * i * i).sin()
        }));
    }
    theta
}

/// Norm of a block's slopes, and a sum whose weights tell entries apart.
pub fn fingerprint(slopes: &[f64]) -> [f64; 2] {
    let norm = slopes.iter().map(|slope| slope * slope).sum::<f64>().sqrt();
    let weighted = |(j, slope): (usize, &f64)| slope * (0.3 * j as f64 + 0.1).cos();
    [norm, slopes.iter().enumerate().map(weighted).sum()]
}

struct Task {
    model: Arc<Transformer>,
    form: Form,
    tokens: Vec<u32>,
    theta: Vec<f64>,
}

impl Task {
    fn read(inputs: Inputs<'_>) -> Result<Self, CaseError> {
        let model = Transformer::new(architecture(inputs)?).map_err(failed)?;
        let tokens = inputs.tensor("tokens", 2)?;
        let is_token = |&token: &f64| token.fract() == 0.0 && (0.0..1e9).contains(&token);
        let fits = tokens.values.iter().all(is_token) && tokens.shape[1] >= 2;
        inputs.ensure(fits, "tokens", "rows of two or more tokens, counted from 0")?;
        let form = Form { length: tokens.shape[1] - 1, skip: whole(inputs, "skip")? };
        let theta = by_formula(&model, &scales(inputs)?);
        let tokens = tokens.values.iter().map(|&token| token as u32).collect();
        Ok(Self { model, form, tokens, theta })
    }

    fn sequences(&self) -> usize {
        self.tokens.len() / (self.form.length + 1)
    }

    fn training(&self) -> Result<Training<f64>, CaseError> {
        let data = Fixed::new(self.tokens.clone(), self.form.length + 1);
        Training::new(Arc::clone(&self.model), self.form, Arc::new(data)).map_err(failed)
    }

    fn loss_and_gradients(&self, wanted: &[&str]) -> Result<Values, CaseError> {
        let (loss, gradient) = evaluated(&self.training()?, &self.theta).map_err(failed)?;
        let mut found = values([("loss", loss.into())]);
        for block in &self.model.blocks {
            let [norm, sum] = fingerprint(&gradient[block.range()]);
            found.insert(format!("gradient_norm.{}", block.name), norm.into());
            found.insert(format!("gradient_sum.{}", block.name), sum.into());
        }
        self.read_all(wanted, &mut found)?;
        Ok(found)
    }

    /// What a reader sees, who asks at all positions.
    fn read_all(&self, wanted: &[&str], found: &mut Values) -> Result<(), CaseError> {
        let (length, sequences) = (self.form.length, self.sequences());
        let of = &self.model.architecture;
        let mut reader = Reader::<f64>::new(&self.model, &self.theta, Form::all(length), sequences)
            .map_err(failed)?;
        reader.read(&self.tokens).map_err(failed)?;
        let mut mean = vec![0.0; length];
        for losses in reader.losses().chunks_exact(length) {
            for (mean, loss) in mean.iter_mut().zip(losses) {
                *mean += loss / sequences as f64;
            }
        }
        found.insert("loss_per_position".to_owned(), mean.into());
        let row = (length - 1) * of.vocabulary;
        if let Some(logs) = reader.log_probabilities().get(row..row + of.vocabulary) {
            found.insert("log_probabilities_last".to_owned(), logs.to_vec().into());
        }
        for block in 0..of.blocks {
            for head in 0..of.heads {
                let name = format!("attention.{block}.{head}");
                if wanted.contains(&name.as_str()) {
                    let row = |query| Value::from(reader.attention((block, head), (0, query)));
                    found.insert(name, (0..length).map(row).collect());
                }
            }
        }
        Ok(())
    }

    /// Losses and norms of gradients before each step of `optimiser`, and the loss after all.
    fn course(&self, optimiser: Optimiser, inputs: Inputs<'_>) -> Result<Values, CaseError> {
        let training = self.training()?;
        let rate = inputs.positive("rate")?;
        let mut rule = Rule::new(optimiser, rate, &self.model.blocks).map_err(failed)?;
        if matches!(optimiser, Optimiser::AdamW(..)) && inputs.has("clip") {
            rule = rule.clipped(inputs.positive("clip")?).map_err(failed)?;
        }
        let (mut theta, mut losses, mut norms) = (self.theta.clone(), Vec::new(), Vec::new());
        for _ in 0..=whole(inputs, "steps")? {
            let (loss, mut gradient) = evaluated(&training, &theta).map_err(failed)?;
            losses.push(loss);
            norms.push(fingerprint(&gradient)[0]);
            rule.advance(loss, &mut theta, &mut gradient);
        }
        let last = losses.pop();
        norms.pop();
        Ok(values([
            ("loss_before_steps", losses.into()),
            ("gradient_norm_before_steps", norms.into()),
            ("loss_after", last.into()),
        ]))
    }
}

fn adamw(inputs: Inputs<'_>) -> Result<Optimiser, CaseError> {
    let betas = inputs.numbers("betas")?;
    let [first, second] = *betas else { return Err(inputs.wrong("betas", "two numbers")) };
    let adam = AdamSettings { betas: (first, second), epsilon: inputs.positive("epsilon")? };
    Ok(Optimiser::AdamW(adam, inputs.number("weight_decay")?))
}

fn architecture(inputs: Inputs<'_>) -> Result<Architecture, CaseError> {
    Ok(Architecture {
        vocabulary: whole(inputs, "vocabulary")?,
        context: whole(inputs, "context")?,
        width: whole(inputs, "width")?,
        heads: whole(inputs, "heads")?,
        blocks: whole(inputs, "blocks")?,
        feedforward: whole(inputs, "feedforward")?,
        activation: choice(inputs, "activation")?,
        norm: choice(inputs, "norm")?,
        positions: choice(inputs, "positions")?,
        dropout: 0.0,
        tied: flag(inputs, "tied")?,
        biases: flag(inputs, "biases")?,
        embedding_factor: inputs.number("embedding_factor")?,
    })
}

fn scales(inputs: Inputs<'_>) -> Result<FormulaScales, CaseError> {
    let table = inputs.0.get("scales").and_then(Value::as_object);
    let table = table.ok_or_else(|| inputs.wrong("scales", "a table of numbers"))?;
    let scales = Inputs(table);
    Ok(FormulaScales {
        norms: scales.number("norms")?,
        norms_base: scales.number("norms_base")?,
        slopes: scales.number("slopes")?,
        slopes_base: scales.number("slopes_base")?,
        weights: scales.number("weights")?,
    })
}

fn choice<T: Field>(inputs: Inputs<'_>, name: &'static str) -> Result<T, CaseError> {
    let word = inputs.0.get(name).ok_or(CaseError::Missing(name))?.as_str();
    let found = word.and_then(|word| T::of(&settings::Value::Text(word.to_owned())));
    found.ok_or_else(|| {
        let known: Vec<&str> = T::KIND.words().iter().map(|(word, _)| *word).collect();
        inputs.wrong(name, &format!("one of {}", known.join(", ")))
    })
}

fn flag(inputs: Inputs<'_>, name: &'static str) -> Result<bool, CaseError> {
    let value = inputs.0.get(name).ok_or(CaseError::Missing(name))?;
    value.as_bool().ok_or_else(|| inputs.wrong(name, "true or false"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All other values are compared by `saddlescope verify`.
    #[test]
    fn a_block_that_is_not_there_is_named() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/oracle/transformer.json");
        let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let inputs = file["cases"][0]["inputs"].as_object().unwrap();
        let wanted = "gradient_norm.blocks.7.attn.W_Q";
        let error = KINDS[0].recompute(Inputs(inputs), &[wanted]).unwrap_err();
        assert!(error.to_string().contains(wanted), "{error}");
    }
}
