//! The settings of every section in every case that a plan has, each checked once.

use saddlescope_spec::settings::Problem;

use super::draft::{Draft, Vary, section_index};
use super::member::Cases;
use super::*;
use crate::experiment::change::lay;
use crate::experiment::reader::{is_listed, resolve};

const MOST_ERRORS: usize = 200;

/// Which combinations of varied values are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    All,
    /// Each value beside the first of all others.
    Axes,
}

impl Which {
    /// The combinations of values by number, of so many each, the last place fastest.
    fn picks(self, lengths: &[usize]) -> Vec<Vec<usize>> {
        match self {
            Self::All => lengths.iter().fold(vec![Vec::new()], |all, &length| {
                let with_each = |picks: Vec<usize>| {
                    (0..length).map(move |pick| [picks.as_slice(), &[pick]].concat())
                };
                all.into_iter().flat_map(with_each).collect()
            }),
            Self::Axes => {
                let first = vec![0; lengths.len()];
                let mut all = vec![first.clone()];
                for (place, &length) in lengths.iter().enumerate() {
                    let at = |pick| [&first[..place], &[pick], &first[place + 1..]].concat();
                    all.extend((1..length).map(at));
                }
                all
            }
        }
    }
}

pub(super) struct Case {
    /// What the command line sets there and what is of use, by number.
    pub(super) live: Vec<usize>,
    /// What is not, and why.
    misfits: Vec<(usize, SettingsError)>,
    /// The settings, one for each stage, or what is wrong with them.
    pub(super) settings: AllChecked<Vec<Settings>>,
}

impl Draft {
    pub(super) fn varied_in(&self, section: usize) -> Vec<usize> {
        let inside = |vary: &Vary| section_index(&vary.path[0].name) == Some(section);
        (0..self.vary.len()).filter(|&index| inside(&self.vary[index])).collect()
    }

    /// What is varied in a section that an arm has settings for; of the arm `arm`, if it changes the section.
    pub(super) fn live_in(&self, section: usize, arm: Option<usize>) -> Vec<usize> {
        let live = |vary: &usize| !self.idle.contains(&(*vary, arm));
        self.varied_in(section).into_iter().filter(live).collect()
    }

    pub(super) fn arm_changes(&self, arm: usize, section: usize) -> bool {
        self.arms[arm].changes.iter().any(|change| change.section() == SECTIONS[section])
    }

    /// The arms that a section differs in: none, for those that leave it as it is.
    pub(super) fn arms_of(&self, section: usize) -> Vec<Option<usize>> {
        let all = 0..self.arms.len();
        let (changing, others): (Vec<_>, Vec<_>) =
            all.partition(|&arm| self.arm_changes(arm, section));
        let plain = if changing.is_empty() || !others.is_empty() { vec![None] } else { Vec::new() };
        plain.into_iter().chain(changing.into_iter().map(Some)).collect()
    }

    /// The settings of all sections in all cases; each case is looked at once.
    ///
    /// Of members that are made one by one only the axes are looked at: each value beside the first ones of all
    /// others.
    pub(super) fn cases(&mut self, which: Which) -> Option<Cases> {
        let mut cases = Cases::new();
        let mut sets = vec![SetFit::default(); self.sets.len()];
        let mut whole = self.system.is_some();
        self.idle = (0..self.vary.len()).flat_map(|vary| self.idle_arms(vary)).collect();
        // Nobody waits for combinations that are too many anyway.
        if which == Which::All && self.combinations() > MOST_MEMBERS {
            return None;
        }
        for section in 0..SECTIONS.len() {
            if declaration(SECTIONS[section], self.schema()).is_none() {
                let given = self.sections[section].clone();
                let error = given.and_then(|given| table(SECTIONS[section], given).err());
                self.push_all(error);
                continue;
            }
            let arms = self.arms_of(section);
            if !self.varied_in(section).is_empty() || arms != [None] {
                self.check_base(section);
            }
            let strict = self.varies_choice(section);
            for arm in arms {
                let varied = self.live_in(section, arm);
                let lengths: Vec<_> =
                    varied.iter().map(|&vary| self.vary[vary].values.len()).collect();
                for picks in which.picks(&lengths) {
                    let value = |(&vary, &pick): (&usize, &usize)| self.vary[vary].at(pick);
                    let values: Vec<_> = varied.iter().zip(&picks).map(value).collect();
                    let Case { live, misfits, settings } = self.attempt(section, arm, &values);
                    for (set, error) in misfits {
                        if strict {
                            self.push(error);
                        } else {
                            sets[set].misfit.get_or_insert(error);
                        }
                    }
                    live.into_iter().for_each(|set| sets[set].fits |= settings.is_ok());
                    match self.accept(settings) {
                        Some(settings) => {
                            cases.insert((section, arm, picks), Arc::new(settings));
                        }
                        None => whole = false,
                    }
                    if self.errors.len() > MOST_ERRORS {
                        break;
                    }
                }
            }
        }
        for set in sets {
            if let (false, Some(error)) = (set.fits, set.misfit) {
                self.push(error);
            }
        }
        whole.then_some(cases)
    }

    /// The arms that have no such setting as is varied, if others have it.
    fn idle_arms(&self, vary: usize) -> Vec<(usize, Option<usize>)> {
        let Some(section) = section_index(&self.vary[vary].path[0].name) else { return Vec::new() };
        let place = |origin: &Origin| {
            origin.place().map(|place| (Arc::as_ptr(place.source()), place.offset()))
        };
        let first = self.vary[vary].at(0);
        let mut own: Vec<_> = first.path.iter().map(|key| place(&key.origin)).collect();
        own.push(place(&first.value.origin));
        let idle = |arm: &Option<usize>| {
            let errors = self.attempt(section, *arm, std::slice::from_ref(&first)).settings.err();
            let is_own = |error: &SettingsError| own.contains(&place(&error.origin));
            errors.into_iter().flatten().any(|error| is_of_no_use(&error) && is_own(&error))
        };
        let arms = self.arms_of(section);
        let found: Vec<_> = arms.iter().copied().filter(idle).collect();
        // Where no arm has it, it is a mistake, which the cases tell of.
        if found.len() == arms.len() {
            return Vec::new();
        }
        found.into_iter().map(|arm| (vary, arm)).collect()
    }

