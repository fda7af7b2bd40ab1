//! From a draft to a plan: its values checked, its members counted.

use saddlescope_spec::settings::experiment::Runs;

use super::cases::Which;
use super::draft::{Draft, header_names, section_index};
use super::member::Cases;
use super::*;
use crate::experiment::reader::resolve_list;

impl Draft {
    /// The plan, or all that is wrong. Of a sweep, members are made when they are asked for.
    pub(super) fn plan(mut self, sweep: bool) -> AllChecked<Plan> {
        if sweep && self.sweep.is_none() {
            self.sweep = SWEEP.resolve("sweep", &[], &self.end).ok().map(|sweep| sweep.read());
        }
        let drawn = self.sweep.as_ref().filter(|_| self.is_drawn());
        let drawn = drawn.map(|sweep| sweep.source.origin("design").clone());
        if let (false, Some(at)) = (sweep, &drawn) {
            let text = "the members of this file are drawn: `saddlescope sweep` runs it";
            self.push(SettingsError::text(text, at.clone()));
        }
        let (which, most) =
            if sweep { (Which::Axes, MOST_SWEPT) } else { (Which::All, MOST_MEMBERS) };
        let cases = self.cases(which);
        let (Some(mut plan), Some(cases)) = (self.shared(cases.as_ref(), most), cases) else {
            return Err(self.errors);
        };
        let single = plan.seeds.len() == 1 && plan.arms.len() < 2;
        if sweep && plan.vary.is_empty() && (single || drawn.is_some()) {
            let (text, at) = match drawn {
                Some(at) => ("members are drawn, but [vary] names nothing to draw", at),
                None => (
                    "nothing is varied: a sweep needs settings in [vary], arms, or several seeds",
                    self.end,
                ),
            };
            return Err(vec![SettingsError::text(text, at)]);
        }
        let points = Points::new(self, cases);
        // What was checked can be made, but for evaluations, which lie over the system of each member.
        plan.members = if sweep { points.firsts(&plan) } else { points.all(&plan) }?;
        plan.points = sweep.then(|| Arc::new(points));
        let mut errors = super::outcome::check(&plan);
        if errors.is_empty() {
            errors = super::fit::check(&plan);
        }
        if errors.is_empty() { Ok(plan) } else { Err(errors) }
    }

