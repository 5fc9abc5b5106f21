# JupyterLab with the workbench, warm:
#   docker build --tag lakehouse-workbench .
#   docker run --rm --publish 127.0.0.1:8888:8888 lakehouse-workbench
FROM python:3.13-slim-bookworm

# What pip cannot bring: Java for Spark, and dot for state graphs; any version of this Debian does.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends openjdk-17-jre-headless graphviz \
    && rm -rf /var/lib/apt/lists/*

COPY . /source
RUN python -m pip install --no-cache-dir '/source[all]' && rm -rf /source

RUN useradd --create-home --uid 1000 reader
USER 1000
ENV HOME=/home/reader
WORKDIR /home/reader

# Kernels are compiled once, as the user who runs them: Numba keeps them in that home.
RUN python -m workbench.checking.warm && workbench notebooks notebooks

EXPOSE 8888
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--no-browser", "notebooks"]
