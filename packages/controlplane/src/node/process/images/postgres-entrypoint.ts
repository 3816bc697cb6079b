/**
 * Imitates the entry point of the `postgres` image for a server without its own root file system: prepares the data
 * directory once, then becomes the server. Run by `/bin/sh`. Unlike in the image, TCP connections always need the
 * password: the image trusts 127.0.0.1, which all pods on this machine share. The server listens only on the pod's
 * address, and sockets are in a short temporary path.
 */
export const postgresEntrypoint = `set -eu
case "\${1:-postgres}" in -*) set -- postgres "$@" ;; esac
[ "$1" = postgres ] || exec "$@"

user=\${POSTGRES_USER:-postgres}
database=\${POSTGRES_DB:-$user}
method=\${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}

file_env() {
  eval "value=\\\${$1:-} file=\\\${$1_FILE:-}"
  if [ -n "$value" ] && [ -n "$file" ]; then echo "error: both $1 and $1_FILE are set (but are exclusive)" >&2; exit 1; fi
  if [ -n "$file" ]; then value=$(cat "$file"); fi
}

initialize() {
  file_env POSTGRES_PASSWORD
  if [ -z "$value" ] && [ "$method" != trust ]; then
    echo 'Error: Database is uninitialized and superuser password is not specified.' >&2
    echo '       Set POSTGRES_PASSWORD to a non-empty value, or POSTGRES_HOST_AUTH_METHOD=trust to allow all connections without a password.' >&2
    exit 1
  fi
  umask 077
  mkdir -p "$PGDATA"
  if [ -n "$value" ]; then
    printf '%s\\n' "$value" > "$KUBEWRIGHT_SOCKETS/pw"
    set -- --pwfile="$KUBEWRIGHT_SOCKETS/pw"
  else
    set --
  fi
  # shellcheck disable=SC2086 -- the variables hold several words
  \${KUBEWRIGHT_AS_KNOWN_USER:-} initdb --pgdata="$PGDATA" --username="$user" --encoding=UTF8 --locale=C --auth-local=trust --auth-host=scram-sha-256 "$@" \${POSTGRES_INITDB_ARGS:-} || { rm -f "$KUBEWRIGHT_SOCKETS/pw"; exit 1; }
  rm -f "$KUBEWRIGHT_SOCKETS/pw"
  printf '\\nhost all all all %s\\n' "$method" >> "$PGDATA/pg_hba.conf"
  if [ "$database" != postgres ]; then
    printf 'CREATE DATABASE "%s";\\n' "$(printf %s "$database" | sed 's/"/""/g')" | \${KUBEWRIGHT_AS_KNOWN_USER:-} postgres --single -D "$PGDATA" postgres > /dev/null
  fi
  run_scripts
}

run_scripts() {
  [ -d "$KUBEWRIGHT_INITDB_SCRIPTS" ] || return 0
  for script in "$KUBEWRIGHT_INITDB_SCRIPTS"/*; do
    case "$script" in
      *.sh) echo "running $script"; . "$script" ;;
      *.sql) echo "running $script"; \${KUBEWRIGHT_AS_KNOWN_USER:-} postgres --single -j -D "$PGDATA" "$database" < "$script" > /dev/null ;;
    esac
  done
}

if [ -s "$PGDATA/PG_VERSION" ]; then
  echo 'PostgreSQL Database directory appears to contain a database; Skipping initialization'
else
  initialize
  echo 'PostgreSQL init process complete; ready for start up.'
fi
rm -f "$PGDATA/postmaster.pid"
shift
exec postgres -D "$PGDATA" -c listen_addresses="$KUBEWRIGHT_LISTEN" -c unix_socket_directories="$KUBEWRIGHT_SOCKETS" -c port="\${PGPORT:-5432}" "$@"
`;
