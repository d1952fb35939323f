//! What a file has besides its text.

use std::io;

use cap_std::fs::File;

use crate::gate::refusal::Refusal;

/// Gives a new file the owner, group, extended attributes and mode of the one whose place it takes.
///
/// # Errors
/// When it cannot have them.
#[cfg(unix)]
pub(super) fn copy(old: &File, new: &File) -> Result<(), Refusal> {
    use cap_std::fs::MetadataExt;
    use rustix::fs::{Gid, Uid, fchown};

    let about = old.metadata().map_err(Refusal::of)?;
    if about.nlink() > 1 {
        return Err(Refusal::Linked);
    }
    let own = new.metadata().map_err(Refusal::of)?;
    if (own.uid(), own.gid()) != (about.uid(), about.gid()) {
        let (owner, group) = (Uid::from_raw(about.uid()), Gid::from_raw(about.gid()));
        fchown(new, Some(owner), Some(group)).map_err(|it| Refusal::Lost("owner", it.into()))?;
    }
    // Of the owner's change the mode loses some bits, and a list of access rights has its own.
    let mode = |error| Refusal::Lost("mode", error);
    new.set_permissions(about.permissions()).map_err(mode)?;
    extended(old, new).map_err(|it| Refusal::Lost("extended attributes", it))
}

/// The same where the mode is all there is.
#[cfg(not(unix))]
pub(super) fn copy(old: &File, new: &File) -> Result<(), Refusal> {
    let about = old.metadata().map_err(Refusal::of)?;
    new.set_permissions(about.permissions()).map_err(|error| Refusal::Lost("mode", error))
}

/// Longer lists and values are no attributes that people set, in bytes; the kernel has this limit too.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const LONGEST: usize = 64 << 10;

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn extended(old: &File, new: &File) -> io::Result<()> {
    use rustix::{
        fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr},
        io::Errno,
    };

    let mut names = vec![0; LONGEST];
    let length = match flistxattr(old, &mut names[..]) {
        Err(Errno::NOTSUP) => return Ok(()),
        length => length?,
    };
    let mut values = (vec![0; LONGEST], vec![0; LONGEST]);
    let names = names.get(..length).unwrap_or_default();
    for name in names.split(|it| *it == 0).filter(|it| !it.is_empty()) {
        let length = fgetxattr(old, name, &mut values.0[..])?;
        let wanted = values.0.get(..length).unwrap_or_default();
        // Labels that the system gives need not be written again, which only few may.
        let there = fgetxattr(new, name, &mut values.1[..]).unwrap_or_default();
        if values.1.get(..there) != Some(wanted) {
            fsetxattr(new, name, wanted, XattrFlags::empty())?;
        }
    }
    Ok(())
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "macos"))))]
fn extended(_: &File, _: &File) -> io::Result<()> {
    Ok(())
}
