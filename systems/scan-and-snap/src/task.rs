//! The task: sequences of several classes, each with its own law of tokens, a query at the end and a token to predict.

use crate::Error;

#[derive(Debug, Clone, PartialEq)]
pub struct ClassSpec {
    /// The last token of its sequences, `psi(n)`.
    pub query: usize,
    /// The token that follows, by which the class is known.
    pub next: usize,
    /// Tokens of the context with their probabilities `P(l|n)`.
    pub law: Vec<(usize, f64)>,
}

/// A class of sequences, in places of `Task::tokens` and `Task::queries`.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    pub next: usize,
    pub query: usize,
    /// Places of its tokens in `Task::tokens`, ascending.
    pub support: Vec<usize>,
    /// `P(l|n)` of each of them.
    pub probability: Vec<f64>,
}

/// Sequence classes over a vocabulary. 004, section 3.2; all classes are equally likely.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// `M`.
    pub vocabulary: usize,
    /// `K`, in the order in which they were given.
    pub classes: Vec<Class>,
    /// The tokens that occur in contexts, ascending.
    pub tokens: Vec<usize>,
    /// The tokens that sequences end with, ascending.
    pub queries: Vec<usize>,
    /// In how many classes each of `tokens` occurs: the size of `Omega(l)`.
    seen_in: Vec<usize>,
}

/// How far from one the probabilities of a class may add up to.
const ROUNDING: f64 = 1e-9;

impl Task {
    pub fn new(vocabulary: usize, classes: &[ClassSpec]) -> Result<Self, Error> {
        Error::ensure(vocabulary >= 2, "vocabulary", vocabulary, "at least 2 tokens")?;
        Error::ensure_counts(classes.len(), "classes")?;
        for (n, class) in classes.iter().enumerate() {
            check(n, class, vocabulary)?;
            let twin = classes[..n].iter().position(|other| other.next == class.next);
            if let Some(twin) = twin {
                let expected = format!("a token of its own: class {twin} has it already");
                return Err(Error::value(format!("next token of class {n}"), class.next, expected));
            }
        }
        let occurs = |class: &ClassSpec| {
            class.law.iter().filter(|(_, p)| *p > 0.0).map(|(l, _)| *l).collect()
        };
        let tokens = sorted(classes.iter().map(occurs).collect::<Vec<Vec<usize>>>().concat());
        let queries = sorted(classes.iter().map(|class| class.query).collect());
        let place = |list: &[usize], token: usize| list.partition_point(|&other| other < token);
        let mut seen_in = vec![0; tokens.len()];
        let mut placed = Vec::with_capacity(classes.len());
        for class in classes {
            let mut law: Vec<(usize, f64)> =
                class.law.iter().copied().filter(|(_, p)| *p > 0.0).collect();
            law.sort_by_key(|&(token, _)| token);
            let support: Vec<usize> = law.iter().map(|&(token, _)| place(&tokens, token)).collect();
            support.iter().for_each(|&l| seen_in[l] += 1);
            placed.push(Class {
                next: class.next,
                query: place(&queries, class.query),
                support,
                probability: law.into_iter().map(|(_, p)| p).collect(),
            });
        }
        Ok(Self { vocabulary, classes: placed, tokens, queries, seen_in })
    }

    /// Whether the token at place `l` belongs to one class alone. 004, section 3.2.
    pub fn is_distinct(&self, l: usize) -> bool {
        self.seen_in[l] == 1
    }

    /// Places in the support of class `n` of its distinct tokens.
    pub fn distinct(&self, n: usize) -> impl Iterator<Item = usize> + '_ {
        let support = &self.classes[n].support;
        (0..support.len()).filter(|&i| self.is_distinct(support[i]))
    }

    /// Places in the support of class `n` of the tokens that it shares.
    pub fn common(&self, n: usize) -> impl Iterator<Item = usize> + '_ {
        let support = &self.classes[n].support;
        (0..support.len()).filter(|&i| !self.is_distinct(support[i]))
    }

    /// The smallest loss that a decoder can come near to: zero, unless classes cannot be told apart, because they have the
    /// same law and the same query; or one and the same token, and the decoder does not see the query.
    pub fn least_loss(&self, sees_query: bool) -> f64 {
        let alike = |a: &Class, b: &Class| {
            let same_law = a.support == b.support && a.probability == b.probability;
            same_law && (a.query == b.query || a.support.len() == 1 && !sees_query)
        };
        // Different directions of length one can always be told apart: each is a corner of the ball.
        let twins = |class: &Class| self.classes.iter().filter(|other| alike(class, other)).count();
        let sum: f64 = self.classes.iter().map(|class| (twins(class) as f64).ln()).sum();
        sum / self.classes.len() as f64
    }

    /// The place in the support of class `n` of its most likely distinct token.
    pub fn dominant(&self, n: usize) -> Option<usize> {
        let p = &self.classes[n].probability;
        self.distinct(n).max_by(|&a, &b| p[a].total_cmp(&p[b]))
    }
}

