"""Makes a model folder of a GGUF file, for experiments with weights that come as one.

python bench/gguf_folder.py FILE.gguf FOLDER
"""

import sys
from pathlib import Path

from verigym.model.gguf import convert

if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    convert(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[2]).name)
