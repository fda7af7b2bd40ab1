//! The members of a plan, each made when it is asked for.
//!
//! They are counted arm by arm, point of the design by point, seed by seed.

use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope_spec::settings::sweep;

use super::draft::{Draft, Vary, section_index};
use super::expand::points;
use super::*;

/// Checked sections of a sweep that are kept, at most.
const MOST_CASES: usize = 4096;

/// One run of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// A name that is a good folder and that no other member has: `arm-adam_rank-2_seed-3`.
    pub label: String,
    pub arm: Option<String>,
    pub varied: Vec<(String, Value)>,
    pub seed: u64,
    pub experiment: Experiment,
}

impl Member {
    /// Whether another member differs in nothing but the seed.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.arm == other.arm && self.varied == other.varied
    }
}

/// The settings of a section in each case, one for each stage. What decides on them is the section,
/// the arm if it changes the section, and which value each setting has that is varied in it.
pub(super) type Cases = HashMap<(usize, Option<usize>, Vec<usize>), Arc<Vec<Settings>>>;

pub(super) struct Points {
    pub(super) draft: Draft,
    design: Design,
    arms: Vec<ArmPoints>,
    cases: Mutex<Cases>,
}

struct ArmPoints {
    arm: Option<usize>,
    varied: Vec<usize>,
    count: usize,
}

/// Where a member stands; without a point, all that is varied has its first value.
struct Position<'a> {
    arm: &'a ArmPoints,
    point: Option<usize>,
    seed: u64,
}

impl std::fmt::Debug for Points {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Points").field("count", &self.count()).finish_non_exhaustive()
    }
}

impl Plan {
    pub fn len(&self) -> usize {
        let made = |points: &Arc<Points>| points.count().saturating_mul(self.seeds.len());
        self.points.as_ref().map_or(self.members.len(), made)
    }

    /// Whether there are none, which reading a plan does not allow.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Member `index`, or what is wrong with its settings.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn member(&self, index: usize) -> Result<Member, String> {
        assert!(index < self.len(), "there is no member {index}");
        match &self.points {
            None => Ok(self.members[index].clone()),
            Some(points) => {
                let made = points
                    .member(self, &points.position(self, index))
                    .map_err(|errors| words(&errors))?;
                Ok(Member { label: numbered(index), ..made })
            }
        }
    }

    /// Member `index` as far as it is known where its settings are wrong: its arm, what was given for it and its seed are
    /// its own; the rest is that of its arm's first member.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn outline(&self, index: usize) -> Member {
        assert!(index < self.len(), "there is no member {index}");
        let Some(points) = &self.points else { return self.members[index].clone() };
        let at = points.position(self, index);
        let value = |&vary: &usize| {
            let value = match points.change(&at, vary).value.value {
                Input::Integer(value) => Value::Integer(value),
                Input::Number(value) => Value::Number(value),
                Input::Text(text) => Value::Text(text),
                _ => return None,
            };
            Some((self.vary[vary].key.clone(), value))
        };
        Member {
            label: numbered(index),
            varied: at.arm.varied.iter().filter_map(value).collect(),
            seed: at.seed,
            ..self.members[at.arm.arm.unwrap_or(0)].clone()
        }
    }
}

impl Points {
    pub(super) fn new(draft: Draft, cases: Cases) -> Self {
        let design = Design::new(draft.sweep.as_deref(), &draft.vary);
        let arm = |arm: Option<usize>| {
            let varied: Vec<usize> =
                (0..draft.vary.len()).filter(|&vary| draft.varies(vary, arm)).collect();
            ArmPoints { arm, count: design.points(&varied), varied }
        };
        let arms = match draft.arms.len() {
            0 => vec![arm(None)],
            count => (0..count).map(|index| arm(Some(index))).collect(),
        };
        Self { draft, design, arms, cases: Mutex::new(cases) }
    }

