/**
 * The Dockerfile for `dist/`. The base image is distroless: it has no shell and no package manager. The numeric user 65532 lets
 * `runAsNonRoot` verify that the user is not root. Nothing is written at run time, so the root file system can be read-only.
 * The bundle runs on every architecture, so `docker buildx build --platform linux/amd64,linux/arm64` needs no emulation.
 */
export const dockerfile: string = `FROM gcr.io/distroless/nodejs22-debian12:nonroot
WORKDIR /app
COPY main.mjs main.mjs.map ./
USER 65532:65532
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps
ENTRYPOINT ["/nodejs/bin/node", "/app/main.mjs"]
`;
