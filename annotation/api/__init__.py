"""The API: everything that the pages do, for programs. See docs/api.md.

A view finds its object under the same permissions as a page, calls one query or operation, and
answers with what that returned. Every error is a problem of RFC 9457.
"""
