"""Language models that are asked about queries, over the HTTP of `/v1/chat/completions`."""
