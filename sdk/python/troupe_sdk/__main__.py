"""``python3 -m troupe_sdk detector.py``, or without installation: ``python3 /path/to/troupe_sdk detector.py``."""

import os
import sys

if not __package__:
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from troupe_sdk.run import main

sys.exit(main())
