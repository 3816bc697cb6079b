# The image of a pooler: PgBouncer, with the program that reloads its settings as the entry point. In this folder:
#
#   node build-programs.mjs
#   docker build -f pooler.Dockerfile -t postgres-pooler .
#
# The operator's POOLER_IMAGE names it.
FROM node:22-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends pgbouncer && rm -rf /var/lib/apt/lists/*
COPY dist/pooler /opt/pooler
# By number, so that runAsNonRoot can verify it.
USER 1000:1000
WORKDIR /
ENV NODE_ENV=production
ENTRYPOINT ["/usr/local/bin/node", "--enable-source-maps", "/opt/pooler/main.mjs"]
