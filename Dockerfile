# The image of controller and agent, and of HAProxy: Node, HAProxy of one line, and the bundled program; no packages, no package manager.
# NODE_IMAGE      any glibc image with node >= 24 in /usr/local/bin and npm: for the build, and for its node
# HAPROXY_IMAGE   a Debian image with haproxy on PATH: gives HAProxy and all shared libraries
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
ARG HAPROXY_IMAGE=docker.io/library/haproxy:3.4-bookworm

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
COPY tsconfig.json ./
COPY scripts scripts
COPY charts/haptic charts/haptic
COPY src src
RUN node scripts/build.ts /out \
 && find /out -name '*.map' -delete \
 && npm sbom --package-lock-only --omit dev --omit optional --sbom-format cyclonedx >/out/sbom.cdx.json \
 && sed -i '1s|.*|#!/usr/local/bin/node --max-semi-space-size=8|' /out/haptic.js

# What the final image holds, below /image: programs at their paths, and the libraries that the loader finds for them here.
FROM ${HAPROXY_IMAGE} AS root
USER root
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /out /image/opt/haptic
# Hooks of pods need a shell and sleep; cat and ls are for whoever looks into one.
RUN set -eu; \
    haproxy=$(readlink -f "$(command -v haproxy)"); \
    shell=$(readlink -f /bin/sh); \
    programs="/usr/local/bin/node $haproxy $shell $(command -v sleep) $(command -v cat) $(command -v ls)"; \
    mkdir -p /image/usr/local/bin /image/usr/local/sbin /image/bin /image/etc/ssl/certs /image/etc/haproxy /image/tmp; \
    for program in $programs; do \
      mkdir -p "/image$(dirname "$program")"; cp -L "$program" "/image$program"; \
      ldd "$program" | tr -s ' \t' '\n' | grep '^/' | sort -u | while read -r library; do \
        [ -e "$library" ] || continue; \
        mkdir -p "/image$(dirname "$library")"; [ -e "/image$library" ] || cp -L "$library" "/image$library"; \
      done; \
    done; \
    [ -e /image/bin/sh ] || ln -s "$shell" /image/bin/sh; \
    [ -e /image/usr/local/bin/haproxy ] || ln -s "$haproxy" /image/usr/local/bin/haproxy; \
    ln -s /opt/haptic/haptic.js /image/usr/local/bin/haptic; \
    if [ -e /etc/ssl/certs/ca-certificates.crt ]; then cp -L /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/; fi; \
    echo 'haptic:x:65532:65532:haptic:/:/sbin/nologin' >/image/etc/passwd; \
    echo 'haptic:x:65532:' >/image/etc/group; \
    chown 65532:65532 /image/etc/haproxy; chmod 1777 /image/tmp; \
    chroot /image /usr/local/bin/haproxy -v; \
    chroot /image /usr/local/bin/haptic version

FROM scratch
LABEL org.opencontainers.image.title="haptic" \
      org.opencontainers.image.description="A template-driven, reactive ingress controller for HAProxy on Kubernetes" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=root /image /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    NODE_ENV=production
USER 65532:65532
WORKDIR /etc/haproxy
STOPSIGNAL SIGTERM
ENTRYPOINT ["haptic"]
