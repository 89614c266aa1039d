# A suite of tests for lit (PyPI has it): lit examples/lit. GCNSIM names another command.
import os

import lit.formats

config.name = "gcnsim"
config.test_format = lit.formats.ShTest()
config.suffixes = [".test", ".cl", ".hip"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.environ.get("LIT_OUTPUT", os.path.join(config.test_source_root, "Output"))
config.substitutions.append(("%corpus", os.path.join(config.test_source_root, "..", "..", "corpus")))
lit_config.load_config(config, os.path.join(config.test_source_root, "lit.local.cfg"))
