"""The table of rules, in order: what stands first is the root of what stands after it."""

from tfcore.rules import driver, gpu, installation, libraries, outcome

RULES = (*installation.RULES, *driver.RULES, *libraries.RULES, *gpu.RULES, *outcome.RULES)
CANNOT_TELL = outcome.CANNOT_TELL
