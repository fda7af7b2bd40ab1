//! Plans with more members than anybody wants to hold at once: each is made when it is asked for.
//!
//! Members are counted as those of a [`Plan`] are: arm by arm, point of the design by point, seed by seed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use saddlescope_spec::settings::sweep::SWEEP;
use saddlescope_spec::settings::{Given, Input, Problem, Settings, Value};

use super::cases::{Cases, Which};
use super::design::Design;
use super::draft::{Draft, section_index};
use super::expand::setting;
use super::{Member, Plan};
use crate::experiment::Experiment;
use crate::experiment::reader::SECTIONS;

/// Most members of a plan whose members are made one by one.
pub const MOST_LAZY: usize = 1_000_000_000;

/// Checked sections that are remembered, at most.
const MOST_REMEMBERED: usize = 4096;

/// A plan whose members are made when they are asked for.
pub struct Lazy {
    /// What they have in common. Its members are those of each arm where all that is varied has its first value: checked,
    /// whatever the design draws.
    pub plan: Plan,
    draft: Draft,
    design: Design,
    arms: Vec<LazyArm>,
    remembered: Mutex<Remembered>,
}

/// Checked settings by section, arm and point.
type Remembered = HashMap<(usize, Option<usize>, Vec<usize>), Arc<Vec<Settings>>>;

/// The members of an arm.
struct LazyArm {
    arm: Option<usize>,
    /// What is varied in it, by number.
    varied: Vec<usize>,
    points: usize,
}

/// Where a member stands.
struct Seat<'a> {
    arm: &'a LazyArm,
    point: usize,
    seed: u64,
}

impl std::fmt::Debug for Lazy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lazy").field("members", &self.len()).finish_non_exhaustive()
    }
}

impl Draft {
    /// The plan with its members to come; `None` where there are errors. It takes over all but the errors.
    pub(super) fn lazy(&mut self) -> Option<Lazy> {
        if self.sweep.is_none() {
            self.sweep = SWEEP.resolve("sweep", &[], &self.end).ok().map(|sweep| sweep.read());
        }
        let cases = self.cases(Which::Axes);
        let mut plan = self.shared(cases.as_ref(), MOST_LAZY)?;
        let design = Design::new(self.sweep.as_deref(), &self.vary);
        let arm = |arm: Option<usize>| {
            let varied: Vec<usize> =
                (0..plan.vary.len()).filter(|&v| self.varies(v, arm)).collect();
            LazyArm { arm, points: design.points(&varied), varied }
        };
        let arms: Vec<LazyArm> = self.all_arms().into_iter().map(arm).collect();
        let nothing = || plan.vary.is_empty() && plan.seeds.len() == 1 && arms.len() == 1;
        if nothing() && !self.is_drawn() {
            let text =
                "nothing is varied: a sweep needs settings in [vary], arms, or several seeds";
            self.fail(Problem::Text(text.to_owned()), &self.end.clone());
            return None;
        }
        if plan.vary.is_empty() && self.is_drawn() {
            let text = "members are drawn, but [vary] names nothing to draw";
            let at = self.sweep.as_ref()?.source.origin("design").clone();
            self.fail(Problem::Text(text.to_owned()), &at);
            return None;
        }
        let cases = cases?;
        plan.members = self.firsts(&plan, &cases)?;
        let errors = super::fit::check(&plan);
        if !errors.is_empty() {
            errors.into_iter().for_each(|error| self.push(error));
            return None;
        }
        let draft = self.taken();
        let mut lazy = Lazy { plan, draft, design, arms, remembered: Mutex::default() };
        lazy.remember(cases);
        Some(lazy)
    }
}

impl Lazy {
    /// How many members there are.
    pub fn len(&self) -> usize {
        self.points().saturating_mul(self.plan.seeds.len())
    }

