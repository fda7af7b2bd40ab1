//! What attention does, read off its weights over many sequences.

/// Sums over sequences for every head of every block.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attention {
    length: usize,
    sequences: usize,
    heads: Vec<Head>,
    /// For each token of the sequence at hand, the place behind its last occurrence.
    behind: Vec<Option<usize>>,
    repeats: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Head {
    entropy: f64,
    lags: Vec<f64>,
    induction: f64,
}

/// Added to weights under the logarithm, as the authors of 004 do (Fig. 10).
const FLOOR: f64 = 1e-8;

impl Attention {
    /// Nothing yet, for so many `heads` in all on sequences of `length` inputs.
    pub(crate) fn new(heads: usize, length: usize) -> Self {
        let head = Head { entropy: 0.0, lags: vec![0.0; length], induction: 0.0 };
        let heads = vec![head; heads];
        Self { length, sequences: 0, heads, behind: vec![None; length], repeats: 0 }
    }

    /// Begins with a sequence, whose heads come next.
    pub(crate) fn begin(&mut self, inputs: &[u32]) {
        self.sequences += 1;
        for query in 0..self.length {
            let last = inputs[..query].iter().rposition(|&token| token == inputs[query]);
            // A token that follows itself at once would look at itself.
            self.behind[query] = last.map(|place| place + 1).filter(|&place| place < query);
            self.repeats += usize::from(self.behind[query].is_some());
        }
    }

    /// Adds the weights of a head on the sequence at hand: `length x length`, a row for each query, 0 above the diagonal.
    pub(crate) fn add(&mut self, head: usize, weights: &[f64]) {
        let head = &mut self.heads[head];
        for (query, row) in weights.chunks_exact(self.length).enumerate() {
            for (key, &weight) in row[..=query].iter().enumerate() {
                head.lags[query - key] += weight;
                head.entropy -= weight * (weight + FLOOR).ln();
            }
            if let Some(place) = self.behind[query] {
                head.induction += row[place];
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.sequences += other.sequences;
        self.repeats += other.repeats;
        for (head, other) in self.heads.iter_mut().zip(&other.heads) {
            head.entropy += other.entropy;
            head.induction += other.induction;
            head.lags.iter_mut().zip(&other.lags).for_each(|(sum, lag)| *sum += lag);
        }
    }

    /// The mean over queries and sequences of `-sum a ln(a + 1e-8)`, in nats. 004, Fig. 10.
    pub(crate) fn entropy(&self, head: usize) -> f64 {
        self.heads[head].entropy / (self.sequences * self.length) as f64
    }

    pub(crate) fn mean_entropy(&self) -> f64 {
        let sum: f64 = (0..self.heads.len()).map(|head| self.entropy(head)).sum();
        sum / self.heads.len() as f64
    }

    /// The mean weight at so many tokens back, over the queries that have so many before them.
    pub(crate) fn lag(&self, head: usize, lag: usize) -> f64 {
        self.heads[head].lags[lag] / (self.sequences * (self.length - lag)) as f64
    }

    /// The mean weight from a token to the one behind its last occurrence; 0 where none comes again.
    pub(crate) fn induction(&self, head: usize) -> f64 {
        self.heads[head].induction / self.repeats.max(1) as f64
    }

    pub(crate) fn largest_induction(&self) -> f64 {
        (0..self.heads.len()).map(|head| self.induction(head)).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Even attention over all tokens up to the query.
    fn even(length: usize) -> Vec<f64> {
        let entry = |place: usize| {
            let (query, key) = (place / length, place % length);
            if key <= query { 1.0 / (query + 1) as f64 } else { 0.0 }
        };
        (0..length * length).map(entry).collect()
    }

    #[test]
    fn even_attention_has_the_entropy_of_its_counts() {
        let mut seen = Attention::new(1, 35);
        seen.begin(&[0; 35]);
        seen.add(0, &even(35));
        // The mean of ln n for n = 1..35.
        assert!((seen.entropy(0) - 2.6325).abs() < 5e-5, "{}", seen.entropy(0));
        let harmonic: f64 = (1..=35).map(|n| 1.0 / f64::from(n)).sum();
        assert!((seen.lag(0, 0) - harmonic / 35.0).abs() < 1e-15);
        assert!((seen.lag(0, 34) - 1.0 / 35.0).abs() < 1e-15);
    }

    #[test]
    fn a_head_that_looks_behind_the_last_occurrence_is_an_induction_head() {
        // Tokens 1 2 3 1 1 2: the second 1 looks at the first 2, the third at nothing but itself, the second 2 at the 3.
        let inputs = [1, 2, 3, 1, 1, 2];
        let mut weights = vec![0.0; 36];
        let looks = [0, 1, 2, 1, 4, 2];
        looks.iter().enumerate().for_each(|(query, key)| weights[6 * query + key] = 1.0);
        let mut seen = Attention::new(2, 6);
        seen.begin(&inputs);
        seen.add(0, &weights);
        seen.add(1, &even(6));
        assert_eq!((seen.induction(0), seen.entropy(0)), (1.0, -(1.0 + FLOOR).ln()));
        assert!((seen.induction(1) - 0.5 * (1.0 / 4.0 + 1.0 / 6.0)).abs() < 1e-15);
    }

    #[test]
    fn what_was_seen_apart_adds_up() {
        let (first, second) = ([1, 2, 3, 1, 1, 2], [4, 4, 5, 6, 5, 4]);
        // Each token looks at itself.
        let own: Vec<f64> = (0..36).map(|place| f64::from(place % 7 == 0)).collect();
        let add = |seen: &mut Attention, inputs: &[u32], weights: [&[f64]; 2]| {
            seen.begin(inputs);
            weights.iter().enumerate().for_each(|(head, weights)| seen.add(head, weights));
        };
        let [mut whole, mut one, mut other] = [(); 3].map(|()| Attention::new(2, 6));
        add(&mut whole, &first, [&own, &even(6)]);
        add(&mut whole, &second, [&even(6), &own]);
        add(&mut one, &first, [&own, &even(6)]);
        add(&mut other, &second, [&even(6), &own]);
        let alone = one.clone();
        one.merge(&other);
        let told = |seen: &Attention| {
            let head = |h| [seen.induction(h), seen.entropy(h), seen.lag(h, 0), seen.lag(h, 2)];
            [0, 1].map(head).concat()
        };
        assert!((one.mean_entropy() - whole.mean_entropy()).abs() < 1e-15);
        for ((merged, whole), alone) in told(&one).iter().zip(told(&whole)).zip(told(&alone)) {
            assert!((merged - whole).abs() < 1e-15, "{merged} is not {whole}");
            assert!((merged - alone).abs() > 1e-3, "{merged} is what the first saw");
        }
    }
}
