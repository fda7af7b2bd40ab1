//! A plan as it was written: the file with its size laid over it, and the layers above.

use saddlescope_spec::settings::Problem;
use saddlescope_spec::settings::experiment;
use saddlescope_spec::settings::sweep::Design;
use saddlescope_spec::shipped::ShippedExperiment;

use super::read::{Arguments, Files};
use super::values::{self, Sort, Values};
use super::*;
use crate::experiment::change::{changes, lay, leaves, overlap, set};
use crate::experiment::reader::{is_listed, system};

pub(super) struct Draft {
    pub(super) source: Arc<Source>,
    pub(super) size: Size,
    pub(super) end: Origin,
    pub(super) system: Option<&'static dyn System>,
    /// What a shipped experiment is listed under.
    pub(super) group: Option<&'static str>,
    pub(super) header: Table,
    pub(super) sections: [Option<GivenValue>; SECTIONS.len()],
    pub(super) outcomes: Option<GivenValue>,
    pub(super) fits: Option<GivenValue>,
    pub(super) figure: Option<GivenValue>,
    sweep_given: Option<GivenValue>,
    pub(super) sweep: Option<Spanned<Sweep>>,
    arms_given: Option<GivenValue>,
    pub(super) arms: Vec<Arm>,
    vary_given: Vec<Change>,
    pub(super) vary: Vec<Vary>,
    /// What is varied, by number, that an arm has no such setting for.
    pub(super) idle: Vec<(usize, Option<usize>)>,
    /// What the command line sets in [`SECTIONS`].
    pub(super) sets: Vec<Change>,
    pub(super) errors: Vec<SettingsError>,
}

pub(super) struct Arm {
    pub(super) name: String,
    pub(super) changes: Vec<Change>,
}

pub(super) struct Vary {
    pub(super) path: Vec<Key>,
    /// Its values; of a stretch that values are drawn from, both ends.
    pub(super) values: Vec<GivenValue>,
    pub(super) law: Option<Law>,
}

impl Vary {
    /// The change to one of its values.
    pub(super) fn at(&self, pick: usize) -> Change {
        Change { path: self.path.clone(), value: self.values[pick].clone() }
    }
}

/// What a file says of itself, and not of those that extend it.
const OWN: [&str; 4] = ["name", "about", "headline", "claims"];

pub(super) fn section_index(name: &str) -> Option<usize> {
    SECTIONS.iter().position(|section| *section == name)
}

impl Draft {
    pub(super) fn new(
        files: &Files,
        size: Size,
        arguments: &Arguments,
        registry: &Registry,
    ) -> Self {
        let source = &files.sources[0];
        let mut layers = files.tables.iter().cloned();
        let mut root = layers.next().unwrap_or_default();
        let mut taken = |name: &str| take(&mut root, name);
        let mut sections = SECTIONS.map(&mut taken);
        sections.iter_mut().flatten().for_each(listed);
        let [vary, arm, paper, outcomes, fits, figure, sweep] = PLAN_SECTIONS.map(&mut taken);
        let mut draft = Self {
            source: Arc::clone(source),
            size,
            end: source.end().into(),
            system: None,
            group: registry.experiment(source.name()).map(ShippedExperiment::group),
            header: root,
            sections,
            outcomes,
            fits,
            figure,
            sweep_given: sweep,
            sweep: None,
            arms_given: arm,
            arms: Vec::new(),
            vary_given: Vec::new(),
            vary: Vec::new(),
            idle: Vec::new(),
            sets: Vec::new(),
            errors: Vec::new(),
        };
        draft.find_system(&files.tables, &arguments.sets, registry);
        draft.vary_given = draft.varied(vary);
        draft.lay_paper(paper);
        layers.for_each(|layer| draft.lay_file(layer));
        draft.lay_arguments(arguments);
        draft.read_sweep();
        draft.read_vary(&arguments.vary);
        draft.read_arms();
        draft
    }

