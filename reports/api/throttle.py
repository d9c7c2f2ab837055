"""How often one person may ask, by what the address is for. Counted in the cache; while that is away nothing is."""

from rest_framework.throttling import SimpleRateThrottle

RATES = {"read": "600/min", "export": "30/min", "metrics": "120/min", "admin": "60/min"}


class ByScope(SimpleRateThrottle):
    """A person's scripts and pages count together, each scope by itself."""

    rate = "600/min"

    def allow_request(self, request, view) -> bool:
        self.scope = next((each.scope for each in view.permission_classes if hasattr(each, "scope")), "read")
        self.num_requests, self.duration = self.parse_rate(RATES[self.scope])
        return super().allow_request(request, view)

    def get_cache_key(self, request, view) -> str:
        return f"throttle-{self.scope}-{request.user.pk}"
