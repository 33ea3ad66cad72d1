# sh tour.sh README WITHOUT: runs the commands of the README's tour, and prints each before it runs.
#
# Commands for installation and building (make, export) and commands that contain the word WITHOUT
# are skipped.
set -e

awk '/^## / { tour = /tour/ } /^```/ { code = tour && /^```sh/; next } tour && code' "$1" |
  grep -v -e '^make' -e '^export' | sed 's/  *# .*//' >commands
while read -r command; do
  case $command in *"$2"*) continue ;; esac
  echo "\$ $command"
  sh -e -c "$command" 2>&1 </dev/null
done <commands
