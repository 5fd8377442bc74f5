# Two commands: `make run` opens the window, `make test` checks everything. Both do all their set-up themselves.
.PHONY: run test fuzz bench translations clean
.NOTPARALLEL:

python = .venv/bin/python

run:
	@sh resources/setup/prepare.sh run
	@sh resources/setup/open.sh

test:
	@sh resources/setup/prepare.sh test
	$(python) -m ruff check .
	$(python) -m ruff format --check .
	$(python) -m mypy
	QT_QPA_PLATFORM=offscreen $(python) -m pytest

# 100,000 spoilt checkpoint files, opened in processes of their own: each opens, or says what is wrong.
fuzz:
	@sh resources/setup/prepare.sh test
	$(python) -m tests.fuzz

# The budgets, side by side with the peers; figures, not tests.
bench:
	@sh resources/setup/prepare.sh test
	@for script in tests/bench/[a-z]*.py; do \
	    QT_QPA_PLATFORM=offscreen OMP_WAIT_POLICY=PASSIVE $(python) -m "tests.bench.$$(basename "$$script" .py)" || exit 1; \
	done

# After a change of the words on screen: collects them for the translator, and makes of the translations
# what the program reads.
words = resources/translations/bertviz_app_ko
translations:
	@sh resources/setup/prepare.sh test
	$(python) -m tests.architecture.write_templates
	$(python) -m ruff format --quiet bertviz_app/viewmodels/wording/error_templates.py bertviz_app/viewmodels/wording/error_templates_from_m.py
	.venv/bin/pyside6-lupdate $$(find bertviz_app -name '*.py' | sort) -ts $(words).ts -no-obsolete -locations none
	.venv/bin/pyside6-lrelease $(words).ts -qm $(words).qm

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist attention.png
	find bertviz_app tests -name __pycache__ -prune -exec rm -rf {} +
