//! What only an installation knows: time, randomness, certificates, the cluster.

use crate::{
    helm::{
        functions::arguments::{Answer, Args, Function},
        value::Val,
    },
    value::Symbol,
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("lookup", lookup),
    ("getHostByName", |_| Ok(Val::text(""))),
    ("derivePassword", same),
    ("buildCustomCert", same),
    ("decryptAES", same),
    ("shuffle", another),
    ("randAlphaNum", another),
    ("randAlpha", another),
    ("randNumeric", another),
    ("randAscii", another),
    ("randBytes", another),
    ("randInt", another),
    ("uuidv4", another),
    ("bcrypt", another),
    ("htpasswd", another),
    ("encryptAES", another),
    ("genPrivateKey", another),
    ("genCA", another),
    ("genCAWithKey", another),
    ("genSelfSignedCert", another),
    ("genSelfSignedCertWithKey", another),
    ("genSignedCert", another),
    ("genSignedCertWithKey", another),
];

/// What the cluster has: nothing where there is none.
fn lookup(args: &Args<'_>) -> Answer {
    if args.host.assumptions.without_cluster {
        return Ok(Val::map([]));
    }
    same(args)
}

/// Not known, but the same for the same arguments.
#[expect(clippy::unnecessary_wraps, reason = "the functions of the table have one type")]
pub(super) fn same(args: &Args<'_>) -> Answer {
    let texts: Vec<String> = args
        .values
        .iter()
        .map(|it| crate::helm::print::printed(it).as_str().chars().take(40).collect())
        .collect();
    let text = format!("{} {}", args.name, texts.join(" "));
    Ok(Val::unknown(Symbol::of_installation(text.trim_end())))
}

/// Not known, and each time another.
#[expect(clippy::unnecessary_wraps, reason = "the functions of the table have one type")]
fn another(args: &Args<'_>) -> Answer {
    let number = args.host.random.get();
    args.host.random.set(number + 1);
    Ok(Val::unknown(Symbol::of_installation(format!("{} #{number}", args.name))))
}
