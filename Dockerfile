# Image of svc: `docker build -t svc .`, then `docker run --rm svc --help`.
# Profiles, jobs, and the data of the embedded service are stored in the volume /data.
#   docker run --rm -v svc-data:/data svc users add --local --org acme --user ada
#   docker run --rm -v svc-data:/data -p 8080:8080 svc serve --host 0.0.0.0 --port 8080
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build:package && cd dist && npm pack --pack-destination /

FROM node:24.21.0-bookworm-slim
COPY --from=build /collab-svc-svc-*.tgz /tmp/svc.tgz
# Omits the keychain bridge, because containers have no keychain.
RUN npm install --global --ignore-scripts --omit=optional --cache /tmp/npm /tmp/svc.tgz \
    && rm -rf /tmp/svc.tgz /tmp/npm \
    && install --directory --owner node --group node --mode 0700 /data
ENV XDG_CONFIG_HOME=/data/config XDG_STATE_HOME=/data/state XDG_DATA_HOME=/data/data XDG_CACHE_HOME=/tmp
USER node
WORKDIR /work
VOLUME /data
# For `svc serve --host 0.0.0.0 --port 8080`.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["svc"]
CMD ["--help"]
