# make run · make test · make check: each makes its environment first.
PYTHON ?= python3
PIP := .venv/bin/pip --disable-pip-version-check -q install -c deploy/constraints.txt
.PHONY: run test check bench

.venv/run.done: requirements.txt deploy/requirements-embedded.txt deploy/constraints.txt
	test -x .venv/bin/python || $(PYTHON) -m venv .venv
	$(PIP) -r requirements.txt -r deploy/requirements-embedded.txt
	touch $@

.venv/test.done: .venv/run.done tests/requirements.txt
	$(PIP) -r tests/requirements.txt
	touch $@

run: .venv/run.done
	@exec .venv/bin/python deploy/run.py

test: .venv/test.done
	@sh deploy/system-packages.sh
	.venv/bin/python -m pytest -q -n 3 --dist loadfile --ignore=tests/integration/test_embedded.py
	.venv/bin/python -m pytest -q -p no:django tests/integration/test_embedded.py

check: .venv/test.done
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	.venv/bin/python manage.py makemigrations --check --dry-run

bench: .venv/test.done
	@sh deploy/system-packages.sh
	.venv/bin/python tests/bench/collect.py
	.venv/bin/python tests/bench/account.py
	.venv/bin/python tests/bench/costs.py
	.venv/bin/python tests/bench/export.py
