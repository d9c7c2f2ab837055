#!/bin/sh
# What the tests need beside Python: a real Prometheus and a real browser. As root on Debian or Ubuntu they are installed, and
# no service is left running; elsewhere, and with SYSTEM_PACKAGES=no, the tests that need them skip.
set -eu

missing=""
for pair in prometheus:prometheus promtool:prometheus chromium:chromium chromedriver:chromium-driver; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || case " $missing " in
        *" ${pair#*:} "*) ;;
        *) missing="$missing ${pair#*:}" ;;
    esac
done
missing=${missing# }
[ -n "$missing" ] || exit 0

skipped() {
    case " $missing " in *" prometheus "*) echo "skipping the tests that need a real Prometheus" ;; esac
    case " $missing " in *" chromium"*) echo "skipping the tests that need a real browser" ;; esac
    echo "this brings what is missing: $1"
}

# shellcheck disable=SC1091
family=$(. /etc/os-release 2>/dev/null && echo "${ID:-} ${ID_LIKE:-}") || family=""
case " $family " in
    *" debian "* | *" ubuntu "*) ;;
    *)
        skipped "install prometheus with promtool, chromium with chromedriver, so that they are found on the PATH"
        exit 0
        ;;
esac
if [ "$(id -u)" != 0 ] || [ "${SYSTEM_PACKAGES:-yes}" = no ]; then
    skipped "sudo apt-get install --no-install-recommends $missing"
    exit 0
fi

echo "installing for the tests: $missing (SYSTEM_PACKAGES=no forbids it)"
# A policy-rc.d that answers 101 keeps packages from starting their services. One that is there already is left as it is.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    trap 'exit 1' INT TERM HUP
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi
# shellcheck disable=SC2086  # names of packages, split on purpose
if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null; }; then
    skipped "apt-get install --no-install-recommends $missing"
    exit 0
fi
# They are for the tests alone: not at the next boot either.
if [ -d /run/systemd/system ]; then
    for service in prometheus prometheus-node-exporter; do
        systemctl disable --now "$service" >/dev/null 2>&1 || true
    done
fi
