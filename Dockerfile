# `docker build .` takes the newest 3.13; a release resolves this name to a digest, and builds with
# `--build-arg BASE=<name>@sha256:<digest>`, so that an image can be built again from the same base.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
# hadolint ignore=DL3008 # the base image's release decides which git it is
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
# The program that all of git's commands are in, without Perl and what speaks to servers: a tenth of
# the package. What stands in `status.d` tells scanners its version, and apt may still install git.
WORKDIR /git
RUN install -D --target-directory usr/bin /usr/bin/git \
    && for name in git-receive-pack git-upload-archive git-upload-pack; do ln -s git usr/bin/$name; done \
    && cp --archive --parents /usr/share/git-core/templates /usr/share/doc/git/copyright . \
    && mkdir -p var/lib/dpkg/status.d \
    && dpkg-query --status git > var/lib/dpkg/status.d/git
WORKDIR /build
# Where packages come from, if not from where pip looks by itself: a file that is mounted for the
# time of the build, so that neither an address nor a key of it gets into a layer.
ARG PIP_CONFIG_FILE
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
COPY requirements/run.txt requirements/build.txt requirements/
# Wheels only: no code of a dependency runs while the image is built. Their tests and the commands
# that they bring aren't needed.
RUN python -m pip install --require-hashes --only-binary=:all: --no-compile \
        --prefix=/dependencies --ignore-installed --requirement requirements/run.txt \
    && find /dependencies -type d '(' -name tests -o -name _tests ')' -prune -exec rm -r {} + \
    && rm -rf /dependencies/bin \
    && python -m compileall -q -s /dependencies -p /usr/local \
        --invalidation-mode unchecked-hash /dependencies
RUN python -m pip install --require-hashes --only-binary=:all: --requirement requirements/build.txt
COPY LICENSE README.md pyproject.toml ./
COPY schemas schemas
COPY src src
RUN python -m pip install --no-deps --no-build-isolation --no-index --no-compile \
        --prefix=/program --ignore-installed . \
    && find /program -name direct_url.json -delete \
    && python -m compileall -q -s /program -p /usr/local \
        --invalidation-mode unchecked-hash /program

FROM ${BASE}
LABEL org.opencontainers.image.title="mergebar" \
      org.opencontainers.image.description="The bar that a change to an AI agent has to clear before it merges." \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /git /
# The official images leave the standard library uncompiled, and a container that is new each time
# would compile what it imports each time.
RUN git --version \
    && python -m compileall -q --invalidation-mode unchecked-hash \
        -x '/(site-packages|test|idlelib|tkinter|turtledemo|ensurepip|lib2to3|pydoc_data)/' \
        "$(python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')"
# Who runs the repository's code, with a HOME and a temporary folder that are theirs alone. The uid
# is nobody's on GitHub's runners, whose files this user must not be able to change. No program
# makes anybody somebody else.
RUN groupadd --gid 10001 mergebar \
    && useradd --uid 10001 --gid 10001 --create-home --shell /usr/sbin/nologin mergebar \
    && install --directory --mode 0700 --owner 10001 --group 10001 /home/mergebar/tmp \
    && printf '[safe]\n\tdirectory = *\n' > /home/mergebar/.gitconfig \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} +
ENV MERGEBAR_CONTAINER=/home/mergebar
COPY --from=build /dependencies /usr/local
COPY --from=build /program /usr/local
COPY entrypoint /entrypoint
# What a release knows of itself, and a build of one's own need not say.
ARG VERSION=""
ARG REVISION=""
ARG SOURCE=""
LABEL org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}"
# The runner needs root and its own working directory, so neither USER nor WORKDIR is set. No shell
# stands between it and Python: one would drop the inputs that have a hyphen. `-I` keeps what is
# checked out from being imported.
ENTRYPOINT ["/usr/local/bin/python", "-I", "/entrypoint"]
