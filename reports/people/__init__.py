"""How people log in, and what their identity provider says of them."""
