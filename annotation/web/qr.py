"""QR codes for inside a page."""

import segno
from django.utils.safestring import SafeString, mark_safe


def qr_code(text: str) -> SafeString:
    """`text` as a QR code: SVG for inside a page, black on white in every colour scheme."""
    drawn = segno.make(text, error="m").svg_inline(
        dark="#000", light="#fff", svgclass="qr", lineclass=None, omitsize=True, title="QR code"
    )
    return mark_safe(drawn)  # noqa: S308 - numbers and colours; the text is in the dots alone
