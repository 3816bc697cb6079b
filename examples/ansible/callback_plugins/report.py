DOCUMENTATION = """
name: report
type: stdout
short_description: prints the outcome of a playbook as one JSON object
description: >-
  Counts of tasks, a message for each one that failed without a rescue and each unreachable host, and the objects in the statistic
  `children`, which is null if no task has set it.
"""

import json

from ansible.plugins.callback import CallbackBase


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "report"

    def __init__(self):
        super().__init__()
        self._messages = {}

    def v2_runner_on_failed(self, result, ignore_errors=False):
        if not ignore_errors:
            self._note(result)

    def v2_runner_on_unreachable(self, result):
        self._note(result)

    def v2_playbook_on_stats(self, stats):
        hosts = {host: stats.summarize(host) for host in stats.processed}
        names = ("ok", "changed", "skipped", "failures", "unreachable")
        counts = {name: sum(host[name] for host in hosts.values()) for name in names}
        messages = []
        for host, said in self._messages.items():
            # A host stops after a failure that is not rescued, so those before were rescued.
            rescued = len(said) - hosts[host]["failures"] - hosts[host]["unreachable"]
            messages += said[max(rescued, 0) :]
        children = stats.custom.get("_run", {}).get("children")
        print(json.dumps({**counts, "messages": messages, "children": children}))

    def _note(self, result):
        said = result._result
        parts = [said.get("msg"), said.get("stderr")]
        message = f"{result._task.get_name()}: " + ": ".join(str(part) for part in parts if part)
        self._messages.setdefault(result._host.get_name(), []).append(message)
