//! From words to trees, by the grammar of `text/template/parse`.

mod pipeline;

use std::rc::Rc;

use crate::{
    hash::{HashMap, HashSet},
    helm::template::{
        lex::{SyntaxError, Token, TokenKind, tokens},
        literal::unquote,
        tree::{Branch, Definition, Node, Pipe, Tree, is_blank},
    },
};

/// How deep actions and parentheses may nest.
const DEPTH: usize = 64;

/// Reads a template, which may name these functions.
pub(crate) fn parse(source: &str, is_defined: fn(&str) -> bool) -> Result<Tree, SyntaxError> {
    let tokens = tokens(source)?;
    let mut parser = Parser {
        source,
        is_defined,
        tokens,
        next: 0,
        depth: 0,
        loops: 0,
        variables: vec![Rc::from("$")],
        names: HashMap::default(),
        definitions: Vec::new(),
        defined: HashSet::default(),
    };
    let (nodes, end) = parser.list(true)?;
    if let Stop::Keyword(at, word) = end {
        return Err(SyntaxError::new(at, format!("unexpected {{{{{word}}}}}")));
    }
    Ok(Tree { nodes: Rc::new(nodes), definitions: parser.definitions })
}

struct Parser<'a> {
    source: &'a str,
    is_defined: fn(&str) -> bool,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    /// How many `range` are open.
    loops: usize,
    /// The variables in scope.
    variables: Vec<Rc<str>>,
    /// Every word once.
    names: HashMap<&'a str, Rc<str>>,
    definitions: Vec<Definition>,
    /// The names of those that are not blank.
    defined: HashSet<Rc<str>>,
}

/// What ends a list of nodes.
enum Stop {
    /// The end of the template.
    End,
    /// `{{ end }}`, or `{{ else` whose rest is still to be read.
    Keyword(usize, &'static str),
}

type Parsed<T> = Result<T, SyntaxError>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Token {
        let last = self.tokens.len().saturating_sub(1);
        let end = Token { kind: TokenKind::End, start: 0, end: 0 };
        self.tokens.get(self.next.min(last)).copied().unwrap_or(end)
    }

    fn take(&mut self) -> Token {
        let token = self.peek();
        self.next += 1;
        token
    }

    fn skip_space(&mut self) {
        while self.peek().kind == TokenKind::Space {
            self.next += 1;
        }
    }

    fn peek_word(&mut self) -> Token {
        self.skip_space();
        self.peek()
    }

    fn take_word(&mut self) -> Token {
        self.skip_space();
        self.take()
    }

