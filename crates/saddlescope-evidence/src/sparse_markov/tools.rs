//! What claims share: the paper's strengths, written starts, random heads, flows of the exact loss to its mid-levels.

use super::*;

/// What differences of order six leave of a derivative.
pub(super) const DIFFERENCES: f64 = 1e-10;

/// `m_k = m^(h-k) b_0` with `m = 1.7`, `b_0 = 1`. 000, B.4.
pub(super) const STRENGTHS: [f64; 3] = [2.89, 1.7, 1.0];

/// The exact loss of `heads` heads, with feature `j` at position `j`.
pub(super) fn model(strengths: &[f64], positions: usize, heads: usize) -> Outcome<Factorisation> {
    let places: Vec<usize> = (0..strengths.len()).collect();
    Ok(Factorisation::new(Target::orthonormal(strengths, &places, positions)?, heads)?)
}

/// The parameters of these heads.
pub(super) fn parameters(model: &Factorisation, heads: &[Head]) -> Vec<f64> {
    let v: Vec<f64> = heads.iter().flat_map(|head| head.v.iter().copied()).collect();
    let s: Vec<f64> = heads.iter().flat_map(|head| head.s.iter().copied()).collect();
    model.state(&v, &s)
}

/// The heads of a state, with attention by our own softmax.
pub(super) fn heads(model: &Factorisation, theta: &[f64]) -> Vec<Head> {
    let head = |k: usize| {
        let (v, q) = model.head(theta, k);
        Head::new(v, &softmax(q))
    };
    (0..model.heads).map(head).collect()
}

/// A head of ordinary size anywhere inside.
pub(super) fn random_head(rank: usize, positions: usize, stream: &mut Stream) -> Head {
    let v = random(rank, 1.0, stream);
    Head { v, s: softmax(&random(positions, 1.0, stream)) }
}

/// Heads of ordinary size anywhere inside.
pub(super) fn random_heads(
    count: usize,
    rank: usize,
    positions: usize,
    trial: Trial,
    index: u64,
) -> Vec<Head> {
    let mut stream = stream(trial, index);
    (0..count).map(|_| random_head(rank, positions, &mut stream)).collect()
}

/// Values zero, attention `1/T` plus `noise` times normal numbers whose mean is taken out.
pub(super) fn noisy_heads(
    count: usize,
    rank: usize,
    positions: usize,
    noise: f64,
    stream: &mut Stream,
) -> Vec<Head> {
    let even = 1.0 / positions as f64;
    let head = |numbers: Vec<f64>| {
        let mean = numbers.iter().sum::<f64>() / positions as f64;
        let s = numbers.iter().map(|x| even + noise * (x - mean)).collect();
        Head { v: vec![0.0; rank], s }
    };
    (0..count).map(|_| head(random(positions, 1.0, stream))).collect()
}

/// Values zero, attention as listed in parts of its sum.
pub(super) fn listed_heads(rank: usize, shares: &[&[u32]]) -> Vec<Head> {
    let head = |row: &&[u32]| {
        let sum: f64 = row.iter().map(|&share| f64::from(share)).sum();
        let s = row.iter().map(|&share| f64::from(share) / sum).collect();
        Head { v: vec![0.0; rank], s }
    };
    shares.iter().map(head).collect()
}

/// The flow of the exact loss from `start`, noting when it passes each mid-level, until `until` or the last of them.
pub(super) fn crossings(model: &Factorisation, start: &[f64], until: f64) -> Outcome<FlowEnd> {
    through(model, start, &model.target.mid_levels(model.heads), until)
}

/// The written start of that many positions with its noise scaled.
pub(super) fn scaled(shares: &[&[u32]], scale: f64) -> Vec<Head> {
    let even = 1.0 / shares[0].len() as f64;
    let mut heads = listed_heads(3, shares);
    heads.iter_mut().flat_map(|head| &mut head.s).for_each(|s| *s = even + scale * (*s - even));
    heads
}

/// When the loss passes its mid-levels from there.
pub(super) fn crossing_times(strengths: &[f64], start: &[Head]) -> Outcome<Vec<f64>> {
    let model = model(strengths, start[0].s.len(), start.len())?;
    times(&crossings(&model, &parameters(&model, start), f64::INFINITY)?)
}

/// The heads along the flow of the exact loss, at each of `at`.
pub(super) fn along(model: &Factorisation, start: &[Head], at: &[f64]) -> Outcome<Vec<Vec<Head>>> {
    let snapshots = states(&GradientFlow::new(model), &parameters(model, start), at)?;
    Ok(snapshots.iter().map(|snapshot| heads(model, &snapshot.state)).collect())
}

/// The start of ten positions that an independent implementation used, in parts of each row's sum.
pub(super) const TEN: [&[u32]; 3] = [
    &[
        10_004_105, 9_978_322, 10_055_574, 10_002_022, 9_937_965, 10_027_692, 10_121_932,
        10_086_240, 9_921_158, 9_864_990,
    ],
    &[
        9_982_776, 10_049_236, 9_812_601, 10_023_224, 9_920_513, 9_971_877, 9_990_678, 10_013_474,
        10_086_267, 10_149_355,
    ],
    &[
        9_986_957, 10_136_457, 9_933_291, 10_034_961, 10_090_157, 10_009_212, 9_925_460, 9_907_638,
        9_954_038, 10_021_830,
    ],
];

/// The same for forty positions, as in the paper's simulation.
pub(super) const FORTY: [&[u32]; 3] = [
    &[
        2_534_278, 2_581_882, 2_532_764, 2_369_404, 2_590_255, 2_544_357, 2_446_025, 2_557_832,
        2_536_177, 2_529_133, 2_502_562, 2_554_391, 2_426_074, 2_483_429, 2_451_508, 2_559_605,
        2_503_692, 2_470_474, 2_421_529, 2_474_001, 2_500_534, 2_472_160, 2_629_126, 2_600_392,
        2_228_604, 2_310_819, 2_482_243, 2_457_501, 2_521_084, 2_521_452, 2_711_504, 2_388_518,
        2_461_959, 2_703_997, 2_564_390, 2_566_026, 2_448_319, 2_334_912, 2_516_466, 2_510_621,
    ],
    &[
        2_391_860, 2_446_273, 2_507_391, 2_420_120, 2_504_768, 2_524_144, 2_518_154, 2_463_966,
        2_573_970, 2_603_712, 2_546_680, 2_432_772, 2_587_761, 2_464_451, 2_602_512, 2_407_417,
        2_606_042, 2_512_589, 2_389_721, 2_483_206, 2_520_006, 2_541_875, 2_416_377, 2_403_858,
        2_534_554, 2_467_921, 2_538_146, 2_590_547, 2_349_717, 2_540_034, 2_637_060, 2_484_843,
        2_433_514, 2_589_820, 2_539_940, 2_604_184, 2_480_074, 2_366_414, 2_503_594, 2_470_013,
    ],
    &[
        2_578_721, 2_520_552, 2_338_104, 2_381_672, 2_589_567, 2_569_165, 2_437_164, 2_501_084,
        2_545_746, 2_548_029, 2_588_813, 2_526_837, 2_491_706, 2_475_304, 2_606_763, 2_276_103,
        2_487_323, 2_504_489, 2_358_654, 2_534_470, 2_436_060, 2_587_433, 2_488_629, 2_568_104,
        2_623_073, 2_539_481, 2_413_616, 2_349_757, 2_676_527, 2_490_059, 2_432_332, 2_515_614,
        2_482_047, 2_586_403, 2_504_581, 2_502_563, 2_429_731, 2_548_145, 2_397_802, 2_567_777,
    ],
];
