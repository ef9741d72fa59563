#!/usr/bin/env bash
# The robot against the clock with a controller in another process:
#
#   examples/hil/run.sh [BUILD] [shared-memory|udp]      BUILD: the folder of the build (build/release)
#
# The controller plans a motion of all six joints and corrects it by what it measures; see controller.cpp. Printed are the step times and
# missed deadlines of the robot and the tracking error of the controller. Results go to results/hil.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/release}
transport=${2:-shared-memory}
rubato=${RUBATO:-$build/apps/rubato/rubato}
controller=${CONTROLLER:-$build/examples/hil/rubato_hil_controller}
results=${RESULTS:-results/hil}
plan=$results/plan.toml

# hold: the robot starts at rest, and stays there until the controller speaks (--first-inputs 0). --whole: no search; sparse plans serve as well.
mkdir -p "$results"
"$rubato" realtime analyse examples/robot.toml --set hold=1 --step 1ms --whole -o "$plan" >"$results/report.txt"

case $transport in
  shared-memory) at_robot=(--shared-memory "rubato_hil_$$") at_controller=("${at_robot[@]}") ;;
  udp) port=$((20000 + $$ % 20000)) at_robot=(--udp "$port:$((port + 1))") at_controller=(--udp "$((port + 1)):$port") ;;
  *) echo "run.sh: '$transport' is neither shared-memory nor udp" >&2; exit 2 ;;
esac
"$controller" "${at_controller[@]}" &
controller_id=$!
trap 'kill $controller_id 2>/dev/null || true' EXIT
"$rubato" realtime run "$plan" --duration "${DURATION:-1s}" --first-inputs 0 --lock-memory "${at_robot[@]}" -o "$results"
wait $controller_id
trap - EXIT
