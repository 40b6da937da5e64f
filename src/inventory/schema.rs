//! The inventory's own format.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// The format that this version reads.
pub const VERSION: u8 = 1;

/// Devices, how they are reached, and how they are cabled.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Inventory {
    /// Version of the format: 1.
    pub version: Option<u8>,
    /// Credentials by name; secrets by reference only.
    #[serde(default)]
    pub credentials: BTreeMap<String, Credential>,
    /// What holds for devices that do not say otherwise.
    #[serde(default)]
    pub defaults: Defaults,
    /// The devices.
    #[serde(default)]
    pub devices: Vec<Device>,
    /// Cables, as pairs of `device:port`.
    #[serde(default)]
    pub links: Vec<[String; 2]>,
}

/// How to log in.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Credential {
    /// The user.
    pub username: Option<String>,
    /// Where the password is.
    pub password: Option<Secret>,
    /// File of a private key.
    pub key: Option<String>,
    /// Where the key's passphrase is.
    pub passphrase: Option<Secret>,
    /// File of an OpenSSH certificate.
    pub certificate: Option<String>,
    /// Whether the SSH agent is asked.
    pub agent: Option<bool>,
}

/// Where a secret is; never the secret itself.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Secret {
    /// In an environment variable.
    Env {
        /// Its name.
        env: String,
    },
    /// In a file.
    File {
        /// Its path.
        file: String,
    },
    /// What a command prints.
    Command {
        /// The command with its arguments.
        command: Vec<String>,
    },
}

/// As written; anything but a reference is refused without repeating it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    env: Option<String>,
    file: Option<String>,
    command: Option<Vec<String>>,
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        // The error of a plain value would show it.
        let wrong = || {
            D::Error::custom(
                "a password or passphrase is given by reference: {env: NAME}, {file: PATH} or \
                 {command: [PROGRAM, ARGUMENT…]}",
            )
        };
        let reference = Reference::deserialize(deserializer).map_err(|_| wrong())?;
        match (reference.env, reference.file, reference.command) {
            (Some(env), None, None) => Ok(Secret::Env { env }),
            (None, Some(file), None) => Ok(Secret::File { file }),
            (None, None, Some(command)) if !command.is_empty() => Ok(Secret::Command { command }),
            _ => Err(wrong()),
        }
    }
}

/// How a device is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// gNMI.
    Gnmi,
    /// SSH.
    Ssh,
}

/// What holds for devices that do not say otherwise.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Defaults {
    /// In the order in which they are tried.
    pub transport: Option<Vec<Transport>>,
    /// Name of the credentials.
    pub credentials: Option<String>,
    /// Time for one command, such as `30s`.
    pub timeout: Option<String>,
    /// TCP ports.
    #[serde(default)]
    pub ports: Ports,
    /// TLS of gNMI.
    pub tls: Option<Tls>,
}

/// A device.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// Its name in reports.
    pub name: String,
    /// Address or host name; the name where it is not given.
    pub address: Option<String>,
    /// The platform, where content should not tell it.
    pub platform: Option<String>,
    /// Its role in the fabric; wins over the policy's.
    pub role: Option<String>,
    /// In the order in which they are tried.
    pub transport: Option<Vec<Transport>>,
    /// Name of the credentials.
    pub credentials: Option<String>,
    /// Time for one command, such as `30s`.
    pub timeout: Option<String>,
    /// TCP ports.
    #[serde(default)]
    pub ports: Ports,
    /// TLS of gNMI.
    pub tls: Option<Tls>,
    /// The device over which SSH jumps.
    pub jump: Option<String>,
}

/// TCP ports.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ports {
    /// Of SSH.
    pub ssh: Option<u16>,
    /// Of gNMI.
    pub gnmi: Option<u16>,
}

/// TLS of gNMI.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// File of the authority that signs the devices' certificates.
    pub ca: Option<String>,
    /// File of our own certificate.
    pub cert: Option<String>,
    /// File of its key.
    pub key: Option<String>,
    /// The name that the certificate must bear.
    pub server_name: Option<String>,
    /// Fingerprint of the certificate: `sha256:…`.
    pub pin: Option<String>,
    /// Whether any certificate will do.
    pub skip_verify: Option<bool>,
    /// Whether there is no TLS at all.
    pub plaintext: Option<bool>,
}

/// Reads the YAML.
pub(super) fn read(text: &str) -> Result<Inventory, String> {
    serde_saphyr::from_str(text).map_err(|error| {
        let error = error.without_snippet();
        match error.location() {
            Some(at) => format!("line {}, column {}: {error}", at.line(), at.column()),
            None => error.to_string(),
        }
    })
}

/// The JSON Schema of the format.
pub fn json_schema() -> serde_json::Value {
    schemars::schema_for!(Inventory).to_value()
}
