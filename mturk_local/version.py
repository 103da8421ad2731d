"""The version of the crowd service, which has releases of its own."""

VERSION = "1.1.0"
