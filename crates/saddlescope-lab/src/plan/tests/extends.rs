//! Files that extend others.

use super::*;

const LADDER: &str = "extends = \"toy-attention/ladder\"\n";

fn first(plan: &Plan) -> Vec<(String, String)> {
    plan.members[0].experiment.pairs()
}

fn at(size: Size) -> Changes {
    Changes { size, ..Changes::default() }
}

fn value(plan: &Plan, key: &str) -> Option<String> {
    first(plan).into_iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

#[test]
fn a_file_says_what_it_changes_and_has_the_rest_from_its_base() {
    let shipped = Plan::named("toy-attention/ladder", &Changes::default(), &TOYS).unwrap();
    let same = read(LADDER, &Changes::default()).unwrap();
    assert_eq!(same.members.len(), 8);
    assert_eq!(first(&same), first(&shipped));
    assert_eq!((&same.arms, &same.figure), (&shipped.arms, &shipped.figure));
    // What a file says of itself is its own.
    assert_eq!(
        (same.name(), same.about(), same.headline, same.claims.len()),
        (None, None, false, 0)
    );
    assert_eq!(shipped.group(), "toy-attention");

    let text =
        "name = \"mine\"\n[system]\nheads = 5\ndimension = 2\n[[figure.panel]]\ny = [\"loss\"]\n";
    let mine = read(&format!("{LADDER}{text}"), &Changes::default()).unwrap();
    assert_eq!(
        (mine.name(), mine.members.len()),
        (Some("mine"), 4),
        "dimension is set, not varied"
    );
    assert_eq!(value(&mine, "system.heads").as_deref(), Some("5"));
    assert_eq!(value(&mine, "system.noise_size").as_deref(), Some("0.5"));
    let figure = mine.figure.as_ref().unwrap();
    assert_eq!(
        (figure.panels.len(), figure.whole.field::<i64>("columns")),
        (1, 2),
        "lists are replaced"
    );
    // Nothing is left to look up.
    let again = Plan::from_text("again", &mine.to_toml(), &Changes::default(), &TOYS).unwrap();
    assert_eq!(again, mine);
    assert!(!mine.to_toml().contains("extends"));
}

#[test]
fn a_file_lies_over_its_base_at_either_size() {
    let shipped = read(LADDER, &at(Size::Paper)).unwrap();
    assert_eq!((shipped.seeds.len(), shipped.vary[0].values.len()), (6, 3));
    assert_eq!(value(&shipped, "dynamics.until").as_deref(), Some("100000.0"));
    let text = format!("{LADDER}dynamics.until = 7.0\narm = []\n[paper]\nseeds = 3\n");
    let (quick, paper) = (read(&text, &at(Size::Quick)), read(&text, &at(Size::Paper)));
    let (quick, paper) = (quick.unwrap(), paper.unwrap());
    assert_eq!((quick.seeds.len(), paper.seeds.len()), (2, 3));
    for plan in [quick, paper] {
        assert_eq!(value(&plan, "dynamics.until").as_deref(), Some("7.0"));
        assert!(plan.arms.is_empty());
    }
    // A choice that is changed leaves behind what lies below and hangs on the old one, at the size of the paper as well.
    let text = format!(
        "{LADDER}dynamics = {{ kind = \"gd\", rate = 0.1, steps = 5 }}\nsystem.noise = \"none\"\n"
    );
    let descent = read(&text, &at(Size::Paper)).unwrap();
    assert_eq!(value(&descent, "dynamics.until"), None);
    assert_eq!(value(&descent, "system.noise_size"), None);
    // The command line has the last word.
    let changes = Changes { seeds: Some("1".to_owned()), ..Changes::set(&["system.heads=9"]) };
    let set = read(LADDER, &changes).unwrap();
    assert_eq!(value(&set, "system.heads").as_deref(), Some("9"));
    assert_eq!(set.members.len(), 4);
}

#[test]
fn files_extend_files_beside_them() {
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    };
    file("base.toml", "extends = \"toy-attention/ladder\"\nsystem.heads = 7\nseeds = 1\n");
    let inner = file("inner/mine.toml", "extends = \"../base.toml\"\n[start]\nscale = 0.5\n");
    let plan = Plan::read(&inner, &Changes::default(), &TOYS).unwrap();
    assert_eq!((plan.members.len(), plan.group()), (4, "toy-attention"));
    assert_eq!(value(&plan, "system.heads").as_deref(), Some("7"));
    let swept = Plan::read(&inner, &Changes::default().swept(), &TOYS).unwrap();
    assert_eq!(swept.len(), 4);

    // What is wrong in a base is shown there.
    file("base.toml", "extends = \"toy-attention/ladder\"\n[system]\nhaeds = 7\n");
    let error = Plan::read(&inner, &Changes::default(), &TOYS).unwrap_err().to_string();
    assert!(error.contains("base.toml:3:1") && error.contains("did you mean `heads`?"), "{error}");

    file("base.toml", "extends = \"inner/mine.toml\"\n");
    let error = Plan::read(&inner, &Changes::default(), &TOYS).unwrap_err().to_string();
    assert!(error.contains("cannot extend each other in a circle"), "{error}");
    assert!(
        error.contains("base.toml:1:11") && error.matches("toml extends ").count() == 2,
        "{error}"
    );
    file("base.toml", "extends = \"base.toml\"\n");
    let error = Plan::read(&inner, &Changes::default(), &TOYS).unwrap_err().to_string();
    assert!(error.contains("in a circle"), "{error}");
}
