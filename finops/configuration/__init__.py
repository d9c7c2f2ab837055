"""The configuration file: text in, typed values or every error at once. Pure."""
