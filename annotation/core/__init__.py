"""What every noun stands on: access, the audit log, money, the queue of tasks."""
