"""The version, as the first heading of CHANGELOG.md names it."""

VERSION = "unreleased"