fn sorted(mut list: Vec<usize>) -> Vec<usize> {
    list.sort_unstable();
    list.dedup();
    list
}

fn check(n: usize, class: &ClassSpec, vocabulary: usize) -> Result<(), Error> {
    let inside = |token: usize, what: String| {
        let expected = || format!("below {vocabulary}, the size of the vocabulary");
        if token < vocabulary { Ok(()) } else { Err(Error::value(what, token, expected())) }
    };
    inside(class.query, format!("query of class {n}"))?;
    inside(class.next, format!("next token of class {n}"))?;
    let mut seen = Vec::with_capacity(class.law.len());
    for &(token, probability) in &class.law {
        inside(token, format!("a token of class {n}"))?;
        let what = format!("probability of token {token} in class {n}");
        let fits = probability.is_finite() && probability >= 0.0;
        Error::ensure(fits, what, probability, "a number of 0 or more")?;
        seen.push(token);
    }
    seen.sort_unstable();
    if let Some(pair) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Error::value(format!("a token of class {n}"), pair[0], "listed once"));
    }
    let seen = class.law.iter().any(|&(_, probability)| probability != 0.0);
    let what = format!("number of tokens of class {n}");
    Error::ensure(seen, what, 0, "at least one token with a probability above 0")?;
    let sum: f64 = class.law.iter().map(|&(_, probability)| probability).sum();
    let what = format!("sum of the probabilities of class {n}");
    Error::ensure((sum - 1.0).abs() <= ROUNDING, what, sum, "1")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ids {
    /// Tokens of their own after those of the contexts, as the authors ran it: Syn-Small has 34.
    #[default]
    Own,
    /// The first tokens of the vocabulary, as the print has it: Syn-Small has 30.
    Shared,
}

/// The synthetic tasks of 004, section 8: common tokens, then the distinct tokens of class after class, then queries and
/// next tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Synthetic {
    /// The query of each class, counted from 0: `psi`.
    pub psi: Vec<usize>,
    /// How many tokens all classes share.
    pub common: usize,
    /// The weight of each of them.
    pub common_weight: f64,
    /// The weights of a class's distinct tokens; all are then divided by their sum.
    pub distinct: Vec<f64>,
    pub ids: Ids,
    /// Size of the vocabulary; as many tokens as there are where `None`.
    pub vocabulary: Option<usize>,
}

impl Synthetic {
    /// `queries` of `next_per_query` classes each, with the tokens of the authors: 10 common ones of weight 1, and 10
    /// distinct ones per class of weights 0.1, 0.2, ..., 1.
    pub fn authors(queries: usize, next_per_query: usize) -> Self {
        Self {
            psi: even(queries, next_per_query),
            common: 10,
            common_weight: 1.0,
            distinct: (1..=10).map(|i| f64::from(i) / 10.0).collect(),
            ids: Ids::Own,
            vocabulary: None,
        }
    }

    /// One query, one common token, and a vocabulary with tokens that never occur: the setting of 004, section 6.
    pub fn single(classes: usize, vocabulary: usize, common_weight: f64, distinct: &[f64]) -> Self {
        Self {
            psi: vec![0; classes],
            common: 1,
            common_weight,
            distinct: distinct.to_vec(),
            ids: Ids::Own,
            vocabulary: Some(vocabulary),
        }
    }

    pub fn task(&self) -> Result<Task, Error> {
        let (classes, queries) = (self.psi.len(), 1 + self.psi.iter().copied().max().unwrap_or(0));
        let weights = std::iter::once(&self.common_weight).chain(&self.distinct);
        for (i, &weight) in weights.enumerate() {
            let what = if i == 0 {
                "common_weight".into()
            } else {
                format!("distinct_weights[{}]", i - 1)
            };
            Error::ensure_positive(weight, what)?;
        }
        let own = self.common + self.distinct.len();
        Error::ensure_counts(own, "number of tokens of a class")?;
        let contents = self.common + classes * self.distinct.len();
        let (first_query, first_next, least) = match self.ids {
            Ids::Own => (contents, contents + queries, contents + queries + classes),
            Ids::Shared => (0, 0, contents.max(queries).max(classes)),
        };
        let vocabulary = self.vocabulary.unwrap_or(least);
        let expected = format!(
            "at least {least}: {contents} tokens of contexts, {queries} queries, {classes} next tokens"
        );
        Error::ensure(vocabulary >= least, "vocabulary", vocabulary, expected)?;
        let sum = self.common as f64 * self.common_weight + self.distinct.iter().sum::<f64>();
        let class = |(n, &query): (usize, &usize)| {
            let first = self.common + n * self.distinct.len();
            let common = (0..self.common).map(|l| (l, self.common_weight / sum));
            let distinct = self.distinct.iter().enumerate().map(|(i, w)| (first + i, w / sum));
            ClassSpec {
                query: first_query + query,
                next: first_next + n,
                law: common.chain(distinct).collect(),
            }
        };
        Task::new(vocabulary, &self.psi.iter().enumerate().map(class).collect::<Vec<_>>())
    }
}

