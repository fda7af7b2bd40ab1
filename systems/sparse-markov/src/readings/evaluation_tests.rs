use saddlescope_spec::testing::{assert_close, normals, same_on_threads};

use super::*;
use crate::matrices::SequenceModel as _;
use crate::task::chain::TEST;
use crate::{Exact, Group, Minimal, plain};

fn chain() -> Arc<Chain> {
    let groups = vec![
        Group::even(&[1, 2]),
        Group { lags: vec![3, 5], weights: vec![0.75, 0.25] },
        Group::even(&[4]),
    ];
    let features = Chain::orthogonal_features(5, &[6.0, 4.0, 2.0], 4);
    Arc::new(Chain::new(groups, features, (7, None)).unwrap())
}

fn evaluation(count: usize) -> Evaluation {
    let (chain, fit) = (chain(), Fit { sequences: Some(200), ..Fit::default() });
    let data = chain.data_set(count, (1, TEST));
    Evaluation::new(chain, data, fit).unwrap()
}

/// `mean_t KL(f || p)` of each sequence, `p` as a model in double precision has it.
fn divergences(
    evaluation: &Evaluation,
    (minimal, theta): (&Minimal, &[f64]),
    f: impl Fn(&[u16], usize) -> Vec<f64>,
) -> Vec<f64> {
    let chain = &evaluation.chain;
    let mut reader = minimal.reader::<f64>();
    reader.load(theta);
    let mut all = Vec::new();
    for sequence in evaluation.data.chunks_exact(chain.tokens()) {
        reader.read(sequence);
        let mut sum = 0.0;
        for t in 0..chain.length {
            let f = f(sequence, t);
            for token in 0..chain.vocabulary {
                sum += f[token] * (f[token].ln() - reader.log_probabilities(t)[token]);
            }
        }
        all.push(sum / chain.length as f64);
    }
    all
}

fn close(found: Estimate, numbers: &[f64], tolerance: f64) {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    assert!((found.mean - mean).abs() < tolerance, "{found:?} {mean}");
    assert!((found.error - (variance / n).sqrt()).abs() < tolerance, "{found:?} {variance}");
}

#[test]
fn divergences_are_those_of_plain_sums() {
    // More than one chunk, the last one not whole.
    let evaluation = evaluation(150);
    let chain = &evaluation.chain;
    let minimal = Minimal::new(chain.clone(), 2).unwrap();
    let theta = normals(minimal.blocks.len(), 1.0, 0);
    let references = [
        Reference::Truth,
        Reference::Rung(1),
        Reference::Rung(2),
        Reference::Rung(3),
        Reference::Best(1),
        Reference::Best(3),
    ];
    let want = Want { references: &references, cross_entropy: true, ..Want::default() };
    let found = evaluation.evaluate(&Model::new(&minimal, &theta).unwrap(), &want).unwrap();
    let model = (&minimal, &theta[..]);
    for (place, groups) in [(0, 3), (1, 1), (2, 2), (3, 3), (5, 3)] {
        let wanted = divergences(&evaluation, model, |sequence, t| {
            plain::law(chain, groups, &sequence[..chain.order + t])
        });
        close(found.references[place], &wanted, 2e-6);
    }
    let best = evaluation.fitted(1).unwrap().unwrap();
    let wanted = divergences(&evaluation, model, |sequence, t| {
        let (mut logs, mut scratch) = (vec![0.0; best.stride()], vec![0.0; best.stride()]);
        best.log_probabilities(&sequence[..chain.order + t], &mut logs, &mut scratch);
        logs[..5].iter().map(|log| f64::from(*log).exp()).collect()
    });
    close(found.references[4], &wanted, 2e-6);
    let mut reader = minimal.reader::<f64>();
    reader.load(&theta);
    let mut drawn = Vec::new();
    for sequence in evaluation.data.chunks_exact(chain.tokens()) {
        reader.read(sequence);
        let one = |t: usize| reader.log_probabilities(t)[usize::from(sequence[5 + t])];
        drawn.push(-(0..7).map(one).sum::<f64>() / 7.0);
    }
    close(found.cross_entropy.unwrap(), &drawn, 2e-6);
    assert_eq!(found.attention, None);
}

/// Drawn sequences against exact means over all of them.
#[test]
fn rungs_have_their_exact_excess() {
    let features = Chain::orthogonal_features(4, &[5.0, 3.0], 4);
    let chain = Arc::new(Chain::new(Group::contiguous(2, 2), features, (6, None)).unwrap());
    let exact = Exact::new(&chain).unwrap();
    let data = chain.data_set(5000, (3, TEST));
    let evaluation = Evaluation::new(chain.clone(), data, Fit::default()).unwrap();
    let want = Want { references: &[Reference::Truth], cross_entropy: true, ..Want::default() };
    let rungs = exact.excess_of_rungs(&chain);
    for (count, wanted) in [(0, exact.excess_of_even()), (1, rungs[0])] {
        let found = evaluation.evaluate(&chain.rung(count), &want).unwrap();
        let excess = found.references[0];
        assert!((excess.mean - wanted).abs() < 4.0 * excess.error, "{count}: {excess:?} {wanted}");
        assert!(excess.error < 0.02 * wanted, "{count}: {excess:?}");
        let drawn = found.cross_entropy.unwrap();
        let wanted = wanted + exact.entropy();
        // What is even says the same of every token: there only rounding is left.
        let bound = 4.0 * drawn.error + 1e-7;
        assert!((drawn.mean - wanted).abs() < bound, "{count}: {drawn:?} {wanted}");
        let direct = divergence(&chain, (&chain.law, &chain.rung(count)), &evaluation.data);
        assert!((direct.mean - excess.mean).abs() < 1e-6, "{direct:?} {excess:?}");
    }
    let law = evaluation.evaluate(&chain.law, &want).unwrap().references[0];
    assert!(law.mean.abs() < 1e-8 && law.error < 1e-8, "{law:?}");
    // Nothing was fitted, since nobody asked for it.
    assert!(evaluation.fitted.iter().all(|cell| cell.get().is_none()));
}

