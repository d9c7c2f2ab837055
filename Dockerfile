# One image for web, worker, beat and commands: packages are built in one stage and only copied into the other.
FROM python:3.11-slim AS packages
COPY requirements.txt deploy/constraints.txt /
RUN python -m venv /packages && /packages/bin/pip install --no-cache-dir -c /constraints.txt -r /requirements.txt

FROM python:3.11-slim
RUN useradd --no-create-home --uid 10001 finops && install -d -o finops -g finops -m 750 /data
COPY --from=packages /packages /packages
WORKDIR /app
COPY manage.py ./
COPY finops finops
COPY ingest ingest
COPY reports reports
COPY templates templates
COPY static static
USER 10001
ENV PATH=/packages/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 FINOPS_DATA_DIR=/tmp/finops
EXPOSE 8000
# TERM lets a worker's running tasks go after a few seconds instead of waiting for their end.
ENV REMAP_SIGTERM=SIGQUIT
CMD ["gunicorn", "finops.wsgi", "--bind", "0.0.0.0:8000", "--workers", "2", "--threads", "4", "--preload", \
     "--forwarded-allow-ips", "", "--worker-tmp-dir", "/dev/shm"]
