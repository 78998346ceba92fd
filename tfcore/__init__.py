"""Everything behind the pages: settings, processes, tasks and what they measured."""