    /// The plan without its members, of which there are `most` at most; `None` where there are errors.
    pub(super) fn shared(&mut self, cases: Option<&Cases>, most: usize) -> Option<Plan> {
        let header = self.header();
        let figure = self.figure();
        let outcomes = self.outcomes();
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
            differs: plan.differs.clone(),
            outcomes: outcomes?,
            fits: fits?,
            sweep: self.sweep.clone(),
            figure: figure?,
            members: Vec::new(),
            points: None,
            body: self.body(),
        })
    }

    /// What stands above the sections: of each run, and of all together.
    fn header(&mut self) -> Option<(Spanned<Header>, Spanned<Runs>)> {
        let header = std::mem::take(&mut self.header);
        let (own, rest): (Table, Table) =
            header.into_iter().partition(|(key, _)| EXPERIMENT.declares(&key.name));
        let (plan, strangers): (Table, Table) =
            rest.into_iter().partition(|(key, _)| PLAN.declares(&key.name));
        for (key, given) in strangers {
            let is_section = match &given.value {
                Input::Table(_) => true,
                Input::List(items) => items.iter().any(|i| matches!(i.value, Input::Table(_))),
                _ => false,
            };
            let names = if is_section { Vec::new() } else { header_names() };
            let known: Vec<_> = names.into_iter().chain(SECTIONS).chain(PLAN_SECTIONS).collect();
            self.refuse_name(&key, is_section, "", &known);
        }
        let end = self.end.clone();
        let own_settings = self.accept(EXPERIMENT.resolve("", &own, &end));
        let plan = self.accept(PLAN.resolve("", &plan, &end));
        self.header = own;
        Some((own_settings?.read(), plan?.read()))
    }

    fn figure(&mut self) -> Option<Option<FigureSettings>> {
        let Some(given) = self.figure.take() else { return Some(None) };
        let (mut contents, origin) = self.accept_one(table("figure", given))?;
        let panels = take(&mut contents, "panel");
        let panels = self.listed("figure.panel", &PANEL, panels);
        let whole = self.accept(FIGURE.resolve("figure", &contents, &origin));
        let (whole, panels) = (whole?, panels?);
        let spec = self.accept_one(FigureSpec::from_settings(&whole, &panels))?;
        Some(Some(FigureSettings { whole, panels, spec }))
    }

    fn outcomes(&mut self) -> Option<Vec<Requested>> {
        let given = self.outcomes.take();
        let all = self.listed("outcome", &OUTCOME, given)?;
        let all = all.iter().map(Requested::from_settings).collect();
        self.accept_one(all)
    }

    fn fits(&mut self) -> Option<Vec<Spanned<Fit>>> {
        let given = self.fits.take();
        Some(self.listed("fit", &FIT, given)?.iter().map(Settings::read).collect())
    }

    /// The settings of sections that may stand in a file several times.
    fn listed(
        &mut self,
        name: &str,
        declaration: &Section,
        given: Option<GivenValue>,
    ) -> Option<Vec<Settings>> {
        let Some(given) = given else { return Some(Vec::new()) };
        let list = self.accept_one(list(name, given))?;
        self.accept(resolve_list(name, declaration, list))
    }

    pub(super) fn combinations(&self) -> usize {
        if let Some(sweep) = self.sweep.as_ref().filter(|_| self.is_drawn()) {
            return points(sweep);
        }
        self.vary.iter().fold(1, |all, vary| all.saturating_mul(vary.values.len()))
    }

    /// The seeds, if there are not too many runs.
    fn seeds(&mut self, own: &Header, plan: &Spanned<Runs>, most: usize) -> Option<Vec<u64>> {
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
            self.push(SettingsError::text(text, origin));
            return None;
        }
        let last = first.checked_add(seeds - 1);
        let Some(last) = last.filter(|&last| i64::try_from(last).is_ok()) else {
            let text = format!("{seeds} seeds from {first} on go beyond the largest integer");
            self.push(SettingsError::text(text, plan.source.origin("seeds").clone()));
            return None;
        };
        Some((first..=last).collect())
    }

    /// The values of what is varied, checked to differ.
    fn values(&mut self, cases: &Cases) -> Option<Vec<VariedSetting>> {
        let mut all = Vec::new();
        for index in 0..self.vary.len() {
            let path = self.vary[index].path.clone();
            let (section, key) = (section_index(&path[0].name)?, dotted(&path));
            let arms = self.arms_of(section);
            let arm = arms.into_iter().find(|&arm| !self.idle.contains(&(index, arm)))?;
            let live = self.live_in(section, arm);
            let place = live.iter().position(|&other| other == index)?;
            let mut values: Vec<Value> = Vec::new();
            for number in 0..self.vary[index].values.len() {
                let mut picks = vec![0; live.len()];
                picks[place] = number;
                let Some(value) = setting(cases.get(&(section, arm, picks))?, &path[1..]) else {
                    self.refuse(&key, "is nothing that can be varied", &path[0].origin);
                    return None;
                };
                if values.contains(&value) {
                    let message = format!("is varied over {} twice", render_value(&value));
                    let origin = self.vary[index].values[number].origin.clone();
                    self.refuse(&key, &message, &origin);
                }
                values.push(value);
            }
            all.push(VariedSetting { key, values, law: self.vary[index].law });
        }
        Some(all)
    }

    /// Whether an arm has the setting that is varied.
    pub(super) fn varies(&self, vary: usize, arm: Option<usize>) -> bool {
        let section = section_index(&self.vary[vary].path[0].name);
        let arm = arm.filter(|&arm| section.is_some_and(|section| self.arm_changes(arm, section)));
        !self.idle.contains(&(vary, arm))
    }

    /// What stands above the sections, for one seed.
    pub(super) fn header_with(&self, seed: u64) -> Option<Spanned<Header>> {
        let mut header = self.header.clone();
        let origin = take(&mut header, "seed").map_or(Origin::Default, |given| given.origin);
        let key = Key { name: "seed".to_owned(), origin: origin.clone() };
        let value = Input::Integer(i64::try_from(seed).unwrap_or(i64::MAX));
        header.push((key, GivenValue { value, origin }));
        EXPERIMENT.resolve("", &header, &self.end).ok().map(|header| header.read())
    }
}

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
            if let Some(overlay) = value.as_overlay() {
                return written(&find(&overlay.0, &entry.name)?.value);
            }
            let found = value.as_table()?.iter().find(|(have, _)| *have == entry.name)?;
            Some(Value::Number(found.1))
        }
        _ => None,
    }
}

/// A value of an evaluation's system as it was written.
fn written(value: &Input) -> Option<Value> {
    Some(match value {
        Input::Integer(value) => Value::Integer(*value),
        Input::Number(value) => Value::Number(*value),
        Input::Switch(value) => Value::Switch(*value),
        Input::Text(text) => Value::Text(text.clone()),
        _ => return None,
    })
}
