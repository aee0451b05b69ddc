"""Documents in: bytes, a path or a picture become pages of RGB pixels, within the limits of the settings."""

from mineru_core.intake.document import Document, Source, Upload, decoding_of, open_document, open_upload, read_upload
from mineru_core.intake.sniffing import EDGE, JPEG, PDF, PICTURES, PNG, sniff, sniff_file

__all__ = [
    "EDGE",
    "JPEG",
    "PDF",
    "PICTURES",
    "PNG",
    "Document",
    "Source",
    "Upload",
    "decoding_of",
    "open_document",
    "open_upload",
    "read_upload",
    "sniff",
    "sniff_file",
]
