//! Finds the instructions that a kernel may reach.

use std::sync::Arc;

use gcnsim_flow::{Returns, Search, Through};

use crate::areas::AreaKind;
use crate::codemap::CodeMap;

/// What a scan follows: whatever may be executed some time.
const THROUGH: Through = Through::CALLS.and(Through::FORKS).and(Through::STOPS).and(Through::ILLEGAL);

/// Finds with `search` the dwords that may be reached from `entry`. Returns whether there is a jump with an unknown
/// target that is not a return.
pub(super) fn follow(search: &mut Search, map: &CodeMap<'_>, entry: u64) -> bool {
    search.begin(map, THROUGH, usize::MAX);
    let mut returns = Returns::default();
    search.follow_with(map, entry, |inst, target| returns.see(inst, target.is_some()));
    if returns.explain_all() {
        return false;
    }
    let own = map.object.section_at(entry).and_then(|s| s.area_at(entry)).map(|area| area.names.clone());
    for section in &map.object.sections {
        for area in &section.areas {
            let anyones = matches!(area.kind, AreaKind::Function | AreaKind::Label | AreaKind::Unnamed);
            let is_own = own.as_ref().is_some_and(|own| Arc::ptr_eq(own, &area.names));
            let is_own = is_own && area.kind == AreaKind::Kernel;
            if !anyones && !is_own {
                continue;
            }
            for number in map.of_area(section, area) {
                let decoded = map.get(number);
                // A zero dword that is not reached and has no symbol may be padding.
                if area.kind != AreaKind::Unnamed || decoded.word != 0 {
                    search.follow_with(map, decoded.address, |_, _| {});
                }
            }
        }
    }
    true
}
