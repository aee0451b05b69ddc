"""The app's own browser components (Streamlit components v2)."""
