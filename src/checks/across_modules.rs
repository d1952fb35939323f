//! Where `depends_on` between two blocks of one root can be written: in the module that holds both, or calls both.

use crate::{
    checks::{
        crd_order::calls,
        dependency::{self, depend_on, is_needed},
    },
    model::{Model, karpenter::KarpenterResource},
    resolve::{release::ReleaseCode, terraform::root::Root},
};

/// How to make a resource wait for a release of its root.
pub(crate) fn advice(model: &Model, resource: &KarpenterResource, code: &ReleaseCode) -> String {
    let Some(root) = model.terraform.roots.get(resource.root) else { return String::new() };
    let Some(block) = model.blocks_of(resource).next() else {
        return depend_on(&[&code.address], None, "");
    };
    let local = format!("{}.{}", block.kind, block.name);
    let module = block.address.rfind(&*local).and_then(|it| block.address.get(..it));
    let (own, others) = (calls(module.unwrap_or_default()), calls(&code.module));
    let common = own.iter().zip(&others).take_while(|(a, b)| a == b).count();
    let call = |calls: &[&str]| calls.get(common).map(|it| without_key(it));
    let first = call(&others).unwrap_or_else(|| code.address.clone());
    let Some(waiting) = call(&own) else { return depend_on(&[first], Some(block), "") };
    let around = own.get(..common).unwrap_or_default().join(".");
    let around = if around.is_empty() { around } else { format!("{around}.") };
    let waiting_call = format!("{around}{waiting}");
    if root.configures_providers(&waiting_call) {
        return format!(
            "Terraform takes no `depends_on` on `{waiting}`, which has `provider` blocks of its own: move the \
             blocks to the root module, or give the module an output of `{first}` that needs its release, and use that \
             in the resource"
        );
    }
    if is_needed(root, &waiting_call, &format!("{around}{first}")) {
        return around_cycle(root, (&block.address, &waiting), (&code.address, &first));
    }
    let place = if common == 0 { "in the root module" } else { "in the module around both" };
    let block = dependency::call(root, &waiting_call);
    depend_on(&[first], block, &format!("the call of `{waiting}` {place}"))
}

/// How to make a resource of a module wait for a release where not all of the module can.
fn around_cycle(root: &Root, waiting: (&str, &str), release: (&str, &str)) -> String {
    let ((resource, module), (address, first)) = (waiting, release);
    if is_needed(root, resource, address) {
        return format!(
            "Move it out of `{module}`, all of which the release depends on, and add `depends_on = [{first}]` to it"
        );
    }
    let value = if address == first {
        format!("`{first}.id`")
    } else {
        format!("an output of `{first}` that needs the release")
    };
    format!(
        "Give `{module}` a variable, set it to {value}, and name it in `depends_on` of the resource"
    )
}

fn without_key(call: &str) -> String {
    call.split('[').next().unwrap_or(call).to_owned()
}
