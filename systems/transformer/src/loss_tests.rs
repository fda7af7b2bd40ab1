use saddlescope_spec::testing::{self, assert_close, assert_slopes, same_on_threads};

use super::*;
use crate::{Activation, Architecture, Fixed, Norm, Positions, Reader, Scales, Start};

/// Small models that between them make every choice.
fn models() -> Vec<Architecture> {
    let small = Architecture { width: 6, feedforward: 5, ..Architecture::small(7, 5) };
    vec![
        small.clone(),
        Architecture {
            norm: Norm::After,
            activation: Activation::Relu,
            blocks: 2,
            ..small.clone()
        },
        Architecture { norm: Norm::None, positions: Positions::Alibi, blocks: 2, ..small.clone() },
        Architecture {
            positions: Positions::Sinusoidal,
            tied: true,
            embedding_factor: 2.5,
            ..small.clone()
        },
        Architecture { width: 15, heads: 3, biases: false, blocks: 3, ..small.clone() },
        Architecture {
            feedforward: 0,
            norm: Norm::After,
            positions: Positions::None,
            ..small.clone()
        },
        Architecture {
            feedforward: 0,
            tied: true,
            biases: false,
            positions: Positions::Alibi,
            ..small.clone()
        },
        Architecture { dropout: 0.3, blocks: 2, ..small.clone() },
        Architecture { dropout: 0.3, norm: Norm::After, positions: Positions::Alibi, ..small },
    ]
}

fn tokens(vocabulary: usize, count: usize) -> Vec<u32> {
    let mut stream = Stream::new(11, Purpose::Data, 0);
    (0..count).map(|_| stream.below(vocabulary as u64) as u32).collect()
}

fn training<S: Real>(of: &Architecture, form: Form, sequences: usize) -> Training<S> {
    let model = Transformer::new(of.clone()).unwrap();
    let each = form.length + 1;
    let data = Fixed::new(tokens(of.vocabulary, sequences * each), each);
    Training::new(model, form, Arc::new(data)).unwrap()
}

/// A start far from any symmetry.
fn theta(of: &Architecture) -> Vec<f64> {
    let model = Transformer::new(of.clone()).unwrap();
    let mut theta = model.start(Start::Layers, &Scales::default(), 5);
    let mut stream = Stream::new(6, Purpose::Start, 0);
    theta.iter_mut().for_each(|entry| *entry += 0.2 * stream.normal());
    theta
}

fn evaluate<S: Real>(training: &Training<S>, theta: &[f64]) -> (f64, Vec<f64>) {
    let theta: Vec<S> = theta.iter().map(|&entry| S::from_f64(entry)).collect();
    let (loss, gradient) = testing::evaluate(training, &theta, Draw { seed: 3, step: 4 });
    (loss, gradient.iter().map(|slope| slope.to_f64()).collect())
}

/// Every so many slopes, and some of each block, are differences of the loss.
fn compare_with_differences(of: &Architecture, form: Form, stride: usize) {
    let training = training::<f64>(of, form, 3);
    let theta = theta(of);
    let (_, gradient) = evaluate(&training, &theta);
    let loss = |theta: &[f64]| evaluate(&training, theta).0;
    for block in training.blocks() {
        let slopes = block.range().step_by(stride).map(|place| (place, gradient[place]));
        assert_slopes(slopes, (&theta, 1e-5), loss, 2e-9, (&block.name, of));
    }
}

#[test]
fn every_block_of_slopes_is_that_of_the_loss() {
    for of in models() {
        for skip in [0, 3] {
            compare_with_differences(&of, Form { length: 5, skip }, 1);
        }
    }
}

#[test]
fn slopes_of_long_tables_are_those_of_the_loss() {
    let of = Architecture { width: 4, feedforward: 3, ..Architecture::small(2100, 4) };
    compare_with_differences(&of, Form::all(4), 61);
    compare_with_differences(&Architecture { tied: true, ..of }, Form::all(4), 61);
}

#[test]
fn single_precision_is_double_precision_rounded() {
    for of in models() {
        let form = Form { length: 5, skip: 1 };
        let theta = theta(&of);
        let (loss, gradient) = evaluate(&training::<f64>(&of, form, 40), &theta);
        let (single, singles) = evaluate(&training::<f32>(&of, form, 40), &theta);
        assert!((loss - single).abs() < 1e-5, "{loss} {single}");
        assert_close(&singles, &gradient, 2e-5, &of);
    }
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let wide = Architecture { width: 4, ..Architecture::small(2100, 5) };
    for of in models().into_iter().chain([wide]) {
        let training = training::<f32>(&of, Form::all(5), 203);
        let theta = theta(&of);
        let bits = || {
            let (loss, gradient) = evaluate(&training, &theta);
            (loss.to_bits(), gradient.iter().map(|slope| slope.to_bits()).collect::<Vec<_>>())
        };
        same_on_threads(bits, of);
    }
}

#[test]
fn a_batch_is_the_mean_of_its_sequences() {
    let of = Architecture { norm: Norm::After, ..models()[1].clone() };
    let (form, theta) = (Form { length: 5, skip: 2 }, theta(&of));
    let (loss, gradient) = evaluate(&training::<f64>(&of, form, 1000), &theta);
    let model = Transformer::new(of.clone()).unwrap();
    let all = tokens(of.vocabulary, 6000);
    let (mut losses, mut sums) = (0.0, vec![0.0; theta.len()]);
    for sequence in all.chunks_exact(6) {
        let data = Arc::new(Fixed::new(sequence.to_vec(), 6));
        let one = Training::<f64>::new(Arc::clone(&model), form, data).unwrap();
        let (loss, gradient) = evaluate(&one, &theta);
        losses += loss / 1000.0;
        sums.iter_mut().zip(&gradient).for_each(|(sum, slope)| *sum += slope / 1000.0);
    }
    assert!((loss - losses).abs() < 1e-12);
    assert_close(&gradient, &sums, 1e-13, "mean of sequences");
}

