//! Volumes in which there is only a socket: what listens there makes it anew.

use crate::value::Value;

/// Whether a volume of that name is mounted, and only in such folders.
type MountedOnly<'a> = &'a dyn Fn(&str, fn(&str) -> bool) -> bool;

/// Whether pods have volumes to write to, and nothing but sockets in them.
pub(super) fn is_all(volumes: &[Value], is_mounted_only: MountedOnly<'_>) -> bool {
    let mut written = volumes.iter().filter(|it| !is_read_only(it)).peekable();
    written.peek().is_some() && written.all(|it| is_socket(it, is_mounted_only))
}

/// Whether a volume holds only what the API server has, too: its files are no data of the pods.
fn is_read_only(volume: &Value) -> bool {
    const SOURCES: [&str; 4] = ["configMap", "secret", "projected", "downwardAPI"];
    SOURCES.iter().any(|it| volume.get(it).present().is_some())
}

fn is_socket(volume: &Value, is_mounted_only: MountedOnly<'_>) -> bool {
    let name = volume.get("name").present().and_then(Value::as_str).unwrap_or_default();
    if let Some(folder) = volume.get("hostPath").present() {
        let is = |key: &str, is: fn(&str) -> bool| {
            folder.get(key).present().and_then(Value::as_str).is_some_and(is)
        };
        return is("type", |it| it == "Socket")
            || is("path", |it| it.rsplit('.').next() == Some("sock"))
            || is_named(name) && is_mounted_only(name, is_folder);
    }
    volume.get("emptyDir").present().is_some()
        && (is_named(name) || is_mounted_only(name, is_folder))
}

/// Whether a folder is one of sockets: the system's, that of the drivers of volumes, or one that is called so.
fn is_folder(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    let is_below = |it: &&str| {
        path.strip_prefix(*it).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    ["/run", "/var/run"].iter().any(is_below) || path == "/csi" || path.split('/').any(is_named)
}

/// Whether a name says that it is of sockets.
fn is_named(name: &str) -> bool {
    name.split(['-', '_', '.']).any(|it| matches!(it, "sock" | "socket" | "sockets"))
}

#[cfg(test)]
mod tests {
    use super::{is_folder, is_named};

    #[test]
    fn folders_of_sockets_are_told_from_others() {
        for (path, wanted) in [
            ("/csi", true),
            ("/csi-data", false),
            ("/var/run/", true),
            ("/run/queue", true),
            ("/runner", false),
            ("/srv/sockets", true),
            ("/websocket", false),
            ("/var/lib/queue", false),
        ] {
            assert_eq!(is_folder(path), wanted, "{path}");
        }
        assert!(is_named("socket-dir") && !is_named("websocket-data"));
    }
}
