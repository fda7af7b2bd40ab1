use super::*;
use crate::campaign::Campaign;
use crate::store::{is_busy, read as read_run};

pub(crate) fn manifest(changes: &[&str]) -> Manifest {
    let text = "name = \"a \\\"name\\\"\"\n[system]\nname = \"linear-attention\"\n\
                [dynamics]\nkind = \"gd\"\nrate = 0.1\nsteps = 30\n\
                rates = { \"head.*.value\" = 2.0, \"*\" = 0.5 }";
    let experiment = Experiment::from_text("a.toml", text, changes, &ALL).unwrap();
    Manifest::new(&experiment, 10, Inputs::new())
}

fn parse(text: &str) -> Result<Manifest> {
    Manifest::parse(Path::new("x/run.toml"), text.into(), &ALL)
}

#[test]
fn everything_comes_back() {
    let mut whole = manifest(&["system.heads=3"]);
    let failed = State::Failed { error: "blew up at [run]\n[run.files] \"x\"".into() };
    for state in [State::Running, State::Finished, failed] {
        whole.state = state;
        whole.segments = 7;
        whole.seconds = 0.1 + 0.2;
        whole.files.insert("trajectory/part-0000.parquet".into(), Hash::of_bytes(b"x"));
        assert!(Manifest::recognises(whole.to_toml().unwrap().as_bytes()));
        assert_eq!(parse(&whole.to_toml().unwrap()).unwrap(), whole);
    }
}

#[test]
fn what_is_wrong_is_named() {
    let text = manifest(&[]).to_toml().unwrap();
    for (from, to, expected) in [
        ("\n[run]\n", "\n", "x/run.toml is damaged: the section [run] is missing"),
        ("steps = 30", "steps = 31", "x/run.toml is damaged: its settings do not fit its hash"),
        ("simd = \"", "simd = \"w", "x/run.toml is damaged: behind [run]: unknown variant `w"),
        (
            "leg = 10",
            "leg = -10",
            "x/run.toml is damaged: behind [run]: invalid value: integer `-10`, expected u64",
        ),
        ("seconds = 0.0\n", "", "x/run.toml is damaged: behind [run]: missing field `seconds`"),
        ("running", "runing", "x/run.toml is damaged: behind [run]: unknown variant `runing`"),
        ("[run.files]", "[run.fils]", "x/run.toml is damaged: behind [run]: missing field `files`"),
        (
            "[run.files]",
            "[run.files]\n\"../a\" = \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"",
            "x/run.toml is damaged: behind [run]: `../a`",
        ),
        ("heads =", "haeds =", "x/run.toml is damaged: its experiment cannot be read: unknown"),
        ("format = 2", "format = 3", "x/run.toml was written by Saddlescope"),
    ] {
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text, "{from}");
        let error = parse(&broken).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{from} -> {to}: {error}");
    }
    let newer = parse(&text.replacen("format = 2", "format = 3", 1)).unwrap_err().to_string();
    assert!(newer.ends_with("in format 3; this program knows formats up to 2"), "{newer}");
}

#[test]
fn the_hash_is_of_what_counts() {
    let plain = manifest(&[]).hash;
    for same in [&["name=\"b\""][..], &["about=\"words\""], &["seed=0"]] {
        assert_eq!(manifest(same).hash, plain, "{same:?}");
    }
    for other in [
        "seed=1",
        "system.heads=3",
        "start.scale=0.2",
        "dynamics.rate=0.2",
        "record.points=50",
        "record.observables=[\"loss\"]",
    ] {
        assert_ne!(manifest(&[other]).hash, plain, "{other}");
    }
    let segments = |segment| Manifest::new(&manifest(&[]).experiment, segment, Inputs::new()).hash;
    assert_ne!(segments(10), segments(11));
}

#[test]
fn a_hash_is_read_back_and_shortened() {
    // The digest of three letters that the standard gives.
    let hash = Hash::of_bytes(b"abc");
    let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!((hash.to_string().as_str(), hash.short().as_str()), (text, "ba7816bf8f01"));
    assert_eq!(text.parse::<Hash>().unwrap(), hash);
    for wrong in ["", "00", &text[1..], &text.replace('b', "g")] {
        assert!(wrong.parse::<Hash>().is_err(), "{wrong}");
    }
}

#[test]
fn differences_name_both_values() {
    let shown = |there: &[&str], here: &[&str]| -> Vec<String> {
        let list = differences(&manifest(there), &manifest(here));
        list.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        shown(&["seed=3", "dynamics.clip=1.5"], &["dynamics.rate=0.2", "name=\"c\""]),
        [
            "seed: 3 there, 0 here",
            "dynamics.rate: 0.1 there, 0.2 here",
            "dynamics.clip: 1.5 there, not set here"
        ]
    );
    let long = format!("record.crossings=[{}]", vec!["0.125"; 30].join(", "));
    let list = shown(&[], &[&long]);
    assert!(list[0].ends_with("0.125, 0.1... here") && list[0].len() < 130, "{list:?}");
    let mut newer = manifest(&[]);
    newer.version = "9.0.0".into();
    let list = differences(&newer, &manifest(&[]));
    assert_eq!(list[0].to_string(), "program's version: 9.0.0 there, 0.2.0 here");
}

#[test]
fn data_from_outside_counts_and_comes_back() {
    let experiment = manifest(&[]).experiment;
    let with = |bytes: &[u8]| {
        let inputs = Inputs::from([("system.train".to_owned(), Hash::of_bytes(bytes))]);
        Manifest::new(&experiment, 10, inputs)
    };
    let (there, here) = (with(b"abc"), with(b"abd"));
    assert_ne!(there.hash, here.hash);
    assert_ne!(there.hash, manifest(&[]).hash);
    assert_eq!(parse(&there.to_toml().unwrap()).unwrap(), there);
    let list = differences(&there, &here);
    let words = "contents of system.train: ba7816bf8f01 there, a52d159f262b here";
    assert_eq!(list.iter().map(ToString::to_string).collect::<Vec<_>>(), [words]);
    let forged = there.to_toml().unwrap().replacen("\"ba78", "\"ba79", 1);
    let error = parse(&forged).unwrap_err().to_string();
    assert!(error.contains("do not fit its hash"), "{error}");
}

#[test]
fn a_glance_says_what_the_whole_manifest_says() {
    let folder = tempfile::tempdir().unwrap();
    let text = "name = \"short\"\nseed = 3\n[system]\nname = \"linear-attention\"\n[dynamics]\nuntil = 2.0\n";
    let plan = Plan::from_text("short", text, &Changes::default(), &ALL).unwrap();
    let place = folder.path();
    let campaign = Campaign {
        registry: &ALL,
        folder: Some(place),
        force: false,
        stop: Default::default(),
        progress: &|_| {},
    };
    assert!(campaign.run(&plan).failures().is_empty());
    let seen = glance(place).unwrap();
    assert_eq!((seen.seed, seen.run), (3, read_run(place, &ALL).unwrap().manifest.record));
    assert!(!is_busy(place));

    let own = File::options().write(true).open(place.join(".lock")).unwrap();
    own.lock().unwrap();
    assert!(is_busy(place));
    std::fs::write(place.join("run.toml"), "[run]\nstate = \"finished\"\n").unwrap();
    assert!(glance(place).unwrap_err().to_string().contains("damaged"));
}
