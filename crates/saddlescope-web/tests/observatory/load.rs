//! Many people drag sliders at once: each gets curves, and the rest of the page goes on.

use serde_json::json;

use crate::client::Site;
use crate::live::endless;

#[test]
fn everybody_who_drags_gets_curves_and_the_page_goes_on() {
    const CLIENTS: usize = 16;
    const CURVES: usize = 3;
    let site = Site::new();
    let drag = |client: usize| {
        for curve in 0..CURVES {
            let scale = 0.01 + 0.001 * client as f64 + 0.0001 * curve as f64;
            let body = json!({"system": "linear-attention", "set": {"start.scale": scale}});
            site.post("/api/live", &body).end();
        }
    };
    std::thread::scope(|scope| {
        let drag = &drag;
        let clients: Vec<_> =
            (0..CLIENTS).map(|client| scope.spawn(move || drag(client))).collect();
        while !clients.iter().all(|client| client.is_finished()) {
            assert_eq!(site.get("/api/about").status, 200);
        }
    });
}

#[test]
fn the_page_needs_no_place_among_computations() {
    let site = Site::new();
    // More than there are places.
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let computing: Vec<_> = (0..6 * cores).map(|_| site.begin("/api/live", &endless())).collect();
    for path in ["/", "/assets/app.js", "/api/about", "/api/papers"] {
        assert_eq!(site.get(path).status, 200, "{path}");
    }
    drop(computing);
}
