"""The base of every noun: access, the audit log, money, the queue of tasks."""
