"""What the installed program runs; `bertviz-app -m MODULE` is `python -m MODULE`.

The program starts its trainings as `sys.executable -m MODULE`: in a bundle that is this very program.
"""

import ctypes
import io
import runpy
import sys


def run_command_line() -> int:
    """Run the command line; where there is no terminal, what it says about a failure is shown in a box."""
    from bertviz_app.cli import main

    if sys.stderr is not None:
        return main()
    # A double click on Windows: without a console Python has no standard output and no standard error.
    said = io.StringIO()
    sys.stdout = sys.stderr = said
    code = main()
    if code:
        box = getattr(ctypes, "windll").user32.MessageBoxW  # noqa: B009 - only Windows has it
        box(None, said.getvalue(), "BertViz App", 0x30)
    return code


if sys.argv[1:2] == ["-m"] and len(sys.argv) > 2:
    module = sys.argv[2]
    del sys.argv[1:3]  # the module has its own name in the first place, as with `python -m`
    runpy.run_module(module, run_name="__main__", alter_sys=True)
else:
    sys.exit(run_command_line())