    /// Whether there are none, which reading a plan does not allow.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn points(&self) -> usize {
        self.arms.iter().fold(0, |all, arm| all.saturating_add(arm.points))
    }

    /// What sections are where nothing is varied in them has been checked already.
    fn remember(&mut self, cases: Cases) {
        let all = cases.into_iter().filter(|((_, _, picks), _)| picks.is_empty());
        let all = all.map(|(key, settings)| (key, Arc::new(settings)));
        self.remembered.get_mut().unwrap_or_else(PoisonError::into_inner).extend(all);
    }

    fn seat(&self, index: usize) -> Seat<'_> {
        let seeds = &self.plan.seeds;
        let (mut point, seed) = (index / seeds.len(), seeds[index % seeds.len()]);
        for arm in &self.arms {
            if point < arm.points {
                return Seat { arm, point, seed };
            }
            point -= arm.points;
        }
        unreachable!("a member's number is below their count")
    }

    /// Member `index`, or what is wrong with its settings.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn member(&self, index: usize) -> Result<Member, String> {
        assert!(index < self.len(), "there is no member {index}");
        let Seat { arm, point, seed } = self.seat(index);
        let mut sections = Vec::with_capacity(SECTIONS.len());
        for section in 0..SECTIONS.len() {
            sections.push(self.section(section, arm, point)?);
        }
        let value = |&vary: &usize| -> Option<(String, Value)> {
            let path = &self.draft.vary[vary].path;
            let section = section_index(&path[0].name)?;
            Some((self.plan.vary[vary].key.clone(), setting(&sections[section], &path[1..])?))
        };
        let first = |section: usize| sections[section].first().cloned();
        let (Some(settings), Some(start), Some(record)) = (first(0), first(1), first(3)) else {
            return Err("a section has no settings".to_owned());
        };
        let header = self.draft.header_with(seed).ok_or("its seed is no number that counts")?;
        Ok(Member {
            label: label(index),
            arm: arm.arm.map(|arm| self.plan.arms[arm].clone()),
            varied: arm.varied.iter().filter_map(value).collect(),
            seed,
            experiment: Experiment {
                header,
                system: self.plan.system,
                settings,
                start,
                dynamics: sections[2].to_vec(),
                record,
            },
        })
    }

    /// Member `index` as far as it is known where its settings are wrong: its arm, what was given for it and its seed are
    /// its own; the rest is that of its arm's first member.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn outline(&self, index: usize) -> Member {
        assert!(index < self.len(), "there is no member {index}");
        let Seat { arm, point, seed } = self.seat(index);
        let value = |&vary: &usize| {
            let value = match self.value(arm, point, vary).value {
                Input::Integer(value) => Value::Integer(value),
                Input::Number(value) => Value::Number(value),
                Input::Text(text) => Value::Text(text),
                _ => return None,
            };
            Some((self.plan.vary[vary].key.clone(), value))
        };
        Member {
            label: label(index),
            varied: arm.varied.iter().filter_map(value).collect(),
            seed,
            ..self.plan.members[arm.arm.unwrap_or(0)].clone()
        }
    }

    /// The settings of a section at a point of an arm.
    fn section(
        &self,
        section: usize,
        arm: &LazyArm,
        point: usize,
    ) -> Result<Arc<Vec<Settings>>, String> {
        let own = arm.arm.filter(|&arm| self.draft.arm_changes(arm, section));
        let inside = self.draft.varied_in(section);
        let live: Vec<usize> =
            inside.into_iter().filter(|vary| arm.varied.contains(vary)).collect();
        let picks = match live.is_empty() {
            true => Vec::new(),
            false => self.design.picks(point, &arm.varied, &live),
        };
        let key = (section, own, picks);
        let lock = || self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(settings) = lock().get(&key) {
            return Ok(Arc::clone(settings));
        }
        let given = |&vary: &usize| (vary, self.value(arm, point, vary));
        let values: Vec<(usize, Given)> = live.iter().map(given).collect();
        let settings =
            self.draft.attempt_with(section, own, &values).settings.map_err(|errors| {
                let words: Vec<String> = errors.iter().map(|e| e.problem.to_string()).collect();
                words.join("; ")
            })?;
        let settings = Arc::new(settings);
        let mut remembered = lock();
        if remembered.len() >= MOST_REMEMBERED {
            remembered.retain(|(_, _, picks), _| picks.is_empty());
        }
        remembered.insert(key, Arc::clone(&settings));
        Ok(settings)
    }

    fn value(&self, arm: &LazyArm, point: usize, vary: usize) -> Given {
        let own = &self.draft.vary[vary];
        match own.law {
            Some(law) => law.given(self.design.part(point, vary), &own.values[0].origin),
            None => own.values[self.design.pick(point, &arm.varied, vary)].clone(),
        }
    }
}

/// What a member is called.
fn label(index: usize) -> String {
    format!("member-{index:06}")
}
