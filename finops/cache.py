"""The cache counts attempts and requests; while its server is away nothing is counted, and everything else goes on."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

LOG = logging.getLogger(__name__)


def _patient(method: Callable[..., Any], otherwise: object) -> Callable[..., Any]:
    @wraps(method)
    def asked(self: RedisCache, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except RedisError as error:
            LOG.warning("the cache does not answer, so attempts are not counted: %s", type(error).__name__)
            return kwargs.get("default", args[1] if len(args) > 1 else None) if method.__name__ == "get" else otherwise

    return asked


class PatientCache(RedisCache):
    """Django's own, save that a server that is away looks like an empty cache that takes everything."""

    get = _patient(RedisCache.get, None)
    get_many = _patient(RedisCache.get_many, {})
    add = _patient(RedisCache.add, True)
    set = _patient(RedisCache.set, None)
    delete = _patient(RedisCache.delete, False)
    incr = _patient(RedisCache.incr, 1)
