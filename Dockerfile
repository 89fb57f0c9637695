# A release replaces this name by one with a digest, so that a pinned action is a pinned image.
ARG BASE=docker.io/library/python:3.13-slim

FROM ${BASE} AS build
WORKDIR /build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
COPY requirements/run.txt requirements/build.txt requirements/
# Wheels only: no code of a dependency runs while the image is built.
RUN python -m pip install --require-hashes --only-binary=:all: --no-compile \
        --prefix=/install --ignore-installed --requirement requirements/run.txt \
    && python -m pip install --require-hashes --only-binary=:all: --requirement requirements/build.txt
COPY LICENSE README.md pyproject.toml ./
COPY schemas schemas
COPY src src
RUN python -m pip install --no-deps --no-build-isolation --no-index --no-compile \
        --prefix=/install --ignore-installed . \
    && python -m compileall -q -s /install -p /usr/local --invalidation-mode unchecked-hash /install

FROM ${BASE}
LABEL org.opencontainers.image.title="mergebar" \
      org.opencontainers.image.description="The bar that a change to an AI agent has to clear before it merges." \
      org.opencontainers.image.licenses="MIT"
# hadolint ignore=DL3008 # the base image's release decides which git it is
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /install /usr/local
# Who runs the repository's code, with a HOME and a temporary folder that are theirs alone. The uid
# is nobody's on GitHub's runners, whose files this user must not be able to change.
RUN groupadd --gid 10001 mergebar \
    && useradd --uid 10001 --gid 10001 --create-home --shell /usr/sbin/nologin mergebar \
    && install --directory --mode 0700 --owner 10001 --group 10001 /home/mergebar/tmp \
    && printf '[safe]\n\tdirectory = *\n' > /home/mergebar/.gitconfig
ENV MERGEBAR_CONTAINER=/home/mergebar
COPY entrypoint /entrypoint
# The runner needs root and its own working directory, so neither USER nor WORKDIR is set. No shell
# stands between it and Python: one would drop the inputs that have a hyphen. `-I` keeps what is
# checked out from being imported.
ENTRYPOINT ["/usr/local/bin/python", "-I", "/entrypoint"]
