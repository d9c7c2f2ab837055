# One image for web, worker and beat.
FROM python:3.11-slim
WORKDIR /app
COPY requirements.txt deploy/constraints.txt ./
RUN pip install --no-cache-dir -c constraints.txt -r requirements.txt && useradd --create-home finops
COPY . .
USER finops
ENV FINOPS_DATA_DIR=/tmp/finops HOST=0.0.0.0 PORT=8000
CMD ["gunicorn", "finops.wsgi", "--bind", "0.0.0.0:8000", "--workers", "2"]
