//! Tests of the list of inputs.

use std::fs;
use std::path::Path;

use super::*;

fn names(inputs: &Inputs) -> Vec<String> {
    (0..inputs.len()).map(|i| inputs.name(i).to_string()).collect()
}

#[test]
fn folders_are_sorted_and_links_followed_once() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    fs::create_dir_all(at("b/deeper")).unwrap();
    for file in ["c.bin", "a.bin", "a.toml", "b/x.bin", "b/x.toml", "b/x.bin.toml", "b/deeper/k", "b/t.txt"] {
        let content: &[u8] = if file.ends_with('k') { b"\x7fELF" } else { b"\0\0\0\0" };
        fs::write(at(file), content).unwrap();
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(root.path(), at("b/deeper/loop")).unwrap();
        std::os::unix::fs::symlink("nowhere", at("z.bin")).unwrap();
        std::os::unix::fs::symlink("nowhere", at("z.txt")).unwrap();
    }
    let inputs = Inputs::collect(&[root.path()]).unwrap();
    let short: Vec<_> = names(&inputs).iter().map(|n| n[root.path().as_os_str().len() + 1..].to_owned()).collect();
    assert_eq!(short[..4], ["a.bin", "b/deeper/k", "b/x.bin", "c.bin"]);
    let sidecars: Vec<_> = (0..4).map(|i| inputs.get(i).sidecar).collect();
    assert_eq!(sidecars, [SidecarAt::Beside, SidecarAt::Nowhere, SidecarAt::Twice, SidecarAt::Nowhere]);
    if cfg!(unix) {
        assert_eq!((short[4].as_str(), short.len()), ("z.bin", 5));
        assert!(matches!(inputs.get(4).content, Content::Problem(_)));
        // The file is t.txt and the link is z.txt. The three sidecars belong to a.bin and x.bin.
        assert_eq!(inputs.skipped, Skipped { files: 1, links: 1, special: 0, data: 0 });
    }
}

#[test]
fn lists_name_files_folders_and_what_is_missing() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("f");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a.bin"), [0; 4]).unwrap();
    let list = root.path().join("list");
    for text in [format!("{0}\n\nmissing.bin\r\n", folder.display()), format!("{0}\0missing.bin", folder.display())] {
        fs::write(&list, text).unwrap();
        let inputs = Inputs::collect(&[format!("@{}", list.display())]).unwrap();
        assert_eq!(names(&inputs), [format!("{}/a.bin", folder.display()), "missing.bin".into()]);
        let Content::Problem(number) = inputs.get(1).content else { panic!("not a problem") };
        assert_eq!(inputs.problem(number), "cannot read: no such file or directory");
    }
    assert!(Inputs::collect(&["@/no/such/list"]).is_err());
    // A missing path among the arguments is an error at once.
    let error = Inputs::collect(&[folder.as_path(), Path::new("missing.bin"), Path::new("a b")]).err().unwrap();
    assert_eq!(error.to_string(), "no such file or folder: missing.bin, 'a b'");
}

#[test]
fn an_empty_folder_is_an_entry_that_says_so() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("readme.txt"), "x").unwrap();
    let inputs = Inputs::collect(&[root.path(), root.path()]).unwrap();
    assert_eq!(inputs.len(), 2);
    let Content::Problem(number) = inputs.get(1).content else { panic!("not a problem") };
    assert_eq!(inputs.problem(number), "no shaders in this folder (1 other files)");
}
