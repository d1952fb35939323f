//! Calls that are macros, and the names of functions that look like methods.

use std::sync::Arc;

use crate::cel::{
    declarations,
    tree::{Bytes, Call, Expr, ExprKind, Fold, FoldKind, Mistake, OptionalMap},
};

/// The node of a call: a macro, a function or a method.
///
/// # Errors
/// When a macro's arguments are not what it takes.
pub(super) fn expand(
    target: Option<Expr>,
    name: Arc<str>,
    name_at: Bytes,
    mut arguments: Vec<Expr>,
    at: Bytes,
) -> Result<Expr, Mistake> {
    let Some(target) = target else {
        if &*name == "has" && arguments.len() == 1 {
            return has(arguments.remove(0), at);
        }
        return Ok(call(name, name_at, false, arguments, at));
    };
    let target = match macro_call(target, &name, &mut arguments, &at)? {
        Called::Macro(node) => return Ok(node),
        Called::Function(target) => target,
    };
    if let Some(path) = target.path() {
        let path = format!("{path}.{name}");
        if declarations::is_function(&path) {
            let start = target.at.start;
            return Ok(call(path.into(), start..name_at.end, false, arguments, at));
        }
    }
    arguments.insert(0, target);
    Ok(call(name, name_at, true, arguments, at))
}

fn call(name: Arc<str>, name_at: Bytes, is_method: bool, arguments: Vec<Expr>, at: Bytes) -> Expr {
    let call = Call::new((name, name_at), is_method, arguments);
    Expr::new(ExprKind::Call(Box::new(call)), at)
}

fn has(argument: Expr, at: Bytes) -> Result<Expr, Mistake> {
    match argument.kind {
        ExprKind::Select(select) => Ok(Expr::new(ExprKind::Has(select), at)),
        _ => Err(Mistake::new(argument.at, "`has` takes a field, such as `object.spec.limits`")),
    }
}

enum Called {
    Macro(Expr),
    Function(Expr),
}

fn macro_call(
    target: Expr,
    name: &str,
    arguments: &mut Vec<Expr>,
    at: &Bytes,
) -> Result<Called, Mistake> {
    let count = arguments.len();
    let (kind, names, has_filter) = match (name, count) {
        ("optMap" | "optFlatMap", 2) => {
            let body = arguments.remove(1);
            let bound = variable(&arguments[0])?;
            let is_flat = name == "optFlatMap";
            let map = OptionalMap { operand: target, name: bound, body, is_flat };
            return Ok(Called::Macro(Expr::new(ExprKind::OptionalMap(Box::new(map)), at.clone())));
        }
        ("all", 2 | 3) => (FoldKind::All, count - 1, false),
        ("exists", 2 | 3) => (FoldKind::Exists, count - 1, false),
        ("exists_one" | "existsOne", 2 | 3) => (FoldKind::ExistsOne, count - 1, false),
        ("map", 2 | 3) => (FoldKind::Map, 1, count == 3),
        ("filter", 2) => (FoldKind::Filter, 1, false),
        ("sortBy", 2) => (FoldKind::SortBy, 1, false),
        ("transformList", 3 | 4) => (FoldKind::Map, 2, count == 4),
        ("transformMap", 3 | 4) => (FoldKind::TransformMap, 2, count == 4),
        ("transformMapEntry", 3 | 4) => (FoldKind::TransformMapEntry, 2, count == 4),
        _ => return Ok(Called::Function(target)),
    };
    let bound: Vec<Arc<str>> = arguments[..names].iter().map(variable).collect::<Result<_, _>>()?;
    if let [first, second] = &*bound
        && first == second
    {
        let message = format!("`{first}` names both; give the second another name");
        return Err(Mistake::new(arguments[1].at.clone(), message));
    }
    let mut rest = arguments.drain(names..);
    let filter = if has_filter { rest.next() } else { None };
    let Some(body) = rest.next() else { return Ok(Called::Function(target)) };
    let mut bound = bound.into_iter();
    let first = bound.next().unwrap_or_default();
    let fold = Fold { kind, range: target, first, second: bound.next(), filter, body };
    Ok(Called::Macro(Expr::new(ExprKind::Fold(Box::new(fold)), at.clone())))
}

/// The name that a macro gives to an element.
fn variable(argument: &Expr) -> Result<Arc<str>, Mistake> {
    match &argument.kind {
        ExprKind::Name(name) if !name.starts_with('.') => Ok(name.clone()),
        _ => Err(Mistake::new(argument.at.clone(), "a plain name is expected here, such as `it`")),
    }
}
