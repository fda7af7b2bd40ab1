use super::*;

#[test]
fn leads_solve_their_equation_for_every_vocabulary() {
    for vocabulary in [2.0, 5.0, 30.0, 1e3, 5e4, 1e9] {
        for steps in [1e-12, 1e-3, 0.1, 1.0, 5.0, 20.0, 1e3, 1e8] {
            let x = lead(vocabulary, steps);
            assert!(
                (steps_to(vocabulary, x) / steps - 1.0).abs() < 1e-13,
                "{vocabulary} {steps} {x}"
            );
        }
    }
    assert_eq!(lead(100.0, 0.0), 0.0);
}

/// The differential equation (44), in small steps of its own.
#[test]
fn leads_are_the_flow_of_the_recursion() {
    let (m, eta) = (1000.0, 1.0);
    for until in [3.0_f64, 10.0, 40.0] {
        let fine = stepped_leads(m, eta / 2e4, (until * 2e4) as usize);
        assert!((fine.last().unwrap() / lead(m, eta * until) - 1.0).abs() < 1e-4);
    }
}

#[test]
fn roots_are_where_the_exponential_overtakes() {
    for m in [5.0, 30.0, 1e3, 5e4] {
        let x = (1.0 + omega_1(m).unwrap()) * m.ln();
        assert!((x.exp() / ((m - 1.0) * x) - 1.0).abs() < 1e-12);
        let x = m.powf(omega_0(m).unwrap() - 1.0);
        assert!((x.exp() / ((m - 1.0) * x) - 1.0).abs() < 1e-10, "{m}");
    }
    // e^x > 2 x everywhere.
    assert_eq!((omega_1(3.0), omega_0(3.0)), (None, None));
}

#[test]
fn gamma_peaks_and_its_integral_is_the_closed_form() {
    let snap = Snap::new((10, 1000), (1.0, 0.5), 1.0).unwrap();
    let peak = snap.peak().unwrap();
    assert!((snap.gamma(peak) - 4.416).abs() < 5e-4, "{}", snap.gamma(peak));
    assert!((peak / 10.0 - 5.640).abs() < 5e-4);
    assert!(
        snap.gamma(0.999 * peak) < snap.gamma(peak) && snap.gamma(1.001 * peak) < snap.gamma(peak)
    );
    // Simpson's rule against Eq. (128), and against B's own differential equation.
    let (until, pieces) = (400.0, 40_000);
    let h = until / f64::from(pieces);
    let sum = |f: &dyn Fn(f64) -> f64| -> f64 {
        let weight = |i: i32| {
            if i == 0 || i == pieces {
                1.0
            } else if i % 2 == 1 {
                4.0
            } else {
                2.0
            }
        };
        (0..=pieces).map(|i| weight(i) * f(f64::from(i) * h)).sum::<f64>() * h / 3.0
    };
    let total = sum(&|t| 0.5 * snap.gamma(t));
    assert!((total / snap.total(until) - 1.0).abs() < 1e-8);
    for c0 in [0.2, 1.0, 7.0] {
        let snap = Snap::new((10, 1000), (1.0, 0.5), c0).unwrap();
        let growth = sum(&|t| 0.5 * snap.gamma(t) / (c0 + 4.0 * snap.total(t)));
        assert!((growth / snap.growth(until) - 1.0).abs() < 1e-8, "{c0}");
        let print = snap.growth_as_printed(until) - snap.growth(until);
        assert!((print - 0.25 * c0.ln()).abs() < 1e-12);
    }
    assert_eq!(snap.growth(0.0), 0.0);
}

#[test]
fn large_vocabularies_do_no_harm() {
    let snap = Snap::new((10, 50_000), (1.0, 0.5), 1.0).unwrap();
    for t in [1e-6, 1.0, 100.0, 1e4, 1e12, 1e300] {
        let all = [snap.lead(t), snap.gamma(t), snap.growth(t), snap.factor(t)];
        assert!(all.iter().all(|x| x.is_finite() && *x > 0.0), "{t}: {all:?}");
    }
    assert!(Snap::new((10, 1), (1.0, 1.0), 1.0).is_err());
    assert!(Snap::new((10, 10), (1.0, 1.0), 0.0).unwrap_err().to_string().contains("C0 is 0"));
}
