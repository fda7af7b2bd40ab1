//! Figures: `reproduce` makes them, `plot` draws columns of what was kept.

use crate::program::Folder;

fn is_picture(folder: &Folder, name: &str) {
    let bytes = std::fs::read(folder.path(name)).unwrap();
    let start: &[u8] = match name.rsplit('.').next() {
        Some("svg") => b"<svg",
        Some("png") => b"\x89PNG",
        _ => b"%PDF",
    };
    assert!(bytes.starts_with(start) && bytes.len() > 2000, "{name}");
}

#[test]
fn columns_of_kept_runs_are_drawn() {
    let folder = Folder::new();
    folder.run("run linear-attention/fig1 --seeds 2 --out runs").done();
    let run = "runs/linear-attention/fig1";
    let plot = |more: &str| folder.run(format!("plot {run} --columns {more}"));
    let out = plot("head.0.value,loss").done();
    assert_eq!(out.lines().count(), 3, "{out}");
    for format in ["svg", "png", "pdf"] {
        is_picture(&folder, &format!("{run}/plot-head.0.value-loss.{format}"));
    }
    let words = ["plot-head.0.value-loss.svg exists; --force writes over it"];
    plot("head.0.value,loss").fails(2, &words);
    plot("head.0.key[0,1]").done();
    plot("loss --out x.jpg").fails(2, &[".svg, .png or .pdf"]);
    folder.run(format!("plot {run} --seeds band")).fails(2, &["--columns"]);
    let options = "--out one.pdf --theory levels --seeds band --y-scale log";
    folder.run(format!("plot {run}/runs/seed-5 --columns loss {options}")).done();
    is_picture(&folder, "one.pdf");
    plot("los --out x.svg").fails(2, &["`los`", "did you mean `loss`?"]);
    plot("loss --theory level --out x.svg").fails(2, &["`level`", "did you mean `levels`?"]);
    folder.run("plot runs").fails(2, &["holds no runs"]);
    folder.run("plot absent").fails(2, &["holds no runs"]);
}

#[test]
fn the_figure_is_drawn_again_from_its_folder_with_the_same_bytes() {
    let folder = Folder::new();
    folder.run("run linear-attention/fig6 --out runs").done();
    let figure = "runs/linear-attention/fig6/figure.svg";
    let before = folder.read(figure);
    std::fs::remove_file(folder.path(figure)).unwrap();
    folder.run("plot runs/linear-attention/fig6").done();
    assert_eq!(folder.read(figure), before);
}

#[test]
fn reproduce_ends_with_verdicts() {
    let folder = Folder::new();
    folder.run("reproduce linear-attention/fig6").shows(&["verdicts as recorded"]);
    is_picture(&folder, "reproduction/linear-attention/fig6/figure.svg");
    folder.run("reproduce linear-atention").fails(2, &["did you mean `linear-attention`?"]);
}
