//! The `saddlescope` command with one more system.

fn main() -> std::process::ExitCode {
    saddlescope_cli::main_with(sixth_system::ADDITION)
}
