/**
 * Imitates the entry point of the `nginx` image for a server without its own root file system: writes a configuration, then
 * becomes the server. Run by `/bin/sh`.
 *
 * The script tests with the server itself whether port 80 is allowed, because that depends on the user, the system's settings and
 * the program's file. The access log goes through a pipe, because a container's output cannot be opened by path.
 */
export const nginxEntrypoint = `set -eu
[ "\${1:-}" = nginx ] || exec "$@"
shift

temporary=$KUBEWRIGHT_TEMPORARY
mkdir -p "$temporary"
if [ ! -d "$KUBEWRIGHT_HTML" ]; then
  mkdir -p "$KUBEWRIGHT_HTML"
  echo '<!DOCTYPE html><html><head><title>Welcome to nginx!</title></head><body><h1>Welcome to nginx!</h1></body></html>' > "$KUBEWRIGHT_HTML/index.html"
fi
# Only root can choose the workers' user, and only then do the container's folders belong to root.
user=
if [ "$(id -u)" = 0 ]; then user='user root;'; fi

configure() {
  cat > "$KUBEWRIGHT_RUN/nginx.conf" <<END
$user
worker_processes 1;
pid "$KUBEWRIGHT_RUN/nginx.pid";
error_log stderr notice;
events { worker_connections 256; }
http {
  access_log $2;
  types {
    text/html html htm; text/css css; text/plain txt; text/xml xml; application/javascript js mjs;
    application/json json; image/svg+xml svg; image/png png; image/jpeg jpg jpeg; image/gif gif; image/x-icon ico;
  }
  default_type application/octet-stream;
  sendfile on;
  client_body_temp_path "$temporary/client";
  proxy_temp_path "$temporary/proxy";
  fastcgi_temp_path "$temporary/fastcgi";
  uwsgi_temp_path "$temporary/uwsgi";
  scgi_temp_path "$temporary/scgi";
  server {
    listen $KUBEWRIGHT_LISTEN:$1;
    root "$KUBEWRIGHT_HTML";
    index index.html index.htm;
  }
}
END
}

port=80
configure 80 off
if ! nginx -t -q -e stderr -p "$KUBEWRIGHT_RUN" -c "$KUBEWRIGHT_RUN/nginx.conf" 2> "$KUBEWRIGHT_RUN/refused"; then
  # The server below reports all other errors.
  if grep -q 'Permission denied' "$KUBEWRIGHT_RUN/refused"; then
    port=8080
    echo '[kubewright] nginx: permission denied for port 80; using 8080 instead' >&2
  fi
fi
rm -f "$KUBEWRIGHT_RUN/refused" "$KUBEWRIGHT_RUN/requests"
mkfifo "$KUBEWRIGHT_RUN/requests"
cat "$KUBEWRIGHT_RUN/requests" &
configure "$port" "\\"$KUBEWRIGHT_RUN/requests\\""
echo "listening on $KUBEWRIGHT_LISTEN:$port"
exec nginx -e stderr -p "$KUBEWRIGHT_RUN" -c "$KUBEWRIGHT_RUN/nginx.conf" "$@"
`;
