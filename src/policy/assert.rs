//! `assert:` conditions in CEL, fenced.
//!
//! The interpreter has no step limit and its parser recurses, so: the source
//! is short, macros nest no deeper than two, unknown variables are refused at
//! load, and what recurses runs on a thread with a large stack where frames
//! are large (debug builds). An evaluation that fails is `unknown`, never a
//! pass.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use cel::common::ast::{EntryExpr, Expr};
use cel::common::types::CelNull;
use cel::common::value::{CowVal, Val};
use cel::context::VariableResolver;
use cel::{Context, Env, IdedExpr, Program, Value};

use super::error::{Problem, quoted};
use super::schema::{Assert, Each, Severity};
use super::yaml::Located;

/// The longest condition, in bytes.
pub const MAX_SOURCE: usize = 4096;

/// How deep macros (`all`, `exists`, `map`, …) may stand in one another, a
/// macro over another's result included: `x.map(a, a + a).map(b, b + b)…` grows
/// as fast as nested loops do.
pub const MAX_MACRO_NESTING: usize = 2;

/// How deep the expression's tree may be: `1+1+1…` is a tree as deep as it is
/// long, and evaluation recurses over it.
pub const MAX_DEPTH: usize = 100;

/// Stack for what recurses over an expression, in bytes.
const STACK: usize = 16 << 20;

/// The severity of an assert that names none.
const DEFAULT_SEVERITY: Severity = Severity::Medium;

/// A condition that was compiled when the policy was loaded.
pub struct CompiledAssert {
    /// The check identifier in findings.
    pub id: Located<String>,
    /// What it is evaluated for.
    pub each: Each,
    /// The condition as written.
    pub expr: Located<String>,
    /// The finding's severity.
    pub severity: Severity,
    /// The finding's message; not given, the condition itself.
    pub message: Option<String>,
    program: Program,
    uses_nic: bool,
}

impl fmt::Debug for CompiledAssert {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CompiledAssert")
            .field("id", &self.id)
            .field("expr", &self.expr)
            .finish_non_exhaustive()
    }
}

/// A part of the model, made ready for conditions once for all of them.
#[derive(Clone)]
pub struct Bound(Arc<dyn Val>);

impl Bound {
    /// Takes a device, port or nic as the model's JSON has it.
    pub fn new(json: &serde_json::Value) -> Self {
        // JSON has no value that CEL lacks; null, were it otherwise, never passes.
        let value = Box::<dyn Val>::try_from(value(json)).unwrap_or_else(|_| Box::new(CelNull));
        Bound(Arc::from(value))
    }
}

/// What a condition is evaluated on.
#[derive(Clone, Copy)]
pub struct Bindings<'a> {
    /// The device.
    pub device: &'a Bound,
    /// The port, for conditions for each port.
    pub port: Option<&'a Bound>,
    /// The port's `nic`, where it has one.
    pub nic: Option<&'a Bound>,
}

impl VariableResolver for Bindings<'_> {
    /// Lends the value: a condition for each port must not copy its device.
    fn resolve<'b>(&'b self, variable: &str) -> Option<CowVal<'b, 'b>> {
        let bound = match variable {
            "device" => self.device,
            "port" => self.port?,
            "nic" => self.nic?,
            _ => return None,
        };
        Some(CowVal::Borrowed(&*bound.0))
    }
}

/// The standard functions and macros, built once.
static STANDARD: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(Env::stdlib()));

/// What came of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Holds,
    /// It doesn't.
    Broken,
    /// It says nothing about this port: it is about a NIC, and there is none.
    NotApplicable,
    /// It could not be decided, and why: a fact is unknown or absent, types
    /// don't fit, the result is no boolean.
    Unknown(String),
}

