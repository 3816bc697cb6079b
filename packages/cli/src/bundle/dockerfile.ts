/**
 * How an image is built of `dist/`: distroless, so there is no shell and no package manager in it; as the user 65532, so that
 * `runAsNonRoot` can tell; nothing is written, so the root may be read-only. The one file that is copied runs on every
 * architecture, so `docker buildx build --platform linux/amd64,linux/arm64` has nothing to emulate.
 */
export const dockerfile: string = `FROM gcr.io/distroless/nodejs22-debian12:nonroot
WORKDIR /app
COPY main.mjs main.mjs.map ./
USER 65532:65532
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps
ENTRYPOINT ["/nodejs/bin/node", "/app/main.mjs"]
`;