    pub(super) fn schema(&self) -> Option<&'static SystemSchema> {
        self.system.map(|system| system.schema())
    }

    pub(super) fn push(&mut self, error: SettingsError) {
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    pub(super) fn push_all(&mut self, errors: impl IntoIterator<Item = SettingsError>) {
        errors.into_iter().for_each(|error| self.push(error));
    }

    /// The value, or nothing and the errors among the others.
    pub(super) fn accept<T>(&mut self, result: AllChecked<T>) -> Option<T> {
        result.map_err(|errors| self.push_all(errors)).ok()
    }

    /// The same where there is one error at most.
    pub(super) fn accept_one<T>(&mut self, result: Checked<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Keeps the changes of sections, which lie over arms; those of the rest of the file come in at once.
    fn lay_arguments(&mut self, arguments: &Arguments) {
        self.lay_plan_sections(&arguments.sets);
        for change in arguments.sets.iter().chain(&arguments.seeds) {
            let key = &change.path[0];
            match change.section() {
                "vary" => {
                    self.refuse_key(key, "is not set but varied: use --vary system.rank=1,2,4");
                }
                "arm" | "paper" | "outcome" | "fit" | "extends" => {
                    self.refuse_key(key, "cannot be changed by --set, only in the file");
                }
                "figure" | "sweep" => {}
                name if section_index(name).is_some() => self.sets.push(change.clone()),
                _ => self.set_header(change),
            }
        }
        let system = self.schema().map(|schema| schema.system);
        let declared = |change: &&Change| match &*change.path {
            [_, name] => system.is_some_and(|system| system.declares(&name.name)),
            _ => false,
        };
        for change in arguments.where_declared.iter().filter(declared) {
            change.clone().put(&mut self.sets);
        }
    }

    /// Lays changes of figure and sweep over what is given for them.
    fn lay_plan_sections(&mut self, changes: &[Change]) {
        let mut errors = lay(&mut self.figure, "figure", &FIGURE, changes);
        errors.extend(lay(&mut self.sweep_given, "sweep", &SWEEP, changes));
        self.push_all(errors);
    }

    fn read_sweep(&mut self) {
        let Some(given) = self.sweep_given.take() else { return };
        let Some((given, at)) = self.accept_one(table("sweep", given)) else { return };
        self.sweep = self.accept(SWEEP.resolve("sweep", &given, &at)).map(|sweep| sweep.read());
    }

    pub(super) fn is_drawn(&self) -> bool {
        self.sweep.as_ref().is_some_and(|sweep| sweep.design != Design::Grid)
    }

    /// Notes what is wrong with a setting, in words that follow its key.
    pub(super) fn refuse(&mut self, key: &str, message: &str, origin: &Origin) {
        self.push(SettingsError::wrong(key, message, origin.clone()));
    }

    fn refuse_key(&mut self, key: &Key, message: &str) {
        self.refuse(&key.name, message, &key.origin);
    }

    /// Notes a name at the top of a table `section` that is none of those that may stand there.
    pub(super) fn refuse_name(
        &mut self,
        key: &Key,
        is_section: bool,
        section: &str,
        known: &[&str],
    ) {
        let what = if is_section { "section" } else { "setting" };
        let known = known.iter().map(ToString::to_string).collect();
        let (found, section) = (key.name.clone(), section.to_owned());
        let problem = Problem::Unknown { what, found, section, known };
        self.push(SettingsError::new(problem, key.origin.clone()));
    }

    fn find_system(&mut self, files: &[Table], sets: &[Change], registry: &Registry) {
        const UNKNOWN: Section = Section::plain("system", "", &[]);
        let mut sections = files.iter().filter_map(|file| find(file, "system"));
        let first = sections.clone().next();
        let mut section = sections.find(|given| system_name(given).is_some()).or(first).cloned();
        // What cannot be laid is said when all of the section is checked.
        let _ = lay(&mut section, "system", &UNKNOWN, sets);
        self.system = self.accept_one(system(section.as_ref(), registry, &self.end));
    }

    /// Lays `[paper]` over the file that it stands in, at that size.
    fn lay_paper(&mut self, paper: Option<GivenValue>) {
        let (Size::Paper, Some(paper)) = (self.size, paper) else { return };
        let Some((contents, _)) = self.accept_one(table("paper", paper)) else { return };
        for change in self.lay_layer(contents) {
            match change.section() {
                "extends" => self.refuse_key(&change.path[0], "stands at the top of a file only"),
                name if EXPERIMENT.declares(name) || PLAN.declares(name) => {
                    self.set_header(&change);
                }
                _ => {
                    let header = header_names().into_iter().filter(|name| *name != "extends");
                    let plan = PLAN_SECTIONS.into_iter().filter(|name| *name != "paper");
                    let known: Vec<_> = header.chain(SECTIONS).chain(plan).collect();
                    self.check_section(&change, "paper", &known);
                }
            }
        }
    }

    /// Lays a file over the one that it extends, at either size.
    fn lay_file(&mut self, mut contents: Table) {
        let paper = take(&mut contents, "paper");
        let name = find(&contents, "system").and_then(system_name);
        if let Some(below) = self.sections[0].as_ref().and_then(system_name)
            && let Some(name) = name
            && name.value != below.value
        {
            let below = below.value.with_type();
            let message =
                format!("is not {below}, the system of the experiment that this file extends");
            self.refuse("system.name", &message, &name.origin.clone());
        }
        self.header.retain(|(key, _)| !OWN.contains(&key.name.as_str()));
        for change in self.lay_layer(contents) {
            if section_index(change.section()).is_none() {
                self.set_header(&change);
            }
        }
        self.lay_paper(paper);
    }

    fn set_header(&mut self, change: &Change) {
        let result = set(&mut self.header, &change.path, &change.value);
        self.push_all(result.err());
    }

    /// Lays what `contents` says of sections, arms, outcomes, fits and what is varied over what lies below; gives back its changes,
    /// those of figure and sweep aside.
    fn lay_layer(&mut self, mut contents: Table) -> Vec<Change> {
        let own = take(&mut contents, "vary");
        let own = self.varied(own);
        self.arms_given = take(&mut contents, "arm").or(self.arms_given.take());
        self.outcomes = take(&mut contents, "outcome").or(self.outcomes.take());
        self.fits = take(&mut contents, "fit").or(self.fits.take());
        let mut changes = changes(contents);
        for (index, name) in SECTIONS.iter().enumerate() {
            let Some(declaration) = declaration(name, self.schema()) else { continue };
            let errors = lay(&mut self.sections[index], name, declaration, &changes);
            self.push_all(errors);
        }
        self.lay_plan_sections(&changes);
        // What a layer sets, it does not vary; what it varies, it varies in place of what lies below.
        let vary = &mut self.vary_given;
        let stays = |path: &[Key]| !changes.iter().chain(&own).any(|new| overlap(&new.path, path));
        vary.retain(|below| stays(&below.path));
        vary.extend(own);
        changes.retain(|change| !["figure", "sweep"].contains(&change.section()));
        changes
    }

    /// A change by an arm or by `[paper]` must be of a section, and leave the system alone.
    fn check_section(&mut self, change: &Change, place: &str, known: &[&str]) {
        let key = &change.path[0];
        if section_index(&key.name).is_none() {
            let is_table = matches!(change.value.value, Input::Table(_));
            self.refuse_name(key, is_table || change.path.len() > 1, place, known);
        } else if is_system_name(&change.path) {
            self.refuse_system(&change.value.origin);
        }
    }

    fn refuse_system(&mut self, origin: &Origin) {
        let message = "is the same for all runs of a file, whatever their arm or size";
        self.refuse("system.name", message, origin);
    }

    fn read_arms(&mut self) {
        let Some(given) = self.arms_given.take() else { return };
        let Some(list) = self.accept_one(list("arm", given)) else { return };
        for (index, given) in list.into_iter().enumerate() {
            let label = format!("arm.{index}");
            let Some((mut contents, origin)) = self.accept_one(table(&label, given)) else {
                continue;
            };
            let name: Table = contents.extract_if(.., |(key, _)| key.name == "name").collect();
            let settings = ARM.resolve(&label, &name, &origin);
            let changes = changes(contents);
            for change in &changes {
                self.check_section(change, "arm", &[&["name"], &SECTIONS[..]].concat());
                // One that gives a list of which an entry is varied does something.
                let covers = |vary: &Vary| {
                    vary.path.len() <= change.path.len() && overlap(&vary.path, &change.path)
                };
                if self.vary.iter().any(covers) {
                    let message = "is varied as well, so here it would do nothing";
                    self.refuse(&dotted(&change.path), message, &change.value.origin);
                }
            }
            let Some(settings) = self.accept(settings) else { continue };
            let name = settings.read::<experiment::Arm>().name;
            if name.trim().is_empty() {
                self.push(settings.wrong("name", "is empty, but an arm needs a name"));
            } else if self.arms.iter().any(|arm| arm.name == name) {
                let message = format!("is {} again: each arm has its own name", quote(&name));
                self.push(settings.wrong("name", message));
            }
            self.arms.push(Arm { name, changes });
        }
    }

    /// The keys of a `[vary]` with what was written for each.
    fn varied(&mut self, given: Option<GivenValue>) -> Vec<Change> {
        let Some(given) = given else { return Vec::new() };
        let Some((contents, _)) = self.accept_one(table("vary", given)) else {
            return Vec::new();
        };
        let mut found: Vec<Change> = Vec::new();
        let mut all = leaves(&[], contents);
        // Dotted keys of one section need not stand together, and their order is that of the grid.
        let place = |path: &[Key]| path.last().and_then(|key| Some(key.origin.place()?.offset()));
        all.sort_by_key(|one| place(&one.path));
        for one in all {
            if found.iter().any(|earlier| overlap(&earlier.path, &one.path)) {
                let origin = &one.path[one.path.len() - 1].origin;
                self.refuse(&dotted(&one.path), "is varied twice", origin);
            } else {
                found.push(one);
            }
        }
        found
    }

    /// The values of everything that is varied; the command line replaces what the file says.
    fn read_vary(&mut self, arguments: &[(Vec<Key>, Place)]) {
        let sets = std::mem::take(&mut self.sets);
        for Change { path, value } in &std::mem::take(&mut self.vary_given) {
            // Wrong ones are complained about, even where they are replaced.
            let Some(sort) = self.check_varied(path) else { continue };
            let values = values::from_file(&dotted(path), value, sort, self.is_drawn());
            let replaced = arguments.iter().any(|(other, _)| overlap(other, path))
                || sets.iter().any(|set| overlap(&set.path, path));
            self.add_vary(path, values, replaced);
        }
        for (index, (path, place)) in arguments.iter().enumerate() {
            let Some(sort) = self.check_varied(path) else { continue };
            let values = values::from_argument(place, sort, self.is_drawn());
            if let Some(set) = sets.iter().find(|set| overlap(&set.path, path)) {
                self.refuse(&dotted(path), "is set and varied at once", &set.value.origin);
            }
            let replaced = arguments[index + 1..].iter().any(|(other, _)| overlap(other, path));
            self.add_vary(path, values, replaced);
        }
        self.sets = sets;
    }

    fn add_vary(&mut self, path: &[Key], values: Checked<Values>, replaced: bool) {
        let values = self.accept_one(values).filter(|_| !replaced);
        let vary = |Values { list, law }| Vary { path: path.to_vec(), values: list, law };
        self.vary.extend(values.map(vary));
    }

    /// What sort of setting a key leads to; `None` after a complaint.
    fn check_varied(&mut self, path: &[Key]) -> Option<Sort> {
        let [section, rest @ ..] = path else { return None };
        let found = section.name.as_str();
        if section_index(found).is_none() {
            match (found, rest) {
                ("seed" | "seeds", []) => {
                    let message = "is not varied but counted: seeds = 6, or --seeds 6";
                    self.refuse_key(section, message);
                }
                _ => self.refuse_name(section, !rest.is_empty(), "vary", &SECTIONS),
            }
            return None;
        }
        if is_system_name(path) {
            self.refuse_system(&path[1].origin);
            return None;
        }
        let stage = |key: &Key| is_listed(found) && key.name.parse::<usize>().is_ok();
        let settings = match rest {
            [first, rest @ ..] if stage(first) => rest,
            rest => rest,
        };
        match (rest, settings) {
            ([], _) => {
                let message = "is a whole section: name one setting of it, as in system.rank";
                self.refuse_key(section, message);
            }
            ([stage, ..], []) => {
                self.refuse_key(stage, "is a whole stage: name one setting of it");
            }
            (_, [of, name]) if found == "evaluate" && of.name == "system" => {
                return Some(Sort::of(declaration("system", self.schema()), &name.name));
            }
            (_, [name]) => return Some(Sort::of(declaration(found, self.schema()), &name.name)),
            // An entry of a list or a table is a number.
            _ => return Some(Sort::Numbers),
        }
        None
    }
}

/// The names that may stand at the top of a file, sections aside.
pub(super) fn header_names() -> Vec<&'static str> {
    EXPERIMENT.parameters.iter().chain(PLAN.parameters).map(|parameter| parameter.name).collect()
}

fn system_name(system: &GivenValue) -> Option<&GivenValue> {
    let Input::Table(table) = &system.value else { return None };
    find(table, "name")
}

fn is_system_name(path: &[Key]) -> bool {
    matches!(path, [section, name] if section.name == "system" && name.name == "name")
}

/// A table whose keys are numbers, as dotted keys make it (`evaluate.0.name = "longer"`), is a list.
fn listed(given: &mut GivenValue) {
    let Input::Table(table) = &mut given.value else { return };
    let is_place = |(place, (key, _)): (usize, &(Key, GivenValue))| key.name.parse() == Ok(place);
    if !table.is_empty() && table.iter().enumerate().all(is_place) {
        given.value = Input::List(table.drain(..).map(|(_, entry)| entry).collect());
    }
}