impl CompiledAssert {
    /// Compiles a condition.
    ///
    /// # Errors
    /// What is wrong with the identifier or the condition.
    pub(super) fn new(
        id: &Located<String>,
        expr: &Located<String>,
        assert: &Assert,
    ) -> Result<Self, Problem> {
        let each = assert
            .each
            .as_ref()
            .map_or(Each::Device, |each| each.value.value);
        if id
            .value
            .chars()
            .any(|c| c.is_whitespace() || c.is_control())
            || !id.value.contains('/')
        {
            return Err(Problem::new(
                id.position,
                format!("{} is no check identifier", quoted(&id.value)),
            )
            .help("write it as `area/name`, such as `site/no-25g`"));
        }
        let source = expr.value.clone();
        let compiled = on_big_stack(move || compile(&source, each))
            .unwrap_or_else(|| Err("the condition could not be compiled".to_owned()));
        let (program, uses_nic) =
            compiled.map_err(|message| Problem::new(expr.position, message))?;
        Ok(CompiledAssert {
            id: id.clone(),
            each,
            expr: expr.clone(),
            severity: assert
                .severity
                .as_ref()
                .map_or(DEFAULT_SEVERITY, |severity| severity.value.value),
            message: assert.message.as_ref().map(|message| message.value.clone()),
            program,
            uses_nic,
        })
    }

    /// Evaluates the condition.
    pub fn evaluate(&self, bindings: Bindings<'_>) -> Outcome {
        if self.uses_nic && bindings.nic.is_none() {
            return Outcome::NotApplicable;
        }
        let run = || {
            let mut context = Context::with_env(Arc::clone(&STANDARD));
            context.set_variable_resolver(&bindings);
            match self.program.execute(&context) {
                Ok(Value::Bool(true)) => Outcome::Holds,
                Ok(Value::Bool(false)) => Outcome::Broken,
                Ok(other) => Outcome::Unknown(format!(
                    "the condition is no yes or no, but of type {}",
                    other.type_of()
                )),
                Err(error) => Outcome::Unknown(shortened(&error.to_string())),
            }
        };
        // Release frames are small enough for any thread (measured: 1 MiB).
        let outcome = if cfg!(debug_assertions) {
            on_big_stack(run)
        } else {
            catch_unwind(AssertUnwindSafe(run)).ok()
        };
        outcome.unwrap_or_else(|| Outcome::Unknown("the evaluation failed".to_owned()))
    }
}

/// Runs `work` on a thread with a large stack; `None` where it panicked or no
/// thread was to be had.
fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || catch_unwind(AssertUnwindSafe(work)).ok())
            .ok()?
            .join()
            .ok()
            .flatten()
    })
}

fn compile(source: &str, each: Each) -> Result<(Program, bool), String> {
    if source.len() > MAX_SOURCE {
        return Err(format!("a condition longer than {MAX_SOURCE} bytes"));
    }
    let program = STANDARD
        .compile(source)
        .map_err(|errors| format!("no CEL condition: {}", shortened(&errors.to_string())))?;
    let allowed: &[&str] = match each {
        Each::Device => &["device"],
        Each::Port => &["device", "port", "nic"],
    };
    let mut walk = Walk::default();
    walk.expression(program.expression(), 0, &mut Vec::new());
    if walk.deepest > MAX_DEPTH {
        return Err(format!("the condition is nested deeper than {MAX_DEPTH}"));
    }
    if walk.macros > MAX_MACRO_NESTING {
        return Err(format!(
            "macros nest {} deep; {MAX_MACRO_NESTING} is the most",
            walk.macros
        ));
    }
    let mut unknown: Vec<&str> = walk.free.iter().copied().collect();
    unknown.retain(|name| !allowed.contains(name));
    unknown.sort_unstable();
    if let Some(name) = unknown.first() {
        return Err(format!(
            "unknown variable {}: known here are {}",
            quoted(name),
            allowed.join(", ")
        ));
    }
    let uses_nic = walk.free.contains("nic");
    Ok((program, uses_nic))
}

