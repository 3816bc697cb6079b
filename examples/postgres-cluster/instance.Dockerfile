# The image of an instance: PostgreSQL, with the instance manager as the entry point. In this folder:
#
#   node build-programs.mjs
#   docker build -f instance.Dockerfile --build-arg POSTGRES=15 -t postgres-instance:15 .
#
# The tag is the major version, which the operator appends to INSTANCE_IMAGE.
ARG POSTGRES=15
FROM node:22-bookworm-slim AS node

FROM postgres:${POSTGRES}-bookworm
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY dist/instance /opt/instance
# Only PostgreSQL's user may reach the socket: it needs no password there.
RUN install -d -o postgres -g postgres -m 700 /run/postgres-instance
# By number, so that runAsNonRoot can verify it.
USER 999:999
WORKDIR /
ENV PGHOST=/run/postgres-instance NODE_ENV=production
ENTRYPOINT ["/usr/local/bin/node", "--enable-source-maps", "/opt/instance/main.mjs"]
