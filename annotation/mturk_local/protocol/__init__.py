"""What goes over the wire: signatures, the model of the API, pages of long lists."""
