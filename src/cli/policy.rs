//! `roceaudit policy`.

use super::args::{Arguments, Policy, PolicyAction};
use super::{USAGE, audit, colored_errors, error_stream, output, policy_test, width};
use crate::policy::{
    PolicyError, Subject, builtin_description, builtin_names, init_template, schema,
};
use crate::report::text::wrap;
use std::io::Write;

pub fn run(arguments: &Arguments, verb: &Policy) -> anyhow::Result<u8> {
    let mut out = output(arguments.color);
    let mut code = 0;
    match &verb.action {
        PolicyAction::Check { policies } => {
            for name in policies {
                match audit::load_policy(name) {
                    Ok(policy) => writeln!(out, "{name}: {} is valid", policy.name())?,
                    Err(error) => {
                        code = USAGE;
                        tell(arguments, &error)?;
                    }
                }
            }
        }
        PolicyAction::Test { files } => return policy_test::run(arguments, files),
        PolicyAction::Show {
            policy,
            device,
            port,
            role,
            speed,
        } => match audit::load_policy(policy) {
            Ok(policy) => {
                let subject = Subject {
                    device,
                    port,
                    role: role.as_deref(),
                    speed_mbps: *speed,
                    ..Subject::default()
                };
                writeln!(out, "{}", policy.show(&subject).trim_end())?;
            }
            Err(error) => {
                code = USAGE;
                tell(arguments, &error)?;
            }
        },
        PolicyAction::Schema => writeln!(out, "{}", schema().trim_end())?,
        PolicyAction::List => {
            for name in builtin_names() {
                let what = builtin_description(name).unwrap_or_default();
                let line = format!("builtin:{name:<15} {what}");
                for line in wrap(&line, width(), &" ".repeat(24)) {
                    writeln!(out, "{line}")?;
                }
            }
        }
        PolicyAction::Init => write!(out, "{}", init_template())?,
    }
    out.flush()?;
    Ok(code)
}

fn tell(arguments: &Arguments, error: &PolicyError) -> anyhow::Result<()> {
    let mut err = error_stream(arguments.color);
    writeln!(err, "{}", error.render(colored_errors(arguments.color)))?;
    Ok(())
}