    fn count(&self) -> usize {
        self.arms.iter().fold(0, |all, arm| all.saturating_add(arm.count))
    }

    /// All members of `plan`, each with a name that says what tells it apart; numbers where names get too long.
    pub(super) fn all(&self, plan: &Plan) -> AllChecked<Vec<Member>> {
        let labels = Labels::new(plan);
        let mut members = Vec::new();
        for arm in &self.arms {
            for point in 0..arm.count {
                let pick = |&vary: &usize| (vary, self.design.pick(point, &arm.varied, vary));
                let stem = labels.stem(arm.arm, arm.varied.iter().map(pick));
                for &seed in &plan.seeds {
                    let made = self.member(plan, &Position { arm, point: Some(point), seed })?;
                    members.push(Member { label: format!("{stem}seed-{seed}"), ..made });
                }
            }
        }
        if members.iter().any(|member| member.label.len() > LONGEST) {
            for (index, member) in members.iter_mut().enumerate() {
                member.label = format!("member-{index:05}");
            }
        }
        Ok(members)
    }

    /// The first member of each arm: every setting that is varied has its first value. Afterwards, only sections in which
    /// nothing is varied are still known.
    pub(super) fn firsts(&self, plan: &Plan) -> AllChecked<Vec<Member>> {
        let seed = plan.seeds[0];
        let first = |arm| self.member(plan, &Position { arm, point: None, seed });
        let firsts = self.arms.iter().map(first).collect();
        forget(&mut lock(&self.cases));
        firsts
    }

    fn position(&self, plan: &Plan, index: usize) -> Position<'_> {
        let seeds = &plan.seeds;
        let (mut point, seed) = (index / seeds.len(), seeds[index % seeds.len()]);
        for arm in &self.arms {
            if point < arm.count {
                return Position { arm, point: Some(point), seed };
            }
            point -= arm.count;
        }
        unreachable!("a member's number is below their count")
    }

    /// The member at a position, which has no name yet.
    fn member(&self, plan: &Plan, at: &Position<'_>) -> AllChecked<Member> {
        let wrong = |text: &str| vec![SettingsError::text(text, self.draft.end.clone())];
        let mut sections = Vec::with_capacity(SECTIONS.len());
        for section in 0..SECTIONS.len() {
            sections.push(self.section(section, at)?);
        }
        let value = |&vary: &usize| -> Option<(String, Value)> {
            let path = &self.draft.vary[vary].path;
            let section = section_index(&path[0].name)?;
            Some((plan.vary[vary].key.clone(), setting(&sections[section], &path[1..])?))
        };
        let first = |section: usize| sections[section].first().cloned();
        let (Some(settings), Some(start), Some(record)) = (first(0), first(1), first(3)) else {
            return Err(wrong("a section has no settings"));
        };
        let header = self.draft.header_with(at.seed);
        let header = header.ok_or_else(|| wrong("its seed is no number that counts"))?;
        let evaluations = Evaluation::all(&sections[4], &settings, &plan.system.schema().system)?;
        Ok(Member {
            label: String::new(),
            arm: at.arm.arm.map(|arm| plan.arms[arm].clone()),
            varied: at.arm.varied.iter().filter_map(value).collect(),
            seed: at.seed,
            experiment: Experiment {
                header,
                system: plan.system,
                settings,
                start,
                dynamics: sections[2].to_vec(),
                record,
                evaluations,
            },
        })
    }

    fn section(&self, section: usize, at: &Position<'_>) -> AllChecked<Arc<Vec<Settings>>> {
        let own = at.arm.arm.filter(|&arm| self.draft.arm_changes(arm, section));
        let live = self.draft.live_in(section, own);
        let picks = match at.point {
            Some(point) if !live.is_empty() => self.design.picks(point, &at.arm.varied, &live),
            _ => vec![0; live.len()],
        };
        let key = (section, own, picks);
        if let Some(settings) = lock(&self.cases).get(&key) {
            return Ok(Arc::clone(settings));
        }
        let values: Vec<Change> = live.iter().map(|&vary| self.change(at, vary)).collect();
        let settings = Arc::new(self.draft.attempt(section, own, &values).settings?);
        let mut cases = lock(&self.cases);
        if cases.len() >= MOST_CASES {
            forget(&mut cases);
        }
        cases.insert(key, Arc::clone(&settings));
        Ok(settings)
    }

    /// What a varied setting is set to at a position.
    fn change(&self, at: &Position<'_>, vary: usize) -> Change {
        let own = &self.draft.vary[vary];
        let Some(point) = at.point else { return own.at(0) };
        let Some(law) = own.law else {
            return own.at(self.design.pick(point, &at.arm.varied, vary));
        };
        let value = law.given(self.design.part(point, vary), &own.values[0].origin);
        Change { value, ..own.at(0) }
    }
}

