"""The table of rules, in order: what stands first is the root of what stands after it."""

from tfcore.rules import access, driver, gpu, installation, libraries, outcome

RULES = (
    *installation.RULES,
    *access.OUTSIDE,
    *driver.RULES,
    *access.NO_DEVICE,
    *libraries.RULES,
    *gpu.RULES,
    *outcome.RULES,
)
CANNOT_TELL = outcome.CANNOT_TELL
