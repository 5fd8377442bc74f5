"""What the installed program runs; `bertviz-app -m MODULE` is `python -m MODULE`.

The program starts its trainings as `sys.executable -m MODULE`: in a bundle that is this very program.
"""

import runpy
import sys

if sys.argv[1:2] == ["-m"] and len(sys.argv) > 2:
    module = sys.argv[2]
    del sys.argv[1:2]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
else:
    from bertviz_app.cli import main

    sys.exit(main())
