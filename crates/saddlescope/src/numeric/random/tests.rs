//! Known answers, and statistics that a poor generator or transform would fail.

use super::*;
use crate::numeric::simd::{self, Level};

const N: usize = 1 << 20;

fn normals<S: Scalar>(stream: &mut Stream, count: usize) -> Vec<f64> {
    let mut values = vec![S::ZERO; count];
    stream.fill_normal(&mut values);
    values.into_iter().map(Scalar::to_f64).collect()
}

fn uniforms<S: Scalar>(stream: &mut Stream, count: usize) -> Vec<f64> {
    let mut values = vec![S::ZERO; count];
    stream.fill_uniform(&mut values);
    values.into_iter().map(Scalar::to_f64).collect()
}

fn words(stream: &mut Stream, count: usize) -> Vec<u64> {
    let mut words = vec![0; count];
    stream.fill_u64(&mut words);
    words
}

/// Words of a second implementation, in Python, from NumPy's SFC64 and a Threefry of its own.
#[test]
fn known_words() {
    let mut stream = Stream::new(1, Purpose::Data, 2).substream(3);
    let got = words(&mut stream, 100);
    let expected = [
        (0, 0x3fa9c81b1b93170c),
        (1, 0x5797faa732b74971),
        (7, 0xce21785c96a9196d),
        (8, 0x96a8e2ceabebc8e4),
        (31, 0xe7ad47fe33cc2546),
        (32, 0x7cdb9ff72af82f90),
        (63, 0xf614a4333bfe7c89),
        (99, 0xf121e4e742bd1f4b),
    ];
    for (place, word) in expected {
        assert_eq!(got[place], word, "word {place}");
    }
    let mut extreme = Stream::new(u64::MAX, Purpose::Perturbation, u64::MAX);
    assert_eq!([extreme.next_u64(), extreme.next_u64()], [0x703bfcf24f6730c5, 0xf51ab188ac8e488c]);
}

/// The transform of Box and Muller, written as in the books, on the same words.
#[test]
fn normals_are_those_of_box_and_muller() {
    let stream = Stream::new(3, Purpose::Start, 0);
    let (words, got) =
        (words(&mut stream.clone(), 4000), normals::<f64>(&mut stream.clone(), 4000));
    for (words, got) in words.chunks(2).zip(got.chunks(2)) {
        let u = 1.0 - (words[0] >> 12) as f64 / 2f64.powi(52);
        let t = (words[1] % (1 << 52)) as f64 / 2f64.powi(52);
        let radius = (-2.0 * u.ln()).sqrt();
        let (y, x) = (std::f64::consts::FRAC_PI_4 * t).sin_cos();
        let (x, y) = if words[1] >> 61 & 1 == 0 { (x, y) } else { (y, x) };
        let sign = |bit: u64| if bit & 1 == 0 { 1.0 } else { -1.0 };
        for (got, expected) in got.iter().zip([x * sign(words[1] >> 63), y * sign(words[1] >> 62)])
        {
            assert!(
                (got - radius * expected).abs() <= 6e-15 * radius,
                "{got} for {}",
                radius * expected
            );
        }
    }
    let got = normals::<f32>(&mut stream.clone(), 8000);
    for (&word, got) in words.iter().zip(got.chunks(2)) {
        let u = (f64::from(word as u32 >> 1) + 0.5) / 2f64.powi(31);
        let radius = (-2.0 * u.ln()).sqrt();
        let length = got[0].hypot(got[1]);
        assert!((length - radius).abs() <= 3e-7 * radius + 6e-8 / radius, "{length} for {radius}");
    }
}

