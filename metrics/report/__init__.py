"""The report of a study: tables and figures ready for a paper, and one page that shows them."""

from metrics.report.build import Options, Report, build_report, requests_for_report
from metrics.report.folder import report_files, write_report

__all__ = [
    "Options",
    "Report",
    "build_report",
    "report_files",
    "requests_for_report",
    "write_report",
]
