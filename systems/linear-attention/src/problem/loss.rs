//! The loss that the settings ask for.

use saddlescope_spec::prelude::*;
use saddlescope_spec::settings::Choice;

use crate::data::empirical::Statistics;
use crate::data::online::Batches;
use crate::data::softmax::Softmax;
use crate::matrices::{Full, Moments, Tasks};
use crate::settings::{self, Attention, Average, Precision};
use crate::{Empirical, Error, Population, Shape, Task};

/// The loss that was asked for, the initial parameters of its model, and the least loss of a data set where it is known.
pub(super) fn loss(
    system: &Spanned<settings::System>,
    task: &Task,
    shape: Shape,
    weights: Vec<f64>,
    (tasks, seed): (Tasks, u64),
) -> Result<(Loss, Vec<f64>, Option<f64>), SettingsError> {
    let (tau, data, batch) = (system.tau, (system.sequences, seed), system.batch);
    let (attention, loss) = (system.attention.word(), system.loss.word());
    let has_loss = match system.loss {
        Average::Empirical => true,
        Average::Population => system.attention != Attention::Softmax,
        _ => system.attention.sees_theta(),
    };
    if !has_loss {
        let others = if system.attention.is_full() { " or \"population\"" } else { "" };
        let message = format!(
            "is \"{loss}\", but {attention} attention has only the loss of a finite data set{}: \
             set loss = \"empirical\"{others}",
            if system.attention.is_full() { " or of all data" } else { "" }
        );
        return Err(system.wrong("loss", message));
    }
    let population = {
        let task = task.clone();
        move || Some(Loss::exact_specialised(Population::new(&task, shape, tau).ok()?))
    };
    let empirical = {
        let (task, population) = (task.clone(), population.clone());
        move |seed| {
            let whole = Empirical::new(Statistics::sampled(&task, data.0, seed)?, shape, tau)?;
            let reaches_all = !shape.is_separate() || shape.heads * shape.rank >= shape.dimension;
            let least = whole.loss.least_loss().filter(|_| reaches_all);
            let loss = Loss::exact_specialised(whole).with_population(population.clone());
            Ok::<_, Error>((loss, least))
        }
    };
    let fresh = {
        let empirical = empirical.clone();
        move |seed| Some(empirical(seed).ok()?.0)
    };
    let build = || {
        let mut least = None;
        let loss = match (system.attention, system.loss) {
            (Attention::Softmax, _) => {
                let (task, precision) = (task.clone(), system.precision);
                let on = move |seed| {
                    let data = (data.0, seed);
                    Ok::<_, Error>(match precision {
                        Precision::Single => {
                            Loss::single(Softmax::<f32>::new(&task, shape, tau, data)?, false)
                        }
                        Precision::Double => {
                            Loss::exact(Softmax::<f64>::new(&task, shape, tau, data)?)
                        }
                    })
                };
                on(seed)?.with_fresh(move |seed| on(seed).ok())
            }
            (Attention::Full | Attention::FullMerged, average) => {
                let exact = {
                    let task = task.clone();
                    move || Full::on(Moments::exact(&task, tasks)?, shape, tau)
                };
                let on = {
                    let task = task.clone();
                    move |seed| {
                        let moments = Moments::sampled(&task, tasks, (data.0, seed))?;
                        Ok::<_, Error>(Loss::exact(Full::on(moments, shape, tau)?))
                    }
                };
                if average == Average::Population {
                    Loss::exact(exact()?)
                } else {
                    on(seed)?
                        .with_population(move || exact().ok().map(Loss::exact))
                        .with_fresh(move |seed| on(seed).ok())
                }
            }
            (_, Average::Population) => Loss::exact_specialised(Population::new(task, shape, tau)?),
            (_, Average::Empirical) => {
                let (loss, of_data) = empirical(seed)?;
                least = of_data;
                loss.with_fresh(fresh)
            }
            (_, Average::Minibatch) => Loss::drawn(Batches::stored(task, shape, tau, data, batch)?)
                .with_mean(move || Some(empirical(seed).ok()?.0))
                .with_population(population)
                .with_fresh(fresh),
            (_, Average::Online) => {
                Loss::drawn(Batches::fresh(task, shape, tau, batch)?).with_mean(population)
            }
        };
        Ok((loss, weights, least))
    };
    build().map_err(|error: Error| system.blame(&error, "loss"))
}
