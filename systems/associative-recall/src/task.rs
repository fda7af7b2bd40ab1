//! The law of the data: all permutations with their responses, and a query that asks for one of them.

use crate::Error;

/// The recall task of order `k` with `R` responses. 001, section 2.1.
///
/// A sequence lists all `k!` permutations of the tokens `0..k` in lexicographic order, each followed by
/// its response, and ends with the `k` tokens of the query. Response `r` is the token `k + r`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// `k`.
    pub order: usize,
    /// `R`.
    pub responses: usize,
    pub context: Context,
}

/// Which words a context consists of, each followed by its response. The query is always one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// All permutations in lexicographic order: the paper's.
    Complete,
    /// All permutations in an order of their own in each sequence.
    Shuffled,
    /// So many different permutations, drawn for each sequence.
    Incomplete(usize),
    /// So many different words of `k` tokens, of which some may be equal, drawn for each sequence.
    Repeating(usize),
}

/// The largest order whose `k!` permutations are ever listed: 11! of them take more than 300 MB.
pub const LARGEST_LISTED: usize = 10;

/// The largest order: the recursion over subsets holds `2^k` numbers, and takes `k 2^k` steps.
pub const LARGEST_ORDER: usize = 16;

impl Context {
    pub fn word(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Shuffled => "shuffled",
            Self::Incomplete(_) => "incomplete",
            Self::Repeating(_) => "repeating",
        }
    }
}

impl Task {
    /// The task of order `order` with `responses` possible responses.
    pub fn new(order: usize, responses: usize) -> Result<Self, Error> {
        let expected = format!(
            "a whole number from 2 to {LARGEST_ORDER}: a single token has one permutation, and \
             sums over subsets grow as 2^k"
        );
        Error::ensure((2..=LARGEST_ORDER).contains(&order), "order", order, expected)?;
        let expected = "at least 2: with one response there is nothing to recall";
        Error::ensure(responses >= 2, "responses", responses, expected)?;
        Ok(Self { order, responses, context: Context::Complete })
    }

    /// The same task with other contexts.
    pub fn with(self, context: Context) -> Result<Self, Error> {
        let task = Self { context, ..self };
        let (entries, most) = (task.entries(), task.words());
        let expected = format!(
            "from 2 to {most:.0}: there are {most:.0} words, and a context has each at most once"
        );
        Error::ensure(entries >= 2.0 && entries <= most, "entries", entries, expected)?;
        Ok(task)
    }

    /// Words that contexts are made of: `k!`, or `k^k` where tokens may be equal.
    pub fn words(&self) -> f64 {
        match self.context {
            Context::Repeating(_) => (self.order as f64).powi(self.order as i32),
            _ => self.permutations(),
        }
    }

    /// Words in a context.
    pub fn entries(&self) -> f64 {
        match self.context {
            Context::Complete | Context::Shuffled => self.permutations(),
            Context::Incomplete(entries) | Context::Repeating(entries) => entries as f64,
        }
    }

    pub fn permutations(&self) -> f64 {
        factorial(self.order)
    }

    /// Tokens of a sequence: `(k + 1)! + k` with complete contexts.
    pub fn length(&self) -> f64 {
        self.entries() * (self.order as f64 + 1.0) + self.order as f64
    }

    /// Tokens there are: `k + R`.
    pub fn vocabulary(&self) -> usize {
        self.order + self.responses
    }

    /// `1 - 1/R`: the loss of a guess, and the factor in front of every loss that uses the responses.
    pub fn guess(&self) -> f64 {
        1.0 - 1.0 / self.responses as f64
    }

    /// All words that contexts are made of in lexicographic order, one after the other.
    pub fn list(&self) -> Result<Permutations, Error> {
        match self.context {
            Context::Repeating(_) => Permutations::repeating(self.order),
            _ => Permutations::new(self.order),
        }
    }

    /// Writes the tokens of the sequence that gives each of these words the next `response`, and asks for `query`.
    pub fn write<'a>(
        &self,
        words: impl IntoIterator<Item = &'a [u16]>,
        mut response: impl FnMut() -> usize,
        query: &[u16],
        sequence: &mut Vec<u16>,
    ) {
        sequence.clear();
        for word in words {
            sequence.extend_from_slice(word);
            sequence.push((self.order + response()) as u16);
        }
        sequence.extend_from_slice(query);
    }

    /// The same sequence, from the responses to the permutations in their order.
    pub fn sequence(&self, list: &Permutations, responses: &[usize], query: &[u16]) -> Vec<u16> {
        let (mut responses, mut sequence) = (responses.iter().copied(), Vec::new());
        self.write(list.iter(), || responses.next().unwrap_or_default(), query, &mut sequence);
        sequence
    }
}

