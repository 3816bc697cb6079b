"""The hook of say-hello.ts in Python. Run it with `python3 hooks/sync.py 8000`; port 0 takes a free one and prints it."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def sync(parent, children):
    pods = children.get("Pod.v1", {}).values()
    greeted = sum(pod.get("status", {}).get("phase") == "Succeeded" for pod in pods)
    name = parent["metadata"]["name"]
    return {
        "status": {"greeted": greeted},
        "children": [pod_for(f"{name}-{who}", f"Hello, {who}!") for who in parent["spec"]["who"]],
    }


def finalize(parent, children):
    # The names in `who` have no dots, so no other pod has this name.
    name = f"{parent['metadata']['name']}.goodbye"
    pod = children.get("Pod.v1", {}).get(name, {})
    done = pod.get("status", {}).get("phase") == "Succeeded"
    return {"children": [pod_for(name, "Goodbye!")], "finalized": done}


def pod_for(name, words):
    container = {"name": "hello", "image": "busybox", "command": ["echo", words]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"restartPolicy": "OnFailure", "containers": [container]},
    }


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        hook = finalize if request.get("finalizing") else sync
        body = json.dumps(hook(request["parent"], request["children"])).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
