//! The code objects of `corpus/kernels`.

use std::path::{Path, PathBuf};

/// Name of the launch that repeats a compare-and-swap if another thread was faster. So on several threads its number of
/// instructions depends on timing, but nothing else does.
pub const RETRIES: &str = "float-sum";

/// Returns the folder of the objects and of their launch files.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/kernels")
}

/// Makes a test for each object that calls `$run` with the name of its file, and a test that no object is left out.
macro_rules! test_each_object {
    ($run:path) => {
        test_each_object! { $run;
            gfx600: "kernels-gfx600-v3-O2.co",
            gfx701: "kernels-gfx701-v2-O1.co",
            gfx803: "kernels-gfx803-v4-O3.co",
            gfx900: "kernels-gfx900-v5-O2.co",
            gfx900_unoptimised: "kernels-gfx900-v4-O0.co",
            gfx906: "kernels-gfx906-v4-Os.co",
            algorithms_gfx600: "algorithms-gfx600-v4-Os.co",
            algorithms_gfx701: "algorithms-gfx701-v3-O3.co",
            algorithms_gfx803: "algorithms-gfx803-v2-O1.co",
            algorithms_gfx900: "algorithms-gfx900-v3-Os.co",
            algorithms_gfx906: "algorithms-gfx906-v5-O1.co",
        }
    };
    ($run:path; $($name:ident: $file:literal,)*) => {
        $(
            #[test]
            fn $name() {
                $run($file);
            }
        )*

        #[test]
        fn no_object_is_left_out() {
            let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
            let objects = files.filter(|path| path.extension().is_some_and(|extension| extension == "co"));
            assert_eq!(objects.count(), [$($file),*].len());
        }
    };
}
pub(crate) use test_each_object;
