# `make run` opens the window, `make test` checks everything, `make check` what takes less than a minute of it.
# All of them do their set-up themselves.
.PHONY: run test checks check test-latest lock fuzz soak walk bench pictures translations package prove release clean
.NOTPARALLEL:
# The tests are compiled once, not anew in each of the hundreds of processes that they start.
unexport PYTHONDONTWRITEBYTECODE

python = .venv/bin/python
# Two processes, each of which works through a half of the tests in order; who is done first takes over from the other.
pytest = QT_QPA_PLATFORM=offscreen $(python) -m pytest -n 2 --dist worksteal
# Runs one part of the checks, its name first, and prints how long it took.
timed = @echo "$(2)"; started=$$(date +%s); $(2) && echo "$(1): $$(($$(date +%s) - started)) s"

run:
	@sh resources/setup/prepare.sh run
	@sh resources/setup/open.sh

# Before each commit.
quick_tests = $(addprefix tests/, architecture setup trace analysis text encoder viewmodels) $(wildcard tests/test_*.py)
check:
	@sh resources/setup/prepare.sh test
	$(call timed,ruff check,$(python) -m ruff check .)
	$(call timed,ruff format,$(python) -m ruff format --check .)
	$(call timed,mypy,$(python) -m mypy)
	$(call timed,tests,$(pytest) -q -m 'not slow' $(quick_tests))

test:
	@sh resources/setup/prepare.sh test
	@$(MAKE) checks

checks:
	$(call timed,ruff check,$(python) -m ruff check .)
	$(call timed,ruff format,$(python) -m ruff format --check .)
	$(call timed,mypy,$(python) -m mypy)
	$(call timed,tests,$(pytest) --durations=25)

# The same with the newest version of everything; it begins with those that differ from the tested ones.
test-latest:
	@sh resources/setup/prepare.sh latest
	@.venv-latest/bin/python resources/setup/lock.py compare
	$(MAKE) checks python=.venv-latest/bin/python

# After a change of the dependencies in pyproject.toml: adds the new ones to the tested versions, the others stay.
# `make lock newest=1` takes the newest of all. Run `make test` with each Python before you commit the result.
lock:
	@. resources/setup/system.sh && "$$(find_python)" resources/setup/lock.py write $(if $(newest),--newest) $(pythons)

# 100,000 spoilt checkpoint files, opened in processes of their own: each opens, or says what is wrong.
fuzz:
	@sh resources/setup/prepare.sh test
	$(python) -m tests.fuzz

# The whole window under random gestures, trainings and files; a seed makes the same gestures again. Then fast typing.
MINUTES = 60
soak:
	@sh resources/setup/prepare.sh test
	$(python) -m tests.soak --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))
	$(python) -m tests.soak --typing

# The wheel in an environment of its own, read-only and without a network, and all that the window offers used there.
walk:
	@sh resources/setup/prepare.sh test
	$(python) -m tests.installed

# The budgets, side by side with the peers, in thirty minutes at most; figures, not tests. They are written to bench.json.
bench:
	@sh resources/setup/prepare.sh test
	$(python) -m tests.bench

# The pictures of README, drawn by the program itself; takes minutes, since a small model is trained for one of them.
pictures:
	@sh resources/setup/prepare.sh test
	$(python) -m tests.pictures

# After a change of the words on screen: collects them for the translator, and makes of the translations
# what the program reads.
words = resources/translations/bertviz_app_ko
translations:
	@sh resources/setup/prepare.sh test
	@mkdir -p build && $(python) -m tests.architecture.shown_words > build/messages.py
	.venv/bin/pyside6-lupdate $$(find bertviz_app -name '*.py' | sort) build/messages.py -ts $(words).ts -no-obsolete -locations none
	.venv/bin/pyside6-lrelease $(words).ts -qm $(words).qm

# What people install: wheel, sdist, AppImage, .deb and their checksums, in dist/. Takes about ten minutes.
package:
	@sh resources/setup/prepare.sh package
	.venv-package/bin/python installers/build.py wheel bundle appimage deb checksums

# AppImage and .deb in empty roots of Debian and Ubuntu, as root; takes about ten minutes for each root. In the first
# one, which takes an hour, the window is walked through as `make walk` does, in the others through one step of each kind.
# BERTVIZ_ROOTS names a folder with 6 GB of room for them, else they are in /tmp.
ROOTS = bookworm trixie noble
prove:
	python3 installers/prove.py $(ROOTS)

# All that a release needs, built and checked; makes the tag in this checkout, and uploads nothing.
release:
	@sh resources/setup/prepare.sh test
	$(python) installers/release.py

clean:
	rm -rf .venv .venv-latest .venv-package .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist attention.png
	find bertviz_app tests -name __pycache__ -prune -exec rm -rf {} +
