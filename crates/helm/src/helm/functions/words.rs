//! Words in text, as the Go package xstrings finds them: `camelcase`, `snakecase`, `kebabcase`.

/// What a word is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Blanks, dashes and underscores.
    Sign,
    Mark,
    /// Capitals, or one of them with the small letters behind it.
    Capitals,
    Letters,
    Digits,
    Other,
}

fn is_sign(letter: char) -> bool {
    letter == '-' || letter == '_' || letter.is_whitespace()
}

/// Go's `unicode.IsPunct`: of ASCII all that is neither letter nor symbol.
fn is_mark(letter: char) -> bool {
    match letter {
        '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~' => false,
        _ if letter.is_ascii() => letter.is_ascii_punctuation(),
        '\u{a1}'
        | '\u{a7}'
        | '\u{ab}'
        | '\u{b6}'
        | '\u{b7}'
        | '\u{bb}'
        | '\u{bf}'
        | '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{2043}'
        | '\u{3001}'..='\u{3003}' => true,
        _ => false,
    }
}

/// Letters that make words; those of Chinese and the like stand alone.
fn is_letter(letter: char) -> bool {
    letter.is_alphabetic() && !('\u{3400}'..='\u{9fcc}').contains(&letter)
}

fn class(letter: char) -> Class {
    match letter {
        _ if is_sign(letter) => Class::Sign,
        _ if is_mark(letter) => Class::Mark,
        _ if letter.is_uppercase() => Class::Capitals,
        _ if is_letter(letter) => Class::Letters,
        _ if letter.is_numeric() => Class::Digits,
        _ => Class::Other,
    }
}

/// The words of a text, one behind the other.
fn words(text: &str) -> Vec<(Class, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let class = class(first);
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        let goes_on = |it: char| match class {
            Class::Sign => is_sign(it),
            Class::Mark => is_mark(it),
            Class::Capitals | Class::Letters => is_letter(it) && !it.is_uppercase(),
            Class::Digits => it.is_numeric(),
            Class::Other => !(is_sign(it) || is_letter(it) || it.is_numeric() || is_mark(it)),
        };
        let capitals = after.find(|it: char| !it.is_uppercase()).unwrap_or(after.len());
        let len = if class == Class::Capitals && capitals > 0 {
            let behind = after.get(capitals..).and_then(|it| it.chars().next());
            // The last capital begins the next word if small letters follow: `HTTP`, `Server`.
            let last = after.get(..capitals).and_then(|it| it.chars().next_back());
            match (behind, last) {
                (Some(behind), Some(last)) if is_letter(behind) => capitals - last.len_utf8(),
                _ => capitals,
            }
        } else {
            after.find(|it: char| !goes_on(it)).unwrap_or(after.len())
        };
        let (word, next) = rest.split_at(first.len_utf8() + len);
        found.push((class, word));
        rest = next;
    }
    found
}

/// The words in small letters, joined by a sign.
pub(super) fn joined(text: &str, sign: char) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    let mut words = words(text).into_iter().peekable();
    let push = |out: &mut String, (class, word): (Class, &str)| match class {
        Class::Sign => out.extend(word.chars().map(|_| sign)),
        Class::Capitals => out.push_str(&word.to_lowercase()),
        _ => out.push_str(word),
    };
    // Digits with the small letters behind them are one word: `2xx`.
    let rest_of_number = |out: &mut String, words: &mut std::iter::Peekable<_>| {
        while let Some(word) = words
            .next_if(|(class, _): &(Class, &str)| matches!(class, Class::Letters | Class::Digits))
        {
            push(out, word);
        }
    };
    let begins_word = |it: Option<&(Class, &str)>| {
        it.is_some_and(|(class, _)| !matches!(class, Class::Sign | Class::Mark))
    };
    while let Some(word) = words.next() {
        push(&mut out, word);
        match word.0 {
            Class::Sign | Class::Mark => continue,
            Class::Digits => rest_of_number(&mut out, &mut words),
            _ => {
                if let Some(number) = words.next_if(|(class, _)| *class == Class::Digits) {
                    if words.peek().is_some_and(|(class, _)| *class == Class::Letters) {
                        out.push(sign);
                        push(&mut out, number);
                        rest_of_number(&mut out, &mut words);
                    } else {
                        push(&mut out, number);
                    }
                }
            }
        }
        if begins_word(words.peek()) {
            out.push(sign);
        }
    }
    out
}

/// The words without what is between them, each with a capital.
pub(super) fn camel(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let start = text.find(|it: char| !is_sign(it)).unwrap_or(text.len());
    out.push_str(text.get(..start).unwrap_or_default());
    let mut letters = text.get(start..).unwrap_or_default().chars();
    let Some(first) = letters.next() else { return out };
    let mut all_capitals = first.is_uppercase();
    let mut before = upper(first);
    for letter in letters {
        let mut letter = letter;
        if is_sign(letter) && is_sign(before) {
            out.push(before);
            before = letter;
            continue;
        }
        if is_sign(before) {
            all_capitals = letter.is_uppercase();
            letter = upper(letter);
        } else {
            if all_capitals && letter.is_uppercase() {
                letter = letter.to_lowercase().next().unwrap_or(letter);
            } else {
                all_capitals = false;
            }
            out.push(before);
        }
        before = letter;
    }
    out.push(before);
    out
}

fn upper(letter: char) -> char {
    letter.to_uppercase().next().unwrap_or(letter)
}
