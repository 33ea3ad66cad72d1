# sh tour.sh README WITHOUT: runs the commands of the README's tour, one by one, each after a line that says which.
#
# What sets up and builds is left out (make, export), and the commands in which the word WITHOUT occurs.
set -e

awk '/^## / { tour = /tour/ } /^```/ { code = tour && /^```sh/; next } tour && code' "$1" |
  grep -v -e '^make' -e '^export' | sed 's/  *# .*//' >commands
while read -r command; do
  case $command in *"$2"*) continue ;; esac
  echo "\$ $command"
  sh -e -c "$command" 2>&1 </dev/null
done <commands