/// One sequence of the task, the same every time: the one that sketches show and single predictions are of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The response to each permutation, in their order.
    pub responses: Vec<usize>,
    /// The place of the query among the permutations.
    pub query: usize,
}

impl Example {
    /// The example of a task with so many `permutations`. With four tokens and four responses, on each plateau every
    /// response that is left has another probability, and the right one is not the likeliest from the first on.
    pub fn new(task: &Task, permutations: usize) -> Self {
        let response = |t: usize| (t * t + t / 2) % task.responses;
        let responses = (0..permutations).map(response).collect();
        Self { responses, query: permutations.div_ceil(6) }
    }
}

/// All permutations of `0..k` in lexicographic order, or all words of `k` of these tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permutations {
    order: usize,
    tokens: Vec<u16>,
}

impl Permutations {
    pub fn new(order: usize) -> Result<Self, Error> {
        let expected = format!(
            "at most {LARGEST_LISTED} where every permutation is listed: {order}! = {} of them do \
             not fit",
            factorial(order)
        );
        Error::ensure(order <= LARGEST_LISTED, "order", order, expected)?;
        let mut current: Vec<u16> = (0..order as u16).collect();
        let mut tokens = current.clone();
        while next(&mut current) {
            tokens.extend_from_slice(&current);
        }
        Ok(Self { order, tokens })
    }

    /// All `k^k` words.
    fn repeating(order: usize) -> Result<Self, Error> {
        const LARGEST: usize = 6;
        let expected = format!("at most {LARGEST} where tokens may be equal: there are k^k words");
        Error::ensure(order <= LARGEST, "order", order, expected)?;
        let place =
            |word: usize, i: usize| (word / order.pow((order - 1 - i) as u32) % order) as u16;
        let tokens =
            (0..order.pow(order as u32)).flat_map(|word| (0..order).map(move |i| place(word, i)));
        Ok(Self { order, tokens: tokens.collect() })
    }

    pub fn len(&self) -> usize {
        self.tokens.len() / self.order
    }

    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    pub fn iter(&self) -> std::slice::ChunksExact<'_, u16> {
        self.tokens.chunks_exact(self.order)
    }

    pub fn get(&self, index: usize) -> &[u16] {
        &self.tokens[index * self.order..(index + 1) * self.order]
    }
}

/// The next permutation in lexicographic order, or `false` after the last one.
fn next(tokens: &mut [u16]) -> bool {
    let Some(pivot) = tokens.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    // There is one: the neighbour of the pivot is larger.
    let Some(larger) = tokens.iter().rposition(|&token| token > tokens[pivot]) else {
        return false;
    };
    tokens.swap(pivot, larger);
    tokens[pivot + 1..].reverse();
    true
}

/// `n!`.
pub fn factorial(n: usize) -> f64 {
    (1..=n).map(|i| i as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_lists_every_permutation_with_its_response() {
        for order in 2..=5 {
            let task = Task::new(order, 3).unwrap();
            let list = task.list().unwrap();
            assert_eq!(list.len() as f64, task.permutations());
            let responses: Vec<usize> = (0..list.len()).map(|t| t % 3).collect();
            assert_eq!(
                task.with(Context::Repeating(2)).unwrap().list().unwrap().len(),
                order.pow(order as u32)
            );
            let sequence = task.sequence(&list, &responses, list.get(1));
            assert_eq!(sequence.len() as f64, task.length());
            let mut sorted: Vec<&[u16]> = list.iter().collect();
            sorted.dedup();
            assert!(sorted.is_sorted() && sorted.len() == list.len());
        }
        // 001, Fig. 2: k = 2 with the responses A, B.
        let task = Task::new(2, 2).unwrap();
        let list = task.list().unwrap();
        assert_eq!(task.sequence(&list, &[0, 1], &[1, 0]), [0, 1, 2, 1, 0, 3, 1, 0]);
    }

    #[test]
    fn what_makes_no_task_is_refused_by_value() {
        for (order, responses, words) in
            [(1, 4, "order is 1"), (17, 4, "order is 17"), (4, 1, "responses is 1")]
        {
            let error = Task::new(order, responses).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let task = Task::new(3, 2).unwrap();
        for (context, words) in [
            (Context::Incomplete(1), "entries is 1"),
            (Context::Incomplete(7), "from 2 to 6"),
            (Context::Repeating(28), "from 2 to 27"),
        ] {
            let error = task.with(context).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        assert_eq!(task.with(Context::Repeating(20)).unwrap().length(), 83.0);
        let error = Permutations::new(11).unwrap_err().to_string();
        assert!(error.contains("11! = 39916800"), "{error}");
    }
}
