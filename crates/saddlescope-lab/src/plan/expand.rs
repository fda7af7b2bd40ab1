//! From a draft to its members: arms times varied values times seeds.

use std::collections::HashMap;
use std::sync::Arc;

use saddlescope::settings::experiment::{EXPERIMENT, PLAN};
use saddlescope::settings::figure::{FIGURE, PANEL};
use saddlescope::settings::{
    Given, Input, Key, Origin, Problem, Settings, SettingsError, Value, render_value,
};

use super::draft::{Draft, Vary, header_names, section_index};
use super::label::{self, arm_signs, key_signs, value_signs};
use super::{FigureSettings, MOST_MEMBERS, Member, Plan, Varied};
use crate::experiment::Experiment;
use crate::experiment::change::{Change, dotted};
use crate::experiment::layer::lay;
use crate::experiment::parse::Table;
use crate::experiment::reader::{
    PLAN_SECTIONS, SECTIONS, declaration, list, resolve, resolve_list, table, take,
};

/// More errors than anybody reads.
const MOST_ERRORS: usize = 200;

/// The settings of a section in each case, one for each stage. What decides on them is the section,
/// the arm if it changes the section, and which value each setting has that is varied in it.
type Cases = HashMap<(usize, Option<usize>, Vec<usize>), Vec<Settings>>;

/// How a section fared in one case.
pub(super) struct Case {
    /// What the command line sets there and what is of use, by number.
    pub(super) live: Vec<usize>,
    /// What is not, and why.
    misfits: Vec<(usize, SettingsError)>,
    /// The settings, one for each stage, or what is wrong with them.
    pub(super) settings: Result<Vec<Settings>, Vec<SettingsError>>,
}

impl Draft {
    /// The plan; `None` where there are errors.
    pub(super) fn expand(&mut self) -> Option<Plan> {
        let header = self.header();
        let figure = self.figure();
        let seeds = header.as_ref().and_then(|(own, plan)| self.seeds(own, plan));
        let cases = self.cases();
        let (header, plan) = header?;
        let (schema, seeds, cases) = (self.schema?, seeds?, cases?);
        let vary = self.values(&cases)?;
        if !self.errors.is_empty() {
            return None;
        }
        let mut plan = Plan {
            source: Arc::clone(&self.source),
            size: self.size,
            header,
            schema,
            arms: self.arms.iter().map(|arm| arm.name.clone()).collect(),
            vary,
            seeds,
            headline: plan.switch("headline"),
            claims: plan.texts("claims").to_vec(),
            figure: figure?,
            members: Vec::new(),
            body: self.body(),
        };
        plan.members = self.members(&plan, &cases)?;
        Some(plan)
    }

