//! The inner loops of linear attention: gradients, Hessian products, epochs, flows.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use saddlescope::descent::{Descent, Optimiser, Rule};
use saddlescope::event::{Condition, Event};
use saddlescope::flow::{Flow, Method};
use saddlescope::record::Silent;
use saddlescope::{Draw, GradientFlow, Landscape};
use saddlescope_systems::linear_attention::data::empirical::Statistics;
use saddlescope_systems::linear_attention::data::online::Batches;
use saddlescope_systems::linear_attention::data::softmax::Softmax;
use saddlescope_systems::linear_attention::{
    Basis, Context, Empirical, Population, Shape, Task, Theory,
};

fn task(dimension: usize) -> Task {
    let eigenvalues: Vec<f64> = (1..=dimension).map(|d| 1.0 / d as f64).collect();
    Task::new(&eigenvalues, Basis::Axes, Context::Fixed(31)).expect("a sound task")
}

fn gradient<L: Landscape<Scalar = f64>>(c: &mut Criterion, name: &str, landscape: &L) {
    let n = landscape.blocks().len();
    let theta: Vec<f64> = (0..n).map(|i| 0.1 + 0.01 * (i as f64).sin()).collect();
    let mut gradient = vec![0.0; n];
    let mut work = landscape.work();
    c.bench_function(&format!("gradient/{name}"), |b| {
        b.iter(|| landscape.evaluate(black_box(&theta), Draw::default(), &mut work, &mut gradient));
    });
    let direction = vec![1.0; n];
    c.bench_function(&format!("hessian/{name}"), |b| {
        b.iter(|| {
            let draw = Draw::default();
            landscape.hessian_product(&theta, black_box(&direction), draw, &mut work, &mut gradient)
        });
    });
}

fn landscapes(c: &mut Criterion) {
    for (d, heads, rank) in [(4, 5, 1), (8, 9, 1), (8, 9, 8), (16, 16, 1)] {
        let (task, shape) = (task(d), Shape::new(d, heads, rank).expect("a sound shape"));
        let population = Population::new(&task, shape, 1.0).expect("a landscape");
        gradient(c, &format!("population/d{d}h{heads}r{rank}"), &population);
        let statistics = Statistics::sampled(&task, 1000, 0).expect("statistics");
        let empirical = Empirical::new(statistics, shape, 1.0).expect("a landscape");
        gradient(c, &format!("empirical/d{d}h{heads}r{rank}"), &empirical);
    }
}

fn batches(c: &mut Criterion) {
    let (task, shape) = (task(4), Shape::new(4, 4, 1).expect("a sound shape"));
    let online = Batches::fresh(&task, shape, 1.0, 1000).expect("a landscape");
    let theta = shape.random_start(0.5, 0).expect("a start");
    let mut work = online.work();
    let mut slope = vec![0.0; theta.len()];
    c.bench_function("online/1000 sequences", |b| {
        b.iter(|| online.evaluate(black_box(&theta), Draw::default(), &mut work, &mut slope));
    });
    let softmax = Softmax::<f32>::new(&task, shape, 1.0, (1000, 0)).expect("a landscape");
    let theta: Vec<f32> = theta.iter().map(|&x| x as f32).collect();
    let mut work = softmax.work();
    let mut slope = vec![0.0_f32; theta.len()];
    c.bench_function("softmax/1000 sequences", |b| {
        b.iter(|| softmax.evaluate(black_box(&theta), Draw::default(), &mut work, &mut slope));
    });
}

fn dynamics(c: &mut Criterion) {
    let task = task(4);
    let shape = Shape::new(4, 5, 1).expect("a sound shape");
    let start = shape.random_start(0.1, 1).expect("a start");
    let statistics = Statistics::sampled(&task, 1000, 0).expect("statistics");
    let empirical = Empirical::new(statistics, shape, 1.0).expect("a landscape");
    c.bench_function("gd/1000 epochs", |b| {
        b.iter(|| {
            let mut theta = start.clone();
            let rule = Rule::new(Optimiser::Gd, 0.001, empirical.blocks());
            let mut rule = rule.expect("a rate");
            Descent::new(1000).run(&empirical, &mut rule, &mut theta, &mut Silent)
        });
    });
    let population = Population::new(&task, shape, 1.0).expect("a landscape");
    let last = Theory::new(&task).mid_levels()[3];
    for method in [Method::Auto, Method::Dop853, Method::Radau] {
        let flow = Flow::default().method(method).event(Event::stop(Condition::LossBelow(last)));
        c.bench_function(&format!("flow/{method:?}"), |b| {
            b.iter(|| flow.run(&GradientFlow::new(&population), 0.0, &start, &mut Silent));
        });
    }
}

criterion_group!(benches, landscapes, batches, dynamics);
criterion_main!(benches);
