"""Chinese to English."""
