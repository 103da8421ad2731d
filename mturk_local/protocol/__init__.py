"""The protocol: signatures, the model of the API, pages of long lists."""
