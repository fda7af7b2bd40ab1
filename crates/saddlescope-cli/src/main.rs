//! The program `saddlescope`.

fn main() -> std::process::ExitCode {
    saddlescope_cli::main()
}
