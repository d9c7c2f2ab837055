"""Which pods run where in a week: one module per kind of story, each a pure function of the week."""
