#!/usr/bin/env bash
# The demo's agent: a script, not a model. It writes the multiplication tables of 1 to 9, line by line, and
# reports its phase to belay, as any agent should. When restarted, it continues from what is there: the phase
# from its resume text, everything else from the files. The sleeps simulate work.
set -euo pipefail

me=${BELAY_AGENT_ID%#*}
last=9
think() { sleep 0.4; }
type_some() { sleep 0.04; }
phase() { echo "-- $1" && belay hook phase "$me" "$1" --quiet; }
note() { belay hook note "$me" "$1" --quiet; }

investigate() {
  echo "reading TASK.md: $(cat TASK.md)"
  think
  note "TASK.md asks for the tables of 1 to $last"
}

plan() {
  echo "writing PLAN.md"
  think
  echo "One file for each table, tables/1.txt to tables/$last.txt, of $last lines each." >PLAN.md
  note "the plan is in PLAN.md"
}

# Each line in two halves, so that there is always something half-written. What an earlier incarnation left is
# kept to the byte, including half a line.
write_table() {
  local n=$1 file="tables/$1.txt" lines half k text
  touch "$file"
  lines=$(wc -l <"$file")
  half=$(tail -n +$((lines + 1)) "$file")
  ((lines == last)) && return
  if [[ -s $file ]]; then echo "$file: found $lines complete lines and '$half'; continuing there"; fi
  for ((k = lines + 1; k <= last; k++)); do
    text="$n x $k = $((n * k))"
    text=${text#"$half"}
    half=''
    printf '%s' "${text:0:${#text}/2}" >>"$file"
    type_some
    printf '%s\n' "${text:${#text}/2}" >>"$file"
    type_some
    ((k != 4)) || echo "$file: $k of $last lines"
  done
}

implement() {
  local n
  mkdir -p tables
  for ((n = 1; n <= last; n++)); do
    write_table "$n"
    ((n % 3 != 0)) || note "tables 1 to $n are written"
  done
}

check() {
  awk '$1 * $3 != $5 { wrong++ }
       END { print NR " lines checked, " wrong + 0 " wrong"; exit wrong > 0 }' tables/*.txt
  think
  note "all tables are checked"
}

complete() {
  git add -A && git commit -q -m "The tables of 1 to $last"
  echo "committed as $(git rev-parse --short HEAD)"
  belay signal send MERGE_READY --to guardian >/dev/null
  belay signal send NEEDS_REVIEW --to person --payload '{"text":"the tables are done"}' >/dev/null
}

echo "I am $BELAY_AGENT_ID, a script"
reached=$(sed -nE 's/^Resume from phase: ([a-z]+),.*/\1/p' "$BELAY_RESUME_FILE")
[[ -z $reached ]] || echo "my resume text: the work is in phase $reached"
for step in investigation planning implementation testing completion; do
  if [[ -n $reached && $step != "$reached" ]]; then
    echo "-- $step: done by my predecessor"
    continue
  fi
  if [[ $step == "$reached" ]]; then echo "-- $step, again"; else phase "$step"; fi
  reached=''
  case $step in
    investigation) investigate ;;
    planning) plan ;;
    implementation) implement ;;
    testing) check ;;
    completion) complete ;;
  esac
done
echo "done"
