"""The version of the program, recorded with every result."""

VERSION = "1.1.0"
