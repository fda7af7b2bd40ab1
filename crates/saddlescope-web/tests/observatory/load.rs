//! Many people drag sliders at once: each gets curves, and the rest of the page stays quick.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Site;

#[test]
fn the_page_stays_quick_while_many_drag() {
    const CLIENTS: usize = 16;
    let site = Site::new();
    let (over, curves) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut waits = Vec::new();
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (site, over, curves) = (&site, &over, &curves);
            scope.spawn(move || {
                let mut scale = 0.01 + 0.001 * client as f64;
                while !over.load(Ordering::Relaxed) {
                    scale *= 1.01;
                    let body = json!({"system": "linear-attention", "set": {"start.scale": scale}});
                    let reply = site.post("/api/live", &body);
                    assert_eq!(reply.frames().last().unwrap().kind(), "end");
                    curves.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for _ in 0..20 {
            let began = Instant::now();
            assert_eq!(site.get("/api/about").status, 200);
            waits.push(began.elapsed());
            std::thread::sleep(Duration::from_millis(30));
        }
        over.store(true, Ordering::Relaxed);
    });
    waits.sort();
    let curves = curves.load(Ordering::Relaxed);
    // Far beyond what is measured on a quiet machine, and far below what anybody would call stuck.
    assert!(waits[waits.len() / 2] < Duration::from_millis(500), "{waits:?}");
    assert!(curves >= 2 * CLIENTS, "{curves} curves");
}