/// What an expression refers to, and how deep its macros nest.
#[derive(Default)]
struct Walk<'a> {
    free: HashSet<&'a str>,
    level: usize,
    deepest: usize,
    macros: usize,
}

impl<'a> Walk<'a> {
    fn expression(&mut self, node: &'a IdedExpr, macros: usize, bound: &mut Vec<&'a str>) {
        self.level += 1;
        self.deepest = self.deepest.max(self.level);
        self.parts(node, macros, bound);
        self.level -= 1;
    }

    fn parts(&mut self, node: &'a IdedExpr, macros: usize, bound: &mut Vec<&'a str>) {
        match &node.expr {
            Expr::Unspecified | Expr::Literal(_) => {}
            Expr::Ident(name) => {
                if !name.starts_with('@') && !bound.contains(&name.as_str()) {
                    self.free.insert(name);
                }
            }
            Expr::Select(select) => self.expression(&select.operand, macros, bound),
            Expr::Call(call) => {
                for part in call.target.iter().map(AsRef::as_ref).chain(&call.args) {
                    self.expression(part, macros, bound);
                }
            }
            Expr::List(list) => {
                for element in &list.elements {
                    self.expression(element, macros, bound);
                }
            }
            Expr::Map(map) => {
                for entry in &map.entries {
                    self.entry(&entry.expr, macros, bound);
                }
            }
            Expr::Struct(structure) => {
                for entry in &structure.entries {
                    self.entry(&entry.expr, macros, bound);
                }
            }
            Expr::Comprehension(comprehension) => {
                self.macros = self.macros.max(macros + 1);
                self.expression(&comprehension.iter_range, macros + 1, bound);
                let outer = bound.len();
                bound.push(&comprehension.iter_var);
                bound.extend(comprehension.iter_var2.as_deref());
                bound.push(&comprehension.accu_var);
                for part in [
                    &comprehension.accu_init,
                    &comprehension.loop_cond,
                    &comprehension.loop_step,
                    &comprehension.result,
                ] {
                    self.expression(part, macros + 1, bound);
                }
                bound.truncate(outer);
            }
        }
    }

    fn entry(&mut self, entry: &'a EntryExpr, macros: usize, bound: &mut Vec<&'a str>) {
        match entry {
            EntryExpr::StructField(field) => self.expression(&field.value, macros, bound),
            EntryExpr::MapEntry(entry) => {
                self.expression(&entry.key, macros, bound);
                self.expression(&entry.value, macros, bound);
            }
        }
    }
}

/// JSON to CEL. Whole numbers are `int` (CEL compares and adds no `uint` with
/// an `int` literal).
fn value(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(on) => Value::Bool(*on),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Value::Int(number),
            (None, Some(number)) => Value::UInt(number),
            (None, None) => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::String(Arc::new(text.clone())),
        serde_json::Value::Array(items) => Value::List(Arc::new(items.iter().map(value).collect())),
        serde_json::Value::Object(entries) => {
            let entries: HashMap<String, Value> = entries
                .iter()
                .map(|(key, entry)| (key.clone(), value(entry)))
                .collect();
            Value::Map(entries.into())
        }
    }
}

