DOCUMENTATION = """
name: report
type: stdout
short_description: prints the outcome of a playbook as one JSON object
description: Counts of tasks, a message for each failed one and each unreachable host, and the objects in the statistic `children`.
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
            self._note(result)

    def v2_runner_on_unreachable(self, result):
        self._note(result)

    def v2_playbook_on_stats(self, stats):
        hosts = [stats.summarize(host) for host in stats.processed]
        names = ("ok", "changed", "skipped", "failures", "unreachable")
        counts = {name: sum(host[name] for host in hosts) for name in names}
        children = stats.custom.get("_run", {}).get("children", [])
        print(json.dumps({**counts, "messages": self._messages, "children": children}))

    def _note(self, result):
        said = result._result
        parts = [said.get("msg"), said.get("stderr")]
        self._messages.append(f"{result._task.get_name()}: " + ": ".join(str(part) for part in parts if part))
