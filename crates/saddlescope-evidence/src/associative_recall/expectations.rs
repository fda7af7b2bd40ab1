//! Lemma C.3 and its proof: expectations over all maps and queries while one head moves.

use super::*;

const HEAD: LagHead = LagHead { alpha: 0.7, delta: -0.3, beta: 0.9 };

/// A task listed, with one head of the form of Lemma C.3.
struct Case {
    listed: Listed,
    shares: Vec<Vec<f64>>,
    /// `e^(gamma_1)`.
    raised: f64,
    what: String,
}

impl Case {
    fn all() -> [Self; 2] {
        [(2, 3), (3, 2)].map(|(k, responses)| Self::new(k, responses))
    }

    fn new(k: usize, responses: usize) -> Self {
        let listed = Listed::whole(k, responses);
        let theta = formed(k, &[HEAD]);
        let shares = |sample| listed.forward(sample, &theta, PLAIN).shares;
        let shares = listed.samples.iter().map(shares).collect();
        let raised = (HEAD.beta * HEAD.beta * lead(k, HEAD.alpha)).exp();
        let what =
            format!("mean over {} sequences, k = {k}, R = {responses}", listed.samples.len());
        Self { listed, shares, raised, what }
    }

    fn k(&self) -> f64 {
        self.listed.order as f64
    }

    fn responses(&self) -> f64 {
        self.listed.responses as f64
    }

    /// `(k - 1)!`.
    fn orders(&self) -> f64 {
        factorial(self.listed.order - 1)
    }

    /// `e^(gamma_1) + k - 1`.
    fn sum(&self) -> f64 {
        self.raised + self.k() - 1.0
    }

    /// Permutations.
    fn all_t(&self) -> std::ops::Range<usize> {
        0..self.listed.permutations.len()
    }

    /// The share of permutation `t` in the first sequence by Lemma C.3, where the head looks for that lag.
    fn share(&self, t: usize, lag: usize) -> f64 {
        let matches = self.listed.matches(&self.listed.samples[0], 1, t, lag);
        (if matches { self.raised } else { 1.0 }) / (self.sum() * self.orders())
    }

    /// Permutations that match the first query at lag 2.
    fn second_matches(&self) -> impl Iterator<Item = usize> {
        self.all_t().filter(|&t| self.listed.matches(&self.listed.samples[0], 1, t, 2))
    }

    /// The mean of something over all sequences and their shares.
    fn mean(&self, of: impl Fn(&Sample, &[f64]) -> f64) -> f64 {
        let sum: f64 = self.listed.samples.iter().zip(&self.shares).map(|(s, p)| of(s, p)).sum();
        sum / self.shares.len() as f64
    }

    /// `E sum_t weight_t 1{r_t = r and q_(k-1) = pi_(t,k-i)}`.
    fn joint(&self, lag: usize, weighted: bool) -> f64 {
        self.mean(|sample, shares| {
            let both = |t: &usize| {
                sample.map[*t] == sample.map[sample.query]
                    && self.listed.matches(sample, 1, *t, lag)
            };
            self.all_t().filter(both).map(|t| if weighted { shares[t] } else { 1.0 }).sum()
        })
    }
}

pub(super) fn lemma_c_3(e: &mut Evidence, _: Trial) {
    for case in Case::all() {
        let below = case.orders() * case.responses() * case.sum() * case.sum();
        let other = case.raised * (case.responses() - 1.0) / below;
        let sides = |i: usize| {
            let printed = if i == 1 { -(case.k() - 1.0) * other } else { other };
            (printed, case.mean(|s, p| case.listed.delta(s, p, 1, i)))
        };
        let pairs = (1..=case.listed.order).map(sides);
        e.case(&case.what).of("E Delta_1i for all lags").pairs(pairs, ROUNDING);
    }
}

pub(super) fn shares_one_head(e: &mut Evidence, _: Trial) {
    for case in Case::all() {
        let printed: Vec<f64> = case.all_t().map(|t| case.share(t, 1)).collect();
        let mut e = e.case(&case.what);
        e.of("s_t of all permutations").each(&printed, &case.shares[0], ROUNDING);
    }
}

pub(super) fn lemma_c_3_sum(e: &mut Evidence, _: Trial) {
    for case in Case::all() {
        let middle = |inner: usize| case.second_matches().map(|t| case.share(t, inner)).sum();
        let forms = [2, 1].map(|inner| vec![middle(inner), 1.0 / case.sum()]);
        let found = vec![case.second_matches().map(|t| case.shares[0][t]).sum::<f64>(); 2];
        let what = "middle and right-hand side";
        e.case(&case.what).both(what).each(forms.each_ref(), &found, ROUNDING);
    }
}

pub(super) fn independence(e: &mut Evidence, _: Trial) {
    for case in Case::all() {
        let (r, k) = (case.responses(), case.k());
        let own = 1.0 / factorial(case.listed.order);
        let forms =
            [1.0 / r, own + (1.0 - own) / r].map(|alike| vec![alike, 1.0 / k, 1.0 / (r * k)]);
        let chance = |of: &dyn Fn(&Sample) -> bool| case.mean(|sample, _| f64::from(of(sample)));
        let alike = |sample: &Sample| sample.map[0] == sample.map[sample.query];
        let there = |sample: &Sample| case.listed.matches(sample, 1, 0, 2);
        let both = |sample: &Sample| alike(sample) && there(sample);
        let found = vec![chance(&alike), chance(&there), chance(&both)];
        let what = "P(r_t = r), P(q_(k-1) = pi_(t,k-i)) and that of both";
        e.case(&case.what).both(what).each(forms.each_ref(), &found, ROUNDING);
    }
}

pub(super) fn lemma_c_3_count(e: &mut Evidence, _: Trial) {
    for case in Case::all() {
        let r = case.responses();
        let printed = (r - 1.0) / r + case.orders() / r;
        e.case(&case.what).of("the count").abs(printed, case.joint(1, false), ROUNDING);
    }
}

pub(super) fn lemma_c_3_joint(e: &mut Evidence, _: Trial) {
    for case in Case::all() {
        let (r, sum) = (case.responses(), case.sum());
        let extra = (r - 1.0) / (case.orders() * r);
        let printed = [case.raised / sum * (extra + 1.0 / r), 1.0 / (sum * r)];
        let found = [1, 2].map(|lag| case.joint(lag, true));
        e.case(&case.what).of("i = 1 and i = 2").each(&printed, &found, ROUNDING);
    }
}

pub(super) fn lemma_c_3_response(e: &mut Evidence, _: Trial) {
    for case in Case::all() {
        let r = case.responses();
        let printed = case.raised / case.sum() * (r - 1.0) / (case.orders() * r) + 1.0 / r;
        let found = case.mean(|sample, shares| {
            let alike = |t: &usize| sample.map[*t] == sample.map[sample.query];
            (0..shares.len()).filter(alike).map(|t| shares[t]).sum()
        });
        e.case(&case.what).of("the share of the response").abs(printed, found, ROUNDING);
    }
}
