"""``python3 -m troupe_reference component.py``, or without installation: ``python3 /path/to/troupe_reference component.py``."""

import os
import sys

if not __package__:
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path[0] = os.path.join(os.path.dirname(here), "python")
    # Installed packages of the reference system have precedence.
    sys.path.append(here)

from troupe_reference.run import main

sys.exit(main())