    fn slice(&self, token: Token) -> &'a str {
        self.source.get(token.start..token.end).unwrap_or_default()
    }

    fn name(&mut self, text: &'a str) -> Rc<str> {
        self.names.entry(text).or_insert_with(|| Rc::from(text)).clone()
    }

    fn unexpected<T>(&self, token: Token, context: &str) -> Parsed<T> {
        let message = match token.kind {
            TokenKind::End => format!("unexpected EOF in {context}"),
            _ => format!("unexpected <{}> in {context}", self.slice(token)),
        };
        Err(SyntaxError::new(token.start, message))
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH {
            return Err(SyntaxError::new(self.peek().start, "nested too deep"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Nodes up to what ends them.
    fn list(&mut self, top: bool) -> Parsed<(Vec<Node>, Stop)> {
        let mut nodes = Vec::new();
        loop {
            let token = self.take();
            match token.kind {
                TokenKind::Text => nodes.push(Node::Text(token.start..token.end)),
                TokenKind::LeftDelimiter => {
                    if let Some(stop) = self.action(top, token.start, &mut nodes)? {
                        return Ok((nodes, stop));
                    }
                }
                TokenKind::End => return Ok((nodes, Stop::End)),
                _ => return self.unexpected(token, "input"),
            }
        }
    }

    fn action(&mut self, top: bool, at: usize, nodes: &mut Vec<Node>) -> Parsed<Option<Stop>> {
        let word = self.peek_word();
        let keyword = if word.kind == TokenKind::Identifier { self.slice(word) } else { "" };
        let node = match keyword {
            "end" => {
                self.keyword_alone("end")?;
                return Ok(Some(Stop::Keyword(at, "end")));
            }
            "else" => {
                self.take_word();
                return Ok(Some(Stop::Keyword(at, "else")));
            }
            "if" => Node::If(self.branch("if")?),
            "with" => Node::With(self.branch("with")?),
            "range" => Node::Range(self.branch("range")?),
            "break" | "continue" => {
                if self.loops == 0 {
                    let message = format!("{{{{{keyword}}}}} outside {{{{range}}}}");
                    return Err(SyntaxError::new(word.start, message));
                }
                self.keyword_alone(keyword)?;
                if keyword == "break" { Node::Break } else { Node::Continue }
            }
            "template" => self.template()?,
            "block" => self.block()?,
            "define" if top => {
                self.definition()?;
                return Ok(None);
            }
            "define" => return self.unexpected(word, "command"),
            _ => {
                let pipe = self.pipeline("command", TokenKind::RightDelimiter)?;
                Node::Action(pipe)
            }
        };
        nodes.push(node);
        Ok(None)
    }

    fn keyword_alone(&mut self, context: &str) -> Parsed<()> {
        self.take_word();
        let close = self.take_word();
        if close.kind == TokenKind::RightDelimiter {
            return Ok(());
        }
        self.unexpected(close, context)
    }

    /// `if`, `with` and `range`, with all of their `else`.
    fn branch(&mut self, keyword: &str) -> Parsed<Branch> {
        self.take_word();
        self.branch_behind(keyword)
    }

    fn branch_behind(&mut self, keyword: &str) -> Parsed<Branch> {
        self.deeper(|it| {
            let known = it.variables.len();
            let pipe = it.pipeline(keyword, TokenKind::RightDelimiter)?;
            let is_loop = usize::from(keyword == "range");
            it.loops += is_loop;
            let (then, stop) = it.list(false)?;
            it.loops -= is_loop;
            let otherwise = it.otherwise(keyword, &stop)?;
            it.variables.truncate(known);
            Ok(Branch { pipe, then, otherwise })
        })
    }

    /// What follows the first body, up to the `end` that both share.
    fn otherwise(&mut self, keyword: &str, stop: &Stop) -> Parsed<Vec<Node>> {
        match stop {
            Stop::End => Err(SyntaxError::new(self.source.len(), "unexpected EOF")),
            Stop::Keyword(_, "end") => Ok(Vec::new()),
            Stop::Keyword(..) => {
                let word = self.peek_word();
                let again = self.slice(word);
                if matches!((keyword, again), ("if", "if") | ("with", "with")) {
                    self.take_word();
                    let inner = self.branch_behind(keyword)?;
                    let node = if keyword == "if" { Node::If(inner) } else { Node::With(inner) };
                    return Ok(vec![node]);
                }
                let close = self.take_word();
                if close.kind != TokenKind::RightDelimiter {
                    return self.unexpected(close, "else");
                }
                let (nodes, stop) = self.list(false)?;
                match stop {
                    Stop::Keyword(_, "end") => Ok(nodes),
                    Stop::Keyword(at, _) => {
                        Err(SyntaxError::new(at, "expected end; found {{else}}"))
                    }
                    Stop::End => Err(SyntaxError::new(self.source.len(), "unexpected EOF")),
                }
            }
        }
    }

    fn template_name(&mut self, context: &str) -> Parsed<(Rc<str>, Token)> {
        let token = self.take_word();
        let text = self.slice(token);
        let inside = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
        let name = match token.kind {
            TokenKind::Quoted => unquote(inside),
            TokenKind::Raw => Some(inside.to_owned()),
            _ => return self.unexpected(token, context),
        };
        match name {
            Some(name) => Ok((name.into(), token)),
            None => self.unexpected(token, context),
        }
    }

    fn template(&mut self) -> Parsed<Node> {
        let keyword = self.take_word();
        let (name, token) = self.template_name("template clause")?;
        let pipe = self.argument("template clause")?;
        Ok(Node::Template { name, pipe, at: keyword.start..token.end })
    }

    fn argument(&mut self, context: &str) -> Parsed<Option<Pipe>> {
        if self.peek_word().kind == TokenKind::RightDelimiter {
            self.take();
            return Ok(None);
        }
        self.pipeline(context, TokenKind::RightDelimiter).map(Some)
    }

    fn block(&mut self) -> Parsed<Node> {
        let keyword = self.take_word();
        let (name, token) = self.template_name("block clause")?;
        let pipe = self.pipeline("block clause", TokenKind::RightDelimiter)?;
        self.body(name.clone(), keyword.start)?;
        Ok(Node::Template { name, pipe: Some(pipe), at: keyword.start..token.end })
    }

    fn definition(&mut self) -> Parsed<()> {
        self.take_word();
        let (name, token) = self.template_name("define clause")?;
        let close = self.take_word();
        if close.kind != TokenKind::RightDelimiter {
            return self.unexpected(close, "define clause");
        }
        self.body(name, token.start)
    }

    /// The nodes of a template with a name, which sees no variables from around. One text defines a name once,
    /// however often with blanks.
    fn body(&mut self, name: Rc<str>, at: usize) -> Parsed<()> {
        let around = std::mem::replace(&mut self.variables, vec![Rc::from("$")]);
        let loops = std::mem::take(&mut self.loops);
        let (nodes, stop) = self.deeper(|it| it.list(false))?;
        self.variables = around;
        self.loops = loops;
        match stop {
            Stop::Keyword(_, "end") => {
                if !is_blank(&nodes, self.source) && !self.defined.insert(name.clone()) {
                    let message = format!("multiple definition of template \"{name}\"");
                    return Err(SyntaxError::new(at, message));
                }
                self.definitions.push(Definition { name, nodes: Rc::new(nodes) });
                Ok(())
            }
            Stop::Keyword(at, word) => {
                Err(SyntaxError::new(at, format!("unexpected {{{{{word}}}}} in define clause")))
            }
            Stop::End => Err(SyntaxError::new(self.source.len(), "unexpected EOF")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_function_is_named_that_there_is() {
        let read = |text: &str| parse(text, |it| it == "quote").err();
        assert!(read("{{ .a | quote }}{{ define \"a\" }}{{ end }}{{ nil | quote }}").is_none());
        let error = read("{{ if .a }}{{ .b | quot }}{{ end }}").unwrap();
        assert_eq!((error.message.as_str(), error.at), ("function \"quot\" not defined", 19));
    }

    #[test]
    fn a_text_defines_a_name_once() {
        for (text, refused) in [
            ("{{ define \"a\" }}1{{ end }}{{ define \"b\" }}2{{ end }}", false),
            ("{{ define \"a\" }}1{{ end }}{{ define \"a\" }} {{ end }}", false),
            ("{{ define \"a\" }}{{/* x */}}{{ end }}{{ define \"a\" }}1{{ end }}", false),
            ("{{ define \"a\" }}1{{ end }}{{ define \"a\" }}2{{ end }}", true),
            ("{{ define \"a\" }}1{{ end }}{{ block \"a\" . }}2{{ end }}", true),
        ] {
            let message = parse(text, |_| true).err().map(|it| it.message);
            let wanted = "multiple definition of template \"a\"";
            assert_eq!(message.as_deref(), refused.then_some(wanted), "{text}");
        }
    }
}
