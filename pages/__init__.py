"""The pages of the dashboard, one thin script each."""