fn words(errors: &[SettingsError]) -> String {
    let words: Vec<String> = errors.iter().map(|error| error.problem.to_string()).collect();
    words.join("; ")
}

/// Leaves only sections in which nothing is varied.
fn forget(cases: &mut Cases) {
    cases.retain(|(_, _, picks), _| picks.is_empty());
}

fn numbered(index: usize) -> String {
    format!("member-{index:06}")
}

struct Design {
    lengths: Vec<usize>,
    /// Where there is none, points are all combinations, the last setting fastest.
    drawn: Option<Drawn>,
}

/// Points that draw their places along each setting.
struct Drawn {
    points: usize,
    seed: u64,
    /// Of a Latin hypercube, for each setting the part that each point lies in: one in each of as many parts as there are
    /// points.
    parts: Option<Vec<Vec<u32>>>,
}

impl Design {
    fn new(sweep: Option<&Sweep>, vary: &[Vary]) -> Self {
        let drawn = sweep.filter(|sweep| sweep.design != sweep::Design::Grid).map(|sweep| {
            let (points, seed) = (points(sweep), sweep.seed);
            let parts = || (0..vary.len()).map(|vary| order(points, seed, vary)).collect();
            let parts = (sweep.design == sweep::Design::LatinHypercube).then(parts);
            Drawn { points, seed, parts }
        });
        Self { lengths: vary.iter().map(|vary| vary.values.len()).collect(), drawn }
    }

    /// How many points there are where `varied` is varied.
    fn points(&self, varied: &[usize]) -> usize {
        let lengths = varied.iter().map(|&vary| self.lengths[vary]);
        let all = || lengths.fold(1_usize, usize::saturating_mul);
        self.drawn.as_ref().map_or_else(all, |drawn| drawn.points)
    }

    /// Where a drawn point lies along a setting, from 0 to 1.
    fn part(&self, point: usize, vary: usize) -> f64 {
        let Some(Drawn { points, seed, parts }) = &self.drawn else { return 0.0 };
        let stream = Stream::new(*seed, Purpose::Design, vary as u64);
        let uniform = stream.substream(point as u64).uniform();
        match parts {
            None => uniform,
            Some(parts) => (f64::from(parts[vary][point]) + uniform) / *points as f64,
        }
    }

    /// Which value of a list a point has, where `varied` is varied.
    fn pick(&self, point: usize, varied: &[usize], vary: usize) -> usize {
        let length = self.lengths[vary];
        if self.drawn.is_some() {
            return ((self.part(point, vary) * length as f64) as usize).min(length - 1);
        }
        let faster = varied.iter().rev().take_while(|&&other| other != vary);
        let stride: usize = faster.map(|&other| self.lengths[other]).product();
        point / stride % length
    }

    /// What tells the points of some of the settings apart: the values of a grid, else the point itself.
    fn picks(&self, point: usize, varied: &[usize], some: &[usize]) -> Vec<usize> {
        match self.drawn {
            None => some.iter().map(|&vary| self.pick(point, varied, vary)).collect(),
            Some(_) => vec![point],
        }
    }
}