/// An error's first lines: it may quote device data of any length.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 300;
    let mut short: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn outcome(each: Each, expr: &str, device: serde_json::Value) -> Outcome {
        let (program, uses_nic) = on_big_stack(|| compile(expr, each)).unwrap().unwrap();
        let located = |value: &str| Located {
            value: value.to_owned(),
            position: Default::default(),
        };
        let assert = CompiledAssert {
            id: located("site/x"),
            each,
            expr: located(expr),
            severity: Severity::Low,
            message: None,
            program,
            uses_nic,
        };
        let port = device["ports"].get(0).map(Bound::new);
        let nic = device["ports"]
            .get(0)
            .and_then(|port| port.get("nic"))
            .filter(|nic| !nic.is_null())
            .map(Bound::new);
        assert.evaluate(Bindings {
            device: &Bound::new(&device),
            port: port.as_ref().filter(|_| each == Each::Port),
            nic: nic.as_ref(),
        })
    }

    fn refused(each: Each, expr: &str) -> String {
        let expr = expr.to_owned();
        match on_big_stack(move || compile(&expr, each).err()).unwrap() {
            Some(message) => message,
            None => panic!("compiled"),
        }
    }

    fn device() -> serde_json::Value {
        json!({"name": "leaf1", "os_version": null, "ports": [
            {"name": "Ethernet0", "speed_mbps": 25_000, "admin": null, "nic": null,
             "mtu": {"ip": 9100, "raw": 9114}, "dscp_to_tc": {"26": 3}, "pfc": {"enabled": [3]}},
        ]})
    }

    #[test]
    fn conditions_over_the_model() {
        for (expr, expected) in [
            ("port.speed_mbps >= 100000", Outcome::Broken),
            ("port.speed_mbps >= 25000", Outcome::Holds),
            ("port.mtu.ip + 14 == port.mtu.raw", Outcome::Holds),
            ("port.dscp_to_tc['26'] == 3", Outcome::Holds),
            ("port.pfc.enabled == [3]", Outcome::Holds),
            ("3 in port.pfc.enabled", Outcome::Holds),
            ("port.admin == null", Outcome::Holds),
            ("port.name.startsWith('Ether')", Outcome::Holds),
            (
                "device.ports.all(p, p.pfc.enabled.exists(x, x == 3))",
                Outcome::Holds,
            ),
            ("nic.tos_dscp == 26", Outcome::NotApplicable),
        ] {
            assert_eq!(outcome(Each::Port, expr, device()), expected, "{expr}");
        }
    }

    #[test]
    fn what_cannot_be_decided_never_passes() {
        for expr in [
            "device.os_version > 'a'",
            "device.no_such_key == 1",
            "device.name",
            "device.name > 1",
            "1 / 0 == 1",
            "device.ports[7].name == 'x'",
            "nosuchfunction(device)",
        ] {
            let outcome = outcome(Each::Device, expr, device());
            assert!(
                matches!(outcome, Outcome::Unknown(_)),
                "{expr}: {outcome:?}"
            );
        }
    }

    #[test]
    fn refused_at_load() {
        assert!(refused(Each::Device, "port.speed_mbps > 1").contains("`port`"));
        assert!(refused(Each::Port, "prot.speed_mbps > 1").contains("`prot`"));
        assert!(refused(Each::Port, "device.ports.all(p, true) && p").contains("`p`"));
        assert!(refused(Each::Port, "1 +").contains("CEL"));
        assert!(refused(Each::Port, &"1+".repeat(4096)).contains("4096"));
        let deep = "device.a.all(x, device.b.all(y, device.c.all(z, true)))";
        assert!(refused(Each::Port, deep).contains("nest 3 deep"));
        let grows = format!("['x']{}.size() > 0", ".map(a, a + a)".repeat(40));
        assert!(refused(Each::Port, &grows).contains("nest 40 deep"));
        let long = format!("{}1 == 1", "1+".repeat(2000));
        assert!(refused(Each::Port, &long).contains("deeper than 100"));
        let path = format!("device{} == 1", ".a".repeat(1500));
        assert!(refused(Each::Port, &path).contains("deeper than 100"));
    }

    #[test]
    fn hostile_sources_are_refused_not_crashed_on() {
        for source in [
            "(".repeat(4000),
            "[".repeat(4000),
            "!".repeat(4000),
            "a.".repeat(2000),
            format!("{}1{}", "(".repeat(90), ")".repeat(90)),
            "[[[a?b:c]]".repeat(64),
            "{{{'a':".repeat(300),
            "\u{0}\u{1b}[2J".to_owned(),
            "'\\".to_owned(),
        ] {
            let _ = on_big_stack(move || compile(&source, Each::Port).is_err()).unwrap();
        }
    }
}
