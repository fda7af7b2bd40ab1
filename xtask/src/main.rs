//! The habits of the project as commands: test, bench.

fn main() {}