/// The order in which points take the parts of a setting.
fn order(points: usize, seed: u64, vary: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..u32::try_from(points).unwrap_or(u32::MAX)).collect();
    // A stream of its own: those of the points have numbers below `points`.
    let key = Stream::new(seed, Purpose::Design, vary as u64);
    key.substream(u64::MAX).shuffle(&mut order);
    order
}

// Names of members that fit on every file system: `arm-adam_rank-2_seed-3`.
//
// Parts are joined by `_`, which no part contains, and within a part all values differ, so two members of a plan never
// have the same name. A member keeps its name when seeds are added.

const LONGEST_PART: usize = 40;

/// Most characters of a name; where one is longer, members are numbered.
const LONGEST: usize = 160;

struct Labels {
    arms: Vec<String>,
    keys: Vec<String>,
    values: Vec<Vec<String>>,
}

impl Labels {
    fn new(plan: &Plan) -> Self {
        let keys: Vec<_> = plan.vary.iter().map(|varied| varied.key.as_str()).collect();
        Self {
            arms: distinct(plan.arms.iter().map(|name| sign(name))),
            keys: key_signs(&keys),
            values: plan.vary.iter().map(|varied| value_signs(&varied.values)).collect(),
        }
    }

    /// A name without its seed, for an arm and varied settings, each with its value by number.
    fn stem(&self, arm: Option<usize>, picks: impl Iterator<Item = (usize, usize)>) -> String {
        let mut stem = arm.map_or_else(String::new, |arm| format!("arm-{}_", self.arms[arm]));
        for (vary, pick) in picks {
            stem += &format!("{}-{}_", self.keys[vary], self.values[vary][pick]);
        }
        stem
    }
}

/// Short, different signs for the values of one setting.
fn value_signs(values: &[Value]) -> Vec<String> {
    distinct(values.iter().map(|value| match value {
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => format!("{value:?}").trim_end_matches(".0").to_owned(),
        Value::Switch(value) => value.to_string(),
        Value::Text(text) => sign(text),
        // Lists and tables go by their number.
        _ => String::new(),
    }))
}

/// Short, different signs for settings: the last part of each key, or all of it where that is not
/// enough.
fn key_signs(keys: &[&str]) -> Vec<String> {
    // An entry of a list keeps the list's name.
    let counts = |c: char| c == '.' || c.is_ascii_digit();
    let last = |key: &str| {
        let start = key.trim_end_matches(counts).rfind('.').map_or(0, |dot| dot + 1);
        sign(&key[start..])
    };
    let short = |key: &str| {
        let same = keys.iter().filter(|other| last(other) == last(key)).count();
        if same > 1 || ["arm", "seed"].contains(&last(key).as_str()) {
            sign(key)
        } else {
            last(key)
        }
    };
    distinct(keys.iter().map(|key| short(key)))
}

/// A text in lower-case letters, digits, points and single hyphens.
fn sign(text: &str) -> String {
    let mut sign = String::new();
    for c in text.chars() {
        let fits = c.is_ascii_alphanumeric() || c == '.';
        let c = if fits { c.to_ascii_lowercase() } else { '-' };
        if c != '-' || !(sign.is_empty() || sign.ends_with('-')) {
            sign.push(c);
        }
    }
    sign.truncate(LONGEST_PART);
    sign.trim_matches(['-', '.']).to_owned()
}

/// The same signs, numbered (from 1) where they are empty or were there before.
fn distinct(signs: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for (index, sign) in signs.enumerate() {
        let mut unique = sign.clone();
        let mut number = index + 1;
        while unique.is_empty() || !seen.insert(unique.clone()) {
            let hyphen = if sign.is_empty() { "" } else { "-" };
            unique = format!("{sign}{hyphen}{number}");
            number += 1;
        }
        all.push(unique);
    }
    all
}
