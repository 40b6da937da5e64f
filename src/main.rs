//! The command line: arguments → verb → exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    roceaudit::cli::run()
}
