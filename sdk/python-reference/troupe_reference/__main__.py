"""``python3 -m troupe_reference component.py``, or ``python3 /path/to/troupe_reference component.py`` where nothing was installed."""

import os
import sys

if not __package__:
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path[0] = os.path.join(os.path.dirname(here), "python")
    # The packages of the reference system come first where they are installed.
    sys.path.append(here)

from troupe_reference.run import main

sys.exit(main())