/// Two layers, a window, and lags in more than one group: every share by its definition.
#[test]
fn attention_is_that_of_plain_sums() {
    let evaluation = evaluation(130);
    let chain = &evaluation.chain;
    let (n, w, queries) = (11, 5, 7);
    for window in [None, Some(3)] {
        let mut minimal = Minimal::new(chain.clone(), 2).unwrap().layers(2).unwrap();
        if let Some(window) = window {
            minimal = minimal.window(window).unwrap();
        }
        let theta = normals(minimal.blocks.len(), 1.0, 3);
        let want = Want { attention: true, ..Want::default() };
        let found = evaluation.evaluate(&Model::new(&minimal, &theta).unwrap(), &want).unwrap();
        assert!(found.references.is_empty() && found.cross_entropy.is_none());
        let found = found.attention.unwrap();
        assert_eq!(found.heads(), (2, 2));
        let mut reader = minimal.reader::<f64>();
        reader.load(&theta);
        for (layer, head) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let mut map = vec![0.0; n * queries];
            let mut lags = vec![0.0; n + 1];
            let (mut groups, mut entropies) = (vec![Vec::new(); 3], Vec::new());
            for sequence in evaluation.data.chunks_exact(chain.tokens()) {
                reader.read(sequence);
                let (mut of_groups, mut entropy) = ([0.0; 3], 0.0);
                for t in 0..queries {
                    let p = w - 1 + t;
                    for j in 0..=p {
                        let share = reader.attention(layer, head, t)[j];
                        map[j * queries + t] += share / 130.0;
                        lags[p + 1 - j] += share / 130.0 / queries as f64;
                        for (sum, group) in of_groups.iter_mut().zip(&chain.groups) {
                            if group.lags.contains(&(p + 1 - j)) {
                                *sum += share / queries as f64;
                            }
                        }
                        if share > 0.0 {
                            entropy -= share * share.ln() / queries as f64;
                        }
                    }
                }
                groups.iter_mut().zip(of_groups).for_each(|(all, sum)| all.push(sum));
                entropies.push(entropy);
            }
            assert_close(&found.head(layer, head).map, &map, 1e-5, "map");
            for lag in 1..=n {
                let found = found.lag(layer, head, lag);
                assert!((found - lags[lag]).abs() < 1e-5, "lag {lag}: {found} {}", lags[lag]);
                assert!(window.is_none_or(|window| lag <= window || found == 0.0));
            }
            assert_eq!((found.lag(layer, head, 0), found.lag(layer, head, n + 1)), (0.0, 0.0));
            for (k, numbers) in groups.iter().enumerate() {
                close(found.group(layer, head, k), numbers, 1e-5);
            }
            close(found.head(layer, head).entropy, &entropies, 1e-5);
        }
        for (layer, k) in [(0, 0), (0, 1), (1, 2)] {
            let [a, b] = [0, 1].map(|head| found.group(layer, head, k).mean);
            assert_eq!(found.owner(layer, k), usize::from(b > a), "{a} {b}");
        }
    }
}

#[test]
fn measures_do_not_depend_on_the_number_of_threads() {
    let minimal = Minimal::new(chain(), 2).unwrap();
    let theta = normals(minimal.blocks.len(), 1.0, 5);
    let want = Want {
        references: &[Reference::Truth, Reference::Best(1)],
        cross_entropy: true,
        attention: true,
    };
    let model = Model::new(&minimal, &theta).unwrap();
    same_on_threads(|| evaluation(200).evaluate(&model, &want).unwrap(), "measures");
}

#[test]
fn what_cannot_be_measured_is_named() {
    let evaluation = evaluation(2);
    let want = Want { references: &[Reference::Rung(4)], ..Want::default() };
    let error = evaluation.evaluate(&evaluation.chain.law, &want).unwrap_err().to_string();
    assert_eq!(error, "number of groups that a reference reads is 4, expected 1 to 3");
    let of = |data| Evaluation::new(chain(), data, Fit::default()).unwrap_err().to_string();
    let tokens = "expected a multiple of 12 (w + T), and at least that";
    assert_eq!(of(vec![0; 13]), format!("test data has 13 entries, {tokens}"));
    assert_eq!(of(vec![5; 12]), "test data[0] is 5, expected a token below 5 (the vocabulary)");
}
