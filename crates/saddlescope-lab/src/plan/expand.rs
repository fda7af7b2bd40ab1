//! From a draft to its members: arms times varied values times seeds.

use std::sync::Arc;

use saddlescope_spec::figure::{FIGURE, PANEL};
use saddlescope_spec::settings::experiment::{EXPERIMENT, Header, PLAN, Runs};
use saddlescope_spec::settings::fit::{FIT, Fit};
use saddlescope_spec::settings::sweep::Sweep;
use saddlescope_spec::settings::{
    Given, Input, Key, Located, Origin, Problem, Settings, SettingsError, Value, render_value,
};

use super::cases::{Cases, Which};
use super::draft::{Draft, header_names, section_index};
use super::label::{self, Labels};
use super::{FigureSettings, MOST_MEMBERS, Member, Plan, Varied};
use crate::experiment::Experiment;
use crate::experiment::change::dotted;
use crate::experiment::parse::Table;
use crate::experiment::reader::{PLAN_SECTIONS, SECTIONS, list, resolve_list, table, take};

impl Draft {
    /// The plan; `None` where there are errors.
    pub(super) fn expand(&mut self) -> Option<Plan> {
        if self.is_drawn() {
            let at = self.sweep.as_ref()?.source.origin("design").clone();
            let text = "the members of this file are drawn: `saddlescope sweep` runs it";
            self.fail(Problem::Text(text.to_owned()), &at);
        }
        let cases = self.cases(Which::All);
        let mut plan = self.shared(cases.as_ref(), MOST_MEMBERS)?;
        plan.members = self.members(&plan, &cases?)?;
        let errors = super::fit::check(&plan);
        let right = errors.is_empty();
        errors.into_iter().for_each(|error| self.push(error));
        right.then_some(plan)
    }

    /// The plan without its members, of which there are `most` at most; `None` where there are errors.
    pub(super) fn shared(&mut self, cases: Option<&Cases>, most: usize) -> Option<Plan> {
        let header = self.header();
        let figure = self.figure();
        let fits = self.fits();
        let seeds = header.as_ref().and_then(|(own, plan)| self.seeds(own, plan, most));
        let (header, plan) = header?;
        let (system, seeds) = (self.system?, seeds?);
        let vary = self.values(cases?)?;
        if !self.errors.is_empty() {
            return None;
        }
        Some(Plan {
            source: Arc::clone(&self.source),
            size: self.size,
            header,
            group: self.group.unwrap_or(system.name()),
            system,
            arms: self.arms.iter().map(|arm| arm.name.clone()).collect(),
            vary,
            seeds,
            headline: plan.headline,
            claims: plan.claims.clone(),
            fits: fits?,
            sweep: self.sweep.clone(),
            figure: figure?,
            members: Vec::new(),
            body: self.body(),
        })
    }

