//! Asks "did you mean" for a word that is not known.

/// Returns `; did you mean 'NAME'?` with the known word that is nearest to `word`, or nothing if none is near: a word
/// of up to 8 letters may have two slips, a longer one a slip for each four letters; its end may be missing.
pub fn question<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    // What was cut off at the end is a slip, too.
    let distance = |known: &str| match word.len() > 2 && known.starts_with(word) {
        true => 1,
        false => strsim::damerau_levenshtein(known, word),
    };
    let near = known.into_iter().map(|known| (distance(known), known.len(), known)).min();
    let is_near = |distance: usize| distance <= (word.chars().count() / 4).max(2);
    match near {
        Some((distance, _, known)) if is_near(distance) => format!("; did you mean '{known}'?"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::question;

    #[test]
    fn near_words_are_asked_for() {
        let known = ["grid", "group", "v_add_co_u32", "smem-wait"];
        assert_eq!(question("gird", known), "; did you mean 'grid'?");
        assert_eq!(question("v_addco_u32", known), "; did you mean 'v_add_co_u32'?");
        assert_eq!(question("sme-weit", known), "; did you mean 'smem-wait'?");
        assert_eq!(question("smem", known), "; did you mean 'smem-wait'?");
        assert_eq!(question("elephant", known), "");
        assert_eq!(question("x", []), "");
    }
}
