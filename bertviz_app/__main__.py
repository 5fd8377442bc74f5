"""`python -m bertviz_app` is the command line."""

import sys

from bertviz_app.cli import main

if __name__ == "__main__":
    sys.exit(main())
