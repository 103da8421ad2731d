"""Reading and writing files, wherever they are stored; logs without secrets."""
