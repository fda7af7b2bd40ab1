//! Nanoseconds per number: dispatch, elementary functions (against the standard library), random
//! streams. `SADDLESCOPE_SIMD` pins the level.

#![allow(missing_docs)]

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use saddlescope::Scalar;
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::numeric::{elementary, simd};

const LEN: usize = 4096;

fn dispatching(c: &mut Criterion) {
    let mut total = 0u64;
    c.bench_function("dispatch/an addition", |b| {
        b.iter(|| saddlescope::dispatch!(total = total.wrapping_add(black_box(1))));
    });
}

/// Times `function` on fresh copies of `input`.
fn in_place<S: Scalar>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    input: &[S],
    function: impl Fn(&mut [S]),
) {
    let mut values = input.to_vec();
    group.bench_function(name, |b| {
        b.iter(|| {
            values.copy_from_slice(input);
            function(black_box(&mut values));
        });
    });
}

fn functions(c: &mut Criterion) {
    let mut group = c.benchmark_group(format!("elementary/{}", simd::level()));
    group.throughput(Throughput::Elements(LEN as u64));
    let mut normals = vec![0.0f64; LEN];
    Stream::new(1, Purpose::Data, 0).fill_normal(&mut normals);
    let singles: Vec<f32> = normals.iter().map(|&x| x as f32).collect();
    let positive: Vec<f64> = normals.iter().map(|x| x.abs()).collect();
    let positive_singles: Vec<f32> = singles.iter().map(|x| x.abs()).collect();

    fn each<S: Copy>(values: &mut [S], function: impl Fn(S) -> S) {
        values.iter_mut().for_each(|value| *value = function(*value));
    }
    in_place(&mut group, "exp f64", &normals, elementary::exp_all);
    in_place(&mut group, "exp f64, std", &normals, |v| each(v, f64::exp));
    in_place(&mut group, "exp f32", &singles, elementary::exp_all);
    in_place(&mut group, "exp f32, std", &singles, |v| each(v, f32::exp));
    in_place(&mut group, "ln f64", &positive, elementary::ln_all);
    in_place(&mut group, "ln f64, std", &positive, |v| each(v, f64::ln));
    in_place(&mut group, "ln f32", &positive_singles, elementary::ln_all);
    in_place(&mut group, "ln f32, std", &positive_singles, |v| each(v, f32::ln));
    in_place(&mut group, "tanh f64", &normals, elementary::tanh_all);
    in_place(&mut group, "tanh f64, std", &normals, |v| each(v, f64::tanh));
    in_place(&mut group, "tanh f32", &singles, elementary::tanh_all);
    in_place(&mut group, "tanh f32, std", &singles, |v| each(v, f32::tanh));
}

fn bulk(c: &mut Criterion) {
    let mut group = c.benchmark_group(format!("random/{}", simd::level()));
    group.throughput(Throughput::Elements(LEN as u64));
    let mut stream = Stream::new(1, Purpose::Data, 0);
    let (mut words, mut doubles, mut singles) = (vec![0; LEN], vec![0f64; LEN], vec![0f32; LEN]);
    group.bench_function("u64", |b| b.iter(|| stream.fill_u64(black_box(&mut words))));
    group
        .bench_function("uniform f64", |b| b.iter(|| stream.fill_uniform(black_box(&mut doubles))));
    group
        .bench_function("uniform f32", |b| b.iter(|| stream.fill_uniform(black_box(&mut singles))));
    group.bench_function("normal f64", |b| b.iter(|| stream.fill_normal(black_box(&mut doubles))));
    group.bench_function("normal f32", |b| b.iter(|| stream.fill_normal(black_box(&mut singles))));
    group.bench_function("u64, one by one", |b| {
        b.iter(|| words.iter_mut().for_each(|word| *word = stream.next_u64()));
    });
    group.bench_function("below 10, one by one", |b| {
        b.iter(|| words.iter_mut().for_each(|word| *word = stream.below(black_box(10))));
    });
}

/// What a landscape does once per sequence.
fn short_streams(c: &mut Criterion) {
    let mut group = c.benchmark_group(format!("stream/{}", simd::level()));
    let root = Stream::new(1, Purpose::Batch, 0);
    let mut index = 0;
    let mut next = move || {
        index += 1;
        root.substream(index)
    };
    let mut numbers = [0f64; 100];
    group.bench_function("new", |b| b.iter(|| Stream::new(black_box(1), Purpose::Batch, 0)));
    group.bench_function("substream", |b| b.iter(&mut next));
    group.bench_function("substream, first word", |b| b.iter(|| next().next_u64()));
    group.bench_function("substream, 100 uniforms", |b| {
        b.iter(|| next().fill_uniform(black_box(&mut numbers)));
    });
    group.bench_function("substream, 100 normals", |b| {
        b.iter(|| next().fill_normal(black_box(&mut numbers)));
    });
}

criterion_group!(benches, dispatching, functions, bulk, short_streams);
criterion_main!(benches);