#[test]
fn cuts_change_nothing() {
    let root = Stream::new(5, Purpose::Batch, 8);
    let whole = words(&mut root.clone(), 1000);
    for first in [1, 2, 31, 32, 33, 64, 500, 999] {
        let mut stream = root.clone();
        let mut cut = words(&mut stream, first);
        cut.extend(words(&mut stream, 1000 - first));
        assert_eq!(cut, whole, "cut at {first}");
        let mut stream = root.clone();
        let one_by_one: Vec<u64> = (0..first).map(|_| stream.next_u64()).collect();
        assert_eq!(one_by_one, whole[..first]);
    }
    fn cut_in_two<S: Scalar>(root: &Stream, first: usize) {
        for draw in [normals::<S>, uniforms::<S>] {
            let mut stream = root.clone();
            let mut cut = draw(&mut stream, first);
            cut.extend(draw(&mut stream, 1000 - first));
            assert_eq!(cut, draw(&mut root.clone(), 1000), "cut at {first}");
        }
    }
    for first in [2, 14, 16, 18, 32, 34, 46, 62, 64, 100, 502, 998] {
        cut_in_two::<f32>(&root, first);
        cut_in_two::<f64>(&root, first);
    }
    let (mut one, mut same) = (root.clone(), root.clone());
    assert_eq!(one.normal(), normals::<f64>(&mut same, 1)[0]);
    assert_eq!(one.uniform(), uniforms::<f64>(&mut same, 1)[0]);
    assert_eq!(one.next_u64(), same.next_u64());
}

#[test]
fn streams_differ_in_every_part_of_the_key() {
    let mut firsts = std::collections::HashSet::new();
    let purposes =
        [Purpose::Start, Purpose::Data, Purpose::Batch, Purpose::Shuffle, Purpose::Perturbation];
    for seed in 0..10 {
        for purpose in purposes {
            for index in 0..10 {
                let stream = Stream::new(seed, purpose, index);
                firsts.insert(stream.clone().next_u64());
                firsts.extend((0..10).map(|sub| stream.substream(sub).next_u64()));
            }
        }
    }
    assert_eq!(firsts.len(), 10 * 5 * 10 * 11);
    let mut used = Stream::new(1, Purpose::Data, 0);
    let fresh = used.substream(4).next_u64();
    used.next_u64();
    assert_eq!(used.substream(4).next_u64(), fresh);
}

/// `value` should be `expected` within `sigmas` standard errors.
fn close(what: &str, value: f64, expected: f64, error: f64) {
    let sigmas = (value - expected) / error;
    assert!(
        sigmas.abs() < 4.0,
        "{what} is {value}, expected {expected}: {sigmas:.1} standard errors"
    );
}

