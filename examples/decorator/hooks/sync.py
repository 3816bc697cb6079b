"""The hooks of service-per-pod.ts in Python. Run it with `python3 hooks/sync.py 8000`; port 0 takes a free one and prints it."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def sync(target):
    metadata = target["metadata"]
    port = int(metadata["annotations"]["service-per-pod.example.com/port"])
    replicas = target["spec"].get("replicas", 1)
    return {
        "annotations": {"service-per-pod.example.com/services": str(replicas)},
        "attachments": [service_for(f"{metadata['name']}-{index}", port) for index in range(replicas)],
    }


def finalize(attachments):
    return {"attachments": [], "finalized": not attachments.get("Service.v1")}


def service_for(pod, port):
    selector = {"statefulset.kubernetes.io/pod-name": pod}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": pod},
        "spec": {"selector": selector, "ports": [{"port": port}]},
    }


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        wanted = finalize(request["attachments"]) if request["finalizing"] else sync(request["object"])
        body = json.dumps(wanted).encode()
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