    /// What the file itself gives is wrong or right whatever lies over it, as far as values go.
    fn check_base(&mut self, section: usize) {
        let Some(declaration) = declaration(SECTIONS[section], self.schema()) else { return };
        // What cannot be laid is said of each case.
        let Ok(given) = self.layered(section, None, &self.sets_in(section), &[]) else { return };
        let result = resolve(SECTIONS[section], declaration, given, &self.end);
        for error in result.err().into_iter().flatten() {
            if !is_of_no_use(&error) && !matches!(*error.problem, Problem::Missing { .. }) {
                self.push(error);
            }
        }
    }

    /// What is given for a section once everything lies over it: an arm, `sets` by number, and what is varied.
    pub(super) fn layered(
        &self,
        section: usize,
        arm: Option<usize>,
        sets: &[usize],
        varied: &[Change],
    ) -> AllChecked<Option<GivenValue>> {
        let name = SECTIONS[section];
        let mut given = self.sections[section].clone();
        let Some(declaration) = declaration(name, self.schema()) else { return Ok(given) };
        let arm = arm.map_or(&[][..], |arm| &self.arms[arm].changes);
        let sets = sets.iter().map(|&set| &self.sets[set]);
        let layers: [Vec<&Change>; 3] =
            [arm.iter().collect(), sets.collect(), varied.iter().collect()];
        let lay = |layer| lay(&mut given, name, declaration, layer);
        let errors: Vec<_> = layers.into_iter().flat_map(lay).collect();
        if errors.is_empty() { Ok(given) } else { Err(errors) }
    }

    /// The numbers of what the command line sets in a section.
    pub(super) fn sets_in(&self, section: usize) -> Vec<usize> {
        let inside = |&set: &usize| self.sets[set].section() == SECTIONS[section];
        (0..self.sets.len()).filter(inside).collect()
    }

    pub(super) fn varies_choice(&self, section: usize) -> bool {
        let Some(declaration) = declaration(SECTIONS[section], self.schema()) else { return false };
        let choice = |key: &Key| declaration.is_choice(&key.name);
        self.varied_in(section).iter().any(|&vary| self.vary[vary].path[1..].iter().any(choice))
    }

    /// Checks a section in one case. What the command line sets stays out where the chosen kind or word has no use for
    /// it.
    pub(super) fn attempt(&self, section: usize, arm: Option<usize>, varied: &[Change]) -> Case {
        let name = SECTIONS[section];
        let mut live = self.sets_in(section);
        let mut misfits = Vec::new();
        loop {
            let given = match self.layered(section, arm, &live, varied) {
                Ok(given) => given,
                Err(errors) => return Case { live, misfits, settings: Err(errors) },
            };
            live.retain(|&set| {
                let change = &self.sets[set];
                let stays = is_in(given.as_ref(), change);
                if !stays {
                    misfits.push((set, no_use(change)));
                }
                stays
            });
            let settings = match declaration(name, self.schema()) {
                Some(declaration) => resolve(name, declaration, given, &self.end),
                None => Ok(Vec::new()),
            };
            let before = live.len();
            for error in settings.as_ref().err().into_iter().flatten() {
                let idle = live.iter().position(|&set| is_idle(error, &self.sets[set]));
                if let Some(index) = idle {
                    misfits.push((live.remove(index), error.clone()));
                }
            }
            if live.len() == before {
                return Case { live, misfits, settings };
            }
        }
    }
}

/// How a setting of the command line fared over all cases.
#[derive(Clone, Default)]
struct SetFit {
    /// Whether it was of use in any.
    fits: bool,
    /// Why it was not, in the first where it was not.
    misfit: Option<SettingsError>,
}

/// Whether the error says no more than that a setting is of no use.
fn is_of_no_use(error: &SettingsError) -> bool {
    matches!(*error.problem, Problem::OtherKind { .. } | Problem::NoEffect { .. })
}

/// Whether it says so of what the command line sets.
fn is_idle(error: &SettingsError, set: &Change) -> bool {
    let source = |origin: &Origin| origin.place().map(|place| Arc::clone(place.source()));
    match (source(&error.origin), source(&set.path[0].origin)) {
        (Some(at), Some(set)) => is_of_no_use(error) && Arc::ptr_eq(&at, &set),
        _ => false,
    }
}

fn no_use(change: &Change) -> SettingsError {
    let message = "is left behind by what is varied, so it would do nothing";
    SettingsError::wrong(dotted(&change.path), message, change.value.origin.clone())
}

/// Whether the change is still there after everything was laid.
fn is_in(given: Option<&GivenValue>, change: &Change) -> bool {
    let mut path = &change.path[1..];
    let mut found = given;
    if is_listed(change.section()) && !path.is_empty() {
        let index = path[0].name.parse::<usize>().ok();
        path = &path[usize::from(index.is_some())..];
        if let Some(GivenValue { value: Input::List(list), .. }) = given {
            found = list.get(index.unwrap_or(0));
        }
    }
    for key in path {
        found = match found.map(|given| &given.value) {
            Some(Input::Table(table)) => find(table, &key.name),
            Some(Input::List(list)) => key.name.parse::<usize>().ok().and_then(|i| list.get(i)),
            _ => None,
        };
    }
    found.is_some()
}
