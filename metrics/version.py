"""The version of the program, recorded with every result."""

VERSION = "0.1.0"
