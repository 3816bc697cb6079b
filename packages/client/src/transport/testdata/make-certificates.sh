#!/bin/sh
# Makes certificates.json of the transport tests: sh make-certificates.sh (needs openssl and node).
# An authority, a server for localhost, 127.0.0.1, ::1 and db.test, and two client certificates; good for 100 years.
set -eu
out=$(cd "$(dirname "$0")" && pwd)/certificates.json
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key" 2>/dev/null; }
issue() { # name, subject, extensions
  key "$1"
  openssl req -new -key "$1.key" -subj "$2" -out "$1.csr"
  printf '%s\n' "$3" > "$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 36500 -extfile "$1.ext" -out "$1.crt" 2>/dev/null
}
key ca
openssl req -x509 -new -key ca.key -subj '/CN=transport test authority' -days 36500 -out ca.crt
issue server '/CN=localhost' 'subjectAltName=DNS:localhost,DNS:db.test,IP:127.0.0.1,IP:::1'
issue client '/O=devs/CN=jane' 'extendedKeyUsage=clientAuth'
issue renewed '/O=devs/CN=jane-renewed' 'extendedKeyUsage=clientAuth'
node -e '
const read = (f) => require("node:fs").readFileSync(f, "utf8");
const pair = (n) => ({ cert: read(`${n}.crt`), key: read(`${n}.key`) });
console.log(JSON.stringify({ ca: read("ca.crt"), server: pair("server"), client: pair("client"), renewed: pair("renewed") }, undefined, 2));
' > "$out"