    fn keep<T>(&mut self, result: Result<T, Vec<SettingsError>>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(errors) => {
                errors.into_iter().for_each(|error| self.push(error));
                None
            }
        }
    }

    /// What stands above the sections: of each run, and of all together.
    fn header(&mut self) -> Option<(Settings, Settings)> {
        let header = std::mem::take(&mut self.header);
        let (own, rest): (Table, Table) =
            header.into_iter().partition(|(key, _)| EXPERIMENT.declares(&key.name));
        let (plan, strangers): (Table, Table) =
            rest.into_iter().partition(|(key, _)| PLAN.declares(&key.name));
        for (Key { name: found, origin }, given) in strangers {
            let is_table = match &given.value {
                Input::Table(_) => true,
                Input::List(items) => items.iter().any(|i| matches!(i.value, Input::Table(_))),
                _ => false,
            };
            let what = if is_table { "section" } else { "setting" };
            let names = if is_table { Vec::new() } else { header_names() };
            let known = names.into_iter().chain(SECTIONS).chain(PLAN_SECTIONS);
            let known = known.map(str::to_owned).collect();
            self.fail(Problem::Unknown { what, found, section: String::new(), known }, &origin);
        }
        let end = self.end.clone();
        let own_settings = self.keep(EXPERIMENT.resolve("", &own, &end));
        let plan = self.keep(PLAN.resolve("", &plan, &end));
        self.header = own;
        Some((own_settings?, plan?))
    }

    /// The figure, if there is one.
    fn figure(&mut self) -> Option<Option<FigureSettings>> {
        let Some(given) = self.figure.take() else { return Some(None) };
        let (mut contents, origin) = self.keep(table("figure", given).map_err(|e| vec![e]))?;
        let panels = match take(&mut contents, "panel") {
            None => Some(Vec::new()),
            Some((_, given)) => {
                let panels = list("figure.panel", given).map_err(|error| vec![error]);
                self.keep(panels.and_then(|list| resolve_list("figure.panel", &PANEL, list)))
            }
        };
        let whole = self.keep(FIGURE.resolve("figure", &contents, &origin));
        let figure = FigureSettings { whole: whole?, panels: panels? };
        self.keep(figure.spec().map_err(|error| vec![error]))?;
        Some(Some(figure))
    }

    /// How many combinations of varied values there are.
    fn combinations(&self) -> usize {
        self.vary.iter().fold(1, |all, vary| all.saturating_mul(vary.values.len()))
    }

    /// The seeds, if there are not too many runs.
    fn seeds(&mut self, own: &Settings, plan: &Settings) -> Option<Vec<u64>> {
        let (first, seeds) = (own.integer("seed"), plan.integer("seeds"));
        let runs = self.arms.len().max(1).saturating_mul(self.combinations());
        let all = usize::try_from(seeds).unwrap_or(usize::MAX).saturating_mul(runs);
        if all > MOST_MEMBERS {
            let counts = [("arms", self.arms.len().max(1)), ("combinations", self.combinations())];
            let counts = counts.into_iter().filter(|(_, count)| *count > 1);
            let counts: Vec<_> = counts.map(|(what, count)| format!("{count} {what}")).collect();
            let times = if counts.is_empty() { String::new() } else { counts.join(" x ") + " x " };
            let seeds_word = if seeds == 1 { "seed" } else { "seeds" };
            let text = format!(
                "these are {times}{seeds} {seeds_word}, but a plan has at most {MOST_MEMBERS} runs"
            );
            let varied = self.vary.iter().max_by_key(|vary| vary.values.len());
            let origin = match (varied, plan.origin("seeds")) {
                (Some(vary), Origin::Default) => vary.path[0].origin.clone(),
                (_, Origin::Default) => self.end.clone(),
                (_, origin) => origin.clone(),
            };
            self.fail(Problem::Text(text), &origin);
            return None;
        }
        let Some(last) = first.checked_add(seeds - 1) else {
            let text = format!("{seeds} seeds from {first} on go beyond the largest integer");
            self.fail(Problem::Text(text), plan.origin("seeds"));
            return None;
        };
        Some((first..=last).map(i64::unsigned_abs).collect())
    }

    /// What is varied in a section.
    fn varied_in(&self, section: usize) -> Vec<usize> {
        let inside = |vary: &Vary| section_index(&vary.path[0].name) == Some(section);
        (0..self.vary.len()).filter(|&index| inside(&self.vary[index])).collect()
    }

    /// Whether an arm changes a section.
    pub(super) fn arm_changes(&self, arm: usize, section: usize) -> bool {
        self.arms[arm].changes.iter().any(|change| change.section() == SECTIONS[section])
    }

    /// The arms that a section differs in: none, for those that leave it as it is.
    fn arms_of(&self, section: usize) -> Vec<Option<usize>> {
        let all = 0..self.arms.len();
        let (changing, others): (Vec<_>, Vec<_>) =
            all.partition(|&arm| self.arm_changes(arm, section));
        let plain = if changing.is_empty() || !others.is_empty() { vec![None] } else { Vec::new() };
        plain.into_iter().chain(changing.into_iter().map(Some)).collect()
    }

    /// The settings of all sections in all cases; each case is looked at once.
    fn cases(&mut self) -> Option<Cases> {
        let mut cases = Cases::new();
        let mut sets = vec![SetFit::default(); self.sets.len()];
        let mut whole = self.schema.is_some();
        // One section too many is as far as anybody gets with too many combinations.
        if self.combinations() > MOST_MEMBERS {
            return None;
        }
        for section in 0..SECTIONS.len() {
            if declaration(SECTIONS[section], self.schema).is_none() {
                let given = self.sections[section].clone();
                let error = given.and_then(|given| table(SECTIONS[section], given).err());
                error.into_iter().for_each(|error| self.push(error));
                continue;
            }
            let varied = self.varied_in(section);
            let arms = self.arms_of(section);
            if !varied.is_empty() || arms != [None] {
                self.check_base(section);
            }
            for arm in arms {
                let mut picks = vec![0; varied.len()];
                loop {
                    let values: Vec<_> =
                        varied.iter().copied().zip(picks.iter().copied()).collect();
                    match self.case(section, arm, &values, &mut sets) {
                        Some(settings) => {
                            cases.insert((section, arm, picks.clone()), settings);
                        }
                        None => whole = false,
                    }
                    let lengths = varied.iter().map(|&index| self.vary[index].values.len());
                    if self.errors.len() > MOST_ERRORS || !step(&mut picks, lengths.collect()) {
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

    /// What the file itself gives is wrong or right whatever lies over it, as far as values go.
    fn check_base(&mut self, section: usize) {
        let Some(declaration) = declaration(SECTIONS[section], self.schema) else { return };
        let given = self.sections[section].clone();
        let result = resolve(SECTIONS[section], declaration, given, &self.end);
        for error in result.err().into_iter().flatten() {
            let depends = matches!(
                *error.problem,
                Problem::Missing { .. } | Problem::OtherKind { .. } | Problem::NoEffect { .. }
            );
            if !depends {
                self.push(error);
            }
        }
    }

    /// What is given for a section once everything lies over it: an arm, `sets` by number, and
    /// varied settings, each with the number of its value.
    pub(super) fn layered(
        &self,
        section: usize,
        arm: Option<usize>,
        sets: &[usize],
        values: &[(usize, usize)],
    ) -> Result<Option<Given>, Vec<SettingsError>> {
        let name = SECTIONS[section];
        let mut given = self.sections[section].clone();
        let Some(declaration) = declaration(name, self.schema) else { return Ok(given) };
        let arm = arm.map_or(&[][..], |arm| &self.arms[arm].changes);
        let arm: Vec<_> = arm.iter().filter(|change| change.section() == name).collect();
        let sets: Vec<_> = sets.iter().map(|&set| &self.sets[set]).collect();
        let varied = |&(vary, value): &(usize, usize)| {
            let Vary { path, values } = &self.vary[vary];
            Change { path: path.clone(), value: values[value].clone() }
        };
        let varied: Vec<_> = values.iter().map(varied).collect();
        let mut errors = lay(&mut given, declaration, &arm);
        errors.extend(lay(&mut given, declaration, &sets));
        errors.extend(lay(&mut given, declaration, &varied.iter().collect::<Vec<_>>()));
        if errors.is_empty() { Ok(given) } else { Err(errors) }
    }

    /// The numbers of what the command line sets in a section.
    pub(super) fn sets_in(&self, section: usize) -> Vec<usize> {
        let inside = |&set: &usize| self.sets[set].section() == SECTIONS[section];
        (0..self.sets.len()).filter(inside).collect()
    }

    /// Whether a choice of the section is varied.
    pub(super) fn varies_choice(&self, section: usize) -> bool {
        let Some(declaration) = declaration(SECTIONS[section], self.schema) else { return false };
        let choice = |key: &Key| declaration.is_choice(&key.name);
        self.varied_in(section).iter().any(|&vary| self.vary[vary].path[1..].iter().any(choice))
    }

    /// The settings of a section in one case.
    fn case(
        &mut self,
        section: usize,
        arm: Option<usize>,
        values: &[(usize, usize)],
        fits: &mut [SetFit],
    ) -> Option<Vec<Settings>> {
        let Case { live, misfits, settings } = self.attempt(section, arm, values);
        let strict = self.varies_choice(section);
        for (set, error) in misfits {
            if strict {
                self.push(error);
            } else {
                fits[set].misfit.get_or_insert(error);
            }
        }
        live.into_iter().for_each(|set| fits[set].fits |= settings.is_ok());
        self.keep(settings)
    }

    /// Checks a section in one case. What the command line sets stays out where the chosen kind or
    /// word has no use for it.
    pub(super) fn attempt(
        &self,
        section: usize,
        arm: Option<usize>,
        values: &[(usize, usize)],
    ) -> Case {
        let name = SECTIONS[section];
        let mut live = self.sets_in(section);
        let mut misfits = Vec::new();
        loop {
            let given = match self.layered(section, arm, &live, values) {
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
            let settings = match declaration(name, self.schema) {
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

    /// The values of what is varied, checked to differ.
    fn values(&mut self, cases: &Cases) -> Option<Vec<Varied>> {
        let mut all = Vec::new();
        for index in 0..self.vary.len() {
            let path = self.vary[index].path.clone();
            let (section, key) = (section_index(&path[0].name)?, dotted(&path));
            let varied = self.varied_in(section);
            let place = varied.iter().position(|&other| other == index)?;
            let arm = self.arms_of(section)[0];
            let mut values: Vec<Value> = Vec::new();
            for number in 0..self.vary[index].values.len() {
                let mut picks = vec![0; varied.len()];
                picks[place] = number;
                let Some(value) = setting(cases.get(&(section, arm, picks))?, &path[1..]) else {
                    let message = "is nothing that can be varied".to_owned();
                    self.fail(Problem::Wrong { key, message }, &path[0].origin);
                    return None;
                };
                if values.contains(&value) {
                    let message = format!("is varied over {} twice", render_value(&value));
                    let origin = self.vary[index].values[number].origin.clone();
                    self.fail(Problem::Wrong { key: key.clone(), message }, &origin);
                }
                values.push(value);
            }
            all.push(Varied { key, values });
        }
        Some(all)
    }

    fn members(&self, plan: &Plan, cases: &Cases) -> Option<Vec<Member>> {
        let headers = self.headers(plan)?;
        let arms: Vec<_> = match self.arms.len() {
            0 => vec![None],
            count => (0..count).map(Some).collect(),
        };
        let arm_signs = arm_signs(plan.arms.iter().map(String::as_str));
        let keys: Vec<_> = plan.vary.iter().map(|varied| varied.key.as_str()).collect();
        let key_signs = key_signs(&keys);
        let signs: Vec<_> = plan.vary.iter().map(|varied| value_signs(&varied.values)).collect();
        let mut members = Vec::new();
        for arm in arms {
            let mut picks = vec![0; plan.vary.len()];
            loop {
                let part = |section: usize| {
                    let arm = arm.filter(|&arm| self.arm_changes(arm, section));
                    let picks = self.varied_in(section).into_iter().map(|vary| picks[vary]);
                    cases.get(&(section, arm, picks.collect()))
                };
                let [system, start, dynamics, record] = [part(0)?, part(1)?, part(2)?, part(3)?];
                let varied = plan.vary.iter().zip(&picks);
                let varied: Vec<_> =
                    varied.map(|(v, &pick)| (v.key.clone(), v.values[pick].clone())).collect();
                let arm_part = arm.map(|arm| format!("arm-{}_", arm_signs[arm]));
                let mut stem = arm_part.unwrap_or_default();
                for (vary, &pick) in picks.iter().enumerate() {
                    stem += &format!("{}-{}_", key_signs[vary], signs[vary][pick]);
                }
                for (header, &seed) in headers.iter().zip(&plan.seeds) {
                    members.push(Member {
                        label: format!("{stem}seed-{seed}"),
                        arm: arm.map(|arm| plan.arms[arm].clone()),
                        varied: varied.clone(),
                        seed,
                        experiment: Experiment {
                            header: header.clone(),
                            schema: plan.schema,
                            system: system[0].clone(),
                            start: start[0].clone(),
                            dynamics: dynamics.clone(),
                            record: record[0].clone(),
                        },
                    });
                }
                if !step(&mut picks, plan.vary.iter().map(|v| v.values.len()).collect()) {
                    break;
                }
            }
        }
        if members.iter().any(|member| member.label.len() > label::LONGEST) {
            for (index, member) in members.iter_mut().enumerate() {
                member.label = format!("member-{index:05}");
            }
        }
        Some(members)
    }

    /// What stands above the sections, for each seed.
    fn headers(&self, plan: &Plan) -> Option<Vec<Settings>> {
        let mut header = self.header.clone();
        let seed = take(&mut header, "seed");
        let origin = seed.map_or(Origin::Default, |(_, given)| given.origin);
        let with_seed = |&seed: &u64| {
            let key = Key { name: "seed".to_owned(), origin: origin.clone() };
            let value = Input::Integer(i64::try_from(seed).unwrap_or(i64::MAX));
            let given = Given { value, origin: origin.clone() };
            let table = [&header[..], &[(key, given)]].concat();
            EXPERIMENT.resolve("", &table, &self.end).ok()
        };
        plan.seeds.iter().map(with_seed).collect()
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

/// Whether the error says no more than that the setting is of no use here.
fn is_idle(error: &SettingsError, set: &Change) -> bool {
    let idle = matches!(*error.problem, Problem::OtherKind { .. } | Problem::NoEffect { .. });
    let source = |origin: &Origin| origin.place().map(|place| Arc::clone(place.source()));
    match (source(&error.origin), source(&set.path[0].origin)) {
        (Some(error), Some(set)) => idle && Arc::ptr_eq(&error, &set),
        _ => false,
    }
}

fn no_use(change: &Change) -> SettingsError {
    let message = "is left behind by what is varied, so it would do nothing".to_owned();
    let problem = Problem::Wrong { key: dotted(&change.path), message };
    SettingsError::new(problem, change.value.origin.clone())
}

/// Whether the change is still there after everything was laid.
fn is_in(given: Option<&Given>, change: &Change) -> bool {
    let mut path = &change.path[1..];
    let mut found = given;
    if change.section() == "dynamics" && !path.is_empty() {
        let index = path[0].name.parse::<usize>().ok();
        path = &path[usize::from(index.is_some())..];
        if let Some(Given { value: Input::List(list), .. }) = given {
            found = list.get(index.unwrap_or(0));
        }
    }
    for key in path {
        found = match found.map(|given| &given.value) {
            Some(Input::Table(table)) => {
                table.iter().find(|(have, _)| have.name == key.name).map(|(_, given)| given)
            }
            _ => None,
        };
    }
    found.is_some()
}

/// The value that `path`, behind the section, leads to in the settings of its stages.
pub(crate) fn setting(stages: &[Settings], path: &[Key]) -> Option<Value> {
    let (stage, path) = match path {
        [first, rest @ ..] if !rest.is_empty() => match first.name.parse::<usize>() {
            Ok(index) => (stages.get(index)?, rest),
            Err(_) => (stages.first()?, path),
        },
        _ => (stages.first()?, path),
    };
    match path {
        [name] => stage.find(&name.name),
        [name, entry] => {
            let value = stage.find(&name.name)?;
            let found = value.as_table()?.iter().find(|(have, _)| *have == entry.name)?;
            Some(Value::Number(found.1))
        }
        _ => None,
    }
}

/// The next combination, the last place fastest; whether there is one.
fn step(picks: &mut [usize], lengths: Vec<usize>) -> bool {
    for (pick, length) in picks.iter_mut().zip(lengths).rev() {
        *pick += 1;
        if *pick < length {
            return true;
        }
        *pick = 0;
    }
    false
}