    /// The value, or nothing and the errors among the others.
    pub(super) fn keep<T>(&mut self, result: Result<T, Vec<SettingsError>>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(errors) => {
                errors.into_iter().for_each(|error| self.push(error));
                None
            }
        }
    }

    /// What stands above the sections: of each run, and of all together.
    fn header(&mut self) -> Option<(Located<Header>, Located<Runs>)> {
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
        Some((own_settings?.read(), plan?.read()))
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

    /// The laws that are fitted.
    fn fits(&mut self) -> Option<Vec<Located<Fit>>> {
        let Some(given) = self.fits.take() else { return Some(Vec::new()) };
        let fits = list("fit", given).map_err(|error| vec![error]);
        let fits = self.keep(fits.and_then(|list| resolve_list("fit", &FIT, list)))?;
        Some(fits.iter().map(Settings::read).collect())
    }

    /// How many combinations of varied values there are.
    pub(super) fn combinations(&self) -> usize {
        if let Some(sweep) = self.sweep.as_ref().filter(|_| self.is_drawn()) {
            return points(sweep);
        }
        self.vary.iter().fold(1, |all, vary| all.saturating_mul(vary.values.len()))
    }

    /// The seeds, if there are not too many runs.
    fn seeds(&mut self, own: &Header, plan: &Located<Runs>, most: usize) -> Option<Vec<u64>> {
        let (first, seeds) = (own.seed, plan.seeds);
        let runs = self.arms.len().max(1).saturating_mul(self.combinations());
        let all = usize::try_from(seeds).unwrap_or(usize::MAX).saturating_mul(runs);
        if all > most {
            let counts = [("arms", self.arms.len().max(1)), ("combinations", self.combinations())];
            let counts = counts.into_iter().filter(|(_, count)| *count > 1);
            let counts: Vec<_> = counts.map(|(what, count)| format!("{count} {what}")).collect();
            let times = if counts.is_empty() { String::new() } else { counts.join(" x ") + " x " };
            let seeds_word = if seeds == 1 { "seed" } else { "seeds" };
            let limit = match most {
                MOST_MEMBERS => {
                    format!("a plan has at most {most} runs; `saddlescope sweep` takes more")
                }
                _ => format!("a sweep has at most {most} members"),
            };
            let text = format!("these are {times}{seeds} {seeds_word}, but {limit}");
            let varied = self.vary.iter().max_by_key(|vary| vary.values.len());
            let origin = match (varied, plan.source.origin("seeds")) {
                (Some(vary), Origin::Default) => vary.path[0].origin.clone(),
                (_, Origin::Default) => self.end.clone(),
                (_, origin) => origin.clone(),
            };
            self.fail(Problem::Text(text), &origin);
            return None;
        }
        let last = first.checked_add(seeds - 1);
        let Some(last) = last.filter(|&last| i64::try_from(last).is_ok()) else {
            let text = format!("{seeds} seeds from {first} on go beyond the largest integer");
            self.fail(Problem::Text(text), plan.source.origin("seeds"));
            return None;
        };
        Some((first..=last).collect())
    }

    /// The values of what is varied, checked to differ.
    fn values(&mut self, cases: &Cases) -> Option<Vec<Varied>> {
        let mut all = Vec::new();
        for index in 0..self.vary.len() {
            let path = self.vary[index].path.clone();
            let (section, key) = (section_index(&path[0].name)?, dotted(&path));
            let varied = self.varied_in(section);
            let place = varied.iter().position(|&other| other == index)?;
            let arms = self.arms_of(section);
            let arm = arms.into_iter().find(|&arm| !self.idle.contains(&(index, arm)))?;
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
            all.push(Varied { key, values, law: self.vary[index].law });
        }
        Some(all)
    }

    fn members(&self, plan: &Plan, cases: &Cases) -> Option<Vec<Member>> {
        let headers = self.headers(plan)?;
        let labels = Labels::new(plan);
        let mut members = Vec::new();
        for arm in self.all_arms() {
            let mut picks = vec![0; plan.vary.len()];
            let length = |vary| self.varies(vary, arm).then(|| plan.vary[vary].values.len());
            let lengths: Vec<_> =
                (0..plan.vary.len()).map(|vary| length(vary).unwrap_or(1)).collect();
            loop {
                let first = self.at(plan, cases, &labels, (arm, &picks))?;
                for (header, &seed) in headers.iter().zip(&plan.seeds) {
                    members.push(Member {
                        label: format!("{}seed-{seed}", first.label),
                        seed,
                        experiment: Experiment {
                            header: header.clone(),
                            ..first.experiment.clone()
                        },
                        ..first.clone()
                    });
                }
                if !step(&mut picks, &lengths) {
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

    /// The first member of each arm: every setting that is varied has its first value.
    pub(super) fn firsts(&self, plan: &Plan, cases: &Cases) -> Option<Vec<Member>> {
        let labels = Labels::new(plan);
        let zeros = vec![0; plan.vary.len()];
        self.all_arms()
            .into_iter()
            .map(|arm| self.at(plan, cases, &labels, (arm, &zeros)))
            .collect()
    }

    /// The arms by number; one that is none where there are none.
    pub(super) fn all_arms(&self) -> Vec<Option<usize>> {
        match self.arms.len() {
            0 => vec![None],
            count => (0..count).map(Some).collect(),
        }
    }

    /// The member of an arm with varied values by number and the first seed, which its label does not say.
    fn at(
        &self,
        plan: &Plan,
        cases: &Cases,
        labels: &Labels,
        (arm, picks): (Option<usize>, &[usize]),
    ) -> Option<Member> {
        let lives: Vec<bool> = (0..plan.vary.len()).map(|vary| self.varies(vary, arm)).collect();
        let value = |vary: usize| {
            let Varied { key, values, .. } = &plan.vary[vary];
            lives[vary].then(|| (key.clone(), values[picks[vary]].clone()))
        };
        Some(Member {
            label: labels.stem(arm, picks, &lives),
            arm: arm.map(|arm| plan.arms[arm].clone()),
            varied: (0..plan.vary.len()).filter_map(value).collect(),
            seed: *plan.seeds.first()?,
            experiment: self.experiment(plan, cases, arm, picks)?,
        })
    }

    /// Whether an arm has the setting that is varied.
    pub(super) fn varies(&self, vary: usize, arm: Option<usize>) -> bool {
        let section = section_index(&self.vary[vary].path[0].name);
        let arm = arm.filter(|&arm| section.is_some_and(|section| self.arm_changes(arm, section)));
        !self.idle.contains(&(vary, arm))
    }

    /// What runs in an arm with varied values by number, with the first seed.
    fn experiment(
        &self,
        plan: &Plan,
        cases: &Cases,
        arm: Option<usize>,
        picks: &[usize],
    ) -> Option<Experiment> {
        let part = |section: usize| {
            let arm = arm.filter(|&arm| self.arm_changes(arm, section));
            let picks = self.varied_in(section).into_iter().map(|vary| picks[vary]);
            cases.get(&(section, arm, picks.collect()))
        };
        Some(Experiment {
            header: plan.header.clone(),
            system: plan.system,
            settings: part(0)?.first()?.clone(),
            start: part(1)?.first()?.clone(),
            dynamics: part(2)?.clone(),
            record: part(3)?.first()?.clone(),
        })
    }

    /// What stands above the sections, for each seed.
    fn headers(&self, plan: &Plan) -> Option<Vec<Located<Header>>> {
        plan.seeds.iter().map(|&seed| self.header_with(seed)).collect()
    }

    /// What stands above the sections, for one seed.
    pub(super) fn header_with(&self, seed: u64) -> Option<Located<Header>> {
        let mut header = self.header.clone();
        let given = take(&mut header, "seed");
        let origin = given.map_or(Origin::Default, |(_, given)| given.origin);
        let key = Key { name: "seed".to_owned(), origin: origin.clone() };
        let value = Input::Integer(i64::try_from(seed).unwrap_or(i64::MAX));
        header.push((key, Given { value, origin }));
        EXPERIMENT.resolve("", &header, &self.end).ok().map(|header| header.read())
    }
}

/// How many points a design draws.
pub(super) fn points(sweep: &Sweep) -> usize {
    sweep.members.unwrap_or(0)
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
            if let (Some(numbers), Ok(index)) = (value.as_numbers(), entry.name.parse::<usize>()) {
                return numbers.get(index).map(|&number| Value::Number(number));
            }
            let found = value.as_table()?.iter().find(|(have, _)| *have == entry.name)?;
            Some(Value::Number(found.1))
        }
        _ => None,
    }
}

/// The next combination, the last place fastest; whether there is one.
pub(super) fn step(picks: &mut [usize], lengths: &[usize]) -> bool {
    for (pick, &length) in picks.iter_mut().zip(lengths).rev() {
        *pick += 1;
        if *pick < length {
            return true;
        }
        *pick = 0;
    }
    false
}
