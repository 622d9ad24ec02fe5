# Two images (docs/containers.md):
#
#   docker build --target app -t deskgym-app .   what agents reach: the applications, and nothing that decides
#   docker build --target gym -t deskgym-gym .   everything, with a Chromium
#
# Both run as a user of their own in the group `episodes`, and write nowhere but in volumes and /tmp.
ARG PYTHON=3.13

FROM python:${PYTHON}-slim-trixie AS python
ENV LANG=C.UTF-8 TZ=UTC PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PATH=/opt/venv/bin:$PATH
# The folder of episodes is shared by two users of one group: control makes what is in it, workers write into stores.
RUN groupadd --gid 10000 episodes \
    && useradd --uid 10001 --gid episodes --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin app \
    && useradd --uid 10002 --gid episodes --home-dir /state --shell /usr/sbin/nologin control \
    && install -d -o control -g episodes -m 2750 /episodes

# --- Packages -----------------------------------------------------------------------------------------------

FROM python AS packages
RUN python -m venv /opt/venv && pip install --no-cache-dir "pip>=25.1"
WORKDIR /build
COPY pyproject.toml ./

FROM packages AS app-packages
RUN pip install --no-cache-dir --group app

FROM packages AS gym-packages
COPY README.md LICENSE ./
COPY apps apps
COPY seeds seeds
COPY graders graders
COPY agents_api agents_api
RUN pip install --no-cache-dir .

# --- The agent plane ----------------------------------------------------------------------------------------

FROM python AS app
COPY --from=app-packages /opt/venv /opt/venv
COPY apps /opt/deskgym/apps
ENV PYTHONPATH=/opt/deskgym/apps
RUN python -m compileall -q /opt/deskgym/apps
USER 10001:10000
WORKDIR /
VOLUME /episodes
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=6s --start-period=20s --retries=3 \
    CMD ["python", "-m", "deskgym_apps.health", "http://127.0.0.1:8000/healthz"]
STOPSIGNAL SIGTERM
CMD ["python", "-m", "deskgym_apps.server", "--root", "/episodes", "--host", "0.0.0.0", "--port", "8000"]

# --- Everything ---------------------------------------------------------------------------------------------

FROM python AS gym
RUN apt-get update \
    && apt-get install -y --no-install-recommends chromium-headless-shell \
    && rm -rf /var/lib/apt/lists/*
COPY --from=gym-packages /opt/venv /opt/venv
RUN install -d -o control -g episodes -m 0700 /state
ENV HOME=/state DESKGYM_CACHE=/state/worlds
USER 10002:10000
WORKDIR /state
VOLUME ["/episodes", "/state"]
EXPOSE 8000 8001
HEALTHCHECK --interval=10s --timeout=6s --start-period=90s --retries=3 \
    CMD ["python", "-m", "deskgym_apps.health", "http://127.0.0.1:8001/readyz"]
STOPSIGNAL SIGTERM
CMD ["deskgym", "serve", "--json", "--root", "/episodes", "--folder", "/state", \
     "--host", "0.0.0.0", "--control-host", "0.0.0.0"]