/// `psi` of classes that take their queries in turn: the first `next_per_query` the first, and so on.
pub fn even(queries: usize, next_per_query: usize) -> Vec<usize> {
    (0..queries).flat_map(|m| std::iter::repeat_n(m, next_per_query)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(query: usize, next: usize, law: &[(usize, f64)]) -> ClassSpec {
        ClassSpec { query, next, law: law.to_vec() }
    }

    #[test]
    fn the_authors_tasks_have_their_sizes() {
        let small = Synthetic::authors(2, 1).task().unwrap();
        assert_eq!((small.vocabulary, small.classes.len()), (34, 2));
        assert_eq!(small.queries, [30, 31]);
        assert_eq!(small.classes[1].next, 33);
        // Each common token 1/15.5, the likeliest distinct one too.
        assert!((small.classes[0].probability[0] - 1.0 / 15.5).abs() < 1e-15);
        assert_eq!(small.dominant(1), Some(19));
        assert_eq!(small.common(0).count(), 10);
        for queries in [1, 3, 5, 10] {
            let medium = Synthetic::authors(queries, 2).task().unwrap();
            let k = 2 * queries;
            assert_eq!(medium.vocabulary, 10 + 10 * k + queries + k);
            assert_eq!(medium.classes.iter().filter(|class| class.query == 0).count(), 2);
        }
        let printed = Synthetic { ids: Ids::Shared, ..Synthetic::authors(2, 1) }.task().unwrap();
        assert_eq!(printed.vocabulary, 30);
    }

    #[test]
    fn the_least_loss_is_what_cannot_be_told_apart() {
        let law = [(0, 0.5), (1, 0.5)];
        let twins = [class(5, 0, &law), class(5, 1, &law), class(6, 2, &law)];
        let task = Task::new(9, &twins).unwrap();
        let expected = 2.0 * 2f64.ln() / 3.0;
        assert!((task.least_loss(false) - expected).abs() < 1e-15);
        // One and the same token: only the query tells, if it is seen.
        let single = [class(5, 0, &[(0, 1.0)]), class(6, 1, &[(0, 1.0)])];
        let task = Task::new(9, &single).unwrap();
        assert!((task.least_loss(false) - 2f64.ln()).abs() < 1e-15);
        assert_eq!(task.least_loss(true), 0.0);
        assert_eq!(Synthetic::authors(3, 2).task().unwrap().least_loss(false), 0.0);
    }

    #[test]
    fn what_is_no_task_is_refused_by_value() {
        let error = |m, classes: &[ClassSpec]| Task::new(m, classes).unwrap_err().to_string();
        let good = class(1, 0, &[(0, 0.25), (2, 0.75)]);
        assert!(
            error(3, &[class(1, 0, &[(0, 0.5), (2, 0.4)])]).contains("class 0 is 0.9, expected 1")
        );
        assert!(error(3, &[class(1, 0, &[])]).contains("number of tokens of class 0 is 0"));
        assert!(
            error(3, &[good.clone(), class(1, 2, &[(7, 1.0)])])
                .contains("a token of class 1 is 7, expected below 3")
        );
        assert!(error(3, &[class(4, 0, &[(0, 1.0)])]).contains("query of class 0 is 4"));
        assert!(error(3, &[good.clone(), good.clone()]).contains("next token of class 1 is 0"));
        assert!(
            error(3, &[class(1, 0, &[(0, -0.5), (2, 1.5)])]).contains("token 0 in class 0 is -0.5")
        );
        assert!(error(3, &[class(1, 0, &[(0, 0.5), (0, 0.5)])]).contains("listed once"));
        assert!(error(1, &[good]).contains("vocabulary is 1"));
        let narrow = Synthetic { vocabulary: Some(20), ..Synthetic::authors(2, 1) };
        assert!(
            narrow
                .task()
                .unwrap_err()
                .to_string()
                .contains("vocabulary is 20, expected at least 34")
        );
    }
}
