//! The laboratory from outside: one binary, which links once.

use std::sync::LazyLock;

use saddlescope_lab::registry::Registry;

mod format_1;
mod instruments;
mod killed;

static ALL: LazyLock<Registry> =
    LazyLock::new(|| Registry::new(&[saddlescope_systems::ALL]).unwrap());
