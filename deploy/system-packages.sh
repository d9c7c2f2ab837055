#!/bin/sh
# What the tests need beside Python: Prometheus. As root on Debian or Ubuntu it is installed, elsewhere its tests skip.
command -v prometheus >/dev/null && command -v promtool >/dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && [ "${SYSTEM_PACKAGES:-yes}" != no ]; then
    echo "installing prometheus for the tests; SYSTEM_PACKAGES=no forbids it"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends prometheus >/dev/null
else
    echo "skipping the tests that need a real Prometheus; apt-get install prometheus brings them"
fi
