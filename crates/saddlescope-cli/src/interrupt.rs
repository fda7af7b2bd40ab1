//! Ctrl-C: once, and runs stop where they can go on later; twice, and the program is gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What shells expect of a program that Ctrl-C ended.
pub(crate) const EXIT_CODE: u8 = 130;

/// A flag that Ctrl-C sets.
pub(crate) fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    // Without a handler, Ctrl-C ends the program at once: a folder is whole then, too.
    let _ = ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(EXIT_CODE.into());
        }
        eprintln!("\nstopping; Ctrl-C again ends at once");
    });
    flag
}
