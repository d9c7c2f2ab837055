"""Settings, each from the environment; a wrong value stops the start with one clear line."""

import os
import sys
from pathlib import Path

from finops import environment
from finops.environment import secret

BASE_DIR = Path(__file__).resolve().parent.parent


def given() -> environment.Environment:
    try:
        return environment.read(os.environ, root=BASE_DIR)
    except environment.Wrong as error:
        sys.exit(str(error))


def secret_key() -> str:
    """From the environment, else made once and kept in the data folder, readable by its owner alone."""
    try:
        return GIVEN.secret_key or secret.kept(DATA_DIR / "secret-key")
    except OSError as error:
        sys.exit(f"FINOPS_DATA_DIR: cannot keep the secret key in {DATA_DIR}: {error.strerror}; name a folder that may be written")


def database_url() -> str:
    """The given address, else the embedded server, started if nobody runs it."""
    if GIVEN.database_url:
        return GIVEN.database_url
    from finops import embedded

    try:
        return embedded.postgres_url(DATA_DIR)
    except embedded.EmbeddedError as error:
        sys.exit(str(error))


GIVEN = given()
DATA_DIR = GIVEN.data_dir
DEBUG = GIVEN.debug is True
SECRET_KEY = secret_key()
ALLOWED_HOSTS = list(GIVEN.allowed_hosts)
CSRF_TRUSTED_ORIGINS = list(GIVEN.csrf_trusted_origins)
TRUSTED_PROXIES = GIVEN.trusted_proxies
DATABASES = {"default": environment.database(database_url(), name="DATABASE_URL")}
REDIS = environment.redis(GIVEN.redis_url, name="REDIS_URL") if GIVEN.redis_url else None

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "finops",
    "ingest",
    "reports",
]
MIDDLEWARE = [
    "finops.proxies.TrustedProxies",
    "finops.cookies.SecureCookies",
    "finops.prefix.BasePath",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "reports.people.proxy.ProxyLogin",
    "reports.people.acting.Acting",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "reports.csp.ContentSecurityPolicy",
]
ROOT_URLCONF = "finops.urls"
WSGI_APPLICATION = "finops.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
STATIC_URL = f"{GIVEN.base_path}/static/"  # in full: a relative one is completed before the prefix is known
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # WhiteNoise warns where it is missing
WHITENOISE_USE_FINDERS = True
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "overview"
FORCE_SCRIPT_NAME = GIVEN.base_path or None
AUTHENTICATION_BACKENDS = ["reports.backends.People"]
ACCOUNT_ADAPTER = "reports.people.adapters.Accounts"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # no mail to whoever is named in a form
ACCOUNT_UNIQUE_EMAIL = False
ACCOUNT_RATE_LIMITS = {"login_failed": "20/5m/ip,5/5m/key"}  # wrong passwords of one address, for one account
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_REDIRECT_URL = "login"
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if any(origin.startswith("https:") for origin in CSRF_TRUSTED_ORIGINS) else "http"
PASSWORD_RESET_TIMEOUT = 3600
SOCIALACCOUNT_ADAPTER = "reports.people.adapters.Identities"
SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False  # an address that a provider tells opens no account that has a password here
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [GIVEN.openid.as_app()] if GIVEN.openid else []}}
OIDC_GROUPS_CLAIM = GIVEN.openid.groups_claim if GIVEN.openid else "groups"
TRUSTED_USER_HEADER, TRUSTED_GROUPS_HEADER = GIVEN.user_header, GIVEN.groups_header
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}
# The words of the schema stand beside what they describe; commands and the drift test read them from there.
SPECTACULAR_SETTINGS = {
    "TITLE": "GPU costs",
    "DESCRIPTION": "What GPUs on Kubernetes cost, and whom. Every address needs a log-in or a token.",
    "VERSION": "v1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": ["reports.api.described.finish"],
    "SORT_OPERATION_PARAMETERS": False,
    "ENABLE_DJANGO_DEPLOY_CHECK": False,
}

# Behind TLS once the operator names an https origin. The redirect needs a believed X-Forwarded-Proto as well: without
# one every request looks like plain HTTP and would be redirected for ever. HSTS is only ever sent over TLS.
TLS = any(origin.startswith("https:") for origin in CSRF_TRUSTED_ORIGINS)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = TLS
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = GIVEN.base_path or "/"
SECURE_SSL_REDIRECT = TLS and bool(TRUSTED_PROXIES)
SECURE_REDIRECT_EXEMPT = ["(^|/)(healthz|readyz|metrics)$"]  # asked from inside, past the proxy
SECURE_HSTS_SECONDS = 365 * 24 * 3600
# The domain is the operator's: whether its other names speak TLS, and whether browsers list it, is not ours to say.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

EMAIL_BACKEND = GIVEN.mail.backend
EMAIL_HOST, EMAIL_PORT = GIVEN.mail.host, GIVEN.mail.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = GIVEN.mail.user, GIVEN.mail.password
EMAIL_USE_TLS, EMAIL_USE_SSL = GIVEN.mail.use_tls, GIVEN.mail.use_ssl
EMAIL_FILE_PATH = GIVEN.mail.folder
EMAIL_TIMEOUT = 30
DEFAULT_FROM_EMAIL = SERVER_EMAIL = GIVEN.mail.sender

# Commands need PostgreSQL only, so they never ask the server of the cache.
COMMAND = Path(sys.argv[0]).name == "manage.py"
CACHES = {
    "default": {
        "BACKEND": "finops.cache.PatientCache",
        "LOCATION": REDIS.cache,
        "OPTIONS": {"socket_timeout": 2, "socket_connect_timeout": 2},
    }
    if REDIS and not COMMAND
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}

# Django shows errors on the console with DEBUG on only; a server's errors belong in its log.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {"django": {"handlers": [], "level": "WARNING", "propagate": True}},
}

# A killed worker's task is run again, and does no harm twice. Its time limit stays well below the visibility timeout:
# a longer task would be handed out a second time while the first still runs.
CELERY_BROKER_URL = REDIS.broker if REDIS else "memory://"
# A scrape that is missed is lost, a collection that waits is not: scrapes have a worker of their own.
CELERY_TASK_ROUTES = {"ingest.tasks.scrape*": {"queue": "scrape"}}
CELERY_TIMEZONE = "UTC"
CELERY_ENABLE_UTC = True
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = False  # it would run a task that kills its worker again without end
CELERY_TASK_RETRY_ON_WORKER_LOST = True  # at most as often as the task's own max_retries
CELERY_TASK_TIME_LIMIT = 900  # no soft limit beside it: it would be refused for tasks that set a shorter limit of their own
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 200
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 5
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,
    "socket_timeout": 30,  # above the wait for a message; without one a half-open connection waits for ever
    "socket_keepalive": True,
    "health_check_interval": 25,
    "unacked_restore_throttle": 1,
}
