//! What may be written on the command line about policies, configs and their schemas.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Policies: rules of one's own.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Run the tests that policies bring along: exit with 1 when one fails
    Test(PolicyTest),
    /// Write a commented policy with a test into `.karplint/policies`
    New {
        /// Its name, in kebab-case
        name: String,
    },
}

/// Run the tests that policies bring along.
#[derive(Debug, Args)]
pub(crate) struct PolicyTest {
    /// Files or folders with policies [default: those of the repository]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

/// Write a commented config to start from, or copy policies.
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// Copy these policies into `.karplint/policies` instead, or `all`; without a name, list them
    #[arg(long, value_name = "NAME", value_delimiter = ',', num_args = 0..)]
    pub policies: Option<Vec<String>>,
}

/// Print the JSON schema of the config, or of policies.
#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// Of files with policies
    #[arg(long)]
    pub policy: bool,
}
