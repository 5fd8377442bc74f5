"""The rules themselves: each takes a module and yields one sentence for each place that breaks it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.support.module_facts import Module, called_name, n_lines

LONGEST_FUNCTION = 60
EMPTY_NAMES = frozenset({"util", "utils", "helper", "helpers", "manager", "managers"})
EMPTY_MODULE_NAMES = EMPTY_NAMES | {"common", "misc"}
MAY_IMPORT_LATER = (
    "bertviz_app.api",
    "bertviz_app.cli",
    "bertviz_app.features",
    "bertviz_app.inference",
    "bertviz_app.checkpoint.sources.source",
    "bertviz_app.shell.commands",
    "bertviz_app.shell.diagnosis",
    "bertviz_app.shell.feature",
    "bertviz_app.shell.window",
    "bertviz_app.viewmodels.app_state",
    "bertviz_app.viewmodels.panel",
    "bertviz_app.viewmodels.runs.comparison",
    "bertviz_app.viewmodels.runs.workspace",
    "bertviz_app.viewmodels.runs.shown",
    "bertviz_app.viewmodels.vectors",
)
"""Where functions import parts of the program: torch, Qt, and what the first window does not show."""
CODE_RUNNERS = frozenset({"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"})
CONTAINERS = frozenset({"list", "dict", "set", "bytearray", "defaultdict", "deque", "Counter", "OrderedDict"})
MUTATORS = frozenset(
    {
        "append",
        "extend",
        "insert",
        "add",
        "update",
        "setdefault",
        "pop",
        "popitem",
        "remove",
        "discard",
        "clear",
    }
)
"""Virtual methods of Qt whose names are one word; our own names with several words have underscores."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*|__\w+__")


def sizes(module: Module) -> Iterator[str]:
    """A function has 60 lines at most."""
    for function in module.functions():
        if n_lines(function) > LONGEST_FUNCTION:
            yield f"{module.where(function)} {function.name} has {n_lines(function)} lines"


def late_imports(module: Module) -> Iterator[str]:
    """Functions import parts of the program only where that is said; nothing imports from the package itself.

    The package hands out the names of the API on first use, which import-linter does not see; neither does it
    see a module's name in a string. One module loads the rooms, which lie above what they bring something to.
    """
    imports = list(module.nodes(ast.ImportFrom))
    if module.name != "bertviz_app":
        for node in imports:
            if node.module == "bertviz_app":
                names = {alias.name for alias in node.names} - {"__version__", "paths"}
                yield from (f"{module.where(node)} imports {name} from the package" for name in sorted(names))
        for call in module.nodes(ast.Call) if module.name != "bertviz_app.room_loader" else ():
            if _imports_a_string(call):
                yield f"{module.where(call)} imports a module by a string"
    if not module.name.startswith(MAY_IMPORT_LATER):
        own = [node for node in imports if (node.module or "").startswith("bertviz_app")]
        for function in module.functions() if own else ():
            for node in own:
                if function.lineno <= node.lineno <= (function.end_lineno or 0):
                    yield f"{module.where(node)} {function.name} imports {node.module} when it is called"


def _imports_a_string(call: ast.Call) -> bool:
    is_import = called_name(call).split(".")[-1] == "import_module"
    return is_import and any(isinstance(argument, ast.Constant) for argument in call.args)


def docstring(module: Module) -> Iterator[str]:
    """A file that holds anything says in its first line what belongs there."""
    text = ast.get_docstring(module.tree, clean=False) or ""
    if module.tree.body and not text.split("\n")[0].strip():
        yield f"{module.name} does not say in its first line what belongs there"


def names(module: Module) -> Iterator[str]:
    """No name says only that something is handy or manages."""
    definitions = [*module.functions(), *module.classes()]
    for name in (module.name, *(definition.name for definition in definitions)):
        words = {word.lower() for word in _WORD.findall(name)}
        if words & (EMPTY_MODULE_NAMES if name == module.name else EMPTY_NAMES):
            yield f"{module.name}: {name} says nothing about what it does"


def calls(module: Module) -> Iterator[str]:
    """Nothing prints, evaluates text, or opens a file in a way that can run code."""
    for call in module.nodes(ast.Call):
        yield from (f"{module.where(call)} {fault}" for fault in _faults(call))


def _faults(call: ast.Call) -> Iterator[str]:
    called = called_name(call)
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if called in {"print", "eval", "exec"}:
        yield f"calls {called}"
    if called == "torch.load" and not _is_true(keywords.get("weights_only")):
        yield "calls torch.load without weights_only=True"
    if "allow_pickle" in keywords and _is_true(keywords["allow_pickle"]):
        yield "allows pickles"


def _is_true(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


def words(module: Module) -> Iterator[str]:
    """Words on screen are looked up outside of f-strings: Qt's collector finds none within."""
    for text in module.nodes(ast.JoinedStr):
        for node in ast.walk(text):
            if isinstance(node, ast.Call) and called_name(node).split(".")[-1] in {"tr", "translate"}:
                yield f"{module.where(node)} looks words up within an f-string"


def code_runners(module: Module) -> Iterator[str]:
    """Nothing imports a reader of files that run code; the name of its error alone may be."""
    imported: list[tuple[ast.stmt, str]] = [
        (node, alias.name) for node in module.nodes(ast.Import) for alias in node.names
    ]
    imported += [
        (node, node.module or "")
        for node in module.nodes(ast.ImportFrom)
        if {alias.name for alias in node.names} != {"UnpicklingError"}
    ]
    for statement, name in imported:
        if name.split(".")[0] in CODE_RUNNERS:
            yield f"{module.where(statement)} imports {name}"


def state(module: Module) -> Iterator[str]:
    """What stands at a module's top level stays as it is: containers are constants, nothing is global."""
    tables = dict(_tables(module))
    for name, node in tables.items():
        if not _CONSTANT.fullmatch(name):
            yield f"{module.where(node)} {name} is a container at the top level, but not named as a constant"
    for statement in module.nodes(ast.Global):
        yield f"{module.where(statement)} declares {', '.join(statement.names)} global"
    parts: list[ast.expr | ast.stmt] = [*module.nodes(ast.Call), *module.nodes(ast.Subscript)]
    for part in (*parts, *module.nodes(ast.AugAssign)):
        if (changed := _changed(part)) in tables:
            yield f"{module.where(part)} changes {changed}"


def _tables(module: Module) -> Iterator[tuple[str, ast.stmt]]:
    for node in module.tree.body:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        if _is_container(value):
            yield from ((target.id, node) for target in targets if isinstance(target, ast.Name))


def _is_container(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return called_name(value).split(".")[-1] in CONTAINERS
    return isinstance(value, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)


def _changed(node: ast.expr | ast.stmt) -> str | None:
    """Return the name whose container a node changes in place."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        changed: ast.expr = node.func.value
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        changed = node.value
    elif isinstance(node, ast.AugAssign):
        changed = node.target
    else:
        return None
    return changed.id if isinstance(changed, ast.Name) else None