/// The distribution function of a normal number, from its Taylor series about zero.
fn normal_cdf(x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        n += 2.0;
        term *= x * x / n;
        sum += term;
    }
    0.5 + sum * (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// The largest distance between the empirical and the exact distribution function, times sqrt(n).
fn kolmogorov(mut values: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let gap = |(rank, &x): (usize, &f64)| {
        let exact = cdf(x);
        (exact - rank as f64 / n).max((rank + 1) as f64 / n - exact)
    };
    values.iter().enumerate().map(gap).fold(0.0, f64::max) * n.sqrt()
}

fn check_normals<S: Scalar>(seed: u64) {
    let values = normals::<S>(&mut Stream::new(seed, Purpose::Data, 0), N);
    let n = N as f64;
    let moment = |power: i32| values.iter().map(|x| x.powi(power)).sum::<f64>() / n;
    // The variance of x^p is E x^2p - (E x^p)^2, with E x^2, 4, 6, 8 = 1, 3, 15, 105.
    close("mean", moment(1), 0.0, (1.0 / n).sqrt());
    close("second moment", moment(2), 1.0, (2.0 / n).sqrt());
    close("third moment", moment(3), 0.0, (15.0 / n).sqrt());
    close("fourth moment", moment(4), 3.0, (96.0 / n).sqrt());
    for bound in [1.0, 2.0, 3.0, 4.0] {
        let chance = 2.0 * (1.0 - normal_cdf(bound));
        let found = values.iter().filter(|x| x.abs() > bound).count() as f64;
        close("tail count", found, n * chance, (n * chance * (1.0 - chance)).sqrt());
    }
    for lag in [1, 2, 16, 32] {
        let product: f64 = values.iter().zip(&values[lag..]).map(|(x, y)| x * y).sum();
        close("lagged correlation", product / n, 0.0, (1.0 / n).sqrt());
        let squares = values.iter().zip(&values[lag..]).map(|(x, y)| (x * x - 1.0) * (y * y - 1.0));
        close("lagged correlation of squares", squares.sum::<f64>() / n, 0.0, (4.0 / n).sqrt());
    }
    // Chance 2 exp(-2 * 2.2^2) = 1.3e-4 of a larger one.
    let distance = kolmogorov(values, normal_cdf);
    assert!(distance < 2.2, "Kolmogorov-Smirnov distance {distance}");
}

#[test]
fn normals_are_normal() {
    check_normals::<f64>(1);
    check_normals::<f32>(2);
}

#[test]
fn tails_go_beyond_six_deviations() {
    let (smallest, largest) = (sample::normal_pair(u64::MAX, 0).0, sample::normal_pair(0, 0).0);
    assert!((smallest - (104.0 * std::f64::consts::LN_2).sqrt()).abs() < 1e-13);
    assert_eq!(largest, 0.0);
    // Whatever the words, numbers are finite.
    for word in [0, 1, u64::MAX, 1 << 63, u64::from(u32::MAX), 1 << 32, 0xfff] {
        let mut singles = [0f32; 32];
        f32::normals(&[word; 16], &mut singles);
        assert!(singles.iter().all(|x| x.is_finite() && x.abs() < 6.7), "{singles:?}");
        let (x, y) = sample::normal_pair(word, word);
        assert!(x.is_finite() && y.is_finite());
    }
    let mut singles = [0f32; 32];
    f32::normals(&[0; 16], &mut singles);
    assert!((f64::from(singles[0]) - (64.0 * std::f64::consts::LN_2).sqrt()).abs() < 1e-5);
}

#[test]
fn uniforms_are_uniform() {
    let mut stream = Stream::new(1, Purpose::Shuffle, 0);
    for values in [uniforms::<f64>(&mut stream, N), uniforms::<f32>(&mut stream, N)] {
        assert!(values.iter().all(|u| (0.0..1.0).contains(u)));
        close("mean", values.iter().sum::<f64>() / N as f64, 0.5, (1.0 / 12.0 / N as f64).sqrt());
        let distance = kolmogorov(values, |u| u);
        assert!(distance < 2.2, "Kolmogorov-Smirnov distance {distance}");
    }
}

#[test]
fn every_bit_is_balanced_and_follows_no_other() {
    let words = words(&mut Stream::new(9, Purpose::Data, 1), N);
    let error = 0.5 * (N as f64).sqrt();
    // 64 bits in three ways: the largest of 192 should stay below 4.5 standard errors.
    for bit in 0..64 {
        let count = |mask: fn(u64, u64) -> u64, lag: usize| {
            words.iter().zip(&words[lag..]).filter(|&(&a, &b)| mask(a, b) >> bit & 1 == 1).count()
        };
        let pairs = [count(|a, _| a, 0), count(|a, b| a ^ b, 1), count(|a, b| a ^ b, 8)];
        for (what, found) in ["set", "changed", "changed along a lane"].into_iter().zip(pairs) {
            let sigmas = (found as f64 - 0.5 * N as f64) / error;
            assert!(
                sigmas.abs() < 4.5,
                "bit {bit} {what} {found} times: {sigmas:.1} standard errors"
            );
        }
    }
}

#[test]
fn neighbouring_streams_are_uncorrelated() {
    let length = 100;
    let correlation = |what: &str, pair: &dyn Fn(u64) -> (Stream, Stream)| {
        let pairs = 5000;
        let (mut sum, mut bits) = (0.0, 0u64);
        for index in 0..pairs {
            let (mut a, mut b) = pair(index);
            bits += u64::from((a.clone().next_u64() ^ b.clone().next_u64()).count_ones());
            let (a, b) = (normals::<f64>(&mut a, length), normals::<f64>(&mut b, length));
            sum += a.iter().zip(&b).map(|(x, y)| x * y).sum::<f64>();
        }
        close(what, sum, 0.0, (pairs as f64 * length as f64).sqrt());
        close(what, bits as f64, 32.0 * pairs as f64, 4.0 * (pairs as f64).sqrt());
    };
    let new = Stream::new;
    correlation("index", &|i| (new(1, Purpose::Data, i), new(1, Purpose::Data, i + 1)));
    correlation("seed", &|i| (new(i, Purpose::Data, 0), new(i + 1, Purpose::Data, 0)));
    correlation("seed and index", &|i| {
        (new(i, Purpose::Data, i + 1), new(i + 1, Purpose::Data, i))
    });
    correlation("purpose", &|i| (new(1, Purpose::Data, i), new(1, Purpose::Batch, i)));
    let root = new(1, Purpose::Batch, 0);
    correlation("substream", &|i| (root.substream(i), root.substream(i + 1)));
    correlation("parent and child", &|i| {
        (new(1, Purpose::Batch, i), new(1, Purpose::Batch, i).substream(i))
    });
}

#[test]
fn integers_below_are_equally_likely() {
    let mut stream = Stream::new(4, Purpose::Shuffle, 0);
    for n in [1, 2, 3, 10, 1000] {
        let mut counts = vec![0u32; n as usize];
        let draws = 1000 * n;
        (0..draws).for_each(|_| counts[stream.below(n) as usize] += 1);
        let chi_square: f64 =
            counts.iter().map(|&c| (f64::from(c) - 1000.0).powi(2) / 1000.0).sum();
        close("chi square", chi_square, (n - 1) as f64, (2.0 * (n - 1) as f64).sqrt().max(1e-9));
    }
    // Without rejection, multiples of three would come up for two words out of four.
    let threes = (0..30_000).filter(|_| stream.below(3 << 62).is_multiple_of(3)).count();
    close("multiples of three", threes as f64, 10_000.0, (30_000f64 * 2.0 / 9.0).sqrt());
}

#[test]
#[should_panic(expected = "no integer lies below 0")]
fn nothing_lies_below_zero() {
    Stream::new(0, Purpose::Data, 0).below(0);
}

#[test]
fn shuffles_reach_all_orders_equally() {
    let mut stream = Stream::new(6, Purpose::Shuffle, 0);
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..24_000 {
        let mut items = [0, 1, 2, 3];
        stream.shuffle(&mut items);
        *counts.entry(items).or_insert(0u32) += 1;
    }
    assert_eq!(counts.len(), 24);
    let chi_square: f64 = counts.values().map(|&c| (f64::from(c) - 1000.0).powi(2) / 1000.0).sum();
    close("chi square", chi_square, 23.0, 46f64.sqrt());
}

/// Run by the next test, once per level.
#[test]
#[ignore = "run by another test, in child processes"]
fn child_reports_a_digest() {
    let mut stream = Stream::new(11, Purpose::Data, 0);
    let mut digest = 0u64;
    let mut absorb =
        |bits: u64| digest = digest.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ bits;
    for length in [1, 2, 7, 100, 1000] {
        words(&mut stream, length).into_iter().for_each(&mut absorb);
        for draw in [normals::<f32>, normals::<f64>, uniforms::<f32>, uniforms::<f64>] {
            draw(&mut stream, length).into_iter().for_each(|x| absorb(x.to_bits()));
        }
        absorb(stream.normal().to_bits());
    }
    println!("level={} digest={digest:016x}", simd::level());
}

#[test]
fn every_level_gives_the_same_bits() {
    let digest = |level: Level| {
        let test = "numeric::random::tests::child_reports_a_digest";
        let report = crate::toys::in_child(test, &level.to_string());
        let (_, rest) = report.split_once(&format!("level={level} digest=")).expect(&report);
        rest[..16].to_owned()
    };
    let levels = Level::ALL.into_iter().filter(|&level| level <= Level::detected());
    let digests: Vec<_> = levels.map(digest).collect();
    assert!(digests.iter().all(|digest| digest == &digests[0]), "{digests:?}");
}
