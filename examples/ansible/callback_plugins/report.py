DOCUMENTATION = """
name: report
type: stdout
short_description: prints the outcome of a playbook as one JSON object
description: Counts of tasks, a message for each failed one, and the objects in the statistic `children`.
"""

import json

from ansible.plugins.callback import CallbackBase


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "report"

    def __init__(self):
        super().__init__()
        self._messages = []

    def v2_runner_on_failed(self, result, ignore_errors=False):
        if not ignore_errors:
            said = result._result
            parts = [said.get("msg"), said.get("stderr")]
            self._messages.append(f"{result._task.get_name()}: " + ": ".join(str(part) for part in parts if part))

    def v2_playbook_on_stats(self, stats):
        total = stats.summarize("localhost")
        counts = {name: total[name] for name in ("ok", "changed", "skipped", "failures")}
        children = stats.custom.get("_run", {}).get("children", [])
        print(json.dumps({**counts, "messages": self._messages, "children": children}))
