"""The browser app: the only importer of streamlit."""
