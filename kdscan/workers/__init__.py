"""Processes that read photos, with limits of memory and time, replaced when they die."""
