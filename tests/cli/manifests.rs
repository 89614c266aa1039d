//! The manifests agree with ARCHITECTURE.md (floors), with the library's page (features) and with what a registry of
//! packages wants.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use toml::{Table, Value};

use super::docs::{document, table_rows};

/// A package of the workspace.
struct Package {
    /// Folder below the project's, without a slash at its end; empty for the root.
    folder: String,
    manifest: Table,
}

impl Package {
    fn read(folder: &str) -> Package {
        let path = if folder.is_empty() { "Cargo.toml".to_owned() } else { format!("{folder}/Cargo.toml") };
        let manifest = document(&path).parse().unwrap_or_else(|error| panic!("{path}: {error}"));
        Package { folder: folder.to_owned(), manifest }
    }

    /// Returns a key of the table `package`, from the workspace if the manifest says so.
    fn key<'a>(&'a self, workspace: &'a Table, key: &str) -> Option<&'a Value> {
        let value = self.manifest["package"].get(key)?;
        let is_inherited = value.get("workspace").is_some();
        if is_inherited { workspace["package"].get(key) } else { Some(value) }
    }

    fn name(&self) -> &str {
        self.manifest["package"]["name"].as_str().unwrap()
    }

    fn is_published(&self) -> bool {
        self.manifest["package"].get("publish").and_then(Value::as_bool).unwrap_or(true)
    }

    /// Returns the dependencies of the tables with these names, those for some systems only among them.
    fn dependencies(&self, tables: &[&str]) -> impl Iterator<Item = (&String, &Value)> {
        let of_systems = self.manifest.get("target").and_then(Value::as_table).into_iter().flatten();
        let places = of_systems.filter_map(|(_, of_system)| of_system.as_table()).chain([&self.manifest]);
        let found = places.flat_map(|place| tables.iter().filter_map(|table| place.get(*table)?.as_table()));
        found.flatten().collect::<Vec<_>>().into_iter()
    }
}

const ALL_TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Returns the table `workspace` and the packages, the root first.
fn packages() -> (Table, Vec<Package>) {
    let root = Package::read("");
    let workspace = root.manifest["workspace"].as_table().unwrap().clone();
    let mut packages = vec![root];
    for member in workspace["members"].as_array().unwrap() {
        let member = member.as_str().unwrap();
        let Some(parent) = member.strip_suffix("/*") else {
            packages.push(Package::read(member));
            continue;
        };
        for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(parent)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            packages.push(Package::read(&format!("{parent}/{name}")));
        }
    }
    assert!(packages.len() > 15, "{} packages", packages.len());
    (workspace, packages)
}

/// Returns the rows of the table of floors: by folder, the floor and whether the crate forbids unsafe code.
fn floors(text: &str) -> BTreeMap<String, (u32, bool)> {
    let mut floors = BTreeMap::new();
    for row in table_rows(text).filter(|row| row.len() == 4) {
        let (Ok(floor), Some(name)) = (row[0].parse(), row[1].split('`').nth(1)) else { continue };
        // The root's code is in `src/`.
        let folder = if name == "src/" { "" } else { name.trim_end_matches('/') };
        let is_new = floors.insert(folder.to_owned(), (floor, row[1].contains("forbid(unsafe_code)"))).is_none();
        assert!(is_new, "ARCHITECTURE.md lists {name} twice");
    }
    floors
}

#[test]
fn floors_of_the_architecture_are_those_of_the_manifests() {
    let floors = floors(&document("ARCHITECTURE.md"));
    let (_, packages) = packages();
    let folders: BTreeSet<&String> = packages.iter().map(|package| &package.folder).collect();
    assert_eq!(floors.keys().collect::<BTreeSet<_>>(), folders, "the table of ARCHITECTURE.md against the workspace");
    let floor_of: BTreeMap<&str, u32> =
        packages.iter().map(|package| (package.name(), floors[&package.folder].0)).collect();
    let mut wrong = Vec::new();
    for package in &packages {
        let (floor, forbids) = floors[&package.folder];
        for (name, _) in package.dependencies(&ALL_TABLES) {
            if let Some(of_dependency) = floor_of.get(name.as_str()).filter(|&&of_dependency| of_dependency >= floor) {
                wrong.push(format!("{} (floor {floor}) needs {name} (floor {of_dependency})", package.name()));
            }
        }
        let folder = if package.folder.is_empty() { String::new() } else { format!("{}/", package.folder) };
        let is_forbidden = document(&format!("{folder}src/lib.rs")).contains("#![forbid(unsafe_code)]");
        assert_eq!(forbids, is_forbidden, "ARCHITECTURE.md on unsafe code in {}", package.name());
    }
    assert!(wrong.is_empty(), "dependencies do not go down:\n{}", wrong.join("\n"));
}

#[test]
fn packages_have_what_a_registry_wants() {
    let (workspace, packages) = packages();
    let published: BTreeSet<&str> =
        packages.iter().filter(|package| package.is_published()).map(Package::name).collect();
    for package in packages.iter().filter(|package| package.is_published()) {
        let name = package.name();
        for key in ["version", "description", "license", "readme", "keywords", "categories", "rust-version"] {
            assert!(package.key(&workspace, key).is_some(), "{name} has no {key}");
        }
        // What a published package needs is published, too, with a version.
        for (dependency, value) in package.dependencies(&["dependencies", "build-dependencies"]) {
            let is_of_workspace = value.get("workspace").is_some();
            let value = if is_of_workspace { &workspace["dependencies"][dependency] } else { value };
            if value.get("path").is_some() {
                assert!(value.get("version").is_some(), "{name}: no version of {dependency}");
                assert!(published.contains(dependency.as_str()), "{name} needs {dependency}, which is not published");
            }
        }
        if package.folder.is_empty() {
            continue;
        }
        // Packages for their own sake, and those that exist for the package `gcnsim` alone.
        let readme_name = Path::new(&package.folder).join("README.md");
        let readme = document(readme_name.to_str().unwrap());
        if name != "gcnsim-isa" {
            let description = package.key(&workspace, "description").and_then(Value::as_str).unwrap_or_default();
            assert!(description.starts_with("Internal to gcnsim: "), "{name}: {description}");
            assert!(readme.contains("Internal to the crate `gcnsim`"), "{}", readme_name.display());
        }
        // Outside of its folder a package has no files.
        let links = readme.contains("](..");
        assert!(!links, "{} links a file that the package does not have", readme_name.display());
    }
    assert!(published.contains("gcnsim") && !published.contains("gcnsim-bench-support"));
}

#[test]
fn page_of_the_library_names_every_feature() {
    let text = document("src/lib.rs");
    let listed: BTreeSet<&str> = table_rows_of_docs(&text).collect();
    let root = Package::read("");
    let features = root.manifest["features"].as_table().unwrap();
    let known: BTreeSet<&str> = features.keys().map(String::as_str).filter(|name| *name != "default").collect();
    assert_eq!(listed, known, "the table of features in src/lib.rs against Cargo.toml");
    let checks = document(".ci/run");
    let checked = checks.lines().find_map(|line| line.strip_prefix("features=(")).unwrap_or_default();
    let checked: BTreeSet<&str> = checked.trim_end_matches(')').split(' ').collect();
    assert_eq!(checked, known, "the features of .ci/run against Cargo.toml");
}

/// Returns the names in the first cells of the table of features.
fn table_rows_of_docs(text: &str) -> impl Iterator<Item = &str> {
    let rows = text.lines().skip_while(|line| !line.starts_with("//! | feature")).skip(2);
    rows.take_while(|line| line.starts_with("//! |")).filter_map(|line| line.split('`').nth(1))
}
