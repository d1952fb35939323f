//! Pods of which all containers run a web server or a sample, and no application.

use crate::{model::workload::Workload, value::Value};

/// The last parts of the names of such images.
const BARE: &[&str] =
    &["hello-world", "httpd", "nginx", "nginx-slim", "nginx-unprivileged", "podinfo", "whoami"];

impl Workload {
    /// Whether all its containers run a web server or a sample: it shows how volumes work, or keeps little.
    #[must_use]
    pub fn runs_bare_images(&self) -> bool {
        let containers = self.pod_spec.as_ref().and_then(|it| it.get("containers").present());
        let containers = containers.map_or(&[][..], Value::items);
        let is_bare = |it: &Value| {
            let image = it.get("image").present().and_then(Value::as_str);
            image.is_some_and(|it| BARE.contains(&image_name(it)))
        };
        !containers.is_empty() && containers.iter().all(is_bare)
    }
}

/// The last part of the name of an image: `registry.k8s.io/nginx-slim:0.24` is `nginx-slim`.
#[must_use]
pub fn image_name(image: &str) -> &str {
    let path = image.split('@').next().unwrap_or_default();
    let last = path.rsplit('/').next().unwrap_or_default();
    last.split(':').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::image_name;

    #[test]
    fn an_image_is_known_by_the_last_part_of_its_name() {
        for (image, wanted) in [
            ("nginx", "nginx"),
            ("registry.k8s.io/nginx-slim:0.24", "nginx-slim"),
            ("localhost:5000/team/nginx@sha256:0f", "nginx"),
            ("team/nginx-exporter:1", "nginx-exporter"),
            ("", ""),
        ] {
            assert_eq!(image_name(image), wanted, "{image}");
        }
    }
}
