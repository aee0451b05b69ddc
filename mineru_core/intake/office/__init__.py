"""Office files in: decks, workbooks and texts become pages that are drawn here, with the data they store."""

from mineru_core.intake.office.file import OfficeFile, office_fingerprint, open_office

__all__ = ["OfficeFile", "office_fingerprint", "open_office"]
