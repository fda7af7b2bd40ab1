//! Runs gathered by seed and by value of `x`, so that an ensemble of drawn seeds is a sum.

/// Runs by seed and by value of `x`.
pub(super) struct Cells {
    /// The different values of `x`, ascending.
    pub(super) x: Vec<f64>,
    /// For each seed its runs: the place of `x`, and `y`.
    pub(super) seeds: Vec<Vec<(usize, f64)>>,
}

/// What a fit needs to know of many runs: for each value of `x`, how many there are and their means.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    /// The logarithms of `x`, ascending.
    pub(super) logs: Vec<f64>,
    /// Runs at each value of `x`.
    pub(super) counts: Vec<f64>,
    /// Mean of `y` at each.
    pub(super) means: Vec<f64>,
    /// Mean of `ln y` at each.
    pub(super) mean_logs: Vec<f64>,
}

impl Cells {
    /// `points` are `(x, y, seed)`.
    pub(super) fn new(points: &[(f64, f64, u64)]) -> Self {
        let mut x: Vec<f64> = points.iter().map(|point| point.0).collect();
        x.sort_by(f64::total_cmp);
        x.dedup();
        let mut names: Vec<u64> = points.iter().map(|point| point.2).collect();
        names.sort_unstable();
        names.dedup();
        let mut seeds = vec![Vec::new(); names.len()];
        for &(at, y, seed) in points {
            let place = x.partition_point(|&value| value < at);
            seeds[names.partition_point(|&name| name < seed)].push((place, y));
        }
        Self { x, seeds }
    }

    /// All runs: the place of `x`, and `y`.
    pub(super) fn each(&self) -> impl Iterator<Item = (usize, f64)> {
        self.seeds.iter().flatten().copied()
    }

    /// Each seed once.
    pub(super) fn total(&self) -> Sums {
        self.sums(&vec![1; self.seeds.len()])
    }

    /// Each seed as often as `times` says; values of `x` without runs are left out.
    pub(super) fn sums(&self, times: &[u32]) -> Sums {
        let values = self.x.len();
        let (mut counts, mut sums, mut logs) =
            (vec![0.0; values], vec![0.0; values], vec![0.0; values]);
        for (runs, &times) in self.seeds.iter().zip(times) {
            let times = f64::from(times);
            for &(place, y) in runs.iter().filter(|_| times > 0.0) {
                counts[place] += times;
                sums[place] += times * y;
                // A logarithmic law has no use for it, and lets any y pass.
                logs[place] += times * y.ln();
            }
        }
        let divided = |sums: &[f64]| sums.iter().zip(&counts).map(|(sum, n)| sum / n).collect();
        let (means, mean_logs) = (divided(&sums), divided(&logs));
        let logs = self.x.iter().map(|x| x.ln()).collect();
        let all = Sums { logs, means, mean_logs, counts };
        all.only(|place| all.counts[place] > 0.0)
    }
}

impl Sums {
    pub(super) fn count(&self) -> usize {
        self.counts.iter().sum::<f64>() as usize
    }

    /// The values of `x` in these places.
    pub(super) fn only(&self, keep: impl Fn(usize) -> bool) -> Self {
        let kept = |values: &[f64]| -> Vec<f64> {
            let all = values.iter().enumerate().filter(|(place, _)| keep(*place));
            all.map(|(_, &value)| value).collect()
        };
        Self {
            logs: kept(&self.logs),
            counts: kept(&self.counts),
            means: kept(&self.means),
            mean_logs: kept(&self.mean_logs),
        }
    }
}
