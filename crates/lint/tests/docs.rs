//! The table of docs/use/lint.md agrees with the rules.

use gcnsim_lint::rules::{RULES, Rule, Test};

/// Returns the number of wait states that a rule needs, in words; empty for other rules.
fn states(rule: &Rule) -> String {
    match rule.test {
        Test::States(_, _, [a, b, c, d]) if [a, b, c, d] == [a; 4] => a.to_string(),
        Test::States(_, _, [a, _, c, _]) => format!("{a}; gfx8, gfx9: {c}"),
        Test::Wait(..) | Test::Place(_) => String::new(),
    }
}

#[test]
fn the_page_lists_every_rule() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let path = root.join("docs/use/lint.md");
    let page = std::fs::read_to_string(path).unwrap();
    let listed: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let rows: Vec<String> = RULES
        .iter()
        .map(|rule| {
            let (level, basis, on) = (rule.level.name(), rule.basis.name(), rule.on.text());
            format!("| `{}` | {level} | {basis} | {on} | {} | {} |", rule.id, states(rule), rule.text)
        })
        .collect();
    assert_eq!(listed, rows, "\n{}", rows.join("\n"));
}

#[test]
fn ids_are_unique_and_texts_are_phrases() {
    for (i, rule) in RULES.iter().enumerate() {
        assert!(RULES[..i].iter().all(|other| other.id != rule.id), "{}", rule.id);
        assert!(!rule.text.ends_with('.') && rule.text.is_ascii(), "{}", rule.id);
        assert!(rule.id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{}", rule.id);
    }
}
