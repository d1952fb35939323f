//! Pipelines, commands and operands.

use crate::helm::template::{
    lex::{SyntaxError, TokenKind},
    literal::{number, unquote},
    parse::{Parsed, Parser},
    tree::{Command, Pipe, Word, WordKind},
};

impl Parser<'_> {
    /// A pipeline and what closes it.
    pub(super) fn pipeline(&mut self, context: &str, close: TokenKind) -> Parsed<Pipe> {
        self.deeper(|it| {
            let start = it.peek_word().start;
            let mut pipe = Pipe {
                at: start..start,
                assigns: false,
                variables: Vec::new(),
                commands: Vec::new(),
            };
            it.declarations(context, &mut pipe)?;
            loop {
                let token = it.peek_word();
                if token.kind == close {
                    it.take();
                    if pipe.commands.is_empty() {
                        let message = format!("missing value for {context}");
                        return Err(SyntaxError::new(token.start, message));
                    }
                    // The blanks before the delimiter are not the pipeline's.
                    let inside = it.source.get(start..token.start).unwrap_or_default().trim_end();
                    pipe.at = start..start + inside.len();
                    return Ok(pipe);
                }
                if !begins_operand(token.kind) {
                    return it.unexpected(token, context);
                }
                let command = it.command()?;
                let is_later = !pipe.commands.is_empty();
                if let Some(word) = command.words.first().filter(|it| is_later && it.is_constant())
                {
                    let number = pipe.commands.len() + 1;
                    let message = format!("non executable command in pipeline stage {number}");
                    return Err(SyntaxError::new(word.at.start, message));
                }
                pipe.commands.push(command);
            }
        })
    }

    /// `$x :=`, `$x =` and, for `range`, `$i, $x :=`. New variables are known behind the pipeline only,
    /// which Go does not check either.
    fn declarations(&mut self, context: &str, pipe: &mut Pipe) -> Parsed<()> {
        loop {
            let first = self.peek_word();
            if first.kind != TokenKind::Variable {
                return Ok(());
            }
            let before = self.next;
            self.take();
            let text = self.slice(first);
            match self.peek_word().kind {
                kind @ (TokenKind::Assign | TokenKind::Declare) => {
                    self.take();
                    pipe.assigns = kind == TokenKind::Assign;
                    // Go knows the name from here on also where it is only assigned.
                    let name = self.name(text);
                    self.variables.push(name.clone());
                    pipe.variables.push(name);
                    return Ok(());
                }
                TokenKind::Comma => {
                    self.take();
                    if context != "range" || !pipe.variables.is_empty() {
                        let message = format!("too many declarations in {context}");
                        return Err(SyntaxError::new(first.start, message));
                    }
                    let name = self.name(text);
                    self.variables.push(name.clone());
                    pipe.variables.push(name);
                }
                _ => {
                    self.next = before;
                    return Ok(());
                }
            }
        }
    }

    fn command(&mut self) -> Parsed<Command> {
        let mut words = Vec::new();
        loop {
            let token = self.peek_word();
            if begins_operand(token.kind) {
                words.push(self.operand()?);
            }
            let after = self.peek();
            match after.kind {
                TokenKind::Space => {
                    self.take();
                }
                TokenKind::RightDelimiter | TokenKind::RightParen => break,
                // Go accepts a pipe with nothing behind it.
                TokenKind::Pipe => {
                    self.take();
                    break;
                }
                _ => return self.unexpected(after, "operand"),
            }
        }
        if words.is_empty() {
            return Err(SyntaxError::new(self.peek().start, "empty command"));
        }
        Ok(Command { words })
    }

    /// A term and the fields behind it.
    fn operand(&mut self) -> Parsed<Word> {
        let word = self.term()?;
        let mut fields = Vec::new();
        let mut end = word.at.end;
        while self.peek().kind == TokenKind::Field {
            let token = self.take();
            let text = self.slice(token);
            fields.push(self.name(text.get(1..).unwrap_or_default()));
            end = token.end;
        }
        if fields.is_empty() {
            return Ok(word);
        }
        let at = word.at.start..end;
        let kind = match word.kind {
            WordKind::Field(mut before) => {
                before.append(&mut fields);
                WordKind::Field(before)
            }
            WordKind::Variable(name, mut before) => {
                before.append(&mut fields);
                WordKind::Variable(name, before)
            }
            WordKind::Bool(_)
            | WordKind::Int(_)
            | WordKind::Float(_)
            | WordKind::Text { .. }
            | WordKind::Nil
            | WordKind::Dot => {
                return Err(SyntaxError::new(word.at.start, "unexpected . after term"));
            }
            kind => WordKind::Chain(Box::new(Word { at: word.at, kind }), fields),
        };
        Ok(Word { at, kind })
    }

    fn term(&mut self) -> Parsed<Word> {
        let token = self.take_word();
        let text = self.slice(token);
        let inside = || text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
        let bad = |what: &str| SyntaxError::new(token.start, format!("{what}: {text}"));
        let kind = match token.kind {
            TokenKind::Dot => WordKind::Dot,
            TokenKind::Identifier => match text {
                "true" => WordKind::Bool(true),
                "false" => WordKind::Bool(false),
                "nil" => WordKind::Nil,
                "if" | "else" | "end" | "range" | "with" | "define" | "block" | "template" => {
                    return self.unexpected(token, "operand");
                }
                name if !(self.is_defined)(name) => {
                    let message = format!("function \"{name}\" not defined");
                    return Err(SyntaxError::new(token.start, message));
                }
                name => WordKind::Function(self.name(name)),
            },
            TokenKind::Field => WordKind::Field(vec![self.name(text.get(1..).unwrap_or_default())]),
            TokenKind::Variable => {
                let name = self.name(text);
                if !self.variables.contains(&name) {
                    return Err(bad("undefined variable"));
                }
                WordKind::Variable(name, Vec::new())
            }
            TokenKind::Number => number(text).ok_or_else(|| bad("bad number syntax"))?,
            TokenKind::Character => {
                let letter = unquote(inside()).and_then(|it| it.chars().next());
                let letter = letter.ok_or_else(|| bad("malformed character constant"))?;
                WordKind::Int(i64::from(u32::from(letter)))
            }
            TokenKind::Raw => {
                let verbatim = Some(token.start + 1..token.end - 1);
                WordKind::Text { text: self.name(inside()), verbatim }
            }
            TokenKind::Quoted => {
                let said = unquote(inside()).ok_or_else(|| bad("invalid syntax"))?;
                let same = said == inside();
                let verbatim = same.then(|| token.start + 1..token.end - 1);
                WordKind::Text { text: said.into(), verbatim }
            }
            TokenKind::LeftParen => {
                let pipe = self.pipeline("parenthesized pipeline", TokenKind::RightParen)?;
                let end =
                    self.tokens.get(self.next.saturating_sub(1)).map_or(token.end, |it| it.end);
                let kind = WordKind::Pipe(Box::new(pipe));
                return Ok(Word { at: token.start..end, kind });
            }
            _ => return self.unexpected(token, "operand"),
        };
        Ok(Word { at: token.start..token.end, kind })
    }
}

fn begins_operand(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Dot
            | TokenKind::Identifier
            | TokenKind::Field
            | TokenKind::Variable
            | TokenKind::Number
            | TokenKind::Character
            | TokenKind::Raw
            | TokenKind::Quoted
            | TokenKind::LeftParen
    )
}