#[test]
fn the_mean_over_dropout_is_no_dropout_where_the_model_is_linear_in_it() {
    // The slope of the loss along the readout's bias at theta = 0 does not see dropout; the loss of a model without norms,
    // whose logits are linear in the embeddings, has the mean that it has without to first order.
    let of = Architecture { norm: Norm::None, feedforward: 0, dropout: 0.2, ..models()[0].clone() };
    let model = Transformer::new(of.clone()).unwrap();
    let theta: Vec<f64> =
        model.start(Start::Normal(1e-4), &Scales::default(), 1).iter().map(|x| x * 10.0).collect();
    let form = Form::all(5);
    let training = training::<f64>(&of, form, 4);
    let plain = Architecture { dropout: 0.0, ..of };
    let (loss, _) = evaluate(&self::training::<f64>(&plain, form, 4), &theta);
    let (mut work, mut gradient) = (training.work(), vec![0.0; theta.len()]);
    let losses: Vec<f64> = (0..4000)
        .map(|step| {
            training.evaluate(&theta, Draw { seed: 1, step }, &mut work, &mut gradient).unwrap()
        })
        .collect();
    let mean = losses.iter().sum::<f64>() / 4000.0;
    let variance = losses.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 4000.0;
    let error = (variance / 4000.0).sqrt();
    assert!(error > 0.0 && (mean - loss).abs() < 4.0 * error + 1e-11, "{mean} {loss} {error}");
}

#[test]
fn a_reader_reads_what_training_sees() {
    for of in models().into_iter().filter(|of| of.dropout == 0.0) {
        let (form, theta) = (Form { length: 5, skip: 2 }, theta(&of));
        let (loss, _) = evaluate(&training::<f64>(&of, form, 9), &theta);
        let model = Transformer::new(of.clone()).unwrap();
        let mut reader = Reader::<f64>::new(&model, &theta, form, 9).unwrap();
        reader.read(&tokens(of.vocabulary, 9 * 6)).unwrap();
        let mean = reader.losses().iter().sum::<f64>() / reader.losses().len() as f64;
        assert!((mean - loss).abs() < 1e-13, "{mean} {loss}");
        let rows = reader.log_probabilities().chunks_exact(of.vocabulary);
        for row in rows {
            assert!((row.iter().map(|log| log.exp()).sum::<f64>() - 1.0).abs() < 1e-12);
        }
        for head in 0..of.heads {
            let row = reader.attention((of.blocks - 1, head), (8, 1));
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12 && row[4] == 0.0, "{row:?}");
        }
    }
}

#[test]
fn a_reader_lists_all_probabilities_of_long_vocabularies_where_asked() {
    let of = Architecture { width: 4, ..Architecture::small(2100, 5) };
    let (form, theta) = (Form::all(5), theta(&of));
    let model = Transformer::new(of.clone()).unwrap();
    let tokens = tokens(of.vocabulary, 3 * 6);
    let mut tiles = Reader::<f64>::new(&model, &theta, form, 3).unwrap();
    let mut whole = Reader::<f64>::new(&model, &theta, form, 3).unwrap().listing();
    tiles.read(&tokens).unwrap();
    whole.read(&tokens).unwrap();
    assert!(tiles.log_probabilities().is_empty());
    assert_eq!(whole.log_probabilities().len(), 15 * 2100);
    assert_close(tiles.losses(), whole.losses(), 1e-12, "losses");
}

#[test]
fn what_does_not_fit_is_refused_with_names() {
    let refused = |of: Architecture| Transformer::new(of).unwrap_err().to_string();
    let small = Architecture::small(7, 5);
    let of = Architecture { width: 32, heads: 3, ..small.clone() };
    assert_eq!(refused(of), "width is 32, expected a multiple of the 3 heads");
    let of = Architecture { width: 9, heads: 3, positions: Positions::Sinusoidal, ..small.clone() };
    assert!(refused(of).starts_with("width is 9, expected an even number"));
    let of = Architecture { dropout: 1.0, ..small.clone() };
    assert_eq!(refused(of), "dropout is 1, expected at least 0 and below 1");
    let model = Transformer::new(small).unwrap();
    let error = model.ensure_fits(Form::all(6)).unwrap_err().to_string();
    assert_eq!(
        error,
        "length of a sequence is 6, expected at most 5 (the context, for which there are positions)"
    );
}

#[test]
fn an_unknown_token_and_a_loss_that_is_no_number_are_faults() {
    let of = Architecture::small(7, 5);
    let model = Transformer::new(of.clone()).unwrap();
    let data = Arc::new(Fixed::new(vec![0, 1, 2, 7, 0, 1], 6));
    let training = Training::<f32>::new(model, Form::all(5), data).unwrap();
    let mut gradient = vec![0.0; training.blocks().len()];
    let theta = vec![0.1; gradient.len()];
    let fault = training.evaluate(&theta, Draw::default(), &mut training.work(), &mut gradient);
    assert!(fault.unwrap_err().to_string().contains("token 7 is not below the vocabulary of 7"));
    let training = self::training::<f32>(&of, Form::all(5), 2);
    let theta = vec![f32::NAN; gradient.len()];
    let fault = training.evaluate(&theta, Draw::default(), &mut training.work(), &mut gradient);
    assert!(fault.is_err());
}
